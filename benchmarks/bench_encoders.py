"""Planes of chess positions, minibatches by shuffled rows into one array, one core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.inputs.planes import ChessInputs, encode

LEAST = {"bitmap": 1.0, "algebraic": 1.0, "features": 0.2}
"""Million positions a second."""
ROUNDS, MINIBATCH = 200, 1024


def lines() -> Iterator[Line]:
    batch = random_positions(20_000)
    rows = np.random.default_rng(1).integers(0, len(batch.mine), (ROUNDS, MINIBATCH))
    for kind, least in LEAST.items():
        for perspective in ("mover", "white"):
            inputs = ChessInputs(kind=kind, perspective=perspective)
            rate = best_rate(lambda inputs=inputs: encoded(batch, inputs, rows)) / 1e6  # type: ignore[misc]
            yield Line(f"encode {kind}, perspective {perspective}", rate, "million positions/s", "the limit", least)


def encoded(batch: Any, inputs: ChessInputs, rows: Any) -> int:
    """Encode every minibatch; return how many positions that were."""
    out = np.empty((MINIBATCH, inputs.planes, 8, 8), np.int8)
    for chosen in rows:
        encode(batch, inputs, rows=chosen, out=out)
    return int(rows.size)


def random_positions(count: int) -> Any:
    """Return a batch of positions of random games."""
    game, rng = find_game("chess"), np.random.default_rng(0)
    positions, position = [game.start()], game.start()
    while len(positions) < count:
        moves = game.moves(position) if position.ply < 100 else []
        position = game.play(position, moves[rng.integers(len(moves))]) if moves else game.start()
        positions.append(position)
    return stacked(positions)
