"""How students that value boards see them, in any game, and which successors need no opinion because the game is over.

Every game shows its `features`, one by one. A game that has more to show names a module for `boards`, with
`REPRESENTATIONS`, `find_representation`, `input_count`, `encode_boards` and the kernels `encode` and `input_width`, in
the same form; boards are always seen by who has just moved. If it also has `mark` and `find_marks`, networks inside a
search keep the sums of their first layer.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games import find_game, find_kind
from understudy.games.kind import ONGOING, kind_of
from understudy.games.rows import row_of, typed
from understudy.games.rules import RULES, count, features, moves, outcome, play, turn
from understudy.kernels import kernel

SCRATCH = 1024
"""Numbers that an encoder may write on: more than any board has moves."""
FEATURES = "features"
"""The representation that every game has."""
SHOWN = 1000
"""Its number, far above those of the games' own."""


class Marks(NamedTuple):
    """How the inputs of a representation come from marks, which a board has or has not, whoever looks at it."""

    empty: NDArray[np.float64]
    """The inputs of a board without marks."""
    places: NDArray[np.int64]
    """[sides, marks]: the input that each mark changes, as the first player sees it, and as the second."""
    amounts: NDArray[np.float64]
    """[sides, marks]: by how much; 0 for numbers of marks that there are not."""


class Boards:
    """The representations of one game's boards."""

    def __init__(self, game: str) -> None:
        kind = find_kind(game)
        self.game, self.own = game, kind.load("boards") if kind.boards else None

    @property
    def names(self) -> tuple[str, ...]:
        """What the representations are called."""
        return (*(self.own.REPRESENTATIONS if self.own else ()), FEATURES)

    def find_representation(self, name: str, rows: int, columns: int) -> int:
        """Return the number of the representation called *name*, if it fits a board."""
        if name not in self.names:
            raise UnknownName(f"representation of {self.game}", name, self.names)
        if name == FEATURES or self.own is None:
            return SHOWN
        return int(self.own.find_representation(name, rows, columns))

    def input_count(self, number: int, rows: int, columns: int) -> int:
        """Return how many inputs a board has."""
        if number == SHOWN or self.own is None:
            return find_game(self.game, (rows, columns)).feature_count
        return int(self.own.input_count(number, rows, columns))

    def input_cells(self, number: int, rows: int, columns: int) -> NDArray[np.int64] | None:
        """Return the cell that each input is about; None where inputs are not said to be about cells."""
        if number == SHOWN or not hasattr(self.own, "input_cells"):
            return None
        cells: NDArray[np.int64] = self.own.input_cells(number, rows, columns)  # type: ignore[union-attr]
        return cells

    def find_marks(self, number: int, rows: int, columns: int) -> Marks | None:
        """Return how the inputs come from marks; None where the game does not tell."""
        if not hasattr(self.own, "find_marks"):
            return None
        marks: Marks = self.own.find_marks(number, rows, columns)  # type: ignore[union-attr]
        return marks

    def encode_boards(self, number: int, batch: Any, scratch: NDArray[np.int32], out: NDArray[Any]) -> None:
        """Write the inputs of every board of a batch [boards, inputs] as the side sees it that is not to move."""
        if number == SHOWN or self.own is None:
            _encode_features(typed(batch), scratch, out)
        else:
            self.own.encode_boards(number, batch, scratch, out)


@cache
def find_boards(game: str) -> Boards:
    """Return the encoders of boards of a game."""
    return Boards(game)


def encode(representation: int, position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write what a network sees of a board; *side* 0: who is to move looks at it, 1: who has just moved."""
    kind = kind_of(type(position))
    if representation == SHOWN or not kind.boards:
        show_features(position, side, scratch, out)
    else:
        kind.load("boards").encode(representation, position, side, scratch, out)


@overload(encode, strict=False)
def _encode(representation: Any, position: Any, side: Any, scratch: Any, out: Any) -> Any:
    kind = kind_of(position.instance_class)
    if not kind.boards:
        return lambda representation, position, side, scratch, out: show_features(position, side, scratch, out)
    chosen = kind.load("boards").encode

    def either(representation: Any, position: Any, side: Any, scratch: Any, out: Any) -> None:
        if representation == SHOWN:
            show_features(position, side, scratch, out)
        else:
            chosen(representation, position, side, scratch, out)

    return either


def input_width(representation: int, position: Any) -> int:
    """Return how many numbers `encode` writes."""
    kind = kind_of(type(position))
    if representation == SHOWN or not kind.boards:
        return feature_width(position)
    return int(kind.load("boards").input_width(representation, position))


@overload(input_width, strict=False)
def _input_width(representation: Any, position: Any) -> Any:
    kind = kind_of(position.instance_class)
    if not kind.boards:
        return lambda representation, position: feature_width(position)
    chosen = kind.load("boards").input_width

    def either(representation: Any, position: Any) -> Any:
        return feature_width(position) if representation == SHOWN else chosen(representation, position)

    return either


def mark(representation: int, position: Any, out: NDArray[np.uint64]) -> None:
    """Write which marks a board has, 64 to a word; only some games tell."""
    kind_of(type(position)).load("boards").mark(representation, position, out)


@overload(mark, strict=False)
def _mark(representation: Any, position: Any, out: Any) -> Any:
    chosen = kind_of(position.instance_class).load("boards").mark
    return lambda representation, position, out: chosen(representation, position, out)


def tells_marks(position: type) -> bool:
    """Tell whether the game of a type of positions says which marks a board has."""
    kind = kind_of(position)
    return bool(kind.boards) and hasattr(kind.load("boards"), "mark")


def feature_width(position: Any) -> int:
    """Return how many features there are in the game of a position."""
    return int(RULES[type(position)].FEATURES)


@overload(feature_width, strict=False)
def _feature_width(position: Any) -> Any:
    width = int(RULES[position.instance_class].FEATURES)
    return lambda position: width


@kernel
def show_features(position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[Any]) -> None:
    """Write 1 for each feature that holds and 0 for the others, as *side* sees the position."""
    for i in range(feature_width(position)):
        out[i] = 0
    seen = position
    if side == 1:
        seen = turn(position)
    for i in range(features(seen, scratch)):
        out[scratch[i]] = 1


@kernel
def _encode_features(batch: Any, scratch: NDArray[np.int32], out: NDArray[Any]) -> None:
    for row in range(out.shape[0]):
        show_features(row_of(batch, row), 1, scratch, out[row])


@kernel
def encode_successors(
    representation: int, position: Any, codes: NDArray[np.int32], scratch: NDArray[np.int32], out: NDArray[np.float32]
) -> int:
    """Write the inputs of every successor [moves, inputs] as the side to move sees it; return how many there are."""
    width = moves(position, codes)
    for i in range(width):
        encode(representation, play(position, codes[i]), 1, scratch, out[i])
    return width


@kernel
def decided_successors(position: Any, codes: NDArray[np.int32], out: NDArray[np.float32]) -> int:
    """Write for each successor what it is worth to who moves, 0 to 1, if the game is over there, else nan."""
    width = moves(position, codes)
    for i in range(width):
        after = play(position, codes[i])
        result = outcome(after, count(after))
        out[i] = np.nan if result == ONGOING else 0.5 - 0.5 * result
    return width
