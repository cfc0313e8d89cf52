"""All facts of one file from one parse: a pure function of its bytes and its language."""

from __future__ import annotations

from codequarry.assets.chunks.measure import Measure
from codequarry.assets.chunks.prose import PROSE
from codequarry.assets.chunks.strategy import Cut, run_strategy
from codequarry.assets.chunks.windows import window_chunks
from codequarry.assets.embedded.components import read_component
from codequarry.assets.embedded.dialects import DIALECTS
from codequarry.assets.embedded.notebooks import read_cells
from codequarry.assets.embedded.pages import read_page
from codequarry.assets.embedded.searchable import NOTEBOOK
from codequarry.assets.facts.reading import MAX_PARSE_BYTES, Reading, in_windows
from codequarry.assets.facts.syntax import NestingError, parse
from codequarry.assets.languages.grammars import Grammar, GrammarError, load
from codequarry.assets.languages.versions import of_all_languages, versions_of
from codequarry.assets.references.mentions import MENTIONS_VERSION, doc_mentions
from codequarry.assets.skeletons.skeleton import skeleton_of
from codequarry.text import decode
from codequarry.vocabulary import FileFacts, ParseState

EMBEDDED_VERSION = "1"  # of how code is found in files of another kind
EMBEDDING = PROSE | DIALECTS.keys() | {NOTEBOOK}  # languages of files that hold code of others

_MARK = b"\xef\xbb\xbf"


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
    reading = Reading(Cut(())) if measure.blank() else _read(measure, language)
    refused = reading.cut.refused
    return FileFacts(
        language=language,
        encoding=decoded.encoding,
        line_count=measure.line_count,
        state=ParseState.FALLBACK if refused else reading.state,
        chunks=tuple(reading.cut.chunks),
        symbols=reading.symbols,
        references=reading.references,
        bindings=reading.bindings,
        skeleton=skeleton_of(language, measure.source, reading.symbols),
        reason=refused or reading.reason,
    )


def extractor_version(language: str) -> str:
    """One word that changes whenever the facts of a language would."""
    versions = versions_of(language)
    version = f"c{versions.chunker}.x{versions.extractor}.s{versions.skeleton}.m{MENTIONS_VERSION}"
    if language not in EMBEDDING:
        return version
    inside = of_all_languages("chunker", "extractor", "skeleton", with_grammar=True)[:8]
    return f"{version}.e{EMBEDDED_VERSION}-{inside}"


def index_version(language: str) -> str:
    """One word that changes whenever the facts or the vectors of a language would."""
    return f"{extractor_version(language)}.t{versions_of(language).text}"


def _read(measure: Measure, language: str) -> Reading:
    try:
        if language in EMBEDDING:
            return _read_embedding(measure, language)
        grammar = load(language)
        if grammar is None:
            return Reading(Cut(window_chunks(measure)), state=ParseState.PLAIN)
        return _read_code(measure, grammar)
    except (GrammarError, NestingError) as error:
        return in_windows(measure, str(error))
    except Exception as error:  # one odd file must not cost its neighbours; the reason is kept
        return in_windows(measure, f"{type(error).__name__}: {error}")


def _read_embedding(measure: Measure, language: str) -> Reading:
    if language in PROSE:
        return read_page(measure, language)
    if language == NOTEBOOK:
        return read_cells(measure)
    return read_component(measure, DIALECTS[language])


def _read_code(measure: Measure, grammar: Grammar) -> Reading:
    if len(measure.source) > MAX_PARSE_BYTES:
        return in_windows(measure, f"larger than {MAX_PARSE_BYTES} bytes")
    parsed = parse(measure.source, grammar)
    chunks = run_strategy(measure, parsed.chunks)
    reason = parsed.trouble or ("syntax errors" if parsed.has_error else "")
    state = ParseState.PARTIAL if reason else ParseState.OK
    mentioned = doc_mentions(parsed.symbols, measure.source)
    references = (*parsed.references, *mentioned)
    return Reading(chunks, parsed.symbols, references, parsed.bindings, state, reason)
