"""`quarry mcp --http`: the SDK's own client is served, pages and strangers are not."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from replay import HELLO
from support import QUARRY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN = "a-long-word"
_JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


@contextmanager
def _serving(root: Path, *options: str, **environment: str) -> Iterator[tuple[str, Any]]:
    """The address of a server, and its process."""
    with subprocess.Popen(
        [*QUARRY, "-C", str(root), "mcp", "--http", "--port", "0", *options],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            yield line.removeprefix("serving agents at ").split(",")[0].strip(), server
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def address(thirty: Path) -> Iterator[str]:
    with _serving(thirty, QUARRY_TOKEN=TOKEN) as (found, _):
        yield found


def _post(address: str, headers: dict[str, str], body: bytes = HELLO[0].encode()) -> int:
    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=10)
    try:
        connection.request("POST", where.path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_the_client_of_the_sdk_asks_and_reads(address: str):
    async def ask() -> tuple[Any, Any, Any]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers) as web,
            streamable_http_client(address, http_client=web) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = await session.list_tools()
            found = await session.call_tool("quarry_search", {"query": "ledger_basket_00"})
            link = next(one for one in found.content if one.type == "resource_link")
            return tools, found, await session.read_resource(str(link.uri))

    tools, found, resource = anyio.run(ask)
    assert len(tools.tools) == 6
    assert not found.is_error
    assert found.structured_content["core"][0]["path"] == "mod_00.py"
    assert "def ledger_basket_00" in resource.contents[0].text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer another"}, 401),
        ({"Authorization": f"Basic {TOKEN}"}, 401),
        ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "null"}, 403),
        ({"Authorization": f"Bearer {TOKEN}", "Content-Type": "text/plain"}, 415),
        ({"Authorization": f"Bearer {TOKEN}", "Mcp-Session-Id": "0" * 32}, 404),
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
    ],
)
def test_who_may_ask(address: str, headers: dict[str, str], status: int):
    assert _post(address, _JSON | headers) == status


def test_a_body_that_is_too_long_is_refused(address: str):
    body = json.dumps({"padding": "x" * 2_000_000}).encode()
    assert _post(address, _JSON | {"Authorization": f"Bearer {TOKEN}"}, body) == 413


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_server_ends_while_a_client_listens(thirty: Path):
    with _serving(thirty) as (address, server):
        where = urlsplit(address)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=10)
        connection.request("POST", where.path, HELLO[0], _JSON)
        response = connection.getresponse()
        session = response.getheader("Mcp-Session-Id") or ""
        response.read()
        connection.request("GET", where.path, headers=_JSON | {"Mcp-Session-Id": session})
        server.send_signal(signal.SIGTERM)
        server.wait(10)
        connection.close()
        assert "Traceback" not in server.stderr.read()
