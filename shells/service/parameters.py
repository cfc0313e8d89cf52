"""What a route or a tool takes: declared once, checked strictly, and told as JSON Schema."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from codequarry.errors import UsageError

MAX_TEXT = 100_000  # characters of one value


class Kind(StrEnum):
    """The type of a value, in JSON Schema's words."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    STRINGS = "array"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value of a query string, a JSON body or a tool's arguments.

    Attributes:
        name: as it is written.
        description: for whoever reads the schema.
        kind: its type.
        required: whether it has to be there, and not empty.
        choices: the only values, if they are few.
        low: the least integer.
        high: the greatest integer.
    """

    name: str
    description: str
    kind: Kind = Kind.STRING
    required: bool = False
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 1_000_000

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        if self.kind is Kind.BOOLEAN:
            return {"type": "boolean"}
        if self.kind is Kind.INTEGER:
            return {"type": "integer", "minimum": self.low, "maximum": self.high}
        text: dict[str, Any] = {"type": "string", "maxLength": MAX_TEXT}
        if self.choices:
            text = {"type": "string", "enum": list(self.choices)}
        elif self.required:
            text["minLength"] = 1
        return {"type": "array", "items": text} if self.kind is Kind.STRINGS else text

    def checked(self, value: object) -> Any:
        """A value of a JSON body, if it is of the type.

        Raises:
            UsageError: it is not.
        """
        right = {
            Kind.STRING: isinstance(value, str),
            Kind.INTEGER: isinstance(value, int) and not isinstance(value, bool),
            Kind.BOOLEAN: isinstance(value, bool),
            Kind.STRINGS: isinstance(value, list) and all(isinstance(one, str) for one in value),
        }[self.kind]
        if isinstance(value, float) and value.is_integer() and self.kind is Kind.INTEGER:
            value, right = int(value), True  # JSON has one kind of number
        if not right:
            raise self._wrong(f"must be {_ARTICLES[self.kind]}")
        if isinstance(value, int) and not isinstance(value, bool):
            if not self.low <= value <= self.high:
                raise self._wrong(f"must be from {self.low} to {self.high}")
            return value
        if isinstance(value, list):
            return tuple(self._text(one) for one in value)
        return self._text(value) if isinstance(value, str) else value

    def read(self, texts: list[str]) -> Any:
        """A value of a query string, where it may stand several times.

        Raises:
            UsageError: it is not of the type, or stands twice.
        """
        if self.kind is Kind.STRINGS:
            return self.checked(texts)
        if len(texts) > 1:
            raise self._wrong("is given twice")
        (text,) = texts
        if self.kind is Kind.BOOLEAN:
            if text not in _BOOLEANS:
                raise self._wrong("must be true or false")
            return _BOOLEANS[text]
        if self.kind is Kind.INTEGER:
            digits = text.removeprefix("-")
            if not (digits.isascii() and digits.isdigit()) or len(digits) > _MOST_DIGITS:
                raise self._wrong(f"must be {_ARTICLES[self.kind]}")
            return self.checked(int(text))
        return self.checked(text)

    def _text(self, text: str) -> str:
        if self.choices and text not in self.choices:
            raise self._wrong(f"must be one of: {', '.join(self.choices)}")
        if len(text) > MAX_TEXT:
            raise self._wrong(f"is longer than {MAX_TEXT:,} characters")
        if self.required and not text.strip():
            raise self._wrong("is empty")
        return text

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"{self.name} {what}", self.description)


_ARTICLES = {
    Kind.STRING: "a string",
    Kind.INTEGER: "an integer",
    Kind.BOOLEAN: "true or false",
    Kind.STRINGS: "a list of strings",
}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_MOST_DIGITS = int(math.log10(2**63))


def from_query(parameters: Iterable[Parameter], items: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values of a query string.

    Raises:
        UsageError: one is not known, not of its type, or missing.
    """
    given: dict[str, list[str]] = {}
    for name, text in items:
        given.setdefault(name, []).append(text)
    known = {parameter.name: parameter for parameter in parameters}
    _refuse_unknown(known, given)
    values = {name: known[name].read(texts) for name, texts in given.items()}
    return _with_required(known, values)


def from_body(parameters: Iterable[Parameter], document: object) -> dict[str, Any]:
    """The values of a JSON body; null counts as not given. Errors as in `from_query`."""
    if not isinstance(document, dict):
        raise UsageError("the body must be a JSON object", 'for example {"question": "…"}')
    known = {parameter.name: parameter for parameter in parameters}
    _refuse_unknown(known, document)
    given = {name: value for name, value in document.items() if value is not None}
    return _with_required(known, {name: known[name].checked(v) for name, v in given.items()})


def _refuse_unknown(known: Mapping[str, Parameter], given: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(
                f"there is no parameter {name[:80]!r}", f"known: {', '.join(known) or 'none'}"
            )


def _with_required(known: Mapping[str, Parameter], values: dict[str, Any]) -> dict[str, Any]:
    for name, parameter in known.items():
        if parameter.required and name not in values:
            raise UsageError(f"{name} is missing", parameter.description)
    return values


def object_schema(parameters: Iterable[Parameter]) -> dict[str, Any]:
    """The JSON Schema of a body or of a tool's arguments."""
    known = list(parameters)
    return {
        "type": "object",
        "properties": {one.name: one.schema() | {"description": one.description} for one in known},
        "required": [one.name for one in known if one.required],
        "additionalProperties": False,
    }
