"""Rules of linking, one module a family of languages."""

from __future__ import annotations

from functools import cache

from codequarry.assets.edges.families.family import Family


def family_of(language: str) -> type[Family] | None:
    """The family a language belongs to; none for one without edges."""
    return _families().get(language)


@cache
def _families() -> dict[str, type[Family]]:
    from codequarry.assets.edges.families.cfamily import C
    from codequarry.assets.edges.families.ecmascript import EcmaScript
    from codequarry.assets.edges.families.golang import Go
    from codequarry.assets.edges.families.jvm import Jvm
    from codequarry.assets.edges.families.php import Php
    from codequarry.assets.edges.families.python import Python
    from codequarry.assets.edges.families.ruby import Ruby
    from codequarry.assets.edges.families.rust import Rust

    families: tuple[type[Family], ...] = (Python, EcmaScript, Go, Jvm, Rust, C, Php, Ruby)
    return {language: family for family in families for language in family.languages}
