"""TOML: one table changes, all else is left as its author wrote it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codequarry.errors import UsageError
from codequarry.shells.install.tomltext import drop, put

PATH = ("mcp_servers", "codequarry")
ENTRY = {"command": "C:\\Program Files\\quarry.exe", "args": ["-C", 'a "b"', "mcp"]}

_PAIRS = [
    "model = 'o'  # why",
    'text = """\n[mcp_servers.codequarry]\ncommand = "not this"\n"""',
    "raw = '''\n[x]\n'''",
    "list = [\n  1, # one\n  [2],\n]",
    'inline = {a = "]", "b c" = [{d = "#"}]}',
    '"quoted # key" = 2026-01-01',
    "dotted.key.deep = nan",
    "empty = ''",
    'quotes = """""two""""" # end',
]
_TABLES = [
    "[projects.'/home/u/[x]']\ntrust_level = \"trusted\"",
    '[mcp_servers.github]\ncommand = "gh"\n\n  [mcp_servers.github.env]\n  TOKEN = "t"',
    "# said before\n[[rows]]\na = 1\n[[rows]]\na = 2",
    "[mcp_servers]",
    '[ "odd" . table ] # c\nx = [[1], ["]"]]',
]
_OURS = [
    '[mcp_servers.codequarry]\ncommand = "old"\nargs = []',
    '[mcp_servers."codequarry"]\nargs = [\n "a"\n]\non = true\n[mcp_servers.codequarry.env]\nA="1"',
]


@st.composite
def texts(draw: st.DrawFn, ours: st.SearchStrategy[list[str]]) -> str:
    pairs = draw(st.lists(st.sampled_from(_PAIRS), unique=True, max_size=4))
    tables = draw(st.lists(st.sampled_from(_TABLES), unique=True, max_size=4))
    tables = draw(st.permutations(tables + draw(ours)))
    gaps = st.sampled_from(["\n", "\n\n", "\n# a comment [x]\n", "\n\n\n"])
    text = "".join(part + draw(gaps) for part in [*pairs, *tables])
    text = draw(st.sampled_from([text, text.rstrip("\n")]))
    return draw(st.sampled_from([text, text.replace("\n", "\r\n")]))


def _without(text: str) -> str:
    document = tomllib.loads(text)
    document.get("mcp_servers", {}).pop("codequarry", None)
    if not document.get("mcp_servers", True):
        del document["mcp_servers"]
    return repr(sorted(document.items()))


@given(texts(st.sampled_from([[], [_OURS[0]], [_OURS[1]]])))
def test_put_sets_the_table_and_changes_nothing_else(text: str):
    after = put(text, PATH, ENTRY)
    ours = tomllib.loads(after)["mcp_servers"]["codequarry"]
    assert {name: ours[name] for name in ENTRY} == ENTRY
    assert _without(after) == _without(text)
    assert put(after, PATH, ENTRY) == after
    assert after.count("#") == text.count("#")


@given(texts(st.sampled_from([[], [_OURS[0]], [_OURS[1]]])))
def test_drop_takes_the_table_and_changes_nothing_else(text: str):
    after = drop(text, PATH)
    assert "codequarry" not in tomllib.loads(after).get("mcp_servers", {})
    assert _without(after) == _without(text)


@given(texts(st.just([])))
def test_a_table_comes_and_goes_without_a_trace(text: str):
    after = drop(put(text, PATH, ENTRY), PATH)
    ended = text if not text or text.endswith("\n") else text + after[len(text) :]
    assert after == ended
    assert not ended[len(text) :].strip()


def test_keys_that_the_user_added_to_the_table_stay():
    after = put(_OURS[1], PATH, ENTRY)
    table = tomllib.loads(after)["mcp_servers"]["codequarry"]
    assert table == {**ENTRY, "on": True, "env": {"A": "1"}}


@pytest.mark.parametrize(
    "text",
    ["a = ", "[a]\n[a]\n", "a = 1\na = 2", 'mcp_servers = {codequarry = {command = "x"}}', "a={"],
)
def test_what_cannot_be_changed_by_a_table_is_refused(text: str):
    with pytest.raises(UsageError) as refused:
        put(text, PATH, ENTRY)
    assert refused.value.hint


def test_an_entry_on_one_line_is_taken_out_where_it_stands_alone():
    text = 'mcp_servers = {codequarry = {command = "x"}}\nb = 1\n'
    assert drop(text, PATH) == "b = 1\n"
