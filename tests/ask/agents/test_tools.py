"""The agents' tools: contained in the index, bounded, and never an exception."""

from __future__ import annotations

import json
import os
from itertools import combinations_with_replacement
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from agent_toys import SECRET
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import index, write_tree

from codequarry.ask.agents.shared import MOST_FOUND, SharedCandidates
from codequarry.ask.agents.tools import MAX_ARGUMENTS, MAX_LINES, OUTPUT_TOKENS, TOOLS, Toolbox
from codequarry.ask.candidates import find_candidates
from codequarry.models.chat_stream import ToolCall
from codequarry.models.tokens import estimate_tokens
from codequarry.retrieval.index import Index, Options, open_index

if TYPE_CHECKING:
    from pathlib import Path


def box(opened: Index, *, mask: bool = False) -> tuple[Toolbox, SharedCandidates]:
    found = opened.search("order")
    shared = SharedCandidates(opened.generation, find_candidates(opened.generation, found))
    return Toolbox(opened, shared, Options(), mask=mask), shared


def call(name: str, /, **arguments: object) -> ToolCall:
    return ToolCall("c", name, json.dumps(arguments))


def test_what_tools_find_gets_one_number_each(shop: Index):
    tools, shared = box(shop)
    before = len(shared.all().spans)
    first = tools.use(call("get_symbol", name="stamp"))
    again = tools.use(call("get_symbol", name="stamp"))
    assert first.text == again.text
    assert f"[[{before + 1}]] post/parcels.py lines 6-8" in first.text
    assert len(shared.all().spans) == before + 1
    assert shared.get(before + 1).text.startswith("def stamp")
    assert shared.get(before + 2) is None


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\etc\\passwd",
        ".env",
        ".git/config",
        ".quarry/store.json",
        "post/../../../etc/passwd",
        "post/\0keys.py",
        "file:///etc/passwd",
        "C:\\Windows\\win.ini",
        "%2e%2e/etc/passwd",
        "post",
        "",
    ],
)
def test_no_path_leads_out_of_the_index(shop: Index, path: str):
    tools, shared = box(shop)
    before = shared.all().spans
    used = tools.use(call("get_file", path=path))
    assert used.found == 0
    assert "root:" not in used.text
    assert "hunter2" not in used.text
    assert shared.all().spans == before


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_that_took_a_files_place_is_not_followed(tmp_path: Path):
    root = write_tree(tmp_path / "shop", {"a.py": "def order():\n    return 1\n"})
    (tmp_path / "secret").write_text("root:x:0\n")
    index(root)
    opened = open_index(root, model="none")
    tools, _ = box(opened)
    (root / "a.py").unlink()
    (root / "a.py").symlink_to(tmp_path / "secret")
    used = tools.use(call("get_file", path="a.py", end=1))
    assert (used.found, "root:x" in used.text) == (0, False)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (ToolCall("c", "rm", "{}"), "there is no tool 'rm'"),
        (ToolCall("c", "get_file", "{broken"), "not JSON"),
        (ToolCall("c", "get_file", "[1]"), "no JSON object"),
        (ToolCall("c", "get_file", "[" * 3000), "not JSON"),
        (ToolCall("c", "get_file", '{"path": 7}'), "path is missing"),
        (ToolCall("c", "search_more", '{"query": " "}'), "query is missing"),
        (ToolCall("c", "get_symbol", '{"name": "' + "x" * MAX_ARGUMENTS + '"}'), "too long"),
        (ToolCall("c", "get_symbol", '{"name": "..."}'), "no symbol"),
        (ToolCall("c", "get_symbol", '{"name": "nobody"}'), "no definition"),
        (ToolCall("c", "get_file", '{"path": "post/parcel.py"}'), "did you mean post/parcels.py"),
    ],
)
def test_a_wrong_call_is_told_how(shop: Index, made: ToolCall, said: str):
    used = box(shop)[0].use(made)
    assert said in used.text
    assert used.found == 0
    assert len(used.text) < 400


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(name=st.sampled_from([t["function"]["name"] for t in TOOLS]), arguments=st.text(max_size=80))
def test_any_arguments_give_a_sentence(shop: Index, name: str, arguments: str):
    assert box(shop)[0].use(ToolCall("c", name, arguments)).text


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        (None, None, (1, MAX_LINES)),
        (990, 5000, (990, 1000)),
        (-5, 3, (1, 3)),
        (50, 10, (50, 50)),
        ("7", "          9", (7, 9)),
        ("²", "9" * 500, (1, MAX_LINES)),
        (10**30, None, (1000, 1000)),
    ],
)
def test_lines_of_a_file_are_bounded(tmp_path: Path, start, end, lines: tuple[int, int]):
    text = "".join(f"value_{i} = {i}  # of the order\n" for i in range(1, 1001))
    root = write_tree(tmp_path / "long", {"long.py": text})
    index(root)
    tools, shared = box(open_index(root, model="none"))
    given_ = {key: value for key, value in (("start", start), ("end", end)) if value is not None}
    used = tools.use(call("get_file", path="long.py", **given_))
    assert used.argument == f"long.py:{lines[0]}-{lines[1]}"
    assert estimate_tokens(used.text) < OUTPUT_TOKENS + 100
    span = shared.all().spans[-1]
    assert (span.start_line, span.end_line) == lines


