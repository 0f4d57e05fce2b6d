"""The solver against plain negamax, against the truths, with tables too small, interrupted, and interpreted."""

from __future__ import annotations

import threading
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line, run_interpreted
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game, rules
from understudy.games.batches import stacked, taken
from understudy.games.konane import solving
from understudy.games.konane.notation import permuted, symmetries
from understudy.games.konane.rules import Konane
from understudy.games.konane.solving import Solver
from understudy.kernels import interpreted
from understudy.proofs import BUCKET, enlarged, make_table, recall, remember
from understudy.solve import make_solver, shared_solver


def game(rows: int, columns: int) -> CompiledGame:
    return find_game("konane", (rows, columns))


@cache
def plain_wins(position: Any) -> bool:
    """The rules and nothing else."""
    return any(not plain_wins(rules.play(position, move)) for move in codes(position))


def codes(position: Any) -> list[int]:
    out = np.empty(128, np.int32)
    return [int(code) for code in out[: rules.moves(position, out)]]


def reachable(first: Any) -> list[Any]:
    fresh, seen = {first}, set()
    while fresh:
        seen |= fresh
        fresh = {rules.play(position, move) for position in fresh for move in codes(position)} - seen
    return list(seen)


def late_positions(board: CompiledGame, *, ply: int, games: int) -> list[Any]:
    """Return every position of random games from *ply* on, the lost ones at the end included."""
    lines = [random_line(board, 99, seed) for seed in range(games)]
    ends = [rules.play(*line[-1]) for line in lines]
    return [position for line in lines for position, _ in line if position.ply >= ply] + ends


@pytest.mark.parametrize("size", [(4, 4), (3, 5), (2, 8), (2, 3)])
def test_every_position_of_a_small_board(size: tuple[int, int]) -> None:
    board = game(*size)
    positions = reachable(board.start())
    wins = Solver(board).solve(stacked(positions))
    assert wins.tolist() == [plain_wins(position) for position in positions]
    assert len(positions) > 3800 or size != (4, 4)
    assert not wins.all() and wins.any()


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
@pytest.mark.parametrize(("size", "ply"), [((5, 5), 4), ((4, 6), 6), ((3, 12), 14), ((6, 6), 17), ((2, 18), 6)])
def test_positions_of_larger_boards(size: tuple[int, int], ply: int) -> None:
    board = game(*size)
    positions = late_positions(board, ply=ply, games=15)
    wins = Solver(board).solve(stacked(positions))
    assert wins.tolist() == [plain_wins(position) for position in positions]
    plain_wins.cache_clear()


@pytest.mark.parametrize(
    ("size", "winner", "openings"),
    [((4, 4), False, 4), ((5, 5), True, 5), ((4, 6), False, 4)],
)
def test_who_wins(size: tuple[int, int], winner: bool, openings: int) -> None:
    board = game(*size)
    solver = Solver(board)
    values = solver.values(board.start())
    assert list(values.values()) == [winner] * openings
    assert solver.wins(board.start()) is winner
    assert list(values) == board.moves(board.start())


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
@pytest.mark.parametrize("side", [4, 6])
def test_white_wins_even_squares_by_any_reply_in_a_corner_and_by_centre_stones_in_the_centre(side: int) -> None:
    board, half = game(side, side), side // 2
    solver = Solver(board)
    assert not any(solver.values(board.start()).values())
    centre = {(row * side + column) * 257 for row in (half - 1, half) for column in (half - 1, half)}
    for opening in board.moves(board.start()):
        values = solver.values(board.play(board.start(), opening))
        assert {move for move, wins in values.items() if wins} == set(values) & (
            centre if opening in centre else set(values)
        )
    assert solver.bytes < 1 << 26


@pytest.mark.parametrize("size", [(4, 4), (5, 5), (4, 6), (6, 6), (3, 5), (2, 9)])
def test_images_share_their_value(size: tuple[int, int]) -> None:
    """With the colours swapped too: a mirror that swaps them turns Black's position into White's."""
    board = game(*size)
    solver = Solver(board)
    mirror = np.arange(size[0] * size[1]).reshape(size)[:, ::-1].ravel()
    for position, _ in random_line(board, 99, 4)[12:]:
        images = [permuted(position, permutation) for permutation in symmetries(position)]
        if size[1] % 2 == 0:
            images += [permuted(image, mirror)._replace(ply=image.ply + 1) for image in images]
        assert {Solver(board).wins(image) for image in images} == {solver.wins(position)}


def test_moves_win_where_the_position_after_them_is_lost() -> None:
    board = game(4, 4)
    positions = reachable(board.start())[:500]
    values = Solver(board).solve_moves(stacked(positions))
    for row, position in enumerate(positions):
        expected = {move: not plain_wins(rules.play(position, move)) for move in codes(position)}
        assert values.of(row) == expected
        assert (values.counts[row], values.winning[row]) == (len(expected), sum(expected.values()))


