from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support import write_tree

from codequarry.errors import UsageError
from codequarry.settings import Settings, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_file_the_defaults_hold(tmp_path: Path):
    assert load_settings(tmp_path) == Settings()


def test_quarry_toml_and_pyproject_say_the_same(tmp_path: Path):
    keys = 'name = "shop"\nexclude = ["gen/"]\nmax-file-bytes = 10\n'
    own = write_tree(tmp_path / "own", {"quarry.toml": keys})
    shared = write_tree(tmp_path / "shared", {"pyproject.toml": f"[tool.quarry]\n{keys}"})
    wanted = Settings(name="shop", exclude=("gen/",), max_file_bytes=10)
    assert load_settings(own) == load_settings(shared) == wanted


def test_quarry_toml_goes_before_pyproject(tmp_path: Path):
    write_tree(
        tmp_path,
        {"quarry.toml": 'name = "a"\n', "pyproject.toml": '[tool.quarry]\nname = "b"\n'},
    )
    assert load_settings(tmp_path).name == "a"


def test_command_line_goes_before_environment_before_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    write_tree(tmp_path, {"quarry.toml": 'model = "static"\n'})
    monkeypatch.setenv("QUARRY_MODEL", "none")
    assert load_settings(tmp_path).model == "none"
    assert load_settings(tmp_path, model="openai:m").model == "openai:m"
    assert load_settings(tmp_path, model=None).model == "none"


BAD = {
    'nmae = "x"\n': "unknown setting 'nmae'",
    "name = 3\n": "name must be str, not int",
    'workers = "2"\n': "workers must be int, not str",
    "workers = true\n": "workers must be int, not bool",
    'exclude = "gen/"\n': "exclude must be a list of strings",
    "exclude = [1]\n": "exclude must be a list of strings",
    "name = \n": "quarry.toml is not valid TOML",
}


@pytest.mark.parametrize("text", BAD)
def test_wrong_settings_are_named_with_a_hint(tmp_path: Path, text: str):
    write_tree(tmp_path, {"quarry.toml": text})
    with pytest.raises(UsageError) as caught:
        load_settings(tmp_path)
    assert BAD[text] in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_a_broken_or_foreign_pyproject_is_not_ours_to_judge(tmp_path: Path):
    for text in (b"[tool\n", b"\xff\xfe", b"tool = 3\n", b"[tool]\nother = 1\n", b"[project]\n"):
        write_tree(tmp_path, {"pyproject.toml": text})
        assert load_settings(tmp_path) == Settings()


def test_tool_quarry_must_be_a_table(tmp_path: Path):
    write_tree(tmp_path, {"pyproject.toml": "[tool]\nquarry = 3\n"})
    with pytest.raises(UsageError):
        load_settings(tmp_path)


def test_a_settings_file_that_cannot_be_read_is_an_error(tmp_path: Path):
    (tmp_path / "quarry.toml").mkdir()
    with pytest.raises(UsageError, match=r"quarry\.toml cannot be read"):
        load_settings(tmp_path)


def test_a_broken_pyproject_matters_only_where_it_speaks_of_quarry(tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text("[project\n")
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "pyproject.toml").write_text("[tool.quarry]\nmodel = none\n")
    with pytest.raises(UsageError, match="not valid TOML"):
        load_settings(tmp_path)
