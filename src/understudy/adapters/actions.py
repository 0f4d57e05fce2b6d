"""What both worlds ask of a game: its moves numbered without gaps, and what holds in a position as zeros and ones.

The number of a move is its parts read as digits, the sizes of the parts being the bases: FROM * 64 + TO on a board of
64 cells. Codes of moves would not do: they have gaps, and a network has a unit for each number.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, IllegalMove
from understudy.games import CompiledGame, find_game, rules
from understudy.games.kind import read_size
from understudy.protocols import Move

NO_ACTION = -1
"""Stands where a code is no move's."""


class Actions:
    """The moves of a game in one size as whole numbers from 0; never changes."""

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        digits = product(*(range(size) for size in game.part_sizes))
        self.codes = np.array([game.notation.joined(parts) for parts in digits], np.int32)
        self.count = len(self.codes)
        self.numbers = np.full(int(self.codes.max()) + 1, NO_ACTION, np.int32)
        self.numbers[self.codes] = np.arange(self.count, dtype=np.int32)

    def __deepcopy__(self, memo: object) -> Actions:
        """Return this very table: states are copied often, and all of them share it."""
        return self

    def legal(self, position: Any) -> list[int]:
        """Return the numbers of the legal moves, ascending; none when the game is over."""
        # Sorted, because the order of codes may be another than that of parts.
        return sorted(self.numbers[self.game.moves(position)].tolist())

    def mask(self, position: Any) -> NDArray[np.int8]:
        """Return 1 for each legal move and 0 for all others."""
        mask = np.zeros(self.count, np.int8)
        mask[self.numbers[self.game.moves(position)]] = 1
        return mask

    def move(self, action: int) -> Move:
        """Return the move that has this number."""
        if not 0 <= action < self.count:
            raise IllegalMove(f"{self.game.name}: there is no action {action}; they are 0 to {self.count - 1}")
        return int(self.codes[action])

    def action(self, move: Move) -> int:
        """Return the number of a move."""
        return int(self.numbers[move])

    def features(self, position: Any, side: int) -> NDArray[np.int8]:
        """Return 1 for each feature that holds as *side* sees it: 0 who has the even plies, 1 who has the odd ones."""
        seen = position if position.ply % 2 == side else rules.turn(position)
        indices = np.empty(self.game.feature_count, np.int32)
        held = np.zeros(self.game.feature_count, np.int8)
        held[indices[: rules.features(seen, indices)]] = 1
        return held


def choose_game(
    game: str | CompiledGame, size: str | int | tuple[int, int] | None, switches: Mapping[str, str]
) -> CompiledGame:
    """Return the game that a person named, of a size such as 6, "6x5" or (6, 5); a game that is made stays as it is."""
    if isinstance(game, str):
        return find_game(game, _read_size(size), switches)
    if size is not None or switches:
        raise BadOption(f"{game.name} has its size and rules already; name the game instead to choose them")
    return game


def _read_size(size: str | int | tuple[int, int] | None) -> tuple[int, int] | None:
    if size is None:
        return None
    return read_size("x".join(map(str, size)) if isinstance(size, tuple) else str(size), "size")
