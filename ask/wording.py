"""The words of a question, and where a definition has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from codequarry.ask.step import Step
from codequarry.identifiers import light_stem, tokens
from codequarry.retrieval.index import Index
from codequarry.retrieval.query import Query

# How much of a question's word counts by where it stands.
IN_NAME, IN_DOC, IN_PATH, IN_BODY = 1.0, 0.8, 0.5, 0.35
USUAL = 0.4  # times, for the verb of "how do I set ..."
VERB, DOES = 0.08, 0.12  # for a name that has what the question says is done, or begins with it
# Names of what a type is there to do, whatever that is: the type says it.
_GENERIC = frozenset(
    "call handle invoke run execute perform process apply main start do exec dispatch".split()
)
# Verb forms that no ending tells; a question is asked in them, code is named by the verb.
_VERBS = {
    "bound": "bind", "built": "build", "caught": "catch", "chosen": "choose", "drawn": "draw",
    "driven": "drive", "found": "find", "given": "give", "held": "hold", "hidden": "hide",
    "kept": "keep", "made": "make", "read": "read", "ran": "run", "sent": "send", "shown": "show",
    "spawned": "spawn", "taken": "take", "thrown": "throw", "told": "tell", "woken": "wake",
    "written": "write",
}  # fmt: skip

NOTE = re.compile(r"\W*(?:TODO|FIXME|XXX|HACK|NOTE TO)\b")  # of authors to each other
# A line of a doc comment where what a definition does ends and its details begin.
FIELDS = re.compile(
    r"\s*(?:[:@\\](?:param|return|returns|rtype|type|throws|raises|see|since|author|example|private"
    r"|internal|api|public|deprecated)\b"
    r"|[*#\s]*(?:Args|Arguments|Parameters|Returns|Raises|Examples?|Usage|Notes?|Options|Panics"
    r"|Errors|Safety)[\s:*]*$"
    r"|-{3,}|={3,}|```|~~~|>>>|\.\. )"
)
_QUOTED = re.compile(r"`([^`]+)`")
# With scopes, with an underscore, or begun small with a capital inside; a capital at the front is
# that of a product as often (OpenAPI).
_CODE_NAME = re.compile(
    r"(?<![\w.:/`])(?:[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$!?]*)+|\w+_\w+|[a-z][a-z0-9]+[A-Z]\w*)"
    r"(?![\w/`])"
)
# What people say of anything they want to do; with what is what tells.
_HOW_DO_I = re.compile(
    r"\W*how\s+(?:(?:do|can|should|would|must)\s+(?:i|we|you|one)|to)\s+"
    r"(add|change|configure|create|define|do|enable|get|make|set|setup|specify|use|write)\b",
    re.IGNORECASE,
)
_DENIALS = frozenset("not never cannot cant dont doesnt isnt shouldnt wont without".split())
_DENIED = re.compile(r"\b(?:not|never|cannot|\w+n't)\b[^.;,\n]*", re.IGNORECASE)
_MAKERS = frozenset("new init initialise initialize".split())
_DOUBLED = "bdgmnprt"  # consonants that an ending doubles: ``logging``, ``mapped``
_NAME_PART = re.compile(r"[\w$!?]+")
_PARAMETERS = re.compile(
    r"^\s*(?:[:@\\]param\b|[*#\s]*(?:Args|Arguments|Parameters|Options)[\s:*]*$)", re.MULTILINE
)
# What code calls it that people say in another word.
_ALSO = {
    "fetched": ("get", "load"), "put": ("push", "enqueue", "add"), "looked": ("find", "get"),
    "picked": ("select", "choose"), "chosen": ("select", "get"), "stored": ("save", "write"),
    "saved": ("store", "write"), "started": ("start", "boot", "launch"), "ended": ("close", "stop"),
    "removed": ("delete",), "deleted": ("remove",), "created": ("make", "new", "build"),
    "validated": ("check", "parse"),
}  # fmt: skip


def base_forms(words: Iterable[str]) -> list[str]:
    """The verbs that irregular forms among some words are of."""
    return [
        form
        for word in words
        for form in (*([_VERBS[word]] if word in _VERBS else ()), *_ALSO.get(word, ()))
    ]


def word_weights(index: Index, query: Query) -> list[tuple[frozenset[str], float]]:
    """The stems that a word of the question may be, and its share by rarity."""
    words = list(query.content or query.parts)
    forms = {  # ``OpenAPI`` is written ``openapi`` too
        word: [word, *base_forms([word]), *(whole for whole in query.wholes if word in whole)]
        for word in words
    }
    idf = index.generation.body.idf_of([f for own in forms.values() for f in own], 1.0)
    asked = _HOW_DO_I.match(query.text)
    usual = asked[1].lower() if asked else ""
    by_word = {
        word: min(idf[form] for form in own) * (USUAL if word == usual else 1.0)
        for word, own in forms.items()
    }
    mass = sum(by_word.values()) or 1.0
    return [(frozenset(map(_stem, own)), by_word[word] / mass) for word, own in forms.items()]


def share(words: Sequence[tuple[frozenset[str], float]], step: Step, body: str) -> float:
    """The share of the question's words that a definition has, by where.

    Args:
        words: of `word_weights`.
        step: the definition.
        body: its text; may be empty.
    """
    doc, parameters = _without_parameters(step.doc)
    places = (
        (set(map(_stem, _said(_telling_name(step)))), IN_NAME),
        (_stems(f"{_without_denied(step)} {_DENIED.sub(' ', doc)}"), IN_DOC),
        (_stems(step.path), IN_PATH),
        (_stems(f"{body} {parameters}"), IN_BODY),
    )
    return sum(
        weight * next((value for stems, value in places if not stems.isdisjoint(word)), 0.0)
        for word, weight in words
    )


def _without_parameters(doc: str) -> tuple[str, str]:
    """What a doc comment says, and what it says from its list of parameters on."""
    begin = _PARAMETERS.search(doc)
    return (doc[: begin.start()], doc[begin.start() :]) if begin else (doc, "")


def _own_name(step: Step) -> str:
    return re.split(r"\.|::|\\", step.name)[-1]


def _telling_name(step: Step) -> str:
    """A definition's own name, with that of its type where it says only that it runs."""
    own = _own_name(step)
    return step.name if own.strip("_!?").lower() in _GENERIC else own


