"""Grammars, loaded at first use and once a process; one that cannot load says why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version

from tree_sitter import Language, Parser, Query, QueryCursor

from codequarry.assets.languages.lacking import WITHOUT_GRAMMAR
from codequarry.assets.languages.registry import spec_for
from codequarry.assets.languages.spec import DocStyle, LangSpec, Rule, Wrap

# Partial matches the query engine may hold at once. Real code of ten languages (6,600 files) never
# needs 64; without a limit, hostile input makes it hold, and try, millions.
MATCH_LIMIT = 256
_PACK = "tree-sitter-language-pack"


class GrammarError(Exception):
    """The grammar of a language is missing or does not fit its spec."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """A parser and the one compiled query that finds everything in its trees.

    ``actions[i]`` says what pattern ``i`` of the query finds: a `Rule`, a `Wrap`, or the word
    ``comment``, ``attribute``, ``export`` or ``section``.
    """

    spec: LangSpec
    parser: Parser
    cursor: QueryCursor
    shallow: QueryCursor  # the same query, down to the spec's depth
    actions: tuple[Rule | Wrap | str, ...]
    static_words: re.Pattern[bytes] | None
    show_words: re.Pattern[bytes] | None
    hide_words: re.Pattern[bytes] | None
    beside: frozenset[str]  # node types that attach to the unit after them


@lru_cache(maxsize=512)
def load(language: str) -> Grammar | None:
    """The grammar of ``language``; none when the language is cut without one.

    Raises:
        GrammarError: a grammar is wanted and cannot be used.
    """
    spec = spec_for(language)
    if spec is None:
        return None
    try:
        tree_language = _language(spec.grammar)
        spec = _with_generic_rules(spec, tree_language)
        patterns, actions = _patterns(spec)
        query = Query(tree_language, "\n".join(patterns))
        parser = Parser(tree_language)
    except GrammarError:
        raise
    except Exception as error:  # the border to native code: whatever fails is named
        raise _unusable(spec.grammar, f"{type(error).__name__}: {error}") from error
    shallow = QueryCursor(query, match_limit=MATCH_LIMIT)
    if spec.depth:
        shallow.set_max_start_depth(spec.depth)
    return Grammar(
        spec=spec,
        parser=parser,
        cursor=QueryCursor(query, match_limit=MATCH_LIMIT),
        shallow=shallow,
        actions=actions,
        static_words=_words(spec.static_words),
        show_words=_words(spec.show_words),
        hide_words=_words(spec.hide_words),
        beside=frozenset(kind.split(" ", 1)[0] for kind in (*spec.comments, *spec.attributes)),
    )


def grammar_problem(language: str) -> str:
    """Why the grammar of ``language`` cannot be loaded; empty when it can, or none is wanted."""
    spec = spec_for(language)
    if spec is None:
        return ""
    try:
        _language(spec.grammar)
    except GrammarError as error:
        return str(error)
    except Exception as error:  # the border to native code: whatever fails is named
        return str(_unusable(spec.grammar, f"{type(error).__name__}: {error}"))
    return ""


def _unusable(grammar: str, cause: str) -> GrammarError:
    return GrammarError(f"{WITHOUT_GRAMMAR}{grammar}: {cause}")


def _language(name: str) -> Language:
    """A grammar of the installed pack; nothing is ever fetched."""
    try:
        import tree_sitter_language_pack as pack
    except ImportError as error:
        raise _unusable(name, f"{_PACK} is not installed") from error
    try:
        return pack.get_language(name)  # type: ignore[arg-type]
    except LookupError as error:
        cause = error.__cause__
        if cause is None or isinstance(cause, ModuleNotFoundError):
            raise _unusable(name, f"not in the installed {_PACK} {version(_PACK)}") from error
        raise _unusable(name, f"it is installed and failed to load: {cause}") from error


def _with_generic_rules(spec: LangSpec, language: Language) -> LangSpec:
    if not spec.generic:
        return spec
    from codequarry.assets.languages.generic import complete

    return complete(spec, language)


def _patterns(spec: LangSpec) -> tuple[list[str], tuple[Rule | Wrap | str, ...]]:
    patterns: list[str] = []
    actions: list[Rule | Wrap | str] = []
    parts: tuple[Rule | Wrap, ...] = (*spec.rules, *spec.wraps)
    patterns.extend(part.query for part in parts)
    actions.extend(parts)
    about = spec.doc is DocStyle.COMMENT
    marks: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("comment", tuple(f"({kind}) @def" for kind in spec.comments) if about else ()),
        ("attribute", tuple(f"({kind}) @def" for kind in spec.attributes)),
        ("export", spec.exports),
        ("section", spec.sections),
    )
    for what, queries in marks:
        patterns.extend(queries)
        actions.extend(what for _ in queries)
    return patterns, tuple(actions)


def _words(words: frozenset[bytes]) -> re.Pattern[bytes] | None:
    if not words:
        return None
    return re.compile(rb"(?<![\w-])(?:" + b"|".join(map(re.escape, sorted(words))) + rb")(?![\w-])")
