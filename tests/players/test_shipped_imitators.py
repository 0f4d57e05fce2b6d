"""The students of Konane and Lines of Action that only watched: what their files say, and that they know the rules."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.games import find_game
from understudy.judges.students import judge_parts
from understudy.players import make_player
from understudy.players.network import Student
from understudy.players.student_files import SHIPPED, usual_opponent
from understudy.records.starts import reachable

GAMES = ("konane", "lines_of_action")


@pytest.mark.parametrize("name", GAMES)
def test_its_file_and_its_card_agree(name: str) -> None:
    player = make_player(f"student:{name}_imitator", find_game(name))
    assert isinstance(player, Student)
    facts, card = player.facts, (SHIPPED / f"{name}_imitator.md").read_text(encoding="utf-8")
    assert f"\n# student:{name}_imitator\n" in card and facts["experiment"] == f"{name}_imitator"
    assert facts["game"] == name and facts["size"] == "8x8" and "legality" not in facts["training"]
    assert str(facts["experiment"]) in card
    assert usual_opponent(find_game(name)) != f"student:{name}_imitator", "whom one plays is who plays best"


@pytest.mark.parametrize("name", GAMES)
def test_it_knows_the_rules_that_nobody_told_it(name: str) -> None:
    game = find_game(name)
    player = make_player(f"student:{name}_imitator", game)
    assert isinstance(player, Student)
    verdict = judge_parts(player, reachable(game, 500, np.random.default_rng(7)), judges=("legality",))
    assert (verdict["legality.whole"].value or 0.0) > 0.97
    assert (verdict["legality.illegal_mass.to"].value or 0.0) > 0, "it is sure of nothing"
