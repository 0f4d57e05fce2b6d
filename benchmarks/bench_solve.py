"""Perfect play of Konane on one core: seconds and memory for 6x6 from the start, positions a second in random games."""

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

SECONDS = 300.0
BYTES = 4e9
MILLION = 1e6
RATES = ((12, 100.0), (16, 1_000.0), (20, 10_000.0), (24, 100_000.0))
"""Plies of random games, and the positions a second that are no trouble; no limit is set."""


def lines() -> Iterator[Line]:
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
