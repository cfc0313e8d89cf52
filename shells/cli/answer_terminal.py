"""An answer on a terminal: prose set out paragraph by paragraph, code with its line numbers."""

from __future__ import annotations

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from codequarry.ask.events import Bundle, Done, Event, Splice, SynthesisDelta
from codequarry.shells.cli.agents_terminal import TerminalAgents
from codequarry.shells.cli.output import printable
from codequarry.text import split_lines


class TerminalAnswer:
    """Shows the events of one answer as they come.

    Characters that steer a terminal are shown escaped, in code too: a file cannot steer it.
    """

    def __init__(
        self, console: Console | None = None, agents: TerminalAgents | None = None
    ) -> None:
        self._console = console or Console(highlight=False)
        self._agents = agents or TerminalAgents()
        self._prose = ""

    def show(self, event: Event) -> None:
        """Show one event; prose waits until its paragraph is whole."""
        self._agents.show(event)
        if isinstance(event, SynthesisDelta | Bundle):
            self._prose += event.text
            whole, border, rest = self._prose.rpartition("\n\n")
            if border:
                self._set(whole)
                self._prose = rest
        elif isinstance(event, Splice | Done):
            self._set(self._prose)
            self._prose = ""
        if isinstance(event, Splice):
            self._block(event)

    def close(self) -> None:
        """Nothing moves any more, however the events ended."""
        self._agents.close()

    def _set(self, prose: str) -> None:
        if prose.strip():
            text = "\n".join(printable(line) for line in prose.split("\n"))
            self._console.print(Markdown(text, hyperlinks=False))
            self._console.print()

    def _block(self, event: Splice) -> None:
        state = "" if event.state == "indexed" else f" ({event.state} since indexed)"
        header = f"{printable(event.path)}:{event.start_line}-{event.end_line}{state}"
        self._console.print(Text(header, style="bold green"))
        code = "\n".join(printable(line.rstrip("\r\n")) for line in split_lines(event.code))
        self._console.print(
            Syntax(
                code,
                event.language,
                line_numbers=True,
                start_line=event.start_line,
                background_color="default",
                word_wrap=True,
            )
        )
        self._console.print()
