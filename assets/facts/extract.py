"""All facts of one file from one parse: a pure function of its bytes and its language."""

from __future__ import annotations

from dataclasses import dataclass

from codequarry.assets.chunks.cast import cut
from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.prose import PROSE, read_prose
from codequarry.assets.chunks.strategy import Cut, run_strategy
from codequarry.assets.chunks.windows import window_chunks
from codequarry.assets.languages.grammars import Grammar, GrammarError, load
from codequarry.assets.languages.registry import spec_for
from codequarry.assets.languages.spec import (
    CHUNKER_VERSION,
    EXTRACTOR_VERSION,
    SKELETON_VERSION,
)
from codequarry.assets.skeletons.skeleton import skeleton_of
from codequarry.assets.symbols.definitions import find, nesting
from codequarry.assets.symbols.extract import symbols_of
from codequarry.assets.symbols.scopes import resolve
from codequarry.text import decode
from codequarry.vocabulary import FileFacts, ParseState, Symbol

MAX_NESTING = 100  # each definition names all around it: a file's facts grow as its square
MAX_PARSE_BYTES = 8 * 1024 * 1024  # a parser's time cannot be bounded from here, its input can

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What one way of reading a file gave."""

    cut: Cut
    symbols: tuple[Symbol, ...] = ()
    state: ParseState = ParseState.OK
    reason: str = ""


def extract_facts(data: bytes, language: str) -> FileFacts:
    """Chunks, symbols and skeleton of a file.

    Byte offsets of symbols count in the UTF-8 text of the file without a byte-order mark.

    Args:
        data: The file's bytes, whole.
        language: As `detect_language` names it; unknown names are cut as plain text.

    Raises:
        UndecodableError: The bytes are not text.
    """
    decoded = decode(data)
    plain = decoded.encoding == "utf-8" and not data.startswith(_MARK)
    measure = Measure(data if plain else decoded.text.encode("utf-8", "replace"))
    reading = _Reading(Cut(())) if measure.blank() else _read(measure, language)
    refused = reading.cut.refused
    return FileFacts(
        language=language,
        encoding=decoded.encoding,
        line_count=measure.line_count,
        state=ParseState.FALLBACK if refused else reading.state,
        chunks=tuple(reading.cut.chunks),
        symbols=reading.symbols,
        skeleton=skeleton_of(language, measure.source, reading.symbols),
        reason=refused or reading.reason,
    )


def extractor_version(language: str) -> str:
    """One word that changes whenever the facts of a language would."""
    spec = spec_for(language)
    chunker, extractor, skeleton = (
        spec.versions if spec else (CHUNKER_VERSION, EXTRACTOR_VERSION, SKELETON_VERSION)
    )
    return f"c{chunker}.x{extractor}.s{skeleton}"


def _read(measure: Measure, language: str) -> _Reading:
    if language in PROSE:
        prose = read_prose(measure, language)
        return _Reading(run_strategy(measure, lambda _: prose.chunks), tuple(prose.symbols))
    try:
        grammar = load(language)
    except GrammarError as error:
        return _windows(measure, str(error))
    if grammar is None:
        return _Reading(Cut(window_chunks(measure)), state=ParseState.PLAIN)
    if len(measure.source) > MAX_PARSE_BYTES:
        return _windows(measure, f"larger than {MAX_PARSE_BYTES} bytes")
    try:
        return _by_syntax(measure, grammar)
    except Exception as error:  # one odd file must not cost its neighbours; the reason is kept
        return _windows(measure, f"{type(error).__name__}: {error}")


def _windows(measure: Measure, reason: str) -> _Reading:
    return _Reading(Cut(window_chunks(measure)), state=ParseState.FALLBACK, reason=reason)


def _by_syntax(measure: Measure, grammar: Grammar) -> _Reading:
    source = measure.source
    root = grammar.parser.parse(_blanked(source, grammar)).root_node
    found = find(root, source, grammar)
    if nesting(found) > MAX_NESTING:
        reason = f"definitions nested more than {MAX_NESTING} deep"
        return _windows(measure, reason)
    definitions = resolve(found, source, grammar)
    symbols = symbols_of(definitions, found, source, grammar)
    chunks = run_strategy(
        measure, lambda file: cut(root, file, definitions, grammar.spec, grammar.beside)
    )
    if root.has_error:
        return _Reading(chunks, symbols, ParseState.PARTIAL, "syntax errors")
    return _Reading(chunks, symbols)


def _blanked(source: bytes, grammar: Grammar) -> bytes:
    """The source with what its grammar trips over as spaces; every byte keeps its place."""
    for pattern in grammar.spec.blanked:
        parts: list[bytes] = []
        done = 0
        for found in pattern.finditer(source):
            start, end = found.span(1)
            parts += (source[done:start], b" " * (end - start))
            done = end
        if parts:
            source = b"".join((*parts, source[done:]))
    return source
