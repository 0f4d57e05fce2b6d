"""The whole sentence in a minute: watch, learn, judge, report; killed, resumed, and played against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from safetensors.numpy import load_file

from tests.tiny import IMITATION as SETTINGS
from understudy import lab
from understudy.backends import Local
from understudy.cli import commands, main
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import find_game
from understudy.games.batches import stacked, unstacked
from understudy.games.morris.batches import orbit_keys
from understudy.judges.tournament import play_match
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds.imitation import learn, untrained
from understudy.lab.kinds.imitation_exams import TEACHER_ROWS
from understudy.lab.kinds.imitation_folds import group_folds
from understudy.lab.run import Progress
from understudy.lab.watching import count_corrections
from understudy.networks.files import save_student
from understudy.networks.students import Playing
from understudy.players import make_player
from understudy.players.network import Student
from understudy.records.examples import read_marks, split_examples
from understudy.records.store import UNKNOWN, load
from understudy.records.watch import Watch, watch
from understudy.tensors import load_facts

GAME = find_game("morris")


def silent(news: Progress) -> None:
    assert 0 <= news.done <= 1.000001


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("run") / "morris"
    lab.run(make_experiment("test", SETTINGS, folder=Path()), place, show=silent)
    return place


def test_a_run_folder_tells_the_sentence(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert {"experiment.toml", "records.parquet", "analysis.json", "progress.jsonl", "verdicts.json"} <= names
    assert {"student.onnx", "student.safetensors", "student_FTR.onnx", "student_TFR.onnx", "report.html"} <= names
    verdicts = json.loads((folder / "verdicts.json").read_text())
    assert set(verdicts) == {"test rows, split orbit", "training rows", "states", "games against random"}
    assert set(verdicts["states"]) == {"FTR", "TFR"}
    measure = verdicts["test rows, split orbit"]["FTR"]["accuracy.whole"]
    assert 0 <= measure["low"] <= measure["value"] <= measure["high"] <= 1 and measure["sample"] > 10
    teacher = "teacher searcher:depth=1"
    assert set(verdicts["games against random"]) == {"FTR", "TFR", teacher}
    itself = verdicts["test rows, split orbit"][teacher]["accuracy.whole"]
    assert measure["value"] < itself["value"] <= 1 and 10 < itself["sample"] <= TEACHER_ROWS
    assert "teacher" not in str(verdicts["states"]) and teacher in (folder / "report.html").read_text()
    lines = [json.loads(line) for line in (folder / "progress.jsonl").read_text().splitlines()]
    assert [(line["student"], line["network"], line["epoch"]) for line in lines[:2]] == [
        ("FTR", "whole", 0),
        ("FTR", "whole", 1),
    ]
    assert len(lines) == 2 + 3 * 2


def test_folds_are_put_together(tmp_path: Path) -> None:
    changes = {
        "examples": {"folds": 2},
        "training": {**SETTINGS["training"], "epochs": 1},
        "judging": {},
        "variations": {f"fold_{fold}": {"examples": {"fold": fold}} for fold in (0, 1)},
    }
    experiment = make_experiment("test", SETTINGS | changes, folder=Path())
    lab.run(experiment, tmp_path / "run", show=silent)
    verdicts = json.loads((tmp_path / "run" / "verdicts.json").read_text())
    apart = [verdicts["test rows, split orbit"][f"fold_{fold}"]["accuracy.whole"] for fold in (0, 1)]
    together = verdicts["test rows, all folds"]["fold_0 to fold_1"]["accuracy.whole"]
    records = load(tmp_path / "run" / "records.parquet")
    assert together["sample"] == sum(one["sample"] for one in apart) == len(records)
    assert together["value"] == pytest.approx(sum(one["value"] * one["sample"] for one in apart) / len(records))
    assert together["low"] < together["value"] < together["high"]
    assert together["high"] - together["low"] < max(one["high"] - one["low"] for one in apart)
    assert "test rows, all folds" in (tmp_path / "run" / "report.html").read_text()
    facts = load_facts(tmp_path / "run" / "student_fold_1.safetensors", "student")
    assert (facts["fold"], facts["folds"]) == (1, 2)
    changed = SETTINGS | changes | {"variations": {"only": {"examples": {"fold": 1}}}}
    assert not group_folds(make_experiment("test", changed, folder=Path()).lessons)  # type: ignore[attr-defined]


def test_a_finished_run_is_not_done_again(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.onnx")}
    lab.run(make_experiment("test", SETTINGS, folder=Path()), folder, show=silent)
    assert {path: path.stat().st_mtime_ns for path in folder.glob("student_*.onnx")} == {
        path: stamp for path, stamp in before.items() if path.name.startswith("student_")
    }


def test_another_experiment_is_refused(folder: Path) -> None:
    other = make_experiment("test", SETTINGS | {"watch": {"regular": 3}}, folder=Path())
    with pytest.raises(BadOption, match="holds records of another experiment"):
        lab.watch(other, folder)
    longer = make_experiment("test", SETTINGS | {"training": {"epochs": 3}}, folder=Path())
    with pytest.raises(BadOption, match="trained with other settings"):
        lab.train(longer, folder, show=silent)


def test_a_training_killed_between_epochs_ends_the_same(folder: Path, tmp_path: Path) -> None:
    experiment = make_experiment("test", SETTINGS, folder=Path())
    (tmp_path / "checkpoints").mkdir()
    records = load(folder / "records.parquet")
    from understudy.records.examples import split_examples
    from understudy.trainers.fitting import Epoch

    lesson = experiment.lessons[0]
    sides = split_examples(records, split="orbit", seed=0)
    for _, _, event in learn(lesson, untrained(lesson), sides, checkpoints=tmp_path / "checkpoints"):
        if isinstance(event, Epoch):
            break
    (tmp_path / "records.parquet").write_bytes((folder / "records.parquet").read_bytes())
    lab.train(experiment, tmp_path, show=silent)
    name = "student_FTR.safetensors"
    first, second = load_file(folder / name), load_file(tmp_path / name)
    assert all(np.array_equal(first[key], second[key]) for key in first)


def test_students_play(folder: Path) -> None:
    student = make_player(f"student:{folder},check=legal", GAME)
    assert isinstance(student, Student) and student.facts["experiment"] == "test"
    meeting = play_match(
        GAME, (student.name, "random"), games=6, seed=1, backend=Local(1), opening_plies=2,
    )  # fmt: skip
    assert all(game.reason != "illegal move" for game in meeting.games)
    for text in (f"student:{folder},order=TFR,symmetries=true", f"hybrid:{folder},best=2,depth=2"):
        assert len(make_player(text, GAME).choose([GAME.start()])) == 1


def test_a_student_tells_what_it_thinks(folder: Path) -> None:
    choice = make_player(f"student:{folder},best=3,check=legal", GAME).choose([GAME.start()])[0]
    assert choice.scores is not None and len(choice.scores) == 27
    assert 0 < sum(choice.scores.values()) <= 1.0001
    assert list(choice.scores.values()) == sorted(choice.scores.values(), reverse=True)
    assert choice.move in GAME.moves(GAME.start())
    free = make_player(f"student:{folder},best=3", GAME).choose([GAME.start()])[0]
    assert free.scores is not None and free.move == next(iter(free.scores))


def test_averaging_changes_nothing_for_a_tied_student(folder: Path) -> None:
    from tests.conftest import random_line

    batch = stacked([position for position, _ in random_line(GAME, 30, 2)])
    plain: Any = make_player(f"student:{folder}", GAME)
    averaged: Any = make_player(f"student:{folder},symmetries=true", GAME)
    given = np.tile([[0, 5]], (len(batch.mine), 1))  # images of a symmetric position tie: let both go on alike
    assert np.allclose(plain.score_parts(batch, given)[0], averaged.score_parts(batch, given)[0], atol=1e-4)


def test_the_hybrid_takes_a_win(folder: Path) -> None:
    position = GAME.read("MMOOOOEEOOOOOOOOOOOOOOOM0032")
    won = [move for move in GAME.moves(position) if GAME.outcome(GAME.play(position, move)) is not None]
    if won:
        assert make_player(f"hybrid:{folder},best=25,depth=2", GAME).choose([position])[0].move in won


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("student:nowhere", "there is no student 'nowhere'"),
        ("student:{folder},check=some", "did you mean|there are: none, legal"),
        ("student:{folder},order=RFT", "there is no student .*student_RFT.onnx"),
        ("hybrid:{folder},best=0", "best must be from 1 to 25"),
    ],
)
def test_students_that_are_not_there(folder: Path, text: str, message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        make_player(text.format(folder=folder), GAME)


def test_files_that_are_no_students(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the student"):
        make_player(f"student:{tmp_path / 'bad.onnx'}", GAME)
    (tmp_path / "half.onnx").write_bytes((folder / "student.onnx").read_bytes()[:5000])
    with pytest.raises(FileError, match="cannot read the student"):
        make_player(f"student:{tmp_path / 'half.onnx'}", GAME)
    with pytest.raises(BadOption, match="has learned morris, not konane"):
        make_player(f"student:{folder}", find_game("konane"))


def test_a_student_goes_on_from_an_earlier_one(folder: Path) -> None:
    start = str(folder / "student_FTR.safetensors")
    settings = {name: table for name, table in SETTINGS.items() if name != "variations"}
    settings["student"] = {"design": "whole", "order": "FTR", "start": start}
    units = untrained(make_experiment("test", settings, folder=Path()).lessons[0])
    earlier = load_file(start)
    assert all(np.array_equal(earlier[f"whole.{key}"], weight.numpy()) for key, weight in units[0].state_dict().items())
    settings["network"] = SETTINGS["network"] | {"blocks": 2}
    with pytest.raises(FileError, match="do not fit this student: whole"):
        untrained(make_experiment("test", settings, folder=Path()).lessons[0])
    settings["student"]["start"] = str(folder / "none")
    with pytest.raises(FileError, match="there is no student"):
        untrained(make_experiment("test", settings, folder=Path()).lessons[0])
    settings["student"] |= {"start": start, "order": "TFR"}
    with pytest.raises(BadOption, match=r"has order \(1, 0, 2\), and this student \(0, 1, 2\)"):
        untrained(make_experiment("test", settings, folder=Path()).lessons[0])


@pytest.mark.parametrize("tied", [False, True])
def test_a_student_goes_on_from_the_file_that_plays(folder: Path, tmp_path: Path, *, tied: bool) -> None:
    """Whatever ships can be taught further: its graph holds all weights, tied ones folded or written out."""
    wide = {"kind": "residual", "symmetric": tied, "width": 150, "hidden": 75, "blocks": 1}
    settings = {name: table for name, table in SETTINGS.items() if name != "variations"} | {"network": wide}
    settings["student"] = {"design": "whole", "order": "FTR", "value": True}
    lesson = make_experiment("test", settings, folder=Path()).lessons[0]
    earlier = untrained(lesson)
    with torch.no_grad():
        for weight in earlier[0].parameters():
            weight.copy_(torch.randn_like(weight))
    save_student(tmp_path, "student", earlier, {"columns": lesson.encoder.layout.width, "game": "morris"})
    (tmp_path / "student.safetensors").unlink()
    settings["student"]["start"] = str(tmp_path)
    units = untrained(make_experiment("test", settings, folder=Path()).lessons[0])
    before, after = (
        Playing(earlier).state_dict(),
        Playing(units).state_dict(),
    )  # numbers that stand nowhere are nobody's
    assert before.keys() == after.keys() and all(torch.equal(before[key], after[key]) for key in before)


def test_what_ships_can_be_taught_further() -> None:
    settings = {name: table for name, table in SETTINGS.items() if name != "variations"}
    settings["network"] = {"kind": "residual", "symmetric": True, "width": 600, "hidden": 600, "blocks": 3}
    shipped = {"design": "whole", "order": "FTR", "encoder": "patterns", "value": True, "start": "morris_worths"}
    lesson = make_experiment("test", settings | {"student": shipped}, folder=Path()).lessons[0]
    start = GAME.start()
    inputs = torch.from_numpy(lesson.encoder.encode(stacked([start]))).float()
    student = make_player("student:morris_worths", GAME)
    said = Playing(untrained(lesson))(inputs, torch.full((1, 2), -1))[2]
    assert student.value_positions(stacked([start])) == pytest.approx(said.detach().numpy(), abs=1e-4)


def test_the_teacher_corrects_an_apprentice(folder: Path, tmp_path: Path) -> None:
    plan = Watch(
        teacher="searcher:depth=2", apprentice=f"student:{folder},check=legal", opponents=("random",), regular=4
    )
    records = watch(GAME, plan, tmp_path, backend=Local(1))
    teacher = make_player("searcher:depth=2", GAME)
    positions = unstacked(records.positions)
    assert [choice.move for choice in teacher.choose(positions)] == records.moves.tolist()
    assert (records.results == UNKNOWN).all() and "for student:" in str(records.sources[0])
    student = make_player(plan.apprentice, GAME)
    corrected = sum(choice.move != move for choice, move in zip(student.choose(positions), records.moves, strict=True))
    assert 0 < corrected < len(records)
    counts = {"corrected": corrected, "as_the_student": len(records) - corrected}
    assert count_corrections(GAME, plan, records) == {"corrections": counts}
    assert count_corrections(GAME, Watch(teacher="random", opponents=("random",), regular=1), records) == {}


def test_tuning_goes_on(folder: Path, tmp_path: Path) -> None:
    from understudy.lab.tuning import tune

    one = {name: table for name, table in SETTINGS.items() if name != "variations"}
    experiment = make_experiment("test", one, folder=Path())
    (tmp_path / "records.parquet").write_bytes((folder / "records.parquet").read_bytes())
    found = tune(experiment, tmp_path, trials=1, show=silent)
    assert found.trials == 1 and set(found.settings) == {"network.blocks", "training.learning_rate"}
    assert tune(experiment, tmp_path, trials=3, show=silent).trials == 3
    with pytest.raises(BadOption, match=r"has no .tune. section"):
        tune(make_experiment("x", one | {"tune": {}}, folder=Path()), tmp_path, trials=1, show=silent)


def understudy(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "understudy", *arguments], capture_output=True, text=True, env=environment, check=False
    )


def told_of(player: str, records: Path, *options: str) -> str:
    """Return what `judge` notes of a player."""
    judged = CliRunner().invoke(commands, ["judge", player, "--records", str(records), "--judge", "accuracy", *options])
    assert judged.exit_code == 0, judged.output
    return "\n".join(line for line in judged.stderr.splitlines() if line.startswith("note: "))


def test_judge_counts_the_rows_that_a_student_has_learned_from(folder: Path, tmp_path: Path) -> None:
    records = folder / "records.parquet"
    settings = {name: table for name, table in SETTINGS.items() if name not in ("variations", "watch")}
    settings |= {"records": {"files": [str(records)], "limit": 200}, "training": {"epochs": 1, "batch": 128}}
    small = tmp_path / "small"
    lab.train(make_experiment("small", settings, folder=Path()), small, show=silent)
    part, whole = load(small / "records.parquet"), load(records)
    learned, asked = (
        split_examples(some, split="orbit", seed=0)[side].positions for some, side in ((part, "train"), (whole, "test"))
    )
    seen = int(np.isin(orbit_keys(asked), orbit_keys(learned)).sum())
    player = f"student:{small}"
    assert seen > 0
    assert f"{player} has learned from {seen} of these {len(asked.mine)} rows" in told_of(
        player, records, "--split", "orbit"
    )
    assert "has learned from none of these" in told_of(player, small / "records.parquet", "--split", "orbit"), (
        "the split that it learned by"
    )
    assert told_of(player, records, "--split", "orbit", "--part", "train") == ""
    assert told_of("random", records) == ""


def test_of_a_student_that_ships_judge_says_that_it_cannot_tell(folder: Path) -> None:
    for options in ((), ("--split", "orbit")):
        told = told_of("student:morris", folder / "records.parquet", *options)
        assert "student:morris does not say what it learned from" in told and told.endswith("cannot be told")


def test_what_a_student_learned_from_goes_on_with_its_weights(folder: Path, tmp_path: Path) -> None:
    settings = {name: table for name, table in SETTINGS.items() if name not in ("variations", "watch")}
    settings |= {"records": {"files": [str(folder / "records.parquet")], "limit": 50}, "training": {"epochs": 1}}
    settings["student"] = {**SETTINGS["student"], "start": str(folder / "student_FTR.safetensors")}
    lab.train(make_experiment("later", settings, folder=Path()), tmp_path, show=silent)
    before, after = (load_facts(path / name)["learned_from"] for path, name in (
        (folder, "student_FTR.safetensors"), (tmp_path, "student.safetensors")
    ))  # fmt: skip
    known, knows = read_marks(before), read_marks(after)
    assert known is not None and knows is not None
    assert np.isin(known, knows).all() and after["whole"] is True


def test_the_commands(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = str(folder / "records.parquet")
    judged = understudy("judge", f"student:{folder}", "random", "--records", records, "--split", "orbit", "--json")
    verdicts = json.loads(judged.stdout)
    assert set(verdicts) == {f"student:{folder}", "random"}
    assert verdicts["random"]["legality.whole"]["value"] == 1
    assert set(verdicts["random"]["legality.whole"]) == {"value", "low", "high", "sample"}
    text = tmp_path / "records.txt"
    assert understudy("data", "convert", records, str(text)).returncode == 0
    told = json.loads(understudy("data", str(text), "--json").stdout)
    assert told["rows"] == told["moved"] == len(text.read_text().splitlines())
    assert understudy("report", str(folder)).stdout.startswith("wrote ")
    for arguments, message in (
        (("judge", "random", "--records", "none.txt"), "none.txt"),
        (("judge", "random", "--records", records, "--part", "test"), "--part test needs --split"),
        (("data", "convert", records, "x.csv"), "no kind of file"),
        (("data", "nothing.parquet"), "nothing.parquet"),
        (("report", str(tmp_path)), "is not a run folder"),
        (("run", "experiments/none.toml"), "there is no experiment file"),
    ):
        monkeypatch.setattr(sys, "argv", ["understudy", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        said = capsys.readouterr()
        assert caught.value.code == 2, said.err
        assert message in said.err and said.err.count("\n") == 1
