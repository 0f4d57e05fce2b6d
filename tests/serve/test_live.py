"""The socket: pages hear of games they follow, thoughts tick, questions are cancelled, garbage is answered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("msgspec")
from starlette.testclient import TestClient

from tests.conftest import LONG
from understudy.serve.app import make_app
from understudy.serve.news import LONGEST, Follower


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(runs=tmp_path, games=tmp_path / "games.sqlite", hosts=("127.0.0.1",))
    with TestClient(app, base_url="http://127.0.0.1") as opened:
        yield opened


def connect(client: TestClient) -> Any:
    return client.websocket_connect("/api/live", headers={"host": "127.0.0.1"})


def hear(socket: Any, event: str, **wanted: Any) -> dict[str, Any]:
    """Return the next message of an event; others are passed over."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        message: dict[str, Any] = socket.receive_json()
        if message["event"] == event and all(message.get(key) == value for key, value in wanted.items()):
            return message
    raise AssertionError(event)


def test_two_pages_follow_one_game(client: TestClient) -> None:
    people = {"white": "human", "black": "human"}
    state = client.post("/api/play", json={"game": "chess", "players": people}).json()
    topic = f"play/{state['id']}"
    with connect(client) as one, connect(client) as other:
        for socket in (one, other):
            socket.send_json({"do": "follow", "topic": topic})
            assert hear(socket, "state")["state"]["ply"] == 0
        client.post(f"/api/{topic}/move", json={"move": "e4", "ply": 0})
        assert hear(one, "state")["state"]["ply"] == hear(other, "state")["state"]["ply"] == 1
        other.send_json({"do": "leave", "topic": topic})


def test_a_search_ticks_while_it_thinks_and_then_answers(client: TestClient) -> None:
    ask = {"game": "chess", "player": "searcher:time=2"}
    with connect(client) as socket:
        socket.send_json({"do": "think", "id": "a", "ask": ask})
        tick = hear(socket, "thinking", id="a")["thought"]
        assert tick["depth"] >= 1 and tick["nodes"] > 0
        assert hear(socket, "thought", id="a")["thought"]["kind"] == "value"


def test_a_question_is_stopped(client: TestClient) -> None:
    long = {"game": "chess", "player": "searcher:time=30"}
    with connect(client) as socket:
        for _ in range(3):  # with two threads for long questions, the third would wait a minute if none were stopped
            socket.send_json({"do": "think", "id": "a", "ask": long})
            hear(socket, "thinking", id="a")
            socket.send_json({"do": "stop", "id": "a"})
        began = time.monotonic()
        socket.send_json({"do": "think", "id": "b", "ask": {**long, "player": "searcher:time=1"}})
        hear(socket, "thought", id="b")
        assert time.monotonic() - began < LONG


def test_a_long_think_holds_up_nobody(client: TestClient) -> None:
    long, quick = {"game": "chess", "player": "searcher:time=30"}, {"game": "chess", "player": "student:chess"}
    with connect(client) as socket:
        for name in ("a", "b", "c"):
            socket.send_json({"do": "think", "id": name, "ask": long})
        socket.send_json({"do": "think", "id": "quick", "ask": quick})
        answered: set[str] = set()
        while "quick" not in answered:
            message = socket.receive_json()
            if message["event"] == "thought":
                answered.add(message["id"])
        assert answered == {"quick"}
        for name in ("a", "b", "c"):
            socket.send_json({"do": "stop", "id": name})


def test_a_page_that_leaves_stops_its_machine(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.serve.hall.PATIENCE", 0.05)
    players = {"white": "searcher:time=30", "black": "human"}
    state = client.post("/api/play", json={"game": "chess", "players": players}).json()
    hall: Any = client.app.app.routes[4].endpoint.__self__.hall  # type: ignore[attr-defined]
    with connect(client) as socket:
        socket.send_json({"do": "follow", "topic": f"play/{state['id']}"})
        hear(socket, "thinking")
    deadline = time.monotonic() + LONG
    while state["id"] in hall.turns:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert client.get(f"/api/play/{state['id']}").json()["ply"] == 0
    assert state["id"] in hall.turns  # whoever comes back finds it thinking again


def test_a_machine_waits_where_too_many_think(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.serve.thinking.WAITING", 0)
    refused = client.post("/api/think", json={"game": "konane", "size": "4x4", "player": "random"})
    assert refused.status_code == 503 and "wait already" in refused.json()["error"]
    monkeypatch.setattr("understudy.serve.thinking.WAITING", 256)
    state = client.post("/api/play", json={"game": "konane", "size": "4x4", "players": {"black": "random"}}).json()
    monkeypatch.setattr("understudy.serve.thinking.WAITING", 0)
    later = client.get(f"/api/play/{state['id']}", params={"wait": 1, "since": state["version"]}).json()
    monkeypatch.setattr("understudy.serve.thinking.WAITING", 256)
    deadline = time.monotonic() + LONG
    while later["ply"] == 0:
        assert time.monotonic() < deadline and not later["over"]
        later = client.get(f"/api/play/{state['id']}", params={"wait": 5, "since": later["version"]}).json()


def test_garbage_is_answered_with_a_sentence(client: TestClient) -> None:
    with connect(client) as socket:
        for text in (
            "",
            "{",
            "[]",
            '{"do":"dance"}',
            '{"do":5}',
            '{"do":"follow","topic":"play/nothing"}',
            "[" * 5_000,
        ):
            socket.send_text(text)
            assert hear(socket, "error")["error"]
        socket.send_json({"do": "think", "id": "x", "ask": {"game": "chess", "player": "engine:sh"}})
        assert "--trust" in hear(socket, "error", id="x")["error"]
        socket.send_json({"do": "follow", "topic": "runs/../x"})
        assert hear(socket, "error")["error"]


def test_a_page_may_not_ask_or_follow_without_end(client: TestClient) -> None:
    ask = {"game": "chess", "player": "searcher:time=30"}
    with connect(client) as socket:
        for number in range(6):
            socket.send_json({"do": "think", "id": str(number), "ask": ask})
        assert "at most" in hear(socket, "error")["error"]


def test_a_follower_that_never_reads_keeps_only_the_newest() -> None:
    follower = Follower()
    for number in range(3 * LONGEST):
        follower.hear({"number": number})
    waiting = [follower.waiting.get_nowait()["number"] for _ in range(follower.waiting.qsize())]
    assert waiting == list(range(2 * LONGEST, 3 * LONGEST))
