"""What a suite gives to whoever knows nothing, or next to nothing: the yardsticks beside a player's score.

Both are exact expectations, not games of chance. `chance` plays every legal move as often as any other; `material`
looks at what pieces there are after each of its moves, and plays those that leave it most, each as often as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.games.chess.judges.datasets import material
from understudy.games.chess.judges.epd import Item
from understudy.protocols import Move

VALUES = np.array([1.0, 3.0, 3.0, 5.0, 9.0, 0.0])
"""Of pawns, knights, bishops, rooks, queens (in pawns: Sabatelli's, 2017, and most books'), and of a constant."""


class Expected(NamedTuple):
    """What a baseline gets in a suite on average: positions, and points where moves are graded."""

    solved: float
    best_moves: float
    avoided: float
    points: float | None


def baselines(items: Sequence[Item]) -> dict[str, Expected]:
    """Return what each baseline gets in a suite."""
    game = find_game("chess")
    return {name: _expect(items, [choose(game, item) for item in items]) for name, choose in BASELINES.items()}


def is_solved(item: Item, move: Move) -> bool:
    """Tell whether a move is a best one, if the suite names any, and none to avoid."""
    return (not item.best or move in item.best) and move not in item.avoid


def _expect(items: Sequence[Item], choices: Sequence[Sequence[Move]]) -> Expected:
    """Return what those get who play each of the *choices* of a position as often as the others."""

    def total(counts: Callable[[Item, Move], float], wanted: Callable[[Item], Any]) -> float:
        return float(sum(sum(counts(item, move) for move in moves) / len(moves)
                         for item, moves in zip(items, choices, strict=True) if wanted(item)))  # fmt: skip

    return Expected(
        solved=total(is_solved, lambda item: True),
        best_moves=total(lambda item, move: move in item.best, lambda item: item.best),
        avoided=total(lambda item, move: move not in item.avoid, lambda item: item.avoid),
        points=total(lambda item, move: item.grades.get(move, 0.0), lambda item: item.grades)
        if any(item.grades for item in items)
        else None,
    )


def _every(game: CompiledGame, item: Item) -> list[Move]:
    return list(game.moves(item.position))


def _greediest(game: CompiledGame, item: Item) -> list[Move]:
    """Return the moves after which the mover has most material."""
    moves = _every(game, item)
    theirs = material(stacked([game.play(item.position, move) for move in moves])) @ VALUES
    return [move for move, worth in zip(moves, theirs.tolist(), strict=True) if worth == theirs.min()]


BASELINES: dict[str, Callable[[CompiledGame, Item], list[Move]]] = {"chance": _every, "material": _greediest}
