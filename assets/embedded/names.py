"""The language a fence, a script tag or a notebook names, in our own words."""

from __future__ import annotations

import re

from codequarry.assets.languages.extensions import BY_EXTENSION
from codequarry.assets.languages.registry import SPECS

# Words that are neither a language of ours nor the extension of one, or mean another than it.
_ALIASES = {
    alias: language
    for language, aliases in {
        "bash": "shell zsh",
        "clojure": "clojurescript",
        "commonlisp": "common-lisp",
        "cpp": "c++11 c++14 c++17 c++20 c++23 xcpp11 xcpp14 xcpp17",
        "csharp": "c# dotnet",
        "elisp": "emacs-lisp",
        "fsharp": "f#",
        "go": "golang",
        "javascript": "node nodejs ecmascript babel module javascriptreact mjs",
        "objc": "objective-c objectivec obj-c",
        "ocaml": "reasonml",
        "powershell": "pwsh posh",
        "proto": "protobuf protobuf3",
        "python": "py3 python2 python3 ipython ipython2 ipython3 sage pyodide mpy",
        "r": "ir rlang",
        "ruby": "jruby irb",
        "rust": "evcxr",
        "terraform": "hcl2",
        "tsx": "typescriptreact",
        "typescript": "deno",
    }.items()
    for alias in aliases.split()
}
# Extensions that are another thing as a word.
_NOT_MEANT = frozenset("diff out log output text txt plain console session".split())
_DIRECTIVE = re.compile(r"\{(?:code(?:-block|-cell)?|sourcecode)\}\s*(\S+)")
_WORD = re.compile(r"[\w+#-]+")
_NUMBERED = re.compile(r"^\d+:\d+:")


def language_named(word: str) -> str:
    """The language a word means; empty when it means none."""
    word = word.lower()
    if word in _NOT_MEANT:
        return ""
    return _ALIASES.get(word) or (word if word in SPECS else BY_EXTENSION.get(word, ""))


def language_of_info(info: str) -> str:
    """The language of a fence by the words after its opening.

    Understood are ``ts title="x"``, ``{python}``, ``{.python .numbered}``, ``rust,ignore``,
    ``python:path/file.py``, ``path/file.py`` and ``{code-block} python``.
    """
    info = info.strip()[:200]
    directive = _DIRECTIVE.match(info)
    if directive:
        return language_named(directive[1])
    first = _NUMBERED.sub("", info.lstrip("{. ").split(maxsplit=1)[0] if info.strip("{. ") else "")
    head, _, tail = first.partition(":")
    if "." in head or "/" in head:
        return language_named(head.rpartition(".")[2].rstrip("},"))
    word = _WORD.match(head)
    found = language_named(word[0]) if word else ""
    return found or (language_named(tail.rpartition(".")[2]) if "." in tail else "")
