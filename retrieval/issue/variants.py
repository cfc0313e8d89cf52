"""A pasted issue taken apart: its title, its body without template, its traces and names.

What issue templates ask for on every issue of a project (checklists, headings, versions of the
environment) says nothing of this one and is left out of the body.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from codequarry.identifiers import split_word
from codequarry.retrieval.issue.traces import Trace, find_traces

MAX_TITLE = 200  # characters
MAX_CODE = 3_000  # characters of fenced code that names are taken from
MAX_NAMES = 50
TITLE_LINES = 20  # that are looked at for one that says something
_MAX_LINE = 500  # characters of a line that may be template
_LONG_LINE = 30  # characters; a longer line that comes again says nothing more

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^ {0,3}\1|\Z)", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`([^`\n]{1,200})`")
_URL = re.compile(r"\b(?:https?|ftp)://\S+")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^)\s]{0,500}\)")
_TAG = re.compile(
    r"</?(?:details|summary|br|p|b|i|strong|em|h\d|ul|li|code|pre|img|a)\b[^<>\n]{0,300}>"
)
_CHECK = re.compile(r"^\s*(?:[-*+]|\d+\.)\s*\[[ xX]?\]")
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<hash>\S.*)|\*\*(?P<bold>[^*]{1,80})\*\*:?"
    r"|(?P<plain>[A-Z][\w '/]{2,50}):)\s*$"
)
_ENVIRONMENT = re.compile(
    r"(?i)\b(environment|versions?|system info(rmation)?|platform|installed packages|operating "
    r"system|debug info|configuration|tech|checklist|additional context|issue type|dependencies)\b"
)
_TITLE_MARK = re.compile(
    r"(?i)^\W*(?:(?:title|subject|issue|summary|bug report|feature request|bug|enhancement|feature)"
    r"\s*[:\]]+\W*)+"
)
_EMPTY_TITLES = frozenset(
    "title|summary|description|issue|bug|bug report|bug summary|feature request|subject"
    "|enhancement|issue title|overview|problem|problem description".split("|")
)
_HEADING_WITHIN = re.compile(r"\s#{2,6}\s|\s\*\*[A-Z][\w ]{2,40}:?\*\*")
_MIN_TITLE = 8  # characters before a heading in the same line
_VERSION_LINE = re.compile(
    r"^[\s>*+-]*+(?:[\w .()/-]{1,40}(?:[:=]++|\s{2,}+)\s*+)?"  # possessive: blanks are no maze
    r"v?\d+(?:\.\d+){1,4}[\w.+-]*\s*(?:\([^)]{0,80}\))?\s*$"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*")
_CALL = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{2,80})\(")
_IMPORT = re.compile(
    r"^[>. \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+([\w$*{}, ]{1,200})", re.MULTILINE
)
_CODE_WORDS = frozenset(
    "print str int len list dict set range import from def class return assert super self this "
    "function func var let const new isinstance type open repr float bool tuple require for while "
    "switch catch console log println printf fun val main".split()
)


@dataclass(frozen=True, slots=True)
class Issue:
    """The parts of an issue.

    Attributes:
        text: the whole, as pasted, with ``\\n`` between lines.
        title: its first line that says something.
        body: everything but template, repeated lines and addresses; title included.
        traces: stack traces, see `find_traces`.
        names: identifiers in backticks, compound, called or imported; most telling first.
    """

    text: str
    title: str
    body: str
    traces: tuple[Trace, ...]
    names: tuple[str, ...]


def take_apart(text: str) -> Issue:
    """Take an issue apart; any text is one."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = _COMMENT.sub(" ", text)
    title = title_of(shown)
    code = "\n".join(match[2] for match in _FENCE.finditer(shown))[:MAX_CODE]
    names = _names(title, _FENCE.sub("\n", shown), code)
    return Issue(text, title, _body(shown), tuple(find_traces(text)), names)


def title_of(text: str) -> str:
    """The first line that says something, without template marks; at most `MAX_TITLE` long."""
    for line in text.splitlines()[:TITLE_LINES]:
        line = _LINK.sub(r"\1", line[: 2 * MAX_TITLE]).strip()
        line = line.lstrip("#").strip().strip("*").strip()
        line = _TITLE_MARK.sub("", line).strip().strip("*").strip("\"'").strip()
        if line.rstrip(":").lower() in _EMPTY_TITLES or not any(map(str.isalpha, line)):
            continue
        within = _HEADING_WITHIN.search(line, _MIN_TITLE)
        return line[: within.start() if within else MAX_TITLE][:MAX_TITLE]
    return ""


def _body(text: str) -> str:
    kept: list[str] = []
    seen: set[str] = set()
    skipping = False
    for line in text.splitlines():
        head = line[:_MAX_LINE]
        heading = _HEADING.match(head)
        if heading:
            name = heading["hash"] or heading["bold"] or heading["plain"] or ""
            skipping = bool(kept) and len(name) < 60 and bool(_ENVIRONMENT.search(name))
            if len(kept) > 1 and len(name.split()) <= 5:
                continue  # a template's heading is the same on every issue
        if skipping or _CHECK.match(head) or _VERSION_LINE.match(head):
            continue
        line = _TAG.sub(" ", _URL.sub(" ", _LINK.sub(r"\1", line)))
        bare = line.strip()
        if len(bare) > _LONG_LINE:
            if bare in seen:
                continue
            seen.add(bare)
        kept.append(line)
    return "\n".join(kept)


def _names(title: str, prose: str, code: str) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    for weight, part in ((4, title), (2, prose), (1, code)):
        for name, n in Counter(_IDENTIFIER.findall(part)).items():
            if len(name) > 2 and split_word(name.rpartition(".")[2])[1]:
                counts[name] += weight * n
    for part in (prose, code):
        for name in (*_CALL.findall(part), *_identifiers(_IMPORT.findall(part))):
            if name not in _CODE_WORDS:
                counts[name] += 1
    for name in _identifiers(_INLINE.findall(prose)):
        counts[name] += 3
    return tuple(name for name, _ in counts.most_common(MAX_NAMES))


def _identifiers(snippets: Sequence[str]) -> dict[str, None]:
    found = (match[0] for snippet in snippets for match in _IDENTIFIER.finditer(snippet))
    return dict.fromkeys(name for name in found if len(name) > 2)
