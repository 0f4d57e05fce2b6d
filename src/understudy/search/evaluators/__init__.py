"""Evaluators: who says what a position is worth, at the leaves of a search; its type and the game pick the kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from understudy.errors import UnknownName
from understudy.games import find_kind
from understudy.games.batches import size
from understudy.games.bits import Mask, mixed
from understudy.games.boards import tells_marks
from understudy.games.kind import kind_of
from understudy.games.rows import row_of, typed
from understudy.games.rules import key, tells_changes
from understudy.kernels import kernel
from understudy.search.evaluators.layered import (
    Layered,
    begin_marks,
    follow_marks,
    keep_marks,
    layered_value,
    value_of_marks,
)
from understudy.search.evaluators.perceptron import (
    Perceptron,
    begin_sums,
    follow_sums,
    keep_sums,
    perceptron_value,
    value_of_sums,
)
from understudy.search.evaluators.sigmoid import Sigmoid, sigmoid_value
from understudy.search.workspace import WIN


class Quiescent(NamedTuple):
    """Any evaluator of a game with captures in flight, asked after the captures (see `leaves.quiescence`)."""

    inner: Any
    scale: float


def quiescent(inner: Any) -> Quiescent:
    """Return *inner* to be asked in quiet positions only."""
    return Quiescent(inner, inner.scale)


class Tabled(NamedTuple):
    """Any evaluator of a game with tables of solved positions, which are asked first."""

    inner: Any
    tables: Any
    scale: float


def tabled(inner: Any, game: str, folder: str) -> Tabled:
    """Return *inner* to be asked only where the tables of a *folder* do not know the truth."""
    return Tabled(inner, find_kind(game).load("tables").open_tables(folder), inner.scale)


def look_up(tables: Any, position: Any) -> int:
    """Return what tables know of a position: 0 a draw, odd lost, even won, -1 nothing."""
    return int(kind_of(type(position)).load("tables").look_up(tables, position))


@overload(look_up, strict=False)
def _look_up(tables: Any, position: Any) -> Any:
    chosen = kind_of(position.instance_class).load("tables").look_up
    return lambda tables, position: chosen(tables, position)


@kernel
def tabled_value(evaluator: Tabled, position: Any, own: bool) -> float:
    """Return a proven value, counted in plies from this position, or what the inner evaluator says."""
    plies = look_up(evaluator.tables, position)
    if plies < 0:
        return value(evaluator.inner, position, own)
    if plies == 0:
        return 0.0
    return WIN - (plies - 1) if plies & 1 == 0 else (plies - 1) - WIN


_11 = np.uint64(11)


class Noise(NamedTuple):
    """What the `stochastic` player sees where the rules do not decide: a value drawn for each position from a seed.

    The same position has one value within one search.
    """

    seed: Mask
    scale: float = 1.0


@kernel
def noise_value(evaluator: Noise, position: Any, own: bool) -> float:
    """Return a number in [-1, 1) that depends on nothing but the seed and the position."""
    # 53 bits, as many as a double holds, over 2^52: from 0 to 2, less 1.
    return (mixed(key(position) ^ evaluator.seed) >> _11) / 4503599627370496.0 - 1.0


VALUES: dict[type, Callable[..., float]] = {
    Layered: layered_value,
    Noise: noise_value,
    Perceptron: perceptron_value,
    Sigmoid: sigmoid_value,
    Tabled: tabled_value,
}
"""The kernels of evaluators that serve every game; the others stand with their games."""


def find_evaluator(game: str, name: str) -> Any:
    """Return the evaluator of *game* called *name*, or the game's own choice for an empty name."""
    kind = find_kind(game)
    name = name or kind.usual_evaluator
    if name not in kind.evaluators:
        raise UnknownName(f"evaluator of {game}", name, [*kind.evaluators, "perceptron"])
    return kind.evaluators[name]


def value(evaluator: Any, position: Any, own: bool) -> float:
    """Return what *position* is worth to the side to move; *own* tells whether that side is also the one who judges."""
    return float(_kernel(type(evaluator), type(position))(evaluator, position, own))


def _kernel(evaluator: type, position: type) -> Callable[..., float]:
    """Return the kernel of a type of evaluator: everybody's, or that of the position's game."""
    return VALUES.get(evaluator) or kind_of(position).values[evaluator]


@overload(value, strict=False)
def _value(evaluator: Any, position: Any, own: Any) -> Any:
    chosen = _kernel(evaluator.instance_class, position.instance_class)
    return lambda evaluator, position, own: chosen(evaluator, position, own)


