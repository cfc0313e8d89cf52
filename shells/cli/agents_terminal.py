"""Agents at work on a terminal: a line each, live, until the answer begins."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from codequarry.ask.events import (
    AgentDelta,
    AgentDone,
    AgentError,
    AgentStart,
    AgentTool,
    Classified,
    Done,
    Event,
    Planning,
    SynthesisStart,
)
from codequarry.shells.cli.output import printable

_MAX_QUESTION = 70  # characters that are shown
_MAX_ARGUMENT = 40


@dataclass(slots=True)
class _Row:
    """What is shown of one agent."""

    question: str
    doing: str = "reading"
    mark: str = ""  # while it works, a spinner
    style: str = "dim"


class TerminalAgents:
    """Shows the agents' events of one answer; silent where there are none."""

    def __init__(self, console: Console | None = None) -> None:
        """Show on ``console``: stderr when not given, so that the answer stays alone on stdout."""
        self._console = console or Console(stderr=True, highlight=False)
        self._rows: dict[str, _Row] = {}
        self._live: Live | None = None
        self._planning = False

    def show(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Classified) and event.broad:
            reasons = "; ".join(event.reasons)
            self._console.print(Text(printable(f"a broad question: {reasons}"), style="dim"))
        elif isinstance(event, Planning):
            self._planning = True
        elif isinstance(event, AgentStart):
            self._planning = False
            self._rows[event.agent] = _Row(_short(event.question, _MAX_QUESTION))
        elif isinstance(event, AgentTool):
            argument = _short(event.argument, _MAX_ARGUMENT)
            self._row(event.agent).doing = f"{printable(event.tool)[:20]} {argument}".strip()
        elif isinstance(event, AgentDelta):
            self._row(event.agent).doing = "writing"
        elif isinstance(event, AgentDone):
            self._end(event.agent, "✓", f"done in {event.elapsed_ms / 1000:.1f} s", "green")
        elif isinstance(event, AgentError):
            self._end(event.agent, "✗", _short(event.message, _MAX_QUESTION), "red")
        elif isinstance(event, SynthesisStart | Done):
            self.close()
            return
        else:
            return
        self._refresh()

    def close(self) -> None:
        """Leave the lines as they are; nothing moves any more."""
        if self._live is not None:
            self._planning = False
            self._live.update(self._drawn(), refresh=True)
            self._live.stop()
            self._live = None

    def _row(self, agent: str) -> _Row:
        return self._rows.setdefault(agent, _Row(printable(agent)))

    def _end(self, agent: str, mark: str, doing: str, style: str) -> None:
        row = self._row(agent)
        row.mark, row.doing, row.style = mark, doing, style

    def _refresh(self) -> None:
        if not self._rows and not self._planning:
            return
        if self._live is None:
            self._live = Live(console=self._console, refresh_per_second=8, transient=False)
            self._live.start()
        self._live.update(self._drawn())

    def _drawn(self) -> Group:
        if self._planning:
            return Group(Spinner("dots", Text("splitting the question", style="dim")))
        lines: list[Text | Spinner] = []
        for row in self._rows.values():
            text = Text.assemble(row.question, (f"  {row.doing}", row.style), overflow="ellipsis")
            text.no_wrap = True
            if row.mark:
                lines.append(Text.assemble((f"{row.mark} ", row.style), text))
            else:
                lines.append(Spinner("dots", text))
        return Group(*lines)


def _short(text: str, most: int) -> str:
    text = printable(" ".join(text.split()))
    return text if len(text) <= most else f"{text[: most - 1]}…"
