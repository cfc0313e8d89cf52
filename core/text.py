"""Lines and decoding: the one rule for what a line is and how bytes become text.

Only ``LF`` ends a line, so line N is what ``sed -n Np`` prints. A lone ``CR``, form feed,
U+0085, U+2028 and their like are ordinary characters: ``str.splitlines`` is never used.
"""

from __future__ import annotations

import codecs
import os
import re
from dataclasses import dataclass

_BOMS = (  # longest first: UTF-32-LE begins with the mark of UTF-16-LE
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (  # PEP 263 (first two lines), XML, HTML and CSS declarations (first KiB)
    re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE),
    re.compile(rb"<\?xml[^>]{0,200}?encoding=[\"']([-\w.]+)"),
    re.compile(rb"<meta[^>]{0,200}?charset=[\"']?([-\w.]+)", re.IGNORECASE),
    re.compile(rb"^@charset \"([-\w.]+)\";"),
)
_SNIFF_BYTES = 64 * 1024  # as git: a NUL in the head of a file means binary
_DETECT_BYTES = 256 * 1024
_ASCII = b"# coding: az AZ 09 +,-\n"
_MAX_NUL_SHARE = 0.001  # a stray NUL in text is not a binary


class UndecodableError(ValueError):
    """The bytes are not text in any encoding that can be told."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text without its byte-order mark, and the encoding it was read with."""

    text: str
    encoding: str


def split_lines(text: str) -> list[str]:
    """Cut ``text`` into lines that keep their ``LF``; joined they are ``text`` again."""
    lines = text.split("\n")
    last = lines.pop()
    kept = [line + "\n" for line in lines]
    if last:
        kept.append(last)
    return kept


def count_lines(text: str) -> int:
    """How many lines `split_lines` would give."""
    return text.count("\n") + (1 if text and not text.endswith("\n") else 0)


def decode(data: bytes) -> Decoded:
    """Decode a file's bytes: mark, declared coding, UTF-8, then a detector.

    Raises:
        UndecodableError: binary, or no encoding gives plausible text.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data[len(mark) :].decode(encoding, errors="replace"), encoding)
    if b"\0" in data[:_SNIFF_BYTES]:
        nuls = data.count(b"\0")
        if nuls > max(1, len(data) * _MAX_NUL_SHARE):
            raise UndecodableError("binary: holds NUL bytes")
    declared = _declared_encoding(data)
    if declared and declared != "utf-8":
        text = _read_as(data, declared)
        if text is not None:  # a wrong cookie is common: then go on as if there were none
            return Decoded(text, declared)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _detect(data)


def _declared_encoding(data: bytes) -> str:
    head = data[:1024]
    two_lines = b"\n".join(head.split(b"\n", 2)[:2])
    for pattern, where in zip(_DECLARED, (two_lines, head, head, head), strict=True):
        found = pattern.search(where)
        if found:
            try:
                return codecs.lookup(found[1].decode("ascii", "replace")).name
            except LookupError:
                return ""
    return ""


def _detect(data: bytes) -> Decoded:
    text = data.decode("utf-8", errors="replace")
    # One bad byte or a cut tail in a UTF-8 file: keep its other characters as they are.
    multibyte = sum(1 for char in text if char > "\x7f" and char != "\ufffd")
    broken = text.count("\ufffd")
    if _looks_binary(data):
        raise UndecodableError("binary: holds control characters")
    if broken <= 2 or broken * 10 < multibyte:
        return Decoded(text, "utf-8 (repaired)")
    from charset_normalizer import from_bytes

    for match in from_bytes(data[:_DETECT_BYTES]):  # the most plausible first
        guess = _read_as(data, match.encoding, "replace")
        if guess is not None:
            return Decoded(guess, match.encoding)
    raise UndecodableError("binary: no text encoding fits")


def _read_as(data: bytes, encoding: str, errors: str = "strict") -> str | None:
    """Read ``data`` in an encoding that extends ASCII and keeps its lines; None if it does not.

    A declaration is itself read as ASCII: one that names UTF-16, EBCDIC or an escape syntax
    cannot be true, and would move every line.
    """
    try:
        sample = (_ASCII + b"\\u0041").decode(encoding)
        if not (sample.startswith(_ASCII.decode()) and sample.endswith("u0041")):
            return None
        text = data.decode(encoding, errors)
    except (UnicodeError, LookupError):
        return None
    return text if text.count("\n") == data.count(b"\n") else None


def _looks_binary(data: bytes) -> bool:
    head = data[:_SNIFF_BYTES]
    control = sum(head.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13, 27))
    return control > max(2, len(head) // 100)


def display_path(path: str) -> str:
    """A path as shown, bytes that are not UTF-8 as ``\\xe9``: two names never look alike."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
