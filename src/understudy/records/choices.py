"""What a watched player chose in games that are over, as records.

A finished game keeps its moves and what their movers expected; its positions come back by playing it again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame
from understudy.games.batches import stacked
from understudy.match import Played
from understudy.protocols import Choice, Move, Player
from understudy.records.columns import nothing
from understudy.records.store import UNKNOWN, Records


class Row(NamedTuple):
    """One choice of a watched player."""

    position: Any
    move: Move
    value: float
    result: int
    game: int


def watched(game: CompiledGame, played: Played, *, number: int, side: int | None) -> list[Row]:
    """Return what the player of the even (0) or odd (1) plies chose in a game, or both players; given moves are not."""
    position = game.start() if played.start is None else played.start
    rows = []
    for place, (move, value) in enumerate(zip(played.moves, played.values, strict=True)):
        if place >= played.opening and side in (None, position.ply % 2):
            sign = 1 if position.ply % 2 == 0 else -1
            rows.append(Row(position, move, np.nan if value is None else value, sign * played.result, number))
        position = game.play(position, move)
    # Who broke down or broke the rules has lost, but that says nothing about the positions.
    sound = played.result == 0 or game.outcome(position) is not None
    return rows if sound else [row._replace(result=UNKNOWN) for row in rows]


def corrected(teacher: Player, rows: list[Row]) -> list[Row]:
    """Return the same positions with what *teacher* would have chosen; how the games ended tells nothing about that."""
    choices = teacher.choose([row.position for row in rows]) if rows else []
    told = [
        row._replace(move=choice.move, value=_value(choice), result=UNKNOWN)
        for row, choice in zip(rows, choices, strict=True)
    ]
    return [row for row, choice in zip(told, choices, strict=True) if choice.fault is None]


def _value(choice: Choice) -> float:
    return float("nan") if choice.value is None else choice.value


def records_of(game: CompiledGame, rows: list[Row], source: str) -> Records:
    """Return choices as records that come from *source*."""
    positions = stacked([row.position for row in rows]) if rows else nothing(game)
    return Records(
        game=game,
        positions=positions,
        moves=np.array([row.move for row in rows], np.int32),
        values=np.array([row.value for row in rows], np.float32),
        results=np.array([row.result for row in rows], np.int8),
        games=np.array([row.game for row in rows], np.int64),
        plies=np.asarray(positions.ply, np.int32),
        sources=np.full(len(rows), source),
    )
