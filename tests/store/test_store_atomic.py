from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from codequarry.errors import StoreWriteError
from codequarry.store.atomic import (
    atomic_dir,
    atomic_path,
    remove_leftovers,
    write_bytes,
    write_errors,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_replaced_whole(tmp_path: Path):
    target = tmp_path / "deep/er/file"
    write_bytes(target, b"one")
    write_bytes(target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["file"]


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path):
    target = tmp_path / "file"
    write_bytes(target, b"one")
    with pytest.raises(RuntimeError), atomic_path(target) as part:
        part.write_bytes(b"half")
        raise RuntimeError
    assert target.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_synced_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    events: list[str] = []
    real_sync, real_replace = os.fsync, type(tmp_path).replace
    monkeypatch.setattr(os, "fsync", lambda handle: (events.append("sync"), real_sync(handle))[1])
    monkeypatch.setattr(
        type(tmp_path),
        "replace",
        lambda path, to: (events.append("rename"), real_replace(path, to))[1],
    )
    write_bytes(tmp_path / "file", b"x")
    assert events == ["sync", "rename", "sync"]  # the file, the rename, the folder


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path):
    target = tmp_path / "g"
    with pytest.raises(RuntimeError), atomic_dir(target) as part:
        (part / "a").write_text("1")
        raise RuntimeError
    assert not any(tmp_path.iterdir())
    with atomic_dir(target) as part:
        (part / "a").write_text("1")
        assert not target.exists()
    assert (target / "a").read_text() == "1"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_is_there_is_left_alone_unless_it_is_damaged(tmp_path: Path):
    target = tmp_path / "g"
    for text, replace, wanted in (("1", False, "1"), ("2", False, "1"), ("3", True, "3")):
        with atomic_dir(target, replace=replace) as part:
            (part / "a").write_text(text)
        assert (target / "a").read_text() == wanted


def test_replacing_a_folder_never_takes_it_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "g"
    with atomic_dir(target) as part:
        (part / "a").write_text("1")
        (part / "b").write_text("1")
    real = type(tmp_path).replace
    seen = []

    def watching(path: Path, to: Path) -> Path:
        seen.append(sorted(item.name for item in target.iterdir()))
        return real(path, to)

    monkeypatch.setattr(type(tmp_path), "replace", watching)
    monkeypatch.setattr(type(tmp_path), "rename", watching)
    with atomic_dir(target, replace=True) as part:
        (part / "a").write_text("2")
        (part / "b").write_text("2")
    assert seen == [["a", "b"], ["a", "b"]]


def test_leftovers_of_dead_writers_are_removed(tmp_path: Path):
    write_bytes(tmp_path / "keep", b"x")
    (tmp_path / "keep.part-123456789abc").write_text("half")
    (tmp_path / "deep/folder.part-123456789abc").mkdir(parents=True)
    (tmp_path / "deep/folder.part-123456789abc/a").write_text("half")
    assert remove_leftovers(tmp_path) == 2
    assert {path.name for path in tmp_path.rglob("*")} == {"keep", "deep"}
    assert remove_leftovers(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EACCES, "no permission to write"),
        (errno.EROFS, "no permission to write"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_refusals_of_the_disk_become_one_clear_error(tmp_path: Path, number: int, said: str):
    with pytest.raises(StoreWriteError) as caught, write_errors(tmp_path):
        raise OSError(number, os.strerror(number))
    assert said in caught.value.message
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint
