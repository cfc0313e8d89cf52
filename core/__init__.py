"""codequarry: ask a repository a question, get every related file, ranked and complete.

Nothing but the names below is loaded with the package; what they need comes at first use::

    import codequarry

    codequarry.index_repo("path/to/repository")
    index = codequarry.open_index("path/to/repository")
    for file in index.search("how does login work").files:
        print(file.path)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from codequarry.errors import (
    IndexEmpty,
    IndexNotFound,
    IndexVersionError,
    InvalidQuery,
    MissingAPIKey,
    ModelMismatch,
    ProviderError,
    QuarryError,
)

if TYPE_CHECKING:  # what `__getattr__` loads, for readers and type checkers
    from codequarry.ask.answer import AskAnswer
    from codequarry.ask.asking import answer_of as ask
    from codequarry.ask.asking import ask_stream
    from codequarry.assets.chunks.partition import validate_partition
    from codequarry.assets.chunks.strategy import ChunkStrategy
    from codequarry.retrieval.answer import Answer
    from codequarry.retrieval.filters import Filters
    from codequarry.retrieval.index import Index, Options, open_index
    from codequarry.retrieval.index import open_index as load_state
    from codequarry.shells.python import (
        get_code,
        graph,
        index_repo,
        prune_search,
        search,
        search_many,
    )
    from codequarry.vocabulary import Chunk, Symbol

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AskAnswer",
    "Chunk",
    "ChunkStrategy",
    "Filters",
    "Index",
    "IndexEmpty",
    "IndexNotFound",
    "IndexVersionError",
    "InvalidQuery",
    "MissingAPIKey",
    "ModelMismatch",
    "Options",
    "ProviderError",
    "QuarryError",
    "Symbol",
    "__version__",
    "ask",
    "ask_stream",
    "get_code",
    "graph",
    "index_repo",
    "load_state",
    "open_index",
    "prune_search",
    "search",
    "search_many",
    "validate_partition",
]

_ELSEWHERE = {
    "Answer": "codequarry.retrieval.answer",
    "AskAnswer": "codequarry.ask.answer",
    "Chunk": "codequarry.vocabulary",
    "ChunkStrategy": "codequarry.assets.chunks.strategy",
    "Filters": "codequarry.retrieval.filters",
    "Index": "codequarry.retrieval.index",
    "Options": "codequarry.retrieval.index",
    "Symbol": "codequarry.vocabulary",
    "ask_stream": "codequarry.ask.asking",
    "open_index": "codequarry.retrieval.index",
    "validate_partition": "codequarry.assets.chunks.partition",
}
_PYTHON_SHELL = "codequarry.shells.python"


def __getattr__(name: str) -> Any:
    """Load a name of the API at its first use."""
    if name not in __all__:
        raise AttributeError(f"module 'codequarry' has no attribute {name!r}")
    if name == "ask":  # the package of that name can be called
        return importlib.import_module("codequarry.ask")
    if name == "load_state":
        name = "open_index"
    module = importlib.import_module(_ELSEWHERE.get(name, _PYTHON_SHELL))
    return getattr(module, name)


def __dir__() -> list[str]:
    """The API, loaded or not."""
    return sorted({*globals(), *__all__})
