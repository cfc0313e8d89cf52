"""Arguments that nobody should send: each has its one answer, no file outside is read."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from replay import HELLO, Replayed, call, command, replay, request
from support import index, modules, write_tree

if TYPE_CHECKING:
    from pathlib import Path

SEARCH, GRAPH, ASK = "quarry_search", "quarry_graph", "quarry_ask"
SECRET = "not to be read"

# what is refused as the caller's mistake
REFUSED: list[tuple[str, Any]] = [
    (SEARCH, {}),
    (SEARCH, None),
    (SEARCH, {"query": ""}),
    (SEARCH, {"query": "x" * 100_001}),
    (SEARCH, {"query": ["a"]}),
    (SEARCH, {"query": "a", "nope": 1}),
    (SEARCH, {"query": "a", "max_tokens": True}),
    (SEARCH, {"query": "a", "max_tokens": -1}),
    (SEARCH, {"query": "a", "max_tokens": 10**30}),
    (SEARCH, {"query": "a", "max_tokens": 16.5}),
    (SEARCH, {"query": "a", "lang": [1]}),
    (SEARCH, {"query": "a", "role": ["nope"]}),
    (SEARCH, {"query": "a", "glob": "*.py"}),
    (SEARCH, {"query": "a", "glob": ["!"]}),
    (SEARCH, {"query": "a", "near_symbol": "nowhere"}),
    (GRAPH, {}),
    (GRAPH, {"op": "drop"}),
    (GRAPH, {"op": "node"}),
    (GRAPH, {"op": "node", "target": "../../etc/passwd"}),
    (GRAPH, {"op": "path", "from": "mod_00.py"}),
    (GRAPH, {"op": "def", "target": "("}),
    (GRAPH, {"op": "callers", "target": "x" * 100_000}),
    (GRAPH, {"op": "impact", "target": "stock", "depth": 11}),
    (GRAPH, {"op": "refs", "target": "stock", "limit": -1}),
    ("quarry_index", {"wait": "yes"}),
    ("quarry_forge", {"x": 1}),
    ("quarry_flows", {"op": "show"}),
    ("quarry_flows", {"op": "show", "id": 2**70}),
    (ASK, {"question": " "}),
    (ASK, {"question": "x", "agents": True, "narrator": "extractive"}),
]

# what is odd, and has an answer all the same
ANSWERED: list[tuple[str, Any]] = [
    (SEARCH, {"query": "\0\x1b[31m\u202e ledger"}),
    (SEARCH, {"query": "ledger " * 12_000}),
    (SEARCH, {"query": "ledger", "in": "../.."}),
    (SEARCH, {"query": "ledger", "in": "/etc"}),
    (SEARCH, {"query": "ledger", "lang": ["klingon"]}),
    (SEARCH, {"query": "ledger", "glob": ["*" * 200 + "a", "**/" * 50, "[", ""]}),
    (SEARCH, {"query": "ledger", "max_tokens": 16}),
    (SEARCH, {"query": "ledger", "mode": "issue", "content": "docs"}),
    (GRAPH, {"op": "map", "max_tokens": 16}),
    (GRAPH, {"op": "node", "target": "mod_00.py"}),
    (GRAPH, {"op": "path", "from": "mod_00.py", "to": "mod_01.py"}),
    (GRAPH, {"op": "def", "target": "ledger_basket_00"}),
    (GRAPH, {"op": "callers", "target": "\0"}),
    (GRAPH, {"op": "callees", "target": "ledger_basket_00"}),
    (GRAPH, {"op": "refs", "target": "ledger_basket_00", "limit": 0}),
    (GRAPH, {"op": "impact", "target": "nowhere"}),
    ("quarry_index", {"start": False, "wait": True}),
    ("quarry_forge", {}),
    ("quarry_flows", {}),
    ("quarry_flows", {"op": "clear"}),
    (ASK, {"question": "how does the ledger work?"}),
    (ASK, {"question": "x", "in": "nowhere"}),
]

OUTSIDE = [
    "quarry:///../secret.py",
    "quarry:///%2e%2e/secret.py",
    "quarry:///..%2fsecret.py#L1-L1",
    "quarry:///..%5csecret.py",
    "quarry:///link.py",
    "quarry:////etc/passwd",
    "quarry:///.git/config",
    "quarry:///.quarry/CURRENT",
    "quarry:///%00",
    "quarry:///%ff",
    "quarry:///",
    "file:///etc/passwd",
    "",
    "quarry:///mod_00.py#L5-L2",
    "quarry:///mod_00.py#L999999999-L9999999999",
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Modules beside a file that is nobody's business, and a link to it."""
    outer = tmp_path_factory.mktemp("hostile")
    write_tree(outer, {"secret.py": f"x = {SECRET!r}\n"})
    made = write_tree(outer / "repo", modules(4) | {"two.odd": "a\n", "three.odd": "b\n"})
    if os.name != "nt":
        (made / "link.py").symlink_to(outer / "secret.py")
    if os.supports_bytes_environ:  # names of files are bytes
        odd = os.fsencode(made) + b"/caf\xe9.py"
        with open(odd, "w") as file:
            file.write("def latin_name():\n    return 1\n")
    (made / ".quarryignore").write_text("*" * 200 + "a\n")
    index(made)
    return made


