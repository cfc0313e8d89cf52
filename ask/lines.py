"""From a stream cut anywhere to whole, harmless lines: the first step of reading a narrator."""

from __future__ import annotations

import re

# Terminal control sequences as a whole: CSI, then OSC and its like up to their terminator
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"
    "|\x1b[ -/]*[0-~]?"
)
# What some readers take for the end of a line although CommonMark does not
_BREAKS = re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Other controls, marks that turn the direction of writing, byte-order marks, half surrogates
_CONTROLS = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


class LineReader:
    """Puts pieces of text together to lines; only whole lines come out.

    ``LF``, ``CR LF`` and a lone ``CR`` end a line, as in CommonMark.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> list[str]:
        """Take a piece; the lines it completes, clean and without their ends."""
        self._held += piece
        border = max(self._held.rfind("\n"), self._held[:-1].rfind("\r")) + 1
        if not border:
            return []
        whole, self._held = self._held[:border], self._held[border:]
        return [clean(line) for line in re.split("\r\n|\r|\n", whole)[:-1]]

    def finish(self) -> list[str]:
        """The stream is over: what is left, if anything."""
        rest, self._held = self._held, ""
        return [clean(line) for line in re.split("\r\n|\r|\n", rest)] if rest else []


def clean(line: str) -> str:
    """A line that can steer neither a terminal nor the direction of writing."""
    line = _BREAKS.sub(" ", _ESCAPES.sub("", line))
    return _CONTROLS.sub("", line)
