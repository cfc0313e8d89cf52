from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from eval_toys import git

from codequarry.eval import corpora
from codequarry.eval.corpora import CorpusCache, Mirrors
from codequarry.eval.errors import CorpusError

if TYPE_CHECKING:
    from pathlib import Path

REPO = "owner/name"


@pytest.fixture
def mirror(tmp_path):
    """A bare mirror whose only commit holds ordinary, odd and hostile entries."""
    where = tmp_path / "mirrors" / "owner+name" / "repo"
    where.mkdir(parents=True)
    git(where, "init", "--bare", "-q")
    blob = git(where, "hash-object", "-w", "--stdin", stdin=b"hello\r\n\0\xff")
    link = git(where, "hash-object", "-w", "--stdin", stdin=b"/etc/passwd")
    inner = tree(where, ("100644", "blob", blob, "a.py"), ("100755", "blob", blob, "run.sh"))
    odd = tree(
        where,
        ("040000", "tree", inner, "src"),
        ("040000", "tree", inner, "srcs"),
        ("100644", "blob", blob, "née ñ.txt"),
        ("120000", "blob", link, "link"),
        ("160000", "commit", "12" * 20, "module"),
    )
    git(where, "update-ref", "refs/heads/main", git(where, "commit-tree", odd, "-m", "x"))
    return where


def tree(where, *entries):
    listing = b"".join(f"{m} {k} {o}\t{n}".encode() + b"\0" for m, k, o, n in entries)
    return git(where, "mktree", "-z", "--missing", stdin=listing)


def head(mirror):
    return git(mirror, "rev-parse", "refs/heads/main")


@pytest.fixture
def cache(tmp_path, mirror):
    return CorpusCache(Mirrors.at(tmp_path / "mirrors"), tmp_path / "cache")


def files(root: Path):
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


def test_files_are_written_byte_for_byte_and_odd_entries_are_listed(cache, mirror):
    corpus = cache.corpus(REPO, head(mirror))
    assert files(corpus.path) == ["née ñ.txt", "src/a.py", "src/run.sh", "srcs/a.py", "srcs/run.sh"]
    assert (corpus.path / "src/a.py").read_bytes() == b"hello\r\n\0\xff"
    assert corpus.files == 5
    assert corpus.skipped == ("submodule: module", "symbolic link: link")
    assert corpus.tree == git(mirror, "rev-parse", "refs/heads/main^{tree}")


def test_root_restricts_and_paths_stay_relative_to_the_repository(cache, mirror):
    corpus = cache.corpus(REPO, head(mirror), "src/")
    assert files(corpus.path) == ["src/a.py", "src/run.sh"]
    assert corpus.tree == git(mirror, "rev-parse", "refs/heads/main:src")
    assert corpus.path != cache.corpus(REPO, head(mirror)).path


def test_corpus_that_is_there_is_not_written_again(cache, mirror, monkeypatch):
    first = cache.corpus(REPO, head(mirror))
    index = first.path / ".quarry"  # what an index of the corpus leaves is not a change
    index.mkdir()
    (index / "CURRENT").write_text("x", encoding="utf-8")
    monkeypatch.setattr(corpora, "write_corpus", lambda *_: pytest.fail("written again"))
    assert cache.corpus(REPO, head(mirror)) == first


@pytest.mark.parametrize("damage", ["file gone", "record gone", "record of another tree"])
def test_damaged_corpus_is_made_anew(cache, mirror, damage):
    first = cache.corpus(REPO, head(mirror))
    record = first.path.parent / "corpus.json"
    if damage == "file gone":
        (first.path / "src/a.py").unlink()
    elif damage == "record gone":
        record.unlink()
    else:
        raw = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps(raw | {"tree": "0" * 40}), encoding="utf-8")
    assert cache.corpus(REPO, head(mirror)) == first
    assert (first.path / "src/a.py").is_file()


def test_nothing_is_left_when_writing_fails(cache, mirror, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(corpora, "write_corpus", fail)
    with pytest.raises(OSError, match="No space"):
        cache.corpus(REPO, head(mirror))
    assert list(cache.directory.rglob("*")) == [cache.directory / "owner+name"]


def test_absent_blob_is_listed_not_fetched(cache, mirror):
    absent = tree(mirror, ("100644", "blob", "34" * 20, "big.bin"))
    commit = git(mirror, "commit-tree", absent, "-m", "x")
    corpus = cache.corpus(REPO, commit)
    assert (corpus.files, corpus.skipped) == (0, ("not in the mirror: big.bin",))


@pytest.mark.parametrize("name", ["..", ".git", ".GIT"])
def test_tree_that_would_leave_the_directory_is_not_followed(cache, mirror, name):
    inner = git(mirror, "rev-parse", "refs/heads/main:src")
    # `mktree` refuses such names, so the object is written raw.
    raw = b"40000 " + name.encode() + b"\0" + bytes.fromhex(inner)
    evil = git(mirror, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    commit = git(mirror, "commit-tree", evil, "-m", "x")
    corpus = cache.corpus(REPO, commit)
    assert corpus.files == 0
    assert corpus.skipped == (f"unsafe path: {name}/a.py", f"unsafe path: {name}/run.sh")
    assert not (corpus.path.parent / "a.py").exists()


def test_names_that_meet_in_one_file_are_listed(cache, mirror):
    blob = git(mirror, "rev-parse", "refs/heads/main:src/a.py")
    raw = (b"100644 a\0" + bytes.fromhex(blob)) * 2
    twice = git(mirror, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)
    corpus = cache.corpus(REPO, git(mirror, "commit-tree", twice, "-m", "x"))
    assert (corpus.files, len(corpus.skipped)) == (1, 1)


def test_damaged_object_is_noticed(cache, mirror, monkeypatch):
    monkeypatch.setattr("codequarry.gitobjects.hashlib.sha1", __import__("hashlib").md5)
    with pytest.raises(CorpusError, match="is damaged"):
        cache.corpus(REPO, head(mirror))


@pytest.mark.parametrize(
    ("repo", "commit", "root"),
    [
        (REPO, "56" * 20, ""),
        (REPO, "main", ""),
        (REPO, "--all", ""),
        (REPO, None, "no/such"),
        (REPO, None, "src/a.py"),
        (REPO, None, "../src"),
        ("../name", None, ""),
        ("other/name", None, ""),
    ],
)
def test_what_cannot_be_had_is_a_corpus_error(cache, mirror, repo, commit, root):
    with pytest.raises(CorpusError):
        cache.corpus(repo, commit or head(mirror), root)


@pytest.mark.parametrize("layout", ["owner+name", "owner__name", "owner/name.git", "owner/name"])
def test_mirror_directory_layouts(tmp_path, layout):
    where = tmp_path / "m" / layout
    where.mkdir(parents=True)
    git(where, "init", "--bare", "-q")
    assert Mirrors.at(tmp_path / "m").find(REPO) == where


def test_mirror_map_is_relative_to_its_file(tmp_path, mirror):
    where = tmp_path / "mirrors.json"
    where.write_text(json.dumps({REPO: os.path.relpath(mirror, tmp_path)}), encoding="utf-8")
    assert Mirrors.at(where).find(REPO).samefile(mirror)


@pytest.mark.parametrize("content", [None, "[]", "{"])
def test_bad_mirror_map_is_a_corpus_error(tmp_path, content):
    where = tmp_path / "mirrors.json"
    if content is not None:
        where.write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match="no mirrors at"):
        Mirrors.at(where)
