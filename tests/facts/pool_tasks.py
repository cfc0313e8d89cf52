"""Tasks for the parsing pool that misbehave on some files; a child process imports them."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from codequarry.assets.facts.worker import parse_batch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codequarry.assets.facts.worker import BatchResult, Job


def misbehave(root: str, jobs: Sequence[Job], without_syntax: str = "") -> BatchResult:
    """Parse, but hang, crash or raise where a file's name says so."""
    for job in jobs:
        always = "always" in job.path
        if without_syntax and not always:
            continue
        if "hang" in job.path:
            time.sleep(600)
        if "crash" in job.path:
            os.kill(os.getpid(), signal.SIGKILL)
        if "raise" in job.path:
            raise ValueError("odd file")
        if "memory" in job.path:
            raise MemoryError
    return parse_batch(root, jobs, without_syntax)
