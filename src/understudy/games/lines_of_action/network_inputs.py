"""What a network inside the search may see of Lines of Action: the focused heuristics of Miller (2010, chapter III).

Most are sums over stones, rows with a weight for each feature (`LINEAR`); quads, distances, mobility and threats are
numbers that a kernel counts, about my stones and about theirs (`NUMBERS`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from understudy.games.lines_of_action.evaluators import COUNTED, COUNTED_WIDTHS, counted, nonad_matrix
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.kernels import kernel

__all__ = ["COUNTED", "COUNTED_WIDTHS", "LINEAR", "NUMBERS", "count_all", "turns"]

Rows = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Inputs that are sums over stones: [inputs, features], and what they are on an empty board."""


def _cells(size: int) -> list[int]:
    """Return the cells of a board as words stand on a page, from the upper left."""
    return [8 * row + column for row in range(size - 1, -1, -1) for column in range(size)]


def _shown(cells: Sequence[int], values: tuple[float, float, float]) -> Rows:
    """Return an input for each cell."""
    own, enemy, empty = values
    rows = np.zeros((len(cells), 128))
    rows[range(len(cells)), cells] = own - empty
    rows[range(len(cells)), [64 + cell for cell in cells]] = enemy - empty
    return rows, np.full(len(cells), empty)


def _lines(size: int) -> list[list[int]]:
    rows = [[8 * row + column for column in range(size)] for row in range(size - 1, -1, -1)]
    return rows + [[8 * row + column for row in range(size - 1, -1, -1)] for column in range(size)]


def _diagonals(size: int) -> list[list[int]]:
    """Return those from north-west to south-east, then the others, each kind in the order of its first cells."""
    lines: dict[tuple[int, int], list[int]] = {}
    for slope in (1, -1):
        for cell in _cells(size):
            lines.setdefault((slope, cell // 8 + slope * (cell % 8)), []).append(cell)
    return list(lines.values())


def _board(size: int, values: tuple[float, float, float]) -> Rows:
    return _shown(_cells(size), values)


def _by_lines(size: int, values: tuple[float, float, float]) -> Rows:
    return _shown([cell for line in _lines(size) for cell in line], values)


def _by_diagonals(size: int, values: tuple[float, float, float]) -> Rows:
    return _shown([cell for line in _diagonals(size) for cell in line], values)


def _counts(lines: list[list[int]]) -> Rows:
    """Return an input for each line: how many stones of both sides are on it."""
    rows = np.zeros((len(lines), 128))
    for row, line in zip(rows, lines, strict=True):
        row[line] = row[[64 + cell for cell in line]] = 1.0
    return rows, np.zeros(len(lines))


def _line_counts(size: int, values: tuple[float, float, float]) -> Rows:
    return _counts(_lines(size))


def _diagonal_counts(size: int, values: tuple[float, float, float]) -> Rows:
    return _counts(_diagonals(size))


def _sides(size: int, values: tuple[float, float, float]) -> Rows:
    """Return two boards, one that shows my stones alone and one that shows theirs."""
    cells = _cells(size)
    return np.eye(128)[[*cells, *(64 + cell for cell in cells)]], np.zeros(2 * len(cells))


def _windows(size: int) -> NDArray[np.float64]:
    """Return the nonads from the upper left."""
    inner = size - 2
    return nonad_matrix(size).reshape(inner, inner, 64)[::-1].reshape(-1, 64)


def _nonads(size: int, values: tuple[float, float, float]) -> Rows:
    windows = _windows(size)
    return np.hstack([windows, np.zeros_like(windows)]), np.zeros(len(windows))


def _enemy_nonads(size: int, values: tuple[float, float, float]) -> Rows:
    windows = _windows(size)
    return np.hstack([np.zeros_like(windows), windows]), np.zeros(len(windows))


LINEAR: dict[str, Callable[[int, tuple[float, float, float]], Rows]] = {
    "board": _board,
    "lines": _by_lines,
    "line_counts": _line_counts,
    "diagonals": _by_diagonals,
    "diagonal_counts": _diagonal_counts,
    "nonads": _nonads,
    "enemy_nonads": _enemy_nonads,
    "sides": _sides,
}
"""Inputs that are sums over stones."""

NUMBERS = {
    "quads": ("quads", (0,)),
    "enemy_quads": ("quads", (1,)),
    "shape": ("shape", (0, 1)),
    "mobility": ("mobility", (0, 1)),
    "threats": ("threats", (0, 1)),
    "turn": ("turn", (0,)),
}
"""Inputs that are counted: which numbers, and about which sides (0: mine)."""


@cache
def turns(size: int) -> list[NDArray[np.int64]]:
    """Return the eight symmetries of the board as rearrangements of the features."""
    cells = np.arange(64).reshape(8, 8)
    turns = []
    for flipped in (False, True):
        for quarter in range(4):
            board = cells[:size, :size].T if flipped else cells[:size, :size]
            turned = cells.copy()
            turned[:size, :size] = np.rot90(board, quarter)
            turns.append(np.concatenate([turned.reshape(-1), 64 + turned.reshape(-1)]))
    return turns


@kernel
def count_all(
    mine: NDArray[np.uint64], theirs: NDArray[np.uint64], size: int, kinds: int, out: NDArray[np.float32]
) -> None:
    """Write the counted numbers of many positions."""
    for row in range(mine.shape[0]):
        counted(LinesOfAction(mine[row], theirs[row], size, 0, 0), kinds, out[row])
