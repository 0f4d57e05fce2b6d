"""Every mistake of Konane by hand, on a board of one word and on one of four."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.games.mistakes import FINE, mistakes_of

GAME = find_game("konane", (6, 6))


def name_mistake(game: CompiledGame, text: str, origin: str, to: str) -> str:
    position = game.read(text) if text else game.start()
    cells, kinds = game.board.cells, mistakes_of(game)
    kind = kinds.classify(stacked([position]), np.array([[cells.index(origin), cells.index(to)]]))[0]
    return "" if kind == FINE else list(kinds.meanings)[kind]


def played(game: CompiledGame, *moves: str) -> str:
    position = game.start()
    for move in moves:
        position = game.play(position, game.read_move(position, move))
    return game.write(position)


OPENING = played(GAME, "c3")
LATER = played(GAME, "c3", "c4", "c1-c3", "e4-c4")
"""Black is to move:

    6 W B W B W B
    5 B W B W B W
    4 W B W . . B
    3 B W B W B W
    2 W B . B W B
    1 B W . W B W
"""


@pytest.mark.parametrize(
    ("text", "origin", "to", "mistake"),
    [
        ("", "a1", "a1", ""),
        ("", "b1", "b1", "from_theirs"),
        ("", "c1", "c3", "opening_jump"),
        ("", "b2", "b2", "opening_cell"),
        (OPENING, "c4", "c4", ""),
        (OPENING, "c3", "c3", "from_empty"),
        (OPENING, "c6", "c6", "opening_cell"),
        (OPENING, "c4", "c2", "opening_jump"),
        (LATER, "b4", "d4", ""),
        (LATER, "b4", "b4", "late_removal"),
        (LATER, "c2", "c4", "from_empty"),
        (LATER, "c4", "e4", "from_theirs"),
        (LATER, "a3", "c3", "from_stuck"),
        (LATER, "f4", "d4", "from_stuck"),
        (LATER, "b4", "c4", "occupied"),
    ],
)
def test_mistakes_of_konane(text: str, origin: str, to: str, mistake: str) -> None:
    assert name_mistake(GAME, text, origin, to) == mistake


@pytest.mark.parametrize(
    ("origin", "to", "mistake"),
    [
        ("c3", "a3", ""),
        ("c3", "e3", ""),
        ("c3", "c5", ""),
        ("c3", "c1", "occupied"),
        ("c3", "d5", "not_in_line"),
        ("c3", "c6", "odd_distance"),
        ("e1", "e3", "from_stuck"),
    ],
)
def test_ways_of_a_jump(origin: str, to: str, mistake: str) -> None:
    # No game leads here, and text would refuse it: one stone that has enemies on all sides, and another far off.
    position = GAME.start()._replace(mine=mask("c3 e1"), theirs=mask("b3 d3 c4 c2 c1"), ply=3)
    assert name_on(position, origin, to) == mistake


def test_ways_of_several_jumps() -> None:
    row = GAME.start()._replace(mine=mask("a1"), theirs=mask("b1"), ply=2)
    assert name_on(row, "a1", "e1") == "nothing_to_jump"
    assert name_on(row._replace(theirs=mask("b1 d1")), "a1", "e1") == ""
    assert name_on(row._replace(mine=mask("a1 c1"), theirs=mask("b1 d1 a2")), "a1", "e1") == "blocked"
    up = GAME.start()._replace(mine=mask("a1"), theirs=mask("a2 a4"), ply=2)
    assert [name_on(up, "a1", to) for to in ("a3", "a5", "a6")] == ["", "", "odd_distance"]


def test_large_boards_make_the_same_mistakes() -> None:
    large = find_game("konane", (10, 10))
    removals = [name_mistake(large, "", cell, cell) for cell in ("a1", "j10", "b2")]
    assert removals == ["", "", "opening_cell"]
    assert name_mistake(large, "", "a10", "a10") == "from_theirs"
    text = played(large, "e5", "e6")
    jumps = [name_mistake(large, text, *choice) for choice in (("e3", "e5"), ("e8", "e6"), ("e6", "e4"))]
    assert jumps == ["", "from_theirs", "from_empty"]


def mask(cells: str) -> np.uint64:
    return np.uint64(sum(1 << GAME.board.cells.index(cell) for cell in cells.split()))


def name_on(position: object, origin: str, to: str) -> str:
    cells, kinds = GAME.board.cells, mistakes_of(GAME)
    kind = kinds.classify(stacked([position]), np.array([[cells.index(origin), cells.index(to)]]))[0]
    return "" if kind == FINE else list(kinds.meanings)[kind]
