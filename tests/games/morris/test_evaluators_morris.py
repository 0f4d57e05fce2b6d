"""The hand-made Morris evaluator against counts by name, line by line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import MORRIS_LINES, random_line
from understudy.games import find_game, rules
from understudy.games.morris.evaluators import HANDMADE, PHASES, TERMS, Phased
from understudy.games.morris.notation import BIT, CELLS
from understudy.search.evaluators import value

GAME = find_game("morris")
LINES = [set(line) for line in MORRIS_LINES]
BESIDE = {
    a: {GAME.board.cells[y if x == i else x] for x, y in GAME.board.lines if i in (x, y)} for i, a in enumerate(CELLS)
}


def cells(mask: Any) -> set[str]:
    return {CELLS[number - 1] for number in range(1, 25) if int(mask) >> (BIT[number] - 1) & 1}


def terms(mine: set[str], empty: set[str], hand: int) -> dict[str, int]:
    """Count every term of one side with sets of names."""
    milled = {cell for line in LINES if line <= mine for cell in line}
    completing = {cell for line in LINES for cell in line if cell in empty and line - {cell} <= mine}
    twos = sum(len(line & mine) == 2 and len(line & empty) == 1 for line in LINES)
    free = hand > 0 or len(mine) == 3

    def closable(cell: str) -> bool:
        return free or any(
            any(cell in line and line - {cell} <= mine - {origin} for line in LINES) for origin in BESIDE[cell] & mine
        )

    return {
        "stones": len(mine) + hand,
        "mills": sum(line <= mine for line in LINES),
        "double_mills": sum(bool(BESIDE[cell] & completing) for cell in milled),
        "open_twos": twos,
        "forks": max(twos - 1, 0),
        "threats": sum(closable(cell) for cell in completing),
        "mobility": sum(len(BESIDE[cell] & empty) for cell in mine),
        "blocked": -sum(not BESIDE[cell] & empty for cell in mine),
        "junctions": len(mine & {"d6", "b4", "f4", "d2"}),
    }


def test_every_term_is_counted_as_by_hand() -> None:
    seen = dict.fromkeys(PHASES, 0)
    for seed in range(40):
        for position, _ in random_line(GAME, 100, seed)[::3]:
            mine, theirs = cells(position.mine), cells(position.theirs)
            empty = set(CELLS) - mine - theirs
            placing = position.hand > 0 or position.their_hand > 0
            phase = 0 if placing else 2 if 3 in (len(mine), len(theirs)) else 1
            own, other = terms(mine, empty, position.hand), terms(theirs, empty, position.their_hand)
            expected = {**{term: own[term] - other[term] for term in own}, "ready": int(own["threats"] > 0)}
            for place, term in enumerate(TERMS):
                weights = np.zeros((3, len(TERMS)))
                weights[phase, place] = 1.0
                assert value(Phased(weights, 1.0), position, True) == expected[term], term
            seen[PHASES[phase]] += 1
    assert min(seen.values()) > 30


def test_the_value_is_antisymmetric_but_for_who_is_ready() -> None:
    weights = HANDMADE.weights.copy()
    weights[:, TERMS.index("ready")] = 0
    plain = Phased(weights, HANDMADE.scale)
    for position, _ in random_line(GAME, 100, 5):
        assert value(plain, position, True) == pytest.approx(-value(plain, rules.turn(position), True))
        assert value(HANDMADE, position, True) == value(HANDMADE, position, False)


def test_the_value_is_the_same_for_all_images() -> None:
    for position, move in random_line(GAME, 60, 6)[::5]:
        values = {round(value(HANDMADE, image, True), 6) for image, _ in GAME.symmetries(position, move)[:8]}
        assert len(values) == 1
