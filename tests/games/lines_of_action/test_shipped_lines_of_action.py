"""The students of Lines of Action that ship: what their files say, and that they play as their cards say."""

from __future__ import annotations

from understudy.backends import Local
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.players import make_player
from understudy.players.evolved import load_evolved
from understudy.players.student_files import SHIPPED, usual_opponent

NAME = "student:lines_of_action"


def test_its_file_and_its_card_agree() -> None:
    evolved = load_evolved(SHIPPED / "lines_of_action.safetensors")
    card = (SHIPPED / "lines_of_action.md").read_text(encoding="utf-8")
    assert evolved.facts["experiment"] == "lines_of_action_evolved" and evolved.facts["name"] == "schooled"
    assert f"{evolved.alleles.size:,}".replace(",", " ") in card
    assert evolved.depth == 3


def test_it_searches_three_plies_and_is_whom_one_plays() -> None:
    game = find_game("lines_of_action")
    assert make_player(NAME, game).limits.depth == 3  # type: ignore[attr-defined]
    assert usual_opponent(game) == NAME
    assert usual_opponent(find_game("lines_of_action", (6, 6))) == "searcher:time=1"


def test_it_beats_the_stochastic_player_and_holds_its_own_against_aloa() -> None:
    game = find_game("lines_of_action")
    plan = {"seed": 3, "backend": Local(1), "opening_plies": 2}
    won, drawn, _ = play_match(game, (NAME, "stochastic:depth=3"), games=10, **plan).score()  # type: ignore[arg-type]
    assert won + drawn >= 9
    won, drawn, _ = play_match(game, (NAME, "searcher:depth=4,evaluator=aloa"), games=10, **plan).score()  # type: ignore[arg-type]
    assert won + drawn >= 4


def test_the_one_that_evolution_made_alone_says_so_and_plays() -> None:
    evolved = load_evolved(SHIPPED / "lines_of_action_evolved.safetensors")
    card = (SHIPPED / "lines_of_action_evolved.md").read_text(encoding="utf-8")
    assert evolved.facts["experiment"] == "lines_of_action_alone" and evolved.facts["method"] == "strategy"
    assert f"{evolved.alleles.size} weights" in card and f"`{evolved.facts['name']}`" in card
    players = ("student:lines_of_action_evolved", "searcher:depth=4,evaluator=aloa")
    played = play_match(find_game("lines_of_action"), players, games=10, seed=3, backend=Local(1), opening_plies=2)
    won, drawn, _ = played.score()
    assert won + drawn >= 3
