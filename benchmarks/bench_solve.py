"""Perfect play on one core: seconds of Konane 6x6 and 5x7, and of Lines of Action 4x4 and 5x5, all first moves.

Of Konane 6x6 also memory, and positions a second in random games.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.table import Line
from understudy.games import CompiledGame, find_game
from understudy.games.batches import size, taken
from understudy.games.konane.batches import wander
from understudy.games.konane.solving import Solver
from understudy.solve import make_solver

SECONDS = 300.0
BYTES = 4e9
MILLION = 1e6
RATES = ((12, 100.0), (16, 1_000.0), (20, 10_000.0), (24, 100_000.0))
"""Plies of random games, and the positions a second that are no trouble; no limit is set."""


BOARDS = (
    ("konane", (5, 6), "", 300.0),
    ("konane", (5, 7), "", 300.0),
    ("lines_of_action", (4, 4), "win", 60.0),
    ("lines_of_action", (4, 4), "draw", 60.0),
    ("lines_of_action", (5, 5), "win", 600.0),
    ("lines_of_action", (5, 5), "draw", 600.0),
)
"""A game, a board, who wins if both sides are connected, and the seconds that are no trouble."""


def lines() -> Iterator[Line]:
    yield from _large_konane()
    for name, shape, setting, seconds in BOARDS:
        yield _first_moves(find_game(name, shape, {"both_connected": setting} if setting else {}), setting, seconds)


def _first_moves(game: CompiledGame, setting: str, limit: float) -> Line:
    """Return how long it takes to know what every first move leads to."""
    game.kind.load("solver").warm_up(game)  # compiled, or loaded, before the clock runs
    solver = make_solver(game)
    began = time.process_time()
    solver.worths(game.start())
    seconds = time.process_time() - began
    board = "x".join(map(str, game.size))
    what = f"solve {game.name} {board} {setting}".rstrip() + f", {seconds:.1f} s"
    return Line(what, 1 / seconds, "a second", f"the limit of {limit:g} s", 1 / limit)


def _large_konane() -> Iterator[Line]:
    game = find_game("konane", (6, 6))
    Solver(game).wins(game.start())  # compiled, or loaded, before the clock runs
    solver = Solver(game)
    began = time.perf_counter()
    for move in game.moves(game.start()):
        solver.values(game.play(game.start(), move))
    seconds = time.perf_counter() - began
    what = f"solve 6x6, {solver.positions / MILLION:.1f} million positions"
    yield Line(what, 1 / seconds, "a second", f"the limit of {SECONDS:g} s", 1 / SECONDS)
    yield Line("solve 6x6, the table", BYTES / solver.bytes, "times in 4 GB", "the limit of 4 GB", 1.0)
    yield Line(
        "solve 6x6, search", solver.positions / seconds / MILLION, "million positions/s", "1 (no limit set)", 1.0
    )
    batch = wander(6, 6, 20_000, rng=np.random.default_rng(0))
    for ply, goal in RATES:
        rate = _rate(game, taken(batch, batch.ply == ply))
        yield Line(f"solve 6x6, random games, ply {ply}", rate, "positions/s", f"{goal:g} (no limit set)", goal)


def _rate(game: CompiledGame, batch: Any) -> float:
    some = taken(batch, slice(0, 200))
    solver = Solver(game)
    began = time.perf_counter()
    solver.solve(some)
    return size(some) / (time.perf_counter() - began)
