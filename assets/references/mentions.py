"""What prose says about code: paths, qualified names, and names marked as code.

Text is read for what it may mean, not for what it does: a mention is a fact of the file, and
whether anything of that name exists is found out when files are linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from codequarry.vocabulary import EdgeType, Receiver, Reference, Symbol

MENTIONS_VERSION = "1"  # part of every extractor's version
MAX_MENTIONS = 2000  # of one file
MAX_LENGTH = 200

# What a mention claims to be; the `name` of its reference.
PATH = "path"
LINK = "link"  # a path that the page links to
NAME = "name"  # marked as code, perhaps a name
ROLE = "role"  # said to be a name of code (`:func:`, `{@link}`)

_URL = re.compile(r"[a-zA-Z][\w+.-]*://\S*|www\.\S*")
_PATH = r"(?:\.{1,2}/)*(?:[\w@+-][\w.@+-]*/)+[\w.@+-]*[\w+-]\.[A-Za-z]\w{0,7}"
_LINES = r"(?::\d+(?:[-:]\d+)?)?"
_PLAIN_PATH = re.compile(rf"(?<![\w/.:@~$}}>-]){_PATH}{_LINES}(?![\w/])")
_WHOLE_PATH = re.compile(rf"(?:{_PATH}|[\w+-][\w.+-]*\.[A-Za-z]\w{{0,7}}(?=:\d)){_LINES}")
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+[\"'][^)]*)?\)|^\s*\[[^\]]+\]:\s*(\S+)")
_LINKED_NAME = re.compile(r"(?:[a-z]+@)?([A-Za-z_][\w.]*(?:::[\w.]+)*)(?:\(\)|!)?")
_FRAGMENT_LINES = re.compile(r"#L(\d+)(?:-L?(\d+))?$")
_ROLE = re.compile(
    r":(?:[a-z]+:)?(?:func|function|meth|method|class|mod|module|attr|data|exc|obj|const|macro"
    r"|type|struct|enum|member):`([^`\n]+)`"
)
_DIRECTIVE = re.compile(
    r"^\s*\.\. (?:[a-z]+:)?(?:auto)?(?:class|function|method|attribute|data|exception|module"
    r"|decorator|classmethod|staticmethod):: +([^\s(]+)"
)
_CURRENT = re.compile(r"^\s*\.\. (?:py:)?(?:currentmodule|module):: +([\w.]+)")
_JAVADOC = re.compile(r"\{@(?:link|linkplain|code|see)\s+([^\s}]+)[^}]*\}")
_CODE = re.compile(r"(?<![`\\:])(`{1,2})(?![`\s])([^`\n]+?)(?<!\s)\1(?!`)")
_QUALIFIED = re.compile(
    r"[~!@#.\\]*([A-Za-z_$][\w$]*(?:(?:\.|::|#|->|\\)[A-Za-z_$][\w$]*)*[?!]?)(\([^()]*\))?"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """One mention within a text."""

    form: str
    path: str  # what is meant; where a module was set before, that, a space, and the name
    written: str
    line: int  # of the text, from 0
    start: int  # in the line, in characters


def mentions(lines: Iterable[str], *, rst: bool = False, page: bool = True) -> Iterator[Mention]:
    """The mentions of a text, in reading order of its lines.

    Args:
        lines: without code blocks; blank ones may stand for them.
        rst: the text is reStructuredText, where one backtick marks a role or a link.
        page: the text is a page, not a doc comment, whose links may name code (rustdoc).
    """
    module = ""
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        current = _CURRENT.match(line) if rst else None
        if current is not None:
            module = current[1]
        found = sorted(_of_line(line, module, rst=rst, page=page), key=lambda item: item[0])
        for start, form, path, written in found:
            if len(path) <= MAX_LENGTH:
                yield Mention(form, path, written[:MAX_LENGTH], number, start)


def _of_line(
    line: str, module: str, *, rst: bool, page: bool
) -> Iterator[tuple[int, str, str, str]]:
    rest = line
    for pattern, form in ((_ROLE, ROLE), (_JAVADOC, ROLE), (_DIRECTIVE, ROLE)):
        if pattern is _DIRECTIVE and not rst:
            continue
        for match in pattern.finditer(rest):
            name = _target(match[1])
            if name:
                path = f"{module} {name}" if module and rst else name
                yield match.start(1), form, path, name
        rest = pattern.sub(_blank, rest)
    for match in _LINK.finditer(rest) if not rst else ():
        target = match[1] or match[2]
        named = None if page else _LINKED_NAME.fullmatch(target)
        if named is not None:
            yield match.start(), ROLE, named[1], target
            continue
        path = _FRAGMENT_LINES.sub(r":\1", target).partition("#")[0].partition("?")[0]
        if path and not _URL.match(path) and not path.startswith(("mailto:", "<")):
            yield match.start(), LINK if page else PATH, path, target
    rest = _LINK.sub(_blank, rest) if not rst else rest
    for match in _CODE.finditer(rest):
        if rst and len(match[1]) == 1:
            continue
        yield from _of_code(match[2], match.start(2), module if rst else "")
    rest = _URL.sub(_blank, _CODE.sub(_blank, rest))
    for match in _PLAIN_PATH.finditer(rest):
        yield match.start(), PATH, match[0], match[0]


def _of_code(text: str, start: int, module: str) -> Iterator[tuple[int, str, str, str]]:
    text = text.strip()
    if _URL.match(text):
        return
    if _WHOLE_PATH.fullmatch(text):
        yield start, PATH, text, text
        return
    match = _QUALIFIED.fullmatch(text)
    if match is not None:
        name = match[1] + ("()" if match[2] is not None else "")
        yield start, NAME, f"{module} {name}" if module else name, text


def _target(text: str) -> str:
    """The name of a role: ``title <name>``, ``~a.b.name``, ``!name``, ``name()``."""
    inner = re.search(r"<([^<>]+)>\s*$", text)
    match = _QUALIFIED.fullmatch((inner[1] if inner else text).strip())
    return match[1] if match is not None else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def mention_reference(mention: Mention, line: int, byte: int, scope: int) -> Reference:
    """A mention as a fact of its file."""
    return Reference(
        EdgeType.DOCUMENTS,
        mention.path,
        mention.written,
        mention.form,
        Receiver.NONE,
        scope,
        -1,
        line,
        byte,
    )


def doc_mentions(symbols: Sequence[Symbol], source: bytes) -> list[Reference]:
    """What the doc comments of a file mention, each at the line it is written on."""
    found: list[Reference] = []
    before = 0
    for number, symbol in enumerate(symbols):
        if "`" in symbol.doc or "/" in symbol.doc or "{@" in symbol.doc:
            seen: set[str] = set()
            for mention in mentions(symbol.doc.split("\n"), rst=":`" in symbol.doc, page=False):
                if mention.path in seen or len(found) >= MAX_MENTIONS:
                    continue
                seen.add(mention.path)
                byte = _place(source, mention.written, before, symbol)
                line = source.count(b"\n", 0, byte) + 1 if byte >= 0 else symbol.name_line
                at = byte if byte >= 0 else symbol.start_byte
                found.append(mention_reference(mention, line, at, number))
        before = symbol.start_byte
    return found


def _place(source: bytes, written: str, before: int, symbol: Symbol) -> int:
    """Where a doc's words stand: above the definition, else inside it; -1 for nowhere."""
    words = written.encode("utf-8", "replace")
    above = source.rfind(words, before, symbol.start_byte)
    return above if above >= 0 else source.find(words, symbol.start_byte, symbol.end_byte)
