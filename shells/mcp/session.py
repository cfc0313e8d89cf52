"""One session over two pipes: every line is answered, those that came just before the end too."""

from __future__ import annotations

import json
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

# An input that ends with the calls in it (`quarry mcp < calls`) still has them answered; a client
# that is gone is not waited for any longer.
_GRACE = 1.5  # seconds
_LOOK = 0.01  # seconds
_CANCEL = "notifications/cancelled"  # what it names has no answer

_Stream = Any  # the SDK's streams: what it reads with and writes with


async def run_session(server: Server[Any], read: _Stream, write: _Stream) -> None:
    """Serve until the input ends and what it asked is answered.

    Args:
        server: what answers.
        read: gives messages, and an exception for a line that is none.
        write: takes messages; it is closed at the end.
    """
    calls: set[types.RequestId] = set()
    to_server, inbox = anyio.create_memory_object_stream[SessionMessage | Exception]()
    outbox, from_server = anyio.create_memory_object_stream[SessionMessage]()

    async def take_in() -> None:
        async with to_server:
            async for item in read:
                if isinstance(item, Exception):
                    refused = refusal(item)
                    if refused is not None:
                        await write.send(SessionMessage(refused))
                    continue
                message = item.message
                if isinstance(message, types.JSONRPCRequest):
                    calls.add(message.id)
                elif isinstance(message, types.JSONRPCNotification) and message.method == _CANCEL:
                    named = (message.params or {}).get("requestId")
                    calls.difference_update(one for one in (named,) if isinstance(one, int | str))
                await to_server.send(item)
            with anyio.move_on_after(_GRACE):
                while calls:
                    await anyio.sleep(_LOOK)

    async def give_out() -> None:
        async with from_server, write:
            async for item in from_server:
                await write.send(item)
                message = item.message
                if isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
                    calls.discard(message.id)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(take_in)
        tasks.start_soon(give_out)
        await server.run(inbox, outbox, server.create_initialization_options())


def refusal(error: Exception) -> types.JSONRPCError | None:
    """What to say to a line that is no message; None for a blank one.

    The answer carries the line's id, if it has one, so that nobody waits for it for ever.
    """
    line = _line_of(error)
    if isinstance(line, str):
        if not line.strip():
            return None
        try:
            line = json.loads(line)  # it may be JSON and yet not text, as half a surrogate pair
        except (ValueError, RecursionError):
            data = types.ErrorData(code=types.PARSE_ERROR, message="the line is not JSON")
            return types.JSONRPCError(jsonrpc="2.0", id=None, error=data)
    found = line.get("id") if isinstance(line, dict) and "method" in line else None
    known = found if isinstance(found, int | str) and not isinstance(found, bool) else None
    data = types.ErrorData(
        code=types.INVALID_REQUEST, message="the line is no JSON-RPC 2.0 message"
    )
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=data)


def _line_of(error: Exception) -> object:
    """The line that an error of reading is about: parsed where it could be."""
    if not isinstance(error, ValidationError):
        return None
    tried = error.errors(include_url=False, include_context=False)
    # each kind of message was tried; of those that lacked a key the whole line is told
    whole = [one["input"] for one in tried if one["type"] in ("missing", "json_invalid")]
    return whole[0] if whole else None
