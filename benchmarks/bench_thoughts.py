"""How long thoughts take, how far a search overruns its clock when it thinks, and what opening the door costs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

import numpy as np

from understudy.games import find_game
from understudy.players import make_player, think

POSITIONS = 30
MOST_MS = 20.0
"""Milliseconds: what a thought may take, and what a search may take beyond its limit."""
DOOR_MS = 100.0
"""Milliseconds that importing the package may take, beyond a bare interpreter."""

QUICK = (("morris", None, "student:morris"), ("morris", None, "student:morris,check=legal,best=3"),
         ("konane", (8, 8), "student:konane_8"), ("chess", None, "student:chess"))  # fmt: skip
TIMED = (("morris", 0.2), ("lines_of_action", 0.2), ("chess", 0.2))
"""Games in which a search has so many seconds."""


def lines() -> Iterator[str]:
    for game, size, player in QUICK:
        yield _line(f"a thought of {player}", [1000 * spent for spent in _times(game, size, player)])
    for game, seconds in TIMED:
        times = _times(game, None, f"searcher:time={seconds}")
        yield _line(f"{game}: a search of {seconds} s beyond its limit", [1000 * (one - seconds) for one in times])
    bare, door = _started("pass"), _started("import understudy")
    what, spent = "importing the package, beyond a bare start", door - bare
    yield f"{what:<52} {spent:6.1f} ms (at most {DOOR_MS:g}) {_verdict(spent, DOOR_MS)}"


def _line(what: str, spent: list[float]) -> str:
    middle, worst = median(spent), max(spent)
    return f"{what:<52} {middle:6.1f} ms, at the worst {worst:6.1f} (at most {MOST_MS:g}) {_verdict(middle, MOST_MS)}"


def _verdict(value: float, most: float) -> str:
    return "ok" if value <= most else "MISSED"


def _times(name: str, size: tuple[int, int] | None, text: str) -> list[float]:
    """Return the seconds of thoughts about positions of random games, the first one, which compiles, left out."""
    game, rng = find_game(name, size), np.random.default_rng(0)
    player, spent = make_player(text, game), list[float]()
    while len(spent) <= POSITIONS:
        position = game.start()
        for _ in range(rng.integers(2, 24)):
            moves = game.moves(position)
            position = game.play(position, moves[rng.integers(len(moves))]) if moves else game.start()
        if game.outcome(position) is None and len(game.moves(position)) > 1:
            began = time.perf_counter()
            think(player, game, position)
            spent.append(time.perf_counter() - began)
    return spent[1:]


def _started(code: str) -> float:
    """Return the milliseconds of an interpreter that does *code*, the best of ten."""
    spent = []
    for _ in range(10):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        spent.append(1000 * (time.perf_counter() - began))
    return min(spent)
