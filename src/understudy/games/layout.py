"""What an encoder is: how it fills columns, and which place on the board each column is about.

Places are 0, none, and the cells, counted from 1. A column about a cell is carried along when a symmetry of the board
moves that cell; a column about place 0 (hands, phases) stays. A network whose weights are tied by symmetry needs to
know. The classes of a part are the places, or the cells alone where a move never lacks the part; a part with any other
number of classes, such as what a pawn becomes, is about no cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games.game import CompiledGame
from understudy.games.rows import features_of


@dataclass(frozen=True, eq=False)
class Classes:
    """The places of a board, none and its cells, and what the symmetries of the board make of them."""

    images: NDArray[np.int64]
    """[symmetries, places]: where each symmetry sends each place, the identity first; none stays none."""
    columns: int = 0
    """Of a board of rows: how many cells a row has; the cells are counted row by row. 0: the board has no rows."""

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

    def part(self, size: int) -> Layout:
        """Return a column for each of the *size* classes of a part: what a network says, and how it is told of it."""
        classes = self.layout.classes
        if size == classes.count:
            return uniform(classes, 1)
        return cells(classes) if size == classes.count - 1 else facts(classes, size)

    def extended(self, sizes: Sequence[int]) -> Layout:
        """Return the layout of a position followed by parts chosen before, which have so many classes each."""
        shown = [self.part(size) if self.one_hot else facts(self.layout.classes, 1) for size in sizes]
        return joined([self.layout, *shown])

    def images(self, size: int) -> NDArray[np.int64]:
        """Return where each symmetry sends each of the *size* classes of a part [symmetries, classes]."""
        moved = self.layout.classes.images
        if size == moved.shape[1]:
            return moved
        return moved[:, 1:] - 1 if size == moved.shape[1] - 1 else np.tile(np.arange(size), (len(moved), 1))


def find_encoder(game: CompiledGame, name: str) -> Encoder:
    """Return the encoder of that name for a game on its board; no name is the first."""
    encoders = find_encoders(game)
    if name and name not in encoders:
        raise UnknownName(f"encoder for {game.name}", name, encoders)
    return encoders[name] if name else next(iter(encoders.values()))


@cache
def find_encoders(game: CompiledGame) -> dict[str, Encoder]:
    """Return all encoders of a game on its board by name: its own, and `features`, which every game has."""
    own: dict[str, Encoder] = game.kind.load("encoders").make_encoders(game) if game.kind.encoders else {}
    return {**own, "features": _show_features(game)}


def _show_features(game: CompiledGame) -> Encoder:
    """Return the encoder of what networks inside the search see; nobody says where on the board a feature is."""
    count = game.feature_count
    still = Classes(np.arange(max(game.part_sizes) + 1)[None])
    return Encoder("features", facts(still, count), partial(features_of, count=count), symmetric=False)


def board_classes(permutations: NDArray[np.int64], columns: int = 0) -> Classes:
    """Return the places of a board by what its symmetries make of its cells [symmetries, cells]."""
    return Classes(np.concatenate([np.zeros((len(permutations), 1), np.int64), permutations + 1], axis=1), columns)


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
