"""What looking ahead costs in Konane, beside the cost model of Thompson (2005).

She reckons O(2n^3) for an evaluation of a board of n x n cells and O(2n^3 k^d) for a search of d plies with k moves in
a position, and calls more than four plies too slow to play. Here both are counted: positions that plain minimax visits
against k + k^2 + ... + k^d, and seconds of a core, in which masks of bits have no n^3. NegaScout finds the same moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame, find_game
from understudy.kernels import kernel
from understudy.players.looking import Limits, search
from understudy.search.choosers import make_room
from understudy.search.evaluators import find_evaluator, value
from understudy.search.minimax import minimax
from understudy.search.workspace import NODES

SIZES = (4, 6, 8, 10)
DEPTHS = (1, 2, 3, 4)
FURTHER = 6
"""Plies that NegaScout alone looks ahead: beyond the four that she calls the most in real time."""
POSITIONS = 24
"""Of random games, at any ply with a choice: the same for every depth."""
VALUES = 20_000
REPEATS = 3
"""Of which the fastest counts: others work on the machine, too."""


def lines() -> Iterator[str]:
    for board, cost in facts().items():
        yield (
            f"{board:<6} {cost['moves']:.1f} moves a position; an evaluation {cost['value']:.0f} ns, "
            f"{cost['value_grown']:.2f} times that of 4x4 (2n^3: {cost['value_model']:.1f} times)"
        )
        for depth, one in cost["depths"].items():
            yield (
                f"       {depth} plies: minimax {one['nodes']:.0f} positions, k^d {one['model']:.0f}; "
                f"{one['milliseconds']:.3f} ms a move, NegaScout {one['negascout_milliseconds']:.3f} ms"
            )
        yield f"       {FURTHER} plies: NegaScout {cost['further_milliseconds']:.2f} ms a move"


def facts(sizes: Sequence[int] = SIZES) -> dict[str, Any]:
    """Return what was counted and measured, by board."""
    costs = {f"{size}x{size}": measure(find_game("konane", (size, size))) for size in sizes}
    first = next(iter(costs.values()))["value"]
    for size, cost in zip(sizes, costs.values(), strict=True):
        cost["value_grown"], cost["value_model"] = cost["value"] / first, (size / sizes[0]) ** 3
    return costs


def measure(game: CompiledGame, depths: Sequence[int] = DEPTHS, further: int = FURTHER) -> dict[str, Any]:
    """Return the cost of evaluating and searching random positions of one board."""
    positions = draw(game)
    moves = float(np.mean([len(game.moves(position)) for position in positions]))
    cost: dict[str, Any] = {"moves": moves, "value": 1e9 * _time_value(positions), "depths": {}}
    for depth in depths:
        nodes, seconds = _try_minimax(game, positions, depth)
        cost["depths"][str(depth)] = {
            "nodes": nodes, "model": sum(moves**ply for ply in range(1, depth + 1)), "milliseconds": 1e3 * seconds,
            "negascout_milliseconds": 1e3 * _try_negascout(game, positions, depth),
        }  # fmt: skip
    return cost | {"further_milliseconds": 1e3 * _try_negascout(game, positions, further)}


def draw(game: CompiledGame) -> list[Any]:
    """Return positions of random games in which there is a choice, one of each game."""
    rng, drawn = np.random.default_rng(14), list[Any]()
    while len(drawn) < POSITIONS:
        line = [game.start()]
        while moves := game.moves(line[-1]):
            line.append(game.play(line[-1], moves[rng.integers(len(moves))]))
        choices = [position for position in line[2:] if len(game.moves(position)) > 1]
        if choices:
            drawn.append(choices[rng.integers(len(choices))])
    return drawn


def _time_value(positions: Sequence[Any]) -> float:
    """Return the seconds of an evaluation by the teacher's function."""
    evaluator = find_evaluator("konane", "q")

    def work() -> float:
        return sum(_value_often(evaluator, position, VALUES) for position in positions)

    return _fastest(work) / (VALUES * len(positions))


@kernel
def _value_often(evaluator: Any, position: Any, times: int) -> float:
    """Return the sum of many evaluations; the side that judges alternates, so that none can be left out."""
    total = 0.0
    for place in range(times):
        total += value(evaluator, position, place & 1 == 0)
    return total


def _try_minimax(game: CompiledGame, positions: Sequence[Any], depth: int) -> tuple[float, float]:
    """Return positions visited and seconds of a search, in the mean."""
    evaluator, room = find_evaluator("konane", "q"), make_room(game.most_moves, np.random.default_rng(0))
    values: NDArray[np.float64] = room.values

    def work() -> float:
        room.workspace["tally"][NODES] = 0
        for position in positions:
            minimax(position, evaluator, depth, values, room.workspace)
        return float(room.workspace["tally"][NODES])

    seconds = _fastest(work)
    return work() / len(positions), seconds / len(positions)


def _try_negascout(game: CompiledGame, positions: Sequence[Any], depth: int) -> float:
    """Return the seconds of a search, what it takes to prepare one included, in the mean."""
    evaluator = find_evaluator("konane", "q")

    def work() -> float:
        return sum(search(game, position, evaluator, limits=Limits(depth)).value for position in positions)

    return _fastest(work) / len(positions)


def _fastest(work: Callable[[], float]) -> float:
    """Return the fewest seconds of a core that some work takes; it has run before, so that it is compiled."""
    work()
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return min(seconds)
