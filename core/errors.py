"""Every error a user can meet, under one base class, each with a hint.

QuarryError
├── UsageError            wrong arguments or settings (exit status 2)
├── ConfirmationRequired  something costs money and nobody said yes (exit status 2)
├── IndexNotFound         no index here
├── IndexEmpty            the index holds no file
├── IndexVersionError     written by a newer codequarry
├── IndexDamaged          a file of the store is missing, cut or not what it says
├── IndexBusy             another run holds the writer's lock
├── StoreWriteError       the disk refused: full, read-only, no permission
├── ModelMismatch         the index was made with another embedding model
├── MissingAPIKey         a remote provider needs a key
├── ProviderError         a remote provider failed or answered nonsense
└── InvalidQuery          a query that cannot be asked
"""

from __future__ import annotations


class QuarryError(Exception):
    """Base of all errors meant for users.

    Attributes:
        message: one line, what happened.
        hint: one line, what to do about it; may be empty.
    """

    code = "error"
    exit_status = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def envelope(self) -> dict[str, dict[str, str]]:
        """Give the error as agents read it: ``{"error": {class, code, message, hint}}``."""
        return {
            "error": {
                "class": type(self).__name__,
                "code": self.code,
                "message": self.message,
                "hint": self.hint,
            }
        }


class UsageError(QuarryError):
    """Wrong arguments or settings."""

    code = "usage"
    exit_status = 2


class ConfirmationRequired(QuarryError):
    """Something costs money and nobody said yes."""

    code = "confirmation_required"
    exit_status = 2


class IndexNotFound(QuarryError):
    """There is no index here."""

    code = "index_not_found"


class IndexEmpty(QuarryError):
    """The index holds no file."""

    code = "index_empty"


class IndexVersionError(QuarryError):
    """The store was written by a newer codequarry."""

    code = "index_version"


class IndexDamaged(QuarryError):
    """A file of the store is missing, cut short or not what it says."""

    code = "index_damaged"


class IndexBusy(QuarryError):
    """Another run holds the writer's lock."""

    code = "index_busy"


class StoreWriteError(QuarryError):
    """The disk refused a write; the last complete generation still serves."""

    code = "store_write"


class ModelMismatch(QuarryError):
    """The index was made with another embedding model than the one asked for."""

    code = "model_mismatch"


class MissingAPIKey(QuarryError):
    """A remote provider needs a key and none is set."""

    code = "missing_api_key"


class ProviderError(QuarryError):
    """A remote provider failed or answered nonsense."""

    code = "provider"


class InvalidQuery(QuarryError):
    """A query that cannot be asked."""

    code = "invalid_query"
