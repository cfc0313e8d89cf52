"""What the model must never see: the evaluation projects, by every name they are packaged under.

`forbidden_package` judges a package name, `forbidden_path` a file inside any package (a vendored
or embedded copy). Names, not texts, are compared, and the lists in packages.toml are generous.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_LISTS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("packages.toml").read_text(encoding="utf-8")
)["excluded"]
EVALUATED = frozenset(_LISTS["evaluated"].split())
LIKELY = frozenset(_LISTS["likely"].split())
FORBIDDEN = EVALUATED | LIKELY
_NOT_FOLDERS = frozenset(_LISTS["words"].split()) | {"fmt", "phoenix"}
_VENDORED = re.compile(
    r"(^|/)(vendor|vendored|_vendor|third[-_]?party|3rd[-_]?party|node_modules|extern|externals?"
    r"|bundled|\.pc|prebuilds?|libc|libcxx|libunwind|mingw|site-packages|godeps|bower_components"
    r"|pods)/",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^(golang-(github|gopkg|golang)?-?|rust-|ruby-|php-|haskell-|lua-|elixir-|lib|node-|python3?-)"
)
_SUFFIX = re.compile(r"(-\d[\d.]*|\d+|-java|-go|\.js|-rs|-dev|-framework)$")
_FAMILIES = re.compile(
    r"(lib)?(rust-)?(serde|tokio)|lib-?jackson|golang-github-(gin-gonic|go-chi)"
    r"|php-(laravel|illuminate)|ruby-(active|action)(support|model|record|pack|view|job|mailer)"
)
_VERSION = re.compile(r"[-_.]?v?\d+(\.\d+)*$")


def forbidden_package(name: str) -> bool:
    """Whether a package of this name holds, embeds or renames an evaluation project."""
    bare = name.lower().lstrip("@").replace("_", "-")
    names = {bare, *bare.split("/")}
    for _ in range(2):  # librust-x-dev, libx-java: two layers around the name
        names |= {_PREFIX.sub("", one) for one in names}
        names |= {_SUFFIX.sub("", one) for one in names}
    return bool(names & FORBIDDEN or _FAMILIES.match(bare))


def forbidden_path(path: str) -> bool:
    """Whether a file inside a package looks like a copy of an evaluation project's."""
    if _VENDORED.search("/" + path) or "/fmt/include/" in path:
        return True
    *folders, file_name = path.lower().replace("_", "-").split("/")
    names = {_VERSION.sub("", folder) for folder in folders} | {file_name.split(".")[0]}
    return bool(names & (FORBIDDEN - _NOT_FOLDERS))
