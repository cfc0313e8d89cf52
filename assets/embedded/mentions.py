"""What a page mentions: in its text, and by the imports of the code in its fences."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.outline import Fence
from codequarry.assets.embedded.region import Region
from codequarry.assets.facts.syntax import Parsed
from codequarry.assets.references.mentions import (
    MAX_MENTIONS,
    Mention,
    mention_reference,
    mentions,
)
from codequarry.vocabulary import BindingKind, EdgeType, Kind, Receiver, Reference, Symbol

FENCE = "fence:"  # before the language, in the `name` of a fence's mention

_TAKEN = (BindingKind.IMPORT, BindingKind.EXPORT)
_NO_MEMBER = ("", "*", "^")


def page_mentions(
    measure: Measure, language: str, fences: Iterable[Fence], symbols: Sequence[Symbol]
) -> list[Reference]:
    """The mentions in a page's text, each in its section, once a section.

    Args:
        measure: of the page.
        language: of the page.
        fences: whose rows are no text.
        symbols: of the page, in their order.
    """
    lines = measure.source.decode("utf-8", "replace").split("\n")[: measure.line_count]
    for fence in fences:
        first, last = fence.body
        lines[first : last + 1] = [""] * (last + 1 - first)
    found: list[Reference] = []
    seen: set[tuple[int, str, str]] = set()
    sections = _Sections(symbols)
    for mention in mentions(lines, rst=language == "rst"):
        scope = sections.at(mention.line + 1)
        key = (scope, mention.form, mention.path)
        if key not in seen and len(found) < MAX_MENTIONS:
            seen.add(key)
            byte = measure.starts[mention.line] + len(lines[mention.line][: mention.start].encode())
            found.append(mention_reference(mention, mention.line + 1, byte, scope))
    return found


def in_sections(references: Iterable[Reference], symbols: Sequence[Symbol]) -> list[Reference]:
    """The same references; a mention that stands in no definition stands in its section."""
    sections = _Sections(symbols)
    return [
        r._replace(scope=sections.at(r.line)) if r.type is EdgeType.DOCUMENTS and r.scope < 0 else r
        for r in references
    ]


class _Sections:
    """The innermost section of a line: the last that starts at or before it."""

    def __init__(self, symbols: Sequence[Symbol]) -> None:
        self._numbers = [i for i, symbol in enumerate(symbols) if symbol.kind is Kind.SECTION]
        self._starts = [symbols[i].start_line for i in self._numbers]

    def at(self, line: int) -> int:
        place = bisect_right(self._starts, line) - 1
        return self._numbers[place] if place >= 0 else -1


def fence_mentions(parsed: Parsed, region: Region) -> list[Reference]:
    """What a fence takes from modules, and what it does with it: ``shop .Order .create``.

    The first word is the module as the fence names it; only what hangs on an import is told.
    """
    form = FENCE + region.language
    taken: dict[str, str] = {}  # name → path
    found: dict[str, Reference] = {}
    for binding in parsed.bindings:
        if binding.kind not in _TAKEN or not binding.target or binding.target.startswith("."):
            continue
        if " " in binding.target:
            continue
        member = "" if binding.member in _NO_MEMBER else f" .{binding.member}"
        path = binding.target + member
        top = binding.target.partition(".")[0] if binding.member == "^" else path
        taken.setdefault(binding.name, top)
        mention = Mention(form, path, _written(path), binding.line - 1, 0)
        byte = region.measure.starts[binding.line - 1]
        found.setdefault(path, mention_reference(mention, binding.line, byte, -1))
    for reference in parsed.references:
        base, *steps = reference.path.split(" ")
        if base not in taken or reference.type is EdgeType.IMPORTS:
            continue
        members = []
        for step in steps:
            if not step.startswith("."):
                break
            members.append(step)
        path = " ".join([taken[base], *members])
        named = reference._replace(
            type=EdgeType.DOCUMENTS,
            path=path,
            written=_written(path),
            name=form,
            receiver=Receiver.NONE,
            arity=-1,
        )
        found.setdefault(path, named)
    return list(found.values())


def _written(path: str) -> str:
    return path.replace(" .", ".")
