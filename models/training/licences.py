"""Which licences are permissive: of a package, of a file's stanza, and of a file's own header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate

_PERMISSIVE = re.compile(
    r"""^(mit|expat|bsd|isc|apache|zlib|libpng|libtiff|boost|bsl-?1|psf|python|unlicen[sc]e|cc0
    |0bsd|wtfpl|public[-\s]?domain|pd$|postgresql|x11|hpnd|ncsa|w3c|unicode|openldap|oldap|php-?3
    |ftl|sgi|curl|icu|ms-pl|blessing|tcl|upl|bouncy|dom4j|uoi-ncsa|mpich|blueoak|openssl|vim$|krb5
    |university\ of\ illinois)""",
    re.VERBOSE,
)
_COPYLEFT = re.compile(
    r"gpl|\bgnu|\bmpl|mozilla|\bepl|eclipse|cddl|cecill|eupl|\bosl|sspl|busl|cc-by-(nc|sa|nd)"
    r"|gfdl|artistic|proprietary|commercial|non-?free|see license|unlicensed|elastic"
    r"|commons clause",
)
_HEADER_COPYLEFT = re.compile(
    r"gnu\s+(lesser|library|affero)?\s*general\s+public|\bA?L?GPL(v?\d|\b)"
    r"|mozilla\s+public\s+licen|eclipse\s+public|common\s+development\s+and\s+distribution|\bcecill\b|\bMPL[-\s]?\d"
    r"|business\s+source\s+licen|server\s+side\s+public|european\s+union\s+public|artistic\s+licen"
    r"|creative\s+commons\s+attribution-(share|non)"
    r"|all\s+rights\s+reserved\W+(this|proprietary|confidential)",
    re.IGNORECASE,
)
_SPDX = re.compile(r"SPDX-License-Identifier:\s*([^\n*]+)")
_HEADER = 3000
_HINTS = re.compile(
    "gpl|gnu|mozilla|mpl|eclipse|common development|cecill|business source|server side"
    "|creative commons|european union|artistic|all rights reserved"
)


def permissive(expression: str) -> bool:
    """Judge an SPDX expression or the words of a licence field; what is unknown is refused."""
    text = expression.lower().replace("(", " ").replace(")", " ").strip().strip("\"'")
    if not text:
        return False
    text = re.sub(r"\bwith\s+[\w.-]*exception[\w.-]*|with classpath.*", "", text)
    return any(
        all(_one(part) for part in re.split(r"\s+and\s+|,|&|;", choice) if part.strip())
        for choice in re.split(r"\s+or\s+|\s*/\s*|\|+", text)
    )


def _one(name: str) -> bool:
    bare = re.sub(
        r"^(the|new|modified|simplified|revised|3-clause|2-clause|osi approved ::)\s+",
        "",
        name.strip(),
    )
    return bool(_PERMISSIVE.match(bare)) and not _COPYLEFT.search(bare)


def header_allows(text: str) -> bool:
    """Whether a file's own header names no licence, or a permissive one."""
    head = text[:_HEADER]
    spdx = _SPDX.search(head)
    if spdx:
        return permissive(spdx[1].strip().rstrip("->*/ "))
    return not (_HINTS.search(head.lower()) and _HEADER_COPYLEFT.search(head))


@dataclass(frozen=True, slots=True)
class Stanzas:
    """The per-file licences of a machine-readable ``debian/copyright``."""

    rules: tuple[tuple[re.Pattern[str], str], ...]

    def licence(self, path: str) -> str:
        """The licence of ``path``: of the last stanza that matches it, or empty."""
        for pattern, licence in reversed(self.rules):
            if pattern.match(path):
                return licence
        return ""


def parse_copyright(text: str) -> Stanzas | None:
    """Read ``debian/copyright``; None if it is not in the machine-readable format."""
    if "copyright-format" not in text[:500] and "dep5" not in text[:500].lower():
        return None
    rules = []
    for stanza in re.split(r"\n\s*\n", text):
        files = re.search(r"^Files:((?:.*)(?:\n[ \t]+.*)*)", stanza, re.MULTILINE)
        licence = re.search(r"^License:[ \t]*(.*)", stanza, re.MULTILINE)
        if files and licence:
            globs = files[1].replace(",", " ").split()
            pattern = "|".join(translate(glob.removeprefix("./")) for glob in globs)
            rules.append((re.compile(pattern), licence[1].strip()))
    return Stanzas(tuple(rules)) if rules else None
