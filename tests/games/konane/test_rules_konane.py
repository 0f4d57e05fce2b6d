"""Konane against its truths, against rules written a second time in plain Python, and in text."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.errors import BadOption, IllegalMove, NotationError, UnknownName
from understudy.games import find_game, rules
from understudy.games.game import CompiledGame
from understudy.games.konane import large as konane_large
from understudy.games.konane import notation
from understudy.games.konane import rules as konane
from understudy.kernels import interpreted
from understudy.protocols import Outcome

PERFT = {
    4: (4, 12, 16, 52, 120, 376, 972, 2808, 6124),
    6: (4, 12, 28, 156, 668, 4192, 22676, 162288, 1030412),
    8: (4, 12, 28, 172, 892, 7124, 52044, 508088),
}
SIZES = [(4, 4), (5, 5), (6, 5), (8, 8), (3, 20), (2, 32), (32, 2), (2, 3), (10, 10), (14, 14)]
FIGURE_2 = """
B W B W B W B .
W B . . . . W B
B . B . . W . W
W . W . W B W .
B W B . . W . .
W B W B . . W B
B . B . B W . .
W . . B W B W B
"""
"""The source's rows, whose first is our lowest."""


def game(rows: int, columns: int) -> CompiledGame:
    return find_game("konane", (rows, columns))


def perft(position: Any, depth: int) -> int:
    return int(rules.perft(position, depth, np.empty((depth, konane_large.MOST_MOVES), np.int32)))


# The rules once more: a board is a dict from (row, column) to a letter.

Stones = dict[tuple[int, int], str]
AROUND = ((-1, 0), (0, -1), (0, 1), (1, 0))


def full(rows: int, columns: int) -> Stones:
    return {(r, c): "BW"[(r + c) % 2] for r in range(rows) for c in range(columns)}


