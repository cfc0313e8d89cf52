"""What the routes work on: one repository, how it is served, and what is under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from codequarry.settings import Settings, load_settings
from codequarry.shells.http.limits import RateLimit
from codequarry.shells.http.streams import Streams
from codequarry.shells.service.warm import Held, WarmIndex


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a repository is served.

    Attributes:
        host: the address that is bound.
        token: that every request but `/health` has to bear; empty: none.
        readonly: nothing is indexed and no answer is kept.
        rate_limit: questions a minute and client; 0: no limit.
        cors: origins that may ask besides the studio itself.
        hosts: names that the server is known by besides those of loopback.
        log: print a line a request.
    """

    host: str = "127.0.0.1"
    token: str = ""
    readonly: bool = False
    rate_limit: int = 0
    cors: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    log: bool = False


@dataclass(slots=True)
class Service:
    """The state of one server."""

    root: Path
    options: ServeOptions
    warm: WarmIndex
    streams: Streams = field(default_factory=Streams)
    limit: RateLimit = field(init=False)

    def __post_init__(self) -> None:
        self.limit = RateLimit(self.options.rate_limit)

    @classmethod
    def of(cls, root: Path, options: ServeOptions) -> Service:
        """A server's state before anything is opened."""
        return cls(root, options, WarmIndex(root))

    @property
    def held(self) -> Held:
        """The live generation; take it once a request. Errors as in `WarmIndex.held`."""
        return self.warm.held()

    @property
    def settings(self) -> Settings:
        """The repository's settings as they are now.

        Raises:
            UsageError: the file is broken.
        """
        return load_settings(self.root)
