"""A search as programs ask for it: named values in, the documented JSON out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codequarry.errors import UsageError
from codequarry.retrieval.filters import Content, Filters
from codequarry.retrieval.index import Index, Mode, Options
from codequarry.retrieval.packing import pack
from codequarry.retrieval.pruned import prune
from codequarry.retrieval.ranking import Profile
from codequarry.settings import Settings

Values = Mapping[str, Any]  # what a caller gave, by the names of the command line's options


def search_options(values: Values, settings: Settings) -> Options:
    """The options that values mean: ``lang role kind glob in content ranker mode`` and others.

    Raises:
        UsageError: a value is none of those there are.
    """
    return Options(
        profile=_one_of(Profile, values.get("ranker") or settings.ranker),
        filters=Filters(
            scope=values.get("in", ""),
            languages=tuple(values.get("lang", ())),
            roles=tuple(values.get("role", ())),
            kinds=tuple(values.get("kind", ())),
            globs=tuple(values.get("glob", ())),
            content=_one_of(Content, values.get("content") or Content.CODE.value),
        ),
        explain=bool(values.get("explain", False)),
        walk_depth=int(values.get("walk_depth", 0)),
        near_symbol=values.get("near_symbol", ""),
        mode=_one_of(Mode, values.get("mode") or Mode.AUTO.value),
    )


def search_document(index: Index, query: str, values: Values, settings: Settings) -> dict[str, Any]:
    """The answer to a query: whole, within ``max_tokens``, or with ``prune`` flat.

    Raises:
        UsageError: values do not go together, or name what there is not.
        InvalidQuery: the query is too long.
        ProviderError: a remote model failed to embed the query.
    """
    budget, flat = values.get("max_tokens"), values.get("prune", False)
    if budget is not None and flat:
        raise UsageError("prune and max_tokens together", "give one of them")
    answer = index.search(query, search_options(values, settings))
    if flat:
        chunks = [chunk.as_json() for chunk in prune(answer)]
        return {"query": query, "generation": answer.generation, "chunks": chunks}
    if budget is not None:
        return pack(index.generation, answer, int(budget)).as_json()
    return answer.as_json()


def _one_of(kinds: Any, word: str) -> Any:
    try:
        return kinds(word)
    except ValueError:
        known = ", ".join(kind.value for kind in kinds)
        raise UsageError(f"unknown {kinds.__name__.lower()} {word!r}", f"one of: {known}") from None
