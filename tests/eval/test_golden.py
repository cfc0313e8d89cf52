from __future__ import annotations

import json

import pytest

from codequarry.eval.errors import GoldenError
from codequarry.eval.golden import Target, load_golden


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def load_one(tmp_path, row):
    (only,) = load_golden(write(tmp_path / "set.jsonl", row)).rows
    return only


def test_our_own_row_keeps_spans_language_and_kind(tmp_path):
    row = load_one(
        tmp_path,
        {
            "query": "q",
            "repo": "r",
            "gold": [{"path": "a.py", "start": 3, "end": 9}, {"path": "b.py"}],
            "lang": "python",
            "kind": "symbol",
        },
    )
    assert row.gold == (Target("a.py", 3, 9), Target("b.py"))
    assert (row.id, row.language, row.kind, row.commit) == ("set/1", "python", "symbol", "")


def test_public_row_keeps_commit_root_and_what_the_query_mentions(tmp_path):
    row = load_one(
        tmp_path,
        {
            "id": "x/1",
            "query": "q",
            "gold_files": ["src/a.py"],
            "secondary_files": ["src/b.py", "src/a.py"],
            "repo": "old/name",
            "git_repo": "new/name",
            "commit": "ab" * 20,
            "language": "python",
            "category": "semantic",
            "benchmark_root": "src/",
            "exact_commit": False,
            "mentions_path": False,
            "mentions_basename": True,
        },
    )
    assert row.relevant_paths == ("src/a.py", "src/b.py")
    assert (row.root, row.git_repo, row.kind) == ("src", "new/name", "semantic")
    assert not row.exact_commit
    assert (row.mentions_path, row.mentions_basename, row.mentions_stem) == (False, True, False)


def test_public_row_takes_the_span_of_an_annotation_that_lacks_the_root(tmp_path):
    row = load_one(
        tmp_path,
        {
            "query": "q",
            "repo": "r",
            "gold_files": ["lib/core/a.js"],
            "relevant_raw": [{"path": "core/a.js", "start_line": 22, "end_line": 61}],
        },
    )
    assert row.gold == (Target("lib/core/a.js", 22, 61),)


def test_annotation_row_with_relevant_paths_and_spans(tmp_path):
    relevant = ["a.py", {"path": "b.py", "start_line": 1, "end_line": 2}]
    row = load_one(tmp_path, {"query": "q", "repo": "r", "relevant": relevant})
    assert row.gold == (Target("a.py"), Target("b.py", 1, 2))


def test_null_root_means_the_whole_repository(tmp_path):
    row = load_one(
        tmp_path, {"query": "q", "repo": "r", "gold_files": ["a"], "benchmark_root": None}
    )
    assert row.root == ""


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([], "not a JSON object"),
        ({"repo": "r", "gold": ["a"]}, "the query is empty"),
        ({"query": "q"}, "no gold file"),
        ({"query": "q", "gold": []}, "no gold file"),
        ({"query": "q", "gold": "a"}, "gold is not a list"),
        ({"query": "q", "gold": [7]}, "neither a path nor"),
        ({"query": "q", "gold": ["../a"]}, "not a path below"),
        ({"query": "q", "gold": ["/etc/passwd"]}, "not a path below"),
        ({"query": "q", "gold": [{"path": "a", "start": 5}]}, "are no span"),
        ({"query": "q", "gold": [{"path": "a", "start": 5, "end": 2}]}, "are no span"),
        ({"query": "q", "gold": [{"path": "a", "start": 0, "end": 2}]}, "not a line number"),
        ({"query": "q", "gold": [{"path": "a", "start": True, "end": 2}]}, "not a line number"),
        ({"query": 7, "gold": ["a"]}, "query is not a string"),
        ({"query": "q", "gold": ["a"], "mentions_path": "no"}, "neither true nor false"),
    ],
)
def test_bad_row_is_named_by_its_line(tmp_path, row, said):
    good = {"query": "fine", "repo": "r", "gold": ["a"]}
    with pytest.raises(GoldenError, match=r"set\.jsonl, line 2: ") as caught:
        load_golden(write(tmp_path / "set.jsonl", good, row))
    assert said in caught.value.message


def test_line_that_is_not_json_is_named(tmp_path):
    path = tmp_path / "set.jsonl"
    path.write_text('\n{"query": \n', encoding="utf-8")
    with pytest.raises(GoldenError, match=r"line 2: Expecting value"):
        load_golden(path)


def test_same_id_twice_is_refused(tmp_path):
    row = {"id": "x", "query": "q", "repo": "r", "gold": ["a"]}
    with pytest.raises(GoldenError, match=r"line 2: id 'x' is also on line 1"):
        load_golden(write(tmp_path / "set.jsonl", row, row))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe"])
def test_file_without_questions_is_refused(tmp_path, content):
    path = tmp_path / "set.jsonl"
    path.write_bytes(content)
    with pytest.raises(GoldenError):
        load_golden(path)


def test_line_ends_of_a_checkout_do_not_change_the_identity(tmp_path):
    path = write(tmp_path / "set.jsonl", {"query": "q", "repo": "r", "gold": ["a"]})
    unix = load_golden(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_golden(path) == unix


def test_missing_file_is_a_golden_error(tmp_path):
    with pytest.raises(GoldenError, match="cannot be read"):
        load_golden(tmp_path / "none.jsonl")
