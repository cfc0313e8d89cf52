"""Indexing beside a server: a process of its own, which goes on when the server ends."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequarry.errors import QuarryError
from codequarry.store.atomic import write_errors
from codequarry.store.generations import current_generation
from codequarry.store.layout import Layout
from codequarry.store.lock import prepare_state
from codequarry.store.progress import RunProgress, read_progress


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a repository can be searched, and what is being done about it.

    Attributes:
        state: ``ready``, ``indexing`` (``ready`` too where ``generation`` is not empty),
            ``failed`` or ``not_indexed``.
        generation: the live one; empty: none.
        progress: of the run at work, whoever started it.
        error: why the last run that this server started failed, as an envelope's ``error``.
    """

    state: str
    generation: str
    progress: RunProgress | None = None
    error: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        now = self.progress
        return {
            "state": self.state,
            "generation": self.generation or None,
            "stage": now.stage if now else None,
            "done": now.done if now else None,
            "total": now.total if now else None,
            "error": self.error,
        }


class Indexer:
    """Runs ``quarry index`` for one repository, one run at a time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = threading.Lock()
        self._run: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> bool:
        """Start a run, unless one that was started here is still at work.

        Args:
            options: of ``quarry index``, such as ``--rebuild``.

        Returns:
            Whether a new run was started.

        Raises:
            StoreWriteError: the store's folder cannot be written to.
        """
        layout = Layout.of(self.root)
        with self._lock, write_errors(layout.store):
            if self._run is not None and self._run.poll() is None:
                return False
            prepare_state(layout)
            # -P: nothing that lies in the folder the server was started in is imported
            command = [sys.executable, "-P", "-m", "codequarry.shells.cli.main"]
            command += ["-C", str(self.root), "index", "--json", "--wait", "-1", *options]
            with layout.background_log.open("wb") as log:
                self._run = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.DEVNULL,
                    **_apart(),
                )
            return True

    def ensure(self) -> Standing:
        """Start a run where there is no index and none is at work; where things stand then."""
        standing = self.standing()
        if standing.state == "not_indexed":
            self.start()
            standing = self.standing()
        return standing

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the run that was started here; whether none is at work any more."""
        run = self._run
        if run is None:
            return True
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """End the run that was started here; what it has stored stays, the live index too."""
        if self._run is not None:
            self._run.terminate()

    def standing(self) -> Standing:
        """Where things stand now; cheap enough to ask several times a second."""
        layout = Layout.of(self.root)
        try:
            generation = current_generation(layout).name
        except QuarryError:
            generation = ""
        run = self._run
        progress = read_progress(layout)
        if progress is None and run is not None and run.poll() is None:
            progress = RunProgress("starting", 0, 0)
        if progress is not None:
            return Standing("indexing", generation, progress)
        if run is not None and run.poll() not in (0, None):
            return Standing("failed", generation, None, self._error(layout))
        return Standing("ready" if generation else "not_indexed", generation)

    def report(self) -> dict[str, Any] | None:
        """What the last run that was started here printed: a report, or an error's envelope."""
        if self._run is None or self._run.poll() is None:
            return None
        try:
            found = json.loads(Layout.of(self.root).background_log.read_bytes() or b"null")
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def _error(self, layout: Layout) -> dict[str, Any]:
        report = self.report() or {}
        found = report.get("error")
        if isinstance(found, dict):
            return found
        if report.get("files") == 0:
            return QuarryError("no file was indexed", "see: quarry status --skipped").envelope()[
                "error"
            ]
        assert self._run is not None
        message = f"indexing ended with status {self._run.returncode}"
        return QuarryError(message, f"run: quarry -C {self.root} index").envelope()["error"]


def _apart() -> dict[str, Any]:
    """What keeps a child alive when the server, or the terminal that it runs in, goes away."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS}
    return {"start_new_session": True}