def _without_denied(step: Step) -> str:
    """A definition's name and signature, unless the name denies something that both would say."""
    own = _own_name(step)
    plain = len(_said(own)) == len(tokens(own))
    return f"{step.name} {step.signature}" if plain else " ".join(_said(own))


def _said(name: str) -> list[str]:
    """The tokens of a name up to what it denies: ``failIfItShouldntBeRetried`` retries nothing."""
    said = tokens(name)
    denied = next((n for n, token in enumerate(said) if token in _DENIALS), len(said))
    return said[:denied] or said


def says_what_is_done(step: Step, verbs: set[str], does: set[str]) -> float:
    """What it is worth that a name says what the question says is done: ``apply`` for applied."""
    own = _own_name(step)
    first = next(iter(tokens(own)), "")
    if first in does:
        return DOES
    return VERB if not verbs.isdisjoint(map(_stem, _said(own))) else 0.0


def names_in(question: str) -> frozenset[tuple[str, ...]]:
    """What a question calls by its name in code: in backticks, with scopes, or written as code."""
    found = [*_QUOTED.findall(question), *_CODE_NAME.findall(question)]
    return frozenset(tuple(_NAME_PART.findall(name))[-2:] for name in found)


def named(step: Step, names: frozenset[tuple[str, ...]]) -> int:
    """By how many parts of its name some names have a definition; 0 if they do not."""
    parts = tuple(_NAME_PART.findall(step.name))
    return next((n for n in (2, 1) if len(parts) >= n and parts[-n:] in names), 0)


def is_maker(step: Step) -> bool:
    """Whether a name says only that a thing is made ready: ``NewReader``, ``initStore``."""
    return next(iter(tokens(_own_name(step))), "") in _MAKERS


def base_verbs(query: Query) -> set[str]:
    """What may be the verbs that the question has in their passive form."""
    found: set[str] = set()
    for word in query.content:
        found.update(base_forms([word]))
        if word.endswith("ied"):
            found.add(f"{word[:-3]}y")
        elif word.endswith("ed") and len(word) > 4:
            found |= {word[:-2], word[:-1]} | ({word[:-3]} if word[-3] == word[-4] else set())
    return found


def verbs_of(query: Query) -> set[str]:
    """The stems of what the question says is done."""
    done = [w for w in query.content if w in _VERBS or w in _ALSO or w.endswith("ed")]
    return {_stem(form) for word in done for form in (word, *base_forms([word]))}


def _stems(text: str) -> set[str]:
    return {_stem(token) for token in set(tokens(text))}


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    """So that ``rendered`` and ``renderer`` meet, ``jobs`` and ``job``, ``logging`` and ``log``."""
    stem = light_stem(light_stem(word))
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
        return stem[:-1]
    return stem[:-1] if len(stem) == 4 and stem[-1] in "se" else stem
