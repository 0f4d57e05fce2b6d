"""Strangers: other sites, other names, no token, floods and garbage; and what a browser may do with our pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("msgspec")
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from understudy.serve.app import make_app
from understudy.serve.guard import LARGEST, POLICY
from understudy.serve.running import _is_loopback

HOST = "http://127.0.0.1:8321"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(runs=tmp_path, games=tmp_path / "games.sqlite", hosts=("127.0.0.1", "[::1]"))
    with TestClient(app, base_url=HOST) as opened:
        yield opened


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8321", "", "localhost:x"])
def test_other_names_are_not_answered(client: TestClient, host: str) -> None:
    answer = client.get("/api/games", headers={"host": host})
    assert answer.status_code == 421 and "does not answer to the name" in answer.json()["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost:8321"])
def test_pages_of_others_are_refused(client: TestClient, origin: str) -> None:
    assert client.get("/api/games", headers={"origin": origin}).status_code == 403
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/api/live", headers={"origin": origin, "host": "127.0.0.1:8321"}),
    ):
        pass


def test_our_own_page_is_answered(client: TestClient) -> None:
    assert client.get("/api/games", headers={"origin": HOST, "sec-fetch-site": "same-origin"}).status_code == 200
    with client.websocket_connect("/api/live", headers={"origin": HOST, "host": "127.0.0.1:8321"}):
        pass


def test_requests_across_sites_are_refused_even_without_an_origin(client: TestClient) -> None:
    for site in ("cross-site", "same-site"):
        assert client.get("/api/games", headers={"sec-fetch-site": site}).status_code == 403
    assert client.get("/", headers={"sec-fetch-site": "cross-site"}).status_code == 200  # a link to our page


def test_only_json_is_taken(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = client.post("/api/play", content=b'{"game":"morris"}', headers={"content-type": kind})
        assert answer.status_code == 415, kind


def test_large_requests_are_refused(client: TestClient) -> None:
    large = b"[" * (LARGEST + 1)
    told = client.post("/api/play", content=large, headers={"content-type": "application/json"})
    assert told.status_code == 413
    parts = client.post("/api/play", content=iter([large[:100_000]] * 4), headers={"content-type": "application/json"})
    assert parts.status_code == 413
    nested = client.post("/api/play", content=b"[" * 100_000, headers={"content-type": "application/json"})
    assert nested.status_code == 400


def test_every_answer_has_the_policy_without_exceptions(client: TestClient) -> None:
    assert "unsafe" not in POLICY and "*" not in POLICY
    for path in ("/", "/static/board.css", "/api/games", "/api/nothing", "/nothing"):
        answer = client.get(path)
        assert answer.headers["content-security-policy"] == POLICY, path
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_files_outside_the_page_are_not_served(client: TestClient) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        answer = client.get(path)
        assert answer.status_code == 404 and "import" not in answer.text, path


def test_beyond_this_machine_a_token_is_needed(tmp_path: Path) -> None:
    app = make_app(runs=tmp_path, games=tmp_path / "games.sqlite", hosts=("127.0.0.1",), token="secret")
    with TestClient(app, base_url=HOST) as client:
        assert client.get("/").status_code == 200  # the page itself holds nothing
        for headers in ({}, {"x-understudy-token": "guess"}, {"x-understudy-token": "ß"}):
            sent = {name: value.encode() for name, value in headers.items()}
            assert client.get("/api/games", headers=sent).status_code == 401
        assert client.get("/api/games", headers={"x-understudy-token": "secret"}).status_code == 200
        assert client.get("/api/games", params={"token": "secret"}).status_code == 200
        here = {"host": "127.0.0.1:8321"}
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/live", headers=here):
            pass
        with client.websocket_connect("/api/live?token=secret", headers=here):
            pass


def test_on_all_addresses_any_name_is_answered_with_the_token(tmp_path: Path) -> None:
    app = make_app(runs=tmp_path, games=tmp_path / "games.sqlite", hosts=(), token="secret")
    with TestClient(app, base_url="http://laptop.example:8321") as client:
        assert client.get("/api/games").status_code == 401
        assert client.get("/api/games", params={"token": "secret"}).status_code == 200
        foreign = client.get("/api/games", params={"token": "secret"}, headers={"origin": "http://evil.example"})
        assert foreign.status_code == 403


def test_which_addresses_are_this_machine() -> None:
    assert all(map(_is_loopback, ("127.0.0.1", "localhost", "::1", "127.9.9.9")))
    assert not any(map(_is_loopback, ("0.0.0.0", "192.168.1.5", "::", "example.org")))
