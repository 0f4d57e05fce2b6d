"""The student that imitates people at chess: what its file says, what it thinks, and that it knows most rules."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from understudy.cli import commands
from understudy.games import find_game
from understudy.judges.students import judge_parts
from understudy.players import make_player
from understudy.players.network import Student
from understudy.players.student_files import SHIPPED, usual_opponent
from understudy.records.starts import reachable

GAME = find_game("chess")
NAME = "student:chess_imitator"


@pytest.fixture(scope="module")
def student() -> Student:
    player = make_player(NAME, GAME)
    assert isinstance(player, Student)
    return player


def test_its_file_and_its_card_agree(student: Student) -> None:
    facts, card = student.facts, (SHIPPED / "chess_imitator.md").read_text(encoding="utf-8")
    assert facts["experiment"] == "chess_human" and facts["split"] == "people"
    assert "legality" not in facts["training"], "nobody told it the rules"
    for number in (facts["weights"], facts["learned_from"]["rows"]):
        assert f"{number:,}".replace(",", " ") in card
    assert str(facts["held_out"]["year"]) in card
    assert (SHIPPED / "chess_imitator.onnx").stat().st_size < 4_000_000
    assert usual_opponent(GAME) == "student:chess", "whom one plays is who plays best"


def test_it_opens_as_people_do(student: Student) -> None:
    thought = student.think(GAME.start())
    assert GAME.write_move(GAME.start(), thought.choice.move) in ("e4", "d4", "Nf3", "c4")
    assert [part.part for part in thought.parts] == ["from", "to", "promotion"]
    assert all(part.illegal < 0.05 for part in thought.parts)
    position = GAME.start()
    for move in ("e4", "e5", "Nf3", "Nc6"):
        position = GAME.play(position, GAME.read_move(position, move))
    assert GAME.write_move(position, student.choose([position])[0].move) in ("Bb5", "Bc4", "d4", "Nc3")


def test_it_has_illegal_thoughts_and_seldom_illegal_choices(student: Student) -> None:
    positions = reachable(GAME, 500, np.random.default_rng(7))
    verdict = judge_parts(student, positions, judges=("legality",))
    assert verdict["legality.from"].value > 0.9  # type: ignore[operator]
    assert verdict["legality.illegal_mass.to"].value > 0  # type: ignore[operator]


def test_think_tells_of_it() -> None:
    result = CliRunner().invoke(commands, ["think", "chess", NAME])
    assert result.exit_code == 0 and "from" in result.stdout.lower()
