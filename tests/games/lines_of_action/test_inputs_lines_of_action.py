"""Boards of Lines of Action as numbers, against plain loops and against the matrix that evaluators use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.boards import decided_successors, encode_successors, find_boards
from understudy.games.lines_of_action.inputs import (
    encode,
    encode_boards,
    find_representation,
    input_count,
    nonad_matrix,
)

NOTHING = np.zeros(1, np.int32)


def plain(position: Any, side: int, *, nonads: bool) -> list[float]:
    own, enemy = (position.mine, position.theirs)[:: 1 if side == 0 else -1]
    cells = [8 * row + column for row in range(position.size) for column in range(position.size)]
    board = [float((int(own) >> cell & 1) - (int(enemy) >> cell & 1)) for cell in cells]
    planes = np.array([int(own) >> cell & 1 for cell in range(64)])
    return board + ((nonad_matrix(position.size) @ planes).tolist() if nonads else [])


@pytest.mark.parametrize("size", [4, 5, 8])
@pytest.mark.parametrize("name", ["board", "nonads"])
def test_boards_are_what_plain_loops_say(size: int, name: str) -> None:
    game, number = find_game("lines_of_action", (size, size)), find_representation(name, size, size)
    width = input_count(number, size, size)
    assert width == size * size + (0 if name == "board" else (size - 2) ** 2)
    line = [position for position, _ in random_line(game, 30, size)]
    for position in line:
        for side in (0, 1):
            out = np.full(width, 9.0, np.float32)
            encode(number, position, side, NOTHING, out)
            assert out.tolist() == pytest.approx(plain(position, side, nonads=name == "nonads"), abs=1e-5)
    rows = np.zeros((len(line), width), np.float32)
    encode_boards(number, stacked(line), NOTHING, rows)
    assert rows[-1].tolist() == pytest.approx(plain(line[-1], 1, nonads=name == "nonads"), abs=1e-5)


def test_successors_are_seen_by_who_moves() -> None:
    game = find_game("lines_of_action", (5, 5))
    codes, rows = np.zeros(game.most_moves, np.int32), np.zeros((game.most_moves, 25), np.float32)
    position = random_line(game, 8, 1)[-1][0]
    width = encode_successors(0, position, codes, NOTHING, rows)
    assert codes[:width].tolist() == game.moves(position)
    for code, row in zip(codes[:width].tolist(), rows, strict=False):
        assert row.tolist() == plain(game.play(position, code), 1, nonads=False)


def test_successors_in_which_the_game_is_over_are_known() -> None:
    game = find_game("lines_of_action", (4, 4))
    codes, out = np.zeros(game.most_moves, np.int32), np.zeros(game.most_moves, np.float32)
    ends = 0
    for seed in range(30):
        position = random_line(game, 60, seed)[-1][0]
        width = decided_successors(position, codes, out)
        for move, share in zip(codes[:width].tolist(), out[:width].tolist(), strict=True):
            outcome = game.outcome(game.play(position, move))
            assert np.isnan(share) if outcome is None else share == (1 - outcome) / 2
            ends += outcome is not None
    assert ends >= 30


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="did you mean 'nonads'"):
        find_representation("nonad", 5, 5)
    with pytest.raises(UnknownName, match="representation of chess 'board'"):
        find_boards("chess").find_representation("board", 8, 8)
