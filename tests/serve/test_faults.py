"""A real server under faults: kills, floods, garbage, slow clients and deaf ones. It goes on and loses nothing."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("msgspec")
from websockets.sync.client import connect

from tests.conftest import LONG
from tests.faults.effort import times
from tests.faults.tally import tally
from tests.serve.conftest import Server

GAMES = 1_000
KILLS = times(4, 10)


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[list[Server]]:
    """Give a list in which every server is closed in the end."""
    servers: list[Server] = [Server(tmp_path)]
    yield servers
    for server in servers:
        server.close()


def is_alive(server: Server) -> bool:
    return bool(server.ask("/api/games")["games"])


def send_raw(server: Server, data: bytes) -> socket.socket:
    host, port = urlsplit(server.address).netloc.split(":")
    link = socket.create_connection((host, int(port)), timeout=LONG)
    link.sendall(data)
    return link


def test_a_killed_server_has_lost_no_move(restarted: list[Server], tmp_path: Path) -> None:
    """Killed while it makes a move, too: then that one move is made or not, but if it was answered it is made."""
    name, rng = restarted[-1].begin("chess"), random.Random(KILLS)
    with tally("kills") as kills:
        for _ in range(KILLS):
            server, began = restarted[-1], time.monotonic()
            before = make_move(server, name, server.state(name))
            answered = kill_amid_move(server, name, before, rng.uniform(0.0, time.monotonic() - began))
            kills.tried += 1
            restarted.append(Server(tmp_path))
            after = restarted[-1].state(name)
            made = after["ply"] - before["ply"]
            assert made in ((1,) if answered else (0, 1)) and after["moves"][: before["ply"]] == before["moves"]
            assert made or all(after[key] == before[key] for key in ("moves", "position", "turn", "legal"))
            kills.held += 1


def make_move(server: Server, name: str, state: Any) -> Any:
    """Make one of the moves, the same at each ply whenever the server is killed; the first ones soon repeat a game."""
    move = random.Random(state["ply"]).choice(state["legal"])["move"]
    server.ask(f"/api/play/{name}/move", {"move": move, "ply": state["ply"]})
    return server.state(name)


def kill_amid_move(server: Server, name: str, state: Any, seconds: float) -> bool:
    """Kill a server some seconds after a move was sent to it; tell whether that was answered."""
    answers: list[Any] = []

    def ask() -> None:
        with suppress(OSError, HTTPException):
            answers.append(make_move(server, name, state))

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(seconds)
    server.process.kill()
    asking.join()
    return bool(answers)


def test_a_thousand_games_are_open(server: Server) -> None:
    names = [server.begin("konane", size="4x4", players={"black": "human", "white": "human"}) for _ in range(GAMES)]
    for name in (names[0], names[GAMES // 2], names[-1]):
        move = server.state(name)["legal"][0]["move"]
        assert server.ask(f"/api/play/{name}/move", {"move": move, "ply": 0})["ply"] == 1
    assert is_alive(server)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00" * 100_000,
        b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * 200_000,
        b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        b"GET /api/play/%00%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_garbage_on_the_wire_harms_nobody(server: Server, data: bytes) -> None:
    with send_raw(server, data) as link:
        link.settimeout(5)
        try:
            answer = link.recv(4_096)
        except (TimeoutError, ConnectionError):
            answer = b""
        assert b" 500 " not in answer and b"Traceback" not in answer
    assert is_alive(server)


def test_a_body_that_never_comes_is_given_up(server: Server) -> None:
    head = (
        b"POST /api/play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    )
    with send_raw(server, head) as link:
        link.settimeout(LONG)
        assert b" 408 " in link.recv(4_096)
    assert is_alive(server)


def test_many_idle_connections_leave_room(server: Server) -> None:
    links = [send_raw(server, b"GET /api/games HTTP/1.1\r\n") for _ in range(300)]
    try:
        assert is_alive(server)
    finally:
        for link in links:
            link.close()


def test_a_page_that_never_reads_holds_up_nobody(server: Server) -> None:
    name = server.begin("konane", size="4x4", players={"black": "random", "white": "random"}, pace=0)
    live = f"ws://{urlsplit(server.address).netloc}/api/live"
    with connect(live, max_queue=1) as deaf:
        deaf.send(json.dumps({"do": "follow", "topic": f"play/{name}"}))
        for _ in range(200):
            deaf.send(json.dumps({"do": "follow", "topic": "play/nothing"}))
        state: Any = server.state(name)
        deadline = time.monotonic() + LONG
        while not state["over"]:
            assert time.monotonic() < deadline
            state = server.state(name, since=state["version"])
    assert is_alive(server)


def test_a_message_that_is_too_large_ends_its_socket_alone(server: Server) -> None:
    live = f"ws://{urlsplit(server.address).netloc}/api/live"
    with connect(live) as large, connect(live) as other:
        large.send("x" * 100_000)
        with pytest.raises(Exception, match=r"1009|too big|message"):
            large.recv(timeout=LONG)
        other.send(json.dumps({"do": "dance"}))
        assert "cannot be done" in json.loads(other.recv(timeout=LONG))["error"]


def test_the_log_has_no_traceback(server: Server) -> None:
    assert "Traceback" not in server.read_log()
