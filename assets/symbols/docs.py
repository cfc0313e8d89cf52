"""Doc comments: which text belongs to a definition, and that text without its markers.

A comment counts when it stands right above the definition (attributes may stand between);
one blank line and it does not.
"""

from __future__ import annotations

import re

from codequarry.assets.symbols.definitions import Comment, Definition, Found

MAX_DOC = 2000  # characters kept of one doc comment

_DIRECTIVES = (
    r"go:\w|nolint|eslint|tslint|jshint|jslint|istanbul|prettier-ignore|@ts-|@flow|"
    r"rubocop:|frozen_string_literal|encoding:|-\*-|vim:|noinspection|NOLINT|clang-format|"
    r"type:\s*ignore|noqa|pylint:|region\b|endregion\b|#(?:region|endregion)|biome-ignore|"
    r"webpack|sourceMappingURL|<reference|<amd-|shellcheck|MARK:"
)
# What a licence header says at the start of a line; it is no word about the first definition.
_LEGAL = re.compile(
    r"^\W*(?:copyright\b|copyleft\b|\(c\) |©|spdx-|licen[sc]ed? (?:under|to|:)|licen[sc]e\b|"
    r"all rights reserved|permission is hereby|"
    r"this (?:file|program|source) is (?:part|free|subject))",
    re.IGNORECASE | re.MULTILINE,
)
_BEFORE_ANY_CODE = re.compile(rb"(?:\s|<\?(?:php)?|#![^\n]*|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_INNER = (b"//!", b"/*!")
_INNER_DOC = re.compile(rb"\{\s*((?://![^\n]*\n\s*)+|/\*!.*?\*/)", re.DOTALL)
_TRAILING = re.compile(rb"//[/!]<|/\*[*!]<")
_LINE_MARK = re.compile(r"^[ \t]*(?:///?!?<?|//!<?|#!?|--+|;+|%+|\"|!)[ \t]?", re.MULTILINE)
_BLOCK_OPEN = re.compile(r"\s*(?:/\*+!?<?|\(\*+|\{-\s*\||--\[\[|=begin|<!--)")
_BLOCK_CLOSE = re.compile(r"(?:\*+/|\*\)|-\}|\]\]|=end|-->)\s*$")
_BLOCK_LEAD = re.compile(r"(?<=\n)[ \t]*\*(?!\*)[ \t]?")
# Lines that say nothing about the code: rules, and orders to tools.
_EMPTY_LINE = re.compile(
    r"^(?:[ \t\-=*#/~_+.<>]{4,}\r?$|[ \t]*(?:" + _DIRECTIVES + r")[^\n]*)", re.MULTILINE
)
_OTHER_CODE = re.compile(rb"[{};(]")
_XML_TAG = re.compile(
    r"</?(?:summary|remarks|para|c|code|returns|value|example|param|typeparam|see|seealso"
    r"|paramref|exception|inheritdoc|list|item|description)\b[^>]*>"
)
_STRING = re.compile(
    # a comment ends where its line ends: nothing else, or there is no end of ways to match one
    rb"(?:#[^\n]*\n\s*)*[rRuU]?(\"\"\"|'''|\"|')",
)


def doc_above(definition: Definition, found: Found, source: bytes, *, inner: bool = False) -> str:
    """The comment right above ``definition``, cleaned; also moves its start over attributes.

    Args:
        definition: What is documented.
        found: The comments and attributes of the file.
        source: The file's bytes.
        inner: Whether ``//!`` speaks of what it stands in (Rust), not of what follows.
    """
    row, start = definition.start_row, definition.start
    before = source[source.rfind(b"\n", 0, start) + 1 : start]
    if before and _OTHER_CODE.search(before):
        return ""  # what stands above belongs to what opens the line
    attributes, comments = found.attributes, found.comments
    above: list[Comment] = []
    while True:
        mark = attributes.get(row - 1) or _before(attributes.get(row), start)
        if mark is not None:
            definition.start, definition.start_row = mark.start, mark.start_row
            row, start = mark.start_row, mark.start
            continue
        comment = _before(comments.get(row), start) or comments.get(row - 1)
        if comment is None or not _own_line(comment, source):
            break
        if inner and source.startswith(_INNER, comment.start):
            break
        above.append(comment)
        row, start = comment.start_row, comment.start
    if not above:
        return ""
    text = _nearest(above, source)
    if text and _LEGAL.search(text) and _BEFORE_ANY_CODE.fullmatch(source, 0, above[-1].start):
        return ""
    return text


def inner_doc(definition: Definition, source: bytes) -> str:
    """The ``//!`` lines that open a body (Rust modules)."""
    opening = _INNER_DOC.match(source, definition.body, definition.end)
    return clean_comment(opening[1].decode("utf-8", "replace")) if opening else ""


def trailing_doc(definition: Definition, found: Found, source: bytes) -> str:
    """The ``///<`` behind a definition (Doxygen)."""
    comment = found.comments.get(definition.end_row)
    if comment is None or comment.start < definition.name_start:
        return ""
    if not _TRAILING.match(source, comment.start):
        return ""
    return clean_comment(source[comment.start : comment.end].decode("utf-8", "replace"))


def _nearest(above: list[Comment], source: bytes) -> str:
    """The text of the nearest run of comments of one kind that says something."""
    at = 0
    while at < len(above):
        kind = _mark(source, above[at])
        texts = []
        while at < len(above) and _mark(source, above[at]) == kind:
            texts.append(source[above[at].start : above[at].end].decode("utf-8", "replace"))
            at += 1
            if kind == "block":
                break
        text = clean_comment("\n".join(text.rstrip("\n") for text in reversed(texts)))
        if text:
            return text
    return ""


def _before(comment: Comment | None, start: int) -> Comment | None:
    return comment if comment is not None and comment.end <= start else None


def _own_line(comment: Comment, source: bytes) -> bool:
    return not comment.column or source[comment.start - comment.column : comment.start].isspace()


def _mark(source: bytes, comment: Comment) -> str:
    first = source[comment.start : min(comment.start + 3, comment.end)]
    if first.startswith((b"/*", b"(*", b"{-", b"<!-")):
        return "block"
    return first.rstrip(b" \t\r\n" + bytes(range(0x30, 0x7B))).decode("latin-1")[:3]


def clean_comment(text: str) -> str:
    """Comment text without markers, rules and directives; bounded."""
    text = text[: MAX_DOC * 2]
    block = _BLOCK_OPEN.match(text)
    if block:
        text = _BLOCK_CLOSE.sub("", text[block.end() :])
        text = _BLOCK_LEAD.sub("", text)
    else:
        text = _LINE_MARK.sub("", text)
    text = _EMPTY_LINE.sub("", text)
    if "<" in text:
        text = _XML_TAG.sub("", text)
    if "\n" not in text:
        return text.strip()[:MAX_DOC]
    return dedent([line.rstrip() for line in text.split("\n")])


def dedent(lines: list[str]) -> str:
    """Join lines without their common indentation and the blank ones around them."""
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return ""
    rest = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(rest, default=0)
    text = "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])])
    return text[:MAX_DOC].rstrip()


def docstring_at(source: bytes, start: int, end: int) -> str:
    """The string literal that opens the body at ``start``, if there is one (Python)."""
    opening = _STRING.match(source, start, end)
    if opening is None:
        return ""
    quote = opening[1]
    first = opening.end()
    if len(quote) == 3:
        last = source.find(quote, first, end)
    else:
        last = _closing(source, quote, first, end)
    if last < 0:
        return ""
    after = source[last + len(quote) : last + len(quote) + 40].lstrip(b" \t\r")
    if after and after[:1] not in b"\n;#":
        return ""  # the string is only the start of an expression
    text = source[first : min(last, first + 3 * MAX_DOC)].decode("utf-8", "replace")
    return dedent([line.rstrip() for line in text.split("\n")])


def _closing(source: bytes, quote: bytes, first: int, end: int) -> int:
    line_end = source.find(b"\n", first, end)
    stop = end if line_end < 0 else line_end
    at = source.find(quote, first, stop)
    while at > 0 and source[at - 1 : at] == b"\\":
        at = source.find(quote, at + 1, stop)
    return at
