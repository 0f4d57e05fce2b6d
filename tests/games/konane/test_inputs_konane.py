"""Representations of Konane boards: the source's worked example as our reading corrects it, and what holds for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.boards import SCRATCH, encode_successors
from understudy.games.konane.inputs import (
    REPRESENTATIONS,
    encode,
    find_representation,
    input_cells,
    input_count,
)

# The worked example of the source's section 5.1.2, cells numbered 1 to 16 from Black's corner. Cell 14 is empty: with
# the stone that is printed there the position could not arise, without it the source's first game on 4x4 reaches it.
STONES = "B . . W  W B . B  B . B W  W . W B".split()


def letters(game: CompiledGame, position: object) -> list[str]:
    return [{"black": "B", "white": "W"}.get(stone, ".") for stone in game.stones(position)]


def seen(game: CompiledGame, name: str, side: int, position: object) -> list[float]:
    number = find_representation(name, *game.size)
    out = np.full(input_count(number, *game.size), 9.0, np.float32)
    encode(number, position, side, np.zeros(SCRATCH, np.int32), out)
    return [float(one) for one in out]


def worked_example() -> tuple[CompiledGame, object]:
    game = find_game("konane", (4, 4))
    position = game.start()
    for numbers in ((1,), (5,), (3, 1), (7, 5), (14, 6)):
        cells = [game.board.cells[number - 1] for number in numbers]
        position = game.play(position, game.read_move(position, "-".join(cells)))
    assert letters(game, position) == STONES
    return game, position


BLACK = {
    "A": "1 .5 .5 0 0 1 .5 1 1 .5 1 0 0 .5 0 1",
    "B": "1 0 1 1 1 1 0 1  0 1 1 0 0 1 1 1",
    "C": "1 0 0 0 0 1 0 1 1 0 1 0 0 0 0 1  0 0 0 1 1 0 0 0 0 0 0 1 1 0 1 0",
}
WHITE = {
    "A": "0 .5 .5 1 1 0 .5 0 0 .5 0 1 1 .5 1 0",
    "B": "0 1 1 0 0 1 1 1  1 0 1 1 1 1 0 1",
    "C": "0 0 0 1 1 0 0 0 0 0 0 1 1 0 1 0  1 0 0 0 0 1 0 1 1 0 1 0 0 0 0 1",
}


@pytest.mark.parametrize("name", ["A", "B", "C"])
def test_the_worked_example_of_the_source(name: str) -> None:
    game, position = worked_example()  # White is to move, so Black is the other side
    assert seen(game, name, 1, position) == [float(one) for one in BLACK[name].split()]
    assert seen(game, name, 0, position) == [float(one) for one in WHITE[name].split()]


def random_position(game: CompiledGame, plies: int, seed: int) -> object:
    rng, position = np.random.default_rng(seed), game.start()
    for _ in range(plies):
        moves = game.moves(position)
        if not moves:
            break
        position = game.play(position, moves[rng.integers(len(moves))])
    return position


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (5, 7), (8, 8), (10, 10), (14, 14)])
@pytest.mark.parametrize("plies", [0, 1, 7, 12])
def test_representations_say_the_same_on_any_board(size: tuple[int, int], plies: int) -> None:
    game = find_game("konane", size)
    position = random_position(game, plies, seed=plies)
    cells = size[0] * size[1]
    stones = letters(game, position)
    for side in (0, 1):
        own = game.colours[(position.ply + side) % 2]  # type: ignore[attr-defined]
        a, b, c = (np.array(seen(game, name, side, position)) for name in "ABC")
        letter = {"black": "B", "white": "W"}[own]
        mine = np.array([stone == letter for stone in stones])
        taken = np.array([stone != "." for stone in stones])
        assert np.array_equal(c[:cells] == 1, mine) and np.array_equal(c[cells:] == 1, taken & ~mine)
        assert np.array_equal(a, np.where(mine, 1, np.where(taken, 0, 0.5)))
        assert np.array_equal(seen(game, "A_signed", side, position), 2 * a - 1)
        start = np.array([stone == letter for stone in letters(game, game.start())])
        assert np.array_equal(b == 1, np.concatenate([taken[start], taken[~start]]))


def mirrored(mask: int, rows: int, columns: int) -> np.uint64:
    turned = [row * columns + columns - 1 - column for row in range(rows) for column in range(columns)]
    return np.uint64(sum(1 << turned[cell] for cell in range(rows * columns) if int(mask) >> cell & 1))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("size", [(4, 4), (6, 6), (8, 8), (3, 6)])
def test_d_shows_both_colours_alike_and_who_can_move(size: tuple[int, int], side: int) -> None:
    """Mirroring a board left for right exchanges the colours, so what Black sees of one White sees of the other."""
    game = find_game("konane", size)
    position: Any = random_position(game, 6, seed=3)
    mine, theirs = (mirrored(mask, *size) for mask in (position.mine, position.theirs))
    other = position._replace(mine=mine, theirs=theirs, ply=position.ply + 1)
    first, cells = seen(game, "D", side, position), size[0] * size[1]
    assert first == seen(game, "D", side, other)
    movable = {game.parts(move)[0] for move in game.moves(position)}
    place = cells if side == 0 else cells + cells // 2
    assert sum(first[place : place + cells // 2]) == len(movable)


def test_successors_are_seen_by_who_moved() -> None:
    game = find_game("konane", (6, 6))
    position = random_position(game, 8, seed=1)
    codes, scratch = np.zeros(game.most_moves, np.int32), np.zeros(SCRATCH, np.int32)
    out: NDArray[np.float32] = np.zeros((game.most_moves, 72), np.float32)
    width = encode_successors(2, position, codes, scratch, out)
    assert codes[:width].tolist() == game.moves(position)
    for place, move in enumerate(game.moves(position)):
        assert out[place].tolist() == seen(game, "C", 1, game.play(position, move))


def test_each_input_is_about_a_cell() -> None:
    game = find_game("konane", (6, 6))
    position = random_position(game, 10, seed=2)
    black = position.ply % 2  # type: ignore[attr-defined]
    stones = letters(game, position)
    for name in ("A", "A_signed", "C", "D"):
        cells = input_cells(REPRESENTATIONS.index(name), 6, 6)
        values = np.array(seen(game, name, black, position))
        if name == "A":
            assert all((value == 0.5) == (stones[cell] == ".") for value, cell in zip(values, cells, strict=True))
        else:
            assert all(stones[cell] != "." for value, cell in zip(values, cells, strict=True) if value)


def test_bad_representations() -> None:
    with pytest.raises(UnknownName, match="no representation of konane 'Z'"):
        find_representation("Z", 4, 4)
    with pytest.raises(BadOption, match=r"representation D needs an even number of columns.*5x5"):
        find_representation("D", 5, 5)


def test_e_adds_the_directions_of_jumps() -> None:
    game = find_game("konane", (6, 6))
    for seed in range(6):
        position: Any = random_position(game, 9 + seed, seed=seed)
        for side in (0, 1):
            d, e = seen(game, "D", side, position), seen(game, "E", side, position)
            assert e[:72] == d and len(e) == 216
            directions = np.array(e[72:]).reshape(36, 4)
            own = directions[:18] if side == 0 else directions[18:]  # of the side to move
            jumps = {(game.parts(move)[0], _way(*game.parts(move))) for move in game.moves(position)}
            assert own.sum() == len(jumps)


def _way(origin: int, to: int) -> str:
    if abs(to - origin) < 6:
        return "left" if to < origin else "right"
    return "down" if to < origin else "up"


@pytest.mark.parametrize("side", [0, 1])
def test_e_shows_both_colours_alike(side: int) -> None:
    game = find_game("konane", (6, 6))
    position: Any = random_position(game, 11, seed=8)
    mine, theirs = (mirrored(mask, 6, 6) for mask in (position.mine, position.theirs))
    other = position._replace(mine=mine, theirs=theirs, ply=position.ply + 1)
    assert seen(game, "E", side, position) == seen(game, "E", side, other)