def test_a_table_too_small_changes_nothing_but_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    board = game(5, 5) if interpreted() else game(6, 6)
    positions = stacked(late_positions(board, ply=18 if interpreted() else 12, games=6))
    ample = Solver(board)
    expected = ample.solve(positions)
    monkeypatch.setattr(solving, "SLICE", 1000)
    tiny = Solver(board, largest=2 * BUCKET)
    assert (tiny.solve(positions) == expected).all()
    assert tiny.bytes == 2 * BUCKET * 8
    assert tiny.positions >= ample.positions
    growing = Solver(board)
    growing._table = make_table(2 * BUCKET)
    assert (growing.solve(positions) == expected).all()
    assert interpreted() or growing.bytes > 1 << 12


def test_tables_forget_only_what_they_must() -> None:
    table = make_table(1 << 10)
    keys = [np.uint64(key) for key in range(1, 500)]
    stored = sum(remember(table, key, int(key) % 2) for key in keys)
    assert stored == np.count_nonzero(table) > 400
    assert {recall(table, key) for key in keys} <= {0, 1, -1}
    assert all(recall(table, key) in (int(key) % 2, -1) for key in keys)
    larger = enlarged(table, times=4)
    assert all(recall(larger, key) == recall(table, key) for key in keys)
    assert remember(larger, np.uint64(7), 0) in (0, 1)
    assert recall(larger, np.uint64(7)) == 0
    assert recall(larger, np.uint64(9999)) == -1


class Stop(Exception):
    pass


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
def test_a_search_tells_its_progress_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "SLICE", 20_000)
    board = game(6, 6)
    solver, heard = Solver(board), []

    def note(positions: int) -> None:
        heard.append(positions)
        if len(heard) == 5:
            raise Stop

    with pytest.raises(Stop):
        solver.wins(board.start(), progress=note)
    assert heard == sorted(heard)
    assert heard[-1] == solver.positions <= 5 * 20_000
    other = late_positions(board, ply=16, games=2)
    assert solver.solve(stacked(other)).tolist() == Solver(board).solve(stacked(other)).tolist()


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
def test_threads_share_one_solver() -> None:
    board = game(6, 6)
    assert shared_solver(board) is shared_solver(find_game("konane", (6, 6)))
    assert shared_solver(board) is not shared_solver(game(4, 4))
    positions = stacked(late_positions(board, ply=12, games=8))
    expected, answers = Solver(board).solve(positions), {}

    def ask(place: int) -> None:
        part = slice(place, None, 4)
        answers[place] = shared_solver(board).solve(taken(positions, part)).tolist() == expected[part].tolist()

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(4), True)


def test_batches_may_be_empty_and_of_other_numbers() -> None:
    board = game(4, 4)
    solver = Solver(board)
    batch = stacked([board.start()])
    assert solver.solve(taken(batch, slice(0, 0))).tolist() == []
    assert solver.solve_moves(taken(batch, slice(0, 0))).winning.tolist() == []
    short = Konane._make(field.astype(np.int32) for field in batch)
    assert solver.solve(short).tolist() == [False]


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("konane", (8, 8), "konane can be solved on boards of at most 36 cells, not on 8x8"),
        ("konane", (14, 14), "not on 14x14"),
        ("konane", (2, 19), "not on 2x19"),
        ("morris", None, "only konane and lines_of_action can be solved, not morris"),
        ("lines_of_action", (6, 6), "lines_of_action can be solved on boards of 4x4 and 5x5, not on 6x6"),
    ],
)
def test_what_cannot_be_solved(name: str, size: tuple[int, int] | None, message: str) -> None:
    for make in (make_solver, shared_solver):
        with pytest.raises(BadOption) as caught:
            make(find_game(name, size))
        assert message in str(caught.value) and "\n" not in str(caught.value)


def test_positions_of_another_board_are_refused() -> None:
    for ask in (Solver(game(6, 6)).wins, Solver(game(4, 4)).values):
        with pytest.raises(BadOption, match="alone, not on boards of another size"):
            ask(game(5, 5).start())


def digest() -> str:
    """Return what the solver finds on small boards, in one line."""
    results = []
    for size, ply in (((4, 4), 0), ((5, 5), 4), ((4, 6), 8)):
        board = game(*size)
        solver = Solver(board)
        results.append((solver.solve(stacked(late_positions(board, ply=ply, games=2))).tolist(), solver.positions))
    return repr(results)


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_solver_konane", "digest()") == digest()


def test_the_most_that_can_be_won_against_random_play_on_4x4() -> None:
    """By plain expectation: who knows that the other side moves at random wins 94.27 % as Black and all as White."""
    game = find_game("konane", (4, 4))
    shares: dict[tuple[int, int, int, int], float] = {}

    def chance(position: Any, side: int) -> float:
        name = int(position.mine), int(position.theirs), position.ply, side
        if name not in shares:
            chances = [chance(game.play(position, move), side) for move in game.moves(position)]
            mine = position.ply % 2 == side
            shares[name] = (max(chances) if mine else sum(chances) / len(chances)) if chances else float(not mine)
        return shares[name]

    assert chance(game.start(), 0) == pytest.approx(0.9427083)
    assert chance(game.start(), 1) == 1.0
