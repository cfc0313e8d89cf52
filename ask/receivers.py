"""Calls whose receiver has no known type, by what it is named: ``resolver.resolve(``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.ask.step import Step
from codequarry.identifiers import tokens
from codequarry.retrieval.generation import Generation

_MOST_NAMES = 400  # definitions of the called names that are looked at
# what it is called on: a name, or what a call with simple arguments gives
_RECEIVER = re.compile(r"([A-Za-z_]\w*)(?:\([^()]{0,80}\))?\s*(?:\.|->)\s*([A-Za-z_]\w*[?!]?)\s*\(")


def called_on(body: str) -> list[tuple[str, str]]:
    """The calls of a text on something that has a name, (receiver, called), in its order."""
    return _RECEIVER.findall(body)


def is_of_type(receiver: str, name: str) -> bool:
    """Whether a member's type is named as a receiver is: ``resolver`` as ``URLResolver``.

    Args:
        receiver: as written.
        name: of the member, qualified.
    """
    said = tokens(receiver)[-1:]
    return bool(said) and tokens(type_of(name))[-1:] == said


def type_of(name: str) -> str:
    """The scope right around a qualified name; empty without one."""
    parts = [part for part in re.split(r"[^\w?!]+", name) if part]
    return parts[-2] if len(parts) > 1 else ""


def chunks_called_on(generation: Generation, steps: Sequence[Step], most: int) -> list[int]:
    """The chunks of members outside tests that some definitions call by what they are named.

    Args:
        generation: where they are defined.
        steps: the definitions, with their text.
        most: chunks of each of them.
    """
    symbols = generation.symbols
    pairs = [list(dict.fromkeys(called_on(step.body))) for step in steps]
    names = sorted({name for own in pairs for _, name in own})
    found = np.flatnonzero(np.asarray(pc.is_in(symbols["name"], pa.array(names, pa.string()))))
    columns = symbols.select(["name", "qualified", "chunk", "file"])
    by_name: dict[str, list[tuple[str, int, str]]] = {}
    for row in columns.take(found[:_MOST_NAMES]).to_pylist():
        if not generation.is_test[row["file"]]:
            place = (row["qualified"], row["chunk"], _suffix(generation.paths[row["file"]]))
            by_name.setdefault(row["name"], []).append(place)
    chunks: dict[int, None] = {}
    for step, own in zip(steps, pairs, strict=True):
        called = [
            chunk
            for receiver, name in own
            for qualified, chunk, suffix in by_name.get(name, ())
            if suffix == _suffix(step.path) and is_of_type(receiver, qualified)
        ]
        chunks.update(dict.fromkeys(list(dict.fromkeys(called))[:most]))
    return list(chunks)


def _suffix(path: str) -> str:
    return path.rpartition(".")[2]
