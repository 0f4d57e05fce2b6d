"""What a person waits for: help, a first search in a second process, and how well a clock is kept."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.table import Line
from understudy.games import find_game
from understudy.players.looking import Limits, search
from understudy.search.evaluators import find_evaluator

FIRST_SEARCH = """
import sys
sys.modules["scipy"] = None  # a peer of these benchmarks brings it; Numba would spend 0.2 s on it, without it does not
from understudy.games import find_game
from understudy.players import make_player
game = find_game({name!r})
make_player("searcher:depth=3", game).choose([game.start()])
"""


def lines() -> Iterator[Line]:
    yield Line(
        "understudy --help", 1 / _seconds(["-m", "understudy", "--help"]), "a second", "the limit of 0.3 s", 1 / 0.3
    )
    for name in ("morris", "chess"):
        seconds = _seconds(["-c", FIRST_SEARCH.format(name=name)])
        yield Line(f"second process, first search, {name}", 1 / seconds, "a second", "the limit of 1 s", 1.0)
    yield Line("time limit, worst overrun", 1 / _overrun(), "a second", "the limit of 50 ms", 1 / 0.05)


def _seconds(arguments: list[str]) -> float:
    # As a person's process: Python keeps its byte code too.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(7):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True, env=environment)
        times.append(time.perf_counter() - began)
    return min(times)


def _overrun() -> float:
    game = find_game("morris")
    worst = 1e-6
    search(game, game.start(), find_evaluator("morris", ""), limits=Limits(1))  # players prepare before a clock runs
    for seconds in (0.02, 0.05, 0.1, 0.2, 0.5):
        began = time.perf_counter()
        search(game, game.start(), find_evaluator("morris", ""), limits=Limits(40, seconds=seconds))
        worst = max(worst, time.perf_counter() - began - seconds)
    return worst
