"""What must not pass: other pages, other names, other paths, too much of anything."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from http_serving import http_serving
from shop import indexed_shop
from support import CASES, LEXICAL, index, write_tree

from codequarry.shells.http.guard import MAX_BODY
from codequarry.shells.http.limits import RateLimit
from codequarry.shells.http.streams import MOST_STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


REQUESTS = json.loads((CASES / "C056" / "requests.json").read_text())
PATHS = json.loads((CASES / "C055" / "paths.json").read_text())


def _raw(client: httpx.Client, method: str, path: str, headers: dict[str, str], body: str = ""):
    """A request whose headers are exactly these, Host included."""
    connection = http.client.HTTPConnection(client.base_url.host, client.base_url.port, timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    port = client.base_url.port
    for name, value in {"host": f"127.0.0.1:{port}", **headers}.items():
        connection.putheader(name, value)
    connection.putheader("content-length", str(len(body)))
    connection.endheaders(body.encode())
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


@pytest.mark.parametrize("case", REQUESTS["refuse"], ids=lambda case: case["name"])
def test_pages_of_others_are_refused(client: httpx.Client, case: dict[str, Any]):
    path = case["path"].removeprefix("/api")
    answer, text = _raw(client, case["method"], path, case["headers"], case.get("body", ""))
    assert answer.status in (403, 415, 421)
    assert answer.getheader("access-control-allow-origin") is None
    assert "def " not in text


@pytest.mark.parametrize("case", REQUESTS["allow"], ids=lambda case: case["name"])
def test_the_page_itself_is_let_in(client: httpx.Client, case: dict[str, Any]):
    path = case["path"].removeprefix("/api")
    answer, _ = _raw(client, case["method"], path, case["headers"])
    assert answer.status == 200
    own = f"http://{case['headers']['host']}"
    answer, _ = _raw(client, case["method"], path, {**case["headers"], "origin": own})
    assert answer.status == 200


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "127.0.0.1.evil.example", "localhost.", "localhost:80:80", "[::1]x", "0"],
)
def test_only_names_of_this_machine_reach_it(client: httpx.Client, host: str):
    answer, _ = _raw(client, "GET", "/search?q=x", {"host": host})
    assert answer.status == (200 if host == "localhost." else 421)


def test_an_allowed_origin_may_ask_and_no_other(tmp_path: Path, serving: Any):
    good = "https://docs.example"
    with serving(indexed_shop(tmp_path), cors=(good,), readonly=True) as client:
        answer = client.get("/search", params={"q": "tax"}, headers={"Origin": good})
        assert answer.headers["access-control-allow-origin"] == good
        asked = client.options("/ask", headers={"Origin": good})
        assert asked.status_code == 204
        assert "Content-Type" in asked.headers["access-control-allow-headers"]
        for other in ("https://docs.example.evil", "http://docs.example", "null", "*"):
            refused = client.get("/search", params={"q": "tax"}, headers={"Origin": other})
            assert refused.status_code == 403
            assert "access-control-allow-origin" not in refused.headers


@pytest.fixture(scope="module")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """The case's repository beside its secrets, with links that lead out."""
    folder = tmp_path_factory.mktemp("walled") / "C055"
    shutil.copytree(CASES / "C055", folder)
    index(folder / "repo", LEXICAL)
    write_tree(folder / "repo", {"quarry.toml": 'model = "none"\n'})
    if os.name != "nt":
        (folder / "repo/src/link_out").symlink_to("../../secret.txt")
        (folder / "repo/src/link_dir").symlink_to("../..")
    with http_serving(folder / "repo", readonly=True) as client:
        yield client


LINKED = ["src/link_out", "src/link_dir/secret.txt", "src/link_dir/repo-evil/secret.txt"]


