"""Nodes a second of the search, and values a second of a network inside it, on one core."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.games import find_game, find_kind
from understudy.games.lines_of_action.inputs import nonad_matrix
from understudy.kernels import kernel
from understudy.players import make_player
from understudy.players.looking import Limits, search
from understudy.search.evaluators import VALUES, find_evaluator, value
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_plan
from understudy.search.evaluators.layered import Layered, layered_value
from understudy.search.evaluators.perceptron import Perceptron, folded, perceptron, perceptron_value

MILLION = 1e6
NODES = 2_000_000


def lines() -> Iterator[Line]:
    for name, least in (("morris", 5.0), ("konane", 1.0), ("lines_of_action", 1.0), ("chess", 1.0)):
        rate = best_rate(lambda name=name: nodes(name)) / MILLION  # type: ignore[misc]
        goal = "the limit" if name == "morris" else "1 million (no limit set)"
        yield Line(f"search {name}, evaluator {find_kind(name).usual_evaluator}", rate, "million nodes/s", goal, least)
    yield Line("selective search chess", best_rate(selective_nodes) / MILLION, "million nodes/s", "no limit set", 0.3)
    for name in ("morris", "konane", "lines_of_action", "chess"):
        kept, fresh = (best_rate(lambda name=name, kind=kind: judged(name, kind)) for kind in (Perceptron, Fresh))  # type: ignore[misc]
        yield Line(f"network inside the search, {name}", kept / MILLION, "million nodes/s", "no limit set", 0.0)
        yield Line(f"its kept sums beside fresh ones, {name}", kept / fresh, "times as fast", "no slower", 1.0)
    for size in (6, 8):
        kept, fresh = (
            best_rate(lambda size=size, kind=kind: student_nodes(size, kind)) for kind in (Layered, FreshLayers)
        )  # type: ignore[misc]
        yield Line(f"student:konane_{size} inside the search", kept / MILLION, "million nodes/s", "no limit set", 0.0)
        yield Line(f"its kept sums beside fresh ones, {size}x{size}", kept / fresh, "times as fast", "no slower", 1.0)
    yield Line("perceptron 100-20-1", best_rate(values) / MILLION, "million values/s", "the limit", 1.0)


def selective_nodes() -> int:
    return nodes("chess", selective=True)


def nodes(name: str, *, selective: bool = False) -> int:
    game = find_game(name)
    evaluator = find_evaluator(name, "")
    rng = np.random.default_rng(5)
    position = game.start()
    for _ in range(6):
        moves = game.moves(position)
        position = game.play(position, moves[rng.integers(len(moves))])
    return search(game, position, evaluator, limits=Limits(40, nodes=NODES), selective=selective).nodes


class Fresh(NamedTuple):
    """A perceptron of another type, which keeps no sums."""

    net: Any
    kinds: int
    output_bias: float
    activation: int
    both: int
    scale: float


VALUES[Fresh] = perceptron_value


def judged(name: str, kind: Any) -> int:
    """Return the nodes of a search to depth 4 that a network of 32 units judges, as values learned by watching do."""
    game = find_game(name)
    plan = make_plan(game, NetworkOptions(inputs=("features", "turn"), hidden=32, both=True))
    made = express(plan, np.random.default_rng(3).normal(0, 0.1, plan.length))
    line, rng = game.start(), np.random.default_rng(5)
    for _ in range(10):
        line = game.play(line, game.moves(line)[rng.integers(len(game.moves(line)))])
    return search(game, line, kind(*made), limits=Limits(5 if name == "konane" else 4), selective=False).nodes


class FreshLayers(NamedTuple):
    """Layers of a student of another type, which keep no sums."""

    net: Any
    representation: int
    units: int
    inverse: float
    scale: float


VALUES[FreshLayers] = layered_value


def student_nodes(size: int, kind: Any) -> int:
    """Return the nodes of a search in which a student that ships judges the leaves of a middle game."""
    game = find_game("konane", (size, size))
    line, rng = game.start(), np.random.default_rng(5)
    for _ in range(size):
        line = game.play(line, game.moves(line)[rng.integers(len(game.moves(line)))])
    return search(game, line, kind(*_layers(size)), limits=Limits(10)).nodes


@cache
def _layers(size: int) -> Any:
    return make_player(f"student:konane_{size},depth=10", find_game("konane", (size, size))).evaluator  # type: ignore[attr-defined]


def network() -> Any:
    """Return the network of the Lines of Action thesis, board and nonads folded into its first layer."""
    rng = np.random.default_rng(0)
    inputs = np.vstack([np.hstack([np.eye(64), -np.eye(64)]), np.hstack([nonad_matrix(8), np.zeros((36, 64))])])
    return perceptron(folded(rng.uniform(-0.1, 0.1, (100, 20)), inputs), rng.uniform(-1, 1, 20), rng.uniform(-1, 1, 20))


@kernel
def _evaluate(evaluator: Any, position: Any, times: int) -> float:
    total = 0.0
    for i in range(times):
        total += value(evaluator, position, i & 1 == 0)
    return total


def values() -> int:
    _evaluate(network(), find_game("lines_of_action").start(), 1_000_000)
    return 1_000_000
