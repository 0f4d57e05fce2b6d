"""Imitation of people's games from end to end: parted, packed, learned in short epochs, killed, judged."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from safetensors.numpy import load as load_tensors

from tests.records.test_people import NAMES, game, line_of, write
from understudy import lab
from understudy.cli import commands
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.lab import watching
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds import imitation
from understudy.players import make_player
from understudy.players.network import Student
from understudy.records import examples
from understudy.records.examples import split_examples
from understudy.records.packed import is_packed
from understudy.records.store import load

SETTINGS: dict[str, Any] = {
    "experiment": {"title": "A test", "game": "chess"},
    "records": {"files": ["games.pgn"], "held_out_players": 0.3, "held_out_from": 2021},
    "examples": {"split": "people"},
    "student": {"design": "whole"},
    "network": {"kind": "planes", "channels": 4, "blocks": 1},
    "training": {
        "epochs": 4, "batch": 64, "epoch_rows": 500, "precision": "bfloat16", "learning_rate": 0.01, "beta1": 0.9,
        "schedule": "one_cycle",
    },
    "judging": {
        "states": "generate", "states_count": 50, "games": 2,
        "baselines": ["random", "commonest", "searcher:depth=1"],
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with eight hundred games, and a run that has learned from some of them, its records packed."""
    folder, rng = tmp_path_factory.mktemp("people"), np.random.default_rng(0)
    games = []
    for number in range(800):
        white, black = (NAMES[name] for name in rng.integers(0, len(NAMES), 2))
        games.append(game(white, black, f"{2010 + number % 14}.05.06", line_of(number)))
    write(folder / "games.pgn", games)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "PACKED_FROM", 1000)
        patch.setattr(imitation, "SKETCHED", 1000)
        lab.run(make_experiment("test", SETTINGS, folder=folder), folder / "run", show=lambda news: None)
    return folder


def verdicts_of(folder: Path) -> dict[str, Any]:
    verdicts: dict[str, Any] = json.loads((folder / "verdicts.json").read_text())
    return verdicts


def test_the_run_grades_on_games_that_were_held_out(place: Path) -> None:
    run = place / "run"
    assert is_packed(pq.read_schema(run / "records.parquet").field("position").type)
    counted, verdicts = json.loads((run / "sides.json").read_text())["positions"], verdicts_of(run)
    assert set(verdicts) == {
        "test rows, split people", "test rows, positions that no training game has", "training rows", "states",
        "games against random",
    }  # fmt: skip
    graded = verdicts["test rows, split people"]["student"]["accuracy.whole"]["sample"]
    fresh = verdicts["test rows, positions that no training game has"]["student"]["accuracy.whole"]["sample"]
    assert graded == counted["test"] + counted["familiar"] and fresh == counted["test"]
    epochs = [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in epochs] == [0, 1, 2, 3] and "held out" in (run / "report.md").read_text()


def test_baselines_stand_in_the_same_table(place: Path) -> None:
    records = load(place / "run" / "records.parquet")
    sides = split_examples(records, split="people", seed=0)
    rows = verdicts_of(place / "run")["test rows, split people"]
    assert set(rows) == {"student", "baseline random", "baseline commonest", "baseline searcher:depth=1"}
    counts = Counter(sides["train"].moves.tolist())
    chess, right = find_game("chess"), 0
    for position, move in zip(unstacked(sides["test"].positions), sides["test"].moves.tolist(), strict=True):
        right += max(chess.moves(position), key=lambda code: counts[code]) == move
    assert rows["baseline commonest"]["accuracy.whole"]["value"] == pytest.approx(right / len(sides["test"].moves))
    wrong = make_experiment("test", SETTINGS | {"judging": {"baselines": ["searchr"]}}, folder=place)
    with pytest.raises(BadOption, match=r"judging.baselines: 'searchr'"):
        lab.run(wrong, place / "wrong", show=lambda news: None)


def test_a_student_says_whom_it_held_out_and_keeps_no_endless_sketch(place: Path) -> None:
    student = make_player(f"student:{place / 'run'}", find_game("chess"))
    assert isinstance(student, Student)
    assert student.facts["held_out"] == {"players": 0.3, "year": 2021, "seed": 0, "share": 1.0}
    learned = json.loads((place / "run" / "sides.json").read_text())["positions"]["train"]
    assert student.facts["learned_from"] == {"rows": learned, "whole": False}


def run_command(*words: str) -> Any:
    return CliRunner().invoke(commands, list(words))


def test_judge_finds_the_same_games_in_the_file_of_games(place: Path) -> None:
    run = place / "run"
    answers = []
    for file in (run / "records.parquet", place / "games.pgn"):
        for part in ("test", "fresh"):
            words = "judge", f"student:{run}", "--records", str(file), "--split", "people", "--part", part, "--json"
            result = run_command(*words, "--judge", "accuracy", "--judge", "legality")
            assert result.exit_code == 0, result.output
            assert "too many to keep" in result.stderr
            answers.append(next(iter(json.loads(result.stdout).values())))
    assert answers[0] == answers[2] and answers[1] == answers[3]
    run_s = verdicts_of(run)["test rows, split people"]["student"]
    assert answers[0]["accuracy.whole"] == run_s["accuracy.whole"]


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["random", "--split", "people"], "needs games in PGN, and a student whose file says whom it held out"),
        (["random", "--part", "fresh"], "--part fresh needs --split"),
        (["random", "--part", "fresh", "--split", "orbit"], "--part fresh needs --split people"),
    ],
)
def test_judge_refuses_what_it_cannot_part(place: Path, words: list[str], fault: str) -> None:
    result = run_command("judge", *words, "--records", str(place / "games.pgn"))
    assert isinstance(result.exception, BadOption) and fault in str(result.exception)


def test_judge_says_when_no_game_was_held_out(place: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "old.pgn", [game("Nobody, N", "Other, O", "1999.01.01", line_of(1))])
    result = run_command("judge", f"student:{place / 'run'}", "--records", str(path), "--split", "people")
    assert isinstance(result.exception, BadOption) and "no game is left to judge on" in str(result.exception)
    text = place / "run" / "text.parquet"
    assert run_command("data", "convert", str(place / "games.pgn"), str(text)).exit_code == 0
    result = run_command("judge", "random", "--records", str(text), "--split", "people")
    assert isinstance(result.exception, BadOption) and "needs records of PGN games" in str(result.exception)


def test_a_run_killed_between_short_epochs_ends_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = make_experiment("test", SETTINGS, folder=place)
    monkeypatch.setattr(watching, "PACKED_FROM", 1000)
    monkeypatch.setattr(imitation, "SKETCHED", 1000)

    class Killed(Exception):
        pass

    def stop(news: Any) -> None:
        if (place / "killed" / "progress.jsonl").exists():
            raise Killed

    with pytest.raises(Killed):
        lab.run(experiment, place / "killed", show=stop)
    lab.run(experiment, place / "killed", show=lambda news: None)
    one, other = ((place / name / "student.safetensors").read_bytes() for name in ("run", "killed"))
    assert weights_of(one) == weights_of(other)


def weights_of(content: bytes) -> dict[str, bytes]:
    return {name: tensor.tobytes() for name, tensor in load_tensors(content).items()}


def test_a_small_run_still_keeps_its_sketch(place: Path) -> None:
    assert examples.SKETCHED >= 100_000
