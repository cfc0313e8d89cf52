"""What a run would send and cost is told before, asked for, and true; `reindex` starts over."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from loopback import loopback
from support import CASES, generation_bytes, modules, write_tree

from codequarry.models import openai_compatible
from codequarry.models.tokens import estimate_tokens
from codequarry.pipelines import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from loopback import Sent
    from support import Ran

    Quarry = Callable[..., Ran]

TOY = ("--model", "openai:toy", "--workers", "1", "--json")
PROBE = "dimension"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sent]:
    """An endpoint that counts as one far away."""
    with loopback() as state:
        monkeypatch.setenv("OPENAI_BASE_URL", state.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setattr(openai_compatible, "is_local", lambda host: False)
        yield state


@pytest.fixture
def no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "FLOOR_TOKENS", 0)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def case(tmp_path: Path) -> Path:
    return shutil.copytree(CASES / "C059/repo", tmp_path / "repo")


def test_a_dry_run_counts_names_the_host_and_writes_and_sends_nothing(
    tmp_path: Path, quarry: Quarry, sent: Sent, quarry_home: Path
):
    root = case(tmp_path)
    before = files_of(root)
    told = quarry("-C", root, "index", *TOY, "--dry-run")
    assert told.status == 0
    assert told.json["files"] == told.json["blobs_to_parse"] == 11
    assert told.json["texts_to_embed"] > told.json["chunks"] >= 11
    assert told.json["tokens"] > 1000
    assert told.json["host"] == "127.0.0.1"
    assert told.json["price_usd"] is None
    assert sent.requests == []
    assert files_of(root) == before
    assert not quarry_home.exists()
    text = quarry("-C", root, "index", *TOY[:-1], "--dry-run").out
    assert "would parse 11 of 11 files" in text
    assert "would be sent to 127.0.0.1" in text
    assert "price not known" in text


def test_the_real_run_sends_what_was_told_and_the_next_one_nothing(
    tmp_path: Path, quarry: Quarry, sent: Sent
):
    root = case(tmp_path)
    told = quarry("-C", root, "index", *TOY, "--dry-run").json
    ran = quarry("-C", root, "index", *TOY, "--yes")
    assert ran.status == 0
    texts = [text for text in sent.texts if text != PROBE]
    assert len(texts) == told["texts_to_embed"] == ran.json["vectors_computed"]
    assert sum(map(estimate_tokens, texts)) == told["tokens"]
    sent.requests.clear()
    assert quarry("-C", root, "index", *TOY, "--dry-run").json["tokens"] == 0
    assert quarry("-C", root, "index", *TOY).json["up_to_date"]
    assert sent.requests == []


def test_one_changed_line_sends_that_files_changed_texts_only(
    tmp_path: Path, quarry: Quarry, sent: Sent
):
    root = case(tmp_path)
    quarry("-C", root, "index", *TOY, "--yes")
    sent.requests.clear()
    changed = root / "mod_03.py"
    changed.write_text(changed.read_text().replace("Marker", "Another marker"))
    told = quarry("-C", root, "index", *TOY, "--dry-run").json
    assert (told["blobs_to_parse"], sent.requests) == (1, [])
    quarry("-C", root, "index", *TOY)
    assert len(sent.texts) == told["texts_to_embed"] in (1, 2)
    assert all("mod_03.py" in text for text in sent.texts)


@pytest.mark.parametrize("command", ["index", "reindex"])
def test_nobody_to_ask_means_an_envelope_and_exit_2(
    tmp_path: Path, quarry: Quarry, sent: Sent, no_floor: None, command: str
):
    root = case(tmp_path)
    for options in (TOY, TOY[:-1]):  # output that is no terminal is for a program too
        ran = quarry("-C", root, command, *options)
        assert ran.status == 2
        error = ran.json["error"]
        assert error["class"] == "ConfirmationRequired"
        assert error["code"] == "confirmation_required"
        assert "--yes" in error["hint"]
        assert error["details"]["host"] == "127.0.0.1"
        assert error["details"]["tokens"] > 0
    assert sent.requests == []
    assert quarry("-C", root, command, *TOY, "--yes").status == 0


def test_facts_made_before_the_question_are_kept(
    tmp_path: Path, quarry: Quarry, sent: Sent, no_floor: None
):
    root = case(tmp_path)
    assert quarry("-C", root, "index", *TOY).status == 2
    told = quarry("-C", root, "index", *TOY, "--dry-run").json
    assert told["blobs_to_parse"] == 0
    assert told["texts_to_embed"] > 0


def test_a_first_search_asks_too(tmp_path: Path, quarry: Quarry, sent: Sent, no_floor: None):
    root = write_tree(tmp_path / "repo", modules(3) | {"quarry.toml": 'model = "openai:toy"\n'})
    ran = quarry("-C", root, "search", "unit01", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "confirmation_required")
    assert sent.requests == []


@pytest.mark.parametrize(("answer", "status"), [("y\n", 0), ("n\n", 2), ("\n", 2)])
def test_on_a_terminal_the_user_is_asked(
    tmp_path: Path,
    quarry: Quarry,
    sent: Sent,
    no_floor: None,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    status: int,
):
    import io
    import sys

    from codequarry.shells.cli import index as shell

    root = case(tmp_path)
    terminal = io.StringIO(answer)
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stdin", terminal)
    real = shell.consent

    def on_a_terminal(yes: bool, quiet: bool):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        return real(yes, quiet)

    monkeypatch.setattr(shell, "consent", on_a_terminal)
    ran = quarry("-C", root, "index", *TOY[:-1])
    assert ran.status == status
    assert "would be sent to 127.0.0.1" in ran.err
    assert bool(sent.texts) is (status == 0)


def test_a_few_texts_and_a_model_on_this_machine_need_no_yes(
    tmp_path: Path, quarry: Quarry, sent: Sent, monkeypatch: pytest.MonkeyPatch
):
    root = write_tree(tmp_path / "few", modules(2))
    assert quarry("-C", root, "index", *TOY).status == 0
    monkeypatch.setattr(preview, "FLOOR_TOKENS", 0)
    monkeypatch.setattr(openai_compatible, "is_local", lambda host: True)
    near = write_tree(tmp_path / "near", modules(2, first=5))
    assert quarry("-C", near, "index", *TOY).status == 0
    told = quarry("-C", near, "reindex", "--force", "--dry-run", *TOY).json
    assert told["tokens"] > 0
    assert told["price_usd"] == 0


def test_prices_of_openais_own_models_are_told(
    tmp_path: Path, quarry: Quarry, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    root = case(tmp_path)
    model = "openai:text-embedding-3-large"
    told = quarry("-C", root, "index", "--model", model, "--dry-run", "--json").json
    assert told["host"] == "api.openai.com"
    assert told["price_usd"] == pytest.approx(told["tokens"] * 0.13e-6, abs=1e-6)


def test_a_forced_run_parses_and_sends_everything_and_gives_the_same_index(
    tmp_path: Path, quarry: Quarry, sent: Sent
):
    root = case(tmp_path)
    first = quarry("-C", root, "index", *TOY, "--yes").json
    before = generation_bytes(root)
    texts = {text for text in sent.texts if text != PROBE}
    sent.requests.clear()
    assert quarry("-C", root, "reindex", *TOY).json["up_to_date"]
    told = quarry("-C", root, "reindex", "--force", "--dry-run", *TOY).json
    assert (told["blobs_to_parse"], told["texts_to_embed"]) == (11, len(texts))
    assert sent.requests == []
    ran = quarry("-C", root, "reindex", "--force", "--yes", *TOY).json
    assert (ran["blobs_parsed"], ran["vectors_computed"]) == (11, first["vectors_computed"])
    assert set(sent.texts) == texts
    assert generation_bytes(root) == before


def test_a_forced_run_that_is_refused_throws_nothing_away(
    tmp_path: Path, quarry: Quarry, sent: Sent, no_floor: None
):
    root = case(tmp_path)
    quarry("-C", root, "index", *TOY, "--yes")
    stored = files_of(root / ".quarry/vectors") | files_of(root / ".quarry/blobs")
    assert quarry("-C", root, "reindex", "--force", *TOY).status == 2
    assert files_of(root / ".quarry/vectors") | files_of(root / ".quarry/blobs") == stored


def test_the_shared_cache_is_not_paid_for_again(tmp_path: Path, quarry: Quarry, sent: Sent):
    root = case(tmp_path)
    quarry("-C", root, "index", *TOY, "--yes")
    told = quarry("-C", root, "index", "--rebuild", "--dry-run", *TOY).json
    assert (told["tokens"], told["texts_to_embed"]) == (0, 0)
    assert told["texts_in_cache"] > 0
    assert quarry("-C", root, "index", "--rebuild", *TOY).json["vectors_computed"] == 0


def test_the_embedded_model_sends_nothing(tmp_path: Path, quarry: Quarry):
    root = write_tree(tmp_path / "repo", modules(3))
    told = quarry("-C", root, "reindex", "--dry-run", "--json").json
    assert (told["host"], told["tokens"], told["price_usd"]) == ("", 0, 0)
    assert (
        told["texts_to_embed"]
        == quarry("-C", root, "reindex", "--workers", "1", "--json").json["vectors_computed"]
    )


def test_progress_of_embedding_has_a_fixed_total(tmp_path: Path, sent: Sent):
    from codequarry.pipelines.reindex import reindex
    from codequarry.settings import Settings

    stages: list[list[object]] = []
    root = case(tmp_path)
    reindex(
        root,
        Settings(model="openai:toy", workers=1),
        stage=lambda name, total: stages.append([name, total, 0]),
        advance=lambda n: stages[-1].__setitem__(2, stages[-1][2] + n),  # type: ignore[operator]
    )
    facts, embeddings = stages[-2:]
    assert facts == ["facts", 11, 11]
    assert embeddings[0] == "embeddings"
    assert embeddings[1] == embeddings[2] == len(sent.texts) - 1


def test_no_key_file_and_no_key_in_code_is_sent(tmp_path: Path, quarry: Quarry, sent: Sent):
    key = "sk" + "-proj-" + "Zz9" * 12
    marks = {
        ".env": "MARK_ENV=1\n",
        ".env.production": "MARK_ENV_PROD=1\n",
        "config/credentials": "MARK_CRED\n",
        ".npmrc": "//r/:_authToken=MARK_NPMRC\n",
        "id_rsa": "MARK_KEY\n",
    }
    code = f'KEY = "{key}"\n\n\ndef pay_needle():\n    return KEY\n'
    root = write_tree(
        tmp_path / "repo", marks | {"pay.py": code, ".env.example": "MARK_EXAMPLE=\n"}
    )
    ran = quarry("-C", root, "index", *TOY[:-1], "--yes")
    assert "127.0.0.1" in ran.err.split("\n")[0]  # named before the first request
    everything = "\n".join(sent.texts)
    assert "pay_needle" in everything
    assert "MARK_EXAMPLE" in everything
    assert not [word for word in (*(m.strip() for m in marks.values()), key) if word in everything]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("", 0, 0),
        ("def add(self, amount):\n    return amount + 1\n", 10, 20),
        ("汉字" * 100, 200, 200),
        ("x" * 600, 75, 200),
        (" \t " * 50, 0, 0),
    ],
)
def test_tokens_are_estimated_within_reason(text: str, low: int, high: int):
    assert low <= estimate_tokens(text) <= high
