"""What each route answers: from checked values to a JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import codequarry
from codequarry.ask.ask import collect
from codequarry.ask.asking import Asking, ask_events, narrator_of
from codequarry.ask.flows.book import holds
from codequarry.ask.flows.store import FlowStore
from codequarry.ask.flows.warm import questions
from codequarry.errors import QuarryError, UsageError
from codequarry.retrieval.docsearch import docsearch
from codequarry.retrieval.reading import get_code
from codequarry.shells.http.service import Service
from codequarry.shells.service.documents import (
    chunks_document,
    edge_document,
    flow_document,
    repository_document,
    status_document,
    symbol_impact_document,
    symbols_document,
)
from codequarry.shells.service.graph_documents import file_node, file_route, map_document
from codequarry.shells.service.searching import search_document
from codequarry.shells.service.warm import Held
from codequarry.store.layout import Layout
from codequarry.store.registry import registered

Values = Mapping[str, Any]
Document = dict[str, Any]

_SUGGESTIONS = 6
_FOLDER_DEPTH = 3


def health(service: Service, _: Values) -> Document:
    """Whether the server is there, and whether it can answer."""
    standing = service.warm.indexer.standing()
    return {"status": "ok", "version": codequarry.__version__, "ready": bool(standing.generation)}


def config(service: Service, _: Values) -> Document:
    """How the repository is served."""
    settings = service.settings
    return {
        "name": settings.name or service.root.name,
        "version": codequarry.__version__,
        "model": settings.model,
        "ranker": settings.ranker,
        "narrator": _narrator_name(service),
        "readonly": service.options.readonly,
        "rate_limit": service.options.rate_limit,
        "flows": settings.flows,
        "standing": service.warm.indexer.standing().as_json(),
    }


def _narrator_name(service: Service) -> str:
    """Who would narrate by default; without an index nobody can."""
    try:
        return narrator_of(service.held.index, service.settings, Asking()).name
    except QuarryError:
        return ""


def repos(service: Service, _: Values) -> Document:
    """The user's list of repositories, and how each one's index stands."""
    rows = [repository_document(one) for one in registered()]
    return {"serving": str(service.root), "count": len(rows), "repositories": rows}


def search(service: Service, values: Values) -> Document:
    """Every file that bears on a question."""
    return search_document(service.held.index, values["q"], values, service.settings)


def doc_search(service: Service, values: Values) -> Document:
    """Sections of the documentation, the best of each page."""
    held = service.held
    found = docsearch(held.index, values["q"], pages=values.get("limit", 10))
    return found.as_json() | {"generation": held.index.generation.id}


def code(service: Service, values: Values) -> Document:
    """Lines of an indexed file, as they are on disk."""
    generation = service.held.index.generation
    return get_code(
        generation, values["path"], values.get("start"), values.get("end")
    ).as_json() | {"generation": generation.id}


def chunks(service: Service, values: Values) -> Document:
    """How a file was cut."""
    return chunks_document(service.held.index.generation, values["path"])


def symbols(service: Service, values: Values) -> Document:
    """Where the symbols of a name are defined."""
    return symbols_document(service.held.index.generation, values["name"])


def graph(service: Service, values: Values) -> Document:
    """One question about the graph."""
    return _GRAPH[values["op"]](service.held, values)


def _target(values: Values, name: str) -> str:
    found: str = values.get(name, "")
    if not found.strip():
        raise UsageError(f"op={values['op']} needs {name}", "a path, a symbol or words")
    return found


def _map(held: Held, values: Values) -> Document:
    return map_document(held.graph, brief=values.get("brief", False))


def _node(held: Held, values: Values) -> Document:
    lines = values.get("lines", 200)
    return file_node(held.graph, lambda: held.index, _target(values, "what"), lines).as_json()


def _path(held: Held, values: Values) -> Document:
    start, end = _target(values, "from"), _target(values, "to")
    return file_route(held.graph, lambda: held.index, start, end).as_json()


def _edges(name: str) -> Callable[[Held, Values], Document]:
    def answer(held: Held, values: Values) -> Document:
        question = getattr(held.edges, name)
        found = question(_target(values, "what"), values.get("limit", 200))
        return edge_document(found, possible=values.get("possible", False))

    return answer


def _impact(held: Held, values: Values) -> Document:
    return symbol_impact_document(held.edges, _target(values, "what"), values.get("depth", 3))


_GRAPH: dict[str, Callable[[Held, Values], Document]] = {
    "map": _map,
    "node": _node,
    "path": _path,
    "callers": _edges("callers"),
    "callees": _edges("callees"),
    "refs": _edges("refs"),
    "impact": _impact,
}
GRAPH_OPS = tuple(_GRAPH)


def flows(service: Service, _: Values) -> Document:
    """The kept answers, and what else could be asked."""
    generation = service.held.index.generation
    rows = [
        flow_document(flow, holds(generation, flow))
        for flow in FlowStore.of(Layout.of(service.root)).all()
    ]
    suggestions = questions(generation)[:_SUGGESTIONS]
    return {"count": len(rows), "flows": rows, "suggestions": suggestions}


def status(service: Service, _: Values) -> Document:
    """What is indexed, and how the files spread over the folders."""
    generation = service.held.index.generation
    document = status_document(Layout.of(service.root), generation)
    folders = Counter("/".join(path.split("/")[:-1][:_FOLDER_DEPTH]) for path in generation.paths)
    standing = service.warm.indexer.standing().as_json()
    return document | {"folders": dict(folders), "standing": standing}


def skipped(service: Service, _: Values) -> Document:
    """Every file that is not indexed, with the reason."""
    layout, generation = Layout.of(service.root), service.held.index.generation
    document = status_document(layout, generation, skipped=True)
    files = document.get("skipped_files", [])
    return {"count": len(files), "counts": document["skipped"], "skipped_files": files}


def asking_of(service: Service, values: Values) -> Asking:
    """How a request wants its question answered."""
    return Asking(
        narrator=values.get("narrator", "auto"),
        model=values.get("model", ""),
        max_tokens=values.get("max_tokens", Asking().max_tokens),
        cache=values.get("cache", True) and not service.options.readonly,
        agents=values.get("agents"),
        docs=values.get("docs", False),
        scope=values.get("in", ""),
    )


def ask(service: Service, values: Values) -> Document:
    """An answer in prose, with every line of code read from disk."""
    index, settings, how = service.held.index, service.settings, asking_of(service, values)
    narrator = narrator_of(index, settings, how)
    return collect(ask_events(index, values["question"], settings, narrator, how)).as_json()


def index(service: Service, values: Values) -> Document:
    """Start a run, unless one is at work."""
    started = service.warm.indexer.start(*(["--rebuild"] if values.get("rebuild") else []))
    return {"started": started, "standing": service.warm.indexer.standing().as_json()}
