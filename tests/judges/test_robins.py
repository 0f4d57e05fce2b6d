"""Round robins compared: ranks, correlations, intervals, and how many games a table seems to have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import UnderstudyError
from understudy.judges.robins import (
    Robin,
    ceiling,
    compare,
    effective_games,
    find_differing,
    gather_robin,
    mid_ranks,
    read_published,
    spearman,
)

NAMES = tuple("ghijklmnopqr")


def drawn(strengths: list[float], games: int, seed: int) -> Robin:
    """Return a round robin played by chance; equal strengths play alike."""
    rng, size = np.random.default_rng(seed), len(strengths)
    shares = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(i):
            shares[i, j] = rng.binomial(games, 1 / (1 + math.exp(strengths[j] - strengths[i]))) / games
            shares[j, i] = 1 - shares[i, j]
    return Robin(NAMES[:size], shares, np.where(np.isnan(shares), 0, games))


def test_ranks_share_the_middle() -> None:
    assert mid_ranks([10.0, 30.0, 20.0]).tolist() == [3, 1, 2]
    assert mid_ranks([5.0, 7.0, 5.0, 5.0, 1.0]).tolist() == [3, 1, 3, 3, 5]
    assert mid_ranks([2.0, 2.0]).tolist() == [1.5, 1.5]


def test_spearman_of_known_numbers() -> None:
    ones, others = [86, 97, 99, 100, 101, 103, 106, 110, 112, 113], [2, 20, 28, 27, 50, 29, 7, 17, 6, 12]
    assert spearman(ones, others) == pytest.approx(-29 / 165)
    assert spearman([1, 2, 3], [10, 20, 90]) == pytest.approx(1)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert spearman([1, 2, 2, 4], [1, 3, 2, 4]) == pytest.approx(0.9486833)  # with a tie
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3]))


@given(st.permutations(range(8)))
def test_spearman_without_ties_is_the_usual_sum(order: list[int]) -> None:
    squares = sum((place - rank) ** 2 for place, rank in enumerate(order))
    assert spearman(list(range(8)), order) == pytest.approx(1 - 6 * squares / (8 * 63))
    assert spearman([3 * x + 1 for x in order], [x**3 for x in order]) == pytest.approx(1)


def test_scores_are_gathered() -> None:
    robin = gather_robin({"g": {"h": [[10, 0, 40], [20, 0, 30]], "q": [[50, 0, 0], [50, 0, 0]]}})
    assert robin.names == ("g", "h", "q")
    assert robin.shares[0].tolist()[1:] == [0.7, 0.0] and robin.shares[1, 0] == pytest.approx(0.3)
    assert math.isnan(robin.shares[1, 2]) and math.isnan(robin.shares[0, 0]) and robin.games[2, 0] == 100
    assert robin.averages.tolist() == pytest.approx([0.35, 0.3, 1.0])
    assert robin.among(("q", "g")).shares[0, 1] == 1


def test_cells_differ_where_their_intervals_do_not_meet() -> None:
    ours = gather_robin({"g": {"h": [[200, 0, 300], [200, 0, 300]]}})  # 60 %: 56.9 to 63.0
    for published, many, few in ((0.55, False, False), (0.52, True, False), (0.40, True, True)):
        theirs = Robin(("g", "h"), np.array([[np.nan, published], [1 - published, np.nan]]), ours.games)
        assert find_differing(ours, theirs)[0, 1] == find_differing(ours, theirs)[1, 0] == many
        assert find_differing(ours, theirs, games=80)[0, 1] == few
        assert not find_differing(ours, theirs)[0, 0]


@pytest.mark.parametrize("games", [80, 1000])
def test_players_that_play_alike_tell_how_many_games_were_played(games: int) -> None:
    strengths = [-1.0, -0.5, 0.0, 0.2, 0.5, 0.5, -1.2, -0.3, 0.4, 0.3, 0.8, 0.8]
    robins = [drawn(strengths, games, seed) for seed in range(12)]
    twins = [("e", "f"), ("k", "l"), ("q", "r")]
    assert effective_games(robins, twins) == pytest.approx(games, rel=0.3)
    assert math.isnan(effective_games(robins, [("a", "b")]))


def test_a_table_agrees_with_itself_and_less_with_noise() -> None:
    strengths = [-1.0, -0.5, 0.0, 0.2, 0.5, 0.5, -1.2, -0.3, 0.4, 0.3, 0.8, 0.8]
    true, noisy = drawn(strengths, 10**6, 1), drawn(strengths, 30, 2)
    same = compare(true, true, seem=1000, twins=[("k", "l"), ("q", "r")])
    assert (same.spearman, same.distinct, same.difference, same.slope) == pytest.approx((1, 1, 0, 1))
    assert 0.9 < same.low <= same.high <= 1
    assert same.pairs == same.close == same.near == 66
    straight, turned = compare(true, noisy, seem=30), compare(noisy, true, seem=30)
    assert turned.spearman == straight.spearman and turned.high - turned.low > 2 * (straight.high - straight.low)
    assert 0.7 < straight.spearman < 1 and straight.distinct == straight.spearman
    assert 0.04 < straight.difference < 0.15 and straight.pairs == 66
    assert straight.near > 58 and ceiling(noisy, games=30) < ceiling(noisy, games=10_000) <= 1
    assert math.isnan(ceiling(noisy, games=math.nan))


def test_published_tables_are_read() -> None:
    paper = {"games": 500, "averages": {"g": [47.0, 47.0]}, "depth_2": {"g": {"h": 47}, "h": {"g": 53}}}
    published = read_published(paper)
    assert published.games == 500 and published.averages == {"g": (47.0, 47.0)} and list(published.robins) == [2]
    assert published.robins[2].shares[0, 1] == 0.47 and published.robins[2].games[0, 1] == 500
    assert read_published({}).robins == {}


@pytest.mark.parametrize(
    ("paper", "message"),
    [
        ({"depth_1": {"g": {"h": 47}, "h": {"g": 50}}}, "g against h and back are 97 % together, not 100"),
        ({"depth_1": {"g": {"h": 147}}}, "paper.depth_1.: g.h must be a number of per cent, not 147"),
        ({"depth_1": {"g": {"h": "half"}}}, "not 'half'"),
        ({"depth_1": {"g": 3}}, "must be a table of names, not 3"),
        ({"depth_1": [1]}, "must be a table of names"),
        ({"depths": {}}, "no table in .paper. 'depths'"),
        ({"games": 0}, "games must be a whole number above 0, not 0"),
        ({"averages": {"g": 3}}, "averages.: g must be a list of numbers, not 3"),
        ({"averages": {"g": [True]}}, "averages.: g must be a number of per cent, not True"),
    ],
)
def test_wrong_published_tables_are_told(paper: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        read_published(paper)
