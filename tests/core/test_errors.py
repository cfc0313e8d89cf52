from __future__ import annotations

import inspect
import json

import pytest

from codequarry import errors

CLASSES = [
    cls
    for _, cls in inspect.getmembers(errors, inspect.isclass)
    if issubclass(cls, errors.QuarryError)
]


@pytest.mark.parametrize("cls", CLASSES)
def test_every_error_has_an_envelope_with_class_code_message_and_hint(cls: type):
    envelope = cls("what happened", "what to do").envelope()
    assert json.loads(json.dumps(envelope)) == {
        "error": {
            "class": cls.__name__,
            "code": cls.code,
            "message": "what happened",
            "hint": "what to do",
        }
    }


def test_codes_are_distinct():
    codes = [cls.code for cls in CLASSES]
    assert len(set(codes)) == len(codes)


def test_only_usage_and_confirmation_exit_with_2():
    two = {cls.__name__ for cls in CLASSES if cls.exit_status == 2}
    assert two == {"UsageError", "ConfirmationRequired"}
    assert {cls.exit_status for cls in CLASSES} == {1, 2}


def test_the_module_docstring_names_every_error():
    for cls in CLASSES:
        assert cls.__name__ in (errors.__doc__ or "")
