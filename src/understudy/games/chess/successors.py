"""What the rules say of every successor of a chess position, for students that look one ply ahead and no further."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.attacks import in_check
from understudy.games.chess.exchange import lifeless
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import movable, play
from understudy.kernels import kernel
from understudy.search.desk import named

GOES_ON, DRAW, MATE = range(3)
"""What a move leads to: more moves, a draw by the position alone, or the mate of the other side."""


@kernel
def rule_successors(
    position: Chess, codes: NDArray[np.int32], names: NDArray[np.uint64], ends: NDArray[np.int8]
) -> None:
    """Write for each move the name of its successor, by which repetitions are known, and what it leads to."""
    for i in range(len(codes)):
        after = play(position, codes[i])
        names[i] = named(after)
        if not movable(after):
            ends[i] = MATE if in_check(after) else DRAW
        else:
            ends[i] = DRAW if lifeless(after) else GOES_ON
