"""What a tool comes to: text for the model, the same as data, and links to the code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

SCHEME = "quarry"
TEMPLATE = "quarry:///{+path}"

Report = Callable[[float, float | None, str], None]  # done, of how many, what


@dataclass(frozen=True, slots=True)
class Link:
    """Lines of a file that the client can read as a resource."""

    path: str
    start: int
    end: int

    @property
    def uri(self) -> str:
        """Its address: the path, and the lines as a fragment."""
        return f"{SCHEME}:///{quote(self.path)}#L{self.start}-L{self.end}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a tool."""

    text: str
    document: dict[str, Any]
    links: tuple[Link, ...] = ()


def sendable(value: Any) -> Any:
    """A document with text that can be sent: bytes of an address need not be UTF-8, as ``%ff``."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {sendable(name): sendable(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [sendable(one) for one in value]
    return value


def place_of(uri: str) -> tuple[str, int | None, int | None] | None:
    """The path and lines that an address names; None where it is none of ours."""
    address, _, fragment = uri.partition("#")
    prefix = f"{SCHEME}:///"
    if not address.startswith(prefix):
        return None
    path = unquote(address.removeprefix(prefix), errors="surrogateescape")
    start, _, end = fragment.partition("-")
    first = _line(start)
    return path, first, _line(end) if end else first


def _line(text: str) -> int | None:
    number = text.removeprefix("L")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else None
