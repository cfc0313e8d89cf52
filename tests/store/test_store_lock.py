from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from codequarry.errors import IndexBusy
from codequarry.store.layout import Layout
from codequarry.store.lock import writer_lock

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys, time
from pathlib import Path
from codequarry.store.layout import Layout
from codequarry.store.lock import writer_lock
with writer_lock(Layout.of(Path(sys.argv[1])), -1):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path):
    """Another process that holds the lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_second_writer_is_told_who_is_at_work_and_since_when(tmp_path: Path, holder):
    with pytest.raises(IndexBusy) as caught, writer_lock(Layout.of(tmp_path)):
        pass
    assert f"process {holder.pid}, since " in caught.value.message


def test_waiting_is_bounded(tmp_path: Path, holder):
    started = time.monotonic()
    with pytest.raises(IndexBusy), writer_lock(Layout.of(tmp_path), wait_seconds=0.5):
        pass
    assert 0.4 < time.monotonic() - started < 5


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_lock_of_a_dead_owner_is_taken_over(tmp_path: Path, holder, sign: signal.Signals):
    os.kill(holder.pid, sign)
    holder.wait()
    with writer_lock(Layout.of(tmp_path), wait_seconds=5):
        assert f'"pid": {os.getpid()}' in (tmp_path / ".quarry/lock.owner").read_text()


def test_a_waiting_writer_goes_on_when_the_first_is_done(tmp_path: Path, holder):
    context = multiprocessing.get_context("spawn")
    timer = context.Process(target=_kill_soon, args=(holder.pid,))
    timer.start()
    with writer_lock(Layout.of(tmp_path), wait_seconds=-1):
        pass
    timer.join()


def _kill_soon(pid: int) -> None:
    time.sleep(0.3)
    os.kill(pid, signal.SIGKILL)


def test_the_lock_is_given_back_after_an_error(tmp_path: Path):
    layout = Layout.of(tmp_path)
    for _ in range(2):
        with pytest.raises(RuntimeError), writer_lock(layout):
            raise RuntimeError
    assert not (tmp_path / ".quarry/lock.owner").exists()


def test_the_state_folder_ignores_itself(tmp_path: Path):
    with writer_lock(Layout.of(tmp_path)):
        assert (tmp_path / ".quarry/.gitignore").read_text() == "*\n"
