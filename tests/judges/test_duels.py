"""Duels inside kernels: their games are counted as those of matches are, and what is stored of them can be read."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.duels import (
    NOTHING,
    Score,
    Start,
    added,
    count_marks,
    draw_starts,
    play_duel,
    play_marks,
    read_score,
    score_lines,
    write_different,
    write_meeting,
    write_score,
)
from understudy.judges.measures import wilson
from understudy.judges.pairs import Pairs, measure_points
from understudy.judges.tournament import Meeting, play_match
from understudy.match import CHOOSING_SHARE, random_openings, seeded_openings
from understudy.players.choosers import make_chooser
from understudy.search.choosers import RESULT, Anyone, name_moves

FOUR, SIX = find_game("konane", (4, 4)), find_game("konane", (6, 6))
LINES = find_game("lines_of_action", (5, 5))
PLAYERS = ("searcher:evaluator=q,depth=2", "searcher:evaluator=q,depth=1")
"""Without chance: by name and inside kernels they choose the same moves."""


def play_both_ways(game: Any, *, games: int, plies: int) -> tuple[Meeting, Score]:
    """Return the same games as a match, which keeps all moves, and as a duel, which keeps marks alone."""
    one, other = (make_chooser(name, game) for name in PLAYERS)
    meeting = play_match(game, PLAYERS, games=games, seed=3, backend=Local(1), opening_plies=plies)
    starts = _starts_of(game, meeting)
    return meeting, count_marks(play_marks(game, one, other, games=games, seed=3, name="x", starts=starts))


def _starts_of(game: Any, meeting: Meeting) -> list[Start]:
    """Return where each pair of games of a match began."""
    openings = [played.moves[: played.opening] for played in meeting.games[0::2]]
    return [Start(reduce(game.play, moves, game.start()), name_moves(moves)) for moves in openings]


@pytest.mark.parametrize(
    ("games", "plies", "repeats"), [(40, 0, 38), (60, 4, 1), (61, 4, 1), (7, 2, 0), (120, 2, None)]
)
def test_a_duel_counts_the_same_games_as_a_match(games: int, plies: int, repeats: int | None) -> None:
    meeting, score = play_both_ways(SIX, games=games, plies=plies)
    assert write_score(score) == write_meeting(meeting)
    pairs = meeting.pairs()
    assert (score.games, score.different) == (games, pairs.different)
    assert sum(score.pairs or ()) == pairs.number
    assert sum(score.repeated or ()) == repeats if repeats is not None else pairs.different < games / 2
    points = score.points()
    share = (meeting.results.count(1) + meeting.results.count(0) / 2) / games
    assert points == measure_points(pairs._replace(half=None), share)
    assert points.value == share


def test_a_game_is_the_same_whether_its_first_moves_were_given_or_chosen() -> None:
    two, one = (make_chooser(name, SIX) for name in PLAYERS)
    [played, _] = play_match(SIX, PLAYERS, games=2, seed=0, backend=Local(1), opening_plies=0).games
    start = Start(reduce(SIX.play, played.moves[:6], SIX.start()), name_moves(played.moves[:6]))
    assert play_marks(SIX, two, one, games=1, seed=0, name="x", starts=[start]) == play_marks(
        SIX, two, one, games=1, seed=0, name="x"
    )


def test_a_duel_without_chance_is_one_pair_however_often_it_is_played() -> None:
    two, one = (make_chooser(name, SIX) for name in PLAYERS)
    few, many = (play_duel(SIX, two, one, games=games, seed=1, name="x") for games in (2, 500))
    assert (many.games, many.different, sum(many.pairs or ())) == (500, 2, 1)
    assert few.won() == many.won()
    assert many.won().high - many.won().low > 0.5
    assert write_different(many) == "500 games, 2 different: too few to trust"
    assert not many.trusted


def test_the_mark_of_a_game_knows_its_opening_its_colours_its_moves_and_its_result() -> None:
    one, other = (make_chooser(name, SIX) for name in PLAYERS)
    starts = draw_starts(SIX, 13, plies=4, seed=5)[1:]  # the plain start may lead into one of the others
    marks = play_marks(SIX, one, other, games=24, seed=1, name="x", starts=starts)
    assert len(set(marks.tolist())) == 24
    assert (marks >= 0).all()
    again = play_marks(SIX, one, other, games=24, seed=2, name="y", starts=starts)
    assert np.array_equal(marks, again)  # there is no chance in it
    same = play_marks(SIX, one, one, games=2, seed=1, name="x")
    assert same[0] != same[1]  # the same moves with the other colours
    assert {int(mark & RESULT) for mark in same} == {0, 2}


def test_few_games_from_one_start_do_not_become_many_pairs() -> None:
    """Nine games as each side can be paired in 81 ways, and still are 18 games."""
    marks = np.array([[4 * first + 2, 4 * (100 + second)] for first in range(9) for second in range(9)]).ravel()
    score = count_marks(marks)
    assert (score.games, score.different, sum(score.pairs or ())) == (162, 18, 81)
    assert not score.trusted
    low, high = wilson(0.5, 18)
    measure = score.won()
    assert measure.high - measure.low == pytest.approx(high - low, rel=0.6)
    assert measure.high - measure.low > 2 * (wilson(0.5, 162)[1] - 0.5)


def test_draws_are_half_a_point_and_no_win() -> None:
    marks = np.array([4 + 1, 8 + 2, 12 + 1, 16 + 0])  # drawn and won, drawn and lost
    score = count_marks(marks)
    assert (score.first, score.second, score.pairs) == ((0, 2, 0), (1, 0, 1), (0, 0, 0, 1, 0, 1, 0, 0, 0))
    assert score.points().value == 0.5 and score.won().value == 0.25
    assert score.points() == measure_points(Pairs((0, 1, 0, 1, 0), None, 4, 4), 0.5)
    one, other = make_chooser("stochastic:depth=1", LINES), Anyone()
    played = play_duel(LINES, one, other, games=20, seed=0, name="x", opening_plies=2)
    assert played.games == 20 and sum(played.pairs or ()) == 10


def test_scores_without_pairs_are_read_and_say_so() -> None:
    old, later = read_score([[1, 2, 3], [4, 5, 6]]), read_score([[1, 2, 3], [4, 5, 6], [2, 1]])
    assert old.different is None and old.pairs is None
    assert write_different(old) == "21 games, repetitions unknown"
    assert old.won().low == wilson(9 / 21, 21)[0]
    assert later.different == 18 and later.won().low == wilson(9 / 21, 18)[0]
    assert write_score(old) == [[1, 2, 3], [4, 5, 6]] and write_score(later) == [[1, 2, 3], [4, 5, 6], [2, 1]]
    assert added(old, NOTHING) == old
    assert added(old, later).repeated is None
    assert score_lines({"A": {"last": {"random": [[1, 2, 3], [4, 5, 6]]}}}) == [
        "A, last: 42.9% (24.5% to 63.5%) v random, 21 games, repetitions unknown"
    ]
    with pytest.raises(ValueError, match="pairs have 9 outcomes, not 3"):
        read_score([[1, 2, 3], [4, 5, 6], [2, 1], [1, 2, 3]])


def test_scores_of_several_students_add_up() -> None:
    one = count_marks(np.array([4, 10, 4, 10]))
    both = added(one, one)
    assert (both.games, both.different, both.pairs) == (8, 4, tuple(2 * number for number in one.pairs or ()))
    assert read_score(write_score(both)) == both
    assert added(both, NOTHING) == both


def test_one_side_alone_has_its_different_games() -> None:
    score = count_marks(np.array([4 + 2, 10, 4 + 2, 14, 8, 10]))
    first = score.of_side(0)
    assert (first.games, first.different, first.pairs) == (3, 2, None)
    assert score.won_as(0) == first.won()
    assert read_score([[1, 0, 2], [0, 0, 3]]).of_side(1) == Score((0, 0, 0), (0, 0, 3))


def test_games_that_choose_and_games_that_grade_have_no_opening_in_common() -> None:
    for game, plies in ((FOUR, 4), (SIX, 4), (LINES, 2)):
        choosing, grading = (
            {game.key(begun.position) for begun in seeded_openings(game, 200, plies=plies, seed=7, choosing=choosing)}
            for choosing in (True, False)
        )
        assert choosing and grading and not choosing & grading
        assert game.key(game.start()) in grading
        assert {key % CHOOSING_SHARE for key in choosing} == {0}
    anything = random_openings(SIX, 300, plies=4, rng=np.random.default_rng(0))
    assert anything == random_openings(SIX, 300, plies=4, rng=np.random.default_rng(0), choosing=None)