@pytest.fixture(scope="module")
def replayed(root: Path) -> Replayed:
    """All of it in one session."""
    lines = [*HELLO, request("tools", "tools/list")]
    lines += [call(f"refused {n}", *one) for n, one in enumerate(REFUSED)]
    lines += [call(f"answered {n}", *one) for n, one in enumerate(ANSWERED)]
    lines += [request(f"outside {n}", "resources/read", uri=one) for n, one in enumerate(OUTSIDE)]
    lines += [
        call("latin", SEARCH, {"query": "latin_name"}),
        request("inside", "resources/read", uri="quarry:///mod_00.py#L1-L1"),
        request("latin code", "resources/read", uri="quarry:///caf%5Cxe9.py#L1-L1"),
        request("no arguments", "tools/call", name=SEARCH, arguments=[]),
        request("no name", "tools/call"),
        request("ping", "ping"),
    ]
    return replay(lines, command(root))


def test_every_call_has_its_answer_and_nothing_broke(replayed: Replayed):
    assert replayed.status == 0
    assert replayed.err == ""
    assert replayed.result("ping") == {}


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_a_mistake_is_told_to_the_model(replayed: Replayed, number: int):
    result = replayed.result(f"refused {number}")
    assert result["isError"]
    error = result["structuredContent"]["error"]
    assert error["code"] in ("usage", "invalid_query", "missing_api_key")
    assert error["message"] in result["content"][0]["text"]
    assert error["hint"]


@pytest.mark.parametrize("number", range(len(ANSWERED)))
def test_a_result_is_what_its_schema_says(replayed: Replayed, number: int):
    tool, _ = ANSWERED[number]
    result = replayed.result(f"answered {number}")
    assert not result["isError"], result
    assert result["content"][0]["text"]
    tools = {one["name"]: one for one in replayed.result("tools")["tools"]}
    jsonschema.validate(result["structuredContent"], tools[tool]["outputSchema"])


def test_what_is_refused_breaks_the_schema_wherever_it_can_tell(replayed: Replayed):
    tools = {one["name"]: one for one in replayed.result("tools")["tools"]}
    for schema in (one["inputSchema"] for one in tools.values()):
        jsonschema.Draft202012Validator.check_schema(schema)
    for tool, arguments in ANSWERED:
        jsonschema.validate(arguments, tools[tool]["inputSchema"])
    for tool, arguments in ((SEARCH, {}), (SEARCH, {"query": "a", "nope": 1}), (GRAPH, {})):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(arguments, tools[tool]["inputSchema"])


@pytest.mark.parametrize("number", range(len(OUTSIDE)))
def test_no_resource_leads_out_of_the_index(replayed: Replayed, number: int):
    answer = replayed.answers[f"outside {number}"]
    assert answer["error"]["code"] == -32602
    assert SECRET not in json.dumps(answer)


def test_lines_of_an_indexed_file_are_read(replayed: Replayed):
    (content,) = replayed.result("inside")["contents"]
    assert content["text"].startswith('"""Module 00')
    assert content["text"].count("\n") == 1


@pytest.mark.skipif(not os.supports_bytes_environ, reason="names of files are text")
def test_a_file_whose_name_is_not_utf8_is_found_and_read(replayed: Replayed):
    result = replayed.result("latin")
    assert not result["isError"]
    links = [one["uri"] for one in result["content"] if one["type"] == "resource_link"]
    assert "quarry:///caf%5Cxe9.py#L1-L2" in links
    (content,) = replayed.result("latin code")["contents"]
    assert content["text"] == "def latin_name():\n"


def test_a_long_question_is_not_sent_back(replayed: Replayed):
    long = next(n for n, (_, one) in enumerate(ANSWERED) if len(one.get("query", "")) > 50_000)
    assert len(json.dumps(replayed.result(f"answered {long}"))) < 40_000


def test_what_is_no_call_is_refused(replayed: Replayed):
    for name in ("no arguments", "no name"):
        assert replayed.answers[name]["error"]["code"] == -32602
