"""What a network inside the search may see of a board: the focused heuristics of Miller (2010, chapter III) and ours.

Most inputs are sums over stones: a row with a weight for each of the game's features, and what the input is on an
empty board. Such inputs fold into the first layer of a network and cost nothing. The others (quads, distances,
mobility) are numbers that a kernel counts, about my stones and about theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.lines_of_action.evaluators import COUNTED, COUNTED_WIDTHS, nonad_matrix

READINGS = {"signed": (1.0, -1.0, 0.0), "presumed": (0.75, 0.25, 0.5), "as_printed": (0.75, 0.5, 0.5)}
"""What a cell is worth with an own stone, an enemy's, none. As printed, an enemy looks like an empty cell (E-01)."""
FEATURES = "features"
"""The name of the only inputs that every game has: its features one by one."""

Rows = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Inputs that are sums over stones: [inputs, features], and what they are on an empty board."""


class Inputs(NamedTuple):
    """What a network sees."""

    linear: NDArray[np.float64]
    """[inputs, features]: inputs that are sums over stones."""
    empty: NDArray[np.float64]
    """What these are on an empty board."""
    kinds: int
    """Which numbers are counted besides."""
    counted: tuple[int, ...]
    """For each counted input its place among the numbers about me, then about them."""
    width: int
    """How many numbers are counted for each side."""
    classes: NDArray[np.int64]
    """For each input a class: inputs that a symmetry of the board carries onto each other have the same."""

    @property
    def total(self) -> int:
        """How many inputs there are."""
        return len(self.linear) + len(self.counted)


def make_inputs(game: CompiledGame, names: Sequence[str], reading: str = "signed") -> Inputs:
    """Return the inputs that *names* choose, one after the other; *reading* says what a cell of the board is worth."""
    if reading not in READINGS:
        raise UnknownName("network.reading", reading, READINGS)
    known = [FEATURES] if game.name != "lines_of_action" else [*LINEAR, *NUMBERS, FEATURES]
    for name in names:
        if name not in known:
            raise UnknownName(f"input of {game.name}", name, known)
    if not names or len(set(names)) != len(names):
        raise BadOption(f"network.inputs: {list(names)} must name one or more inputs, each once")
    size = game.size[0]
    parts = [_linear(game, name, size, READINGS[reading]) for name in names if name not in NUMBERS]
    linear = np.vstack([np.zeros((0, game.feature_count)), *(rows for rows, _ in parts)])
    kinds, counted, width = _numbers([name for name in names if name in NUMBERS])
    classes = np.arange(len(linear) + len(counted))
    if game.name == "lines_of_action":
        classes[: len(linear)] = _orbits(linear, size)
    return Inputs(linear, np.concatenate([np.zeros(0), *(empty for _, empty in parts)]), kinds, counted, width, classes)


def _linear(game: CompiledGame, name: str, size: int, values: tuple[float, float, float]) -> Rows:
    if name == FEATURES:
        return np.eye(game.feature_count), np.zeros(game.feature_count)
    return LINEAR[name](size, values)


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
"""Inputs of Lines of Action that are sums over stones."""

NUMBERS = {
    "quads": ("quads", (0,)),
    "enemy_quads": ("quads", (1,)),
    "shape": ("shape", (0, 1)),
    "mobility": ("mobility", (0, 1)),
    "threats": ("threats", (0, 1)),
    "turn": ("turn", (0,)),
}
"""Inputs of Lines of Action that are counted: which numbers, and about which sides (0: mine)."""


def _numbers(names: Sequence[str]) -> tuple[int, tuple[int, ...], int]:
    """Return the kinds that *names* need, the places of their inputs, and how many numbers each side has."""
    chosen = sorted({COUNTED[NUMBERS[name][0]] for name in names})
    first = {kind: sum(COUNTED_WIDTHS[other] for other in chosen if other < kind) for kind in chosen}
    width = sum(COUNTED_WIDTHS[kind] for kind in chosen)
    places = [
        side * width + first[COUNTED[kind]] + place
        for kind, sides in (NUMBERS[name] for name in names)
        for side in sides
        for place in range(COUNTED_WIDTHS[COUNTED[kind]])
    ]
    return sum(chosen), tuple(places), width


def _orbits(linear: NDArray[np.float64], size: int) -> NDArray[np.int64]:
    """Return for each input the first one that some symmetry of the square carries onto it."""
    found: dict[bytes, int] = {}
    classes = np.zeros(len(linear), np.int64)
    for place, row in enumerate(linear):
        images = [np.ascontiguousarray(row[turn]).tobytes() for turn in turns(size)]
        classes[place] = next((found[image] for image in images if image in found), place)
        found.setdefault(images[0], int(classes[place]))
    return classes


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
