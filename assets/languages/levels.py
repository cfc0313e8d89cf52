"""How deeply each language is understood: what `quarry doctor --languages` lists."""

from __future__ import annotations

from codequarry.assets.chunks.prose import PROSE
from codequarry.assets.embedded.dialects import DIALECTS
from codequarry.assets.embedded.searchable import NOTEBOOK
from codequarry.assets.languages.extensions import BY_EXTENSION, BY_NAME
from codequarry.assets.languages.registry import SPECS

FULL = "syntax, own rules"
GENERIC = "syntax, rules read off the grammar"
EMBEDDED = "scripts and cells, each in its language"
HEADINGS = "headings and paragraphs"
WINDOWS = "line windows"


def levels() -> dict[str, str]:
    """The level of every language that detection can give, deepest first, then by name."""
    names = {*BY_EXTENSION.values(), *BY_NAME.values(), *SPECS, *PROSE, *DIALECTS}
    order = (FULL, EMBEDDED, GENERIC, HEADINGS, WINDOWS)
    found = {name: _level(name) for name in names}
    return dict(sorted(found.items(), key=lambda item: (order.index(item[1]), item[0])))


def _level(name: str) -> str:
    if name in PROSE:
        return HEADINGS
    if name in DIALECTS or name == NOTEBOOK:
        return EMBEDDED
    spec = SPECS.get(name)
    if spec is None:
        return WINDOWS
    return GENERIC if spec.generic else FULL
