"""The students of Lines of Action that evolved: what ships, what their cards say, and what they are good for."""

from __future__ import annotations

import pytest

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.match import ILLEGAL
from understudy.players import make_player
from understudy.players.choosers import make_chooser
from understudy.players.evolved import load_evolved
from understudy.players.student_files import SHIPPED

GAME = find_game("lines_of_action")
NAMES = ("lines_of_action_evolved", "lines_of_action_without_aloa", "plogann")
STRONGER = {
    ("student:lines_of_action_evolved", "student:plogann"): 0.85,
    ("student:lines_of_action_evolved", "searcher:depth=3,evaluator=aloa"): 0.55,
    ("student:lines_of_action_without_aloa", "searcher:depth=3,evaluator=aloa"): 0.5,
    ("student:plogann", "stochastic:depth=3"): 0.6,
}
"""Players, and the share of the points that the first has against the second at least; of 400 games it has had more."""


@pytest.mark.parametrize("name", NAMES)
def test_students_and_their_cards_agree(name: str) -> None:
    student = load_evolved(SHIPPED / f"{name}.safetensors")
    card = (SHIPPED / f"{name}.md").read_text(encoding="utf-8")
    assert card.startswith(f"# student:{name}\n") and f"{student.facts['generations']} generations" in card
    assert f"understudy run {student.facts['experiment']}" in card and student.depth == 3
    player = make_player(f"student:{name}", GAME)
    assert player.choose([GAME.start()])[0].move in GAME.moves(GAME.start())
    assert make_chooser(f"student:{name}", GAME).depth == 3, "it plays inside kernels, so it may be an opponent"


def test_they_are_a_few_kilobytes() -> None:
    sizes = {name: (SHIPPED / f"{name}.safetensors").stat().st_size for name in NAMES}
    assert max(sizes.values()) < 20_000, sizes


@pytest.mark.parametrize(("players", "least"), STRONGER.items(), ids=[", ".join(names) for names in STRONGER])
def test_they_beat_players_that_see_less(players: tuple[str, str], least: float) -> None:
    meeting = play_match(GAME, players, games=20, seed=31, backend=Local(1), opening_plies=2)
    points = sum((1 + result) / 2 for result in meeting.results) / 20
    assert points >= least, meeting.results
    assert ILLEGAL not in [game.reason for game in meeting.games]
