"""The sequential test: bounds and lengths by Wald, hypotheses that make sense, matches that end by themselves."""

from __future__ import annotations

import json
import math

import pytest
from click.testing import CliRunner

from benchmarks import bench_intervals, bench_sprt
from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.judges.sprt import (
    FEWEST,
    STALE,
    Hypotheses,
    Trial,
    expected_games,
    expected_pairs,
    log_ratio,
    play_sprt,
    read_hypotheses,
)
from understudy.match import Opening, Played

FOUR, SIX = find_game("konane", (4, 4)), find_game("konane", (6, 6))
STRONG, WEAK = "searcher:depth=3,ties=random", "random"


def test_bounds_promise_each_error_and_lie_outside_walds() -> None:
    hypotheses = Hypotheses(0, 20, alpha=0.1, beta=0.02)
    assert (hypotheses.lower, hypotheses.upper) == (pytest.approx(math.log(0.02)), pytest.approx(math.log(10)))
    assert hypotheses.walds == (pytest.approx(math.log(0.02 / 0.9)), pytest.approx(math.log(0.98 / 0.1)))
    low, high = hypotheses.shares
    assert (low, high) == (0.5, pytest.approx(1 / (1 + 10 ** (-20 / 400))))


def test_the_ratio_of_many_pairs_is_that_of_independent_games() -> None:
    hypotheses, pairs = Hypotheses(0, 100), 100_000
    low, high = hypotheses.shares
    wins = 0.57 * 2 * pairs
    exact = wins * math.log(high / low) + (2 * pairs - wins) * math.log((1 - high) / (1 - low))
    squares = pairs * (0.57**2 + 0.57 * 0.43 / 2)
    assert float(log_ratio(hypotheses, float(pairs), 0.57 * pairs, squares)) == pytest.approx(exact, rel=1e-3)


def test_the_expected_length_grows_with_the_square_of_the_difference() -> None:
    near, far = (expected_pairs(Hypotheses(0, elo), 0.5, 0.5, overshoot=0.0) for elo in (10, 20))
    assert near / far == pytest.approx(4, rel=0.01)
    halfway = expected_pairs(Hypotheses(-10, 10), 0.5, 0.5, overshoot=0.0)
    step = 2 * math.log(Hypotheses(-10, 10).shares[1] / Hypotheses(-10, 10).shares[0]) * math.sqrt(0.5)
    assert halfway == pytest.approx(math.log(19) ** 2 / step**2, rel=0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "two numbers"),
        ("0,x", "two numbers"),
        ("20,0", "below the second"),
        ("0,2000", "below the second"),
        ("0,nan", "below the second"),
        ("0,0.5", "takes about 2,5"),
    ],
)
def test_hypotheses_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        read_hypotheses(text)


def test_hypotheses_at_the_edge_of_a_million_games() -> None:
    assert 500_000 < expected_games(read_hypotheses("0,1")) < 1_000_000
    with pytest.raises(BadOption, match="--beta must be above 0"):
        read_hypotheses("0,20", beta=0.0)


def test_no_match_ends_before_the_fewest_pairs() -> None:
    trial = Trial(Hypotheses(0, 400))
    for number in range(FEWEST):
        assert trial.accepted is None
        trial.add(Played((number,), 0, 1, ""), Played((number, 1), 0, -1, ""))
    assert trial.llr > 3 * trial.hypotheses.upper and trial.accepted == "H1"


def test_repeated_pairs_change_nothing() -> None:
    trial = Trial(Hypotheses(0, 100))
    won, lost = Played((1,), 0, 1, ""), Played((2,), 0, -1, "")
    trial.add(won, lost)
    after_one = trial.describe()
    for _ in range(STALE):
        trial.add(won, lost)
    assert trial.describe() == after_one
    assert after_one["pairs"] == 1
    assert trial.over
    assert trial.accepted is None
    assert "repeat earlier ones" in trial.write()


def test_a_stronger_player_is_found_out_and_the_same_for_any_number_of_workers() -> None:
    runs = [
        play_sprt(SIX, (STRONG, WEAK), Hypotheses(0, 100), most=2000, seed=1, backend=Local(workers), opening_plies=2)
        for workers in (1, 3)
    ]
    (meeting, trial), (again, _) = runs
    assert trial.accepted == "H1"
    assert meeting == again
    assert len(meeting.games) == 2 * len(trial.seen) < 200
    swapped = play_sprt(SIX, (WEAK, STRONG), Hypotheses(0, 100), most=2000, seed=1, backend=Local(1), opening_plies=2)
    assert swapped[1].accepted == "H0"


def test_players_without_chance_run_out_of_pairs() -> None:
    players = ("searcher:depth=2", "searcher:depth=1")
    meeting, trial = play_sprt(
        FOUR, players, Hypotheses(0, 20), most=100_000, seed=0, backend=Local(2), opening_plies=2
    )
    assert trial.accepted is None
    assert len(trial.seen) == meeting.pairs().number < 100
    assert len(meeting.games) < 2000


def test_the_most_games_are_kept_to_and_a_book_is_played_over_and_over() -> None:
    start = FOUR.play(FOUR.start(), FOUR.moves(FOUR.start())[0])
    meeting, trial = play_sprt(
        FOUR,
        (WEAK, WEAK),
        Hypotheses(0, 5),
        most=51,
        seed=0,
        backend=Local(1),
        opening_plies=0,
        book=[Opening((), start)],
    )
    assert len(meeting.games) == 50
    assert {game.start for game in meeting.games} == {start}
    assert trial.accepted is None
    assert "the games are over" in trial.write()


def test_the_command_tells_the_answer() -> None:
    run = ["match", "konane", "--size", "6", STRONG, WEAK, "--sprt", "0,150", "--opening-plies", "2"]
    shown = CliRunner().invoke(commands, run)
    assert shown.exit_code == 0
    assert "H1 accepted, a difference of 150 Elo" in shown.output
    facts = json.loads(CliRunner().invoke(commands, [*run, "--json", "--games", "8"]).stdout)
    assert facts["sprt"].keys() >= {"accepted", "llr", "lower", "upper", "pairs"}
    assert len(facts["games"]) <= 8
    assert facts["sprt"]["pairs"] == facts["pairs"]
    refused = CliRunner().invoke(commands, [*run, "--games", "1"])
    assert refused.exit_code != 0


def test_errors_and_lengths_in_small() -> None:
    for course in bench_sprt.run(400, (Hypotheses(0, 60),)):
        assert course.wrong is None or course.wrong <= course.asked + 3 * math.sqrt(0.05 * 0.95 / 400)
        assert abs(course.length / course.theory - 1) < 0.25


def test_intervals_hold_the_truth_in_small() -> None:
    every = list(bench_intervals.cover(150))
    assert len(every) == 63
    assert 0.94 < sum(one.ours for one in every) / len(every) < 0.965
    assert min(one.ours for one in every) > 0.88
    assert min(one.naive for one in every) < 0.5
