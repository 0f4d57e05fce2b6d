"""Perfect play: who wins, exactly, where a game has a solver; what is particular of a game is in its folder.

The module that a game names for `solver` has a class `Solver` and a function `check_solvable`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import GAMES, CompiledGame, find_kind
from understudy.protocols import Move

FEW_CELLS = 16
"""On so small a board every position can be listed."""

Progress = Callable[[int], None]
"""Hears, now and then, how many positions were searched since the solver was made."""


class MoveValues(NamedTuple):
    """Whether each move of each position wins; those of the i-th position stand from `first[i]` to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    wins: NDArray[np.bool_]

    def of(self, row: int) -> dict[Move, bool]:
        """Return the moves of one position."""
        part = slice(self.first[row], self.first[row + 1])
        return dict(zip(self.moves[part].tolist(), self.wins[part].tolist(), strict=True))

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many moves each position has."""
        return np.diff(self.first)

    @property
    def winning(self) -> NDArray[np.int64]:
        """How many of them win."""
        return np.diff(np.concatenate([[0], self.wins.cumsum()])[self.first])


class Solver(Protocol):
    """Perfect knowledge of one board; one thread at a time, others wait."""

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        ...

    def wins(self, position: Any, *, progress: Progress | None = None) -> bool:
        """Tell whether the side to move wins."""
        ...

    def values(self, position: Any, *, progress: Progress | None = None) -> dict[Move, bool]:
        """Tell of each legal move whether it wins for the side to move."""
        ...

    def solve(self, batch: Any, *, progress: Progress | None = None) -> NDArray[np.bool_]:
        """Tell of each position of a batch whether the side to move wins."""
        ...

    def solve_moves(self, batch: Any, *, progress: Progress | None = None) -> MoveValues:
        """Tell of each legal move of each position of a batch whether it wins for the side to move."""
        ...


def check_solvable(game: CompiledGame) -> None:
    """Raise unless a solver can know *game* perfectly."""
    if game.kind.solver is None:
        solvable = ", ".join(name for name in GAMES if find_kind(name).solver)
        raise BadOption(f"only {solvable} can be solved, not {game.name}")
    game.kind.load("solver").check_solvable(game)


def make_solver(game: CompiledGame) -> Solver:
    """Return a new solver of this board, which has proven nothing yet."""
    check_solvable(game)
    solver: Solver = game.kind.load("solver").Solver(game)
    return solver


def shared_solver(game: CompiledGame) -> Solver:
    """Return the solver of this board that everybody in this process shares, so that nothing is proven twice."""
    check_solvable(game)
    with _making:
        return _shared(game)


_making = threading.Lock()
_shared = cache(make_solver)
