"""Patterns with git's meaning that are matched in reasonable time, whoever wrote them.

Of ``a*b*c*d`` comes a regular expression that tries every length of every star before it gives up
on a name; a dozen stars take longer than anybody waits. The first place where the text between two
stars fits is as good as any later one, so nothing behind a star but the last has to be tried twice.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_STAR = "[^/]*"
_TOKEN = re.compile(r"\[\^/\]\*|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.S)
_STRUCTURE = frozenset("/()|?+*^$.{}")


def git_patterns(lines: Iterable[str]) -> list[GitIgnoreSpecPattern]:
    """The patterns of lines as in an ignore file; a comment's has no regular expression.

    Raises:
        ValueError: a line is no pattern.
    """
    made = []
    for line in lines:
        try:
            with warnings.catch_warnings(action="ignore"):  # about brackets in brackets
                pattern = GitIgnoreSpecPattern(line)
                if pattern.regex is not None:
                    pattern.regex = re.compile(_without_retries(pattern.regex.pattern))
        except re.error as error:
            raise ValueError(f"{line!r}: {error}") from error
        made.append(pattern)
    return made


def _without_retries(source: str) -> str:
    tokens = [_inside_a_name(token) for token in _TOKEN.findall(source)]
    made = []
    at = 0
    while at < len(tokens):
        end = at + 1
        while tokens[at] == _STAR and end < len(tokens) and tokens[end] not in _ENDS_TEXT:
            end += 1
        if tokens[at] == _STAR and tokens[end : end + 1] == [_STAR]:
            text = "".join(tokens[at + 1 : end])
            made.append(f"(?>[^/]*?{text})" if text else "")
            at = end
        else:
            made.append(tokens[at])
            at += 1
    return "".join(made)


_ENDS_TEXT = _STRUCTURE | {_STAR}


def _inside_a_name(token: str) -> str:
    """A set of characters without the separator, which git never finds in one."""
    is_set = token.startswith("[") and len(token) > 1 and token != _STAR
    return f"(?!/){token}" if is_set and re.fullmatch(token, "/") else token
