"""The text of definitions, and the comment that speaks of each where it has no doc."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from codequarry.ask.disk import read_file
from codequarry.ask.sections import first_paragraph
from codequarry.ask.step import Step
from codequarry.ask.wording import NOTE
from codequarry.errors import QuarryError
from codequarry.retrieval.generation import Generation

MAX_BODY = 2_500  # characters of a definition that are weighed
_LINE_COMMENT = re.compile(
    r"\s*(?://+!?|#(?![!\[{]|include|if|el|end|def|pragma|undef)|--(?!-)|;;+)"
)
_HEAD_END = re.compile(r"(?:[{:(,>]|\bdo|\bthen|=>?)\s*$")  # of a line of a definition's head
_LOOK_INSIDE = 12  # lines of a body that are searched for its first comment
_LOOK_ABOVE = 40  # lines above a definition that its comment may have
_TELLING = 3  # words that a comment must have to say something


def with_text(generation: Generation, steps: Sequence[Step]) -> list[Step]:
    """Steps with their text, and a comment where they have no doc; not of files that changed."""
    files: dict[str, list[str]] = {}
    for path in dict.fromkeys(step.path for step in steps):
        try:
            file = read_file(generation, path)
        except QuarryError:  # gone since: it is named where its lines would be shown
            continue
        if not file.changed:
            files[path] = file.lines
    read = []
    for step in steps:
        lines = files.get(step.path)
        if lines is None:
            continue
        own = lines[step.start_line - 1 : step.end_line]
        doc = step.doc
        if step.is_section:
            doc = first_paragraph(own)
        elif step.row >= 0 and not doc.strip():
            doc = _above(lines, step.start_line) or _inside(own)
        if step.row < 0:
            doc = first_paragraph(own, headed=False) if step.is_text else ""
        read.append(replace(step, doc=doc, body="".join(own)[:MAX_BODY]))
    return read


def _above(lines: Sequence[str], start: int) -> str:
    """The comment that ends right above a line, or one blank line above it."""
    at = start - 2
    if at > 0 and not lines[at].strip():
        at -= 1
        if not lines[at].rstrip().endswith("*/"):
            return ""  # without its form, a comment that far off may speak of anything
    last = at
    if at >= 0 and lines[at].rstrip().endswith("*/"):
        while at >= max(0, last - _LOOK_ABOVE) and "/*" not in lines[at]:
            at -= 1
        found = lines[max(at, 0) : last + 1] if lines[at].lstrip().startswith("/*") else []
    else:
        while at >= max(0, last - _LOOK_ABOVE) and _LINE_COMMENT.match(lines[at]):
            at -= 1
        found = lines[at + 1 : last + 1]
    return _telling(found)


def _inside(own: Sequence[str]) -> str:
    """The comment that opens a body; a later one speaks of a detail."""
    found: list[str] = []
    for before, line in pairwise(own[:_LOOK_INSIDE]):
        if _LINE_COMMENT.match(line) and (found or _HEAD_END.search(before)):
            found.append(line)
        elif found or (line.strip() and _HEAD_END.search(before) and not _HEAD_END.search(line)):
            break
    return _telling(found)


def _telling(comment: Sequence[str]) -> str:
    """A comment without its marks, if it is a sentence more than a code or an order."""
    plain = [re.sub(r"^\s*(?:/?\*+/?|//+!?|#+|--+|;+)\s?|\s*\*/\s*$", "", x) for x in comment]
    text = "\n".join(line.rstrip() for line in plain).strip("\n")
    words = re.findall(r"[A-Za-z]{2,}", text)
    if NOTE.match(text):
        return ""
    return text if len(words) >= _TELLING and not text.rstrip().endswith((";", "{", "}")) else ""
