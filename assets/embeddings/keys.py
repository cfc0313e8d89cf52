"""What text of a chunk or file is embedded, and the key its vector is stored under.

A model that sums term vectors (`BagEmbedder`) embeds the bare text, wherever it lies. Any
other model embeds a breadcrumb (``repo > path > class > def``) and the text, so its key
depends on the path too. Keys are computed from the texts' hashes: no file is read for them.
The version of what a language has embedded is part of the key, so that a new one finds none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from codequarry.assets.languages.versions import versions_of
from codequarry.store.vectors import vector_key


def breadcrumb(repo: str, path: str, scope: Sequence[str], names: Sequence[str]) -> str:
    """Where a chunk lives: ``repo > path > class Foo > [bar, baz]``."""
    crumbs = [repo, path, *scope]
    if len(names) == 1:
        crumbs.append(names[0])
    elif names:
        crumbs.append(f"[{', '.join(names)}]")
    return " > ".join(crumb for crumb in crumbs if crumb)


def bare_keys(model: str, languages: Sequence[str], text_hashes: Sequence[str]) -> list[bytes]:
    """Keys of texts embedded as they are, each in a file of the language of its row."""
    space = key_spaces(model, languages)
    pairs = zip(languages, text_hashes, strict=True)
    return [vector_key(space[language], text_hash) for language, text_hash in pairs]


def crumb_key(space: str, crumb: str, text_hash: str) -> bytes:
    """The key of a text embedded under a breadcrumb; see `key_spaces`."""
    joined = hashlib.sha256(f"{crumb}\0{text_hash}".encode("utf-8", "surrogatepass"))
    return vector_key(space, joined.hexdigest())


def key_spaces(model: str, languages: Iterable[str]) -> dict[str, str]:
    """What keys of each language begin with: the model, and the version of what is embedded."""
    return {language: f"{model}\0{versions_of(language).text}" for language in set(languages)}
