"""Which files of a repository a patch changes, as unified diffs of git name them."""

from __future__ import annotations

import re

_SECTION = re.compile(r"^diff --git ", re.MULTILINE)
_OLD = re.compile(r'^(?:--- (?:a/(?P<plain>[^\t\n\r]+)|"a/(?P<quoted>(?:[^"\\]|\\.)+)")'
                  r"|rename from (?P<moved>[^\n\r]+))", re.MULTILINE)  # fmt: skip
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"v": b"\v"}


def changed_files(patch: str) -> tuple[str, ...]:
    """The files that exist before a patch and are changed, moved or removed by it, in its order.

    Files that it adds are no answer to a question about the state before.
    """
    starts = [match.start() for match in _SECTION.finditer(patch)] or [0]
    found = []
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=True):
        head, _, _ = patch[start:end].partition("\n@@")  # code below may look like a head
        match = _OLD.search(head)
        if match is not None:
            quoted = match["quoted"]
            found.append(_unquoted(quoted) if quoted else match["plain"] or match["moved"])
    return tuple(dict.fromkeys(found))


def _unquoted(name: str) -> str:
    """A name as git writes odd ones: in C's escapes, bytes in octal."""

    def plain(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        return bytes([int(escape, 8)]) if len(escape) == 3 else _LETTERS.get(escape, escape)

    return _ESCAPE.sub(plain, name.encode()).decode("utf-8", "surrogateescape")
