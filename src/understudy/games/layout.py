"""What an encoder is: how it fills columns, and which class of a part each column is about.

The classes of a part are 0, none, and the cells, counted from 1. A column about a cell is carried along when a symmetry
of the board moves that cell; a column about class 0 (hands, phases) stays. A network whose weights are tied by symmetry
needs to know.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games import GAMES, find_kind


@dataclass(frozen=True, eq=False)
class Classes:
    """What a part of a move can be, none or a cell, and what the symmetries of the board make of it."""

    images: NDArray[np.int64]
    """[symmetries, classes]: where each symmetry sends each class, the identity first; none stays none."""

    @property
    def count(self) -> int:
        """How many classes there are."""
        return int(self.images.shape[1])

    @cached_property
    def relation(self) -> NDArray[np.int64]:
        """[classes, classes]: the number of each pair's relation, the same where a symmetry maps the pairs."""
        relation = np.full((self.count, self.count), -1)
        for first, second in np.ndindex(relation.shape):
            if relation[first, second] < 0:
                relation[self.images[:, first], self.images[:, second]] = relation.max() + 1
        return relation


class Layout(NamedTuple):
    """Of each column: the class it is about, and its channel, the kind of thing it tells about that class."""

    about: NDArray[np.int64]
    channels: NDArray[np.int64]
    classes: Classes
    """All that there are on this board."""

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.about)

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
    """Whether a part chosen before is shown as a column for each class with a single one, or as one with its number."""
    symmetric: bool = True
    """Whether a symmetry of the board only moves columns about: a network tied by symmetry can use no other."""

    @property
    def part(self) -> Layout:
        """One column for each class of a part: what a network says, and how it is told of parts chosen before."""
        return uniform(self.layout.classes, 1)

    def extended(self, parts: int) -> Layout:
        """Return the layout of a position followed by this many parts chosen before."""
        shown = self.part if self.one_hot else facts(self.layout.classes, 1)
        return joined([self.layout, *[shown] * parts])


def find_encoder(game: str, name: str) -> Encoder:
    """Return the encoder of that name for a game."""
    encoders = find_encoders(game)
    if name not in encoders:
        raise UnknownName(f"encoder for {game}", name, encoders)
    return encoders[name]


def find_encoders(game: str) -> dict[str, Encoder]:
    """Return all encoders of a game by name."""
    kind = find_kind(game)
    if kind.encoders is None:
        raise UnknownName("game with encoders", game, [known for known in GAMES if find_kind(known).encoders])
    encoders: dict[str, Encoder] = kind.load("encoders").ENCODERS
    return encoders


def uniform(classes: Classes, depth: int) -> Layout:
    """Return the layout with *depth* channels for every class, channels of a class side by side."""
    return Layout(np.repeat(np.arange(classes.count), depth), np.tile(np.arange(depth), classes.count), classes)


def cells(classes: Classes) -> Layout:
    """Return the layout of one column for each cell."""
    return Layout(np.arange(1, classes.count), np.zeros(classes.count - 1, np.int64), classes)


def facts(classes: Classes, count: int) -> Layout:
    """Return the layout of columns that no symmetry moves."""
    return Layout(np.zeros(count, np.int64), np.arange(count), classes)


def joined(layouts: Sequence[Layout]) -> Layout:
    """Return layouts of one board side by side, each with channels of its own."""
    starts = np.cumsum([0, *(layout.depth for layout in layouts)])
    channels = [layout.channels + start for layout, start in zip(layouts, starts, strict=False)]
    return Layout(np.concatenate([layout.about for layout in layouts]), np.concatenate(channels), layouts[0].classes)
