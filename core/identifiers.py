"""The one identifier tokenizer: index, query, embedding and completion split text alike.

``HTTPServer2_main`` gives the parts ``http server 2 main`` and the joined whole
``httpserver2main``. Scripts without spaces between words (Han, Kana, Hangul, Thai …) give
characters and overlapping character pairs, so that they can be searched.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

MAX_WORD = 120  # characters; longer runs are data (base64, minified), not names
MAX_PART = 40

_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]+")
_ASCII_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)


def words(text: str) -> list[str]:
    """The raw words of ``text`` in order, as written (case kept)."""
    # the explicit class says the same for ASCII and is half again as fast
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@lru_cache(maxsize=1 << 18)
def split_word(word: str) -> tuple[tuple[str, ...], str]:
    """Split one word into its lower-case parts and its joined whole.

    The whole is empty when the word has one part only (it would say the same twice).
    """
    if len(word) > MAX_WORD:
        return (), ""
    if word.isascii():
        parts = tuple(part.lower()[:MAX_PART] for part in _ASCII_PARTS.findall(word))
    else:
        parts = tuple(part[:MAX_PART] for part in _unicode_parts(word))
    if len(parts) < 2:
        return parts, ""
    return parts, unicodedata.normalize("NFKC", word).replace("_", "").lower()


def _unicode_parts(word: str) -> Iterable[str]:
    for run in _PARTS.findall(unicodedata.normalize("NFKC", word)):
        last = 0
        for unspaced in _UNSPACED.finditer(run):
            yield from _camel(run[last : unspaced.start()])
            yield from _pairs(unspaced[0])
            last = unspaced.end()
        yield from _camel(run[last:])


def _camel(run: str) -> Iterable[str]:
    start = 0
    for i in range(1, len(run)):
        before, here = run[i - 1], run[i]
        acronym_ends = here.islower() and before.isupper() and i - 1 > start
        if here.isupper() and before.islower():
            yield run[start:i].lower()
            start = i
        elif acronym_ends:
            yield run[start : i - 1].lower()
            start = i - 1
    if run[start:]:
        yield run[start:].lower()


def _pairs(run: str) -> Iterable[str]:
    """Single characters too: a one-character query is a word in these scripts."""
    yield from run
    for i in range(len(run) - 1):
        yield run[i : i + 2]


def tokens(text: str) -> list[str]:
    """The parts of every word of ``text``, in order, with repeats."""
    return [part for word in words(text) for part in split_word(word)[0]]


def term_counts(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """Count the parts and the joined wholes of ``text``.

    Returns:
        Two mappings term → occurrences: parts, and wholes of words with several parts.
    """
    parts: dict[str, int] = {}
    wholes: dict[str, int] = {}
    for word, n in Counter(words(text)).items():
        split, whole = split_word(word)
        for part in split:
            parts[part] = parts.get(part, 0) + n
        if whole:
            wholes[whole] = wholes.get(whole, 0) + n
    return parts, wholes


def parts_and_wholes(text: str) -> list[str]:
    """Identifier parts, and the joined whole of each word that has several, with repeats."""
    found: list[str] = []
    for word in words(text):
        parts, whole = split_word(word)
        found += parts
        if whole:
            found.append(whole)
    return found


_ENDINGS = tuple(
    "izations ization isations isation izers izer ations ation ments ment ings ing ions ion "
    "ers er ors or ies ied es ed ly s e y".split()
)
MIN_STEM = 3
LIGHT_MARK = "~"  # before a stem where stems and words share an index; never in a word


def light_stem(part: str) -> str:
    """Cut a common English ending, so that ``routing``, ``router`` and ``routes`` meet.

    For matching short names only, where a wrong conflation costs little.
    """
    if len(part) > MIN_STEM + 1:
        for ending in _ENDINGS:
            if part.endswith(ending) and len(part) - len(ending) >= MIN_STEM:
                return part[: -len(ending)]
    return part


@lru_cache(maxsize=4096)
def query_terms(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Split a query into parts, wholes as typed, and joined neighbours.

    ``"user store getById"`` gives parts ``user store get by id``, the whole ``getbyid`` and
    the joined neighbours ``userstore``, ``storeget``, … that match a compound identifier.
    """
    parts: list[str] = []
    wholes: list[str] = []
    for word in words(text):
        split, whole = split_word(word)
        parts.extend(split)
        if whole:
            wholes.append(whole)
    typed = set(wholes)
    joined = [a + b for a, b in pairwise(parts) if a + b not in typed]
    return tuple(parts), tuple(wholes), tuple(joined)
