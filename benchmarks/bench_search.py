"""Nodes a second of the search, and values a second of a network inside it, on one core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.games import find_game, find_kind
from understudy.games.lines_of_action.inputs import nonad_matrix
from understudy.kernels import kernel
from understudy.players.looking import Limits, search
from understudy.search.evaluators import find_evaluator, value
from understudy.search.evaluators.perceptron import folded, perceptron

MILLION = 1e6
NODES = 2_000_000


def lines() -> Iterator[Line]:
    for name, least in (("morris", 5.0), ("konane", 1.0), ("lines_of_action", 1.0), ("chess", 1.0)):
        rate = best_rate(lambda name=name: nodes(name)) / MILLION  # type: ignore[misc]
        goal = "the limit" if name == "morris" else "1 million (no limit set)"
        yield Line(f"search {name}, evaluator {find_kind(name).usual_evaluator}", rate, "million nodes/s", goal, least)
    yield Line("selective search chess", best_rate(selective_nodes) / MILLION, "million nodes/s", "no limit set", 0.3)
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
