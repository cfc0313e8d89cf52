"""How often a client may ask: a bucket of tokens that fills up over a minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_MINUTE = 60.0
_MOST_CLIENTS = 10_000


class RateLimit:
    """Questions a minute for each client; safe to use from several threads."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Start with full buckets.

        Args:
            a_minute: questions a client may ask in a minute, at once or spread; 0: no limit.
            clock: gives seconds.
        """
        self._most = float(a_minute)
        self._clock = clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}  # client: tokens, when that was so

    def take(self, client: str) -> float:
        """Take one; the seconds to wait where none is left, else 0."""
        if not self._most:
            return 0.0
        with self._lock:
            now = self._clock()
            left = self._now(client, now)
            if left >= 1.0:
                self._put(client, left - 1.0, now)
                return 0.0
            return (1.0 - left) * _MINUTE / self._most

    def give_back(self, client: str) -> None:
        """Return one: the answer was a kept one and cost nothing."""
        if self._most:
            with self._lock:
                now = self._clock()
                self._put(client, min(self._most, self._now(client, now) + 1.0), now)

    def _now(self, client: str, now: float) -> float:
        left, then = self._left.get(client, (self._most, now))
        return min(self._most, left + (now - then) * self._most / _MINUTE)

    def _put(self, client: str, left: float, now: float) -> None:
        self._left[client] = (left, now)
        if len(self._left) > _MOST_CLIENTS:  # whoever has a full bucket needs no entry
            self._left = {
                name: entry
                for name, entry in self._left.items()
                if self._now(name, now) < self._most
            }
