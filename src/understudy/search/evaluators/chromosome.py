"""A chromosome is a network written as one row of numbers: what evolution breeds, and what a student's file keeps.

What such a network may see of a board: the features of any game, and what a game names besides. Most inputs are sums
over stones: a row with a weight for each of the game's features, and what the input is on an empty board. Such inputs
fold into the first layer of a network and cost nothing. The others are numbers that a kernel of the game counts, about
my stones and about theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.search.evaluators.perceptron import Perceptron, perceptron

READINGS = {"signed": (1.0, -1.0, 0.0), "presumed": (0.75, 0.25, 0.5), "as_printed": (0.75, 0.5, 0.5)}
"""What a cell is worth with an own stone, an enemy's, none. As printed, an enemy looks like an empty cell (E-01)."""
FEATURES = "features"
"""The name of the only inputs that every game has: its features one by one."""

TURN = "turn"
"""The name of the only number that every game has: whether it is one's turn. Features say nothing of it, because they
are seen by who judges, whoever is to move."""

Rows = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Inputs that are sums over stones: [inputs, features], and what they are on an empty board."""


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """The `[network]` section of an experiment whose networks evolve; as given, the network of the thesis."""

    inputs: tuple[str, ...] = ("board", "nonads")
    reading: str = "signed"
    """What a cell is worth: `signed` 1, -1, 0; `presumed` 0.75, 0.25, 0.5; `as_printed` 0.75, 0.5, 0.5."""
    hidden: int = 20
    order: str = "rows"
    """How the weights of inputs that lie on a grid follow one another in a chromosome, which matters to crossover at
    points: `rows` like words on a page, as the thesis; `spiral` round from the upper left corner inwards; `salamander`
    one row forth and the next one back. In both of these neighbours in the chromosome are neighbours on the board."""
    symmetric: bool = False
    """Give inputs that are mirror images of each other the same weights."""
    both: bool = False
    """Value a position by the difference of both sides' views, so that what is good for one is bad for the other."""


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


class Common:
    """What a network may see of a game that names no inputs of its own besides the features: whose turn it is."""

    LINEAR: Mapping[str, Any] = {}
    GRIDS: Mapping[str, int] = {}
    NUMBERS: Mapping[str, tuple[str, tuple[int, ...]]] = {TURN: (TURN, (0,))}
    COUNTED: Mapping[str, int] = {TURN: 1}
    COUNTED_WIDTHS: Mapping[int, int] = {1: 1}


def _own_inputs(game: CompiledGame) -> Any:
    return game.kind.load("network_inputs") if game.kind.network_inputs else Common


class Plan(NamedTuple):
    """How alleles become a network.

    Their order: for each input the weights to all hidden units, inputs in the order that the options say; those from
    the hidden units to the output; the biases of the hidden units; the bias of the output.
    """

    inputs: Inputs
    classes: NDArray[np.int64]
    """For each input the number of its row of alleles."""
    rows: int
    hidden: int
    both: bool

    @property
    def length(self) -> int:
        """How many alleles a chromosome has."""
        return (self.rows + 2) * self.hidden + 1

    def units(self) -> NDArray[np.int64]:
        """Return for each allele the hidden unit that it belongs to; -1 for the bias of the output."""
        return np.append(np.tile(np.arange(self.hidden), self.rows + 2), -1)

    def fan_in(self) -> NDArray[np.float64]:
        """Return for each allele how many inputs its unit adds up."""
        return np.append(np.repeat([self.rows, self.hidden, self.rows], [self.rows * self.hidden, *[self.hidden] * 2]),
                         self.hidden).astype(np.float64)  # fmt: skip


def make_plan(game: CompiledGame, options: NetworkOptions) -> Plan:
    """Return the plan of the networks that *options* describe."""
    return _planned(game.name, game.size, options)


@lru_cache(maxsize=32)
def _planned(game: str, size: tuple[int, int], options: NetworkOptions) -> Plan:
    check_range("network.hidden", options.hidden, 1, 1_000)
    inputs = make_inputs(find_game(game, size), options.inputs, options.reading)
    classes = np.arange(inputs.total)
    if options.symmetric:
        classes = np.unique(inputs.classes, return_inverse=True)[1]
    if options.order != ROWS:
        classes = _numbered(classes, _path(find_game(game, size), options))
    return Plan(inputs, classes, int(classes.max()) + 1, options.hidden, options.both)


