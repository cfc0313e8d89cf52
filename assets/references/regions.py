"""Local names: which binding a name has at a place in its file.

Locals are resolved here, in the one parse, so that the linker sees no local name: where
``cart = Cart()`` stands before ``cart.add(x)``, the call's path is ``Cart () .add``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from codequarry.assets.references.paths import (
    CLS,
    DEFINITION,
    MAX_STEPS,
    SELF,
    SUPER,
    UNKNOWN,
    rest,
)
from codequarry.assets.references.paths import base as base_of

FUNCTIONS = ("function", "closure")  # kinds of regions that are functions
KEEP = "@keep"  # bound here to something only the linker can follow (a local import)
_MAX_HOPS = 12
_TYPED = re.compile(r"\S+(?: \.\S+)* (?:of|new|many)(?: |$)")
_OWN = (SELF, CLS, SUPER)


class Local(NamedTuple):
    """One binding of a local name."""

    start: int  # byte from which it holds
    path: str  # empty: bound, to nothing yet (`let x;`, `x = None`)
    region: int  # where its own path is to be read
    declared: bool = False  # by a type: what it is given later does not change it


@dataclass(slots=True)
class Region:
    """A stretch of source with names of its own; the first one is the file."""

    kind: str  # file, class, function, closure, block
    parent: int
    start: int
    end: int
    rebinds: bool = False  # an unnamed function with a `this` of its own
    symbol: int = -1  # the symbol it is the body of
    names: dict[str, list[Local]] = field(default_factory=dict)


class Regions:
    """The regions of a file and the names in them."""

    def __init__(self, regions: Sequence[Region], *, ordered: bool) -> None:
        self.all = regions
        self._ordered = ordered

    def bind(self, region: int, name: str, local: Local) -> None:
        """Add a binding of a name."""
        self.all[region].names.setdefault(name, []).append(local)

    def assign(self, region: int, name: str, local: Local) -> None:
        """Give a bound name another value: unless both agree, nothing is known of it."""
        holder = region
        while holder > 0 and name not in self.all[holder].names:
            holder = self.all[holder].parent
        bindings = self.all[holder].names.get(name)
        if holder <= 0 or not bindings:
            return
        for place, bound in enumerate(bindings):
            if bound.declared or bound.path in (local.path, KEEP):
                continue
            path, where = (UNKNOWN, bound.region) if bound.path else (local.path, local.region)
            bindings[place] = Local(bound.start, path, where)

    def function_of(self, region: int) -> int:
        """The innermost function, class or file around a region."""
        while self.all[region].kind == "block":
            region = self.all[region].parent
        return region

    def kind(self, region: int) -> str:
        """The kind of the innermost function, class or file around a region."""
        return self.all[self.function_of(region)].kind

    def expand(self, path: str, region: int, at: int, *, is_type: bool = False) -> str:
        """Replace local names at the base of a path by what they are bound to.

        A type is named by no variable: there only local definitions count.
        """
        for _ in range(_MAX_HOPS):
            head = base_of(path)
            if head in _OWN:
                return path if self._has_self(region) else UNKNOWN + rest(path)
            if head.startswith(("@", UNKNOWN)):
                return path
            found = self._find(head, region, at)
            if found is None or found.path == KEEP:
                return path
            if (is_type or _TYPED.match(path)) and not found.path.startswith(DEFINITION):
                return path
            path = (found.path or UNKNOWN) + rest(path)
            if path.count(" ") > MAX_STEPS:
                return UNKNOWN
            region, at = found.region, found.start
        return UNKNOWN

    def is_local(self, name: str, region: int, at: int) -> bool:
        """Whether a name is bound around a place."""
        return self._find(name, region, at) is not None

    def _find(self, name: str, region: int, at: int) -> Local | None:
        first = True
        while region >= 0:
            here = self.all[region]
            if here.kind == "file" or (here.kind == "class" and not first):
                if here.kind == "file":
                    return None
            elif name in here.names:
                found = self._one(here.names[name], at)
                if found is not None:
                    return found
            first = False
            region = here.parent
        return None

    def _one(self, bindings: list[Local], at: int) -> Local | None:
        if self._ordered:
            before = [local for local in bindings if local.start <= at]
            return max(before, key=lambda local: local.start) if before else None
        known = [local for local in bindings if local.path]
        declared = [local for local in known if local.declared] or known
        if len({(local.path, local.region) for local in declared}) == 1:
            return declared[0]
        return Local(bindings[0].start, UNKNOWN, bindings[0].region)

    def _has_self(self, region: int) -> bool:
        """Whether `this` here is that of the enclosing named method."""
        while region >= 0:
            here = self.all[region]
            if here.kind == "function" and here.symbol >= 0:
                return True
            if here.rebinds:
                return False
            region = here.parent
        return True
