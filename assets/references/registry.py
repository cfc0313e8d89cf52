"""Which languages give references."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from codequarry.assets.references.spec import RefSpec

_MODULES = {  # where a language's rules are; loaded when a file of it comes
    "c": "cfamily",
    "cpp": "cfamily",
    "csharp": "csharp",
    "go": "golang",
    "java": "java",
    "javascript": "ecmascript",
    "kotlin": "kotlin",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
    "rust": "rust",
    "swift": "swift",
    "tsx": "ecmascript",
    "typescript": "ecmascript",
}


@cache
def refs_for(language: str) -> RefSpec | None:
    """The references spec of a language; none for a language without edges."""
    if language not in _MODULES:
        return None
    module = import_module(f"codequarry.assets.references.rules.{_MODULES[language]}")
    specs: tuple[RefSpec, ...] = module.SPECS
    return next(spec for spec in specs if spec.language == language)
