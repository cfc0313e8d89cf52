"""`quarry install`: files of agents written and cleared, whatever state they are in."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from configurations import any_written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.errors import UsageError
from codequarry.shells.install.agents import AGENTS, Scope, configuration_of, entry_of
from codequarry.shells.install.configuration import Change, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")
ALL = [agent.name for agent in AGENTS]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of a user who has nothing yet."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    bin_folder = write_tree(home / "bin", {"quarry": "#!/bin/sh\n", "quarry.exe": ""})
    (bin_folder / "quarry").chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    found = write_tree(tmp_path / "repo", {"a.py": "a = 1\n"})
    (found / ".git").mkdir()
    return found


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def _rows(ran: Ran) -> dict[str, dict]:
    return {row["agent"]: row for row in ran.json["rows"]}


@pytest.mark.parametrize("scope", [None, "project", "user"])
def test_every_agent_is_set_up_and_cleared_without_a_trace(
    root: Path, quarry: Callable[..., Ran], scope: str | None
):
    before = _files(root.parent / "home"), _files(root)
    names = [name for name in ALL if scope != "project" or name != "windsurf"]
    scoped = ["--scope", scope] if scope else []
    rows = _rows(quarry("-C", root, "install", *names, *scoped, "--json"))
    assert [row["state"] for row in rows.values()] == ["added"] * len(names)
    for row in rows.values():
        path = Path(row["path"])
        text = path.read_text()
        found = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        (servers,) = found.values()
        assert servers == {"codequarry": row["entry"]}
        command = row["entry"]["command"]
        words = command if isinstance(command, list) else [command, *row["entry"]["args"]]
        assert Path(words[0]).name in ("quarry", "quarry.exe")
        assert words[-1] == "mcp"
    again = quarry("-C", root, "install", *names, *scoped, "--json")
    assert {row["state"] for row in again.json["rows"]} == {"unchanged"}
    assert quarry("-C", root, "install", "--remove").status == 0
    assert (_files(root.parent / "home"), _files(root)) == before


def test_what_was_written_starts_the_server_for_the_repository(
    root: Path, quarry: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
):
    index(root)
    monkeypatch.setenv("PATH", "")  # as programs with windows are often started
    row = _rows(quarry("-C", root, "install", "claude", "--json"))["claude"]
    hello = {"capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    call = {"name": "quarry_graph", "arguments": {"op": "map"}}
    lines = [
        {"id": 1, "method": "initialize", "params": {**hello, "protocolVersion": "2025-06-18"}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    with subprocess.Popen(
        [row["entry"]["command"], *row["entry"]["args"]],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for line in lines:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "codequarry"
        assert json.loads(server.stdout.readline())["result"]["structuredContent"]["files"] == 1
        server.stdin.close()


def test_a_shared_file_names_no_path_of_this_machine(root: Path):
    for agent in AGENTS:
        if agent.project:
            shown = json.dumps(entry_of(agent, Scope.PROJECT, root))
            assert str(root.parent) not in shown


def test_a_client_that_starts_servers_anywhere_is_told_the_repository(
    root: Path, quarry: Callable[..., Ran]
):
    row = _rows(quarry("-C", root, "install", "windsurf", "--json"))["windsurf"]
    assert row["entry"]["args"] == ["-C", str(root), "mcp"]


def test_without_names_the_agents_of_this_machine_are_set_up(
    root: Path, quarry: Callable[..., Ran]
):
    none = quarry("-C", root, "install")
    assert none.status == 2
    assert "claude" in none.err
    (root.parent / "home" / ".cursor").mkdir()
    assert list(_rows(quarry("-C", root, "install", "--json"))) == ["cursor"]


def test_a_dry_run_tells_and_writes_nothing(root: Path, quarry: Callable[..., Ran]):
    before = _files(root.parent)
    ran = quarry("-C", root, "install", *ALL, "--dry-run")
    assert ran.out.count("would be added") == len(ALL)
    assert _files(root.parent) == before


def test_a_listing_tells_how_each_stands(root: Path, quarry: Callable[..., Ran]):
    quarry("-C", root, "install", "claude")
    (root / ".cursor").mkdir()
    (root / ".cursor/mcp.json").write_text('{"mcpServers": {"codequarry": {"command": "old"}}}')
    (root / "opencode.json").write_text("{ no")
    rows = quarry("-C", root, "install", "--list", "--scope", "project", "--json").json["rows"]
    states = {row["agent"]: row["state"] for row in rows}
    assert states["claude"] == "installed"
    assert states["cursor"] == "differs"
    assert states["opencode"] == "failed"
    assert states["zed"] == "absent"


def test_one_broken_file_is_refused_unharmed_and_the_others_are_written(
    root: Path, quarry: Callable[..., Ran]
):
    (root / ".mcp.json").write_bytes(b'{"mcpServers": {')
    ran = quarry("-C", root, "install", "claude", "vscode")
    assert ran.status == 1
    assert "error:" in ran.err
    assert "hint:" in ran.err
    assert (root / ".mcp.json").read_bytes() == b'{"mcpServers": {'
    assert (root / ".vscode/mcp.json").exists()


@pytest.mark.parametrize(
    "data", [b'{"a": "\xff"}', '{"a": 1}'.encode("utf-16"), b"\x00", b"[1]", b'"x"']
)
def test_what_is_no_configuration_stays_as_it_is(root: Path, data: bytes):
    path = root / "x.json"
    path.write_bytes(data)
    with pytest.raises(UsageError):
        Entry(path, ("a", "b"), {"command": "x"}).install()
    assert path.read_bytes() == data


def test_a_file_of_windows_keeps_its_mark_and_its_line_ends(root: Path):
    path = root / "x.json"
    before = b'\xef\xbb\xbf{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n'
    path.write_bytes(before)
    entry = Entry(path, ("mcpServers", "codequarry"), {"command": "x", "args": []})
    assert entry.install() is Change.ADDED
    after = path.read_bytes()
    assert after.startswith(b"\xef\xbb\xbf{\r\n    ")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert b'\r\n            "command": "x"' in after
    entry.remove()
    assert path.read_bytes() == before


@POSIX
def test_a_link_is_followed_and_the_mode_stays(root: Path):
    real = write_tree(root.parent / "dotfiles", {"claude.json": '{"token": "secret"}'})
    (real / "claude.json").chmod(0o600)
    link = root.parent / "home" / ".claude.json"
    link.symlink_to(real / "claude.json")
    Entry(link, ("mcpServers", "codequarry"), {"command": "x"}).install()
    assert link.is_symlink()
    assert json.loads(link.read_bytes())["mcpServers"]
    assert stat.S_IMODE((real / "claude.json").stat().st_mode) == 0o600


@POSIX
def test_a_link_in_a_repository_leads_nowhere_else(root: Path, quarry: Callable[..., Ran]):
    outside = root.parent / "home" / ".claude.json"
    outside.write_text("{}")
    (root / ".mcp.json").symlink_to(outside)
    ran = quarry("-C", root, "install", "claude")
    assert ran.status == 1
    assert "leads out of the repository" in ran.err
    assert outside.read_text() == "{}"


def test_what_was_written_since_outlives_the_removal(root: Path, quarry: Callable[..., Ran]):
    quarry("-C", root, "install", "claude")
    path = root / ".mcp.json"
    document = json.loads(path.read_bytes())
    document["mcpServers"]["other"] = {"command": "x"}
    path.write_text(json.dumps(document))
    quarry("-C", root, "install", "--remove", "claude")
    assert json.loads(path.read_bytes()) == {"mcpServers": {"other": {"command": "x"}}}


def test_an_entry_of_somebody_else_is_updated_and_then_gone(root: Path):
    path = root / "x.json"
    path.write_text('{"mcpServers": {"codequarry": {"command": "old", "env": {"A": "1"}}}}')
    entry = Entry(path, ("mcpServers", "codequarry"), {"command": "new"})
    assert entry.install() is Change.UPDATED
    assert entry.found() == {"command": "new", "env": {"A": "1"}}
    assert entry.remove() is Change.REMOVED
    assert json.loads(path.read_bytes()) == {"mcpServers": {}}


def test_a_newer_entry_is_still_taken_back_to_the_first_bytes(root: Path):
    path = root / "x.json"
    path.write_text('{  "a":1 }')
    for command in ("one", "two"):
        Entry(path, ("s", "codequarry"), {"command": command}).install()
    Entry(path, ("s", "codequarry"), {"command": "three"}).remove()
    assert path.read_text() == '{  "a":1 }'


def test_no_secret_of_a_configuration_is_kept_elsewhere(root: Path, quarry_home: Path):
    path = root / "x.json"
    path.write_text('{"token": "s3cret", "mcpServers": {"a": {"env": {"KEY": "s3cret"}}}}')
    Entry(path, ("mcpServers", "codequarry"), {"command": "x"}).install()
    kept = [file for file in quarry_home.rglob("*") if file.is_file()]
    assert kept
    assert not any(b"s3cret" in file.read_bytes() for file in kept)


def test_a_read_only_file_is_left_alone(
    root: Path, quarry: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
):
    path = root / ".mcp.json"
    path.write_text("{}")
    path.chmod(0o444)
    access = os.access  # for root, whom nothing stops, as for anybody else
    monkeypatch.setattr(
        os, "access", lambda where, mode: access(where, mode) and Path(where) != path
    )
    assert quarry("-C", root, "install", "claude").status == 1
    assert path.read_text() == "{}"


def test_a_commented_file_of_the_same_agent_is_taken(root: Path):
    (root / "opencode.jsonc").write_text("{}")
    agent = next(agent for agent in AGENTS if agent.name == "opencode")
    assert configuration_of(agent, Scope.PROJECT, root) == root / "opencode.jsonc"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "no agent is called 'nobody'"),
        (["windsurf", "--scope", "project"], "has no file for a project"),
        (["--list", "--remove"], "--list and --remove together"),
    ],
)
def test_what_cannot_be_done_is_said(
    root: Path, quarry: Callable[..., Ran], arguments: list[str], said: str
):
    ran = quarry("-C", root, "install", *arguments)
    assert ran.status in (1, 2)
    assert said in ran.err


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans().flatmap(lambda bom: any_written(has_entry=False).map(lambda t: (bom, t))))
def test_installing_and_removing_is_nothing(tmp_path: Path, made: tuple[bool, str]):
    bom, text = made
    path = tmp_path / "x.json"
    before = b"\xef\xbb\xbf" * bom + text.encode("utf-8", "surrogatepass")
    path.write_bytes(before)
    entry = Entry(path, ("mcpServers", "codequarry"), {"command": "x", "args": ["mcp"]})
    assert entry.install() is Change.ADDED
    assert entry.install() is Change.UNCHANGED
    assert entry.remove() is Change.REMOVED
    assert path.read_bytes() == before
    assert entry.remove() is Change.ABSENT
