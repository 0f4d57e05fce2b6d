"""Forced wins of 5x5: of every move it is asked, one ply after the other, whether it wins or loses within so many.

The search runs in slices of a fraction of a second. Between them the table grows, progress is told, and Ctrl-C is
heard; what is proven stays in the table for the next question.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from understudy.games.lines_of_action.notation import SYMMETRIES, LinesOfAction
from understudy.games.lines_of_action.solving.search import (
    CELLS,
    CHUNK_BITS,
    CHUNKS,
    DEEPEST,
    IDLE,
    LAYOUT,
    OPEN,
    SIDE,
    Workspace,
    resume,
)
from understudy.games.lines_of_action.solving.table import enlarged
from understudy.proofs import FIRST_SIZE, LARGEST_SIZE, make_table
from understudy.protocols import Move
from understudy.solve import Progress, Worth

NODES = 200_000_000
"""Positions that are searched for one question before it is given up: some minutes. The first move takes a third of
it."""
SHARE = 8
"""Where only the best move is wanted, the search is given up after this part of them: somebody waits for a move."""
SLICE = 200_000
"""Positions between two looks at the world: a fifth of a second."""
FULL = 3, 4
"""The share of a table in use from which on it is enlarged, as for Konane."""
GROWTH = 4
"""How many times as large a table becomes: each time is a whole copy, so not in small steps. Chosen by hand."""


class Prover:
    """What was proven of 5x5 so far, and how to prove more."""

    def __init__(self, switches: int, *, largest: int = LARGEST_SIZE) -> None:
        self.largest = largest
        self._workspace, self._table = make_workspace(switches), make_table(min(largest, FIRST_SIZE))

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        return int(self._workspace["nodes"])

    def look(
        self, after: Mapping[Move, LinesOfAction], *, only_best: bool, nodes: int, progress: Progress | None
    ) -> dict[Move, Worth]:
        """Return what the moves to these positions, in which the game goes on, are worth; as far as *nodes* allow.

        With *only_best* it stops at the first win, when all moves that win as soon are found.
        """
        known, left = dict[Move, Worth](), dict(after)
        last = self.positions + nodes
        for plies in range(1, DEEPEST):
            for attacking in (False, True):
                for move, position in list(left.items()):
                    reached = self._reach(position, plies, attacking, last, progress)
                    if reached is None:
                        return known
                    if reached:
                        known[move] = Worth(-1 if attacking else 1, plies + 1)
                        del left[move]
            if not left or (only_best and won(known)):
                break
        return known

    def _reach(
        self, position: LinesOfAction, plies: int, attacking: bool, last: int, progress: Progress | None
    ) -> bool | None:
        """Tell whether the side to move, or else the other, can force a win within so many plies.

        None where *last* positions were counted before that was known.
        """
        workspace, value = self._workspace, OPEN
        workspace["mine"][0], workspace["theirs"][0] = position.mine, position.theirs
        workspace["plies"], workspace["attacking"], workspace["height"] = plies, attacking, 0
        try:
            while value == OPEN and self.positions < last:
                value = self._slice(last)
                if progress is not None:
                    progress(self.positions)
        finally:
            workspace["height"] = IDLE  # an interrupted search is forgotten, what it has proven is not
        return None if value == OPEN else bool(value)

    def _slice(self, last: int) -> int:
        """Search on for a while; return what became of the goal."""
        workspace, room = self._workspace, len(self._table) * FULL[0] // FULL[1]
        if workspace["entries"] >= room and len(self._table) < self.largest:
            self._table = enlarged(self._table, times=min(GROWTH, self.largest // len(self._table)))
            workspace["entries"] = np.count_nonzero(self._table)
            room = len(self._table) * FULL[0] // FULL[1]
        entries = room if len(self._table) < self.largest else len(self._table) + 1
        return int(resume(workspace, self._table, min(last, self.positions + SLICE), entries))


def won(worths: Mapping[Move, Worth]) -> bool:
    """Tell whether one of the moves wins."""
    return any(worth.value > 0 for worth in worths.values())


def make_workspace(switches: int) -> Workspace:
    """Return the workspace of the game with these switches."""
    workspace: Workspace = np.zeros(1, LAYOUT)[0]
    for place, permutation in enumerate(SYMMETRIES[SIDE]):
        workspace["images"][place] = _image(permutation)
    workspace["switches"], workspace["height"] = switches, IDLE
    return workspace


def _image(permutation: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return where every pattern of nine packed cells goes."""
    words = np.arange(1 << CHUNK_BITS, dtype=np.uint32)
    images = np.zeros((CHUNKS, 1 << CHUNK_BITS), np.uint32)
    large = [8 * (cell // SIDE) + cell % SIDE for cell in range(CELLS)]
    for cell, at in enumerate(large):
        chunk, place = divmod(cell, CHUNK_BITS)
        images[chunk] |= ((words >> place) & 1) << large.index(permutation[at])
    return images
