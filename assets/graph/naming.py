"""Names of communities, from nothing but their files' paths and the words of their code.

``django/contrib/gis/gdal: libgdal, geometries, srs, layer``: the folder most of its files
share, the files of it that most others touch, and words that its files have and the rest of the
repository has not. A word of a file's name counts as several of its code's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from codequarry.identifiers import light_stem, tokens

CENTRES, WORDS = 2, 2
STEM_WEIGHT = 3
SHARE = 0.5  # of a community's files that lie in the folder it is named by
_LEAST_WORD = 3  # letters
_LEAST_FILES = 0.15  # share of a community's files that have a word which names it
_OWN = 0.2  # share of a community that is enough code for naming it by its code alone
_SAY_NOTHING = frozenset(
    """
    test tests testing testcase spec specs mock mocks fixture fixtures setup teardown assert
    init main index mod lib src self this new get set add has is to from with for and the not
    all any one two foo bar baz tmp data item items value values name names key keys obj object
    type types class cls func function method args kwargs param params arg result results
    default base common util utils helper helpers impl internal core version line list dict
    string str int bool none null true false run call make create update delete remove
    getitem setitem delitem contains repr len iter next enter exit eq hash fmt clone drop deref
    mut pub use max min start end first last name
    """.split()
)

Int32 = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Words:
    """Which files hold which words: parallel arrays of distinct (file, word) pairs by file."""

    vocabulary: pa.Array
    files: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int64]
    weights: npt.NDArray[np.int64]  # more where it is a word of the file's name


def words_of(files: Int32, parts: pa.ListArray, paths: Sequence[str]) -> Words:
    """The words of files.

    Args:
        files: the file of each symbol.
        parts: the words of each symbol's name.
        paths: of all files; the words of their names count too.
    """
    stems = [list(dict.fromkeys(tokens(_stem(path)))) for path in paths]
    lengths = np.array([len(stem) for stem in stems], np.int64)
    terms = pa.concat_arrays(
        [
            parts.flatten().cast(pa.string()),
            pa.array([word for stem in stems for word in stem], pa.string()),
        ]
    ).dictionary_encode()
    where = np.concatenate(
        [
            np.repeat(files.astype(np.int64), np.asarray(parts.value_lengths().fill_null(0))),
            np.repeat(np.arange(len(paths)), lengths),
        ]
    )
    n_words = max(len(terms.dictionary), 1)
    pairs, last = np.unique(
        (where * n_words + np.asarray(terms.indices).astype(np.int64))[::-1], return_index=True
    )
    weights = np.where(last < int(lengths.sum()), STEM_WEIGHT, 1)
    return Words(terms.dictionary, pairs // n_words, pairs % n_words, weights)


def community_names(
    paths: Sequence[str], supporting: Mask, degree: Int32, community: Int32, words: Words
) -> list[str]:
    """A name for each community; no two are the same.

    Args:
        paths: of all files.
        supporting: (files,) tests and documentation, which name nothing where there is code.
        degree: (files,) how many files each touches.
        community: (files,) its community, numbered from 0.
        words: see `words_of`.
    """
    n_communities = int(community.max()) + 1 if len(community) else 0
    members = np.argsort(community, kind="stable")
    starts = np.searchsorted(community[members], np.arange(n_communities + 1))
    naming = _Naming(words, len(paths))
    taken: dict[str, int] = {}
    names = []
    for number in range(n_communities):
        files = members[starts[number] : starts[number + 1]]
        if len(files) == 1:
            names.append(paths[files[0]])
            continue
        own = files[~supporting[files]]
        named_by = own if len(own) >= _OWN * len(files) else files
        folder = common_folder([paths[file] for file in named_by.tolist()])
        centres = sorted(named_by.tolist(), key=lambda file: (-int(degree[file]), file))
        said = set(_stems(folder))
        stems = (
            [] if named_by is files else _told([_stem(paths[f]) for f in centres], said, CENTRES)
        )
        telling = _told(naming.distinctive(files, named_by), said, WORDS)
        name = _joined(folder, [*stems, *telling])
        if not name or name in taken:
            centre = _name(paths[centres[0]])
            name = f"{name} ({centre})" if name else paths[centres[0]]
        while name in taken:
            taken[name] += 1
            name = f"{name} {taken[name]}"
        taken[name] = 1
        names.append(name)
    return names


def common_folder(paths: Sequence[str]) -> str:
    """The deepest folder that at least `SHARE` of the paths lie in; empty for the root."""
    counts: Counter[str] = Counter()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder:
            counts[folder] += 1
            folder = folder.rpartition("/")[0]
    fitting = [folder for folder, n in counts.items() if n >= SHARE * len(paths)]
    return max(fitting, key=lambda f: (f.count("/"), counts[f], f), default="")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    return _name(path).partition(".")[0]


def _stems(text: str) -> list[str]:
    return [light_stem(part) for part in tokens(text)]


def _told(texts: Iterable[str], said: set[str], limit: int) -> list[str]:
    """The first texts that say something new; what they say is then said."""
    found: list[str] = []
    for text in texts:
        new = [part for part in tokens(text) if not _is_empty(part)]
        if len(found) < limit and new and not said.issuperset(_stems(text)):
            said.update(_stems(text))
            found.append(text)
    return found


def _is_empty(word: str) -> bool:
    return len(word) < _LEAST_WORD or word in _SAY_NOTHING or word.isdigit()


def _joined(folder: str, words: Sequence[str]) -> str:
    return ": ".join(part for part in (folder, ", ".join(words)) if part)


class _Naming:
    """Finds the words that tell some files from all others."""

    def __init__(self, words: Words, n_files: int) -> None:
        self._words = words
        self._n_files = n_files
        self._known = np.bincount(words.ids, words.weights, len(words.vocabulary))
        self._pointers = np.searchsorted(words.files, np.arange(n_files + 1))

    def distinctive(
        self, files: npt.NDArray[np.int64], named_by: npt.NDArray[np.int64]
    ) -> list[str]:
        """Words that many of ``named_by`` hold and few files outside ``files`` do, best first."""
        inside, _ = self._count(files)
        mine, holding = self._count(named_by)
        least = max(2, math.ceil(_LEAST_FILES * len(named_by)))
        ids = np.flatnonzero(holding >= least).tolist()
        rest = self._n_files - len(files) + 2
        scored = []
        texts = self._words.vocabulary.take(pa.array(ids, pa.int64())).to_pylist()
        for word, text in zip(ids, texts, strict=True):
            if _is_empty(text):
                continue
            share = mine[word] / len(named_by)
            outside = (int(self._known[word]) - inside[word] + 1) / rest
            if share > outside:
                scored.append((-share * math.log(share / outside), text))
        return [text for _, text in sorted(scored)]

    def _count(self, files: npt.NDArray[np.int64]) -> tuple[Counts, Counts]:
        """The weight of each word in some files, and how many of them hold it."""
        spans = [np.arange(self._pointers[f], self._pointers[f + 1]) for f in files.tolist()]
        rows = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        ids, size = self._words.ids[rows], len(self._words.vocabulary)
        return np.bincount(ids, self._words.weights[rows], size), np.bincount(ids, minlength=size)
