"""Students that are evaluators: a network inside the compiled search, kept as a chromosome (safetensors)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import build
from understudy.errors import FileError, UnderstudyError
from understudy.games import CompiledGame
from understudy.games.batches import size
from understudy.games.rows import present_of
from understudy.players.student_files import check_board
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import NetworkOptions, Plan, blindfolds, express, make_plan
from understudy.search.evaluators.perceptron import count_all
from understudy.tensors import load_arrays, save_arrays

KIND = "evaluator"
"""What the file of such a student says of itself."""


class Evolved(NamedTuple):
    """What a student's file holds."""

    network: NetworkOptions
    alleles: NDArray[np.float64]
    facts: Mapping[str, Any]

    @property
    def depth(self) -> int:
        """Plies that it looks ahead unless told otherwise."""
        return int(self.facts.get("depth", 3))


def save_evolved(
    path: Path, alleles: NDArray[Any], *, network: NetworkOptions, facts: Mapping[str, Any], **beside: NDArray[Any]
) -> None:
    """Write a student whole or not at all; other arrays may stand *beside* it."""
    chosen = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(network).items()}
    arrays = {"alleles": np.asarray(alleles, np.float64), **beside}
    save_arrays(path, arrays, {**facts, "kind": KIND, "network": chosen})


def load_evolved(path: Path) -> Evolved:
    """Return what a student's file holds; anything else is refused."""
    arrays, facts = load_arrays(path, "student")
    sensible = isinstance(facts.get("network"), Mapping) and isinstance(facts.get("depth", 3), int)
    if facts.get("kind") != KIND or "alleles" not in arrays or not sensible:
        raise FileError(f"{str(path)!r} holds weights, but is no evolved student: it does not say how to read them")
    network = build(NetworkOptions, facts["network"], place=f"the student {str(path)!r}")
    return Evolved(network, arrays["alleles"], facts)


def evaluator_of(game: CompiledGame, evolved: Evolved, name: str) -> Any:
    """Return the student's network as an evaluator for *game*."""
    check_board(evolved.facts, game, name)
    plan: Plan = make_plan(game, evolved.network)
    try:
        return express(plan, evolved.alleles)
    except UnderstudyError as error:
        raise FileError(f"player {name!r} cannot be read: {error}") from None


def export_evolved(game: CompiledGame, path: Path) -> Any:
    """Return the network of a student's file as an ONNX graph."""
    from understudy.networks.exports import export_perceptron  # players do without PyTorch, and without onnx

    evolved = load_evolved(path)
    plan: Plan = make_plan(game, evolved.network)
    return export_perceptron(evaluator_of(game, evolved, str(path)), plan.inputs.width)


def feed_evolved(game: CompiledGame, path: Path, batch: Any) -> dict[str, NDArray[Any]]:
    """Return what the graph of a student is given of a batch of positions."""
    plan: Plan = make_plan(game, load_evolved(path).network)
    numbers = np.zeros((size(batch), 2 * plan.inputs.width), np.float32)
    if plan.inputs.kinds:
        count_all(batch, plan.inputs.kinds, numbers)
    feed: dict[str, NDArray[Any]] = {"mine": present_of(batch, game.feature_count).astype(np.int64)}
    if plan.both:
        feed["theirs"] = present_of(batch, game.feature_count, turned=True).astype(np.int64)
    return feed | ({"numbers": numbers} if plan.inputs.width else {})


def explainer_of(game: CompiledGame, evolved: Evolved) -> Callable[[Any], dict[str, float]]:
    """Return what tells of a position how much the network's value of it rests on each input.

    That is by how much the result it expects, from -1 to 1, would change if it did not see the input: the difference
    to the same network without those weights. Networks are not sums, so these need not add up to the value.
    """

    @cache
    def networks() -> tuple[Any, dict[str, Any]]:
        """Make them when first asked: who only plays needs none of them."""
        plan, masks = make_plan(game, evolved.network), blindfolds(game, evolved.network)
        return express(plan, evolved.alleles), {name: express(plan, evolved.alleles, masks[name]) for name in masks}

    def expected(evaluator: Any, position: Any) -> float:
        return math.tanh(float(value(evaluator, position, True)) / evaluator.scale)

    def explain(position: Any) -> dict[str, float]:
        whole, blind = networks()
        seen = expected(whole, position)
        return {name: seen - expected(without, position) for name, without in blind.items()}

    return explain
