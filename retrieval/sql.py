"""Read-only SQL over the published tables, in DuckDB's dialect.

The tables are views on the generation's Arrow tables: nothing is copied, nothing can be
written, and the session can reach no file and no network.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from codequarry.errors import InvalidQuery, UsageError
from codequarry.retrieval.generation import Generation

if TYPE_CHECKING:
    import duckdb

MAX_ROWS = 100_000

TABLES = {
    "files": "every indexed file",
    "chunks": "the line partition of every file",
    "symbols": "every definition",
    "links": "every reference, with what it means where that is known",
    "file_edges": "how often a file refers to another, by type",
}
GRAPH_TABLES = {
    "graph": "the community of each file, and how many files it touches",
    "communities": "the groups of files that belong together",
    "semantic_edges": "the files nearest to each file by meaning",
    "surprises": "files that say alike, refer to each other in no way and live apart",
}
# Tables whose rows other tables name by their number, and what the number is called.
_NUMBERED = {"files": "id", "chunks": "id", "symbols": "id", "communities": "id", "graph": "file"}
VIEWS = {
    "refs": (
        "every reference as written",
        'SELECT file, chunk, symbol, type, line, byte, written, receiver, arity FROM "links"',
    ),
    "doc_links": (
        "documentation that mentions code",
        """SELECT file, line, written, target_file, target_symbol
           FROM "links" WHERE type = 'documents'""",
    ),
    "code_edges_chunk": (
        "resolved edges, both ends joined to their chunks",
        """SELECT l.type, a.path AS from_path, l.chunk AS from_chunk, s.qualified AS from_symbol,
                  l.line, b.path AS to_path, t.chunk AS to_chunk, t.qualified AS to_symbol,
                  l.rule, l.confidence
           FROM "links" l JOIN files a ON a.id = l.file JOIN files b ON b.id = l.target_file
           LEFT JOIN symbols s ON s.id = l.symbol LEFT JOIN symbols t ON t.id = l.target_symbol""",
    ),
    "code_edges_symbol": (
        "unresolved edges, their target by name only",
        """SELECT l.type, a.path AS from_path, s.qualified AS from_symbol, l.line,
                  l.written AS to_name, l.candidates
           FROM "links" l JOIN files a ON a.id = l.file LEFT JOIN symbols s ON s.id = l.symbol
           WHERE l.target_file < 0""",
    ),
}


def run_sql(generation: Generation, query: str, max_rows: int = MAX_ROWS) -> pa.Table:
    """Answer one SELECT.

    Args:
        generation: what is asked about.
        query: in DuckDB's SQL.
        max_rows: more rows are an error, not a cut.

    Raises:
        InvalidQuery: DuckDB does not take the query, or it gives too many rows.
        UsageError: DuckDB is not installed.
    """
    with session(generation) as connection:
        import duckdb

        reading = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        try:
            statements = connection.extract_statements(query)
            if len(statements) != 1 or statements[0].type not in reading:
                raise InvalidQuery("only one SELECT is answered", "see: quarry sql --help")
            reader = connection.sql(query)
            found: pa.Table = reader.limit(max_rows + 1).arrow().read_all()
        except duckdb.Error as error:
            reason = str(error).split("\n", maxsplit=1)[0]
            raise InvalidQuery(f"SQL: {reason}", "see: quarry sql --schema") from error
    if found.num_rows > max_rows:
        raise InvalidQuery(f"more than {max_rows:,} rows", "add a LIMIT")
    return found


def schema(generation: Generation) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Every table and view: its name, what it holds, its columns with their types."""
    about = TABLES | GRAPH_TABLES | {name: text for name, (text, _) in VIEWS.items()}
    found = []
    with session(generation) as connection:
        for name, text in about.items():
            rows = connection.sql(f'DESCRIBE "{name}"').fetchall()
            found.append((name, text, [(row[0], row[1]) for row in rows]))
    return found


@contextmanager
def session(generation: Generation) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB connection that knows the tables and nothing else.

    Raises:
        UsageError: DuckDB is not installed.
    """
    try:
        import duckdb
    except ImportError as error:
        raise UsageError("quarry sql needs DuckDB", "pip install 'codequarry[sql]'") from error
    connection = duckdb.connect(":memory:")
    try:
        tables = {name: getattr(generation, name) for name in TABLES}
        tables |= {name: generation.graph_table(name) for name in GRAPH_TABLES}
        for name, table in tables.items():
            if name in _NUMBERED:
                numbers = pa.array(range(table.num_rows), pa.int32())
                table = table.add_column(0, _NUMBERED[name], numbers)
            connection.register(f"{name}_rows", table)
            connection.table(f"{name}_rows").create_view(name)
        for name, (_, text) in VIEWS.items():
            connection.execute(f'CREATE VIEW "{name}" AS {text}')
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection
    finally:
        connection.close()
