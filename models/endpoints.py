"""Where a remote model is asked and with which key: checked before anything is sent."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from codequarry.errors import MissingAPIKey, UsageError
from codequarry.models.openai_compatible import (
    DEFAULT_URL,
    KEY_VARIABLE,
    URL_VARIABLE,
    is_local,
)
from codequarry.secrets import MASK, mask_secrets

_MAX_REASON = 200  # characters of a server's own words in an error
# What documentation and templates write where a key belongs
_PLACEHOLDER = re.compile(
    r"(?ix) \A(?: .*\b(?:your|my|insert|replace|change|enter|put)[-_ ]?.*(?:key|token|me|here).*"
    r" | (?:sk-)?(?:x{3,}|\*{3,}|\.{3,}|…|0{6,}|1234567890?)"
    r" | <.*> | \[.*\] | \{.*\} | \$.*"
    r" | (?:sk-)?(?:api[-_ ]?key|key|token|secret|none|null|todo|dummy|placeholder|changeme)"
    r" )\Z"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked address; the key is never part of its text form.

    Attributes:
        url: up to and with the version, without a slash at the end.
        host: what people are told.
        key: stripped and fit for a header; empty where none is needed.
    """

    url: str
    host: str
    key: str = field(repr=False)

    @property
    def local(self) -> bool:
        """Whether the host is this machine or its private network."""
        return is_local(self.host)

    def masked(self, error: BaseException) -> str:
        """The first line of what went wrong, without this key or any other."""
        text = str(error).strip().split("\n")[0] or type(error).__name__
        if self.key:
            text = text.replace(self.key, MASK)
        return mask_secrets(text)[:_MAX_REASON]


def find_endpoint(what: str, *, base_url: str = "", api_key: str = "") -> Endpoint:
    """Check address and key of an OpenAI-compatible endpoint; nothing is sent.

    Args:
        what: who asks, for the error: ``"The chat model m"``.
        base_url: ``OPENAI_BASE_URL``, or OpenAI's own, if empty.
        api_key: ``OPENAI_API_KEY`` if empty; local addresses need none.

    Raises:
        MissingAPIKey: the address is not local and there is no key, or one that cannot be real.
        UsageError: the address is not an HTTP one.
    """
    url = _versioned(base_url or os.environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL)
    host = urlsplit(url).hostname or ""
    key = (api_key or os.environ.get(KEY_VARIABLE, "")).strip()
    fault = _fault(key)
    if not fault:
        return Endpoint(url, host, key)
    if is_local(host):
        return Endpoint(url, host, "")
    raise MissingAPIKey(
        f"{what} at {host} needs an API key: {KEY_VARIABLE} {fault}.",
        hint=f"Set {KEY_VARIABLE}, or point {URL_VARIABLE} at a server on this machine.",
    )


def is_loopback(url: str) -> bool:
    """Whether an address is this very machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _fault(key: str) -> str:
    """What is wrong with a key; empty if nothing is."""
    if not key:
        return "is not set"
    if _PLACEHOLDER.match(key):
        return "looks like a placeholder"
    if not key.isascii() or not key.isprintable() or " " in key:
        return "holds characters that no key has"
    return ""


def _versioned(url: str) -> str:
    """The address in one form: no slash at the end, `/v1` where no path is given."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        raise UsageError(
            f"{shown!r} is not the address of a model endpoint.",
            hint=f"Give {URL_VARIABLE} as http(s)://host/v1.",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return parts._replace(path=path, fragment="").geturl()
