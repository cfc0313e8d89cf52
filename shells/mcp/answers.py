"""What each tool does: from checked arguments to an outcome. Loaded at the first call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from codequarry.ask.ask import collect
from codequarry.ask.asking import Asking, ask_events, narrator_of
from codequarry.ask.events import (
    AgentDone,
    AgentStart,
    Event,
    Plan,
    Retrieval,
    Splice,
    SynthesisStart,
)
from codequarry.ask.flows.book import holds
from codequarry.ask.flows.store import FlowStore
from codequarry.errors import QuarryError, UsageError
from codequarry.retrieval.answer import Answer
from codequarry.retrieval.graph.overview import overview
from codequarry.retrieval.graph.signatures import signature_map
from codequarry.retrieval.impact import impact
from codequarry.retrieval.packing import pack
from codequarry.retrieval.symbols import find_symbols
from codequarry.shells.mcp.outcome import Link, Outcome, Report
from codequarry.shells.mcp.repository import Repository
from codequarry.shells.mcp.texts import (
    edges_text,
    impact_text,
    node_text,
    route_text,
    symbols_text,
)
from codequarry.shells.service.documents import (
    edge_document,
    flow_document,
    impact_document,
    symbols_document,
)
from codequarry.shells.service.graph_documents import file_node, file_route
from codequarry.shells.service.searching import search_options
from codequarry.shells.service.uncovered import uncovered
from codequarry.shells.service.warm import Held
from codequarry.store.layout import Layout

Values = Mapping[str, Any]

_SEARCH_TOKENS = 4000
_MAP_TOKENS = 1500
_QUERY = 200  # characters of the query that are told back
_EDGES = 50
_NODE_LINES = 60
_COMMUNITIES = 25  # that a map's data tells
_LOOK = 0.25  # seconds between two looks at a run
_LINKS = 12


def search(repository: Repository, values: Values, _: Report) -> Outcome:
    """Every file that bears on a question, within a budget of tokens."""
    held = repository.held
    options = search_options(values, repository.settings)
    answer = held.index.search(values["query"], options)
    packed = pack(held.index.generation, answer, values.get("max_tokens", _SEARCH_TOKENS))
    text = packed.text if answer.paths else "nothing was found"
    # a pasted issue is not sent back whole
    document = packed.as_json() | {"query": values["query"][:_QUERY]}
    return Outcome(text, document, _links(answer))


def _links(answer: Answer) -> tuple[Link, ...]:
    found = [
        Link(file.path, hit.start_line, hit.end_line) for file in answer.core for hit in file.chunks
    ]
    found += [Link(file.path, *file.best_span) for file in answer.related]
    return tuple(found[:_LINKS])


def ask(repository: Repository, values: Values, report: Report) -> Outcome:
    """A walkthrough whose every line of code is read from disk."""
    how = Asking(
        narrator=values.get("narrator", "auto"),
        agents=values.get("agents"),
        docs=values.get("docs", False),
        scope=values.get("in", ""),
    )
    how = replace(how, max_tokens=values["max_tokens"]) if "max_tokens" in values else how
    index, settings = repository.held.index, repository.settings
    narrator = narrator_of(index, settings, how)
    events = ask_events(index, values["question"], settings, narrator, how)
    answer = collect(_reported(events, report))
    links = tuple(Link(span.path, span.start_line, span.end_line) for span in answer.spans)
    return Outcome(answer.answer, answer.as_json(), links[:_LINKS])


def _reported(events: Iterator[Event], report: Report) -> Iterator[Event]:
    """The same events, and whoever waits is told of them."""
    for number, event in enumerate(events, 1):
        if said := _said(event):
            report(number, None, said)
        yield event


def _said(event: Event) -> str:
    """What is worth telling whoever waits."""
    if isinstance(event, Retrieval):
        return f"{len(event.candidates)} candidates found"
    if isinstance(event, Plan):
        return f"{len(event.groups)} readers"
    if isinstance(event, AgentStart):
        return f"{event.agent} reads: {event.question}"
    if isinstance(event, AgentDone):
        return f"{event.agent} is done"
    if isinstance(event, SynthesisStart):
        return f"{event.narrator} writes"
    if isinstance(event, Splice):
        return f"shows {event.path}:{event.start_line}"
    return ""


def graph(repository: Repository, values: Values, _: Report) -> Outcome:
    """One question about how files and symbols hang together."""
    return _GRAPH[values["op"]](repository.held, values)


def _target(values: Values, name: str) -> str:
    found: str = values.get(name, "")
    if not found.strip():
        raise UsageError(f"op {values['op']} needs {name}", "a path, a symbol or words")
    return found


def _map(held: Held, values: Values) -> Outcome:
    made = signature_map(held.graph, values.get("max_tokens", _MAP_TOKENS))
    found = overview(held.graph).as_json()
    communities = [
        {name: one[name] for name in ("id", "name", "size", "centres")}
        for one in found["communities"][:_COMMUNITIES]
    ]
    document = {
        "files": found["files"],
        "communities": communities,
        "god_nodes": found["god_nodes"],
        "map": made.as_json(),
    }
    return Outcome(made.text, document)


def _node(held: Held, values: Values) -> Outcome:
    what = _target(values, "target")
    found = file_node(held.graph, lambda: held.index, what, values.get("lines", _NODE_LINES))
    code = "\n".join(chunk.text for chunk in found.chunks)
    text = f"{node_text(found)}\n\n{code}" if code else node_text(found)
    links = tuple(Link(found.path, one.start_line, one.end_line) for one in found.chunks)
    return Outcome(text, found.as_json(), links[:_LINKS])


def _path(held: Held, values: Values) -> Outcome:
    ends = _target(values, "from"), _target(values, "to")
    found = file_route(held.graph, lambda: held.index, *ends)
    return Outcome(route_text(found), found.as_json())


def _edges(name: str) -> Callable[[Held, Values], Outcome]:
    def answer(held: Held, values: Values) -> Outcome:
        question = getattr(held.edges, name)
        found = question(_target(values, "target"), values.get("limit", _EDGES))
        links = tuple(Link(edge.path, edge.line, edge.line) for edge in found.edges)
        text = edges_text(found, outward=name == "callees")
        return Outcome(text, edge_document(found), links[:_LINKS])

    return answer


def _definitions(held: Held, values: Values) -> Outcome:
    document = symbols_document(held.index.generation, _target(values, "target"))
    links = tuple(Link(row["path"], row["line"], row["end_line"]) for row in document["rows"])
    return Outcome(symbols_text(document), document, links[:_LINKS])


def _impact(held: Held, values: Values) -> Outcome:
    name = _target(values, "target")
    symbols = find_symbols(held.index.generation, name)
    found = impact(held.edges, symbols, values.get("depth", 3))
    shown = found[: values.get("limit", _EDGES) or None]
    status = "ready" if symbols else "no_such_symbol"
    document = impact_document(name, symbols, shown, status) | {"count": len(found)}
    more = f"\n... {len(found) - len(shown)} more" if len(found) > len(shown) else ""
    text = impact_text(name, shown) + more if symbols else f"no symbol is called {name}"
    return Outcome(text, document)


_GRAPH: dict[str, Callable[[Held, Values], Outcome]] = {
    "map": _map,
    "node": _node,
    "path": _path,
    "def": _definitions,
    "callers": _edges("callers"),
    "callees": _edges("callees"),
    "refs": _edges("refs"),
    "impact": _impact,
}


def index(repository: Repository, values: Values, report: Report) -> Outcome:
    """Bring the index up to date; with ``wait`` until it is, else in the background."""
    indexer = repository.indexer
    if values.get("start", True):
        indexer.start(*(["--rebuild"] if values.get("rebuild") else []))
    told, last = 0, ""
    while values.get("wait") and not indexer.wait(_LOOK):
        now = str(indexer.standing().progress or last)
        if now != last:  # progress must grow with each notification, and stages begin anew
            told, last = told + 1, now
            report(float(told), None, now)
    standing, made = indexer.standing(), indexer.report()
    if standing.error:
        raise QuarryError(str(standing.error["message"]), str(standing.error["hint"]))
    text = f"{standing.state}: {standing.progress}" if standing.progress else standing.state
    if made is not None:
        text = f"{made['files']} files, {made['chunks']} chunks, {made['symbols']} symbols indexed"
        text += ", nothing had changed" if made["up_to_date"] else ""
    return Outcome(text, {"standing": standing.as_json(), "report": made})


def flows(repository: Repository, values: Values, _: Report) -> Outcome:
    """The answers that are kept."""
    store = FlowStore.of(Layout.of(repository.root))
    op = values.get("op", "list")
    if op == "clear":
        dropped = store.clear()
        return Outcome(f"dropped {dropped}", {"count": 0, "dropped": dropped, "flows": []})
    kept = store.all()
    if op == "show":
        found = next((flow for flow in kept if flow.id == values.get("id")), None)
        if found is None:
            raise UsageError(f"there is no kept answer {values.get('id')}", "list them first")
        return Outcome(found.answer["answer"], {"count": 1, "answer": found.answer})
    generation = repository.held.index.generation if kept else None
    rows = [
        flow_document(flow, generation is not None and holds(generation, flow)) for flow in kept
    ]
    lines = [f"{row['id']}  {row['question']}" + _stale(row) for row in rows]
    text = "\n".join(lines) or "no answer is kept yet"
    return Outcome(text, {"count": len(rows), "flows": rows})


def _stale(row: Values) -> str:
    return "" if row["holds"] else "  (what it cites has changed)"


def forge(repository: Repository, _: Values, __: Report) -> Outcome:
    """The extensions that no grammar covers."""
    found = uncovered(repository.held.index.generation)
    lines = [f"{one.extension}: {one.files} files, {one.lines} lines" for one in found]
    text = "\n".join(lines) or "every extension with two files or more is cut by its syntax"
    return Outcome(text, {"count": len(found), "uncovered": [one.as_json() for one in found]})
