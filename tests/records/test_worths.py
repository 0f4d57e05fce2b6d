"""What records are worth, by hand: splits by game, TD(lambda), measures with intervals over games."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.backends import Local
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import NO_MOVE, stacked, unstacked
from understudy.judges.worths import correlate, grade_worths
from understudy.records.examples import orbit_names
from understudy.records.store import UNKNOWN, Records, joined
from understudy.records.watch import Watch, watch
from understudy.records.worths import check_way, check_worths, follow_weighed, known_worths, split_games, worths_of
from understudy.solve import shared_solver
from understudy.trainers.worths import Course, look_back, plan_course

FOUR = find_game("konane", (4, 4))


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    plan = Watch(teacher="searcher:depth=1,ties=random", opponents=("self", "random"), regular=40, opening_plies=3)
    return watch(FOUR, plan, tmp_path_factory.mktemp("records"), backend=Local())


def test_worths_are_values_results_and_the_truth(records: Records) -> None:
    assert np.array_equal(worths_of(records, "search"), records.values)
    unknown = records.results.copy()
    unknown[::3] = UNKNOWN
    some = Records(**{**vars(records), "results": unknown})
    assert np.isnan(worths_of(some, "outcome")[::3]).all() and not np.isnan(worths_of(some, "td")[1::3]).any()
    truth = worths_of(records, "perfect")
    for position, worth in list(zip(unstacked(records.positions), truth, strict=True))[:50]:
        assert (worth == 1) == shared_solver(FOUR).wins(position)
    assert set(known_worths(records)) == {"search", "outcome", "perfect"}


def test_whole_games_are_kept_apart_and_no_position_is_on_two_sides(records: Records) -> None:
    twice = joined([records, records])  # every position comes again, in other games
    sides = split_games(twice, seed=3)
    names = orbit_names(FOUR, twice.positions)
    for one, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert not set(twice.games[sides[one]]) & set(twice.games[sides[other]])
    assert not set(names[sides["train"]]) & set(names[sides["test"]])
    games = len(set(twice.games))
    assert len(set(twice.games[sides["train"]])) == games - 2 * (games // 10)
    again, other = split_games(twice, seed=3), split_games(twice, seed=4)
    assert all(np.array_equal(sides[side], again[side]) for side in sides)
    assert not np.array_equal(sides["train"], other["train"])


def test_what_weighed_moves_lead_to_is_worth_the_contrary(tmp_path: Path) -> None:
    plan = Watch(teacher="searcher:depth=3", opponents=("self", "random"), regular=30, weighed=40)
    records = watch(FOUR, plan, tmp_path, backend=Local())
    assert records.weighed is not None
    expected: dict[Any, set[float]] = {}
    for place, position in enumerate(unstacked(records.positions)):
        for move, worth in zip(records.weighed.moves[place], records.weighed.worths[place], strict=True):
            after = FOUR.play(position, int(move)) if move != NO_MOVE else None
            if after is not None and FOUR.outcome(after) is None:
                expected.setdefault(orbit_names(FOUR, stacked([after]))[0], set()).add(-float(worth))
    positions, worths = follow_weighed(records, seed=1)
    for name, worth in zip(orbit_names(FOUR, positions), worths.tolist(), strict=True):
        assert worth in expected[name]
    assert set(orbit_names(FOUR, positions)) == set(expected)
    again, others = follow_weighed(records, seed=1)[0], follow_weighed(records, seed=2)[0]
    assert np.array_equal(positions.mine, again.mine) and not np.array_equal(positions.mine, others.mine)
    with pytest.raises(BadOption, match=r"examples.learn = 'weighed': these records do not tell what moves are worth"):
        check_worths(replace(records, weighed=None), "weighed")


def test_td_by_hand() -> None:
    # A game of three records, one ply and then two plies apart, won by who moves in the first.
    course = Course(np.array([2, 0, 1]), np.array([1, 2, 0]), 0.5)
    values, results = np.array([0.2, -0.4, 0.9], np.float32), np.array([-1, -1, 1], np.float32)
    last = -1.0  # of record 1: how the game ended
    middle = (1 - 0.25) * -0.4 + 0.25 * last  # of record 0: two plies before, the same side
    first = -((1 - 0.5) * 0.2 + 0.5 * middle)  # of record 2: the other side
    assert look_back(course, values, results) == pytest.approx([middle, last, first])
    assert look_back(course._replace(trace=1.0), values, results) == pytest.approx(results)
    assert look_back(course._replace(trace=0.0), values, results) == pytest.approx([-0.4, -1.0, -0.2])


def test_a_course_goes_from_record_to_record_of_a_game(records: Records) -> None:
    order = np.random.default_rng(0).permutation(len(records))
    mixed = records.taken(order)
    course = plan_course(mixed, 0.7)
    assert sorted(course.order) == list(range(len(records)))
    for place, step in enumerate(course.steps[:-1]):
        here, after = course.order[place], course.order[place + 1]
        same = mixed.games[here] == mixed.games[after]
        assert step == (mixed.plies[after] - mixed.plies[here] if same else 0)


def test_ways_that_there_are_not() -> None:
    with pytest.raises(UnknownName, match=r"examples.learn 'luck'.*search, outcome, td, perfect"):
        check_way(FOUR, "luck")
    check_way(FOUR, "perfect")
    for game, size, message in (
        ("morris", None, "of morris the truth is known in endings alone"),
        ("lines_of_action", (8, 8), "4x4 and 5x5, not on 8x8"),
        ("lines_of_action", (4, 4), "lines_of_action is solved position by position, and has draws"),
    ):
        with pytest.raises(BadOption, match=message):
            check_way(find_game(game, size), "perfect")


def test_measures_by_hand(tmp_path: Path) -> None:
    said, worths = np.array([0.5, -0.5, 0.5, 0.0]), np.array([1.0, -1.0, -1.0, 0.0])
    graded = grade_worths(said, worths, np.array([0, 0, 1, 1]))
    assert graded["error"]["value"] == pytest.approx((0.5 + 0.5 + 1.5 + 0.0) / 4)
    assert graded["squared"]["value"] == pytest.approx((0.25 + 0.25 + 2.25) / 4)
    assert graded["right"]["value"] == pytest.approx(2 / 3) and graded["right"]["sample"] == 2
    # Errors of games are 1.0 and 1.5 of 1.25 each expected: both stray by 0.25; two of them, over four positions.
    half = 1.959964 * np.sqrt(2 * 0.25**2 * 2) / 4
    assert graded["error"]["low"] == pytest.approx(0.625 - half, abs=1e-4)
    assert graded["correlation"] == pytest.approx(np.corrcoef(said, worths)[0, 1])
    assert correlate(said, np.ones(4)) is None and correlate(said[:1], worths[:1]) is None
    assert grade_worths(said, np.zeros(4), np.zeros(4))["right"]["value"] is None
