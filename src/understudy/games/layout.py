"""What an encoder is: how it fills columns, and which class of a part each column is about.

The classes of a part are 0, none, and the cells 1 to 24. A column about a cell is carried along when a symmetry of
the board moves that cell; a column about class 0 (hands, phases) stays. A network whose weights are tied by symmetry
needs to know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import GAMES, find_kind
from understudy.games.morris.legality import CLASSES

LETTERS = "TFR"
"""How the papers write an order: TFR decides TO, then FROM, then REMOVE."""


class Layout(NamedTuple):
    """Of each column: the class it is about, and its channel, the kind of thing it tells about that class."""

    classes: NDArray[np.int64]
    channels: NDArray[np.int64]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.classes)

    @property
    def depth(self) -> int:
        """How many channels there are."""
        return int(self.channels.max()) + 1


class Encoder(NamedTuple):
    """One way to show a position, and parts chosen before, to a network."""

    name: str
    layout: Layout
    encode: Callable[[Any], NDArray[np.int8]]
    """From a batch of positions to [positions, columns]."""
    one_hot: bool = True
    """Whether a part chosen before is shown as 25 columns with a single one, or as one column with its number."""
    symmetric: bool = True
    """Whether a symmetry of the board only moves columns about: a network tied by symmetry can use no other."""

    def extended(self, parts: int) -> Layout:
        """Return the layout of a position followed by this many parts chosen before."""
        return joined([self.layout, *(uniform(1) if self.one_hot else _number() for _ in range(parts))])


def find_encoder(game: str, name: str) -> Encoder:
    """Return the encoder of that name for a game."""
    kind = find_kind(game)
    if kind.encoders is None:
        raise UnknownName("game with encoders", game, [known for known in GAMES if find_kind(known).encoders])
    encoders: dict[str, Encoder] = kind.load("encoders").ENCODERS
    if name not in encoders:
        raise UnknownName(f"encoder for {game}", name, encoders)
    return encoders[name]


def order_places(order: str, place: str = "student.order") -> tuple[int, int, int]:
    """Return which part each place of *order* decides, such as (0, 1, 2) for TFR; *place* names it for errors."""
    if sorted(order) != sorted(LETTERS):
        raise BadOption(f"{place}: {order!r} is not an order of the letters T, F and R")
    first, second, third = (LETTERS.index(letter) for letter in order)
    return first, second, third


def uniform(depth: int) -> Layout:
    """Return the layout with *depth* channels for every class, channels of a class side by side."""
    return Layout(np.repeat(np.arange(CLASSES), depth), np.tile(np.arange(depth), CLASSES))


def cells(channel: int) -> Layout:
    """Return the layout of one column for each cell."""
    return Layout(np.arange(1, CLASSES), np.full(CLASSES - 1, channel))


def facts(channel: int, count: int) -> Layout:
    """Return the layout of columns that no symmetry moves."""
    return Layout(np.zeros(count, np.int64), channel + np.arange(count))


def joined(layouts: list[Layout]) -> Layout:
    """Return layouts side by side, each with channels of its own."""
    starts = np.cumsum([0, *(layout.depth for layout in layouts)])
    channels = [layout.channels + start for layout, start in zip(layouts, starts, strict=False)]
    return Layout(np.concatenate([layout.classes for layout in layouts]), np.concatenate(channels))


def _number() -> Layout:
    return facts(0, 1)
