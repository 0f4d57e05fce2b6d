"""Switches of Morris for games that do not end: repetition by the course's referee, by the modern rule, no capture."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from tests.tiny import TINY, changed, tiny
from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.morris.notation import CELLS
from understudy.games.rules import turn
from understudy.judges.tournament import play_match
from understudy.lab.settings import same_board
from understudy.match import Course, Terms, advance, resume, tell_more
from understudy.players.looking import repeated
from understudy.search.workspace import named

PLAIN = find_game("morris")
COURSE = find_game("morris", None, {"repetition": "course"})
THIRD = find_game("morris", None, {"repetition": "third"})
QUIET = find_game("morris", None, {"no_capture": "50"})


def make(mine: str, theirs: str) -> Any:
    """Return the position of stones given by cells."""
    own, other = mine.split(), theirs.split()
    letters = "".join("M" if cell in own else "E" if cell in other else "O" for cell in CELLS)
    return PLAIN.read(f"{letters}00{len(own)}{len(other)}")


SLIDING = make("a7 f6 c5 e4", "d1 b2 e3 c4")
FLYING = make("a7 f6 c4", "d1 b2 e5")
ROUND = ("a7d7", "d1g1", "d7a7", "g1d1")
"""Both walk to and fro: every fourth ply the same position."""


def walk(game: Any, start: Any, moves: list[str], terms: Terms = Terms()) -> Course:
    """Return a game after so many of the moves as it lasts."""
    course = resume(game, start, [])
    for text in moves:
        if course.played is None:
            advance(game, course, game.read_move(course.position, text), terms)
    return course


@pytest.mark.parametrize(("game", "plies"), [(PLAIN, 4), (COURSE, 5), (THIRD, 8)])
def test_walking_to_and_fro_is_a_draw_at_another_ply(game: Any, plies: int) -> None:
    course = walk(game, SLIDING, [*ROUND] * 4)
    assert course.played is not None
    assert (len(course.moves), course.played.result, course.played.reason) == (plies, 0, "repetition")


def test_the_course_does_not_look_whose_turn_it_is() -> None:
    moves = ["a7d7", "d1g1", "d7a7", "g1a1", "a7d7", "a1d1"]
    course = walk(COURSE, FLYING, moves)
    assert course.played is not None
    assert (len(course.moves), course.played.reason) == (6, "repetition")
    assert walk(PLAIN, FLYING, moves).played is None


def test_only_the_window_is_remembered() -> None:
    conventions = COURSE.conventions._replace(window=3)
    forgetful = type(COURSE)(COURSE.kind, COURSE.variant._replace(conventions=conventions))
    assert walk(forgetful, SLIDING, [*ROUND] * 3).played is None


def test_who_captures_nothing_for_long_draws() -> None:
    course = walk(QUIET, SLIDING, [*ROUND] * 20, Terms(repetition=0))
    assert course.played is not None
    assert (len(course.moves), course.played.result, course.played.reason) == (50, 0, "no capture")
    assert "too long" in QUIET.explain("no capture")


def test_terms_of_a_match_come_first() -> None:
    course = walk(COURSE, SLIDING, [*ROUND] * 4, Terms(repetition=3))
    assert len(course.moves) == 8


def test_searches_know_what_the_course_calls_a_draw() -> None:
    past = [SLIDING, PLAIN.play(SLIDING, PLAIN.read_move(SLIDING, "a7d7"))]
    plain, course = repeated(PLAIN, past), repeated(COURSE, past)
    assert {*plain} < {*course} == {int(named(one)) for at in past for one in (at, turn(at))}
    assert len(repeated(COURSE, past * 20)) == 4


def test_without_switches_nothing_has_changed() -> None:
    assert PLAIN.conventions == (2, 300, 2, None, True, None)
    assert PLAIN.switches == ()
    assert tell_more(PLAIN.conventions) == ""
    told = " Only the last 16 positions count, whoever is to move."
    assert tell_more(COURSE.conventions) == told
    assert tell_more(QUIET.conventions) == " 50 plies without a capture are a draw."
    with pytest.raises(UnknownName, match="setting of the morris rule 'repetition' 'cours'; did you mean 'course'"):
        find_game("morris", None, {"repetition": "cours"})


def test_matches_are_played_by_the_switches() -> None:
    game = find_game("morris", None, {"no_capture": "50", "repetition": "third"})
    meeting = play_match(game, ("random", "random"), games=20, seed=1, backend=Local(1), opening_plies=2)
    assert "no capture" in {played.reason for played in meeting.games}


def test_the_gaming_test_takes_switches() -> None:
    told = CliRunner().invoke(commands, ["gaming", "random", "--rule", "repetition"])
    assert isinstance(told.exception, BadOption)
    assert str(told.exception) == "--rule 'repetition' is not of the form name=value"


def test_experiments_take_switches() -> None:
    assert tiny("imitation", experiment__rules=["repetition=course"]).game.switches == (("repetition", "course"),)
    with pytest.raises(BadOption, match=r"experiment.rules 'x' is not of the form name=value"):
        tiny("imitation", experiment__rules=["x"])
    settings = changed(TINY["imitation"], experiment__rules=["repetition=course"])
    assert same_board(settings) != same_board(TINY["imitation"])
