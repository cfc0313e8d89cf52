"""What of a chunk's text is there to be searched: not pictures, nor the escapes of a notebook."""

from __future__ import annotations

import re
from collections.abc import Sequence

NOTEBOOK = "jupyter"  # the language of notebook files
LONG_LINE = 2000  # characters; data stands on longer lines only
_BLOB = re.compile(r"[A-Za-z0-9+/=]{200,}+")  # base64
_LINE_END = re.compile(r'\\[nrt]|\\(?=")')


def searchable(lines: Sequence[str], language: str) -> str:
    """The lines of a chunk as one text without what only looks like words."""
    text = "".join(lines)
    if len(text) > LONG_LINE and any(len(line) > LONG_LINE for line in lines):
        text = _BLOB.sub(" ", text)
    return _LINE_END.sub(" ", text) if language == NOTEBOOK else text
