"""Who may ask at all: by the name the server was called, the page that calls, and the token.

A page on the web can make a browser send requests to this machine. It cannot choose the Host
header, which is checked against rebinding of its own name; it cannot hide its Origin; and it
cannot send JSON or a token without asking first, which is answered only for allowed origins.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from codequarry.shells.http.faults import fault
from codequarry.shells.http.service import ServeOptions

MAX_BODY = 1_000_000  # bytes
LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))
_WITH_BODY = frozenset(("POST", "PUT", "PATCH"))
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:/?#@\s]+)(?::\d{1,5})?")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def is_loopback(host: str) -> bool:
    """Whether an address that is bound is reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Guard:
    """Answers what may not pass, and puts the safe headers on what does."""

    def __init__(self, app: ASGIApp, options: ServeOptions, open_paths: frozenset[str]) -> None:
        """Guard an application.

        Args:
            app: what is guarded.
            options: the token and the names and origins that are allowed.
            open_paths: routes that need no token: they tell nothing of the repository.
        """
        self._app = app
        self._options = options
        self._open = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin", "")
        foreign = bool(origin) and not self._is_own(origin, headers.get("host", ""))

        async def safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                out = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    out.setdefault(name, value)
                if foreign and origin in self._options.cors:
                    out["Access-Control-Allow-Origin"] = origin
                    out["Cross-Origin-Resource-Policy"] = "cross-origin"
                    out.add_vary_header("Origin")
            await send(message)

        refused = self._refusal(scope, headers, origin, foreign=foreign)
        if refused is not None:
            await refused(scope, receive, safe)
        else:
            await self._app(scope, _bounded(receive), safe)

    def _refusal(
        self, scope: Scope, headers: Headers, origin: str, *, foreign: bool
    ) -> Response | None:
        if len(headers.getlist("host")) != 1 or not self._is_known(headers["host"]):
            return fault(421, "host", "this server is not known by that name", "use localhost")
        if len(headers.getlist("origin")) > 1 or (foreign and origin not in self._options.cors):
            return fault(403, "origin", "pages of other origins may not ask", "see: --cors")
        if scope["method"] == "OPTIONS" and foreign:
            return _preflight()
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length[:20]) > MAX_BODY:
            return fault(413, "too_long", f"a body may have {MAX_BODY:,} bytes")
        needs_token = bool(self._options.token) and scope["path"] not in self._open
        if needs_token and not self._has_token(headers):
            wanted = {"WWW-Authenticate": "Bearer"}
            hint = "send it as: Authorization: Bearer TOKEN"
            return fault(401, "token", "the token is missing or wrong", hint, wanted)
        if scope["method"] in _WITH_BODY and not _is_json(headers):
            return fault(415, "not_json", "the body must be JSON", "Content-Type: application/json")
        return None

    def _is_known(self, host: str) -> bool:
        """Whether the server goes by the name of a Host header."""
        name = _name_of(host)
        if name in LOOPBACK_NAMES or name in self._options.hosts:
            return True
        bound = self._options.host
        if is_loopback(bound):
            return False
        try:
            ipaddress.ip_address(name)  # a name can be rebound, an address cannot
        except ValueError:
            return name == bound.lower()
        return True

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this very server asks."""
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()

    def _has_token(self, headers: Headers) -> bool:
        given = headers.getlist("authorization")
        scheme, _, token = (given[0] if len(given) == 1 else "").partition(" ")
        same = hmac.compare_digest(token.strip().encode(), self._options.token.encode())
        return scheme.lower() == "bearer" and same


def _name_of(host: str) -> str:
    """The name in a Host header, without its port; empty for what is none."""
    found = _HOST.fullmatch(host)
    return found[1].strip("[]").lower().removesuffix(".") if found else ""


def _is_json(headers: Headers) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json"


def _preflight() -> Response:
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID",
            "Access-Control-Max-Age": "600",
        },
    )


class BodyTooLong(Exception):
    """A body without a length went on and on."""


def _bounded(receive: Receive) -> Receive:
    """The same messages, until a body is longer than it may be."""
    seen = 0

    async def bounded() -> Message:
        nonlocal seen
        message = await receive()
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > MAX_BODY:
                raise BodyTooLong
        return message

    return bounded
