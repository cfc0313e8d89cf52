"""Label propagation against a reference written from the specification, and what it gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from graph.graph_trees import graph_bytes, indexed
from hypothesis import given
from hypothesis import strategies as st
from support import LEXICAL, generation_bytes, index, modules, write_tree

from codequarry.assets.graph.communities import communities, semantic_votes, structural_votes
from codequarry.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

N = 9
pairs = st.dictionaries(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] < p[1]),
    st.tuples(st.integers(0, 3), st.integers(0, 100)),
    max_size=24,
)


def reference(ties, hubs):
    """Own label, files in order, 1.0 × kinds + 0.5 × cosine, smallest on ties, 50 rounds."""
    label = list(range(N))
    for _ in range(50):
        before = list(label)
        for file in range(N):
            votes = {}
            for (a, b), (kinds, percent) in ties.items():
                if file in (a, b):
                    other = b if file == a else a
                    if other not in hubs:  # in hundredths, doubled: no rounding
                        votes[label[other]] = votes.get(label[other], 0) + 200 * kinds + percent
            if votes and max(votes.values()):
                label[file] = min(k for k, v in votes.items() if v == max(votes.values()))
        if label == before:
            break
    groups = sorted({name: [f for f in range(N) if label[f] == name] for name in label}.values())
    groups.sort(key=lambda files: (-len(files), files[0]))
    return [next(i for i, files in enumerate(groups) if f in files) for f in range(N)]


@given(ties=pairs, hubs=st.sets(st.integers(0, N - 1), max_size=3))
def test_propagation_is_what_the_specification_says(ties, hubs):
    ends = np.array(sorted(ties), np.int64).reshape(-1, 2)
    kinds = np.array([ties[a, b][0] for a, b in ends.tolist()], np.int64)
    cosine = np.array([ties[a, b][1] / 100 for a, b in ends.tolist()], np.float32)
    is_hub = np.isin(np.arange(N), sorted(hubs))
    votes = structural_votes(ends[:, 0], ends[:, 1], kinds).and_(
        semantic_votes(ends[:, 0], ends[:, 1], cosine)
    )
    assert communities(N, votes, is_hub).tolist() == reference(ties, hubs)


def test_packages_that_use_themselves_are_communities_named_by_their_folder(tmp_path: Path):
    files = {}
    for package, words in {
        "billing": "invoice receipt ledger",
        "search": "query rank term",
    }.items():
        for word in words.split():
            others = "".join(
                f"from {package}.{other} import make_{other}\n"
                for other in words.split()
                if other != word
            )
            files[f"{package}/{word}.py"] = f"{others}\n\ndef make_{word}():\n    pass\n"
    graph = indexed(tmp_path, files)
    by_path = dict(zip(graph.generation.paths, graph.community.tolist(), strict=True))
    assert len({by_path[p] for p in by_path if p.startswith("billing/")}) == 1
    assert len(set(by_path.values())) == 2
    assert {graph.names[c].partition(":")[0] for c in by_path.values()} == {"billing", "search"}


def test_names_differ(tmp_path: Path):
    graph = indexed(tmp_path, {f"a/{i}.py": "x = 1\n" for i in range(5)} | modules(5))
    assert len(set(graph.names)) == len(graph.names)


def test_processes_and_the_order_of_files_change_no_byte(tmp_path: Path):
    files = modules(16)
    one = write_tree(tmp_path / "one" / "shop", files)
    two = write_tree(tmp_path / "two" / "shop", dict(reversed(files.items())))
    index(one, Settings(workers=1))
    index(two, Settings(workers=2))
    assert graph_bytes(one) == graph_bytes(two)


def test_a_graph_after_an_edit_is_that_of_the_tree(tmp_path: Path):
    edited = write_tree(tmp_path / "edited" / "shop", modules(8))
    index(edited)
    (edited / "mod_03.py").write_text(
        "from mod_00 import ledger_basket_00\n\nledger_basket_00(1)\n"
    )
    index(edited)
    fresh = write_tree(
        tmp_path / "fresh" / "shop",
        {path.name: path.read_text() for path in edited.glob("*.py")},
    )
    index(fresh)
    assert graph_bytes(edited) == graph_bytes(fresh)


def test_without_a_model_there_is_no_semantic_lane(tmp_path: Path):
    graph = indexed(tmp_path, modules(6), replace(LEXICAL, model="none"))
    assert graph.facts["semantic_edges"] == 0
    assert graph.generation.graph_table("surprises").num_rows == 0


def test_one_file_and_none(tmp_path: Path, quarry):
    one = write_tree(tmp_path / "one", {"a.py": "x = 1\n"})
    none = write_tree(tmp_path / "none", {})
    for root in (one, none):
        index(root)
        assert "graph.arrow" in generation_bytes(root)
        found = quarry("-C", root, "graph", "map", "--json")
        assert (found.status, found.json["communities"]) == (0, [])
        assert quarry("-C", root, "graph", "map", "--html", root / "map.html").status == 0
        assert quarry("-C", root, "map", "--tokens", "100").status == 0
    assert quarry("-C", one, "graph", "node", "a.py", "--json").json["symbols"]
    assert quarry("-C", one, "graph", "path", "a.py", "a.py").json["shape"] == "same"