@pytest.mark.parametrize("path", [*PATHS["refused"], *LINKED])
@pytest.mark.parametrize("route", ["get", "chunks", "graph"])
def test_no_path_leads_out(walled: httpx.Client, route: str, path: str):
    values = {"path": path} if route != "graph" else {"op": "node", "what": path}
    answer = walled.get(f"/{route}", params=values)
    assert answer.status_code in (404, 422) or (
        route == "graph" and answer.json()["path"] == "src/ok.py"  # words that mean a file
    )
    assert "MARK_" not in answer.text
    assert "walled" not in answer.text  # the folder that the repository lies in


def test_a_file_replaced_by_a_link_is_not_followed(tmp_path: Path, serving: Any):
    if os.name == "nt":
        pytest.skip("links need a privilege there")
    root = indexed_shop(tmp_path)
    (tmp_path / "secret.txt").write_text("MARK_OUTSIDE\n")
    (root / "shop/tax.py").unlink()
    (root / "shop/tax.py").symlink_to(tmp_path / "secret.txt")
    with serving(root, readonly=True) as client:
        answer = client.get("/get", params={"path": "shop/tax.py"})
        asked = client.post("/ask", json={"question": "who adds the tax"})
    assert answer.status_code in (404, 422)
    assert "MARK_OUTSIDE" not in answer.text + asked.text


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/%2e%2e/app.py",
        "/assets/../../http/app.py",
        "/..%2fapp.py",
        "/index.html/",
        "//etc/passwd",
        "/style.css%00.html",
        "/vendor.js/../../app.py",
        "/STYLE.CSS",
    ],
)
def test_static_files_are_a_closed_list(client: httpx.Client, path: str):
    answer, text = _raw(client, "GET", path, {})
    assert answer.status == 404
    assert json.loads(text)["error"]["code"] == "no_route"


def test_the_token_opens_and_nothing_else_does(tmp_path: Path, serving: Any):
    with serving(indexed_shop(tmp_path), token="s3cret", readonly=True) as client:
        assert client.get("/health").status_code == 200
        assert client.get("/").status_code == 200
        ask = {"params": {"q": "tax"}}
        assert client.get("/search", **ask).status_code == 401
        for wrong in (
            "Bearer",
            "Bearer s3cre",
            "Bearer s3cret x",
            "Basic s3cret",
            "s3cret",
        ):
            refused = client.get("/search", headers={"Authorization": wrong}, **ask)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
        good = {"Authorization": "Bearer s3cret"}
        assert client.get("/search", headers=good, **ask).status_code == 200
        twice = [("Authorization", "Bearer s3cret"), ("Authorization", "Bearer x")]
        assert client.get("/search", headers=twice, **ask).status_code == 401
        assert client.get("/search", params={"q": "x", "token": "s3cret"}).status_code == 401
        for path in ("/config", "/status", "/openapi.json"):
            assert "s3cret" not in client.get(path, headers=good).text


def test_a_log_says_neither_what_was_asked_nor_the_token(
    tmp_path: Path, serving: Any, capfd: pytest.CaptureFixture[str]
):
    with serving(indexed_shop(tmp_path), token="s3cret", readonly=True, log=True) as client:
        client.get(
            "/search", params={"q": "private words"}, headers={"Authorization": "Bearer s3cret"}
        )
    said = capfd.readouterr().err
    assert "GET /search 200" in said
    assert "s3cret" not in said
    assert "private" not in said


def test_a_body_has_an_end(client: httpx.Client):
    json_type = {"Content-Type": "application/json"}
    huge = b"x" * (MAX_BODY + 1)
    assert client.post("/ask", content=huge, headers=json_type).status_code == 413
    pieces = (b"x" * 65_536 for _ in range(MAX_BODY // 65_536 + 2))  # chunked: no length is told
    with suppress(httpx.TransportError):  # refused, and closed, while the client still sends
        assert client.post("/ask", content=pieces, headers=json_type).status_code == 413
    assert client.get("/health").status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "json"])
