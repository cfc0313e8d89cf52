"""Which kept answers fit a question: the same question, one that asks the same, or one near it.

Two questions ask the same if their vectors are near and the kept question has most of the words
that carry the new one's topic. Words around a question ("how does … work", "explain …") are left
out of both, so that a rewording is the same question. Thresholds are of the embedded model alone.
Of 13,500 pairs of rewordings of the nl63 development questions every one is at least .95 alike once
those words are gone. Of 5,505 pairs of different questions about one repository .02 % are at least
.90 alike, and 1 % at least .64. Other models have other cosines: with them only the same question
is served.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codequarry.ask.flows.store import Float32, Flow
from codequarry.identifiers import light_stem, tokens
from codequarry.retrieval.index import Index

SERVE, ATTACH = 0.90, 0.64  # cosines of the embedded model
SAME = 0.95  # of two questions of which the newer one is kept
COVERED = 0.80  # of the new question's content words, that the kept question must have
MOST_ATTACHED = 3
CALIBRATED_PROVIDER = "static"

_SCAFFOLDING = frozenset(
    """
    a about all an and any are as at be been being by can code could describe did do does doing done
    each explain find for from get give gets go goes handle handled handles happen happens has have
    here how i if implement implementation implemented in into is it its know let like look looks me
    my need of on or our out please repo repository see show so tell that the their them then there
    these they this those to understand us walk walkthrough want was way we were what when where
    which who whose why will with work worked working works would you your
    """.split()
)
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Match:
    """What is kept that fits a question.

    Attributes:
        serve: flows that answer it, the best first; their files are not looked at here.
        similarity: of the question to each of those.
        near: flows that tell of something near, the best first; those of ``serve`` among them.
    """

    serve: tuple[Flow, ...] = ()
    similarity: tuple[float, ...] = ()
    near: tuple[Flow, ...] = ()


def key_of(question: str, kind: str) -> str:
    """One word for a question, whatever its blanks, case and closing mark, and its kind."""
    plain = " ".join(question.casefold().split()).rstrip("?!. ")
    return hashlib.sha256(f"{kind}\n{plain}".encode("utf-8", "surrogatepass")).hexdigest()


def content_words(question: str) -> tuple[str, ...]:
    """The distinct words that carry a question's topic, without common endings, in order."""
    parts = [part for part in tokens(question) if part not in _SCAFFOLDING]
    return tuple(dict.fromkeys(light_stem(part) for part in parts or tokens(question)))


def vectors_of(index: Index, question: str, prose: str) -> tuple[Float32, Float32]:
    """The vectors of a question and of question and prose; (0,) each without a model."""
    if index.model is None:
        nothing = np.zeros(0, np.float32)
        return nothing, nothing
    asked, told = index.model.embed_documents([_bare(question), f"{question}\n{prose}"])
    return np.asarray(asked, np.float32), np.asarray(told, np.float32)


def prose_of(answer: str) -> str:
    """An answer's words: without code, citations' places, footers."""
    text = _FENCE.sub("", answer)
    lines = [line for line in text.split("\n") if not re.match(r"\s*(?:`[^`]*:\d|- `|\*\()", line)]
    kept = "\n".join(lines).partition("Also found, not cited:")[0]
    return re.sub(r"\n{3,}", "\n\n", kept).strip()


def match(index: Index, flows: Sequence[Flow], question: str, kind: str) -> Match:
    """Find what is kept of one kind that fits a question.

    Args:
        index: for its model.
        flows: all of that kind.
        question: as asked.
        kind: as `Flow.kind`.
    """
    key = key_of(question, kind)
    same = [flow for flow in flows if flow.key == key]
    model = index.model.identity.key if index.model else ""
    calibrated = index.model is not None and index.model.identity.provider == CALIBRATED_PROVIDER
    fit = [flow for flow in flows if flow.model == model] if calibrated else []
    if not fit or index.model is None:
        return Match(tuple(same), (1.0,) * len(same))
    asked, told = vectors_of(index, question, "")
    to_question = np.stack([flow.asked for flow in fit]) @ asked
    to_prose = np.stack([flow.told for flow in fit]) @ told
    words = content_words(question)
    serve = [(1.0, flow) for flow in same]
    serve += [
        (float(cosine), flow)
        for cosine, flow in zip(to_question, fit, strict=True)
        if cosine >= SERVE and flow not in same and _covers(flow.question, words)
    ]
    serve.sort(key=lambda pair: -pair[0])
    nearness = np.maximum(to_question, to_prose)
    order = np.argsort(-nearness, kind="stable")[:MOST_ATTACHED]
    near = [fit[place] for place in order.tolist() if nearness[place] >= ATTACH]
    return Match(
        tuple(flow for _, flow in serve), tuple(cosine for cosine, _ in serve), tuple(near)
    )


def same_questions(flows: Sequence[Flow], flow: Flow) -> list[int]:
    """Kept flows of its kind that a new one replaces."""
    return [
        other.id
        for other in flows
        if other.kind == flow.kind
        and other.model == flow.model
        and len(flow.asked)
        and float(other.asked @ flow.asked) >= SAME
        and set(content_words(other.question)) == set(content_words(flow.question))
    ]


def _covers(kept: str, words: Sequence[str]) -> bool:
    """Whether a kept question has most of the words of a new one, and adds no more than as many."""
    own = set(content_words(kept))
    shared = sum(word in own for word in words)
    return bool(words) and shared >= COVERED * max(len(words), len(own))


def _bare(question: str) -> str:
    parts = [part for part in tokens(question) if part not in _SCAFFOLDING]
    return " ".join(parts) or question
