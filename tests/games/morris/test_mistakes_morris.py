"""Every mistake of Nine Men's Morris by hand."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.mistakes import FINE, mistakes_of
from understudy.games.morris.notation import CELLS

GAME = find_game("morris")


def name_mistake(mine: str, theirs: str, hand: int, to: str, origin: str = "", removed: str = "") -> str:
    """Return the mistake of a choice, its cells by name, where stones stand on the cells named."""
    letters = ["M" if cell in mine.split() else "E" if cell in theirs.split() else "O" for cell in CELLS]
    numbers = f"{hand}{hand}{len(mine.split())}{len(theirs.split())}"
    position = GAME.read("".join(letters) + numbers)
    parts = [CELLS.index(cell) + 1 if cell else 0 for cell in (to, origin, removed)]
    kinds = mistakes_of(GAME)
    kind = kinds.classify(stacked([position]), np.array([parts]))[0]
    return "" if kind == FINE else list(kinds.meanings)[kind]


PLACING = ("a7 d7", "a1 d1 b4", 4)
"""A mill on g7 is near: a7, d7; they have nothing in mills."""
SLIDING = ("a7 d7 b6 c3", "a1 d1 g1 f4", 0)
"""They have a mill on the lowest row, and one stone outside."""
FLYING = ("a7 d7 c3", "a1 d1 g1", 0)
"""All their stones stand in one mill, so each may be taken."""


@pytest.mark.parametrize(
    ("stones", "choice", "mistake"),
    [
        (PLACING, ("c5",), ""),
        (PLACING, ("g7", "", "b4"), ""),
        (PLACING, ("",), "no_target"),
        (PLACING, ("a7",), "occupied"),
        (PLACING, ("b4",), "occupied"),
        (PLACING, ("a4", "a7"), "from_while_placing"),
        (PLACING, ("c5", "", "b4"), "removal_without_mill"),
        (PLACING, ("g7",), "no_removal"),
        (PLACING, ("g7", "", "a7"), "removed_own"),
        (PLACING, ("g7", "", "g7"), "removed_own"),
        (PLACING, ("g7", "", "c5"), "removed_empty"),
        (SLIDING, ("g7", "d7"), ""),
        (SLIDING, ("g7",), "no_from"),
        (SLIDING, ("g7", "g4"), "from_empty"),
        (SLIDING, ("a4", "a1"), "from_theirs"),
        (SLIDING, ("g7", "b6"), "not_adjacent"),
        (SLIDING, ("d6", "b6", "f4"), "removal_without_mill"),
        (SLIDING, ("b6", "a7"), "occupied"),
        (FLYING, ("g7", "c3", "d1"), ""),
        (FLYING, ("g4", "c3"), ""),
        (FLYING, ("g7", "c3", "c3"), "removed_empty"),
        (FLYING, ("g7", "c3"), "no_removal"),
        # The stone that closes the line comes from the line itself: no mill.
        (FLYING, ("g7", "d7", "d1"), "removal_without_mill"),
        # A stone outside of mills protects those inside.
        (("a7 d7 g4 c3", "a1 d1 g1 f4", 0), ("g7", "g4", "a1"), "removed_protected"),
        (("a7 d7 g4 c3", "a1 d1 g1 f4", 0), ("g7", "g4", "f4"), ""),
    ],
)
def test_mistakes_of_morris(stones: tuple[str, str, int], choice: tuple[str, ...], mistake: str) -> None:
    assert name_mistake(*stones, *choice) == mistake
