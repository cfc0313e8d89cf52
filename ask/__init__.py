"""From a question to an answer whose every line of code is read from disk.

The package is also the public function of that name: ``codequarry.ask("how do logins work")``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from codequarry.ask.answer import AskAnswer
    from codequarry.retrieval.index import Index


class _Ask(ModuleType):
    """A module can be called if its class says so; importing it rebinds ``codequarry.ask``."""

    def __call__(self, question: str, repo: Index | Path | str = ".", **asking: Any) -> AskAnswer:
        """See `codequarry.ask.asking.answer_of`."""
        from codequarry.ask.asking import answer_of  # with the package nothing else is loaded

        return answer_of(question, repo, **asking)


sys.modules[__name__].__class__ = _Ask