def scaled(evaluator: Any, position: Any, value: float) -> float:
    """Return what an evaluator says of a position as a share from 0 lost to 1 won: as its game has it, or squashed."""
    chosen: Any = kind_of(type(position)).scaled or squash
    return float(chosen(evaluator, value))


@overload(scaled, strict=False)
def _scaled(evaluator: Any, position: Any, value: Any) -> Any:
    chosen: Any = kind_of(position.instance_class).scaled or squash
    return lambda evaluator, position, value: chosen(evaluator, value)


@kernel
def squash(evaluator: Any, value: float) -> float:
    """Return a value as a share from 0 to 1: at the evaluator's scale the expected outcome, -1 to 1, is tanh(1)."""
    return 0.5 + 0.5 * math.tanh(value / evaluator.scale)


def appraise(evaluator: Any, batch: Any) -> NDArray[np.float64]:
    """Return what an evaluator says of many positions to the side to move, from -1 lost to 1 won, without a search."""
    worths = np.zeros(size(batch))
    _appraise(evaluator.inner if isinstance(evaluator, Quiescent) else evaluator, typed(batch), worths)
    return worths


@kernel
def _appraise(evaluator: Any, batch: Any, out: NDArray[np.float64]) -> None:
    for row in range(len(out)):
        position = row_of(batch, row)
        out[row] = 2.0 * scaled(evaluator, position, value(evaluator, position, True)) - 1.0


# A network may keep the sums of its first layer along the line of play. A search that calls `begin` at its root and
# `follow` for every move may ask `judge` instead of `value`: the same number for less work.


class _Keeping(NamedTuple):
    """The kernels of networks that keep their sums."""

    begin: Callable[..., None]
    follow: Callable[..., None]
    keep: Callable[..., None]
    judge: Callable[..., float]


KEEPING = {
    Perceptron: _Keeping(begin_sums, follow_sums, keep_sums, value_of_sums),
    Layered: _Keeping(begin_marks, follow_marks, keep_marks, value_of_marks),
}
"""The networks that keep sums, where the game tells what a move changes."""


def begin(evaluator: Any, position: Any) -> None:
    """Tell *evaluator* where a search starts."""
    if kept := _keeping(type(evaluator), type(position)):
        kept.begin(evaluator, position)


def follow(evaluator: Any, position: Any, move: int, height: int) -> None:
    """Tell *evaluator* which move is made in *position*, *height* plies after the start."""
    if kept := _keeping(type(evaluator), type(position)):
        kept.follow(evaluator, position, move, height)


def follow_pass(evaluator: Any, position: Any, height: int) -> None:
    """Tell *evaluator* that nobody moves in *position*, *height* plies after the start, and the other side goes on."""
    if kept := _keeping(type(evaluator), type(position)):
        kept.keep(evaluator, height)


def judge(evaluator: Any, position: Any, own: bool, height: int) -> float:
    """Return the value of the position reached *height* plies after the start."""
    if kept := _keeping(type(evaluator), type(position)):
        return float(kept.judge(evaluator, position, own, height))
    return value(evaluator, position, own)


def _keeping(evaluator: type, position: type) -> _Keeping | None:
    """Return the kernels of a type of evaluator that keeps sums in this game; None if it keeps none."""
    tells = tells_marks if evaluator is Layered else tells_changes
    return KEEPING[evaluator] if evaluator in KEEPING and tells(position) else None


@overload(begin, strict=False)
def _begin(evaluator: Any, position: Any) -> Any:
    if kept := _keeping(evaluator.instance_class, position.instance_class):
        chosen = kept.begin
        return lambda evaluator, position: chosen(evaluator, position)
    return lambda evaluator, position: None


@overload(follow, strict=False)
def _follow(evaluator: Any, position: Any, move: Any, height: Any) -> Any:
    if kept := _keeping(evaluator.instance_class, position.instance_class):
        chosen = kept.follow
        return lambda evaluator, position, move, height: chosen(evaluator, position, move, height)
    return lambda evaluator, position, move, height: None


@overload(follow_pass, strict=False)
def _follow_pass(evaluator: Any, position: Any, height: Any) -> Any:
    if kept := _keeping(evaluator.instance_class, position.instance_class):
        chosen = kept.keep
        return lambda evaluator, position, height: chosen(evaluator, height)
    return lambda evaluator, position, height: None


@overload(judge, strict=False)
def _judge(evaluator: Any, position: Any, own: Any, height: Any) -> Any:
    if kept := _keeping(evaluator.instance_class, position.instance_class):
        chosen = kept.judge
        return lambda evaluator, position, own, height: chosen(evaluator, position, own, height)
    return lambda evaluator, position, own, height: value(evaluator, position, own)
