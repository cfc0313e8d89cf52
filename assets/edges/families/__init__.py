"""Rules of linking, one module a family of languages."""

from __future__ import annotations

from functools import cache

from codequarry.assets.edges.families.cfamily import C
from codequarry.assets.edges.families.csharp import CSharp
from codequarry.assets.edges.families.ecmascript import EcmaScript
from codequarry.assets.edges.families.family import Family
from codequarry.assets.edges.families.golang import Go
from codequarry.assets.edges.families.jvm import Jvm
from codequarry.assets.edges.families.php import Php
from codequarry.assets.edges.families.python import Python
from codequarry.assets.edges.families.ruby import Ruby
from codequarry.assets.edges.families.rust import Rust
from codequarry.assets.edges.families.swift import Swift

_FAMILIES: tuple[type[Family], ...] = (
    C,
    CSharp,
    EcmaScript,
    Go,
    Jvm,
    Php,
    Python,
    Ruby,
    Rust,
    Swift,
)


@cache
def family_of(language: str) -> type[Family] | None:
    """The family a language belongs to; none for one without edges."""
    return next((family for family in _FAMILIES if language in family.languages), None)
