"""Vectors from any OpenAI-compatible ``/embeddings`` endpoint, through the ``openai`` package.

A local server (Ollama, vLLM, TEI, LM Studio, llama.cpp) needs no key; any other address does.
Every reply is counted, paired with its texts by ``index``, and checked before it is used.
"""

from __future__ import annotations

import ipaddress
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from codequarry.errors import MissingAPIKey, ProviderError, UsageError
from codequarry.models.provider import ModelIdentity, Vectors, normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from openai import OpenAI

KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"
DEFAULT_URL = "https://api.openai.com/v1"
BATCH = 128  # texts a request; servers refuse large ones, OpenAI's own limit is 2,048
TIMEOUT_SECONDS = 60.0
_KNOWN_WIDTHS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_PROBE = "dimension"
_WIDTH_IN_KEY = re.compile(r"-(\d+)-[0-9a-f]{16}$")
# US dollars a million tokens at OpenAI's own address, as its price list had them in 2025
_PRICES = {
    "text-embedding-3-small": 0.02,
    "text-embedding-3-large": 0.13,
    "text-embedding-ada-002": 0.10,
}


class OpenAICompatibleEmbedder:
    """Embeds through an endpoint; blank texts are not sent and give zero vectors."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str = "",
        dimension: int | None = None,
        batch: int = BATCH,
    ) -> None:
        """Check address and key; nothing is sent yet.

        Args:
            model: The model's name at the endpoint.
            base_url: Up to and with ``/v1``; ``OPENAI_BASE_URL`` or OpenAI's own if empty.
            api_key: ``OPENAI_API_KEY`` if empty; local addresses need none.
            dimension: The width to ask for, where the model can shorten its vectors.
            batch: How many texts go into one request.

        Raises:
            MissingAPIKey: the address is not local and there is no key.
            UsageError: the address is not an HTTP one, or ``openai`` is not installed.
        """
        self._model = model
        self._url = (base_url or os.environ.get(URL_VARIABLE, "") or DEFAULT_URL).rstrip("/")
        host = endpoint(self._url)
        key = api_key or os.environ.get(KEY_VARIABLE, "")
        if not key and not is_local(host):
            raise MissingAPIKey(
                f"The embedding model {model} at {host} needs an API key.",
                hint=f"Set {KEY_VARIABLE}, or use the embedded model: static.",
            )
        self._client = _client(self._url, key or "local")
        self._asked = dimension
        self._batch = batch
        self._width = dimension or _KNOWN_WIDTHS.get(model)

    @property
    def host(self) -> str:
        """Where texts are sent."""
        return endpoint(self._url)

    @property
    def dollars_a_million_tokens(self) -> float | None:
        """What it costs; none where that is not known, zero on this machine."""
        if is_local(self.host):
            return 0.0
        return _PRICES.get(self._model) if self._url == DEFAULT_URL else None

    def recall(self, keys: Iterable[str]) -> bool:
        """Take the width from the key of vectors that are stored, so that nobody need be asked.

        Returns:
            Whether the width is known, and the identity with it.
        """
        for key in keys if self._width is None else ():
            width = _WIDTH_IN_KEY.search(key)
            if width and self._identity(int(width[1])).key == key:
                self._width = int(width[1])
                break
        return self._width is not None

    @property
    def dimension(self) -> int:
        """The width of the vectors; asks the endpoint once where it cannot be known."""
        if self._width is None:
            self._width = len(self._send([_PROBE])[0])
        return self._width

    @property
    def identity(self) -> ModelIdentity:
        """Model, width and address, without user name, password and query."""
        return self._identity(self.dimension)

    def _identity(self, width: int) -> ModelIdentity:
        return ModelIdentity("openai", self._model, width, _public(self._url))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in batches: (n, d) float32, row i for text i; zero for a blank text.

        Raises:
            ProviderError: the endpoint refused, or its reply is not n vectors of width d.
        """
        filled = [i for i, text in enumerate(texts) if text.strip()]
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(filled), self._batch):
            part = filled[start : start + self._batch]
            vectors[part] = self._checked(self._send([texts[i] for i in part]))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Embed a query: (d,) float32, of length 1, or zero if it is blank."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _send(self, texts: list[str]) -> list[list[float]]:
        """Send one request; the vectors in the order of ``texts``."""
        from openai import OpenAIError

        extra: dict[str, Any] = {"dimensions": self._asked} if self._asked else {}
        try:
            reply = self._client.embeddings.create(
                model=self._model, input=texts, encoding_format="float", **extra
            )
        except OpenAIError as error:
            raise ProviderError(
                f"{_host(self._url)} did not embed with {self._model}: {_first_line(error)}",
                hint="Check the model's name, the address and the key, then run again.",
            ) from error
        by_index = {item.index: item.embedding for item in reply.data or ()}
        if len(reply.data or ()) != len(texts) or set(by_index) != set(range(len(texts))):
            raise self._nonsense(
                f"{len(reply.data or ())} vectors for {len(texts)} texts, "
                f"{len(by_index)} of them with an index of their own"
            )
        return [by_index[i] for i in range(len(texts))]

    def _checked(self, rows: list[list[float]]) -> Vectors:
        """Refuse vectors of another width, not finite, or zero; scale the others to length 1."""
        widths = {len(row) for row in rows}
        if widths != {self.dimension}:
            raise self._nonsense(f"vectors of width {sorted(widths)}, not {self.dimension}")
        vectors = np.array(rows, np.float64)
        if not np.isfinite(vectors).all():
            raise self._nonsense("a vector with a number that is not finite")
        largest = np.abs(vectors).max(axis=1, keepdims=True)
        if not largest.all():
            raise self._nonsense("a zero vector")
        return normalise((vectors / largest).astype(np.float32))

    def _nonsense(self, what: str) -> ProviderError:
        return ProviderError(
            f"{_host(self._url)} answered {what} (model {self._model}).",
            hint="The endpoint is not a working embedding endpoint for this model.",
        )


def endpoint(base_url: str = "") -> str:
    """The host that texts are sent to: to be named before the first request."""
    return _host(base_url or os.environ.get(URL_VARIABLE, "") or DEFAULT_URL)


def is_local(host: str) -> bool:
    """Whether ``host`` is this machine or its private network, where no key is expected."""
    if host == "localhost" or host.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host  # a name of the local network, as of a container


def _client(base_url: str, key: str) -> OpenAI:
    try:
        from openai import OpenAI
    except ImportError as error:
        raise UsageError(
            "Remote embedding models need the openai package.",
            hint="pip install 'codequarry[openai]'",
        ) from error
    return OpenAI(base_url=base_url, api_key=key, timeout=TIMEOUT_SECONDS, max_retries=0)


def _host(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(
            f"{_public(url)!r} is not the address of an embedding endpoint.",
            hint=f"Give {URL_VARIABLE} as http(s)://host/v1.",
        )
    return parts.hostname


def _public(url: str) -> str:
    """The address without credentials and query."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _first_line(error: Exception) -> str:
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:200]