def plain_moves(stones: Stones, rows: int, columns: int, side: str) -> list[list[tuple[int, int]]]:
    """Return each move as the cells it visits: one for a removal."""
    holes = rows * columns - len(stones)
    own = sorted(cell for cell, letter in stones.items() if letter == side)
    if holes == 0:
        ends = [{0, rows - 1}, {0, columns - 1}]
        middles = [{(rows - 1) // 2, rows // 2}, {(columns - 1) // 2, columns // 2}]
        return [[(r, c)] for r, c in own if any(r in a and c in b for a, b in (ends, middles))]
    if holes == 1:
        board = full(rows, columns)
        return [[(r, c)] for r, c in own if any((r + a, c + b) in board.keys() - stones.keys() for a, b in AROUND)]
    return [walk for cell in own for way in AROUND for walk in walks(stones, rows, columns, cell, way)]


def walks(
    stones: Stones, rows: int, columns: int, cell: tuple[int, int], way: tuple[int, int]
) -> list[list[tuple[int, int]]]:
    path = [cell]
    paths: list[list[tuple[int, int]]] = []
    while True:
        (r, c), (a, b) = path[-1], way
        over, to = (r + a, c + b), (r + 2 * a, c + 2 * b)
        on_board = 0 <= to[0] < rows and 0 <= to[1] < columns
        if not on_board or to in stones or stones.get(over, stones[cell]) == stones[cell]:
            return paths
        path = [*path, to]
        paths.append(path)


def plain_play(stones: Stones, path: list[tuple[int, int]]) -> Stones:
    after = dict(stones)
    letter = after.pop(path[0])
    for (r, c), (s, d) in pairwise(path):
        del after[(r + s) // 2, (c + d) // 2]
    if len(path) > 1:
        after[path[-1]] = letter
    return after


def plain_text(stones: Stones, rows: int, columns: int, side: str) -> str:
    lines = ("".join(stones.get((r, c), ".") for c in range(columns)) for r in reversed(range(rows)))
    return f"{'/'.join(lines)} {side}"


@pytest.mark.parametrize("size", SIZES)
def test_random_games_follow_the_plain_rules(size: tuple[int, int]) -> None:
    rows, columns = size
    board, dice = game(rows, columns), random.Random(rows * 100 + columns)
    for _ in range(1 if interpreted() else 12):
        position, stones, side = board.start(), full(rows, columns), "B"
        while True:
            assert board.write(position) == plain_text(stones, rows, columns, side)
            paths = {
                (path[0][0] * columns + path[0][1]) << 8 | path[-1][0] * columns + path[-1][1]: path
                for path in plain_moves(stones, rows, columns, side)
            }
            codes = board.moves(position)
            assert codes == sorted(paths)
            assert rules.count(position) == len(codes) <= board.most_moves
            assert rules.movable(position) == bool(codes)
            if not codes:
                break
            move = dice.choice(codes)
            position, stones, side = board.play(position, move), plain_play(stones, paths[move]), "WB"["BW".index(side)]
        assert board.outcome(position) is Outcome.LOSS
        assert board.reason(position) == "no move" and board.drawn(position) is None
        assert position.ply < board.conventions.ply_limit


@pytest.mark.parametrize("size", sorted(PERFT))
def test_perft(size: int) -> None:
    for depth, nodes in enumerate(PERFT[size], 1):
        if not interpreted() or nodes < 200:
            assert perft(game(size, size).start(), depth) == nodes


@pytest.mark.parametrize("size", sorted(PERFT))
def test_perft_of_the_kernels_for_large_boards(size: int) -> None:
    for depth, nodes in enumerate(PERFT[size], 1):
        if nodes < (100 if interpreted() else 200_000):
            assert perft(konane_large.start(size, size), depth) == nodes


def test_both_sets_of_kernels_agree() -> None:
    dice = random.Random(3)
    for _ in range(2 if interpreted() else 30):
        small, large = konane.start(8, 8), konane_large.start(8, 8)
        while rules.movable(small):
            codes, others = codes_of(small), codes_of(large)
            assert codes == others and rules.count(large) == len(codes) and rules.movable(large)
            for side in (0, 1):
                for name in ("pieces", "jumps", "movable_stones", "template_removals"):
                    assert getattr(konane, name)(small, side) == getattr(konane_large, name)(large, side)
            assert [i % 196 + i // 196 * 64 for i in features_of(large)] == features_of(small)
            move = dice.choice(codes)
            small, large = rules.play(small, move), rules.play(large, move)
            assert notation.write(large) == notation.write(small)
            assert rules.turn(rules.turn(large))._replace(ply=large.ply) == large
        assert not rules.movable(large) and rules.count(large) == 0


def codes_of(position: Any) -> list[int]:
    out = np.empty(konane_large.MOST_MOVES, np.int32)
    return [int(code) for code in out[: rules.moves(position, out)]]


def features_of(position: Any) -> list[int]:
    out = np.empty(konane_large.FEATURES, np.int32)
    return [int(feature) for feature in out[: rules.features(position, out)]]


def test_figure_2() -> None:
    board = game(8, 8)
    rows = ["".join(line.split()) for line in FIGURE_2.split("\n") if line]
    position = board.read("/".join(reversed(rows)) + " B")
    moves = {board.write_move(position, move) for move in board.moves(position)}
    assert len(moves) == 14
    jumps = [(6, 5, 6, 7), (6, 5, 8, 5), (6, 5, 4, 5), (6, 5, 6, 3), (7, 8, 7, 6), (7, 8, 7, 4), (7, 8, 7, 2)]
    assert moves >= {"-".join(f"{'abcdefgh'[x - 1]}{9 - y}" for x, y in ((a, b), (c, d))) for a, b, c, d in jumps}


def replayed(board: CompiledGame, cells: list[tuple[int, int]]) -> Any:
    """Play moves between cells numbered from 1, as the source does on 4x4."""
    position = board.start()
    for origin, to in cells:
        position = board.play(position, (origin - 1) << 8 | to - 1)
    return position


def test_the_first_game_of_the_source() -> None:
    board, cells = game(4, 4), [(1, 1), (5, 5), (3, 1), (7, 5), (14, 6), (15, 7)]
    assert board.outcome(replayed(board, cells)) is Outcome.LOSS
    assert [len(board.moves(replayed(board, cells[:ply]))) for ply in (2, 4)] == [1, 1]


def test_the_second_game_of_the_source() -> None:
    board = game(4, 4)
    cells = [(11, 11), (7, 7), (9, 11), (12, 10), (1, 9), (13, 5), (3, 1), (10, 2)]
    assert board.moves(replayed(board, cells)) == [0 << 8 | 2, 0 << 8 | 8]
    for ending in ([(1, 9), (15, 13)], [(1, 3), (4, 2)], [(1, 3), (15, 13)]):
        assert board.outcome(replayed(board, cells + ending)) is Outcome.LOSS
    assert (16 - 1) << 8 | 8 - 1 in board.moves(replayed(board, [*cells, (1, 9), (4, 12)]))


def test_every_position_of_4x4() -> None:
    fresh = set(successors(successors({konane.start(4, 4)})))
    seen: set[Any] = set()
    while fresh:
        seen |= {position._replace(ply=2 + position.ply % 2) for position in fresh}
        fresh = {position for position in successors(fresh) if position._replace(ply=2 + position.ply % 2) not in seen}
    lost = [position for position in seen if rules.count(position) == 0]
    assert (len(seen), len(lost), sum(position.ply == 2 for position in lost)) == (3858, 406, 256)
    assert len({int(rules.key(position)) for position in seen}) == 3858


def successors(positions: set[Any]) -> set[Any]:
    return {rules.play(position, move) for position in positions for move in codes_of(position)}


@cache
def wins(position: Any) -> bool:
    return any(not wins(rules.play(position, move)) for move in codes_of(position))


def test_white_wins_4x4_whatever_black_removes() -> None:
    board = game(4, 4)
    start = board.start()
    assert not wins(start)
    replies = {
        removed: {board.write_move(after, move): not wins(rules.play(after, move)) for move in board.moves(after)}
        for removed in ("a1", "b2", "c3", "d4")
        if (after := rules.play(start, board.read_move(start, removed)))
    }
    assert replies["a1"] == {"b1": True, "a2": True} and replies["d4"] == {"c4": True, "d3": True}
    assert replies["b2"] == {"b1": False, "a2": False, "c2": True, "b3": True}
    assert replies["c3"] == {"c2": True, "b3": True, "d3": False, "c4": False}


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
def test_black_wins_5x5_whatever_it_removes() -> None:
    board = game(5, 5)
    assert all(not wins(rules.play(board.start(), move)) for move in board.moves(board.start()))


def test_openings() -> None:
    texts = {
        (8, 8): "a1 d4 e5 h8",
        (5, 5): "a1 e1 c3 a5 e5",
        (3, 5): "a1 e1 a3 e3",
        (4, 6): "a1 c3 d2 f4",
        (3, 3): "a1 c1 b2 a3 c3",
    }
    for size, text in texts.items():
        board = game(*size)
        start = board.start()
        assert sorted(board.write_move(start, move) for move in board.moves(start)) == sorted(text.split())
    board = game(8, 8)
    after = board.play(board.start(), board.read_move(board.start(), "d4"))
    assert [board.write_move(after, move) for move in board.moves(after)] == ["d3", "c4", "e4", "d5"]


@pytest.mark.parametrize(
    "text",
    [
        "......./W....../......B B",  # in each an enemy has the next number and an empty cell the one after it
        "B....../......W/....... B",
        "......./.....BW/....... B",
        "......./WB...../....... B",
        "B....../......W/....... W",
    ],
)
def test_jumps_do_not_wrap_round_the_edge(text: str) -> None:
    assert game(3, 7).moves(game(3, 7).read(text)) == []


def test_long_jumps_stop_anywhere() -> None:
    board = game(2, 9)
    position = board.read("........./BW.W.W.W. B")
    assert [board.write_move(position, move) for move in board.moves(position)] == ["a1-c1", "a1-e1", "a1-g1", "a1-i1"]
    after = board.play(position, board.read_move(position, "a1-e1"))
    assert board.write(after) == "........./....BW.W. W"


@pytest.mark.parametrize("size", SIZES)
def test_symmetries_keep_moves_and_colours(size: tuple[int, int]) -> None:
    board, dice = game(*size), random.Random(8)
    position = board.start()
    expected = {(4, 4): 4, (5, 5): 8, (6, 5): 2, (3, 20): 2, (2, 32): 2, (10, 10): 4}
    for _ply in range(12):
        moves = board.moves(position)
        if not moves:
            break
        images = [board.symmetries(position, move) for move in moves]
        assert images[0][0] == (position, moves[0])
        assert len(images[0]) == expected.get(size, len(images[0]))
        for i, (image, _) in enumerate(images[0]):
            assert board.moves(image) == sorted(pairs[i][1] for pairs in images)
            assert board.write(image) == board.write(board.read(board.write(image)))
        position = board.play(position, dice.choice(moves))


@pytest.mark.parametrize("size", SIZES)
def test_text_round_trips(size: tuple[int, int]) -> None:
    board, dice = game(*size), random.Random(9)
    position = board.start()
    while moves := board.moves(position):
        again = board.read(board.write(position))
        assert (again.mine, again.theirs, again.ply % 2) == (position.mine, position.theirs, position.ply % 2)
        assert board.key(again) == board.key(position)
        for move in dice.sample(moves, min(3, len(moves))):
            text = board.write_move(position, move)
            for form in (text, text.upper(), text.replace("-", ""), text.replace("-", "x"), f" {text} "):
                assert board.read_move(position, form) == move
            assert notation.joined(board.parts(move)) == move
            assert all(part < most for part, most in zip(board.parts(move), board.part_sizes, strict=True))
        position = board.play(position, dice.choice(moves))


def test_start_in_text() -> None:
    board = game(4, 4)
    assert board.write(board.start()) == "WBWB/BWBW/WBWB/BWBW B"
    assert board.read("WBWB/BWBW/WBWB/BWBW B") == board.start()
    assert board.stones(board.start())[:5] == ("black", "white", "black", "white", "white")
    assert board.read("WBWB/BWBW/WBWB/.WBW W").ply == 1
    assert board.board.cells[:5] == ("a1", "b1", "c1", "d1", "a2") and board.board.places[4] == (0.0, 1.0)


BAD = {
    "": "expected rows",
    "WBWB/BWBW/WBWB/BWBW": "expected rows",
    "WBWB/BWBW/WBWB/BWBW X": "expected rows",
    "WBWB/BWBW/WBWB B": "expected 4 rows of 4 cells",
    "WBWBW/BWB/WBWB/BWBW B": "expected 4 rows of 4 cells",
    "BWBW/BWBW/WBWB/BWBW B": "other colour",
    "WBWB/BWBW/WBWB/BWBW W": "black is to move",
    "WBWB/BWBW/WBWB/.WBW B": "white is to move",
    "WBWB/BWBW/WBWB/BW.W W": "may be removed there first",
    "WBWB/BWBW/WBWB/B.BW W": "may be removed there first",
    "WBWB/BWBW/WBW./.WBW B": "cannot have lost 2 stones and white 0",
    "WBWB/BWB./WBWB/.WBW B": "cannot be the first two removed",
    "WBWB/BWBW/WBWB/..BW W": "cannot have lost 1 stones and white 1",
    "WBWB/BWBW/WB.B/..BW B": "cannot have lost 1 stones and white 2",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_positions(text: str) -> None:
    with pytest.raises(NotationError, match=r"^konane position ") as caught:
        game(4, 4).read(text)
    assert BAD[text] in str(caught.value)


@settings(max_examples=200)
@given(st.text(alphabet="BW./ bwx1a-\n٣ſK", max_size=24))
def test_any_text_is_read_or_refused(text: str) -> None:
    board = game(4, 4)
    for reader in (board.read, lambda given: board.read_move(board.start(), given)):
        try:
            assert reader(text) is not None
        except (NotationError, IllegalMove) as error:
            assert "konane" in str(error)


@pytest.mark.parametrize(
    "text", ["", "a", "1", "a0", "a01", "i1", "a9", "a1-", "a1-a1", "a1--c1", "a1-c1-e1", "xa1", "aa1"]
)
def test_bad_moves(text: str) -> None:
    with pytest.raises(NotationError, match=r"^konane move "):
        game(8, 8).read_move(game(8, 8).start(), text)
    with pytest.raises(IllegalMove):
        game(8, 8).read_move(game(8, 8).start(), "a1-c1")


def test_columns_beyond_z() -> None:
    board = game(2, 32)
    assert board.board.cells[25:28] == ("z1", "aa1", "ab1")
    position = board.play(board.start(), board.read_move(board.start(), "a1"))
    assert board.read_move(position, "B1") == 257
    assert notation.read_move(position, "v1x1") == 21 << 8 | 23
    assert notation.read_move(position, "v1xx1") == notation.read_move(position, "v1-x1")
    assert notation.read_move(position, "z1ab1") == 25 << 8 | 27


@pytest.mark.parametrize("size", [(2, 2), (1, 8), (9, 9), (16, 16), (8, 10), (2, 33), (0, 0), (-4, -4), (13, 13)])
def test_boards_that_do_not_exist(size: tuple[int, int]) -> None:
    with pytest.raises(BadOption, match=f"^konane has no board of size {size[0]}x{size[1]}; "):
        find_game("konane", size)


def test_sizes_and_switches() -> None:
    assert find_game("konane").size == (8, 8) and type(find_game("konane").start()) is konane.Konane
    assert type(game(10, 10).start()) is konane_large.KonaneLarge
    assert (game(8, 8).feature_count, game(12, 12).feature_count) == (128, 392)
    with pytest.raises((BadOption, UnknownName)):
        find_game("konane", None, {"first": "anywhere"})


def test_keys_tell_positions_and_sides_apart() -> None:
    for first in (konane.start(8, 8), konane_large.start(10, 10)):
        dice, keys, positions = random.Random(4), set(), set()
        for _ in range(3):
            position = first
            while codes := codes_of(position):
                for image in (position, rules.turn(position)):
                    keys.add(int(rules.key(image)))
                    positions.add((image.mine, image.theirs))
                position = rules.play(position, dice.choice(codes))
        assert len(keys) == len(positions)
