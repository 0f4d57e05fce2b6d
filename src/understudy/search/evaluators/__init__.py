"""The evaluators: for each type its kernel, for each game its evaluators by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import overload

from understudy.errors import UnknownName
from understudy.search.evaluators import chess, konane, lines_of_action, morris
from understudy.search.evaluators.noise import Noise, noise_value
from understudy.search.evaluators.perceptron import Perceptron, perceptron_value
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
