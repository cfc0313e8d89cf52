"""From a setting's word to an embedding model: ``static``, ``quality``, ``none``, ``openai:…``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codequarry.errors import UsageError

if TYPE_CHECKING:
    from codequarry.models.provider import Embedder

DEFAULT = "static"
QUALITY = "quality"
NONE = "none"
REMOTE_PREFIX = "openai:"


def open_embedder(spec: str = DEFAULT, *, base_url: str = "", api_key: str = "") -> Embedder | None:
    """Open the embedding model that ``spec`` names; ``none`` gives None: lexical search only.

    Args:
        spec: ``static`` (the embedded model), ``quality`` (the same and a sentence model for
            whole files; an extra), ``none``, or ``openai:<model>``.
        base_url: For ``openai:``; the variable ``OPENAI_BASE_URL`` if empty.
        api_key: For ``openai:``; the variable ``OPENAI_API_KEY`` if empty.

    Raises:
        UsageError: ``spec`` names no model, or one that is not installed.
        MissingAPIKey: the endpoint is not local and there is no key.
    """
    word = spec.strip()
    if word == NONE:
        return None
    if word == DEFAULT:
        from codequarry.models.static import StaticEmbedder

        return StaticEmbedder.open()
    if word == QUALITY:
        from codequarry.models.quality import QualityEmbedder

        return QualityEmbedder.open()
    model = word.removeprefix(REMOTE_PREFIX)
    if model != word and model:
        from codequarry.models.openai_compatible import OpenAICompatibleEmbedder

        return OpenAICompatibleEmbedder(model, base_url=base_url, api_key=api_key)
    raise UsageError(
        f"There is no embedding model {spec!r}.",
        hint=f"Use {DEFAULT}, {QUALITY}, {NONE}, or {REMOTE_PREFIX}<model>.",
    )
