"""Questions that lead to questions, each answered once; rings end."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

_MAX_DEPTH = 60  # questions within questions
_MAX_QUESTIONS = 5000  # within one; real code of fourteen languages needs a few hundred


class Questions:
    """Remembered answers, and the questions that stand open."""

    def __init__(self) -> None:
        self._memo: dict[Hashable, Any] = {}
        self.answered: Callable[[Hashable, Any], Any] = self._memo.get  # with a default
        self._open: dict[Hashable, int] = {}  # question → its depth
        self._asked = 0  # questions since the outermost open one
        self._provisional: dict[Hashable, tuple[Any, int]] = {}  # answer, depth it depends on
        self._taint = _MAX_DEPTH + 1  # the least depth that the answer being made depends on

    def forget(self) -> None:
        """Forget all answers: the program has changed its shape."""
        self._memo.clear()

    def ask(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """Answer a question once; one that is being answered has no answer.

        What was found while another question stood open depends on that one: it holds, so that
        a ring is walked once, until that question is answered.
        """
        if key in self._memo:
            return self._memo[key]
        if key in self._provisional:
            value, taint = self._provisional[key]
            self._taint = min(self._taint, taint)
            return value
        if key in self._open:
            self._taint = min(self._taint, self._open[key])
            return None
        depth = len(self._open)
        self._asked = self._asked + 1 if depth else 0
        if depth >= _MAX_DEPTH or self._asked > _MAX_QUESTIONS:
            self._taint = min(self._taint, 0)
            return None
        before, self._taint = self._taint, _MAX_DEPTH + 1
        self._open[key] = depth
        try:
            value = answer()
        finally:
            del self._open[key]
        own = self._taint
        if own >= depth:
            self._memo[key] = value
            self._taint = before
            if self._provisional:
                self._provisional = {k: v for k, v in self._provisional.items() if v[1] < depth}
        else:
            self._provisional[key] = (value, own)
            self._taint = min(before, own)
        return value
