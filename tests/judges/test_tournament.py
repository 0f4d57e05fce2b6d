"""Tournaments: the same games for any number of workers, tables that add up, ratings against an outside truth."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from understudy.backends import Local
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.judges.measures import SCALE, rate, wilson
from understudy.judges.tables import meeting_json, standings_csv, standings_json
from understudy.judges.tournament import Meeting, play_match, round_robin
from understudy.match import ILLEGAL, Played

PLAYERS = ["random", "stochastic:depth=2", "searcher:depth=1,ties=random"]
KONANE = find_game("konane", (6, 6))


def test_the_same_seed_gives_the_same_games_for_any_number_of_workers() -> None:
    runs = [
        round_robin(KONANE, PLAYERS, games=11, seed=4, backend=Local(workers), opening_plies=4).meetings
        for workers in (1, 2, 5)
    ]
    assert runs[0] == runs[1] == runs[2]
    other = round_robin(KONANE, PLAYERS, games=11, seed=5, backend=Local(2), opening_plies=4).meetings
    assert other != runs[0]


def test_both_colours_of_each_opening_are_played() -> None:
    meeting = play_match(KONANE, ("random", "stochastic:depth=1"), games=10, seed=1, backend=Local(1), opening_plies=4)
    openings = [game.moves[: game.opening] for game in meeting.games]
    assert openings[0::2] == openings[1::2]
    assert len(set(openings)) == 5
    data = meeting_json(KONANE, meeting)
    assert [game["first"] for game in data["games"]] == ["random", "stochastic:depth=1"] * 5
    assert data["wins"] + data["draws"] + data["losses"] == 10
    assert sum(game["result"] == 1 for game in data["games"]) == data["wins"]
    assert data["illegal"] == [0, 0]


def test_a_match_counts_for_each_player_the_games_lost_by_an_illegal_move() -> None:
    lost = [
        Played((), 0, -1, ILLEGAL),
        Played((), 0, 1, ILLEGAL),
        Played((), 0, -1, "no move"),
        Played((), 0, 1, ILLEGAL),
    ]
    data = meeting_json(KONANE, Meeting(("one", "other"), tuple(lost)))
    assert data["illegal"] == [3, 0] and data["losses"] == 4
    data = meeting_json(KONANE, Meeting(("one", "other"), (lost[1], lost[1], lost[2], lost[2])))
    assert data["illegal"] == [1, 1] and data["wins"] == 2


def test_the_table_adds_up() -> None:
    heard = []
    standings = round_robin(KONANE, PLAYERS, games=6, seed=2, backend=Local(2), opening_plies=2, progress=heard.append)
    assert sum(heard) == 18
    points = standings.points()
    assert points.sum() == 18
    assert np.allclose(points + points.T, 6 * (1 - np.eye(3)))
    for row in standings_json(KONANE, standings)["table"]:
        assert row["games"] == 12 == row["wins"] + row["draws"] + row["losses"]
        assert row["wins"] == row["wins_moving_first"] + row["wins_moving_second"]
        assert row["points"] == row["wins"] + row["draws"] / 2 == sum(row["against"].values())
        assert row["elo_low"] < row["elo"] < row["elo_high"]
        assert row["wins_moving_first"] + row["draws_moving_first"] + row["losses_moving_first"] == 6
    assert json.dumps(standings_json(KONANE, standings))
    rows = list(csv.DictReader(io.StringIO(standings_csv(standings))))
    assert [row["player"] for row in rows] == [row["player"] for row in standings_json(KONANE, standings)["table"]]


def test_better_players_rate_higher() -> None:
    standings = round_robin(KONANE, PLAYERS, games=40, seed=2, backend=Local(2), opening_plies=2)
    ratings = dict(zip(standings.players, standings.ratings, strict=True))
    assert ratings["searcher:depth=1,ties=random"].elo > ratings["random"].elo


def test_two_players_of_one_name_are_refused() -> None:
    with pytest.raises(BadOption, match="different names"):
        round_robin(KONANE, ["random", "random"], games=2, seed=0, backend=Local(1), opening_plies=0)


def test_the_rating_of_two_players_is_the_formula_of_elo() -> None:
    wins, games = 7500.0, 10_000.0
    first, second = rate(np.array([[0, wins], [games - wins, 0]]))
    expected = 400 * np.log10(wins / (games - wins))
    assert first.elo - second.elo == pytest.approx(expected, abs=0.5)
    error = SCALE / np.sqrt(games * 0.75 * 0.25) * 1.96
    assert (first.high - first.low) / 2 == pytest.approx(error / 2, rel=0.02)


def test_ratings_recover_the_strengths_that_made_the_games() -> None:
    rng = np.random.default_rng(0)
    truth = np.array([0.0, 100.0, 250.0, -350.0])
    covered = 0
    for _ in range(50):
        points = np.zeros((4, 4))
        for a in range(4):
            for b in range(a):
                won = rng.binomial(200, 1 / (1 + 10 ** ((truth[b] - truth[a]) / 400)))
                points[a, b], points[b, a] = won, 200 - won
        ratings = rate(points)
        covered += sum(rating.low < t < rating.high for rating, t in zip(ratings, truth - truth.mean(), strict=True))
    assert 0.9 < covered / 200 <= 0.99


def test_a_player_that_won_everything_has_a_finite_rating() -> None:
    first, second = rate(np.array([[0.0, 20.0], [0.0, 0.0]]))
    assert 200 < first.elo - second.elo < 2000
    assert first.low > second.elo


def test_wilson_against_a_published_value() -> None:
    low, high = wilson(0.5, 100)
    assert (low, high) == (pytest.approx(0.4038, abs=1e-4), pytest.approx(0.5962, abs=1e-4))
    assert wilson(1.0, 10)[1] == 1.0
    assert wilson(0.0, 0) == (0.0, 1.0)


def test_local_workers_keep_the_order_and_pass_errors_on() -> None:
    assert list(Local(3).map(lambda x: x * x, range(50))) == [x * x for x in range(50)]

    def fail(x: int) -> int:
        if x == 5:
            raise BadOption("five")
        return x

    with pytest.raises(BadOption, match="five"):
        list(Local(2).map(fail, range(20)))
