"""Perfect play of Lines of Action: 4x4 against plain retrograde analysis, 5x5 against a plain search, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest

from tests.conftest import run_interpreted
from tests.games.lines_of_action.test_rules_lines_of_action import STUCK, made, slow_connected, slow_moves
from understudy.errors import BadOption
from understudy.games import CompiledGame, rules
from understudy.games.kind import ONGOING
from understudy.games.lines_of_action.notation import LinesOfAction, permuted, symmetries
from understudy.games.lines_of_action.solving import Solver, draw, proving, warm_up
from understudy.games.lines_of_action.solving.proving import Prover
from understudy.games.lines_of_action.solving.retrograde import FORBIDDEN, place_of, placed, read_worth, solve
from understudy.games.lines_of_action.solving.table import NEVER, enlarged, recall, remember
from understudy.kernels import interpreted
from understudy.proofs import make_table
from understudy.solve import Worth, best_moves, check_decidable, know, make_solver, shared_solver

compiled = pytest.mark.skipif(interpreted(), reason="slow without the compiler")
SWITCHES = range(4)
"""All settings of both doubtful rules."""


@cache
def table_of(switches: int) -> Any:
    *_, worths = solve(switches)
    return worths


# 4x4 against the rules written again, and nothing but sets.

Side = frozenset[tuple[int, int]]


def few_stones() -> list[tuple[Side, Side]]:
    """Return all placements of one or two stones a side, and of three against one: no move leads out of them."""
    cells = [(x, y) for x in range(4) for y in range(4)]
    sides = [frozenset(some) for count in (1, 2, 3) for some in combinations(cells, count)]
    return [(a, b) for a in sides for b in sides if not a & b and (max(len(a), len(b)) < 3 or len(a) + len(b) == 4)]


def plain_successors(mine: Side, theirs: Side) -> list[tuple[Side, Side]]:
    stones = dict.fromkeys(mine, "B") | dict.fromkeys(theirs, "W")
    return [(theirs - {to}, mine - {origin} | {to}) for origin, to in slow_moves(stones, "B", 4)]


@cache
def plain_moves() -> dict[tuple[Side, Side], list[tuple[Side, Side]]]:
    return {one: plain_successors(*one) for one in few_stones()}


def plain_end(mine: Side, theirs: Side, switches: int, stuck: bool) -> int:
    stones = dict.fromkeys(mine, "B") | dict.fromkeys(theirs, "W")
    both = slow_connected(stones, "B"), slow_connected(stones, "W")
    if both[1]:
        return 0 if both[0] and switches & 1 else -1
    return 1 if both[0] else -1 if stuck and switches & 2 else ONGOING


def plain_worths(switches: int) -> dict[tuple[Side, Side], tuple[int, int | None]]:
    """Return who wins and in how many plies, found by going over all placements again and again."""
    after = plain_moves()
    ends = {one: plain_end(*one, switches, not moves) for one, moves in after.items()}
    known: dict[Any, tuple[int, int | None]] = {one: (end, 0) for one, end in ends.items() if end != ONGOING}
    plies, before = 1, -1
    while len(known) > before or plies < 3:
        before, fresh = len(known), {}
        for one in after.keys() - known.keys():
            replies = [known.get(reply, (0, None)) for reply in after[one] or [(one[1], one[0])]]
            if any(value == -1 for value, _ in replies):
                fresh[one] = 1, plies
            elif all(value == 1 for value, _ in replies):
                fresh[one] = -1, plies
        known |= fresh
        plies += 1
    return {one: known.get(one, (0, None)) for one in after}


@compiled
@pytest.mark.parametrize("switches", SWITCHES)
def test_placements_of_few_stones_against_plain_retrograde_analysis(switches: int) -> None:
    def mask(side: Side) -> np.uint64:
        return np.uint64(sum(1 << 8 * y + x for x, y in side))

    plain = plain_worths(switches)
    assert len(plain) > 28_000
    for (mine, theirs), (value, plies) in plain.items():
        found = read_worth(table_of(switches), LinesOfAction(mask(mine), mask(theirs), 4, switches, 0))
        assert found == (value, plies if value else None), (mine, theirs)


# 4x4, every entry: what is won leads to what is lost one ply sooner, and so on.


@numba.njit
def count_faults(worths, switches):  # type: ignore[no-untyped-def]
    """Return how many placements there are, and of how many the worth does not follow from those after it."""
    legal, total, faults = np.zeros(96, np.int32), 0, 0
    for mine in range(len(worths)):
        for theirs in range(len(worths)):
            worth = np.int64(worths[mine, theirs])
            if worth == FORBIDDEN:
                continue
            position = placed(mine, theirs, switches)
            width, total = rules.moves(position, legal), total + 1
            result, wanted = rules.outcome(position, width), 0
            if result != ONGOING:
                wanted = result
            else:
                nearest, furthest, drawn = 127, 0, False
                for i in range(width):
                    after = np.int64(worths[place_of(rules.play(position, legal[i]))])
                    nearest = min(nearest, -after) if after < 0 else nearest
                    furthest = max(furthest, after)
                    drawn = drawn or after == 0
                wanted = nearest + 1 if nearest < 127 else 0 if drawn else -(furthest + 1)
            faults += worth != wanted
    return total, faults


@compiled
@pytest.mark.parametrize("switches", SWITCHES)
def test_every_entry_follows_from_the_entries_after_it(switches: int) -> None:
    worths = table_of(switches)
    total, faults = count_faults(worths, switches)
    assert (total, faults) == (2_262_220, 0)
    assert read_worth(worths, made(4).start()._replace(switches=switches)) == (1, 3)
    assert (worths != FORBIDDEN).sum() == total and abs(worths[worths != FORBIDDEN]).max() == 17
    assert (worths == 0).sum() > 900, "some play has no end"


@compiled
@pytest.mark.parametrize("setting", ["win", "draw"])
def test_the_first_moves_of_4x4(setting: str) -> None:
    game = made(4, both_connected=setting)
    solver = make_solver(game)
    told = {game.write_move(game.start(), move): str(worth) for move, worth in solver.worths(game.start()).items()}
    assert list(told) == [game.write_move(game.start(), move) for move in game.moves(game.start())]
    assert {name for name, text in told.items() if text == "wins in 3 plies"} == {"b1-b3", "c1-c3", "b4-b2", "c4-c2"}
    assert set(told.values()) == {"wins in 3 plies", "loses in 4 plies", "loses in 2 plies"}
    assert solver.positions == 2_262_220


# 5x5 against a plain search.


def slow_worth(position: LinesOfAction, depth: int) -> tuple[int, int]:
    """Return 1 or -1 and in how many plies the side to move wins or loses within *depth*, else zeros."""
    out = np.empty(96, np.int32)
    width = rules.moves(position, out)
    result = rules.outcome(position, width)
    if result != ONGOING or depth == 0:
        return (0, 0) if result == ONGOING else (result, 0)
    after = [slow_worth(rules.play(position, int(move)), depth - 1) for move in out[:width]]
    if lost := [plies for value, plies in after if value < 0]:
        return 1, min(lost) + 1
    return (-1, max(plies for _, plies in after) + 1) if all(value > 0 for value, _ in after) else (0, 0)


def some_placements(game: CompiledGame, count: int, seed: int) -> list[LinesOfAction]:
    """Return placements of one to four stones a side in which the game goes on."""
    rng, found = np.random.default_rng(seed), list[LinesOfAction]()
    cells = [8 * row + column for row in range(game.size[0]) for column in range(game.size[0])]
    while len(found) < count:
        drawn = rng.permutation(cells)[: rng.integers(4, 8)].tolist()
        mine, theirs = (np.uint64(sum(1 << cell for cell in some)) for some in (drawn[:3], drawn[3:]))
        position = game.start()._replace(mine=mine, theirs=theirs)
        if game.outcome(position) is None:
            found.append(position)
    return found


def before_stuck(game: CompiledGame) -> list[LinesOfAction]:
    """Return positions in which a move leaves the other side without one, and that in which only a pass is left."""
    last = made(5).read(STUCK)
    found = [game.read(STUCK)] if game.outcome(game.read(STUCK)) is None else []
    for origin in (cell for cell in range(64) if int(last.theirs) >> cell & 1):
        for other in (8 * row + column for row in range(5) for column in range(5)):
            theirs = np.uint64(int(last.theirs) ^ 1 << origin | 1 << other)
            position = game.start()._replace(mine=theirs, theirs=last.mine, ply=1)
            if not theirs & last.mine and other << 6 | origin in game.moves(position):
                found.append(position)
    return found


@compiled
@pytest.mark.parametrize("rule", [{}, {"both_connected": "draw"}, {"no_move": "loss"}])
def test_goals_of_5x5_are_what_a_plain_search_reaches(rule: dict[str, str]) -> None:
    game = made(5, **rule)
    prover, decided = Prover(game.start().switches), set()
    assert len(before_stuck(game)) > 5
    for position in some_placements(game, 40, 5) + before_stuck(game):
        value, plies = slow_worth(position, 3)
        for attacking in (True, False):
            reached = [prover._reach(position, depth, attacking, 10**9, None) for depth in range(4)]
            wins = value == (1 if attacking else -1)
            assert reached == [wins and depth >= plies for depth in range(4)], game.write(position)
        decided.add((value, plies))
    assert {(0, 0), (1, 1), (1, 3), (-1, 2)} <= decided


@compiled
@pytest.mark.parametrize("setting", ["win", "draw"])
def test_5x5_is_won_in_eleven_plies(setting: str) -> None:
    """And by nobody sooner; whoever follows the best moves gets there in as many plies as were told."""
    game = made(5, both_connected=setting)
    position, solver, plies = game.start(), Solver(game), 11
    told = solver.worths(position, only_best=True)
    assert {game.write_move(position, move) for move in best_moves(told)} == {"c1-c3", "c5-c3"}
    assert str(told[game.read_move(position, "c1xa3")]) == "loses in 8 plies"
    while game.outcome(position) is None:
        worths = solver.worths(position, only_best=True)
        best = best_moves(worths)
        assert worths[best[0]] == Worth(1 if plies % 2 else -1, plies)
        position, plies = game.play(position, best[-1]), plies - 1
    assert plies == 0


@compiled
def test_images_share_their_worths() -> None:
    game = made(5)
    solver = Solver(game)
    for position in some_placements(game, 4, 8):
        images = [permuted(position, permutation) for permutation in symmetries(position)]
        bests = {tuple(sorted(solver.worths(image, only_best=True).values()))[-1] for image in images}
        assert len(bests) == 1


@compiled
def test_a_table_too_small_changes_nothing_but_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    game = made(5)
    after = {move: game.play(game.start(), move) for move in game.moves(game.start())}
    monkeypatch.setattr(proving, "DEEPEST", 9)
    found, work = [], []
    for prover in (Prover(0), Prover(0, largest=16), growing()):
        found.append(prover.look(after, only_best=False, nodes=10**8, progress=None))
        work.append(prover.positions)
    assert found[0] == found[1] == found[2] and {worth.plies for worth in found[0].values()} == {8}
    assert work[1] > work[0]


def growing() -> Prover:
    prover = Prover(0)
    prover._table = make_table(16)
    return prover


def test_tables_hold_the_most_plies_that_fail_and_the_fewest_that_do_not() -> None:
    table, key = make_table(16), np.uint64(12345)
    assert recall(table, key, 3) == -1
    assert [remember(table, key, plies, value) for plies, value in ((5, 0), (3, 0), (9, 1), (11, 1))] == [1, 0, 0, 0]
    assert [recall(table, key, plies) for plies in (1, 5, 6, 8, 9, 20)] == [0, 0, -1, -1, 1, 1]
    keys = [np.uint64(other) for other in range(1, 200)]
    assert sum(remember(table, other, 4, 1) for other in keys) <= 16
    assert {recall(table, other, 4) for other in keys} == {1, -1}
    larger = enlarged(table, times=4)
    assert all(recall(larger, other, 4) == recall(table, other, 4) for other in keys)
    assert np.count_nonzero(larger) == np.count_nonzero(table) and NEVER == 63


class Stop(Exception):
    pass


@compiled
@pytest.mark.parametrize("size", [4, 5])
def test_a_search_tells_its_progress_and_can_be_stopped(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "SLICE", 5_000)
    game, heard = made(size), []
    solver = Solver(game)

    def note(positions: int) -> None:
        heard.append(positions)
        if len(heard) == 10:
            raise Stop

    with pytest.raises(Stop):
        solver.worths(game.start(), progress=note)
    assert heard == sorted(heard) and heard[-1] > 0
    best = solver.worths(game.start(), only_best=True)
    assert {best[move].plies for move in best_moves(best)} == {3 if size == 4 else 11}


@compiled
def test_moves_that_end_the_game_and_games_that_are_over() -> None:
    for size, text in ((4, "B.../.B../..../W..W B"), (5, "B..../.B.../..B../...../W...W W")):
        assert know(made(size), made(size).read(text)) == {}
    game = made(5)
    position = game.read("B..../.B.../...../..B../W...W B")
    worths = know(game, position, only_best=True)
    assert all(str(worth) in ("wins in 1 ply", "loses in 1 ply") for worth in worths.values())
    for setting, worth in (("win", Worth(1, 1)), ("draw", Worth(0, None))):
        game = made(4, both_connected=setting)
        position = game.read("..../.BBW/.W../.W.B B")
        assert know(game, position)[game.read_move(position, "d1xd3")] == worth


@compiled
def test_what_is_not_proven_is_not_told() -> None:
    game = made(5)
    for only_best, nodes in ((False, 2000), (True, 250)):
        with pytest.raises(BadOption) as caught:
            Solver(game, nodes=2000).worths(game.start(), only_best=only_best)
        assert "nobody knows who wins the lines_of_action position '.BBB./W...W/W...W/W...W/.BBB. B'" in str(
            caught.value
        )
        assert f"within 24 plies and {nodes} positions" in str(caught.value) and "\n" not in str(caught.value)
    some = Solver(game, nodes=1_500_000).worths(game.start())
    assert 0 < len(some) < len(game.moves(game.start())), "moves that are not known are left out"
    assert max(some.values(), key=lambda worth: worth.rank) == Worth(1, 11)


@compiled
@pytest.mark.parametrize("size", [4, 5])
def test_positions_are_drawn_whose_moves_are_all_known(size: int) -> None:
    game = made(size)
    drawn = draw(game, 5, 3)
    assert drawn == draw(game, 5, 3) != draw(game, 5, 4) and len(set(drawn)) == 5
    for position in drawn:
        assert list(know(game, position)) == game.moves(position) != []


@pytest.mark.parametrize("size", [6, 7, 8])
def test_larger_boards_are_refused(size: int) -> None:
    for ask in (make_solver, shared_solver, Solver, lambda game: know(game, game.start())):
        with pytest.raises(
            BadOption, match=f"lines_of_action can be solved on boards of 4x4 and 5x5, not on {size}x{size}"
        ):
            ask(made(size))


@pytest.mark.parametrize("size", [4, 5])
def test_positions_of_other_boards_and_rules_are_refused(size: int) -> None:
    others: list[Callable[[], CompiledGame]] = [lambda: made(6), lambda: made(size, no_move="loss")]
    for other in others:
        with pytest.raises(BadOption, match=f"knows lines_of_action on {size}x{size} alone, by the rules of its game"):
            Solver(made(size)).worths(other().start())
    with pytest.raises(BadOption, match="lines_of_action is solved position by position, and has draws"):
        check_decidable(made(size))


def digest() -> str:
    """Return what the search finds of some positions, in one line."""
    game = made(5)
    prover = Prover(0)
    found = [
        [prover._reach(position, depth, attacking, 10**9, None) for depth in range(4) for attacking in (True, False)]
        for position in some_placements(game, 4, 3)
    ]
    return str((found, prover.positions))


@compiled
def test_kernels_answer_alike_without_the_compiler() -> None:
    warm_up(made(5))
    assert run_interpreted("tests.games.lines_of_action.test_solver_lines_of_action", "digest()") == digest()
