"""Every command: what it prints, its exit status, and its errors for people and programs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from support import QUARRY, commit_all, index, modules, quarry_process, write_tree

from codequarry import __version__
from codequarry.shells.cli.main import COMMANDS
from codequarry.shells.cli.output import printable, shown_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    Quarry = Callable[..., Ran]

NOTHING_MADE = ("search", "status", "get", "chunks", "export")


def one_line_and_a_hint(ran: Ran) -> bool:
    lines = ran.err.rstrip("\n").split("\n")
    return (
        ran.out == ""
        and len(lines) == 2
        and lines[0].startswith("error: ")
        and lines[1].startswith("hint: ")
    )


# -------------------------------------------------------------------- the group


def test_help_lists_every_command(quarry: Quarry):
    ran = quarry("--help")
    assert ran.status == 0
    for name in COMMANDS:
        assert f"\n  {name} " in ran.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(quarry: Quarry, name: str):
    ran = quarry(name, "--help")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: quarry {name}")


def test_version(quarry: Quarry):
    assert quarry("--version").out == f"quarry, version {__version__}\n"


def test_no_arguments_show_help_and_exit_with_2(quarry: Quarry):
    ran = quarry()
    assert ran.status == 2
    assert "Usage: quarry" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["index", "--nonsense"],
        ["search"],
        ["search", "   "],
        ["search", "x", "--ranker", "nonsense"],
        ["search", "--batch", "/nowhere/at/all"],
        ["export", "nonsense"],
        ["get"],
        ["index", "--workers", "0"],
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_wrong_usage_exits_with_2(quarry: Quarry, arguments: list[str], as_json: bool):
    ran = quarry(*arguments, *(["--json"] if as_json else []))
    assert ran.status == 2
    if as_json:
        assert set(ran.json["error"]) == {"class", "code", "message", "hint"}
        assert ran.json["error"]["code"] == "usage"
    else:
        assert one_line_and_a_hint(ran)


@pytest.mark.parametrize("name", [*NOTHING_MADE, "index", "doctor"])
def test_a_path_that_does_not_exist_is_named(quarry: Quarry, tmp_path: Path, name: str):
    more = {"search": ["x"], "get": ["a.py"], "chunks": ["a.py"], "export": ["files"]}
    ran = quarry("-C", tmp_path / "nowhere", name, *more.get(name, []))
    assert ran.status == 2
    assert "nowhere does not exist" in ran.err


def test_a_file_is_no_repository(quarry: Quarry, tmp_path: Path):
    (tmp_path / "a.py").write_text("x\n")
    ran = quarry("-C", tmp_path / "a.py", "status")
    assert ran.status == 2
    assert "is a file" in ran.err


@pytest.mark.parametrize(
    ("name", "as_json"),
    [("export", False), *((n, j) for n in ("status", "get", "chunks") for j in (False, True))],
)
def test_without_an_index_commands_say_what_to_run(
    quarry: Quarry, tmp_path: Path, name: str, as_json: bool
):
    more = {"get": ["a.py"], "chunks": ["a.py"], "export": ["files"]}.get(name, [])
    ran = quarry("-C", tmp_path, name, *more, *(["--json"] if as_json else []))
    assert ran.status == 1
    if as_json:
        assert ran.json["error"]["code"] == "index_not_found"
        assert ran.json["error"]["hint"] == "run: quarry index"
    else:
        assert one_line_and_a_hint(ran)
        assert "quarry index" in ran.err


def test_dash_c_stands_before_or_after_the_command(quarry: Quarry, thirty: Path):
    before = quarry("-C", thirty, "status", "--json")
    after = quarry("status", "-C", thirty, "--json")
    assert before.json == after.json


def test_an_unexpected_error_is_one_line_and_debug_shows_it(
    quarry: Quarry, monkeypatch: pytest.MonkeyPatch, thirty: Path
):
    from codequarry.shells.cli import status

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("first line\nsecond line")

    monkeypatch.setattr(status, "status_document", broken)
    ran = quarry("-C", thirty, "status")
    assert ran.status == 1
    assert one_line_and_a_hint(ran)
    assert "ZeroDivisionError: first line" in ran.err
    with pytest.raises(ZeroDivisionError):
        quarry("--debug", "-C", thirty, "status")


# ----------------------------------------------------------------------- index


COUNTS = {
    "root",
    "generation",
    "state",
    "up_to_date",
    "files",
    "chunks",
    "symbols",
    "skipped",
    "trouble",
    "degraded",
    "parse_states",
    "blobs_parsed",
    "vectors_computed",
    "vectors_reused",
    "missing_vectors",
    "seconds",
}


def test_index_reports_counts_as_json(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(5) | {"logo.png": "x", ".env": "x=1\n"})
    ran = quarry("-C", root, "index", "--json", "--workers", "1")
    assert (ran.status, ran.err) == (0, "")
    report = ran.json
    assert set(report) >= COUNTS
    assert (report["files"], report["blobs_parsed"], report["up_to_date"]) == (5, 5, False)
    assert report["skipped"] == {"binary": 1, "secret": 1}
    assert report["vectors_computed"] == 10
    assert {"census", "total"} <= set(report["seconds"])
    again = quarry("-C", root, "index", "--json").json
    assert (again["up_to_date"], again["blobs_parsed"], again["vectors_computed"]) == (True, 0, 0)
    assert {k: again[k] for k in ("files", "chunks", "symbols", "generation", "state")} == {
        k: report[k] for k in ("files", "chunks", "symbols", "generation", "state")
    }


def test_index_summary_is_for_people(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(2) | {"logo.png": "x", "broken.py": "def (:\n"})
    ran = quarry("-C", root, "index", "--model", "none")
    assert ran.status == 0
    assert "indexed 3 files" in ran.out
    assert "left out 1: 1 binary" in ran.out
    assert "1 file has syntax errors" in ran.out
    assert quarry("-C", root, "index", "--model", "none").out.startswith("up to date: 3 files")
    assert quarry("-C", root, "index", "--model", "none", "-q").out == ""


def test_rebuild_parses_everything_anew(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(3))
    quarry("-C", root, "index", "--model", "none", "-q")
    report = quarry("-C", root, "index", "--model", "none", "--rebuild", "--json").json
    assert (report["up_to_date"], report["blobs_parsed"]) == (False, 3)


@pytest.mark.parametrize("tree", [{}, {"logo.png": "x"}, {".gitignore": "*\n", "a.py": "x\n"}])
def test_an_index_of_nothing_is_a_warning_and_exit_1(
    quarry: Quarry, tmp_path: Path, tree: dict[str, str]
):
    root = write_tree(tmp_path / "repo", tree)
    if ".gitignore" in tree:
        (root / ".quarryignore").write_text(".gitignore\n.quarryignore\n")
    ran = quarry("-C", root, "index")
    assert ran.status == 1
    assert "warning: no file was indexed" in ran.err
    assert quarry("-C", root, "index", "--json").status == 1
    searched = quarry("-C", root, "search", "anything")
    assert searched.status == 1
    assert "holds no file" in searched.err


def test_an_empty_git_repository_is_a_warning_too(quarry: Quarry, tmp_path: Path):
    commit_all(tmp_path)
    assert quarry("-C", tmp_path, "index").status == 1


def test_the_index_is_invisible_to_git(tmp_path: Path):
    from support import git

    root = write_tree(tmp_path, modules(2))
    commit_all(root)
    index(root)
    assert git(root, "status", "--porcelain") == ""


# ---------------------------------------------------------------------- search


def test_a_first_search_makes_the_index(tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(3))
    ran = quarry_process("-C", str(root), "search", "unit01", "--json", QUARRY_MODEL="none")
    assert ran.status == 0
    assert ran.err == f"indexing {root} (first time)\n"
    assert ran.json["core"][0]["path"] == "mod_01.py"


def test_search_answers_in_the_documented_form(quarry: Quarry, thirty: Path):
    answer = quarry("-C", thirty, "search", "unit07", "--json").json
    assert set(answer) >= {
        "query",
        "mode",
        "evidence",
        "elapsed_ms",
        "core",
        "related",
        "generation",
        "stale",
    }
    core = answer["core"][0]
    assert core["path"] == "mod_07.py"
    assert {"start_line", "end_line", "name", "kind", "score"} <= set(core["chunks"][0])
    for related in answer["related"]:
        assert {"path", "score", "why", "best_span", "symbols"} <= set(related)
    assert answer["stale"] is False


def test_search_for_people_shows_numbered_code(quarry: Quarry, thirty: Path):
    ran = quarry("-C", thirty, "search", "unit07")
    assert "mod_07.py" in ran.out
    assert "5      " in ran.out
    assert '"""Marker unit07."""' in ran.out
    assert '"""Marker unit07."""' not in quarry("-C", thirty, "search", "unit07", "--no-code").out


def test_a_sub_path_scopes_the_answer(quarry: Quarry, tmp_path: Path):
    root = write_tree(
        tmp_path / "repo",
        {"a/x.py": "def needle(): pass\n", "b/y.py": "def needle(): pass\n"},
    )
    index(root)

    def paths(*arguments: object) -> set[str]:
        found = quarry(*arguments, "--json").json
        return {f["path"] for f in [*found["core"], *found["related"]]}

    assert paths("-C", root, "search", "needle") == {"a/x.py", "b/y.py"}
    assert paths("-C", root / "a", "search", "needle") == {"a/x.py"}
    assert paths("-C", root, "search", "needle", "--in", "b") == {"b/y.py"}
    assert paths("-C", root, "search", "needle", "--in", "b\\") == {"b/y.py"}
    assert paths("-C", root, "search", "needle", "--in", "./b/") == {"b/y.py"}
    nothing = quarry("-C", root, "search", "needle", "--in", "nowhere", "--json")
    assert nothing.status == 1
    assert "nowhere" in nothing.json["notes"][0]


def test_batch_takes_plain_and_json_lines(
    quarry: Quarry, thirty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    lines = 'unit03\n\n{"id": "q2", "query": "unit04"}\n{not json unit05\n'
    (tmp_path / "batch").write_text(lines)
    ran = quarry("-C", thirty, "search", "--batch", tmp_path / "batch", "--json")
    answers = [json.loads(line) for line in ran.out.split("\n") if line]
    assert [answer["core"][0]["path"] for answer in answers] == [
        "mod_03.py",
        "mod_04.py",
        "mod_05.py",
    ]
    assert [answer.get("id") for answer in answers] == [None, "q2", None]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert len(quarry("-C", thirty, "search", "--batch", "-", "--json").out.split("\n")) == 4


def test_a_bad_batch_line_is_named(quarry: Quarry, thirty: Path, tmp_path: Path):
    (tmp_path / "batch").write_text('unit03\n{"id": 1}\n')
    ran = quarry("-C", thirty, "search", "--batch", tmp_path / "batch", "--json")
    assert ran.status == 0
    first, second = map(json.loads, ran.out.splitlines())
    assert first["core"]
    assert "batch line 2" in second["error"]["message"]


def test_a_changed_file_is_marked_and_a_deleted_one_does_not_fail(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(4))
    index(root)
    (root / "mod_01.py").write_text("# other text\n")
    (root / "mod_02.py").unlink()
    for word in ("unit01", "unit02"):
        answer = quarry("-C", root, "search", word, "--json").json
        assert answer["stale"] is True
        assert answer["core"][0]["changed"] is True
        assert quarry("-C", root, "search", word).status == 0


# ------------------------------------------------------------------ get, chunks


def test_get_prints_what_sed_prints(quarry: Quarry, tmp_path: Path):
    text = "one\r\ntwo \x0c\u2028 still two\nthree\n\nfive without end"
    root = write_tree(tmp_path / "repo", {"src/a.py": text})
    index(root)
    (tmp_path / "plain").write_bytes(text.encode())
    for start, end in ((1, 1), (2, 2), (1, 5), (3, 4), (5, 5)):
        sed = subprocess.run(
            ["sed", "-n", f"{start},{end}p", tmp_path / "plain"], capture_output=True, check=True
        )
        done = subprocess.run(
            [*QUARRY, "-C", root, "get", f"src/a.py:{start}-{end}"], capture_output=True
        )
        assert (done.returncode, done.stdout) == (0, sed.stdout)
    assert quarry("-C", root, "get", "src/a.py:3").out == "three\n"
    whole = quarry("-C", root, "get", "src/a.py", "--json").json
    assert (whole["text"], whole["end_line"], whole["changed"]) == (text, 5, False)


@pytest.mark.parametrize("bad", ["src/a.py:0", "src/a.py:6", "src/a.py:3-2", "src/a.py:1-99"])
def test_lines_that_are_not_there_are_an_error_with_the_number_of_lines(
    quarry: Quarry, tmp_path: Path, bad: str
):
    root = write_tree(tmp_path / "repo", {"src/a.py": "1\n2\n3\n4\n5\n"})
    index(root)
    ran = quarry("-C", root, "get", bad)
    assert ran.status == 2
    assert "lines 1-5" in ran.err


@pytest.mark.parametrize(
    "path",
    ["../outside.py", "src/../../outside.py", "/etc/passwd", ".git/config", ".env", "nothing.py"],
)
def test_only_indexed_files_can_be_read(quarry: Quarry, tmp_path: Path, path: str):
    root = write_tree(tmp_path / "repo", {"src/a.py": "x\n", ".env": "KEY=1\n"})
    write_tree(tmp_path, {"outside.py": "SECRET\n"})
    commit_all(root)
    index(root)
    ran = quarry("-C", root, "get", path)
    assert ran.status == 1
    assert "is not in the index" in ran.err


def test_get_shows_on_a_terminal_what_would_steer_it(
    quarry: Quarry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    root = write_tree(tmp_path / "repo", {"a.py": "x = '\x1b[2J'\r\ny = 1\n"})
    index(root)
    raw = subprocess.run([*QUARRY, "-C", root, "get", "a.py"], capture_output=True).stdout
    assert raw == b"x = '\x1b[2J'\r\ny = 1\n"
    monkeypatch.setattr("codequarry.shells.cli.read._is_terminal", lambda: True)
    assert quarry("-C", root, "get", "a.py").out == "x = '\\x1b[2J'\ny = 1\n"


def test_doctor_verifies_hashes_when_asked(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(3))
    index(root)
    whole = quarry("-C", root, "doctor", "--verify", "--json").json["findings"]
    assert {"hashes"} == {f["what"] for f in whole if "as it was written" in f["value"]}
    path = next((root / ".quarry/generations").glob("*/file_priors.npy"))
    data = bytearray(path.read_bytes())
    data[-1] ^= 0xFF
    path.write_bytes(data)
    ran = quarry("-C", root, "doctor", "--verify", "--json")
    assert ran.status == 1
    assert "file_priors.npy" in ran.json["findings"][-1]["value"]
    assert quarry("-C", root, "index", "--rebuild", "--model", "none").status == 0
    assert quarry("-C", root, "doctor", "--verify").status == 0


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_two_names_that_differ_in_bad_bytes_are_two_paths(quarry: Quarry, tmp_path: Path):
    root = tmp_path / "repo"
    root.mkdir()
    for byte, word in ((b"\xe9", "first"), (b"\xe8", "second")):
        (root / os.fsdecode(b"a" + byte + b".py")).write_text(f"{word} = 1\n")
    index(root)
    assert quarry("-C", root, "get", "a\\xe9.py").out == "first = 1\n"
    assert quarry("-C", root, "get", "a\\xe8.py").out == "second = 1\n"


def test_a_file_replaced_by_a_link_out_is_not_read(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", {"a.py": "x\n"})
    write_tree(tmp_path, {"outside.py": "SECRET\n"})
    index(root)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(tmp_path / "outside.py")
    for arguments in (["get", "a.py"], ["search", "x"], ["chunks", "a.py", "--ast"]):
        ran = quarry("-C", root, *arguments)
        assert "SECRET" not in ran.out + ran.err


def test_a_file_replaced_by_a_pipe_does_not_block(tmp_path: Path):
    root = write_tree(tmp_path / "repo", {"a.py": "x\n"})
    index(root)
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")
    assert quarry_process("-C", str(root), "get", "a.py").status == 1
    assert quarry_process("-C", str(root), "search", "x", "--json").json["stale"] is True


def test_chunks_cover_the_file(quarry: Quarry, thirty: Path):
    document = quarry("-C", thirty, "chunks", "mod_03.py", "--json").json
    spans = [(chunk["start_line"], chunk["end_line"]) for chunk in document["chunks"]]
    assert spans[0][0] == 1
    assert spans[-1][1] == document["line_count"] == 6
    assert "mod_03.py: python, 6 lines" in quarry("-C", thirty, "chunks", "mod_03.py").out


def test_chunks_show_the_parse_tree_on_demand(quarry: Quarry, thirty: Path):
    document = quarry("-C", thirty, "chunks", "mod_03.py", "--json", "--ast").json
    assert any("function_definition" in line for line in document["tree"])


# -------------------------------------------------------------- status, export


def test_status_lists_what_was_left_out_and_why(quarry: Quarry, tmp_path: Path):
    root = write_tree(tmp_path / "repo", modules(2) | {"logo.png": "x", ".env": "x=1\n"})
    index(root)
    ran = quarry("-C", root, "status", "--skipped")
    assert sorted(line.split() for line in ran.out.strip().split("\n")) == [
        ["binary", "logo.png", "(by", "its", "extension)"],
        ["secret", ".env", *"(name of a key or credential file)".split()],
    ]
    document = quarry("-C", root, "status", "--json", "--skipped").json
    assert document["skipped"] == {"binary": 1, "secret": 1}
    assert (document["files"], document["state"]) == (2, "complete")
    assert {item["path"] for item in document["skipped_files"]} == {"logo.png", ".env"}


EXPORTED = {
    "files": {"path", "language", "role", "line_count"},
    "chunks": {"path", "start_line", "end_line", "kind", "name", "part"},
    "symbols": {
        *("path", "name", "qualified", "kind", "parent", "static", "doc"),
        *("line", "end_line", "signature"),
    },
}


@pytest.mark.parametrize("what", EXPORTED)
def test_export_gives_the_same_rows_in_both_formats(
    quarry: Quarry, thirty: Path, tmp_path: Path, what: str
):
    for form in ("jsonl", "parquet"):
        ran = quarry("-C", thirty, "export", what, "--format", form, "-o", tmp_path / form)
        assert (ran.status, ran.out) == (0, "")
    lines = [json.loads(line) for line in (tmp_path / "jsonl").read_text().split("\n") if line]
    assert len(lines) == 30
    assert set(lines[0]) >= EXPORTED[what]
    assert pq.read_table(tmp_path / "parquet").to_pylist() == lines
    assert quarry("-C", thirty, "export", what).out == (tmp_path / "jsonl").read_text()


def test_export_to_a_folder_that_cannot_be_written_is_one_line(
    quarry: Quarry, thirty: Path, tmp_path: Path
):
    (tmp_path / "file").write_text("x")
    ran = quarry("-C", thirty, "export", "files", "-o", tmp_path / "file/out")
    assert ran.status == 1
    assert one_line_and_a_hint(ran)


# ---------------------------------------------------------------- the terminal


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
@pytest.mark.parametrize("command", ["search unit07 --full", "export chunks", "get mod_07.py"])
def test_a_closed_pipe_ends_silently(thirty: Path, tmp_path: Path, command: str):
    quarry = " ".join([*QUARRY, "-C", str(thirty), command])
    script = f"set -o pipefail; {quarry} 2>{tmp_path}/err | head -c 1 >/dev/null; echo $?"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), (tmp_path / "err").read_text()) == ("0", "")


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_pipe_closed_before_the_first_byte_ends_silently(thirty: Path):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*QUARRY, "-C", thirty, "export", "chunks"], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("sign", ["\x1b", "\x9b", "\x9d", "\x07", "\x7f", "\u202e", "\u2066", "\n"])
def test_what_steers_a_terminal_is_shown_not_sent(sign: str):
    assert sign not in printable(f"a{sign}b")
    assert printable(f"a{sign}b").startswith("a\\")


@pytest.mark.parametrize("text", ["", "plain", "tab\there", "größe 库存 📦 👩\u200d💻", "a\u00a0b"])
def test_ordinary_text_is_shown_as_it_is(text: str):
    assert printable(text) == text


def test_half_a_surrogate_pair_can_be_shown():
    printable("\ud83d").encode()


def test_a_long_line_is_bounded_when_shown():
    shown = shown_line("x" * 450_000)
    assert len(shown) < 500
    assert "449,600 more characters" in shown


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be made")
def test_an_escape_sequence_in_a_file_name_does_not_reach_the_terminal(tmp_path: Path):
    evil = "\x1b]0;owned\x07\x1b[31m.py"
    root = write_tree(tmp_path / "repo", {evil: "def needle(): pass\n", "\x1b[2J.png": "x"})
    for arguments in (
        ["index", "--model", "none"],
        ["search", "needle"],
        ["status"],
        ["status", "--skipped"],
        ["chunks", evil],
        ["get", evil],
        ["get", f"{evil}x"],
        ["export", "files"],
    ):
        ran = quarry_process("-C", str(root), *arguments)
        assert "\x1b" not in ran.out + ran.err


def test_an_answer_in_its_other_forms(tmp_path: Path, quarry):
    shop = write_tree(tmp_path / "shop", {"cart.py": "def add_to_cart(item):\n    return item\n"})
    bank = write_tree(tmp_path / "bank", {"loan.py": "def grant_loan(sum):\n    return sum\n"})
    for root in (shop, bank):
        index(root)
    question = "how is an item added to the cart"
    flat = quarry("-C", shop, "search", "--prune", question, "--json").json
    assert [chunk["path"] for chunk in flat["chunks"]] == ["cart.py"]
    small = quarry("-C", shop, "search", "--max-tokens", "1", question, "--json").json
    assert small["core"][0]["chunks"][0]["form"] == "pointer"
    assert small["budget"]["max_tokens"] == 1
    shown = quarry("-C", shop, "search", "--max-tokens", "500", question)
    assert "def add_to_cart(item):" in shown.out
    both = quarry("-C", bank, "search", "--also", shop, question, "--json").json
    assert (both["core"][0]["repo"], both["core"][0]["path"]) == ("shop", "cart.py")
    assert "cart.py" in quarry("-C", bank, "search", "--also", shop, question).out
    best = quarry("-C", shop, "search", "--best", question, "--json")
    assert "not reranked" in best.json["notes"][-1]


def test_a_question_comes_from_standard_input(tmp_path: Path):
    root = write_tree(tmp_path / "shop", {"cart.py": "def add_to_cart(item):\n    return item\n"})
    index(root)
    command = [*QUARRY, "-C", str(root), "search", "--stdin", "--json"]
    issue = b'Adding fails\n\n  File "/srv/cart.py", line 2, in add_to_cart\n' + b"word \xff" * 30
    done = subprocess.run(command, input=issue, capture_output=True)
    document = json.loads(done.stdout)
    assert (document["mode"], document["core"][0]["path"]) == ("issue", "cart.py")
    assert document["core"][0]["why"] == ["score", "trace"]


@pytest.mark.parametrize(
    "options",
    [
        ("--prune", "--max-tokens", "100"),
        ("--also", ".", "--prune"),
        ("--also", "."),
        ("--also", ".", "--best"),
        ("--also", "nowhere"),
        ("--max-tokens", "-1"),
        ("--stdin",),
    ],
)
def test_forms_that_do_not_go_together_are_wrong_usage(
    tmp_path: Path, quarry, monkeypatch, options
):
    root = write_tree(tmp_path / "shop", {"cart.py": "def add(item):\n    return item\n"})
    index(root)
    monkeypatch.chdir(root)
    assert quarry("search", *options, "add an item").status == 2
