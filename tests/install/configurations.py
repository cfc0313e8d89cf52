"""Configurations as people and programs write them, for hypothesis."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

ENTRY = {"type": "stdio", "command": "/usr/some bin/quarry", "args": ["-C", 'C:\\a "b"', "mcp"]}
OTHER = {"type": "stdio", "command": "old", "args": []}

_NAMES = st.sampled_from(["a", "mcpServers", "codequarry", "x y", "ключ", '"', "//", "/*", "b,}"])
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
    st.sampled_from(["// no comment", "/* nor this */", ",}", '\\"', "{", "]"]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)
    ),
    max_leaves=6,
)
_SERVERS = st.dictionaries(
    st.sampled_from(["github", "files", "x y"]), st.dictionaries(_NAMES, _VALUES, max_size=2)
)


@st.composite
def documents(draw: st.DrawFn, *, has_entry: bool | None = None) -> dict[str, Any]:
    """A configuration; with ``has_entry`` an older entry of ours or surely none."""
    found = draw(st.dictionaries(_NAMES, _VALUES, max_size=3))
    found.pop("mcpServers", None)
    servers = draw(st.none() | _SERVERS)
    if has_entry:
        servers = {**(servers or {}), "codequarry": draw(st.sampled_from([OTHER, {}, {"env": {}}]))}
    if servers is not None:
        found["mcpServers"] = dict(draw(st.permutations(list(servers.items()))))
    return dict(draw(st.permutations(list(found.items()))))


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as JSON with blanks, line ends, comments and last commas anywhere they may be."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    gaps = st.sampled_from(
        ["", "", " ", "\t", newline, newline + "  ", "/* c, } */", f' // c {{ "{newline}', "/**/"]
    )
    commas = draw(st.booleans())

    def gap() -> str:
        return draw(gaps)

    def text(value: Any) -> str:
        if isinstance(value, dict):
            parts = [
                f"{gap()}{json.dumps(name, ensure_ascii=draw(st.booleans()))}{gap()}:{gap()}"
                f"{text(inner)}{gap()}"
                for name, inner in value.items()
            ]
            return _joined("{", parts, "}")
        if isinstance(value, list):
            return _joined("[", [f"{gap()}{text(one)}{gap()}" for one in value], "]")
        return json.dumps(value)

    def _joined(opening: str, parts: list[str], closing: str) -> str:
        last = "," if parts and commas and draw(st.booleans()) else ""
        return f"{opening}{','.join(parts)}{last}{gap()}{closing}"

    return f"{gap()}{text(value)}{gap()}"


def any_written(*, has_entry: bool | None = None) -> st.SearchStrategy[str]:
    """The text of any configuration."""
    return documents(has_entry=has_entry).flatmap(written)
