"""Arrow schemas: the one place that says which columns a table has.

Facts tables (Parquet fragments) are keyed by ``(blob, language, version)``: ``blob`` is the
SHA-256 of the file's bytes (hex), ``version`` the extractor's version for that language.
Generation tables (Arrow IPC, memory-mapped) are keyed by row number.
"""

from __future__ import annotations

import pyarrow as pa

FACTS_VERSION = 3  # of the schemas below; part of the fragments' path

_KEY = [("blob", pa.string()), ("language", pa.string()), ("version", pa.string())]

PARSES = pa.schema(
    [
        *_KEY,
        ("encoding", pa.string()),
        ("line_count", pa.int32()),
        ("state", pa.string()),
        ("reason", pa.string()),
    ]
)
CHUNKS = pa.schema(
    [
        *_KEY,
        ("start_line", pa.int32()),
        ("end_line", pa.int32()),
        ("kind", pa.string()),
        ("name", pa.string()),
        ("names", pa.list_(pa.string())),
        ("scope", pa.list_(pa.string())),
        ("part", pa.int32()),
        ("parts", pa.int32()),
        ("text_hash", pa.string()),  # SHA-256 of the chunk's text in UTF-8
        ("terms", pa.list_(pa.string())),  # identifier parts, each once
        ("counts", pa.list_(pa.uint16())),
        ("wholes", pa.list_(pa.string())),  # joined identifiers, each once
        ("whole_counts", pa.list_(pa.uint16())),
        ("name_terms", pa.list_(pa.string())),  # parts and wholes of `names`
        ("scope_terms", pa.list_(pa.string())),  # the same of `scope`
    ]
)
SYMBOLS = pa.schema(
    [
        *_KEY,
        ("name", pa.string()),
        ("qualified", pa.string()),
        ("kind", pa.string()),
        ("scope", pa.list_(pa.string())),
        ("name_line", pa.int32()),
        ("start_line", pa.int32()),
        ("end_line", pa.int32()),
        ("start_byte", pa.int64()),
        ("end_byte", pa.int64()),
        ("signature", pa.string()),
        ("doc", pa.string()),
        ("static", pa.bool_()),
        ("exported", pa.bool_()),
        ("default_export", pa.bool_()),
        ("receiver", pa.string()),
        ("trait", pa.string()),
        ("arity_min", pa.int32()),
        ("arity_max", pa.int32()),
        ("name_parts", pa.list_(pa.string())),  # distinct identifier parts of `name`
    ]
)
SKELETONS = pa.schema(
    [
        *_KEY,
        ("text", pa.string()),
        ("text_hash", pa.string()),
        ("terms", pa.list_(pa.string())),
        ("counts", pa.list_(pa.uint16())),
    ]
)
REFERENCES = pa.schema(
    [
        *_KEY,
        ("type", pa.string()),
        ("path", pa.string()),
        ("written", pa.string()),
        ("name", pa.string()),
        ("receiver", pa.string()),
        ("scope", pa.int32()),  # position in the file's symbols, -1: file level
        ("arity", pa.int16()),
        ("line", pa.int32()),
        ("byte", pa.int64()),
    ]
)
BINDINGS = pa.schema(
    [
        *_KEY,
        ("scope", pa.int32()),
        ("name", pa.string()),
        ("kind", pa.string()),
        ("target", pa.string()),
        ("member", pa.string()),
        ("line", pa.int32()),
    ]
)
FACTS = {
    "chunks": CHUNKS,
    "symbols": SYMBOLS,
    "skeletons": SKELETONS,
    "references": REFERENCES,
    "bindings": BINDINGS,
    "parses": PARSES,
}
# `parses` is last on purpose: its fragment is written last and vouches for the others.

CENSUS = pa.schema(
    [
        ("path", pa.binary()),  # as the file system has it, "/"-separated
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("ctime_ns", pa.int64()),
        ("inode", pa.uint64()),
        ("blob", pa.string()),  # empty when skipped
        ("language", pa.string()),
        ("role", pa.string()),
        ("skip", pa.string()),  # reason code, empty when indexed
        ("detail", pa.string()),
        ("oid", pa.string()),  # git's name of the bytes; empty for a file on disk
    ]
)

