"""The thesis's scores, records, spreads, tests and trends, against numbers computed by hand or printed elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from understudy.errors import FileError
from understudy.judges.scores import (
    LIMIT,
    VIEWS,
    Matches,
    Record,
    decide,
    merged,
    read_matches,
    record,
    records,
    score,
    spreads,
)
from understudy.judges.statistics import Spread, smoothed, spread, student_quantile, student_tail, trend_line, welch


def matches(*rows: tuple[int, int, int, int]) -> Matches:
    return read_matches([list(row) for row in rows], place="here")


def test_the_score_of_a_game() -> None:
    assert score(1, 35) == 165  # individual 22 of epoch 903: won in 35 as Black, lost in 35 as White
    assert score(-1, 35) == 35
    assert score(0, 100) == 100
    assert score(0, 17) == 100  # a repetition ties before the limit
    assert score(1, 10, limit=50) == 90
    assert score([1, -1, 0], [35, 35, 100]).tolist() == [165, 35, 100]


def test_both_sides_together_score_200_a_game_and_400_a_match() -> None:
    rng = np.random.default_rng(5)
    one = Matches(rng.integers(-1, 2, (200, 2)), rng.integers(9, 101, (200, 2)))
    ours, theirs = one.scores(), one.turned().scores()
    assert set(ours["combined"] + theirs["combined"]) == {4 * LIMIT}
    assert set(ours["white"] + theirs["black"]) == {2 * LIMIT}  # our White is their Black
    assert set(ours["black"] + theirs["white"]) == {2 * LIMIT}
    assert sorted(ours["overall"] + theirs["overall"].reshape(-1, 2)[:, ::-1].ravel()) == [200] * 400


def test_the_best_match_of_the_thesis_is_a_tie() -> None:
    best = matches((1, 35, -1, 35))
    assert best.scores()["combined"].tolist() == [200]
    assert decide(best).tolist() == [0]
    only = matches((1, 38, -1, 46))  # the one match of the random heuristic: 162 as Black, 208 together
    assert only.scores()["combined"].tolist() == [208]
    assert decide(only).tolist() == [1]


@pytest.mark.parametrize(
    ("row", "decided"),
    [
        ((1, 50, 1, 60), 1),
        ((-1, 50, -1, 20), -1),
        ((1, 99, 0, 100), 1),
        ((0, 100, -1, 9), -1),
        ((1, 30, -1, 31), 1),
        ((1, 31, -1, 30), -1),
        ((-1, 40, 1, 30), 1),
        ((-1, 30, 1, 30), 0),
        ((0, 100, 0, 40), 0),
    ],
)
def test_matches_are_decided_by_wins_then_by_the_quicker_win(row: tuple[int, int, int, int], decided: int) -> None:
    one = matches(row)
    assert decide(one).tolist() == [decided]
    assert decide(one.turned()).tolist() == [-decided]


def test_records_by_view() -> None:
    counts = records(matches((1, 20, -1, 30), (0, 100, -1, 40), (1, 20, 1, 20), (0, 100, 0, 100)))
    assert counts == {
        "overall": Record(3, 2, 3), "white": Record(1, 2, 1), "black": Record(2, 0, 2), "combined": Record(2, 1, 1)
    }  # fmt: skip
    assert tuple(counts) == VIEWS
    assert counts["overall"].points().value == pytest.approx(4.5 / 8)
    assert counts["overall"].victories().value == pytest.approx(3 / 8)


@pytest.mark.parametrize(
    ("counts", "percentage"),
    [((2168, 9089, 1143), 19.26), ((1099, 4976, 125), 18.09), ((17, 602, 1), 2.75), ((22, 581, 17), 3.65)],
)
def test_the_winning_percentage_leaves_ties_out(counts: tuple[int, int, int], percentage: float) -> None:
    measure = Record(*counts).winning()
    assert measure.value is not None
    assert round(100 * measure.value, 2) == percentage
    assert measure.low < measure.value < measure.high


def test_nobody_decided_anything() -> None:
    assert Record(0, 0, 3).winning().value is None
    assert record([]) == Record(0, 0, 0)
    empty = spreads(merged([]))["combined"]
    assert empty.sample == 0 and math.isnan(empty.mean)


def test_spreads_by_hand() -> None:
    columns = spreads(matches((1, 40, -1, 20), (-1, 30, -1, 50), (0, 100, -1, 30)))
    # Black 160, 30, 100; White 20, 50, 30; matches 180, 80, 130
    assert columns["black"][:3] == pytest.approx((290 / 3, 100, 160))
    assert columns["white"] == Spread(pytest.approx(100 / 3), 30, 50, pytest.approx(math.sqrt(700 / 3)), 3)
    assert columns["combined"] == Spread(130, 130, 180, 50, 3)
    assert columns["overall"] == Spread(65, 40, 160, pytest.approx(np.std([160, 20, 30, 50, 100, 30], ddof=1)), 6)
    low, high = columns["combined"].interval
    assert (130 - low, high - 130) == pytest.approx((4.302653 * 50 / math.sqrt(3),) * 2, rel=1e-6)


NO_MATCHES: list[Any] = [
    [[1, 2, 3]], [[1, 20, 2, 20]], [[1, 20, 1, -1]], [1, 2, 3, 4], [["a"] * 4], [[1, 2.5, 1, 2]], [[1], [1, 2]],
    {"a": 1}, None, [[1, 10**30, 1, 1]],
]  # fmt: skip


@pytest.mark.parametrize("rows", NO_MATCHES)
def test_rows_that_are_no_matches_are_refused(rows: Any) -> None:
    with pytest.raises(FileError, match="monitor: expected rows of four whole numbers"):
        read_matches(rows, place="monitor")


@pytest.mark.parametrize(
    ("t", "freedom", "tail"),
    [
        (12.706205, 1, 0.05),
        (63.656741, 1, 0.01),
        (2.776445, 4, 0.05),
        (2.228139, 10, 0.05),
        (3.169273, 10, 0.01),
        (0.699812, 10, 0.5),
        (2.042272, 30, 0.05),
        (1.980, 120, 0.05),
    ],
)
def test_tails_of_students_t(t: float, freedom: float, tail: float) -> None:
    assert student_tail(t, freedom) == pytest.approx(tail, rel=2e-4)
    assert student_tail(-t, freedom) == student_tail(t, freedom)
    assert student_quantile(freedom, tail) == pytest.approx(t, rel=2e-4)


def test_students_t_with_one_degree_is_cauchy_and_with_many_normal() -> None:
    for t in (0.01, 0.5, 1.0, 7.0, 1e4):
        assert student_tail(t, 1) == pytest.approx(1 - 2 * math.atan(t) / math.pi, rel=1e-9)
        assert student_tail(t, 2) == pytest.approx(1 - t / math.sqrt(2 + t * t), rel=1e-6)
    for t in (0.1, 2.0, 5.0):
        assert student_tail(t, 1e7) == pytest.approx(math.erfc(t / math.sqrt(2)), rel=1e-4)
    assert student_tail(0.0, 7) == 1.0
    assert student_tail(60.0, 62_000) == 0.0
    assert student_quantile(math.inf) == pytest.approx(1.959964, rel=1e-6)
    assert student_quantile(200.0) == pytest.approx(student_quantile(200.0001), rel=1e-6)  # where the formula changes


def test_welch_by_hand() -> None:
    one, other = spread([1, 2, 3, 4, 5]), spread([2, 4, 6, 8, 10, 12])
    test = welch(one, other)
    assert test is not None
    # variances 2.5 and 14, so 0.5 + 14 / 6 for the difference of 3 and 7
    assert test.difference == -4
    assert test.t == pytest.approx(-4 / math.sqrt(0.5 + 14 / 6))
    assert test.freedom == pytest.approx((0.5 + 14 / 6) ** 2 / (0.25 / 4 + (14 / 6) ** 2 / 5))
    assert 0.04 < test.p < 0.06
    assert (test.low < 0 < test.high) == (test.p > 0.05)
    turned = welch(other, one)
    assert turned is not None and turned.t == -test.t and turned.p == test.p


def test_welch_of_the_printed_table_4_finds_zero() -> None:
    test = welch(Spread(61.95, 59, 208, 14.65, 62_000), Spread(57.43, 57, 200, 7.84, 62_000))
    assert test is not None
    assert test.p < 1e-100
    assert pytest.approx(0.079, abs=5e-4) == 30.98 / 28.71 - 1


def test_welch_where_there_is_little_to_compare() -> None:
    assert welch(spread([1]), spread([1, 2])) is None
    assert welch(Spread(1, 1, 1, math.nan, 9), spread([1, 2])) is None
    same, apart = welch(spread([3, 3]), spread([3, 3])), welch(spread([3, 3]), spread([4, 4]))
    assert same is not None and same.p == 1.0
    assert apart is not None and apart.p == 0.0


def test_smoothing_is_one_centred_window_of_five() -> None:
    means = smoothed([1, 2, 3, 4, 10, 6, 7])
    assert np.isnan(means[[0, 1, 5, 6]]).all()
    assert means[2:5].tolist() == [4, 5, 6]
    assert np.isnan(smoothed([1, 2, 3, 4])).all()
    # the thesis's single-game mean of epoch 902 is that of 902 to 904
    assert round(float(np.mean([28.26, 30.43, 28.47])), 2) == 29.05


def test_a_trend_by_hand() -> None:
    trend = trend_line([0, 1, 2, 3], [1, 3, 2, 4])
    assert trend is not None
    # slope 4 / 5; residuals -0.3, 0.9, -0.9, 0.3, which turn from one to the next: nothing is widened
    assert trend.slope == pytest.approx(0.8)
    assert trend.middle == (1.5, 2.5)
    assert trend.alike == 0.0
    assert trend.error == pytest.approx(math.sqrt(1.8 / 2 / 5))
    assert trend.high - trend.slope == pytest.approx(4.302653 * trend.error, rel=1e-6)
    assert not trend.differs
    assert trend.at(0) == pytest.approx(1.3)


def test_too_few_points_have_no_trend_and_a_line_has_an_exact_one() -> None:
    assert trend_line([1, 2], [1, 2]) is None
    assert trend_line([], []) is None
    assert trend_line([3, 3, 3], [1, 2, 3]) is None
    trend = trend_line(range(10), range(0, -20, -2))
    assert trend is not None and trend.slope == pytest.approx(-2) and trend.differs


@pytest.mark.parametrize("alike", [0.0, 0.6])
def test_intervals_of_slopes_hold_though_neighbours_are_alike(alike: float) -> None:
    rng, hits = np.random.default_rng(11), 0
    for _ in range(300):
        noise = rng.normal(size=200)
        for place in range(1, len(noise)):
            noise[place] += alike * noise[place - 1]
        trend = trend_line(np.arange(200), noise)
        assert trend is not None
        hits += not trend.differs
    assert 0.90 < hits / 300 < 0.99
