"""Find (doc comment, definition) in one file, by lines, without a parser.

A crude reader that is right most of the time is enough: the pairs are training data only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from codequarry.models.training.grammar import GRAMMARS, End, Grammar
from codequarry.models.training.prose import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINES = 60
MAX_CODE = 3000
MIN_CODE = 24
MAX_SIGNATURES = 80
MAX_LINE = 200
_ANNOTATION = re.compile(
    r"^\s*(?:@(?!doc|moduledoc)[\w.]+(?:\(.*\))?\s*$|#\[.*\]\s*$|\[[\w(]+.*\]\s*$|@(?:spec|impl|since|deprecated)\b.*|template\s*<.*>\s*$)"
)
_TRIPLE = re.compile(r"^\s*[rRuUbBfF]{0,2}(\"\"\"|''')")
_ELIXIR_DOC = re.compile(r"^\s*@(moduledoc|doc|typedoc)\s+(?:~[sS])?(\"\"\"|\")(.*)$")


@dataclass(frozen=True, slots=True)
class Found:
    """One pair of a file."""

    doc: str
    code: str
    module: bool  # the code is the file's skeleton


def find(text: str, language: str) -> Iterator[Found]:
    """Yield the pairs of one file of ``language``."""
    lines = text.split("\n")
    grammar = GRAMMARS[language]
    raw: Iterable[tuple[str, str]]
    if language == "python":
        raw = _python(lines, grammar)
    elif language == "elixir":
        raw = [*_elixir(lines, grammar), *_commented(lines, grammar)]
    else:
        raw = _commented(lines, grammar)
    for comment, code in raw:
        doc = sentence(comment)
        if doc and len(code) >= MIN_CODE:
            yield Found(doc, code[:MAX_CODE], module=False)
    module = _module_doc(lines, language)
    if not module:
        return
    signatures = [
        line.strip() for line in lines if len(line) < MAX_LINE and _signature(line, grammar)
    ]
    if len(signatures) > 2:
        yield Found(module, "\n".join(signatures[:MAX_SIGNATURES])[:MAX_CODE], module=True)


_STRONG = re.compile(
    r"\b(?:function|func|fn|fun|def\w*|class|interface|struct|enum|trait|impl|type|object|protocol|extension|module|namespace|record"
    r"|data|newtype|instance)\b|^[\w\s*&:<>,~]+\([^;]*\)\s*(?:const)?\s*\{?\s*$|::"
)


def _signature(line: str, grammar: Grammar) -> bool:
    return bool(grammar.definition.match(line) and _STRONG.search(line))


def _commented(lines: list[str], grammar: Grammar) -> Iterator[tuple[str, str]]:
    i, n = 0, len(lines)
    while i < n:
        line = lines[i]
        start = i
        if grammar.block and line.lstrip().startswith("/*"):
            while i < n and "*/" not in lines[i]:
                i += 1
            doc_style = line.lstrip().startswith(("/**", "/*!")) or i > start
        elif grammar.line is not None and grammar.line.match(line):
            while i < n and grammar.line.match(lines[i]):
                i += 1
            i -= 1
            doc_style = False
        else:
            i += 1
            continue
        i += 1
        first = i
        while first < n and first - i < 6 and _ANNOTATION.match(lines[first]):
            first += 1
        if first >= n or len(lines[first]) > MAX_LINE or not grammar.definition.match(lines[first]):
            continue
        if (
            not doc_style
            and not _STRONG.search(lines[first])
            and not lines[start].lstrip().startswith(("///", "//!", "---"))
        ):
            continue
        yield "\n".join(lines[start:i]), "\n".join(lines[i : _end(lines, first, grammar.end)])


def _end(lines: list[str], first: int, end: End) -> int:
    """The line after the definition that begins at ``first``."""
    last = min(len(lines), first + MAX_LINES)
    indent = len(lines[first]) - len(lines[first].lstrip())
    if end is End.BRACE:
        return _brace_end(lines, first, last)
    for i in range(first + 1, last):
        line = lines[i]
        stripped = line.lstrip()
        here = len(line) - len(stripped)
        if end is End.WORD:
            if not stripped and i == first + 1:
                return i
            if here <= indent and stripped.startswith(("end", "}", ")")):
                return i + 1
            if here <= indent and stripped.startswith(
                ("def", "#", "--", "@doc", "class ", "local function", "function")
            ):
                return i
        elif end is End.BLANK:
            if not stripped and (i + 1 >= last or not lines[i + 1].startswith(" ")):
                return i
        elif stripped and here <= indent and not stripped.startswith(")"):
            return i
    return last


def _brace_end(lines: list[str], first: int, last: int) -> int:
    depth, opened = 0, False
    for i in range(first, last):
        line = lines[i]
        opens, closes = line.count("{") + line.count("("), line.count("}") + line.count(")")
        depth += opens - closes
        opened = opened or "{" in line
        if depth <= 0 and (opened or line.rstrip().endswith((";", ",", "\\"))):
            return i + 1
        if depth <= 0 and not opened and i > first and not line.strip():
            return i
        if depth < 0:
            return i
    return last


def _python(lines: list[str], grammar: Grammar) -> Iterator[tuple[str, str]]:
    for i, line in enumerate(lines):
        if not grammar.definition.match(line):
            continue
        head = i
        while head < min(i + 12, len(lines)) and not re.search(r":\s*(#.*)?$", lines[head]):
            head += 1
        found = _docstring(lines, head + 1)
        if found is None:
            continue
        doc, after = found
        code = lines[i : head + 1] + lines[after : max(after, _end(lines, i, grammar.end))]
        yield doc, "\n".join(code)


def _docstring(lines: list[str], at: int) -> tuple[str, int] | None:
    if at >= len(lines):
        return None
    opening = _TRIPLE.match(lines[at])
    if not opening:
        return None
    quote = opening[1]
    rest = lines[at][opening.end() :]
    if quote in rest:
        return rest.split(quote)[0], at + 1
    body = [rest]
    for i in range(at + 1, min(at + 200, len(lines))):
        if quote in lines[i]:
            return "\n".join([*body, lines[i].split(quote)[0]]), i + 1
        body.append(lines[i])
    return None


def _elixir(lines: list[str], grammar: Grammar) -> Iterator[tuple[str, str]]:
    for i, line in enumerate(lines):
        opening = _ELIXIR_DOC.match(line)
        if not opening or opening[1] == "moduledoc":
            continue
        after, body = i + 1, [opening[3]]
        if opening[2] == '"""':
            while after < len(lines) and '"""' not in lines[after]:
                body.append(lines[after])
                after += 1
            after += 1
        first = after
        while (
            first < len(lines)
            and first - after < 8
            and not re.match(r"^\s*def|^\s*@type", lines[first])
        ):
            first += 1
        if first < len(lines) and grammar.definition.match(lines[first]):
            yield (
                "\n".join(body).rstrip('"'),
                "\n".join(lines[after : _end(lines, first, grammar.end)]),
            )


def _module_doc(lines: list[str], language: str) -> str:
    if language == "python":
        docs = (_docstring(lines, at) for at in range(min(5, len(lines))))
        return next((sentence(found[0]) for found in docs if found), "")
    if language == "elixir":
        for i, line in enumerate(lines[:30]):
            opening = _ELIXIR_DOC.match(line)
            if opening and opening[1] == "moduledoc":
                return sentence("\n".join([opening[3], *lines[i + 1 : i + 20]]))
        return ""
    docs_above = (sentence(comment) for comment in _head_comments(lines, GRAMMARS[language]))
    return next(filter(None, docs_above), "")


def _head_comments(lines: list[str], grammar: Grammar) -> Iterator[str]:
    """The comments that begin in a file's first lines."""
    i = 0
    while i < min(60, len(lines)):
        start = i
        if grammar.block and lines[i].lstrip().startswith("/*"):
            while i < len(lines) and "*/" not in lines[i]:
                i += 1
            yield "\n".join(lines[start : i + 1])
        elif grammar.line is not None and grammar.line.match(lines[i]):
            while i + 1 < len(lines) and grammar.line.match(lines[i + 1]):
                i += 1
            yield "\n".join(lines[start : i + 1])
        i += 1
