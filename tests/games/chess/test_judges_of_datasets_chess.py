"""How near students come to labels: intervals that know of games, and yardsticks counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.datasets import find_dataset
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.judges.datasets import balance, clustered, explained, graded, material, wrongs, yardsticks
from understudy.judges.measures import Z95

CHESS = find_game("chess")


def test_games_not_positions_are_independent() -> None:
    rng = np.random.default_rng(0)
    games = rng.random(40) < 0.7
    rows, groups = np.repeat(games, 25), np.repeat(np.arange(40), 25)
    one, other = clustered(rows, groups), clustered(rows, np.arange(1000))
    assert one.value == other.value == pytest.approx(games.mean()) and one.sample == 1000
    naive = Z95 * float(np.std(rows, ddof=1)) / np.sqrt(1000)
    assert other.high - other.low == pytest.approx(2 * naive, rel=1e-6)
    assert (one.high - one.low) / (other.high - other.low) == pytest.approx(5, rel=0.05)
    alone = clustered(games, np.arange(40))
    assert (one.low, one.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_clustered_by_hand() -> None:
    """Two games, (1, 0, 1) and (0): the mean is a half, their sums stray from it by a half each."""
    measure = clustered(np.array([1, 0, 1, 0]), np.array([7, 7, 7, 9]))
    half = Z95 * np.sqrt((0.25 + 0.25) * 2 / 1) / 4
    assert (
        measure.value == 0.5 and measure.low == pytest.approx(0.5 - half) and measure.high == pytest.approx(0.5 + half)
    )


def test_intervals_cover_what_they_should() -> None:
    """Of many samples of unequal games, about 95 % have the truth in their interval."""
    rng, covered = np.random.default_rng(1), 0
    for _ in range(300):
        sizes = rng.integers(1, 30, 120)
        skill = rng.normal(0.6, 0.2, 120)
        groups = np.repeat(np.arange(120), sizes)
        measure = clustered(rng.normal(skill[groups], 0.1), groups)
        covered += measure.low <= 0.6 <= measure.high
    assert 270 <= covered <= 297


def test_nothing_to_grade() -> None:
    measure = clustered(np.zeros(0), np.zeros(0, np.int64))
    assert measure.value is None and measure.sample == 0


def test_grades_of_classes() -> None:
    pawns, answers = np.array([-3.0, 0.0, 1.5, 1.51, 20.0]), np.array([-1.6, -0.1, 1.6, 1.52, 90.0])
    groups = np.arange(5)
    verdict = graded(find_dataset("1"), answers, pawns, groups)
    assert verdict["accuracy"].value == pytest.approx(4 / 5)
    assert verdict["error in pawns"].value == pytest.approx((1.4 + 0.1 + 0.1 + 0.01 + 0) / 5)
    assert verdict["sign"].value == 1.0 and verdict["sign"].sample == 4
    chosen = graded(find_dataset("1"), answers, pawns, groups, classes=np.array([0, 0, 0, 0, 2]))
    assert chosen["accuracy"].value == pytest.approx(2 / 5)
    assert wrongs(find_dataset("1"), answers, pawns, np.array([0, 0, 0, 0, 2])).tolist() == [0, 1, 1, 1, 0]


@pytest.mark.parametrize("name", ["4", "win"])
def test_grades_of_numbers(name: str) -> None:
    pawns, answers = np.array([-2.0, 0.0, 4.0]), np.array([-1.0, 2.0, 30.0])
    verdict = graded(find_dataset(name), answers, pawns, np.arange(3))
    squares = [(1 / 40) ** 2, (2 / 40) ** 2, (16 / 40) ** 2]
    assert verdict["squared error"].value == pytest.approx(np.mean(squares))
    assert verdict["accuracy as data set 1"].value == pytest.approx(1 / 3)
    assert wrongs(find_dataset(name), answers, pawns, None) == pytest.approx(squares)
    assert "accuracy" not in verdict


def test_share_of_variance() -> None:
    pawns = np.array([-1.0, 0.0, 3.0])
    assert explained(pawns, pawns) == 1.0
    assert explained(np.full(3, pawns.mean()), pawns) == pytest.approx(0.0)
    assert explained(-pawns, pawns) < 0 and np.isfinite(explained(pawns, np.zeros(3)))


def boards(*fens: str) -> Any:
    return typed(stacked([CHESS.read(fen) for fen in fens]))


def test_material_is_the_movers() -> None:
    white, black = "4k3/p7/8/8/8/8/PP6/QRBNK3 w - - 0 1", "4k3/p7/8/8/8/8/PP6/QRBNK3 b - - 0 1"
    assert material(boards(white, black)).tolist() == [[1, 1, 1, 1, 1, 1], [-1, -1, -1, -1, -1, 1]]


def test_how_many_are_in_each_class() -> None:
    counts = balance(np.array([-9.0, -1.5, 0.0, 0.2, 1.5, 1.6]))
    assert counts["1"] == [1, 4, 1]
    assert len(counts["2"]) == 15 and counts["2"][7] == 4 and len(counts["3"]) == 20 and counts["3"][10] == 2
    assert set(counts) == {"1", "2", "3"}


def test_yardsticks_by_hand() -> None:
    """Labels that are two pawns for each pawn: who counts material is right, who says the mean is not."""
    plain, ahead, behind = (
        "4k3/p7/8/8/8/8/P7/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "4k3/pp6/8/8/8/8/P7/4K3 w - - 0 1",
    )  # fmt: skip
    learned = boards(plain, ahead, behind, ahead, ahead), np.array([0.0, 2.0, -2.0, 2.0, 2.0])
    asked = boards(ahead, behind, plain), np.array([2.0, -2.0, 0.0])
    measures = yardsticks(learned, asked, np.arange(3))
    assert set(measures) == {"1", "2", "3", "4", "win", "far"}
    usual, counted = measures["1"]["always the same"], measures["1"]["counts material"]
    assert usual["accuracy"].value == pytest.approx(1 / 3)  # Winning is the most frequent of what was learned from
    assert counted["accuracy"].value == 1.0
    four = measures["4"]["always the same"]  # the mean of what was learned from is 0.8
    assert four["error in pawns"].value == pytest.approx((1.2 + 2.8 + 0.8) / 3)
    assert four["squared error"].value == pytest.approx((1.2**2 + 2.8**2 + 0.8**2) / 3 / 1600)
    assert measures["4"]["counts material"]["error in pawns"].value == pytest.approx(0, abs=1e-9)
