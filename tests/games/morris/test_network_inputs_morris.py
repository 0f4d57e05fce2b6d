"""What networks inside the search count of Morris, against counts by name, and the turns of its features."""

from __future__ import annotations

import numpy as np

from tests.conftest import random_line
from tests.games.morris.test_evaluators_morris import GAME, cells, terms
from understudy.games.batches import stacked
from understudy.games.morris.network_inputs import SHAPE, TURN, turns
from understudy.games.morris.notation import CELLS
from understudy.games.rows import features_of
from understudy.search.evaluators.perceptron import count_all

FACTORS = {
    "stones": 0.25, "mills": 0.5, "double_mills": 0.5, "open_twos": 0.25, "forks": 0.25, "threats": 0.5, "ready": 1.0,
    "mobility": 0.125, "blocked": -0.25, "junctions": 0.5, "placing": 1.0, "flying": 1.0,
}  # fmt: skip
"""In the order of the numbers; `terms` counts blocked stones as a loss."""


def test_every_number_is_counted_as_by_hand() -> None:
    positions = [position for seed in range(12) for position, _ in random_line(GAME, 120, seed)[::4]]
    out = np.zeros((len(positions), 2 * 13), np.float32)
    count_all(stacked(positions), TURN | SHAPE, out)
    flying = 0
    for position, row in zip(positions, out, strict=True):
        sides = (cells(position.mine), position.hand), (cells(position.theirs), position.their_hand)
        empty = set(CELLS) - sides[0][0] - sides[1][0]
        for place, (own, hand) in enumerate(sides):
            counts = terms(own, empty, hand)
            flies = hand == 0 and len(own) <= 3
            flying += flies
            counts |= {"ready": int(place == 0 and counts["threats"] > 0)}
            counts |= {"placing": int(hand > 0), "flying": int(flies)}
            told = row[13 * place : 13 * (place + 1)]
            assert told[0] == (place == 0)
            assert told[1:].tolist() == [counts[name] * factor for name, factor in FACTORS.items()]
    assert flying > 10


def test_turns_of_features_are_features_of_turned_positions() -> None:
    positions = [position for position, _ in random_line(GAME, 60, 4)]
    plain = features_of(stacked(positions), count=66)
    for number, turn in enumerate(turns(7)):
        turned = features_of(stacked([GAME.symmetries(position, 0)[number][0] for position in positions]), count=66)
        assert np.array_equal(turned[:, turn], plain)
