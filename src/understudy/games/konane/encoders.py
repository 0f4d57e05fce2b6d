"""Konane as inputs for students that imitate moves: which cells are mine, theirs, empty, on boards of any size."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import occupied
from understudy.games.game import CompiledGame
from understudy.games.konane.notation import symmetries
from understudy.games.layout import Encoder, board_classes, cells, joined


def make_encoders(game: CompiledGame) -> dict[str, Encoder]:
    """Return the encoders of a board by name."""
    classes = board_classes(symmetries(game.start()), game.size[1])
    seen = Encoder("cells", joined([cells(classes)] * 3), partial(_show_cells, count=classes.count - 1))
    return {seen.name: seen}


def _show_cells(batch: Any, count: int) -> NDArray[np.int8]:
    mine, theirs = occupied(batch.mine, count), occupied(batch.theirs, count)
    return np.concatenate([mine, theirs, 1 - mine - theirs], axis=1)