def test_only_json_changes_anything(client: httpx.Client, kind: str):
    answer = client.post("/index", content=b"{}", headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_every_answer_carries_the_policy(client: httpx.Client):
    for path in ("/", "/search?q=tax", "/nothing", "/openapi.json"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "server" not in headers


def test_a_line_break_in_an_answer_cannot_forge_an_event(tmp_path: Path, serving: Any):
    evil = (
        '"""Till.\n\nevent: done\ndata: {}\n\n"""\n\n\ndef ring():\n    """Ring\\n\\ndata: x"""\n'
    )
    root = write_tree(tmp_path / "repo", {"till.py": evil, "quarry.toml": 'model = "none"\n'})
    index(root, LEXICAL)
    with serving(root, readonly=True) as client:
        text = client.post("/ask/stream", json={"question": "ring the till\r\n\r\ndata: y"}).text
    blocks = [block for block in text.split("\n\n") if block]
    assert all(
        [line.split(":")[0] for line in block.split("\n")] == ["id", "event", "data"]
        for block in blocks
    )
    assert [block.split("\n")[1] for block in blocks].count("event: done") == 1


def test_a_client_asks_so_often_and_a_kept_answer_is_free(tmp_path: Path, serving: Any):
    with serving(indexed_shop(tmp_path), rate_limit=2) as client:
        ask = {"json": {"question": "who adds the tax"}}
        codes = [client.post("/ask", **ask).status_code for _ in range(4)]
        assert codes == [200] * 4  # the first is made, the others are kept answers
        other = [client.post("/ask", json={"question": f"who is unit0{i}"}) for i in range(2)]
        assert [one.status_code for one in other] == [200, 429]
        assert int(other[1].headers["retry-after"]) <= 31
        assert client.get("/search", params={"q": "tax"}).status_code == 200


def test_a_bucket_fills_up_over_a_minute():
    now = [0.0]
    limit = RateLimit(6, lambda: now[0])
    assert [limit.take("a") for _ in range(6)] == [0.0] * 6
    assert limit.take("a") == pytest.approx(10)
    assert limit.take("b") == 0.0
    now[0] = 10.0
    assert limit.take("a") == 0.0
    limit.give_back("a")
    assert limit.take("a") == 0.0


def test_streams_are_bounded_and_free_again(
    tmp_path: Path, serving: Any, monkeypatch: pytest.MonkeyPatch
):
    from codequarry.shells.http import app as module

    gate = threading.Event()

    def slow(*_: object):
        yield {"type": "retrieval"}
        gate.wait(30)
        yield {"type": "done"}

    monkeypatch.setattr(module, "answer_events", slow)
    with serving(indexed_shop(tmp_path), readonly=True) as client:
        port = client.base_url.port
        sockets = []
        for _ in range(MOST_STREAMS):
            one = socket.create_connection(("127.0.0.1", port))
            body = b'{"question":"x"}'
            head = f"POST /ask/stream HTTP/1.1\r\nHost: localhost:{port}\r\n"
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            one.sendall(head.encode() + body)
            assert one.recv(12) == b"HTTP/1.1 200"
            sockets.append(one)
        refused = client.post("/ask/stream", json={"question": "x"})
        assert refused.status_code == 503
        assert client.get("/search", params={"q": "tax"}).status_code == 200  # others still answer
        gate.set()
        for one in sockets:
            one.close()
        for _ in range(100):
            again = client.post("/ask/stream", json={"question": "x"})
            if again.status_code == 200:
                break
        assert again.status_code == 200


def test_a_fault_inside_tells_nothing_of_itself(
    tmp_path: Path, serving: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    from codequarry.shells.http import work

    def broken(*_: object, **__: object):
        raise RuntimeError("/home/secret/path")

    monkeypatch.setattr(work, "ask_events", broken)
    with serving(indexed_shop(tmp_path), readonly=True) as client:
        text = client.post("/ask/stream", json={"question": "x"}).text
        assert '"type": "error"' in text
        assert '"type": "done"' in text
        assert "secret" not in text
    assert "RuntimeError" in capfd.readouterr().err
