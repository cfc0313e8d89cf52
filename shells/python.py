"""The Python API: what `import codequarry` gives, one function a question.

Wherever a repository is wanted, a path in it or an index that `open_index` gave will do. With a
path the index is opened for that one question; a program that asks several keeps an index open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

from codequarry.errors import from_envelope
from codequarry.pipelines.reindex import RunReport
from codequarry.retrieval import pruned, reading
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.edges import EdgeAnswer, Edges
from codequarry.retrieval.graph.explain import ExplainedRoute
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.retrieval.graph.node import CODE_LINES, Node
from codequarry.retrieval.graph.overview import Overview, overview
from codequarry.retrieval.impact import Impacted, impact
from codequarry.retrieval.index import Index, Options, open_index
from codequarry.retrieval.pruned import SignalChunk
from codequarry.retrieval.reading import Span
from codequarry.retrieval.symbols import SymbolRow, find_symbols
from codequarry.shells.service.graph_documents import file_node, file_route
from codequarry.shells.service.indexing import Indexer
from codequarry.store.layout import Layout, find_root
from codequarry.store.progress import read_progress

Repository: TypeAlias = Index | Path | str

_LOOK_SECONDS = 0.1  # between two looks at a run


def index_repo(
    path: Path | str = ".",
    *,
    model: str = "",
    rebuild: bool = False,
    yes: bool = False,
    on_progress: Callable[[str, int, int], object] | None = None,
) -> RunReport:
    """Bring the index of a repository up to date, in a process of its own.

    Interrupting ends that process too; the index that was there before still answers.

    Args:
        path: a folder of the repository.
        model: the embedding model; the settings' when not given.
        rebuild: parse and embed everything anew.
        yes: consent to what a remote model would be sent.
        on_progress: told (stage, items done, items in all) a few times a second; 0 in all means
            that it is not known.

    Returns:
        What the run did.

    Raises:
        ConfirmationRequired: much would be sent to a remote model, and ``yes`` is not given.
        IndexVersionError, StoreWriteError, ProviderError, MissingAPIKey, UsageError: as they say.
    """
    root = find_root(Path(path))
    indexer, layout = Indexer(root), Layout.of(root)
    options = ["--model", model] if model else []
    options += ["--rebuild"] if rebuild else []
    options += ["--yes"] if yes else []
    indexer.start(*options)
    try:
        while not indexer.wait(_LOOK_SECONDS):
            now = read_progress(layout) if on_progress is not None else None
            if now is not None and on_progress is not None:
                on_progress(now.stage, now.done, now.total)
    except BaseException:
        indexer.stop()
        raise
    report = indexer.report()
    if report is None:
        error = indexer.standing().error or {"message": "indexing ended without a word"}
        raise from_envelope({"error": error})
    if "error" in report:
        raise from_envelope(report)
    return RunReport(**report | {"root": Path(report["root"])})


def search(query: str, repo: Repository = ".", options: Options | None = None) -> Answer:
    """Every file that bears on a question, ranked; errors as in `open_index` and `Index.search`."""
    return _opened(repo).search(query, options)


def search_many(
    queries: Iterable[str], repo: Repository = ".", options: Options | None = None
) -> list[Answer]:
    """Answer queries one after another from one open index."""
    return _opened(repo).search_many(queries, options)


def prune_search(
    query: str, repo: Repository = ".", options: Options | None = None
) -> list[SignalChunk]:
    """Search and give only the chunks that are signal, best first."""
    return pruned.prune_search(_opened(repo), query, options)


def get_code(
    path: str, start: int | None = None, end: int | None = None, repo: Repository = "."
) -> Span:
    """Lines of an indexed file, as they are on disk.

    Raises:
        FileNotIndexed: the index holds no such file, or it is gone.
        UsageError: it has no such line.
    """
    return reading.get_code(_opened(repo).generation, path, start, end)


def graph(repo: Repository = ".") -> CodeGraph:
    """The graph of a repository; errors as in `open_index`."""
    return CodeGraph(_opened(repo))


class CodeGraph:
    """Questions about how the files and symbols of one open index hang together."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files = FileGraph(index.generation)
        self._edges = Edges(index.generation)

    def __repr__(self) -> str:
        return f"<CodeGraph of {self._index.generation.manifest['repo']!r}>"

    def map(self) -> Overview:
        """Communities, what everything touches, and what surprises."""
        return overview(self._files)

    def node(self, what: str, lines: int = CODE_LINES) -> Node:
        """One file and what is around it; ``what`` is a path, a name, a symbol or words.

        Raises:
            UsageError: nothing indexed is like that.
        """
        return file_node(self._files, lambda: self._index, what, lines)

    def path(self, start: str, end: str) -> ExplainedRoute:
        """The route between two files, and the symbols that carry each hop; errors as `node`."""
        return file_route(self._files, lambda: self._index, start, end)

    def definitions(self, name: str) -> list[SymbolRow]:
        """Where the symbols of a name are defined.

        Raises:
            InvalidQuery: the name cannot be one.
        """
        return find_symbols(self._index.generation, name)

    def callers(self, name: str, limit: int = 0) -> EdgeAnswer:
        """Places that call a symbol; ``limit`` 0: all."""
        return self._edges.callers(name, limit)

    def callees(self, name: str, limit: int = 0) -> EdgeAnswer:
        """What a symbol calls, unresolved calls included."""
        return self._edges.callees(name, limit)

    def refs(self, name: str, limit: int = 0) -> EdgeAnswer:
        """Places that refer to a symbol in any way."""
        return self._edges.refs(name, limit)

    def impact(self, name: str, depth: int = 3) -> list[Impacted]:
        """Who breaks when a symbol changes, nearest first."""
        return impact(self._edges, self.definitions(name), depth)


def _opened(repo: Repository) -> Index:
    return repo if isinstance(repo, Index) else open_index(repo)
