"""All facts of one file from one parse: a pure function of its bytes and its language."""

from __future__ import annotations

from collections.abc import Sequence

from codequarry.assets.chunks.cast import cut
from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.partition import validate_partition
from codequarry.assets.chunks.prose import PROSE, read_prose
from codequarry.assets.chunks.windows import window_chunks
from codequarry.assets.languages.grammars import Grammar, GrammarError, load
from codequarry.assets.languages.registry import spec_for
from codequarry.assets.languages.spec import (
    CHUNKER_VERSION,
    EXTRACTOR_VERSION,
    SKELETON_VERSION,
)
from codequarry.assets.skeletons.skeleton import skeleton_of
from codequarry.assets.symbols.definitions import find
from codequarry.assets.symbols.extract import symbols_of
from codequarry.assets.symbols.scopes import resolve
from codequarry.text import Decoded, decode
from codequarry.vocabulary import Chunk, FileFacts, ParseState, Symbol

MAX_PARSE_BYTES = 8 * 1024 * 1024  # a parser's time cannot be bounded from here, its input can


def extract_facts(data: bytes, language: str) -> FileFacts:
    """Chunks, symbols and skeleton of a file.

    Args:
        data: The file's bytes, whole.
        language: As `detect_language` names it; unknown names are cut as plain text.

    Raises:
        UndecodableError: The bytes are not text.
    """
    decoded = decode(data)
    source = data if decoded.encoding == "utf-8" and not _has_mark(data) else _encode(decoded)
    measure = Measure(source)
    if measure.blank():
        return _facts(measure, decoded, language, ParseState.OK, [])
    if language in PROSE:
        prose = read_prose(measure, language)
        return _guarded(measure, decoded, language, ParseState.OK, prose.chunks, prose.symbols)
    try:
        grammar = load(language)
    except GrammarError as error:
        return _windows(measure, decoded, language, str(error))
    if grammar is None:
        return _facts(measure, decoded, language, ParseState.PLAIN, window_chunks(measure))
    if len(source) > MAX_PARSE_BYTES:
        return _windows(measure, decoded, language, f"larger than {MAX_PARSE_BYTES} bytes")
    try:
        return _by_syntax(measure, decoded, language, grammar)
    except Exception as error:  # one odd file must not cost its neighbours; the reason is kept
        return _windows(measure, decoded, language, f"{type(error).__name__}: {error}")


def extractor_version(language: str) -> str:
    """One word that changes whenever the facts of a language would."""
    spec = spec_for(language)
    chunker, extractor, skeleton = (
        spec.versions if spec else (CHUNKER_VERSION, EXTRACTOR_VERSION, SKELETON_VERSION)
    )
    return f"c{chunker}.x{extractor}.s{skeleton}"


def _has_mark(data: bytes) -> bool:
    return data.startswith(b"\xef\xbb\xbf")


def _encode(decoded: Decoded) -> bytes:
    return decoded.text.encode("utf-8", "replace")


def _by_syntax(measure: Measure, decoded: Decoded, language: str, grammar: Grammar) -> FileFacts:
    root = grammar.parser.parse(_blanked(measure.source, grammar)).root_node
    found = find(root, measure.source, grammar)
    definitions = resolve(found, measure.source, grammar)
    symbols = symbols_of(definitions, found, measure.source, grammar)
    chunks = cut(root, measure, definitions, grammar.spec, grammar.beside)
    state, reason = ParseState.OK, ""
    if root.has_error:
        state, reason = ParseState.PARTIAL, "syntax errors"
    return _guarded(measure, decoded, language, state, chunks, symbols, reason)


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


def _guarded(
    measure: Measure,
    decoded: Decoded,
    language: str,
    state: ParseState,
    chunks: Sequence[Chunk],
    symbols: Sequence[Symbol],
    reason: str = "",
) -> FileFacts:
    """Hold a strategy's chunks to the partition; refuse them for this file otherwise."""
    problems = validate_partition(chunks, measure.line_count)
    if problems or not chunks:
        why = problems[0] if problems else "no chunk"
        return _windows(measure, decoded, language, f"partition: {why}", symbols)
    return _facts(measure, decoded, language, state, chunks, symbols, reason)


def _windows(
    measure: Measure,
    decoded: Decoded,
    language: str,
    reason: str,
    symbols: Sequence[Symbol] = (),
) -> FileFacts:
    chunks = window_chunks(measure)
    return _facts(measure, decoded, language, ParseState.FALLBACK, chunks, symbols, reason)


def _facts(
    measure: Measure,
    decoded: Decoded,
    language: str,
    state: ParseState,
    chunks: Sequence[Chunk],
    symbols: Sequence[Symbol] = (),
    reason: str = "",
) -> FileFacts:
    return FileFacts(
        language=language,
        encoding=decoded.encoding,
        line_count=measure.line_count,
        state=state,
        chunks=tuple(chunks),
        symbols=tuple(symbols),
        skeleton=skeleton_of(language, measure.source, symbols),
        reason=reason,
    )
