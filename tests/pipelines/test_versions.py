"""A raised version derives anew exactly what depends on it; the rest is as a cold index has it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from in_process import Inline
from support import generation_bytes, index, write_tree

from codequarry.assets import checkout
from codequarry.assets.languages import registry, versions
from codequarry.pipelines.repository import repository_assets
from codequarry.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from codequarry.pipelines.reindex import RunReport

STATIC = Settings(workers=1, name="repo")
FILES = {
    "a.py": "def first(x):\n    return second(x)\n",
    "b.py": "class Basket:\n    def add(self):\n        return 1\n",
    "c.go": "package c\n\nfunc Third() int { return 3 }\n",
    "d.md": "# Title\n\nText.\n\n```python\ndef fourth(): ...\n```\n",
    "e.txt": "words alone\n",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], tuple[RunReport, set[str]]]]:
    """Index a tree and tell the report and the paths that were parsed."""
    monkeypatch.setattr(checkout, "ParsePool", Inline)

    def once(root: Path) -> tuple[RunReport, set[str]]:
        Inline.parsed = []
        report = index(root, STATIC)
        return report, {job.path for job in Inline.parsed}

    yield once
    versions.of_all_languages.cache_clear()


@pytest.fixture
def bump(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Raise versions of one language."""

    def raise_(language: str, *parts: str) -> None:
        raised = dict.fromkeys(parts, "raised")
        spec = registry.SPECS.get(language)
        if spec is None:
            other = versions.Versions()._replace(**raised)
            monkeypatch.setitem(versions.WITHOUT_GRAMMAR, language, other)
        else:
            new = replace(spec, versions=spec.versions._replace(**raised))
            monkeypatch.setitem(registry.SPECS, language, new)
        versions.of_all_languages.cache_clear()

    return raise_


@pytest.mark.parametrize(
    ("language", "part", "parsed"),
    [
        ("go", "extractor", {"c.go", "d.md"}),  # a page may hold code of any language
        ("python", "chunker", {"a.py", "b.py", "d.md"}),
        ("python", "skeleton", {"a.py", "b.py", "d.md"}),
        ("markdown", "extractor", {"d.md"}),
        ("text", "chunker", {"e.txt"}),
    ],
)
def test_only_the_language_is_parsed_and_nothing_is_embedded(
    tmp_path: Path, run, bump, language: str, part: str, parsed: set[str]
):
    root = write_tree(tmp_path / "repo", FILES)
    assert run(root)[1] == set(FILES)
    bump(language, part)
    report, again = run(root)
    assert again == parsed
    assert (report.vectors_computed, report.missing_vectors) == (0, 0)
    cold = write_tree(tmp_path / "cold/repo", FILES)
    run(cold)
    assert generation_bytes(root) == generation_bytes(cold)
    assert run(root)[0].up_to_date


def test_another_text_version_embeds_the_language_and_parses_nothing(tmp_path: Path, run, bump):
    root = write_tree(tmp_path / "repo", FILES)
    run(root)
    bump("python", "text")
    report, parsed = run(root)
    assert parsed == set()
    assert report.vectors_computed == 4  # two chunks, two skeletons
    assert report.missing_vectors == 0
    cold = write_tree(tmp_path / "cold/repo", FILES)
    run(cold)
    assert generation_bytes(root) == generation_bytes(cold)


def test_a_run_that_died_after_parsing_by_new_rules_is_finished(
    tmp_path: Path, run, bump, monkeypatch: pytest.MonkeyPatch
):
    root = write_tree(tmp_path / "repo", FILES)
    run(root)
    before = generation_bytes(root)
    bump("python", "chunker", "text")

    def dying(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkout.Checkout, "embed", dying)
        with pytest.raises(KeyboardInterrupt):
            run(root)
    assert generation_bytes(root) == before
    report, parsed = run(root)
    assert (parsed, report.missing_vectors, report.state) == (set(), 0, "complete")
    assert run(root)[0].up_to_date


@pytest.mark.filterwarnings("ignore:.*is currently in beta")
@pytest.mark.parametrize(
    ("part", "changed"),
    [
        ("chunker", {"chunks"}),
        ("extractor", {"symbols", "references", "skeletons"}),
        ("skeleton", {"skeletons"}),
        ("text", {"embeddings"}),
    ],
)
def test_dagster_sees_which_assets_a_raised_version_makes_old(bump, part: str, changed: set[str]):
    before = code_versions()
    bump("rust", part)
    after = code_versions()
    assert {name for name, version in after.items() if before[name] != version} == changed
    versions.of_all_languages.cache_clear()


def code_versions() -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for asset in repository_assets():
        for spec in getattr(asset, "specs", ()):
            found[spec.key.to_user_string()] = spec.code_version
    return found
