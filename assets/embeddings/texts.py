"""What a model that reads texts is sent: breadcrumb and text of what has no vector yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from codequarry.assets.census.census import Entry, read_entry
from codequarry.assets.embeddings.keys import breadcrumb, crumb_key, key_spaces
from codequarry.assets.facts.expand import Expanded, expand
from codequarry.secrets import mask_secrets, masked_lines
from codequarry.text import UndecodableError, decode, split_lines

MAX_EMBED_CHARS = 24_000  # of a text sent to a model; the verbatim span is never cut


@dataclass(frozen=True, slots=True)
class Text:
    """A text to embed, and the key of its vector."""

    key: bytes
    crumb: str
    text: str

    def sent(self) -> str:
        """What leaves this machine: keys masked, bounded."""
        return mask_secrets(f"{self.crumb}\n{self.text}")[:MAX_EMBED_CHARS]


def texts_without_vector(
    root: Path,
    repo: str,
    entries: Sequence[Entry],
    chunks: pa.Table,
    skeletons: pa.Table,
    model: str,
    stored: set[bytes],
) -> Iterator[Text]:
    """The texts of some files that have no stored vector, each key once.

    Args:
        root: the tree; each file is read once.
        repo: the repository's name.
        entries: the files.
        chunks: facts that hold those of the files.
        skeletons: the same.
        model: the key of the model.
        stored: keys that need no vector.
    """
    seen = set(stored)
    for text in _texts(root, repo, entries, chunks, skeletons, model):
        if text.key not in seen:
            seen.add(text.key)
            yield text


def _texts(
    root: Path,
    repo: str,
    entries: Sequence[Entry],
    chunks: pa.Table,
    skeletons: pa.Table,
    model: str,
) -> Iterator[Text]:
    of_chunks, of_skeletons = expand(entries, chunks), expand(entries, skeletons)
    names = ("start_line", "end_line", "names", "scope", "text_hash")
    columns = {name: _taken(chunks, name, of_chunks) for name in names}
    hashes = _taken(skeletons, "text_hash", of_skeletons)
    skeleton_texts = _taken(skeletons, "text", of_skeletons)
    spaces = key_spaces(model, (entry.language for entry in entries))
    for i, entry in enumerate(entries):
        space = spaces[entry.language]
        for j in _span(of_skeletons, i):
            crumb = breadcrumb(repo, entry.path, (), ())
            yield Text(crumb_key(space, crumb, hashes[j]), crumb, skeleton_texts[j])
        if not len(_span(of_chunks, i)):
            continue
        try:
            lines = masked_lines(split_lines(decode(read_entry(root, entry)).text))
        except (OSError, UndecodableError):
            continue  # gone since the census: the next run sees it
        for j in _span(of_chunks, i):
            crumb = breadcrumb(repo, entry.path, columns["scope"][j], columns["names"][j])
            text = "".join(lines[int(columns["start_line"][j]) - 1 : int(columns["end_line"][j])])
            if text.strip():
                yield Text(crumb_key(space, crumb, columns["text_hash"][j]), crumb, text)


def _taken(table: pa.Table, name: str, expanded: Expanded) -> list[str]:
    return list(table[name].combine_chunks().take(pa.array(expanded.rows)).to_pylist())


def _span(expanded: Expanded, file: int) -> range:
    return range(expanded.first[file], expanded.first[file] + expanded.count[file])
