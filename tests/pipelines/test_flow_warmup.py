"""The asset `flow_warmup` on a real index, in Dagster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dagster as dg
from support import index, write_tree

from codequarry.ask.flows.store import FlowStore
from codequarry.pipelines.definitions import defs
from codequarry.settings import Settings
from codequarry.store.layout import Layout

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_job_keeps_answers_and_a_second_run_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    tree = {
        "shop/cart.py": 'def add_to_cart(item):\n    """Put it in."""\n    return item\n',
        "shop/web.py": "from shop.cart import add_to_cart\n\n\ndef view(i):\n    add_to_cart(i)\n",
        ".quarryqueries": "how is an item put into the cart\n",
    }
    root = write_tree(tmp_path / "shop", tree)
    index(root, Settings(workers=1))
    monkeypatch.setenv("QUARRY_REPOSITORY", str(root))
    job = defs.resolve_job_def("flow_warmup")
    counts = []
    for _ in range(2):
        with dg.DagsterInstance.ephemeral() as instance:
            done = job.execute_in_process(instance=instance)
        (made,) = done.asset_materializations_for_node("ask_main_questions")
        counts.append((made.metadata["kept"].value, made.metadata["there_before"].value))
    kept = counts[0][0]
    assert kept >= 2
    assert counts[1] == (0, kept)
    flows = FlowStore.of(Layout.of(root)).all()
    assert flows[0].question == "how is an item put into the cart"