def test_keys_are_masked_for_others_and_shown_by_the_splice(shop: Index):
    tools, shared = box(shop, mask=True)
    used = tools.use(call("get_file", path="post/keys.py"))
    assert SECRET not in used.text
    assert "POST_KEY" in used.text
    assert SECRET in shared.all().spans[-1].text or any(
        SECRET in s.text for s in shared.all().spans
    )


KEY = [f"MII{chr(65 + i) * 60}" for i in range(8)]
PEM = ["-----BEGIN PRIVATE KEY-----", *KEY, "-----END PRIVATE KEY-----"]


def test_no_slice_of_a_file_shows_the_rest_of_a_key(keys: Index):
    for start, end in combinations_with_replacement(range(1, 15), 2):
        used = box(keys, mask=True)[0].use(call("get_file", path="post.py", start=start, end=end))
        assert used.found == 1
        assert not [line for line in KEY if line in used.text]
        assert SECRET not in used.text


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A key of many lines, and one that stands on the line after its name."""
    text = 'ORDER = """\n' + "\n".join(PEM) + f'\n"""\npassword = (\n    "{SECRET}"\n)\n'
    root = write_tree(tmp_path_factory.mktemp("keys") / "shop", {"post.py": text})
    index(root)
    return open_index(root, model="none")


def test_a_tool_that_breaks_is_a_sentence_for_the_model(shop: Index, monkeypatch):
    monkeypatch.setattr("codequarry.ask.agents.tools.find_symbols", lambda *_: 1 / 0)
    assert box(shop)[0].use(call("get_symbol", name="x")).text == (
        "get_symbol failed (ZeroDivisionError)"
    )


def test_the_filters_of_the_question_hold_for_the_tools(shop: Index):
    from codequarry.retrieval.filters import Filters

    shared = SharedCandidates(
        shop.generation, find_candidates(shop.generation, shop.search("order"))
    )
    scoped = Toolbox(shop, shared, Options(filters=Filters(scope="web")), mask=False)
    before = shared.all().spans
    for made in (
        call("search_more", query="pack parcel"),
        call("get_file", path="post/parcels.py"),
        call("get_symbol", name="pack"),
    ):
        assert "def " not in scoped.use(made).text.replace("def order_view", "")
    assert {span.path for span in shared.all().spans[len(before) :]} <= {"web/views.py"}
    assert scoped.use(call("get_symbol", name="order_view")).found == 1


def test_so_many_spans_and_no_more_from_any_number_of_threads(tmp_path: Path):
    text = "".join(f"value_{i} = {i}\n" for i in range(1, 2001))
    root = write_tree(tmp_path / "wide", {"wide.py": text})
    index(root)
    opened = open_index(root, model="none")
    tools, shared = box(opened)
    before = len(shared.all().spans)

    def read(first: int) -> None:
        for start in range(first, first + 40):
            tools.use(call("get_file", path="wide.py", start=start, end=start))

    threads = [Thread(target=read, args=(1 + 20 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spans = shared.all().spans
    assert len(spans) == before + MOST_FOUND
    assert [span.number for span in spans] == list(range(1, len(spans) + 1))
    assert len({(s.path, s.start_line, s.end_line) for s in spans}) == len(spans)
    assert "no more spans" in tools.use(call("get_file", path="wide.py", start=1999)).text
