"""Perfect play on small boards of Konane: a solver owns a table of proven positions and asks the exhaustive search.

The search runs in slices of a fraction of a second. Between them the table grows, progress is told, and Ctrl-C is
heard; what is proven stays in the table for the next question.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import size, stacked
from understudy.games.bits import sent
from understudy.games.konane.batches import successors
from understudy.games.konane.notation import colour_masks
from understudy.games.konane.rules import Konane
from understudy.games.konane.solving.regions import take_apart as take_apart
from understudy.games.konane.solving.search import CHUNK_BITS, CHUNKS, IDLE, LAYOUT, MOST_CELLS, Workspace, solve_batch
from understudy.proofs import FIRST_SIZE, LARGEST_SIZE, enlarged, make_table
from understudy.protocols import Move
from understudy.solve import MoveValues, Progress, Worth, worths_of

SLICE = 1_000_000
"""Positions between two looks at the world: a fifth of a second."""
FULL = 3, 4
"""The share of a table in use from which on it is enlarged: above it buckets fill up and what is proven gets lost.
Chosen by hand."""
GROWTH = 4
"""How many times as large a table becomes: each time is a whole copy, so not in small steps. Chosen by hand."""


class Solver:
    """Perfect knowledge of Konane on one board of at most 36 cells; one thread at a time, others wait."""

    def __init__(self, game: CompiledGame, *, largest: int = LARGEST_SIZE) -> None:
        check_solvable(game)
        self.game, self.largest = game, largest
        self._workspace, self._table = make_workspace(*game.size), make_table(min(largest, FIRST_SIZE))
        self._lock = threading.Lock()

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        return int(self._workspace["nodes"])

    @property
    def bytes(self) -> int:
        """How much memory the table takes."""
        return int(self._table.nbytes)

    def wins(self, position: Konane, *, progress: Progress | None = None) -> bool:
        """Tell whether the side to move wins."""
        return bool(self.solve(stacked([position]), progress=progress)[0])

    def values(self, position: Konane, *, progress: Progress | None = None) -> dict[Move, bool]:
        """Tell of each legal move whether it wins for the side to move."""
        return self.solve_moves(stacked([position]), progress=progress).of(0)

    def worths(
        self, position: Konane, *, only_best: bool = False, progress: Progress | None = None
    ) -> dict[Move, Worth]:
        """Tell of every legal move whether it wins; how many plies it takes is not known."""
        return worths_of(self.values(position, progress=progress))

    def solve_moves(self, batch: Any, *, progress: Progress | None = None) -> MoveValues:
        """Tell of each legal move of each position of a batch whether it wins for the side to move."""
        self._check(batch)
        first, moves, after = successors(_plain(batch))
        return MoveValues(first, moves, ~self.solve(after, progress=progress))

    def solve(self, batch: Any, *, progress: Progress | None = None) -> NDArray[np.bool_]:
        """Tell of each position of a batch whether the side to move wins."""
        self._check(batch)
        batch = _plain(batch)
        values = np.zeros(size(batch), np.int8)
        row = 0
        with self._lock:
            try:
                while (row := self._slice(batch, row, values)) < len(values):
                    if progress is not None:
                        progress(self.positions)
            finally:
                self._workspace["height"] = IDLE  # an interrupted search is forgotten, what it has proven is not
        return values.astype(np.bool_)

    def _slice(self, batch: Any, row: int, values: NDArray[np.int8]) -> int:
        """Search on for a while; return the first row that is not decided."""
        workspace, room = self._workspace, len(self._table) * FULL[0] // FULL[1]
        if workspace["entries"] >= room and len(self._table) < self.largest:
            self._table = enlarged(self._table, times=min(GROWTH, self.largest // len(self._table)))
            room = len(self._table) * FULL[0] // FULL[1]
        entries = room if len(self._table) < self.largest else len(self._table) + 1
        return int(solve_batch(batch, row, values, workspace, self._table, self.positions + SLICE, entries))

    def _check(self, batch: Any) -> None:
        """Raise unless all positions stand on this solver's board: kernels would read nonsense."""
        rows, columns = self.game.size
        if (np.asarray(batch.rows) != rows).any() or (np.asarray(batch.columns) != columns).any():
            raise BadOption(f"this solver knows konane on {rows}x{columns} alone, not on boards of another size")


def _plain(batch: Any) -> Any:
    """Return a batch in the one layout that kernels are compiled for."""
    kinds = (np.uint64, np.uint64, np.int64, np.int64, np.int64)
    return Konane._make(np.ascontiguousarray(field, kind) for field, kind in zip(batch, kinds, strict=True))


def check_solvable(game: CompiledGame) -> None:
    """Raise unless a solver can know this board perfectly."""
    rows, columns = game.size
    if rows * columns > MOST_CELLS:
        raise BadOption(f"konane can be solved on boards of at most {MOST_CELLS} cells, not on {rows}x{columns}")


def warm_up(game: CompiledGame) -> None:
    """Have the kernels ready before any clock runs: those of all boards are the same."""
    smallest = find_game("konane", (2, 3))
    Solver(smallest).values(smallest.start())


def make_workspace(rows: int, columns: int) -> Workspace:
    """Return the workspace of a board."""
    workspace: Workspace = np.zeros(1, LAYOUT)[0]
    keeping, swapping = _symmetries(rows, columns)
    for side, permutations in enumerate((keeping, swapping or keeping)):
        for place, permutation in enumerate(permutations):
            workspace["images"][side, place] = _image(permutation)
    workspace["symmetries"], workspace["sided"] = len(keeping), not swapping
    workspace["rows"], workspace["columns"], workspace["height"] = rows, columns, IDLE
    return workspace


def _symmetries(rows: int, columns: int) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """Return where each cell goes under the symmetries that keep the colours, and under those that swap them."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    boards = (cells, cells.T) if rows == columns else (cells,)
    images = [image[::down, ::across].ravel() for image in boards for down in (1, -1) for across in (1, -1)]
    black, white = colour_masks(rows, columns)
    keeping = [image for image in images if sent(black, image) == black]
    return keeping, [image for image in images if sent(black, image) == white]


def _image(permutation: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return where every pattern of nine cells in a row of numbers goes."""
    words = np.arange(1 << CHUNK_BITS, dtype=np.uint64)
    images = np.zeros((CHUNKS, 1 << CHUNK_BITS), np.uint64)
    for cell, to in enumerate(permutation):
        chunk, place = divmod(cell, CHUNK_BITS)
        images[chunk] |= ((words >> np.uint64(place)) & np.uint64(1)) << np.uint64(to)
    return images
