"""One-line signatures: the head of a definition without its body."""

from __future__ import annotations

from codequarry.assets.languages.spec import CALLABLE_KINDS, LangSpec
from codequarry.assets.symbols.definitions import Definition
from codequarry.vocabulary import Kind

MAX_SIGNATURE = 300

_VALUES = frozenset({Kind.CONST, Kind.VAR, Kind.TYPE})


def signature(definition: Definition, source: bytes, spec: LangSpec) -> str:
    """The definition's head as written, white space folded, at most 300 characters."""
    start = definition.head
    stop = definition.body if definition.body > start else definition.end
    raw = source[start : min(stop, start + 4 * MAX_SIGNATURE)]
    if definition.body < 0 and definition.kind not in _VALUES:
        raw = _until_brace(raw)
    text = " ".join(raw.decode("utf-8", "ignore").split())
    if spec.strip is not None:
        text = spec.strip.sub("", text, count=1)
    text = text[:MAX_SIGNATURE]
    if definition.kind in CALLABLE_KINDS or definition.body >= 0:
        text = text.removesuffix("=>")
    return text.rstrip(" {:=")


def _until_brace(raw: bytes) -> bytes:
    brace = raw.find(b"{")
    return raw[:brace] if brace > 0 else raw
