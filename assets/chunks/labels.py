"""Names and kinds for cut pieces, from the definitions that stand in them."""

from __future__ import annotations

from dataclasses import dataclass

from codequarry.assets.languages.spec import CALLABLE_KINDS, CONTAINER_KINDS
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Chunk, Kind

_PROMINENT = CALLABLE_KINDS | CONTAINER_KINDS | {Kind.MACRO}


@dataclass(slots=True, eq=False)
class Run:
    """What a series of pieces is cut from: a file, the members of a type, one big unit."""

    definition: Definition | None
    members: bool = False  # whole units under a scope, not numbered parts of one unit
    scope: tuple[str, ...] = ()
    parts: int = 0


@dataclass(slots=True)
class Piece:
    """A run of rows before it has a name."""

    first: int
    last: int
    run: Run
    header: bool = False
    window: bool = False
    part: int = 0


def label(pieces: list[Piece], definitions: list[Definition]) -> list[Chunk]:
    """Pieces in line order to chunks."""
    for piece in pieces:
        if not piece.run.members:
            piece.run.parts += 1
            piece.part = piece.run.parts
    chunks: list[Chunk] = []
    ordered = sorted(definitions, key=lambda d: d.name_row)
    at = 0
    for piece in pieces:
        inside: list[Definition] = []
        while at < len(ordered) and ordered[at].name_row <= piece.last:
            inside.append(ordered[at])
            at += 1
        chunks.append(_chunk(piece, inside))
    return chunks


def _chunk(piece: Piece, inside: list[Definition]) -> Chunk:
    names = tuple(d.name for d in inside if (d.rule.emits or d.rule.declares) and d.name)
    run = piece.run
    own = run.definition
    scope = run.scope
    part = parts = 0
    if not run.members and run.parts > 1:
        part, parts = piece.part, run.parts
    if piece.header and own is not None:
        return Chunk(
            piece.first + 1,
            piece.last + 1,
            Kind.CLASS_HEADER,
            name=own.name,
            names=names,
            scope=own.scope,
        )
    if run.members:
        kind, name = _of_units(piece, inside, own)
    elif own is not None and run.parts == 1:
        kind, name, scope = own.kind, own.name, own.scope
    elif own is not None:
        kind, name, scope = Kind.BLOCK, own.name, own.scope
    else:
        kind, name = _of_block(inside)
    if piece.window and kind is not Kind.BLOCK:
        kind = Kind.WINDOW
    return Chunk(
        piece.first + 1,
        piece.last + 1,
        kind,
        name=name,
        names=names,
        scope=scope,
        part=part,
        parts=parts,
    )


def _of_units(piece: Piece, inside: list[Definition], own: Definition | None) -> tuple[Kind, str]:
    """Kind and name of merged whole units: theirs if they agree, else the container's."""
    outermost = [d for d in inside if not _starts_in(d.parent, piece)]
    prominent = [d for d in outermost if d.kind in _PROMINENT] or outermost
    name = prominent[0].name if prominent else ""
    kinds = {d.kind for d in prominent}
    if kinds == {Kind.METHOD, Kind.CONSTRUCTOR}:
        return Kind.METHOD, name
    if len(kinds) == 1:
        return kinds.pop(), name
    if own is None:
        return Kind.MODULE, name
    return own.kind, name or own.name


def _of_block(inside: list[Definition]) -> tuple[Kind, str]:
    return Kind.BLOCK, inside[0].name if inside else ""


def _starts_in(definition: Definition | None, piece: Piece) -> bool:
    return definition is not None and piece.first <= definition.name_row <= piece.last
