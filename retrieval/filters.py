"""Which chunks a query may return: scope, language, role, kind, glob and content policy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt
from pathspec import GitIgnoreSpec

from codequarry.errors import UsageError
from codequarry.globs import git_patterns
from codequarry.retrieval.generation import Generation
from codequarry.vocabulary import Kind, Role

Mask = npt.NDArray[np.bool_]


class Content(StrEnum):
    """What kind of files an answer is made of."""

    CODE = "code"  # everything but documentation
    DOCS = "docs"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Filters:
    """What the caller restricts an answer to; empty means no restriction."""

    scope: str = ""  # sub-path, POSIX, relative to the root
    languages: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    content: Content = Content.CODE


@dataclass(frozen=True, slots=True)
class Allowed:
    """The chunks let through, and what the caller should be told about the filters."""

    chunks: Mask
    notes: tuple[str, ...] = ()


def normalise_path(path: str) -> str:
    """One form of a path: "/" between parts, no "./", no "x/../", no trailing slash."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def apply_filters(generation: Generation, filters: Filters) -> Allowed:
    """Compute the mask of chunks that the filters let through.

    A content policy whose side is empty falls back to everything and says so. Any other
    filter that matches nothing lets nothing through, and says which it was.

    Raises:
        UsageError: an unknown kind or role.
    """
    n_files = generation.files.num_rows
    files = np.ones(n_files, bool)
    notes: list[str] = []
    for label, mask in _file_masks(generation, filters):
        if not mask.any():
            notes.append(f"no indexed file matches {label}")
        files &= mask
    if filters.content is not Content.ALL and not filters.roles:
        docs = generation.roles == Role.DOCS.value
        wanted = files & (docs if filters.content is Content.DOCS else ~docs)
        if wanted.any() or not files.any():
            files = wanted
        else:
            notes.append(f"no {filters.content.value} here: answered from everything")
    chunks = files[generation.chunk_files]
    if filters.kinds:
        kinds = _kind_mask(generation, filters.kinds)
        if not (chunks & kinds).any():
            notes.append(f"no symbol of kind {', '.join(filters.kinds)} here")
        chunks &= kinds
    return Allowed(chunks, tuple(notes))


def _file_masks(generation: Generation, filters: Filters) -> list[tuple[str, Mask]]:
    masks: list[tuple[str, Mask]] = []
    if filters.scope:
        scope = normalise_path(filters.scope)
        inside = [path == scope or path.startswith(scope + "/") for path in generation.paths]
        masks.append((f"the path {scope}", np.array(inside, bool)))
    if filters.languages:
        wanted = {language.lower() for language in filters.languages}
        found = [language in wanted for language in generation.files["language"].to_pylist()]
        masks.append((f"--lang {', '.join(sorted(wanted))}", np.array(found, bool)))
    if filters.roles:
        known = {role.value for role in Role}
        for role in filters.roles:
            if role not in known:
                raise UsageError(f"unknown role {role!r}", f"one of: {', '.join(sorted(known))}")
        masks.append(
            (f"--role {', '.join(filters.roles)}", np.isin(generation.roles, filters.roles))
        )
    if filters.globs:
        try:
            spec = GitIgnoreSpec(git_patterns(filters.globs))
        except ValueError as error:
            raise UsageError(f"--glob: {error}", "give gitignore patterns, as *.py") from error
        found = [spec.match_file(str(PurePosixPath(path))) for path in generation.paths]
        masks.append((f"--glob {' '.join(filters.globs)}", np.array(found, bool)))
    return masks


def _kind_mask(generation: Generation, kinds: tuple[str, ...]) -> Mask:
    known = {kind.value for kind in Kind}
    for kind in kinds:
        if kind not in known:
            raise UsageError(f"unknown symbol kind {kind!r}", f"one of: {', '.join(sorted(known))}")
    mask = np.zeros(len(generation.chunk_files), bool)
    symbols = generation.symbols
    hit = np.isin(np.array(symbols["kind"].to_pylist(), dtype="U16"), kinds)
    mask[symbols["chunk"].to_numpy()[hit]] = True
    return mask
