"""The OpenAPI document: well formed, and kept by the server whatever it is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codequarry.shells.http.openapi import openapi_document
from codequarry.shells.http.routes import OPERATIONS, Operation
from codequarry.shells.service.parameters import Kind, Parameter

if TYPE_CHECKING:
    import httpx

DOCUMENT = openapi_document()
READING = [one for one in OPERATIONS if not one.changes and one.answer is not None]
ERROR = DOCUMENT["components"]["schemas"]["Error"]
TEXT = st.text(max_size=30)


def test_the_document_names_every_route_and_each_operation_once(client: httpx.Client):
    assert client.get("/openapi.json").json() == DOCUMENT
    names = [op["operationId"] for path in DOCUMENT["paths"].values() for op in path.values()]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            schemas = [one["schema"] for one in operation.get("parameters", [])]
            body = operation.get("requestBody")
            schemas += [body["content"]["application/json"]["schema"]] if body else []
            for schema in schemas:
                jsonschema.Draft202012Validator.check_schema(schema)
            assert (method == "get") == ("requestBody" not in operation), path


def _values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Mostly of the type, sometimes not."""
    right: st.SearchStrategy[Any] = TEXT
    if parameter.kind is Kind.BOOLEAN:
        right = st.booleans()
    elif parameter.kind is Kind.INTEGER:
        right = st.integers(parameter.low, min(parameter.high, parameter.low + 400))
    elif parameter.choices:
        right = st.sampled_from(parameter.choices)
    if parameter.kind is Kind.STRINGS:
        right = st.lists(right, max_size=3)
    wrong = st.one_of(
        TEXT,
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.none(),
        st.lists(TEXT),
    )
    return st.one_of(right, right, right, wrong)


@st.composite
def _requests(draw: st.DrawFn) -> tuple[Operation, dict[str, Any]]:
    operation = draw(st.sampled_from(READING))
    chosen = draw(st.sets(st.sampled_from(operation.parameters))) if operation.parameters else set()
    if draw(st.integers(0, 4)):
        chosen |= {one for one in operation.parameters if one.required}
    values = {one.name: draw(_values(one)) for one in sorted(chosen, key=lambda one: one.name)}
    if not draw(st.integers(0, 9)):
        values[draw(TEXT)] = draw(TEXT)
    return operation, values


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_requests())
def test_every_answer_is_one_that_the_document_declares(
    client: httpx.Client, request_: tuple[Operation, dict[str, Any]]
):
    operation, values = request_
    if operation.method == "GET":
        shown = {k: str(v).lower() if isinstance(v, bool) else v for k, v in values.items()}
        answer = client.get(operation.path, params=shown)
    else:
        answer = client.post(operation.path, json=values)
    declared = DOCUMENT["paths"][operation.path][operation.method.lower()]["responses"]
    assert str(answer.status_code) in declared
    assert answer.status_code != 500, answer.text
    if answer.status_code >= 400:
        jsonschema.validate(answer.json(), ERROR)
    else:
        assert isinstance(answer.json(), dict)
