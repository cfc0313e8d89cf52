"""Kill and interrupt `quarry index` at random moments: nothing is lost, nothing is left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from support import QUARRY, generation_bytes, index, modules, write_tree

from codequarry.errors import IndexNotFound
from codequarry.retrieval.index import open_index

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(os.name == "nt", reason="needs process groups"),
]
KILLS = 40
LONGEST = 45.0  # seconds for all kills


def start(root: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*QUARRY, "-C", str(root), "index", "--model", "none", "--workers", "2", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ends_its_processes(group: int) -> bool:
    """Whether a process group dies out within some seconds."""
    for _ in range(100):
        alive = subprocess.run(
            ["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True
        ).stdout.split()
        if all(state.startswith("Z") for state in alive):
            return True
        time.sleep(0.1)
    return False


def edit(root: Path, chance: random.Random) -> None:
    """Change, add, move or delete a file or two."""
    files = sorted(path for path in root.rglob("*.py") if ".quarry" not in path.parts)
    for path in chance.sample(files, 2):
        match chance.randrange(4):
            case 0:
                path.unlink()
            case 1:
                path.rename(path.with_name(f"moved_{chance.randrange(10**6)}.py"))
            case 2:
                path.write_text(f"def edited_{chance.randrange(10**6)}(): pass\n")
            case _:
                write_tree(root, modules(1, first=chance.randrange(100, 999)))


def check_that_it_serves(root: Path) -> None:
    try:
        opened = open_index(root, model="none")
    except IndexNotFound:
        return  # nothing was published yet
    assert opened.search("ledger amount").paths


def test_sigkill_at_random_moments_loses_nothing(tmp_path: Path):
    root = write_tree(tmp_path / "shop", modules(60))
    chance = random.Random(7)
    started = time.monotonic()
    index(root)
    one_run = min(time.monotonic() - started + 1.5, 2 * LONGEST / KILLS)
    for kill in range(KILLS):
        if kill % 2:
            edit(root, chance)
        options = ["--rebuild"] if kill % 5 == 4 else []
        process = start(root, *options)
        try:
            process.communicate(timeout=chance.uniform(0.1, one_run))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        check_that_it_serves(root)
    index(root)
    fresh = tmp_path / "fresh/shop"
    for path in root.rglob("*.py"):
        write_tree(fresh, {str(path.relative_to(root)): path.read_bytes()})
    index(fresh)
    assert generation_bytes(root) == generation_bytes(fresh)
    assert not [path for path in (root / ".quarry").rglob("*") if ".part-" in path.name]


def test_sigkill_of_the_parent_alone_leaves_no_process(tmp_path: Path):
    root = write_tree(tmp_path / "shop", modules(60))
    for moment in (0.8, 1.4, 2.0):
        process = start(root)
        time.sleep(moment)
        process.kill()
        process.communicate()
        assert ends_its_processes(process.pid)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_an_interrupt_is_acknowledged_in_one_line(tmp_path: Path, sign: signal.Signals):
    root = write_tree(tmp_path / "shop", modules(60))
    index(root)
    chance = random.Random(11)
    interrupted = 0
    while interrupted < 6:
        edit(root, chance)
        process = start(root)
        time.sleep(chance.uniform(0.4, 2.5))
        sent = time.monotonic()
        os.killpg(process.pid, sign)
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - sent
        assert "Traceback" not in err
        assert ends_its_processes(process.pid)
        check_that_it_serves(root)
        if "indexed" in out:
            continue  # it was done before
        interrupted += 1
        assert [line for line in err.split("\n") if line] == [
            "interrupted: the last complete index still serves"
        ]
        # Python itself ends by the signal when it came while a string of code was run
        assert process.returncode in (130, -signal.SIGINT)
        assert took < 1 + 2 * os.getloadavg()[0]
    assert index(root).files
    assert not (root / ".quarry/lock.owner").exists()


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "DagsterExecutionInterruptedError"])
def test_an_interrupt_inside_a_finaliser_is_not_lost(error: str):
    """Python cannot let an exception out of `__del__`: it must come again, and without noise."""
    script = f"""
import signal, time
from codequarry.shells.cli import interrupts
class DagsterExecutionInterruptedError(BaseException): pass
class Closing:
    def __del__(self):
        raise {error}
interrupts.listen()
try:
    Closing()
    time.sleep(20)
    print("lost")
except KeyboardInterrupt:
    print("came")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("came", "")


def test_other_errors_in_a_finaliser_are_still_shown():
    script = """
from codequarry.shells.cli import interrupts
class Closing:
    def __del__(self):
        raise ValueError("broken")
interrupts.listen()
Closing()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "ValueError: broken" in done.stderr
