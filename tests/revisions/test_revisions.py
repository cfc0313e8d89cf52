"""Any commit is indexed from git's objects, as a checkout of it would be, and disturbs nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import LEXICAL, Ran, commit_all, generation_bytes, git, index, modules, write_tree

from codequarry.assets.census.census import Entry, take_census
from codequarry.assets.census.revision import remember, take_revision_census
from codequarry.assets.facts.pool import ParsePool
from codequarry.errors import GitError, IndexNotFound
from codequarry.gitobjects import blob_sizes, list_tree, read_blobs, read_path, resolve_tree
from codequarry.pipelines.reindex import RunReport
from codequarry.pipelines.revisions import index_revision
from codequarry.retrieval.generation import Generation
from codequarry.retrieval.index import open_index
from codequarry.retrieval.reading import get_code
from codequarry.settings import Settings, load_settings
from codequarry.store.layout import Layout
from codequarry.store.revisions import indexed_revisions

STATIC = Settings(workers=1)
TREE = modules(6) | {
    ".gitignore": "*.log\n",
    ".quarryignore": "private/\n!vendor/kept.py\n",
    "private/a.py": "def hidden():\n    pass\n",
    "vendor/kept.py": "def kept():\n    pass\n",
    "vendor/left.py": "def left():\n    pass\n",
    "go.mod": "module example.org/shop\n",
    "cmd/main.go": 'package main\n\nimport "example.org/shop/store"\n\nfunc main() { store.Get(1) }\n',  # noqa: E501
    "store/store.go": "package store\n\n// Get gets.\nfunc Get(id int) int { return id }\n",
    "package-lock.json": "{}\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
    "blob.txt": b"a\0b\xff\xfe" * 9,
    "empty.py": "",
    "blank.py": " \n\n",
    "crlf.py": b"def a():\r\n    return 1\r\n",
    "latin.rb": "class Gr\u00f6\u00dfe\nend\n".encode("latin-1"),
    "gr\u00f6\u00dfe.py": "def messen():\n    return 1\n",
    "twin/mod_03.py": modules(4)["mod_03.py"],
    "big.txt": "x" * 400,
    "quarry.toml": "max_file_bytes = 300\nexclude = ['cmd/gone.py']\nbring_back = ['lock_file']\n",
    "cmd/gone.py": "def gone():\n    pass\n",
    "scripts/run": "#!/usr/bin/env python3\nprint(1)\n",
    "gen_pb2.py": "x = 1\n",
}


def revision_bytes(layout: Layout, root: Path, rev: str = "HEAD") -> dict[str, bytes]:
    """Every file of a revision's generation, as `generation_bytes` has that of the work tree."""
    at = layout.at(resolve_tree(root, rev))
    folder = at.generations / at.current.read_text(encoding="utf-8").strip()
    found = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return found | {"": folder.name.encode()}


