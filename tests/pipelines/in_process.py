"""Parsing without processes, so that what a test changes counts in the parser too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codequarry.assets.facts.pool import batches
from codequarry.assets.facts.worker import BatchResult, Job, parse_batch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Inline:
    """What `ParsePool` is, in this process; counts what it parses."""

    parsed: list[Job]

    def __init__(self, *_: object) -> None:
        pass

    def prefetch(self, root: str, jobs: Sequence[Job]) -> None:
        pass

    def parse(self, root: str, jobs: Sequence[Job]) -> Iterator[BatchResult]:
        for batch in batches(jobs):
            type(self).parsed += batch
            yield parse_batch(root, batch)

    def close(self) -> None:
        pass
