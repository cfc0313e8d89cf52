"""Key-shaped literals, masked in what leaves the machine; local code is never changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from codequarry.text import split_lines

MASK = "[masked secret]"

_SHAPES = re.compile(
    r"""(?x)
      -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----[\s\S]*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
    | \b(?:sk|pk|rk)-(?:[A-Za-z0-9]+-)*[A-Za-z0-9_]{20,}          # OpenAI, Stripe and their like
    | \b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b                                # AWS
    | \bgh[pousr]_[A-Za-z0-9]{30,} | \bgithub_pat_\w{40,}          # GitHub
    | \bglpat-[\w-]{20,} | \bxox[abprs]-[\w-]{10,} | \bnpm_[A-Za-z0-9]{30,}
    | \bAIza[\w-]{35} | \bya29\.[\w-]{20,}                         # Google
    | \beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}                   # JSON Web Token
    """
)
_ASSIGNED = re.compile(
    r"""(?ix)
    ((?:api[_-]?key|secret|token|passw(?:or)?d|private[_-]?key|access[_-]?key)\w*
     ["']?\s*(?::=|=>|[:=])\s*\(?\s*["'])
    ([^"'\s]{12,})(["'])
    """
)


def mask_secrets(text: str) -> str:
    """``text`` with every key-shaped literal replaced by `MASK`; it keeps its lines."""
    masked = _SHAPES.sub(lambda found: MASK + "\n" * found[0].count("\n"), text)
    return _ASSIGNED.sub(rf"\1{MASK}\3", masked)


def masked_lines(lines: Sequence[str]) -> list[str]:
    """Lines of a file with its key-shaped literals masked, as many as there were.

    Some of them may be sent then: masked by itself, a slice from the middle of a key would show
    the rest of it.
    """
    masked = split_lines(mask_secrets("".join(lines)))
    return masked if len(masked) == len(lines) else [f"{MASK}\n"] * len(lines)
