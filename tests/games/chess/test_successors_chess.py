"""What the rules say of successors, against the rules as a match asks them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.games import find_game
from understudy.games.chess.batches import DRAW, GOES_ON, MATE, rule_successors
from understudy.search.workspace import named

GAME = find_game("chess")

FENS = (
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1",  # a mate
    "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1",  # mates and stalemates
    "8/8/8/3n4/8/2k5/8/K6B w - - 0 1",  # a capture that leaves too little
    "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 99 90",  # fifty moves, but for the mate
)


def expected(position: object, move: int) -> int:
    after = GAME.play(position, move)
    outcome = GAME.outcome(after)
    if outcome is not None:
        return MATE if outcome == -1 else DRAW
    return DRAW if GAME.drawn(after) else GOES_ON


@pytest.mark.parametrize("seed", range(-len(FENS), 12))
def test_ends_and_names_are_those_of_the_rules(seed: int) -> None:
    line = [GAME.read(FENS[seed])] if seed < 0 else [position for position, _ in random_line(GAME, 300, seed)]
    for position in line[-40:]:
        codes = np.array(GAME.moves(position), np.int32)
        names, ends = np.zeros(len(codes), np.uint64), np.full(len(codes), -1, np.int8)
        rule_successors(position, codes, names, ends)
        assert ends.tolist() == [expected(position, move) for move in codes.tolist()]
        assert names.tolist() == [int(named(GAME.play(position, move))) for move in codes.tolist()]
