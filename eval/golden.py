"""Golden files: questions with the files that answer them, one JSON object a line.

Four shapes of a row are read into one dataclass:

* ours: ``{query, repo, gold: [{path, start?, end?}], secondary?, lang?, kind?}``;
* the public sets: ``{id, query, gold_files, secondary_files?, repo, commit, language, …}``;
* benchmark annotations: ``{query, relevant: [path | {path, start_line?, end_line?}], secondary?}``;
* SWE-bench: ``{instance_id, repo, base_commit, problem_statement, patch}``, as JSON Lines or
  Parquet; gold are the files that the patch changes, without tests.

Paths are relative to the repository's root, with forward slashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from codequarry.assets.census.rules import role_of
from codequarry.eval.errors import GoldenError
from codequarry.eval.patches import changed_files
from codequarry.vocabulary import Role

_COLUMNS = frozenset(
    (
        "id query repo gold gold_files relevant relevant_raw secondary secondary_files "
        "secondary_raw commit benchmark_root language lang kind category git_repo exact_commit "
        "mentions_path mentions_basename mentions_stem instance_id base_commit "
        "problem_statement patch"
    ).split()
)

Row: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Target:
    """A file that answers, or a span of its lines (1-based, inclusive; 0, 0: the whole file)."""

    path: str
    start: int = 0
    end: int = 0

    def met_by(self, path: str, start: int, end: int) -> bool:
        """Whether a chunk is of this file and, where a span is given, overlaps it."""
        return path == self.path and (not self.end or (start <= self.end and end >= self.start))


@dataclass(frozen=True, slots=True)
class Golden:
    """One question and what answers it."""

    id: str
    query: str
    repo: str
    gold: tuple[Target, ...]
    secondary: tuple[Target, ...] = ()  # also right, of the same gain in NDCG
    commit: str = ""  # empty: the repository as it lies on disk
    root: str = ""  # only this directory of the repository is searched; empty: all of it
    language: str = ""
    kind: str = ""
    git_repo: str = ""  # the mirror to take the commit from
    exact_commit: bool = True  # the commit the gold was published for
    mentions_path: bool = False  # the question names a gold file's path …
    mentions_basename: bool = False  # … or its name …
    mentions_stem: bool = False  # … or its name without the suffix

    @property
    def gold_paths(self) -> tuple[str, ...]:
        """The gold files, without repeats."""
        return tuple(dict.fromkeys(target.path for target in self.gold))

    @property
    def relevant_paths(self) -> tuple[str, ...]:
        """Gold and secondary files, without repeats."""
        return tuple(dict.fromkeys(target.path for target in (*self.gold, *self.secondary)))


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The questions of one file, and the identity of that file."""

    name: str
    sha256: str
    rows: tuple[Golden, ...]


def load_golden(path: Path) -> GoldenSet:
    """Read a golden file.

    Raises:
        GoldenError: the file cannot be read, or a row is wrong (the message names its line).
    """
    try:
        data = path.read_bytes()
        if path.suffix == ".parquet":
            table = pq.read_table(pa.BufferReader(data), columns=_parquet_columns(data))
            raw_rows: list[object] = table.to_pylist()
        else:
            raw_rows = list(data.decode("utf-8").split("\n"))
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        hint = "give a UTF-8 JSONL or a Parquet file"
        raise GoldenError(f"{path} cannot be read: {error}", hint) from error
    rows: list[Golden] = []
    seen: dict[str, int] = {}
    for number, raw in enumerate(raw_rows, 1):
        if isinstance(raw, str) and not raw.strip():
            continue
        try:
            value = json.loads(raw) if isinstance(raw, str) else raw
            row = parse_row(value, f"{path.stem}/{number}")
            if row.id in seen:
                raise GoldenError(f"id {row.id!r} is also on line {seen[row.id]}")
        except (GoldenError, ValueError) as error:
            raise GoldenError(
                f"{path.name}, line {number}: {error}",
                "a row is {query, repo, gold: [{path, start?, end?}]}",
            ) from error
        seen[row.id] = number
        rows.append(row)
    if not rows:
        raise GoldenError(f"{path.name} holds no question")
    # A checkout may turn line ends to CRLF; the questions are the same.
    identity = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
    return GoldenSet(path.stem, identity, tuple(rows))


