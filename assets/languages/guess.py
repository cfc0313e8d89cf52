"""The language of a file that no rule names, guessed from its text by Magika, if installed.

Magika is a small model that works offline; the extra ``magika`` brings it. Without it such
files are plain text. Which of both it was is part of a census, so installing it re-reads them.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any

from codequarry.assets.languages.extensions import BY_EXTENSION, BY_NAME

# Magika's labels for languages that we call otherwise.
_OTHER_NAMES = {
    "bazel": "starlark",
    "bib": "bibtex",
    "cs": "csharp",
    "csproj": "xml",
    "gemfile": "ruby",
    "gemspec": "ruby",
    "gitmodules": "ini",
    "gradle": "groovy",
    "ignorefile": "gitignore",
    "ipynb": "jupyter",
    "jsonl": "json",
    "lisp": "commonlisp",
    "makefile": "make",
    "objectivec": "objc",
    "rdf": "xml",
    "shell": "bash",
    "svg": "xml",
    "vcxproj": "xml",
}
_KNOWN = frozenset(BY_EXTENSION.values()) | frozenset(BY_NAME.values())
# Names of prose without an extension, and extensions of text without a language.
_PROSE = frozenset(
    "license licence copying notice authors contributors maintainers owners codeowners patents "
    "credits thanks todo install news changes changelog history version usage bugs faq".split()
)
_PLAIN = frozenset("txt text log out output tok api snap expected stdout stderr lock".split())


def guesser() -> str:
    """What guesses here, with its version; empty without Magika."""
    try:
        return f"magika {metadata.version('magika')}"
    except metadata.PackageNotFoundError:
        return ""


def guesser_fault() -> str:
    """Why an installed Magika cannot be used; empty when it can, or when there is none."""
    return _model()[1]


def guess_language(path: str, data: bytes) -> str:
    """The language of a text that rules know nothing of; empty when it stays plain text."""
    if not _worth_a_guess(path):
        return ""
    model, _ = _model()
    if model is None:
        return ""
    label = str(model.identify_bytes(data).output.label)
    name = _OTHER_NAMES.get(label, label)
    return name if name in _KNOWN else ""


def _worth_a_guess(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if dot and stem and extension in _PLAIN:
        return False
    words = name.replace("-", " ").replace("_", " ").replace(".", " ").split()
    return not any(word in _PROSE for word in words)


@cache
def _model() -> tuple[Any, str]:
    """The model, or why there is none."""
    if not guesser():
        return None, ""
    try:
        from magika import Magika

        return Magika(), ""
    except Exception as error:  # a border: a broken extra costs the guess, and `doctor` says so
        return None, f"{type(error).__name__}: {error}".split("\n", maxsplit=1)[0]
