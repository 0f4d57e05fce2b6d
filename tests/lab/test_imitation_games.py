"""Imitation in Konane, Lines of Action and chess: watched, learned, judged, played, thought of, and refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.tiny import IMITATIONS
from understudy import lab
from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked
from understudy.judges.tournament import play_match
from understudy.lab.experiments import make_experiment
from understudy.lab.settings import board_of
from understudy.players import make_player
from understudy.players.network import Student
from understudy.players.parts import think_given
from understudy.records.store import load

GAMES = ("konane", "lines_of_action", "chess")


@pytest.fixture(scope="module", params=GAMES)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("run") / request.param
    lab.run(make_experiment("test", IMITATIONS[request.param], folder=Path()), place, show=lambda news: None)
    return place


def game_of(folder: Path) -> CompiledGame:
    return board_of(make_experiment("test", IMITATIONS[folder.name], folder=Path()).about)


def test_a_run_tells_the_measures_of_morris(folder: Path) -> None:
    game, verdicts = game_of(folder), json.loads((folder / "verdicts.json").read_text())
    assert set(verdicts) == {"test rows, split orbit", "training rows", "states", "games against random"}
    for verdict in verdicts["test rows, split orbit"].values():
        assert {"accuracy.whole", *(f"accuracy.{part}" for part in game.part_names)} <= set(verdict)
    for verdict in verdicts["states"].values():
        wanted = {"legality.whole", "legality.to_from"}
        for part in game.part_names:
            wanted |= {f"legality.{part}", f"legality.illegal_mass.{part}", f"reliability.{part}.1.00"}
            wanted |= {f"reliability.by_truth.{part}.0.04"}
        assert wanted <= set(verdict) and not any("authors" in name or "phase" in name for name in verdict)
    names = {path.name for path in folder.iterdir()}
    assert {"student.onnx", "report.html", "samples.json", "glimpses.jsonl", "analysis.json"} <= names
    rows = [json.loads(line) for line in (folder / "glimpses.jsonl").read_text().splitlines()]
    choices = [choice for row in rows for choice in row["choices"]]
    assert choices and all(len(choice["parts"]) == len(game.part_names) for choice in choices)


def test_students_play_by_themselves_or_with_a_check(folder: Path) -> None:
    game = game_of(folder)
    for options in ("check=legal", "check=legal,best=2", "check=legal,symmetries=true"):
        meeting = play_match(
            game, (f"student:{folder},{options}", "random"), games=4, seed=1, backend=Local(1), opening_plies=2
        )
        assert all(played.reason != "illegal move" for played in meeting.games)
    meeting = play_match(game, (f"student:{folder}", "random"), games=4, seed=1, backend=Local(1), opening_plies=2)
    assert any(played.reason == "illegal move" for played in meeting.games), "nobody learns so fast"
    assert len(make_player(f"hybrid:{folder},best=2,depth=2", game).choose([game.start()])) == 1


def test_a_student_tells_what_it_thinks_of_both_sides(folder: Path) -> None:
    game = game_of(folder)
    student = make_player(f"student:{folder}", game)
    assert isinstance(student, Student)
    second = game.play(game.start(), game.moves(game.start())[0])
    for position in (game.start(), second):
        thought = student.think(position)
        assert [part.part for part in thought.parts] == [game.part_names[part] for part in student.order]
        for part in thought.parts:
            assert sum(part.cells.values()) == pytest.approx(1.0, abs=1e-3) and 0 <= part.illegal <= 1.001
        assert str(thought)
        scores = student.score_parts(stacked([position]))[0][0]
        for place, part in enumerate(student.order):
            assert np.isneginf(scores[place, game.part_sizes[part] :]).all()
    cell = game.board.cells[0]
    given = think_given(student, second, {"from": cell})
    assert next(part.choice for part in given.parts if part.part == "from") == cell


def test_the_command_judges_every_game(folder: Path) -> None:
    arguments = ["judge", f"student:{folder}", "random", "--records", str(folder / "records.parquet"), "--json"]
    judged = CliRunner().invoke(commands, arguments)
    assert judged.exit_code == 0, judged.output
    verdicts = json.loads(judged.stdout)
    assert verdicts["random"]["legality.whole"]["value"] == 1.0
    rows = len(load(folder / "records.parquet"))
    assert verdicts[f"student:{folder}"]["accuracy.whole"]["sample"] == rows
    assert "reliability.from.0.04" in verdicts[f"student:{folder}"]
    refused = CliRunner().invoke(commands, [*arguments, "--split", "expanded"])
    assert "--split: 'expanded' is how the authors of a paper split records" in str(refused.exception)


def test_a_student_knows_its_game_and_board(folder: Path) -> None:
    game = game_of(folder)
    other = "chess" if game.name != "chess" else "konane"
    with pytest.raises(BadOption, match=f"has learned {game.name}, not {other}"):
        make_player(f"student:{folder}", find_game(other))
    if game.name != "chess":
        with pytest.raises(BadOption, match=f"has learned {game.name} on 5x5, not on 8x8"):
            make_player(f"student:{folder}", find_game(game.name))


def test_records_of_another_board_are_refused(folder: Path, tmp_path: Path) -> None:
    game = game_of(folder)
    size = {} if game.name == "chess" else {"size": "4x4"}
    other = {"game": "konane" if game.name == "chess" else game.name} | size
    settings = {"experiment": other, "records": {"files": [str(folder / "records.parquet")]}}
    with pytest.raises(FileError, match=f"holds records of {game.name} {game.size[0]}x{game.size[1]}, not of "):
        lab.run(make_experiment("test", settings, folder=Path()), tmp_path / "run", show=lambda news: None)
    assert not (tmp_path / "run" / "student.onnx").exists()


def test_a_student_teaches_another(folder: Path, tmp_path: Path) -> None:
    settings = {key: value for key, value in IMITATIONS[folder.name].items() if key not in ("variations", "judging")}
    watch = {"teacher": f"student:{folder},check=legal", "opponents": ["random"], "regular": 4, "ply_limit": 12}
    lab.run(
        make_experiment("test", settings | {"watch": watch}, folder=Path()), tmp_path / "run", show=lambda news: None
    )
    assert (tmp_path / "run" / "student.onnx").exists()
