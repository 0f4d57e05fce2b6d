"""Chess as inputs for students that imitate moves: a bitmap of all pieces, who may castle, which pawn may be passed.

All is seen by the side to move. No symmetry of the board keeps the rules while anybody may castle, so no network is
tied by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import occupied
from understudy.games.chess.position import Chess
from understudy.games.game import CompiledGame
from understudy.games.layout import Encoder, board_classes, cells, facts, joined

CELLS, COLUMNS = 64, 8
PLANES = 12
"""Six kinds of pieces of each side."""
RIGHTS = 4
"""Of castling: mine, then theirs, each with the king's side first."""
FILES = 8
"""On which a pawn may be taken in passing."""
BEHIND = 40
"""The first cell behind a pawn that may be taken so, as its taker sees the board: a6."""


def make_encoders(game: CompiledGame) -> dict[str, Encoder]:
    """Return the encoders of the one board that chess has."""
    classes = board_classes(np.arange(CELLS)[None], COLUMNS)
    layout = joined([*[cells(classes)] * PLANES, facts(classes, RIGHTS + FILES)])
    seen = Encoder("bitmap", layout, show_bitmap, symmetric=False)
    return {seen.name: seen}


def show_bitmap(batch: Any) -> NDArray[np.int8]:
    """Return pawns, knights, bishops, rooks, queens and kings of mine, then of theirs, cell by cell; then the rest."""
    planes = [occupied(kind & side, CELLS) for side in (batch.mine, batch.theirs) for kind in _kinds(batch)]
    rights = np.asarray(batch.castling)[:, None] >> np.arange(RIGHTS) & 1
    passing = np.asarray(batch.passant)[:, None] == np.arange(BEHIND, BEHIND + FILES)
    return np.concatenate([*planes, rights.astype(np.int8), passing.view(np.int8)], axis=1)


def _kinds(batch: Chess) -> list[Any]:
    """Return the pieces of each kind, both sides'; what is nothing else is a king."""
    others = batch.pawns, batch.knights, batch.bishops, batch.rooks, batch.queens
    return [*others, (batch.mine | batch.theirs) & ~np.bitwise_or.reduce(others)]
