"""The OpenAPI document, made from the table of routes, so that the two cannot disagree."""

from __future__ import annotations

from typing import Any

import codequarry
from codequarry.shells.http.routes import OPERATIONS, Operation
from codequarry.shells.service.parameters import object_schema

Document = dict[str, Any]

_ERROR = {"$ref": "#/components/schemas/Error"}
_FAILURES = {
    "400": "The request is not HTTP as it should be.",
    "401": "The token is missing or wrong.",
    "403": "This origin may not ask, or the server only reads.",
    "404": "There is no such file, or no index.",
    "409": "Another run is at work, or consent is needed.",
    "413": "The body is too long.",
    "415": "The body is not JSON.",
    "421": "The server is not known by this name.",
    "422": "A value is missing, not known or not of its type.",
    "429": "Asked too often; see Retry-After.",
    "500": "Something broke inside.",
    "502": "A remote model failed.",
    "503": "Not ready yet, or too much at once; see Retry-After.",
    "504": "A remote model took too long.",
}


def openapi_document() -> Document:
    """The document that ``/openapi.json`` gives."""
    paths: dict[str, Document] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "codequarry",
            "version": codequarry.__version__,
            "summary": "Ask a repository; get every related file, ranked and complete.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _error_schema()},
        },
        "security": [{"token": []}, {}],
    }


def _operation(operation: Operation) -> Document:
    streamed = operation.answer is None
    content = (
        {"text/event-stream": {"schema": {"type": "string"}}}
        if streamed
        else {"application/json": {"schema": {"type": "object"}}}
    )
    responses: Document = {str(operation.status): {"description": "Done.", "content": content}}
    for status, text in _FAILURES.items():
        body = {"application/json": {"schema": _ERROR}}
        responses[status] = {"description": text, "content": body}
    document: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": responses,
    }
    if operation.open:
        document["security"] = []
    if operation.method == "GET":
        document["parameters"] = [
            {
                "name": one.name,
                "in": "query",
                "required": one.required,
                "description": one.description,
                "schema": one.schema(),
            }
            for one in operation.parameters
        ]
    else:
        schema = object_schema(operation.parameters)
        taken: Document = {"application/json": {"schema": schema}}
        document["requestBody"] = {"required": True, "content": taken}
    return document


def _error_schema() -> Document:
    texts = {name: {"type": "string"} for name in ("class", "code", "message", "hint")}
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": list(texts),
                "properties": texts | {"details": {"type": "object"}},
            }
        },
    }
