"""The part of a qualified name that only the path decides: Python's and Rust's module paths."""

from __future__ import annotations

from collections.abc import Collection

_SOURCE_ROOTS = frozenset(("src", "lib"))
_RUST_ROOTS = frozenset(("lib", "main"))  # of a crate: its own module has no name
_RUST_FOLDERS = ("src", "tests", "examples", "benches")


def name_prefix(language: str, path: str, packages: Collection[str]) -> str:
    """What stands before every qualified name of a file, with its delimiter.

    Args:
        language: of the file.
        path: POSIX path of the file, relative to the root.
        packages: folders that hold an ``__init__.py``.
    """
    if language == "python":
        return f"{python_module(path, packages)}."
    return "".join(f"{module}::" for module in scope_above(language, path))


def scope_above(language: str, path: str) -> list[str]:
    """The scopes around a file's own definitions: in Rust its modules, elsewhere none."""
    return rust_module(path) if language == "rust" else []


def python_module(path: str, packages: Collection[str]) -> str:
    """The dotted name under which a Python file is imported.

    A file in a package is named from the package's top. Any other file is named from the
    innermost source root above it (``src``, ``lib``), else from the repository's root: a
    namespace package or a script.
    """
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    top = len(folders)
    while top and "/".join(folders[:top]) in packages:
        top -= 1
    if top == len(folders):
        roots = [i for i, folder in enumerate(folders) if folder in _SOURCE_ROOTS]
        top = roots[-1] + 1 if roots else 0
    parts = folders[top:] if stem == "__init__" and folders[top:] else [*folders[top:], stem]
    return ".".join(parts)


def rust_module(path: str) -> list[str]:
    """The modules of a Rust file within its crate; none for the crate's root."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    inside = [i for i, folder in enumerate(folders) if folder in _RUST_FOLDERS]
    parts = folders[inside[0] + 1 :] if inside else []
    if stem != "mod" and not (stem in _RUST_ROOTS and not parts):
        parts = [*parts, stem]
    return parts
