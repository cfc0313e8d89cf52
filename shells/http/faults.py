"""From an error to a response: its status and its envelope, never a traceback."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse

from codequarry.errors import (
    ConfirmationRequired,
    FileNotIndexed,
    GitError,
    IndexBusy,
    IndexDamaged,
    IndexEmpty,
    IndexNotFound,
    IndexVersionError,
    InvalidQuery,
    MissingAPIKey,
    ModelMismatch,
    ProviderError,
    ProviderTimeout,
    QuarryError,
    StoreWriteError,
    UsageError,
)

_STATUS: dict[type[QuarryError], int] = {
    UsageError: 422,
    InvalidQuery: 422,
    GitError: 422,
    ConfirmationRequired: 409,
    IndexBusy: 409,
    FileNotIndexed: 404,
    IndexNotFound: 503,
    IndexEmpty: 503,
    IndexDamaged: 503,
    IndexVersionError: 503,
    ModelMismatch: 503,
    MissingAPIKey: 502,
    ProviderTimeout: 504,
    ProviderError: 502,
    StoreWriteError: 500,
}
RETRY_AFTER = 2  # seconds, while a first index is being made


def fault(
    status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A response for what is wrong with the request itself."""
    error = {"class": "RequestError", "code": code, "message": message, "hint": hint}
    return JSONResponse({"error": error}, status, headers)


def response_of(error: QuarryError) -> JSONResponse:
    """The response for an error of the core."""
    kinds = (kind for kind in type(error).__mro__ if kind in _STATUS)
    status = _STATUS[found] if (found := next(kinds, None)) else 500
    headers = {"Retry-After": str(RETRY_AFTER)} if isinstance(error, IndexNotFound) else None
    return JSONResponse(error.envelope(), status, headers)