def parse_row(raw: object, default_id: str) -> Golden:
    """Read one row of any of the three shapes."""
    if not isinstance(raw, dict):
        raise GoldenError("not a JSON object")
    if "problem_statement" in raw and "query" not in raw:
        raw = _from_swebench(raw)
    gold, secondary = _targets_of(raw)
    if not gold:
        raise GoldenError("no gold file (gold, gold_files or relevant)")
    query = _text(raw, "query")
    if not query.strip():
        raise GoldenError("the query is empty")
    repo = _text(raw, "repo")
    return Golden(
        id=_text(raw, "id") or default_id,
        query=query,
        repo=repo,
        gold=gold,
        secondary=tuple(target for target in secondary if target not in gold),
        commit=_text(raw, "commit"),
        root=_directory(_text(raw, "benchmark_root")),
        language=_text(raw, "language") or _text(raw, "lang"),
        kind=_text(raw, "kind") or _text(raw, "category"),
        git_repo=_text(raw, "git_repo") or repo,
        exact_commit=_flag(raw, "exact_commit", default=True),
        mentions_path=_flag(raw, "mentions_path", default=False),
        mentions_basename=_flag(raw, "mentions_basename", default=False),
        mentions_stem=_flag(raw, "mentions_stem", default=False),
    )


def _from_swebench(raw: Row) -> Row:
    """The row in the shape of the public sets."""
    issue, patch = _text(raw, "problem_statement"), _text(raw, "patch")
    files = [path for path in changed_files(patch) if role_of(path)[0] is not Role.TEST]
    return {
        "id": raw.get("instance_id"),
        "query": issue,
        "gold_files": files,
        "repo": raw.get("repo"),
        "commit": raw.get("base_commit"),
        "language": raw.get("language"),
        "mentions_path": any(path in issue for path in files),
        "mentions_basename": any(path.rpartition("/")[2] in issue for path in files),
    }


def _parquet_columns(data: bytes) -> list[str]:
    """The columns that rows are read from; sets hold large ones besides."""
    names = set(pq.read_schema(pa.BufferReader(data)).names)
    return sorted(names & _COLUMNS)


def _targets_of(raw: Row) -> tuple[tuple[Target, ...], tuple[Target, ...]]:
    if "gold_files" in raw:
        return (
            _with_spans(_targets(raw, "gold_files"), _targets(raw, "relevant_raw")),
            _with_spans(_targets(raw, "secondary_files"), _targets(raw, "secondary_raw")),
        )
    return _targets(raw, "gold" if "gold" in raw else "relevant"), _targets(raw, "secondary")


def _with_spans(files: tuple[Target, ...], raw: tuple[Target, ...]) -> tuple[Target, ...]:
    """Give files the spans of the published annotation, whose paths may lack the root."""
    with_spans = []
    for file in files:
        spans = [
            Target(file.path, target.start, target.end)
            for target in raw
            if target.end and f"/{file.path}".endswith(f"/{target.path}")
        ]
        with_spans += spans or [file]
    return tuple(with_spans)


def _targets(raw: Row, key: str) -> tuple[Target, ...]:
    value = raw.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise GoldenError(f"{key} is not a list")
    return tuple(dict.fromkeys(_target(item, key) for item in value))


def _target(item: object, key: str) -> Target:
    if isinstance(item, str):
        return Target(_path(item, key))
    if not isinstance(item, dict) or not isinstance(item.get("path"), str):
        raise GoldenError(
            f"{key} holds something that is neither a path nor {{path, start?, end?}}"
        )
    start = _line(item, "start", "start_line")
    end = _line(item, "end", "end_line")
    if bool(start) != bool(end) or start > end:
        raise GoldenError(f"{key}: lines {start}-{end} of {item['path']} are no span")
    return Target(_path(item["path"], key), start, end)


def _line(item: Row, *keys: str) -> int:
    for key in keys:
        value = item.get(key)
        if value is not None:
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise GoldenError(f"{key} is not a line number: {value!r}")
            return value
    return 0


def _path(path: str, key: str) -> str:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise GoldenError(f"{key}: {path!r} is not a path below the repository's root")
    return "/".join(parts)


def _directory(path: str) -> str:
    return _path(path, "benchmark_root") if path.strip("/.") else ""


def _text(raw: Row, key: str) -> str:
    value = raw.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise GoldenError(f"{key} is not a string")
    return value


def _flag(raw: Row, key: str, *, default: bool) -> bool:
    value = raw.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise GoldenError(f"{key} is neither true nor false")
    return value
