"""What text of a chunk or file is embedded, and the key its vector is stored under.

A model that sums term vectors (`BagEmbedder`) embeds the bare text, wherever it lies. Any
other model embeds a breadcrumb (``repo > path > class > def``) and the text, so its key
depends on the path too. Keys are computed from the texts' hashes: no file is read for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from codequarry.store.vectors import vector_key


def breadcrumb(repo: str, path: str, scope: Sequence[str], names: Sequence[str]) -> str:
    """Where a chunk lives: ``repo > path > class Foo > [bar, baz]``."""
    crumbs = [repo, path, *scope]
    if len(names) == 1:
        crumbs.append(names[0])
    elif names:
        crumbs.append(f"[{', '.join(names)}]")
    return " > ".join(crumb for crumb in crumbs if crumb)


def bare_keys(model: str, text_hashes: Sequence[str]) -> list[bytes]:
    """Keys of texts embedded as they are."""
    return [vector_key(model, text_hash) for text_hash in text_hashes]


def crumb_key(model: str, crumb: str, text_hash: str) -> bytes:
    """The key of a text embedded under a breadcrumb."""
    joined = hashlib.sha256(f"{crumb}\0{text_hash}".encode("utf-8", "surrogatepass"))
    return vector_key(model, joined.hexdigest())
