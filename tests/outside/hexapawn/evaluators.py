"""What a position of Hexapawn is worth: who has more pawns, and whose foremost is nearer."""

from __future__ import annotations

from typing import NamedTuple

from hexapawn.rules import Hexapawn, turned
from understudy.games.bits import NONE, Mask, highest, popcount
from understudy.kernels import kernel


class Race(NamedTuple):
    pawn: float
    row: float
    scale: float


@kernel
def race_value(evaluator: Race, position: Hexapawn, own: bool) -> float:
    size = position.size
    pawns = popcount(position.mine) - popcount(position.theirs)
    return evaluator.pawn * pawns + evaluator.row * (
        foremost(position.mine, size) - foremost(turned(position.theirs, size), size)
    )


@kernel
def foremost(pawns: Mask, size: int) -> int:
    return 0 if pawns == NONE else highest(pawns) // size


EVALUATORS = {"race": Race(1.0, 0.5, 2.0)}