def _path(game: CompiledGame, options: NetworkOptions) -> NDArray[np.int64]:
    """Return all inputs in the order in which their weights follow one another."""
    if options.order not in ORDERS:
        raise UnknownName("network.order", options.order, ORDERS)
    own = _own_inputs(game)
    grids, counted = getattr(own, "GRIDS", {}), own.NUMBERS
    if not any(name in grids for name in options.inputs):
        there = f"those of {game.name} that do are {', '.join(grids)}" if grids else f"{game.name} has none that do"
        raise BadOption(f"network.order: {options.order!r} is for inputs that lie on a grid; {there}")
    total, path = 0, list[int]()
    for name in sorted(options.inputs, key=lambda name: name in counted):  # sums come first (see `make_inputs`)
        width = make_inputs(game, (name,), options.reading).total
        cells = width // grids.get(name, 1)
        inside = ORDERS[options.order](isqrt(cells)) if name in grids else list(range(cells))
        path += [total + first + place for first in range(0, width, cells) for place in inside]
        total += width
    return np.array(path)


def _numbered(classes: NDArray[np.int64], path: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the classes numbered in the order in which a path comes upon them."""
    met = list(dict.fromkeys(classes[path].tolist()))
    numbers = np.zeros(len(met), np.int64)
    numbers[met] = np.arange(len(met))
    return numbers[classes]


def wind(side: int) -> list[int]:
    """Return the cells of a square grid in a spiral: from the upper left corner clockwise and inwards."""
    rows, path = [list(range(side * row, side * row + side)) for row in range(side)], list[int]()
    while rows:
        path += rows.pop(0)
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]  # what is left, turned to the left
    return path


def crawl(side: int) -> list[int]:
    """Return the cells of a square grid row by row, every second row backwards."""
    rows = [list(range(side * row, side * row + side)) for row in range(side)]
    return [cell for place, row in enumerate(rows) for cell in (row if place % 2 == 0 else row[::-1])]


ROWS = "rows"
ORDERS: Mapping[str, Callable[[int], list[int]]] = {
    ROWS: lambda side: list(range(side * side)),
    "spiral": wind,
    "salamander": crawl,
}
"""How the cells of a grid follow one another. The thesis names a salamander and does not say what it is: ours."""


def express(plan: Plan, alleles: NDArray[Any], seen: NDArray[np.bool_] | None = None) -> Perceptron:
    """Return the network that a chromosome describes; blind to the inputs that are not *seen*, if that is given."""
    if alleles.shape != (plan.length,):
        raise BadOption(f"a chromosome of {alleles.size} alleles does not fit a network of {plan.length} weights")
    if not np.isfinite(alleles).all():
        raise BadOption("a chromosome holds numbers that are not finite")
    inputs, hidden = plan.inputs, plan.hidden
    table = alleles[:-1].reshape(plan.rows + 2, hidden)
    weights, output, biases = table[plan.classes], table[-2], table[-1]
    if seen is not None:
        weights = weights * seen[:, None]
    linear = weights[: len(inputs.linear)]
    counted = np.zeros((2 * inputs.width, hidden))
    np.add.at(counted, list(inputs.counted), weights[len(inputs.linear) :])
    return perceptron(
        inputs.linear.T @ linear, biases + inputs.empty @ linear, output, output_bias=float(alleles[-1]),
        counted=counted, kinds=inputs.kinds, both=plan.both,
    )  # fmt: skip


def blindfolds(game: CompiledGame, options: NetworkOptions) -> dict[str, NDArray[np.bool_]]:
    """Return for each named input which of all inputs are left to be seen without it."""
    places = places_of(game, options)
    masks = {name: np.ones(sum(map(len, places.values())), np.bool_) for name in places}
    for name, own in places.items():
        masks[name][own] = False
    return masks


def places_of(game: CompiledGame, options: NetworkOptions) -> dict[str, NDArray[np.int64]]:
    """Return for each named input its places among all inputs."""
    total, counted = 0, _own_inputs(game).NUMBERS
    places = {}
    # Inputs that are sums over stones come first, whatever the order of the names (see `make_inputs`).
    for name in sorted(options.inputs, key=lambda name: name in counted):
        places[name] = np.arange(total, total + make_inputs(game, (name,), options.reading).total)
        total += len(places[name])
    return places


def make_inputs(game: CompiledGame, names: Sequence[str], reading: str = "signed") -> Inputs:
    """Return the inputs that *names* choose, one after the other; *reading* says what a cell of the board is worth."""
    if reading not in READINGS:
        raise UnknownName("network.reading", reading, READINGS)
    own = _own_inputs(game)
    counted_names = own.NUMBERS
    names_there = [*own.LINEAR, *counted_names, FEATURES]
    for name in names:
        if name not in names_there:
            raise UnknownName(f"input of {game.name}", name, names_there)
    if not names or len(set(names)) != len(names):
        raise BadOption(f"network.inputs: {list(names)} must name one or more inputs, each once")
    parts = [_linear(game, own, name, READINGS[reading]) for name in names if name not in counted_names]
    linear = np.vstack([np.zeros((0, game.feature_count)), *(rows for rows, _ in parts)])
    kinds, counted, width = _numbers(own, [name for name in names if name in counted_names])
    classes = np.arange(len(linear) + len(counted))
    if game.kind.network_inputs:
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
