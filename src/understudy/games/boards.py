"""How students that value boards see them, game by game, and which successors need no opinion because the game is over.

Each module in the table has `find_representation`, `input_count`, `encode_successors`, `encode_boards` and `SCRATCH`,
in the same form; boards are always seen by who has just moved.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games.konane import inputs as konane
from understudy.games.lines_of_action import inputs as lines_of_action
from understudy.games.rules import count, moves, outcome, play
from understudy.games.variant import ONGOING
from understudy.kernels import kernel

BOARDS: dict[str, ModuleType] = {"konane": konane, "lines_of_action": lines_of_action}
"""The encoders of each game."""


def find_boards(game: str) -> ModuleType:
    """Return the encoders of boards of a game."""
    if game not in BOARDS:
        raise UnknownName("game whose boards students value", game, BOARDS)
    return BOARDS[game]


@kernel
def decided_successors(position: Any, codes: NDArray[np.int32], out: NDArray[np.float32]) -> int:
    """Write for each successor what it is worth to who moves, 0 to 1, if the game is over there, else nan."""
    width = moves(position, codes)
    for i in range(width):
        after = play(position, codes[i])
        result = outcome(after, count(after))
        out[i] = np.nan if result == ONGOING else 0.5 - 0.5 * result
    return width
