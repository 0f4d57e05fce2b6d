"""The student of Nine Men's Morris that ships: what its file says, that it knows the rules, and how strong it is."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.students import judge_parts
from understudy.judges.tournament import play_match
from understudy.match import ILLEGAL
from understudy.players import make_player
from understudy.players.network import Student
from understudy.players.student_files import SHIPPED
from understudy.records.starts import reachable

MORRIS = find_game("morris")
WEAKER = {"random": 0.95, "stochastic:depth=2": 0.9, "searcher:depth=1,evaluator=stones,ties=random": 0.8}
"""Players, and the share of the points that the student has against each at least; of 60 games it has had more."""


def test_its_file_and_its_card_agree() -> None:
    player = make_player("student:morris", MORRIS)
    assert isinstance(player, Student)
    card = (SHIPPED / "morris.md").read_text(encoding="utf-8")
    assert "\n# student:morris\n" in card
    assert player.facts["game"] == "morris" and f"experiments/{player.facts['experiment']}.toml" in card
    assert f"`{player.facts['encoder']}`" in card and player.facts["design"] == "whole"


def test_it_knows_the_rules() -> None:
    player = make_player("student:morris", MORRIS)
    assert isinstance(player, Student)
    verdict = judge_parts(player, reachable(MORRIS, 4000, np.random.default_rng(7)), judges=("legality",))
    assert (verdict["legality.whole"].value or 0.0) > 0.995


@pytest.mark.parametrize("opponent", WEAKER)
def test_it_beats_players_that_see_little(opponent: str) -> None:
    meeting = play_match(MORRIS, ("student:morris", opponent), games=20, seed=31, backend=Local(1), opening_plies=2)
    points = sum((1 + result) / 2 for result in meeting.results) / 20
    assert points >= WEAKER[opponent], meeting.results
    reasons = [game.reason for game, result in zip(meeting.games, meeting.results, strict=True) if result < 0]
    assert ILLEGAL not in reasons
