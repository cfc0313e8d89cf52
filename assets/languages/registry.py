"""Every language the engine knows by name, and how deeply."""

from __future__ import annotations

from codequarry.assets.languages import (
    cfamily,
    csharp,
    generic,
    golang,
    java,
    javascript,
    jvm,
    light,
    php,
    python,
    ruby,
    rust,
    schemas,
    swift,
)
from codequarry.assets.languages.spec import LangSpec

_FAMILIES = (
    python,
    javascript,
    golang,
    rust,
    ruby,
    php,
    java,
    cfamily,
    csharp,
    jvm,
    swift,
    light,
    schemas,
)

# What is written by hand goes before what is read off a grammar's node names.
SPECS: dict[str, LangSpec] = {spec.name: spec for spec in generic.SPECS} | {
    spec.name: spec for family in _FAMILIES for spec in family.SPECS
}


def spec_for(language: str) -> LangSpec | None:
    """The spec of ``language``, or none when it is cut without a grammar."""
    return SPECS.get(language)