GENERATION_FILES = pa.schema(
    [
        ("path", pa.string()),  # POSIX; bytes that are not UTF-8 shown as \xe9
        ("raw_path", pa.binary()),  # only where `path` is not the exact name
        ("blob", pa.string()),
        ("language", pa.string()),
        ("role", pa.string()),
        ("size", pa.int64()),
        ("line_count", pa.int32()),
        ("encoding", pa.string()),
        ("state", pa.string()),
        ("reason", pa.string()),
        ("first_chunk", pa.int32()),
        ("n_chunks", pa.int32()),
        ("first_symbol", pa.int32()),
        ("n_symbols", pa.int32()),
        ("doc", pa.string()),  # first line of the module's doc
    ]
)
GENERATION_CHUNKS = pa.schema(
    [
        ("file", pa.int32()),
        *[
            CHUNKS.field(name)
            for name in (
                "start_line",
                "end_line",
                "kind",
                "name",
                "names",
                "scope",
                "part",
                "parts",
            )
        ],
    ]
)
GENERATION_SYMBOLS = pa.schema(
    [
        ("file", pa.int32()),
        ("chunk", pa.int32()),
        *[SYMBOLS.field(i) for i in range(3, 19)],
        ("name_terms", pa.int32()),  # distinct identifier parts of the name
    ]
)
# References with what they mean; files and symbols by position in the census and the file.
LINKS = pa.schema(
    [
        ("file", pa.int32()),
        ("scope", pa.int32()),  # the file's symbol the reference stands in, -1: file level
        ("type", pa.string()),
        ("line", pa.int32()),
        ("byte", pa.int64()),
        ("written", pa.string()),
        ("receiver", pa.string()),
        ("arity", pa.int16()),
        ("target_file", pa.int32()),  # -1: not resolved
        ("target_symbol", pa.int32()),  # -1: the file itself
        ("rule", pa.string()),  # empty: not resolved
        ("confidence", pa.float32()),
        ("candidates", pa.int32()),
    ]
)
# The same in a generation: symbols by row, sorted by file and byte.
GENERATION_LINKS = pa.schema(
    [
        ("file", pa.int32()),
        ("chunk", pa.int32()),
        ("symbol", pa.int32()),
        *[field for field in LINKS if field.name not in ("file", "scope")],
    ]
)
FILE_EDGES = pa.schema(
    [("from", pa.int32()), ("to", pa.int32()), ("type", pa.string()), ("n", pa.int32())]
)
# How files hang together; a row a file.
GRAPH_FILES = pa.schema(
    [
        ("community", pa.int32()),
        ("degree", pa.int32()),  # distinct files it touches by reference
        ("in", pa.int32()),  # distinct files that refer to it
        ("out", pa.int32()),  # distinct files it refers to
    ]
)
COMMUNITIES = pa.schema([("name", pa.string()), ("size", pa.int32())])
# Nearest files by meaning, both ways; sorted by `from`, then nearest first.
SEMANTIC_EDGES = pa.schema([("from", pa.int32()), ("to", pa.int32()), ("cosine", pa.float32())])
# Files that say alike, refer to each other in no way and live apart; likest first.
SURPRISES = pa.schema([("first", pa.int32()), ("second", pa.int32()), ("cosine", pa.float32())])
# An inverted index, terms in ascending order of their hash; `docs` ascending within a term.
POSTINGS = pa.schema([("hash", pa.uint64()), ("docs", pa.large_list(pa.int32()))])
WEIGHTED_POSTINGS = pa.schema(
    [*POSTINGS, ("impacts", pa.large_list(pa.float32())), ("idf", pa.float32())]
)
# Columns of a generation's file_priors.npy, (files, priors) float32.
PRIORS = ("log_chunks", "depth", "test", "example", "data", "config", "old_version")
