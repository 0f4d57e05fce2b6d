"""Every mistake of Lines of Action by hand."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.lines_of_action.notation import LinesOfAction
from understudy.games.mistakes import FINE, mistakes_of

NAMES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
"""Cells as parts number them on every board."""


def name_mistake(size: int, mine: str, theirs: str, origin: str, to: str) -> str:
    game = find_game("lines_of_action", (size, size))
    masks = [np.uint64(sum(1 << NAMES.index(cell) for cell in side.split())) for side in (mine, theirs)]
    position = LinesOfAction(*masks, size, 0, 0)
    kinds = mistakes_of(game)
    kind = kinds.classify(stacked([position]), np.array([[NAMES.index(origin), NAMES.index(to)]]))[0]
    return "" if kind == FINE else list(kinds.meanings)[kind]


MINE, THEIRS = "b1 d1 h8", "b4 e5 g7"
"""On b1: two stones in its row and in its column, one on either diagonal."""


@pytest.mark.parametrize(
    ("origin", "to", "mistake"),
    [
        ("b1", "b3", ""),
        ("b1", "c2", ""),
        ("a1", "a1", "pass"),
        ("a2", "a3", "from_empty"),
        ("b4", "b2", "from_theirs"),
        ("b1", "d1", "own_target"),
        ("d1", "d1", "own_target"),
        ("b1", "c3", "not_in_line"),
        ("b1", "a1", "wrong_distance"),
        ("b1", "b2", "wrong_distance"),
        ("b1", "b4", "wrong_distance"),
        ("b1", "d3", "wrong_distance"),
    ],
)
def test_mistakes_of_lines_of_action(origin: str, to: str, mistake: str) -> None:
    assert name_mistake(8, MINE, THEIRS, origin, to) == mistake


def test_own_stones_are_jumped_over_and_enemies_are_not() -> None:
    assert name_mistake(8, "a1 h7", "b1 g1", "a1", "d1") == "jumps_enemy"
    assert name_mistake(8, "a1 b1 h7", "g1 c8", "a1", "d1") == ""
    assert name_mistake(8, "a1 h7", "d1 g1", "a1", "d1") == ""


def test_a_stone_without_a_move() -> None:
    # Wherever a1 would go, two cells away, an own stone stands.
    stones = ("a1 c1 a3 c3", "f8 h6")
    assert name_mistake(8, *stones, "a1", "b1") == "from_stuck"
    assert name_mistake(8, *stones, "a1", "c1") == "from_stuck"


def test_cells_beyond_a_small_board() -> None:
    stones = ("b1 d3", "a3 e2")
    assert name_mistake(5, *stones, "b1", "f5") == "off_board"
    assert name_mistake(5, *stones, "h8", "b2") == "from_empty"
    assert name_mistake(5, *stones, "b1", "b2") == ""


def test_a_pass_is_right_where_nothing_else_is() -> None:
    stuck = ("a1 e5", "a2 b1 b2 d5 e4 d4")
    assert name_mistake(5, *stuck, "a1", "a1") == ""
    assert name_mistake(5, *stuck, "e5", "e3") == "from_stuck"
