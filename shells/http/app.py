"""The application: every operation of the table as a route, behind the guard."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from codequarry.errors import QuarryError, UsageError
from codequarry.shells.http.faults import fault, response_of
from codequarry.shells.http.guard import BodyTooLong, Guard
from codequarry.shells.http.openapi import openapi_document
from codequarry.shells.http.routes import OPERATIONS, Operation
from codequarry.shells.http.service import Service
from codequarry.shells.http.streams import TooManyStreams, Work
from codequarry.shells.http.studio import StudioFiles
from codequarry.shells.http.work import answer_events, error_events, run_events
from codequarry.shells.service.parameters import from_body, from_query

Endpoint = Callable[[Request], Awaitable[Response]]

_AT_ONCE = 16  # answers that are worked on at the same time; others wait their turn
OPENAPI = "/openapi.json"


def make_app(service: Service) -> ASGIApp:
    """The application that serves one repository."""
    studio = StudioFiles()
    workers = anyio.CapacityLimiter(_AT_ONCE)
    routes = [Route(path, studio.answer, methods=["GET"]) for path in sorted(studio.paths)]
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    routes += [
        Route(path, _endpoint(service, operations, workers), methods=list(operations))
        for path, operations in by_path.items()
    ]
    document = openapi_document()
    routes.append(Route(OPENAPI, lambda _: JSONResponse(document), methods=["GET"]))
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _http_fault,
            BodyTooLong: _too_long,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False
    open_paths = studio.paths | {operation.path for operation in OPERATIONS if operation.open}
    # outermost, so that what the server's own error pages say is guarded too
    return Guard(app, service.options, open_paths)


def _endpoint(
    service: Service, operations: Mapping[str, Operation], workers: anyio.CapacityLimiter
) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        operation, started = operations[method], time.perf_counter()
        try:
            response = await _answer(service, operation, request, workers)
        except QuarryError as error:
            response = response_of(error)
        except TooManyStreams:
            hint = {"Retry-After": "5"}
            response = fault(503, "busy", "too many answers are being made", "try again", hint)
        except ClientDisconnect:
            response = Response(status_code=499)
        if service.options.log:
            took = (time.perf_counter() - started) * 1000
            line = f"{method} {operation.path} {response.status_code} {took:.1f} ms"
            sys.stderr.write(f"{line}\n")
        return response

    return endpoint


async def _answer(
    service: Service, operation: Operation, request: Request, workers: anyio.CapacityLimiter
) -> Response:
    if operation.changes and service.options.readonly:
        return fault(403, "readonly", "this server only reads")
    values = await _values(operation, request)
    client = request.client.host if request.client else ""
    again = request.headers.get("last-event-id", "") if operation.answer is None else ""
    known = service.streams.resumed(again) if again else None
    if known is not None:
        stream, number = known
        return _streamed(stream.sent(number))
    if operation.limited and (wait := service.limit.take(client)):
        headers = {"Retry-After": str(int(wait) + 1)}
        return fault(429, "rate", "asked too often", f"wait {int(wait) + 1} s", headers)
    if operation.answer is not None:
        work = partial(operation.answer, service, values)
        document = await anyio.to_thread.run_sync(work, limiter=workers, abandon_on_cancel=True)
        if operation.limited and document.get("cached"):
            service.limit.give_back(client)
        return JSONResponse(document, operation.status)
    if operation.limited:
        await anyio.to_thread.run_sync(lambda: service.held, limiter=workers)  # or why not, at once
        events = partial(_refunded, service, client, partial(answer_events, service, values))
    else:
        events = partial(run_events, service, values, start=not again)
    stream = service.streams.start(events, _told)
    return _streamed(stream.sent())


def _refunded(service: Service, client: str, work: Work) -> Generator[dict[str, Any], None, None]:
    """The same events; a kept answer costs the client nothing."""
    for event in work():
        if event["type"] == "cached":
            service.limit.give_back(client)
        yield event


def _told(error: Exception) -> list[dict[str, Any]]:
    if not isinstance(error, QuarryError):
        _print_trace(error)
    return error_events(error)


async def _values(operation: Operation, request: Request) -> dict[str, Any]:
    if operation.method == "GET":
        return from_query(operation.parameters, request.query_params.multi_items())
    if request.query_params:
        raise UsageError("a POST takes its values from the body", "leave out the query string")
    try:
        document = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise UsageError("the body is not JSON", 'for example {"question": "…"}') from error
    return from_body(operation.parameters, document)


def _streamed(events: Any) -> StreamingResponse:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return fault(404, "no_route", "there is nothing here", f"see: {OPENAPI}")
    what = "not this way" if error.status_code == 405 else str(error.detail)
    return fault(error.status_code, "http", what, headers=error.headers)


async def _too_long(request: Request, error: Exception) -> Response:
    return fault(413, "too_long", "the body is too long", headers={"Connection": "close"})


async def _broken(request: Request, error: Exception) -> Response:
    _print_trace(error)
    return fault(500, "internal", "something broke inside", "the server's log says more")


def _print_trace(error: Exception) -> None:
    traceback.print_exception(error, file=sys.stderr)
