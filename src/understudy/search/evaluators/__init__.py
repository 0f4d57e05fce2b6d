"""The evaluators: for each type its kernel, for each game its evaluators by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import overload

from understudy.errors import UnknownName
from understudy.games.chess import evaluators as chess
from understudy.games.chess.standing import Standing, standing_value
from understudy.games.konane import evaluators as konane
from understudy.games.lines_of_action import evaluators as lines_of_action
from understudy.games.morris import evaluators as morris
from understudy.games.rules import tells_changes
from understudy.search.evaluators.noise import Noise, noise_value
from understudy.search.evaluators.perceptron import (
    Perceptron,
    begin_sums,
    follow_sums,
    perceptron_value,
    value_of_sums,
)
from understudy.search.evaluators.quiescent import quiescent
from understudy.search.evaluators.sigmoid import Sigmoid, sigmoid_value

VALUES: dict[type, Callable[..., float]] = {
    morris.Phased: morris.phased_value,
    konane.Tally: konane.tally_value,
    lines_of_action.Aloa: lines_of_action.aloa_value,
    lines_of_action.Quads: lines_of_action.quads_value,
    chess.Material: chess.material_value,
    Noise: noise_value,
    Perceptron: perceptron_value,
    Sigmoid: sigmoid_value,
    Standing: standing_value,
}
"""The kernel for each type of evaluator."""

EVALUATORS: dict[str, Mapping[str, Any]] = {
    "morris": morris.EVALUATORS,
    "konane": konane.EVALUATORS,
    "lines_of_action": lines_of_action.EVALUATORS,
    "chess": {
        **{name: quiescent(evaluator) for name, evaluator in chess.EVALUATORS.items()},
        **{f"{name}_static": evaluator for name, evaluator in chess.EVALUATORS.items()},
    },
}
"""The evaluators of each game by name."""

DEFAULTS = {
    "morris": "handmade",
    "konane": "movable_ratio",
    "lines_of_action": "aloa",
    "chess": "piece_square",
}
"""Whom a searcher asks unless told otherwise."""


def find_evaluator(game: str, name: str) -> Any:
    """Return the evaluator of *game* called *name*, or the game's own choice for an empty name."""
    name = name or DEFAULTS[game]
    if name not in EVALUATORS[game]:
        raise UnknownName(f"evaluator of {game}", name, [*EVALUATORS[game], "perceptron"])
    return EVALUATORS[game][name]


def value(evaluator: Any, position: Any, own: bool) -> float:
    """Return what *position* is worth to the side to move; *own* tells whether that side is also the one who judges."""
    return float(VALUES[type(evaluator)](evaluator, position, own))


@overload(value, strict=False)
def _value(evaluator: Any, position: Any, own: Any) -> Any:
    chosen = VALUES[evaluator.instance_class]
    return lambda evaluator, position, own: chosen(evaluator, position, own)


# A network may keep the sums of its first layer along the line of play. A search that calls `begin` at its root and
# `follow` for every move may ask `judged` instead of `value`: the same number for less work.


def begin(evaluator: Any, position: Any) -> None:
    """Tell *evaluator* where a search starts."""
    if _keeps_sums(type(evaluator), type(position)):
        begin_sums(evaluator, position)


def follow(evaluator: Any, position: Any, move: int, height: int) -> None:
    """Tell *evaluator* which move is made in *position*, *height* plies after the start."""
    if _keeps_sums(type(evaluator), type(position)):
        follow_sums(evaluator, position, move, height)


def judged(evaluator: Any, position: Any, own: bool, height: int) -> float:
    """Return the value of the position reached *height* plies after the start."""
    if _keeps_sums(type(evaluator), type(position)):
        return float(value_of_sums(evaluator, position, own, height))
    return value(evaluator, position, own)


def _keeps_sums(evaluator: type, position: type) -> bool:
    return evaluator is Perceptron and tells_changes(position)


@overload(begin, strict=False)
def _begin(evaluator: Any, position: Any) -> Any:
    if _keeps_sums(evaluator.instance_class, position.instance_class):
        return lambda evaluator, position: begin_sums(evaluator, position)
    return lambda evaluator, position: None


@overload(follow, strict=False)
def _follow(evaluator: Any, position: Any, move: Any, height: Any) -> Any:
    if _keeps_sums(evaluator.instance_class, position.instance_class):
        return lambda evaluator, position, move, height: follow_sums(evaluator, position, move, height)
    return lambda evaluator, position, move, height: None


@overload(judged, strict=False)
def _judged(evaluator: Any, position: Any, own: Any, height: Any) -> Any:
    if _keeps_sums(evaluator.instance_class, position.instance_class):
        return lambda evaluator, position, own, height: value_of_sums(evaluator, position, own, height)
    return lambda evaluator, position, own, height: value(evaluator, position, own)
