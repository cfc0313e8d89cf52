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


def base_forms(words: Iterable[str]) -> list[str]:
    """The verbs that irregular forms among some words are of."""
    return [_VERBS[word] for word in words if word in _VERBS]


def word_weights(index: Index, query: Query) -> list[tuple[frozenset[str], float]]:
    """The stems that a word of the question may be, and its share by rarity."""
    words = list(query.content or query.parts)
    forms = {word: [word, *base_forms([word])] for word in words}
    idf = index.generation.body.idf_of([f for own in forms.values() for f in own], 1.0)
    by_word = {word: min(idf[form] for form in own) for word, own in forms.items()}
    mass = sum(by_word.values()) or 1.0
    return [(frozenset(map(_stem, own)), by_word[word] / mass) for word, own in forms.items()]


def share(words: Sequence[tuple[frozenset[str], float]], step: Step, body: str) -> float:
    """The share of the question's words that a definition has, by where."""
    places = (
        (_stems(_telling_name(step)), IN_NAME),
        (_stems(f"{step.name} {step.signature} {step.doc}"), IN_DOC),
        (_stems(step.path), IN_PATH),
        (_stems(body), IN_BODY),
    )
    return sum(
        weight * next((value for stems, value in places if not stems.isdisjoint(word)), 0.0)
        for word, weight in words
    )


def _own_name(step: Step) -> str:
    return re.split(r"\.|::|\\", step.name)[-1]


def _telling_name(step: Step) -> str:
    """A definition's own name, with that of its type where it says only that it runs."""
    own = _own_name(step)
    return step.name if own.strip("_!?").lower() in _GENERIC else own


def says_what_is_done(step: Step, verbs: set[str], does: set[str]) -> float:
    """What it is worth that a name says what the question says is done: ``apply`` for applied."""
    own = _own_name(step)
    first = next(iter(tokens(own)), "")
    if first in does:
        return DOES
    return VERB if not verbs.isdisjoint(_stems(own)) else 0.0


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
    done = [w for w in query.content if w in _VERBS or w.endswith("ed")]
    return {_stem(form) for word in done for form in (word, *base_forms([word]))}


def _stems(text: str) -> set[str]:
    return {_stem(token) for token in set(tokens(text))}


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    """So that ``rendered``, ``renderer`` and ``render`` meet, and ``jobs`` and ``job``."""
    stem = light_stem(light_stem(word))
    return stem[:-1] if len(stem) == 4 and stem[-1] in "se" else stem
