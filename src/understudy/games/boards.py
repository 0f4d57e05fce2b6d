"""How students that value boards see them, in any game, and which successors need no opinion because the game is over.

The module that a game names for `boards` has `find_representation`, `input_count`, `encode_boards` and the kernels
`encode` and `input_width`, in the same form; boards are always seen by who has just moved.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games import GAMES, find_kind
from understudy.games.kind import ONGOING, kind_of
from understudy.games.rules import count, moves, outcome, play
from understudy.kernels import kernel

SCRATCH = 1024
"""Numbers that an encoder may write on: more than any board has moves."""


def find_boards(game: str) -> ModuleType:
    """Return the encoders of boards of a game."""
    kind = find_kind(game)
    if kind.boards is None:
        known = [name for name in GAMES if find_kind(name).boards]
        raise UnknownName("game whose boards students value", game, known)
    boards: ModuleType = kind.load("boards")
    return boards


def encode(representation: int, position: Any, side: int, scratch: NDArray[np.int32], out: NDArray[np.float32]) -> None:
    """Write what a network sees of a board; *side* 0: who is to move looks at it, 1: who has just moved."""
    kind_of(type(position)).load("boards").encode(representation, position, side, scratch, out)


@overload(encode, strict=False)
def _encode(representation: Any, position: Any, side: Any, scratch: Any, out: Any) -> Any:
    chosen = kind_of(position.instance_class).load("boards").encode
    return lambda representation, position, side, scratch, out: chosen(representation, position, side, scratch, out)


def input_width(representation: int, position: Any) -> int:
    """Return how many numbers `encode` writes."""
    return int(kind_of(type(position)).load("boards").input_width(representation, position))


@overload(input_width, strict=False)
def _input_width(representation: Any, position: Any) -> Any:
    chosen = kind_of(position.instance_class).load("boards").input_width
    return lambda representation, position: chosen(representation, position)


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
