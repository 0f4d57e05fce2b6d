"""How far a mutation moves each weight: as far as is usual for its unit, less far where its input varies much.

Inputs are of very different size: in Lines of Action the sum over the corners differs by two between the sides, the
mean distance by an eighth. With steps of one size all is shaken that cells tell before a distance is heard.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import stacked
from understudy.games.rows import features_of
from understudy.games.rules import turn
from understudy.search.evaluators.chromosome import Plan
from understudy.search.evaluators.perceptron import count_all
from understudy.trainers.evolution.arena import Stage
from understudy.trainers.evolution.breeding import Alleles, usual_weights

SAMPLE, LONGEST = 1000, 60
"""Positions of random games that are looked at, and plies after which such a game begins anew: later ones wander."""
LEAST = 0.1
"""No input counts as varying less: a threat is rare in random games, and not for those who seek it."""


def scales_of(stage: Stage, *, scaled: bool) -> Alleles:
    """Return how far a step of 1 moves each allele; *scaled*: less far where inputs vary much."""
    plan = stage.plan()
    usual = usual_weights(plan.fan_in())
    if not scaled:
        return usual
    spreads = np.maximum(_spreads(stage), LEAST)
    steps: Alleles = usual / np.append(np.repeat(spreads, plan.hidden), np.ones(2 * plan.hidden + 1))
    return steps


@lru_cache(maxsize=8)
def _spreads(stage: Stage) -> NDArray[np.float64]:
    """Return the root mean square of what each row of alleles is multiplied with: a difference where both views are."""
    game, plan = stage.board(), stage.plan()
    positions = _random_positions(game)
    mine = _inputs(game, plan, positions, turned=False)
    seen = mine - _inputs(game, plan, positions, turned=True) if plan.both else mine
    sums = np.zeros((plan.rows, len(positions)))
    np.add.at(sums, plan.classes, seen.T)
    spreads: NDArray[np.float64] = np.sqrt((sums**2).mean(axis=1))
    return spreads


def _random_positions(game: CompiledGame) -> list[Any]:
    rng, position = np.random.default_rng(0), game.start()
    positions: list[Any] = []
    while len(positions) < SAMPLE:
        moves = game.moves(position) if len(positions) % LONGEST and game.outcome(position) is None else []
        position = game.play(position, moves[rng.integers(len(moves))]) if moves else game.start()
        positions.append(position)
    return positions


def _inputs(game: CompiledGame, plan: Plan, positions: list[Any], *, turned: bool) -> NDArray[np.float64]:
    """Return all inputs of positions, as the side to move sees them or, *turned*, the other one."""
    inputs, width = plan.inputs, plan.inputs.width
    held = features_of(stacked([turn(one) for one in positions] if turned else positions), game.feature_count)
    numbers = np.zeros((len(positions), 2 * width), np.float32)
    if inputs.kinds:
        count_all(stacked(positions), inputs.kinds, numbers)
    sides = np.roll(numbers, -width, axis=1) if turned else numbers
    return np.hstack([held @ inputs.linear.T + inputs.empty, sides[:, list(inputs.counted)]])
