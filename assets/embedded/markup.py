"""Script and style blocks of a mark-up file, found in one linear pass.

Comments, quoted attributes, template marks and the text of ``<textarea>`` are stepped over,
as a browser or the component's compiler would; no grammar is asked, and nothing is read twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from codequarry.assets.embedded.dialects import Dialect
from codequarry.assets.embedded.names import language_named
from codequarry.assets.languages.registry import spec_for

_MAX_MARK = 300  # bytes of a template mark inside a tag
_MAX_ATTRIBUTES = 4000
_MAX_UNCLOSED = 16  # elements that never end, after which no more are looked for
_COMMENT = (b"<!--", b"-->")
_RAW = frozenset((b"script", b"style", b"textarea", b"title"))
_STYLES = {"": "css", "css": "css", "postcss": "css", "scss": "scss", "less": "scss"}
_FRONT = re.compile(rb"\s*---[ \t]*\r?\n")
_FRONT_END = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)
_ATTRIBUTE = re.compile(rb"""([^\s=>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?""")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of code: its bytes from ``start`` to ``end``, with its tags ``first`` to ``last``.

    ``language`` is empty where the block names one that has no syntax here.
    """

    language: str
    first: int
    start: int
    end: int
    last: int
    style: bool = False


def blocks_of(source: bytes, dialect: Dialect) -> list[Block]:
    """The script and style blocks of a file in their order."""
    return _Scanner(source, dialect).run()


class _Scanner:
    def __init__(self, source: bytes, dialect: Dialect) -> None:
        self._source = source
        self._dialect = dialect
        self._closing = dict((_COMMENT, *dialect.marks))
        self._tag = _tag_pattern(dialect.braces)
        self._found: list[Block] = []
        self._depth = 0  # of Vue's <template>
        self._unclosed = 0

    def run(self) -> list[Block]:
        opener = _opener(self._dialect)
        source, at = self._source, self._front()
        lost: set[bytes] = set()  # marks that nothing closes any more
        while True:
            found = opener.search(source, at)
            if found is None:
                return self._found
            word = found[0]
            if word not in self._closing:
                at = self._element(found.start(), found.end())
                continue
            at = found.end()
            if word in lost:
                continue
            closing = self._closing[word]
            # `<!-->` is a whole comment
            end = source.find(closing, found.start() + 2 if word == _COMMENT[0] else at)
            if end >= 0:
                at = end + len(closing)
            elif word == _COMMENT[0]:
                return self._found
            else:
                lost.add(word)

    def _front(self) -> int:
        """Take the code between two ``---`` at the head; where mark-up begins after it."""
        if not self._dialect.front:
            return 0
        opening = _FRONT.match(self._source)
        closing = _FRONT_END.search(self._source, opening.end()) if opening else None
        if opening is None or closing is None:
            return 0
        start, end = opening.end(), closing.start()
        self._found.append(Block(self._dialect.front, 0, start, end, closing.end()))
        return closing.end()

    def _element(self, first: int, after: int) -> int:
        """Step over a tag, and over the text of an element that holds no mark-up."""
        source = self._source
        name = source[first + 1 : after].lower()
        if name == b"/template":
            self._depth = max(0, self._depth - 1)
            return after
        tag = self._tag.match(source, after)
        if tag is None:  # cannot be: the pattern takes anything
            return after
        at = tag.end()
        closed = source[at - 2 : at] == b"/>" and self._dialect.components
        if closed:
            return at
        attributes = _attributes(source[after : min(at, after + _MAX_ATTRIBUTES)])
        if (
            name == b"template"
            and self._dialect.blocks
            and (self._depth or "lang" not in attributes)
        ):
            self._depth += 1
            return at
        if name not in _RAW and (not self._dialect.blocks or self._depth):
            return at
        return self._raw(name, attributes, first, at)

    def _raw(self, name: bytes, attributes: dict[str, str], first: int, start: int) -> int:
        if self._unclosed > _MAX_UNCLOSED:
            return start
        closing = _closing_tag(name).search(self._source, start)
        if closing is None:
            self._unclosed += 1
            if name not in _RAW:
                return start
        end, last = closing.span() if closing else (len(self._source), len(self._source))
        if name == b"script":
            language = _script_language(attributes, self._dialect.script)
            self._found.append(Block(language, first, start, end, last))
        elif name == b"style":
            language = _STYLES.get(attributes.get("lang", ""), "")
            self._found.append(Block(language, first, start, end, last, style=True))
        return last


def _attributes(tag: bytes) -> dict[str, str]:
    found = (
        (name.decode("latin-1").lower(), value.strip(b"\"'").decode("latin-1").strip().lower())
        for name, value in _ATTRIBUTE.findall(tag)
    )
    return dict(found)


def _script_language(attributes: dict[str, str], default: str) -> str:
    """What a script is written in; empty for data and templates."""
    word = attributes.get("lang") or attributes.get("type", "").partition(";")[0].strip()
    if not word:
        return default
    for start in ("text/", "application/", "x-"):
        word = word.removeprefix(start)
    if word == "module":
        return default
    language = language_named(word)
    spec = spec_for(language)
    return language if spec is not None and not spec.generic else ""


@cache
def _opener(dialect: Dialect) -> re.Pattern[bytes]:
    words = sorted((mark for mark, _ in (_COMMENT, *dialect.marks)), key=len, reverse=True)
    tags = [rb"<[A-Za-z][\w:.-]*+"]
    if dialect.blocks:
        tags.append(rb"</[Tt]emplate(?=[\s>])")
    return re.compile(b"|".join((*map(re.escape, words), *tags)))


@cache
def _closing_tag(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"</" + re.escape(name) + rb"(?=[\s/>])[^>]*+>?", re.IGNORECASE)


@cache
def _tag_pattern(braces: bool) -> re.Pattern[bytes]:
    """What follows a tag's name, to its end or the file's: takes anything, gives nothing back."""
    bound = rb"[^\n]{0,%d}?" % _MAX_MARK
    mark = rb"<%" + bound + rb"%>|<\?" + bound + rb"\?>|\{[{%#]" + bound + rb"[}%#]\}"
    double = rb'"(?:[^"<{]++|' + mark + rb'|[<{])*+"'
    single = rb"'(?:[^'<{]++|" + mark + rb"|[<{])*+'"
    value = double + b"|" + single
    if not braces:
        plain = rb"[^>=<{]++|" + mark + rb"|[<{]"
        return re.compile(rb"(?:" + plain + rb"|=\s*+(?:" + value + rb")?+)*+(?:>|\Z)")
    expression = _balanced(4)
    plain = rb"[^>={]++|" + expression + rb"|\{"
    value = value + rb"|`[^`]*+`|" + expression
    return re.compile(rb"(?:" + plain + rb"|=\s*+(?:" + value + rb")?+)*+(?:>|\Z)")


def _balanced(depth: int) -> bytes:
    """An expression in braces; strings in it are skipped, deeper braces make it no match."""
    string = rb""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`|["'`]"""
    pattern = rb"\{(?:[^{}\"'`]++|" + string + rb")*+\}"
    for _ in range(depth - 1):
        pattern = rb"\{(?:[^{}\"'`]++|" + string + b"|" + pattern + rb")*+\}"
    return pattern
