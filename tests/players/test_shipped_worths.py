"""The students of Nine Men's Morris that know worths: what ships, what its cards say, and what it is good for."""

from __future__ import annotations

import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.match import ILLEGAL
from understudy.players import make_player
from understudy.players.student_files import SHIPPED

MORRIS = find_game("morris")
STRONGER = {
    ("student:morris_worths,depth=1", "stochastic:depth=2"): 0.9,
    ("student:morris_worths,depth=1", "searcher:depth=1"): 0.6,
    ("student:morris_inside,depth=2", "searcher:depth=1"): 0.6,
    ("student:morris_td,depth=3", "stochastic:depth=2"): 0.9,
}
"""Players, and the share of the points that the first has against the second at least; of 60 games it has had more."""


@pytest.mark.parametrize("name", ["morris_worths", "morris_inside", "morris_td"])
def test_students_and_their_cards_agree(name: str) -> None:
    player = make_player(f"student:{name},depth=1", MORRIS)
    thought = player.think(MORRIS.start())
    assert thought.choice.move in MORRIS.moves(MORRIS.start()) and -1 <= (thought.choice.value or 0.0) <= 1
    card = (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    assert f"\n# student:{name}\n" in card


@pytest.mark.parametrize(("players", "least"), STRONGER.items(), ids=[", ".join(names) for names in STRONGER])
def test_they_beat_players_that_see_less(players: tuple[str, str], least: float) -> None:
    meeting = play_match(MORRIS, players, games=20, seed=31, backend=Local(1), opening_plies=2)
    points = sum((1 + result) / 2 for result in meeting.results) / 20
    assert points >= least, meeting.results
    assert ILLEGAL not in [game.reason for game in meeting.games]
