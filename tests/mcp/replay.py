"""Lines sent to `quarry mcp` as they are, and every line of its standard output looked at."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from support import QUARRY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_TIMEOUT = 60.0
_CLIENT = {"name": "t", "version": "0"}


@dataclass
class Replayed:
    """What a server said to some lines, and how it ended."""

    status: int
    messages: list[dict[str, Any]]
    err: str
    answers: dict[Any, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for message in self.messages:
            assert message["jsonrpc"] == "2.0"
            if "method" in message or message["id"] is None:
                continue
            assert ("result" in message) != ("error" in message)
            assert message["id"] not in self.answers, "answered twice"
            self.answers[message["id"]] = message

    def result(self, number: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.answers[number]["result"]
        return found


def command(root: Path, *options: str) -> list[str]:
    return [*QUARRY, *options, "-C", str(root), "mcp"]


def replay(lines: Iterable[str | bytes], arguments: list[str], **environment: str) -> Replayed:
    """Send the lines, wait for what they ask, close the input; anything else on stdout fails."""
    data = [line if isinstance(line, bytes) else line.encode() for line in lines]
    asked = {id_ for line in data if (id_ := _id_of(line)) is not None}
    with (
        subprocess.Popen(
            arguments,
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as server,
        ThreadPoolExecutor(3) as threads,
    ):
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        err = threads.submit(server.stderr.read)
        sent = threads.submit(_send, server.stdin, data)
        end = threading.Timer(_TIMEOUT, server.kill)
        end.start()
        messages = []
        while asked and (line := server.stdout.readline()):
            messages.append(json.loads(line))
            if "method" not in messages[-1]:
                asked.discard(messages[-1]["id"])
        sent.result()
        server.stdin.close()
        messages += [json.loads(line) for line in server.stdout]
        server.wait()
        end.cancel()
        return Replayed(server.returncode, messages, err.result().decode())


def _send(pipe: IO[bytes], lines: list[bytes]) -> None:
    pipe.write(b"".join(line + b"\n" for line in lines))
    pipe.flush()


def _id_of(line: bytes) -> Any:
    """The id of a line that asks something."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message.get("id") if isinstance(message, dict) and "method" in message else None


def call(number: Any, tool: str, arguments: Any, **meta: Any) -> str:
    """The line of a call."""
    params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


def request(number: Any, method: str, **params: Any) -> str:
    """The line of any other request."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


HELLO = [
    request(1, "initialize", capabilities={}, clientInfo=_CLIENT, protocolVersion="2025-06-18"),
    '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
]
