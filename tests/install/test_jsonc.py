"""JSON with comments: one entry changes, all else is left as its author wrote it."""

from __future__ import annotations

import copy

import pytest
from configurations import ENTRY, any_written
from hypothesis import given, settings
from hypothesis import strategies as st

from codequarry.errors import UsageError
from codequarry.shells.install.jsonc import drop, load, put

PATH = ("mcpServers", "codequarry")


def _without(document: dict) -> dict:
    rest = copy.deepcopy(document)
    rest.get("mcpServers", {}).pop("codequarry", None)
    if not rest.get("mcpServers", True):
        del rest["mcpServers"]
    return rest


@given(st.booleans().flatmap(lambda there: any_written(has_entry=there)))
def test_put_adds_the_entry_and_changes_nothing_else(text: str):
    before, after = load(text), load(put(text, PATH, ENTRY))
    ours = after["mcpServers"]["codequarry"]
    assert {name: ours[name] for name in ENTRY} == ENTRY
    assert _without(after) == _without(before)
    assert put(put(text, PATH, ENTRY), PATH, ENTRY) == put(text, PATH, ENTRY)


@given(st.booleans().flatmap(lambda there: any_written(has_entry=there)))
def test_drop_takes_the_entry_and_changes_nothing_else(text: str):
    after = drop(text, PATH)
    assert "codequarry" not in load(after).get("mcpServers", {})
    assert _without(load(after)) == _without(load(text))
    assert drop(after, PATH) == after


@settings(max_examples=60)
@given(any_written(has_entry=False))
def test_every_comment_outlives_put_and_drop(text: str):
    for after in (put(text, PATH, ENTRY), drop(put(text, PATH, ENTRY), PATH)):
        for comment in ("/* c, } */", "// c {", "/**/"):
            assert after.count(comment) == text.count(comment)


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "mcpServers": {\n    "a": {"command": "x"} // why\n  }\n}\n',
        '{\n\t"mcpServers": {\n\t\t"a": {},  /* b */ // c\n\t},\n}',
        '{\r\n  "mcpServers": {\r\n    "a": {\r\n      "b": 1\r\n    }\r\n  }\r\n}\r\n',
        '{"mcpServers": {"a": {"command": "x"}}, "z": 1}',
        '{"mcpServers": {"a": {},},}',
    ],
)
def test_a_server_behind_others_comes_and_goes_without_a_trace(text: str):
    assert drop(put(text, PATH, ENTRY), PATH) == text


def test_an_entry_is_written_as_the_file_is():
    text = '// mine\n{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // first\n\t},\n}\n'
    assert put(text, PATH, {"command": "quarry", "args": ["mcp"]}) == (
        '// mine\n{\n\t"mcpServers": {\n\t\t"a": {"command": "x"}, // first\n'
        '\t\t"codequarry": {\n\t\t\t"command": "quarry",\n\t\t\t"args": ["mcp"]\n\t\t},\n'
        "\t},\n}\n"
    )


def test_keys_that_the_user_added_to_the_entry_stay():
    text = '{"mcpServers": {"codequarry": {"env": {"A": "1"}, /* old */ "command": "old"}}}'
    after = put(text, PATH, {"command": "new", "args": []})
    assert '"env": {"A": "1"}, /* old */ "command": "new"' in after


@pytest.mark.parametrize("text", ["", " \n", "// nothing yet\n", "{}", "{ /* a */ }", "{\n}\n"])
def test_an_empty_configuration_gets_its_first_entry(text: str):
    after = put(text, PATH, ENTRY)
    assert load(after) == {"mcpServers": {"codequarry": ENTRY}}
    assert "/* a */" in after or "/*" not in text
    assert after.startswith("// nothing yet\n") or "//" not in text


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{} {}",
        '{"a": 1,, "b": 2}',
        "{,}",
        '{"a": NaN}',
        '{"a": "x}',
        "{ /* open }",
        "{'a': 1}",
        '{"mcpServers": []}',
        '{"mcpServers": null}',
        '{"mcpServers": {"codequarry": "x"}}',
        '{"a":' * 100_000,
    ],
)
def test_what_is_no_such_configuration_is_refused(text: str):
    with pytest.raises(UsageError) as refused:
        put(text, PATH, ENTRY)
    assert refused.value.hint
