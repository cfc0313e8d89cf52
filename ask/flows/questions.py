"""Questions that a repository's own code suggests, in the words of its doc comments.

They are a function of the generation. Files are taken by how many others refer to them, one a
community at first, so that each part of the repository has its question; a question names what a
file defines that is referred to most. Between them stand the functions that much begins with.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from codequarry.ask.flows.doc_verbs import what_it_does
from codequarry.ask.step import is_beside, short_name
from codequarry.identifiers import tokens
from codequarry.retrieval.generation import TYPE_KINDS, Generation
from codequarry.retrieval.graph.lanes import FileGraph
from codequarry.vocabulary import Kind, Role

_CALLABLE = (Kind.FUNCTION.value, Kind.METHOD.value)
_MOST = 200  # files that questions are derived from
_OF_FILE = 3  # definitions of a file that are asked about, the first of each file before
_LEAST_NAME = 3  # letters of a name
_WITH_DOC = 3  # times, for the references to what has a doc comment: it can be asked about
_MOST_ENTRIES, _ENTRY_CALLS = 3, 5  # functions that much begins with, and what they call at least


def derived(generation: Generation) -> list[str]:
    """Questions about the definitions of central code, the most central first, and its entries."""
    graph = FileGraph(generation)
    code = (generation.roles == Role.CODE.value) & ~generation.is_test & ~graph.is_front
    plain = code & ~np.array([is_beside(path) for path in generation.paths], bool)
    code = plain if plain.any() else code
    files = np.flatnonzero(code)
    files = files[np.lexsort((files, -graph.referring[files]))]
    first: list[int] = []
    later: list[int] = []
    seen: set[int] = set()
    for file in files.tolist():
        community = int(graph.community[file])
        (later if community in seen else first).append(file)
        seen.add(community)
    central = [_central(generation, file) for file in [*first, *later][:_MOST]]
    rows = [own[n] for n in range(_OF_FILE) for own in central if n < len(own)]
    for place, row in enumerate(_entries(generation, code)):
        rows.insert(2 * place + 1, row)
    return list(dict.fromkeys(question_about(generation, row) for row in rows))


def _central(generation: Generation, file: int) -> list[int]:
    """A file's definitions that are referred to most."""
    first, count = (generation.files[name][file].as_py() for name in ("first_symbol", "n_symbols"))
    pointers = generation.link_array("in_pointers")
    used = np.diff(pointers[first : first + count + 1]).tolist()
    rows = generation.symbols.select(["kind", "doc", "name"]).slice(first, count).to_pylist()
    fit = [
        (-uses * (_WITH_DOC if row["doc"] else 1), first + place)
        for place, (row, uses) in enumerate(zip(rows, used, strict=True))
        if (row["kind"] in _CALLABLE or row["kind"] in TYPE_KINDS) and _is_telling(row["name"])
    ]
    return [row for _, row in sorted(fit)[:_OF_FILE]]


def _is_telling(name: str) -> bool:
    """Whether a name is one that people write, and not of a test."""
    return len(name) >= _LEAST_NAME and next(iter(tokens(name)), "") != "test"


def _entries(generation: Generation, code: npt.NDArray[np.bool_]) -> list[int]:
    """Public functions that much begins with: they call most, and nothing but tests calls them."""
    symbols, links = generation.symbols, generation.links
    into, into_at = generation.link_array("in"), generation.link_array("in_pointers")
    calls = np.diff(generation.link_array("out_pointers"))
    fit = np.asarray(pc.is_in(symbols["kind"], pa.array(_CALLABLE, pa.string())))
    fit &= np.asarray(symbols["exported"]) & code[np.asarray(symbols["file"])]
    rows = np.flatnonzero(fit & (calls >= _ENTRY_CALLS))
    found: dict[str, int] = {}
    files: set[int] = set()
    for row in rows[np.lexsort((rows, -calls[rows]))].tolist():
        file, name = symbols["file"][row].as_py(), symbols["name"][row].as_py()
        callers = np.asarray(links["file"].take(into[into_at[row] : into_at[row + 1]]))
        new = file not in files and name not in found and _is_telling(name)
        if new and generation.is_test[callers].all():
            found[name] = row
            files.add(file)
            if len(found) == _MOST_ENTRIES:
                break
    return list(found.values())


def question_about(generation: Generation, row: int) -> str:
    """What a person would ask about a definition, in the words of its doc comment.

    Args:
        generation: where it is defined.
        row: of its symbol.
    """
    symbol = {
        name: generation.symbols[name][row].as_py() for name in ("qualified", "kind", "doc", "file")
    }
    is_type = symbol["kind"] in TYPE_KINDS
    short = short_name(symbol["qualified"])
    short = re.split(r"\W+", short)[-1] if is_type else short
    name = f"`{short}`"
    stem = generation.paths[symbol["file"]].rpartition("/")[2].partition(".")[0]
    if not is_type and short.isidentifier() and stem.lower() != short.lower():
        name += f" in {stem}"
    does = what_it_does(symbol["doc"] or "", short)
    if does:
        return f"How does {name} {does}?"
    if is_type:
        return f"What is {name} for and how is it used?"
    return f"What happens when {name} is called?"
