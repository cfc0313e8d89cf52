"""Agents set up, looked at and cleared; one that fails leaves the others be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codequarry.errors import QuarryError, UsageError
from codequarry.shells.install.agents import (
    AGENTS,
    NAME,
    Agent,
    Scope,
    configuration_of,
    entry_of,
    is_installed,
)
from codequarry.shells.install.configuration import Entry


@dataclass(frozen=True, slots=True)
class Row:
    """What was found or done in one file.

    Attributes:
        agent: whose it is.
        scope: for whom.
        path: the file.
        state: a `Change`, or of a listing ``installed``, ``differs``, ``absent``; ``failed``.
        entry: what is, or would be, written.
        error: why it failed.
    """

    agent: Agent
    scope: Scope
    path: Path
    state: str
    entry: dict[str, Any]
    error: QuarryError | None = None

    def as_json(self) -> dict[str, Any]:
        """The documented JSON form."""
        return {
            "agent": self.agent.name,
            "title": self.agent.title,
            "scope": self.scope.value,
            "path": str(self.path),
            "state": self.state,
            "entry": self.entry,
            "error": self.error.envelope()["error"] if self.error else None,
        }


def chosen(names: Sequence[str]) -> list[Agent]:
    """The agents of these names; without names those that are on this machine.

    Raises:
        UsageError: there is no such agent, or none at all.
    """
    known = {agent.name: agent for agent in AGENTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"no agent is called {unknown[0]!r}", f"one of: {', '.join(known)}")
    found = [known[name] for name in dict.fromkeys(names)] or [*filter(is_installed, AGENTS)]
    if not found:
        raise UsageError("no agent was found on this machine", f"name one of: {', '.join(known)}")
    return found


def install(
    agents: Sequence[Agent], root: Path, scope: Scope | None, *, dry_run: bool = False
) -> list[Row]:
    """Set up agents to use the index of a repository.

    Args:
        agents: which; see `chosen`.
        root: of the repository.
        scope: for whom; None: as is usual for each.
        dry_run: nothing is written.
    """
    rows = []
    for agent in agents:
        asked = scope or agent.default
        if configuration_of(agent, asked, root) is None:
            error = UsageError(
                f"{agent.title} has no file for a {asked.value}", "leave --scope out"
            )
            rows.append(Row(agent, asked, root, "failed", {}, error))
        for where, entry in _entries([agent], root, asked):
            rows.append(_tried(where, entry, lambda entry=entry: entry.install(dry_run=dry_run)))
    return rows


def remove(
    agents: Sequence[Agent], root: Path, scope: Scope | None, *, dry_run: bool = False
) -> list[Row]:
    """Take the entries out again; without a scope those of all, and only what was there is told."""
    rows = [
        _tried(where, entry, lambda entry=entry: entry.remove(dry_run=dry_run))
        # the first one set up may have made a folder for all, which goes when it is empty
        for where, entry in reversed([*_entries(agents, root, scope)])
    ]
    return [row for row in reversed(rows) if row.state != "absent"]


def listing(agents: Sequence[Agent], root: Path, scope: Scope | None) -> list[Row]:
    """How each file stands."""

    def state(entry: Entry) -> str:
        there = entry.found()
        if there is None:
            return "absent"
        return "installed" if entry.is_in(there) else "differs"

    return [
        _tried(where, entry, lambda entry=entry: state(entry))
        for where, entry in _entries(agents, root, scope)
    ]


_Where = tuple[Agent, Scope]


def _entries(
    agents: Sequence[Agent], root: Path, scope: Scope | None
) -> Iterator[tuple[_Where, Entry]]:
    for agent in agents:
        for asked in [scope] if scope else Scope:
            path = configuration_of(agent, asked, root)
            if path is not None:
                value = entry_of(agent, asked, root)
                # a link in a repository is whoever wrote the repository's, not the user's
                within = root if asked is Scope.PROJECT else None
                yield (agent, asked), Entry(path, (agent.holder, NAME), value, within)


def _tried(where: _Where, entry: Entry, act: Any) -> Row:
    value = dict(entry.value)
    try:
        return Row(*where, entry.file, str(act()), value)
    except QuarryError as error:
        return Row(*where, entry.file, "failed", value, error)
