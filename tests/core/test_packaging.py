from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from site import getsitepackages

import pytest

import codequarry

TOP = Path(__file__).parents[2]
SETUPTOOLS = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["setuptools"]
FOLDERS = SETUPTOOLS["package-dir"]


def test_every_folder_of_the_package_is_listed_and_there():
    on_disk = {
        ".".join([package, *init.parent.relative_to(TOP / folder).parts])
        for package, folder in FOLDERS.items()
        for init in (TOP / folder).rglob("__init__.py")
    }
    assert sorted(SETUPTOOLS["packages"]) == sorted(on_disk)


def test_the_version_is_that_of_the_distribution():
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    assert project["version"] == codequarry.__version__


def _copy_of_the_sources(target: Path) -> Path:
    for folder in FOLDERS.values():
        shutil.copytree(
            TOP / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__", ".*")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(TOP / name, target)
    return target


@pytest.mark.slow
@pytest.mark.skipif(
    int(version("setuptools").split(".")[0]) < 77, reason="an offline build needs setuptools >= 77"
)
def test_an_installed_copy_gives_no_bare_names(tmp_path: Path):
    site = tmp_path / "site"
    source = _copy_of_the_sources(tmp_path / "source")
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    install = [sys.executable, "-m", "pip", "install", "-q", *offline, "--target", site, source]
    subprocess.run(install, check=True, capture_output=True)
    path = [str(site), *getsitepackages()]  # -S: without the editable installation's finder
    for name in ("py.typed", "pipelines/dagster.yaml", "models/data/model.json"):
        assert (site / "codequarry" / name).is_file()
    code = (
        "import importlib.util as u, codequarry.retrieval.index as i\n"
        f"assert i.__file__.startswith({str(site)!r}), i.__file__\n"
        f"print([n for n in {[*FOLDERS.values(), 'store']!r} if u.find_spec(n)])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
