"""Which languages give references."""

from __future__ import annotations

from functools import cache

from codequarry.assets.references.spec import RefSpec


@cache
def refs_for(language: str) -> RefSpec | None:
    """The references spec of a language; none for a language without edges."""
    return _specs().get(language)


@cache
def _specs() -> dict[str, RefSpec]:
    from codequarry.assets.references.rules import (
        cfamily,
        ecmascript,
        golang,
        java,
        php,
        python,
        ruby,
        rust,
    )

    modules = (python, ecmascript, golang, java, rust, cfamily, php, ruby)
    return {spec.language: spec for module in modules for spec in module.SPECS}
