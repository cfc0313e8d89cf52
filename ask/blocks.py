"""Lines from disk as a Markdown block: header, and a fence that nothing in them can close."""

from __future__ import annotations

import re

from codequarry.ask.disk import Shown, State
from codequarry.ask.inline import code_span

_RUNS = re.compile("`+")
_NOT_IN_TAG = re.compile(r"[^A-Za-z0-9+#._-]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\u200e\u200f\ud800-\udfff]")
_NOTES = {
    State.INDEXED: "",
    State.MOVED: " (moved since indexed)",
    State.CHANGED: " (changed since indexed)",
}


def place(path: str, start: int, end: int) -> str:
    """``path:a-b`` as a span of code, whatever characters the path has."""
    return name(f"{path}:{start}-{end}")


def name(text: str) -> str:
    """What the repository calls something, as a span of code of one line."""
    return code_span(_CONTROL.sub(lambda found: repr(found[0])[1:-1], text))


def label(shown: Shown) -> str:
    """How prose names lines that are shown."""
    return place(*shown.key) + _NOTES[shown.state]


def block(shown: Shown) -> str:
    """Header and fenced lines; the text stands between the fences byte for byte.

    Where the last line has no end, one is added before the closing fence.
    """
    longest = max((len(run) for run in _RUNS.findall(shown.text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if shown.text.endswith("\n") else "\n"
    tag = _NOT_IN_TAG.sub("", shown.language)
    return f"{label(shown)}\n\n{fence}{tag}\n{shown.text}{end}{fence}\n"
