"""What a network inside the search may see of a board: the features of any game, and what a game names besides.

Most inputs are sums over stones: a row with a weight for each of the game's features, and what the input is on an
empty board. Such inputs fold into the first layer of a network and cost nothing. The others are numbers that a kernel
of the game counts, about my stones and about theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame

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
    own = game.kind.load("network_inputs") if game.kind.network_inputs else None
    linear_names, counted_names = (own.LINEAR, own.NUMBERS) if own else ({}, {})
    names_there = [*linear_names, *counted_names, FEATURES]
    for name in names:
        if name not in names_there:
            raise UnknownName(f"input of {game.name}", name, names_there)
    if not names or len(set(names)) != len(names):
        raise BadOption(f"network.inputs: {list(names)} must name one or more inputs, each once")
    parts = [_linear(game, own, name, READINGS[reading]) for name in names if name not in counted_names]
    linear = np.vstack([np.zeros((0, game.feature_count)), *(rows for rows, _ in parts)])
    kinds, counted, width = _numbers(own, [name for name in names if name in counted_names])
    classes = np.arange(len(linear) + len(counted))
    if own:
        classes[: len(linear)] = _orbits(linear, own.turns(game.size[0]))
    return Inputs(linear, np.concatenate([np.zeros(0), *(empty for _, empty in parts)]), kinds, counted, width, classes)


def _linear(game: CompiledGame, own: Any, name: str, values: tuple[float, float, float]) -> Rows:
    if name == FEATURES:
        return np.eye(game.feature_count), np.zeros(game.feature_count)
    rows: Rows = own.LINEAR[name](game.size[0], values)
    return rows


def _numbers(own: Any, names: Sequence[str]) -> tuple[int, tuple[int, ...], int]:
    """Return the kinds that *names* need, the places of their inputs, and how many numbers each side has."""
    if not names:
        return 0, (), 0
    chosen = sorted({own.COUNTED[own.NUMBERS[name][0]] for name in names})
    first = {kind: sum(own.COUNTED_WIDTHS[other] for other in chosen if other < kind) for kind in chosen}
    width = sum(own.COUNTED_WIDTHS[kind] for kind in chosen)
    places = [
        side * width + first[own.COUNTED[kind]] + place
        for kind, sides in (own.NUMBERS[name] for name in names)
        for side in sides
        for place in range(own.COUNTED_WIDTHS[own.COUNTED[kind]])
    ]
    return sum(chosen), tuple(places), width


def _orbits(linear: NDArray[np.float64], turns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return for each input the first one that some symmetry of the board carries onto it."""
    class_of: dict[bytes, int] = {}
    classes = np.zeros(len(linear), np.int64)
    for place, row in enumerate(linear):
        images = [np.ascontiguousarray(row[turn]).tobytes() for turn in turns]
        classes[place] = next((class_of[image] for image in images if image in class_of), place)
        class_of.setdefault(images[0], int(classes[place]))
    return classes
