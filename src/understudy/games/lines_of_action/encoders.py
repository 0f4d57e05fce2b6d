"""Lines of Action as inputs for students that imitate moves: which cells are mine, theirs, empty.

Cells are those of the large board, as the parts of moves are; beyond a smaller board they are nothing at all.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import occupied
from understudy.games.game import CompiledGame
from understudy.games.layout import Encoder, board_classes, cells, joined
from understudy.games.lines_of_action.notation import class_cells, symmetries

CELLS, COLUMNS = 64, 8


def make_encoders(game: CompiledGame) -> dict[str, Encoder]:
    """Return the encoders of a board by name."""
    on_board = np.array([cell is not None for cell in class_cells(game.start(), 0)], np.int8)
    layout = joined([cells(board_classes(symmetries(game.start()), COLUMNS))] * 3)
    seen = Encoder("cells", layout, partial(_show_cells, on_board=on_board))
    return {seen.name: seen}


def _show_cells(batch: Any, on_board: NDArray[np.int8]) -> NDArray[np.int8]:
    mine, theirs = occupied(batch.mine, CELLS), occupied(batch.theirs, CELLS)
    return np.concatenate([mine, theirs, on_board - mine - theirs], axis=1)
