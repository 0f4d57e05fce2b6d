"""Rungs of the ladder below the weakest that an engine can be: our own players, whose ratings were found by games.

`python -m benchmarks rungs` places them: neighbours play each other, and the strongest of them Stockfish 15.1 at 1350,
the lowest strength that it knows, with 50 000 nodes a move. Its result is docs/results/measured/chess_rungs.json, and a
test holds this table against it. Like the engine's own ratings they are taken as exact by who climbs.
"""

from __future__ import annotations

from typing import NamedTuple


class LowRung(NamedTuple):
    """A player below the engine's weakest strength, and its rating."""

    elo: int
    player: str


LOW = (
    LowRung(144, "searcher:depth=1,evaluator=material_static,ties=random"),
    LowRung(236, "searcher:depth=1,evaluator=piece_square_static,ties=random"),
    LowRung(796, "searcher:depth=1,evaluator=material,ties=random"),
    LowRung(1060, "searcher:depth=1,ties=random"),
    LowRung(1386, "searcher:depth=2,ties=random"),
    LowRung(1648, "searcher:depth=3,ties=random"),
)
"""From the weakest up. `random` is none of them: it lost all of its games, so nobody knows how far below it stands."""
