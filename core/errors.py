"""Every error a user can meet, under one base class, each with a hint.

QuarryError
├── UsageError            wrong arguments or settings (exit status 2)
├── ConfirmationRequired  something costs money and nobody said yes (exit status 2)
├── IndexNotFound         no index here
├── IndexEmpty            the index holds no file
├── IndexVersionError     written by a newer codequarry
├── IndexDamaged          a file of the store is missing, cut or not what it says
├── FileNotIndexed        the index holds no such file, or it cannot be read now
├── IndexBusy             another run holds the writer's lock
├── StoreWriteError       the disk refused: full, read-only, no permission
├── ModelMismatch         the index was made with another embedding model
├── MissingAPIKey         a remote provider needs a key
├── ProviderError         a remote provider failed or answered nonsense
│   ├── PromptTooLong     … or does not read so much at once
│   └── ProviderTimeout   … or took too long
├── GitError              git cannot give what was asked for: no repository, no such revision
└── InvalidQuery          a query that cannot be asked
"""

from __future__ import annotations

from collections.abc import Mapping


class QuarryError(Exception):
    """Base of all errors meant for users.

    Attributes:
        message: one line, what happened.
        hint: one line, what to do about it; may be empty.
        details: more for programs, such as the counts of a preview; may be empty.
    """

    code = "error"
    exit_status = 1

    def __init__(
        self, message: str, hint: str = "", details: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = dict(details or {})

    def envelope(self) -> dict[str, dict[str, object]]:
        """Give the error as agents read it: ``{"error": {class, code, message, hint}}``.

        With ``details`` where it has some.
        """
        error: dict[str, object] = {
            "class": type(self).__name__,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }
        return {"error": error | ({"details": self.details} if self.details else {})}


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


class FileNotIndexed(QuarryError):
    """The index holds no such file, or it cannot be read now."""

    code = "file_not_indexed"


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


class PromptTooLong(ProviderError):
    """A remote model does not read so much at once."""

    code = "prompt_too_long"


class ProviderTimeout(ProviderError):
    """A remote provider took too long."""

    code = "provider_timeout"


class GitError(QuarryError):
    """Git cannot give what was asked for: no git, no repository, no such revision."""

    code = "git"


class InvalidQuery(QuarryError):
    """A query that cannot be asked."""

    code = "invalid_query"


def from_envelope(document: Mapping[str, object]) -> QuarryError:
    """The error that an `QuarryError.envelope` describes, as another process printed it.

    A class that is not known here gives a plain `QuarryError`.
    """
    found = document.get("error")
    error: Mapping[str, object] = found if isinstance(found, Mapping) else {}
    kinds = {kind.__name__: kind for kind in _kinds(QuarryError)}
    details = error.get("details")
    return kinds.get(str(error.get("class")), QuarryError)(
        str(error.get("message", "it is not said what happened")),
        str(error.get("hint", "")),
        details if isinstance(details, Mapping) else None,
    )


def _kinds(base: type[QuarryError]) -> list[type[QuarryError]]:
    return [base, *(kind for one in base.__subclasses__() for kind in _kinds(one))]
