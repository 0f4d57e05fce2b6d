"""The page under load, on loopback: how large it is, how soon it answers, and how long fifty people wait."""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PEOPLE = 50
"""As many as sit in a large class."""
MOVES = 12
"""Of each person."""
PAUSE = (0.5, 2.5)
"""Seconds that a person thinks, at least and at most: few are quicker."""
FIRST_VIEW = "/static/js/play.js"
LARGEST = 200_000
"""Bytes of all files that the first page needs."""


class Limited(NamedTuple):
    """What was measured, and the most that it may be."""

    what: str
    measured: float
    most: float
    unit: str = " s"

    def __str__(self) -> str:
        verdict = "ok" if self.measured <= self.most else "MISSED"
        share = f"{self.measured / self.most:>6.2f} of the most ({self.most:g}{self.unit})"
        return f"{self.what:<78} {self.measured:>10.4g}{self.unit:<2} {share}  {verdict}"


def facts() -> dict[str, float]:
    """Return what was measured for programs."""
    return {name: line.measured for name, line in _measure()}


def lines() -> Iterator[str]:
    for _, line in _measure():
        yield str(line)


def _measure() -> Iterator[tuple[str, Limited]]:
    with _served() as address:
        size, seconds = _load_page(address)
        yield "bytes", Limited("bytes of the page, first load", size, LARGEST, "")
        yield "load", Limited("until all of it and a board are there", seconds, 1.0)
        waits = sorted(_play_alone(address, "searcher:time=0.2"))
        yield "search", Limited("a move against searcher:time=0.2, worst", waits[-1], 0.4)
        for name, pause, words in (
            ("class", PAUSE, "each thinking 0.5 to 2.5 s"),
            ("flood", (0.0, 0.0), "never thinking"),
        ):
            waits = sorted(_play_together(address, pause))
            at = waits[int(0.95 * len(waits))]
            yield name, Limited(f"{PEOPLE} people v student:morris, {words}: 95th percentile", at, 1.0)
        yield "beside", Limited("a student's move while four searches of 20 s think", _play_beside(address), 1.0)


@contextmanager
def _served() -> Iterator[str]:
    """Give the address of a server of our own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "understudy", "serve", "--no-browser", "--port", "0"]
        command += ["--runs", f"{folder}/runs", "--games", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        try:
            address = urlsplit(server.stdout.readline().strip()).netloc
            for player in ("student:morris,check=legal,best=3", "searcher:time=0.2"):
                for _ in range(4):  # every thread makes its players once, and loads or compiles their kernels
                    _Person(address, player, 0).play(1)
            yield address
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


class _Person:
    """Somebody who plays random moves over HTTP."""

    def __init__(self, address: str, opponent: str, seed: int) -> None:
        self.link, self.rng = http.client.HTTPConnection(address, timeout=600), random.Random(seed)
        self.waits: list[float] = []
        self.state = self.ask("POST", "/api/play", {"game": "morris", "players": {"black": opponent}})

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body)
        self.link.request(method, path, data, {"Content-Type": "application/json"})
        return json.loads(self.link.getresponse().read())

    def play(self, moves: int, pause: tuple[float, float] = (0.0, 0.0)) -> None:
        for _ in range(moves):
            if self.state["over"]:
                self.state = self.ask("POST", "/api/play", {"game": "morris", "players": self.state["players"]})
            time.sleep(self.rng.uniform(*pause))
            self._move()

    def _move(self) -> None:
        place, move = f"/api/play/{self.state['id']}", self.rng.choice(self.state["legal"])["move"]
        began = time.perf_counter()
        self.state = self.ask("POST", f"{place}/move", {"move": move, "ply": self.state["ply"]})
        while not self.state["over"] and not self.state["legal"]:
            self.state = self.ask("GET", f"{place}?wait=30&since={self.state['version']}")
        self.waits.append(time.perf_counter() - began)


def _play_alone(address: str, opponent: str) -> list[float]:
    person = _Person(address, opponent, 1)
    person.play(MOVES)
    return person.waits


def _play_together(address: str, pause: tuple[float, float]) -> list[float]:
    people = [_Person(address, "student:morris,check=legal,best=3", seed) for seed in range(PEOPLE)]
    threads = [threading.Thread(target=person.play, args=(MOVES, pause)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [wait for person in people for wait in person.waits]


def _play_beside(address: str) -> float:
    """Return the longest wait for a student while others think for long."""
    for seed in range(4):
        players = {"white": "searcher:time=20", "black": "searcher:time=20"}
        _Person(address, "random", seed).ask("POST", "/api/play", {"game": "morris", "players": players})
    return max(_play_alone(address, "student:morris,check=legal,best=3"))


def _load_page(address: str) -> tuple[int, float]:
    """Return the bytes of all files that the page loads before a person can play, and how long that takes."""
    link, seen, waiting, total = http.client.HTTPConnection(address, timeout=60), set(), ["/"], 0
    began = time.perf_counter()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        link.request("GET", path)
        body = link.getresponse().read()
        total += len(body)
        waiting += _find_files(path, body.decode("utf-8", "replace"))
    for path in ("/api/games", "/api/games/morris"):
        link.request("GET", path)
        link.getresponse().read()
    return total, time.perf_counter() - began


def _find_files(path: str, text: str) -> list[str]:
    """Return the files that a file names: scripts, styles, and modules that it imports before it does anything.

    The first view is asked for by name; other views come when somebody opens them.
    """
    if path == "/":
        return [*re.findall(r'(?:href|src)="(/static/[^"]+)"', text), FIRST_VIEW]
    if not path.endswith(".js"):
        return []
    folder = Path(path).parent
    return [str(folder / name.removeprefix("./")) for name in re.findall(r'(?:from|import)\s*"(\./[^"]+)"', text)]