def of_disk(root: Path, settings: Settings) -> dict[str, bytes]:
    """The generation of a clean clone that is named alike."""
    clone = root.parent / "clean" / root.name
    git(root.parent, "clone", "-q", str(root), str(clone))
    made = index(clone, settings)
    assert made.files
    return generation_bytes(clone)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository of two commits; its work tree is that of the second."""
    root = write_tree(tmp_path / "shop", TREE)
    (root / "link.py").symlink_to("mod_00.py")
    commit_all(root, "one")
    git(root, "tag", "one")
    write_tree(root, {"mod_00.py": "def second_commit():\n    return 2\n"})
    (root / "mod_01.py").unlink()
    commit_all(root, "two")
    return root


@pytest.fixture(scope="module", autouse=True)
def pool() -> Iterator[ParsePool]:
    """Parsing processes for all of these tests."""
    POOL.append(ParsePool(1))
    yield POOL[0]
    POOL.pop().close()


POOL: list[ParsePool] = []


def make(root: Path, rev: str) -> RunReport:
    return index_revision(root, LEXICAL, rev, pool=POOL[0])


def test_generation_is_that_of_a_clean_checkout_byte_for_byte(shop: Path):
    report = index_revision(shop, STATIC, "HEAD", pool=POOL[0])
    assert revision_bytes(Layout.of(shop), shop) == of_disk(
        shop, load_settings(shop, model="static", workers=1)
    )
    assert report.state == "complete"
    assert report.skipped == {
        "binary": 2,
        "empty": 2,
        "excluded_by_settings": 1,
        "generated": 1,
        "quarryignore": 1,
        "symlink": 1,
        "too_large": 1,
        "vendored": 1,
    }


NAMES = st.sampled_from(
    ["a.py", "b/a.py", "b/c.ts", "tests/a.py", "README.md", "vendor/x.js", "d.unknown", "e.min.js"]
)
CONTENTS = st.sampled_from(
    ["", " \n", "def f():\n    g()\n", "# A\n\n`f` in a.py\n", "const f = 1;\n", "\0\0", "é\r\n"]
)
RULES = st.sampled_from(["", "b/\n", "!vendor/x.js\n", "*.ts\n!b/c.ts\n"])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=st.dictionaries(NAMES, CONTENTS, min_size=1), before=CONTENTS, rules=RULES)
def test_any_tree_has_the_census_of_its_checkout(tmp_path: Path, files, before: str, rules: str):
    """A generation is a function of this; what an earlier revision had changes nothing."""
    shutil.rmtree(tmp_path / "repo", ignore_errors=True)
    root = write_tree(tmp_path / "repo", dict.fromkeys(files, before) | {".quarryignore": rules})
    commit_all(root)
    seen = take_revision_census(root, resolve_tree(root, "HEAD"), LEXICAL)
    write_tree(root, files)
    commit_all(root)
    tree = resolve_tree(root, "HEAD")
    disk = take_census(root, LEXICAL)
    for known in (None, remember(seen, None)):
        taken = take_revision_census(root, tree, LEXICAL, known)
        assert list(map(told, taken.entries)) == list(map(told, disk.entries))
        assert taken.fingerprint == disk.fingerprint


def told(entry: Entry) -> tuple[object, ...]:
    """An entry without what only a file on disk or only an object has."""
    size = entry.stat[0] if not entry.skip else 0
    return entry.path, size, entry.blob, entry.language, entry.role, entry.skip, entry.detail


def test_live_index_is_not_touched_and_revisions_answer_for_themselves(shop: Path):
    index(shop, LEXICAL)
    live = generation_bytes(shop)
    kept = {p: p.read_bytes() for p in (shop / ".quarry").glob("*") if p.is_file()}
    make(shop, "one")
    assert generation_bytes(shop) == live
    after = {p: p.read_bytes() for p in (shop / ".quarry").glob("*") if p.is_file()}
    assert after == kept
    assert index(shop, LEXICAL).up_to_date
    old, now = (open_index(shop, model="none", rev=rev) for rev in ("one", None))
    assert "mod_01.py" in old.search("unit01").paths
    assert "mod_01.py" not in now.search("unit01").paths


def test_code_of_a_revision_is_never_read_from_disk(shop: Path):
    make(shop, "one")
    write_tree(shop, {"mod_01.py": "back = 1\n", "mod_02.py": "other = 1\n"})
    opened = open_index(shop, model="none", rev="one")
    answer = opened.search("unit01")
    assert not answer.stale
    span = get_code(opened.generation, "mod_01.py", 6, 6)
    assert (span.text, span.changed) == ("    return amount * 3\n", False)


def test_a_neighbouring_commit_reads_and_parses_only_what_is_new(shop: Path, monkeypatch):
    make(shop, "one")
    read: list[str] = []

    def counted(root: Path, oids: list[str]):
        read.extend(oids)
        return read_blobs(root, oids)

    monkeypatch.setattr("codequarry.assets.census.revision.read_blobs", counted)
    report = make(shop, "HEAD")
    new = git(shop, "rev-parse", "HEAD:mod_00.py").strip()
    ignore = git(shop, "rev-parse", "HEAD:.quarryignore").strip()
    assert (read, report.blobs_parsed) == ([ignore, new], 1)
    assert make(shop, "HEAD").up_to_date


def test_revisions_share_facts_with_the_work_tree(shop: Path):
    index(shop, load_settings(shop, model="none"))
    assert make(shop, "HEAD").blobs_parsed == 0


def test_last_used_revisions_are_kept_and_the_others_go(shop: Path):
    layout = Layout.of(shop)
    trees = []
    for i in range(4):
        write_tree(shop, {"mod_05.py": f"value = {i}\n"})
        commit_all(shop)
        trees.append(resolve_tree(shop, "HEAD"))
        if i == 2:
            open_index(shop, model="none", rev=trees[0])
        two = Settings(model="none", keep_revisions=2)
        index_revision(shop, two, "HEAD", pool=POOL[0])
        if i < 2:
            assert set(indexed_revisions(layout)) == set(trees)
    assert indexed_revisions(layout) == [trees[3], trees[2]]
    folders = list((layout.revisions / "generations").iterdir())
    assert len(folders) == 2
    with pytest.raises(IndexNotFound):
        open_index(shop, model="none", rev=trees[0])


def test_a_bare_repository_has_its_store_at_home(shop: Path, quarry, quarry_home: Path):
    bare = shop.parent / "mirror.git"
    git(shop.parent, "clone", "-q", "--bare", str(shop), str(bare))
    before = sorted(bare.rglob("*"))
    assert quarry("-C", bare, "index", "--rev", "one", "--model", "none", "-q").status == 0
    assert sorted(bare.rglob("*")) == before
    assert list((quarry_home / "stores").glob("mirror.git-*"))
    got = quarry("-C", bare, "get", "--rev", "one", "mod_01.py:1")
    assert got.status == 0
    found = quarry("-C", bare, "search", "--rev", "one", "unit01", "--json", "--ranker", "lexical")
    assert "mod_01.py" in found.out


def test_search_indexes_a_revision_first_and_shows_its_code(shop: Path, quarry, monkeypatch):
    monkeypatch.setenv("QUARRY_MODEL", "none")
    done = quarry("-C", shop, "search", "--rev", "one", "unit01")
    assert done.status == 0
    assert "indexing" in done.err
    assert "return amount * 3" in done.out
    assert not (shop / ".quarry/CURRENT").exists()
    assert "indexing" not in quarry("-C", shop, "search", "--rev", "one", "unit01").err


def test_a_dry_run_counts_and_writes_nothing(shop: Path, quarry, monkeypatch):
    monkeypatch.setenv("QUARRY_MODEL", "none")
    done = quarry("-C", shop, "index", "--rev", "HEAD", "--dry-run", "--json")
    assert done.json["blobs_to_parse"] > 5
    assert not (shop / ".quarry").exists()


@pytest.mark.parametrize("rev", ["--all", "-x", "no/such", "", "a\nb", "HEAD:mod_02.py", "a b"])
def test_what_is_no_revision_is_a_clear_error(shop: Path, quarry, rev: str):
    done = quarry("-C", shop, "index", "--rev", rev)
    assert done.status == 1
    assert "has no revision" in done.err
    assert not (shop / ".quarry").exists()


def test_outside_git_and_without_git_are_clear_errors(tmp_path: Path, shop: Path, monkeypatch):
    plain = write_tree(tmp_path / "plain", {"a.py": "x = 1\n"})
    with pytest.raises(GitError, match="not a git repository"):
        make(plain, "HEAD")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="git was not found"):
        make(shop, "HEAD")


def test_an_object_that_is_missing_is_listed_and_the_rest_is_indexed(shop: Path):
    oid = git(shop, "rev-parse", "HEAD:mod_02.py").strip()
    place = shop / ".git/objects" / oid[:2] / oid[2:]
    data = place.read_bytes()
    place.unlink()
    report = make(shop, "HEAD")
    assert report.skipped["missing"] == 1
    assert "mod_02.py" not in open_index(shop, model="none", rev="HEAD").generation.paths
    place.write_bytes(data)  # as a fetch brings it
    assert "missing" not in make(shop, "HEAD").skipped
    assert "mod_02.py" in open_index(shop, model="none", rev="HEAD").generation.paths


def test_a_submodule_is_listed_as_in_a_checkout_without_it(shop: Path):
    git(shop, "update-index", "--add", "--cacheinfo", f"160000,{'12' * 20},module")
    tree = git(shop, "write-tree").strip()
    assert make(shop, tree).skipped["missing"] == 1


def test_an_index_below_the_root_of_git_is_of_its_folder(shop: Path):
    below = shop / "store"
    layout = Layout(below, shop.parent / "state")
    index_revision(below, LEXICAL, "HEAD", layout=layout, pool=POOL[0])
    assert Generation.open(layout.at(resolve_tree(below, "HEAD"))).paths == ["store.go"]


def test_variables_of_a_hook_do_not_lead_elsewhere(shop: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert resolve_tree(shop, "HEAD")


def test_objects_are_read_as_they_are(shop: Path):
    tree = resolve_tree(shop, "HEAD")
    files = [item for item in list_tree(shop, tree) if item.is_file]
    oids = [item.oid for item in files] + ["ab" * 20]
    wanted = [read_path(shop, tree, item.path) for item in files]
    assert list(read_blobs(shop, oids)) == [*wanted, None]
    assert blob_sizes(shop, oids) == [*map(len, wanted), None]
    assert dict(zip([f.path for f in files], wanted, strict=True))["crlf.py"] == TREE["crlf.py"]


def test_an_answer_about_a_revision_shows_its_code_and_is_not_kept(
    tmp_path: Path, quarry: Callable[..., Ran]
):
    root = write_tree(tmp_path / "repo", {"c.py": 'def clear(c):\n    """Clear at once."""\n'})
    write_tree(root, {"quarry.toml": 'model = "none"\n'})
    git(root, "init", "-q")
    commit_all(root)
    write_tree(root, {"c.py": 'def clear(c):\n    """Clear slowly."""\n'})
    then = json.loads(quarry("-C", root, "ask", "--rev", "HEAD", "clear", "--json").out)
    now = json.loads(quarry("-C", root, "ask", "clear", "--json").out)
    assert '"""Clear at once."""' in then["answer"]
    assert '"""Clear slowly."""' in now["answer"]
    flows = json.loads(quarry("-C", root, "flows", "list", "--json").out)
    assert flows["count"] == 1
