"""The exam of fresh games: the same for all who watch a teacher, without what a student learned from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import IMITATIONS, changed
from understudy import lab
from understudy.errors import UnderstudyError
from understudy.games.mistakes import mistakes_of
from understudy.judges.students import recognise
from understudy.lab.experiments import make_experiment
from understudy.lab.options.imitation import EXAM_SEED
from understudy.players import make_player
from understudy.records.examples import orbit_names
from understudy.records.store import load

GAMES = 20
NOBODY = {"any parts by chance", "the most frequent move", "a legal move by chance"}


def settings(**changes: Any) -> dict[str, Any]:
    return changed(IMITATIONS["konane"], **{"judging__exam_games": GAMES, "watch__regular": 30} | changes)


def do(settings: dict[str, Any], folder: Path) -> Path:
    lab.run(make_experiment("test", settings, folder=Path()), folder, show=lambda news: None)
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return do(settings(), tmp_path_factory.mktemp("exam") / "run")


def verdicts_of(folder: Path) -> dict[str, dict[str, Any]]:
    verdicts: dict[str, dict[str, Any]] = json.loads((folder / "verdicts.json").read_text())
    return verdicts


def test_students_sit_an_exam_of_games_that_nobody_watched(run: Path) -> None:
    exam, records = load(run / "exam" / "records.parquet"), load(run / "records.parquet")
    assert len(np.unique(exam.games)) <= GAMES and len(exam) > GAMES
    verdicts = verdicts_of(run)["exam"]
    students = [name for name in verdicts if " " not in name]
    assert {name.removeprefix("baseline ") for name in verdicts} - set(students) == NOBODY
    for name in students:
        student = make_player(f"student:{run}/student_{name}.onnx", exam.game)
        known = recognise(student.facts, exam.game, exam.positions)  # type: ignore[attr-defined]
        among = np.isin(orbit_names(exam.game, exam.positions), orbit_names(exam.game, records.positions))
        assert known.any() and not (known & ~among).any(), "what it knows was watched"
        assert verdicts[name]["accuracy.whole"]["sample"] == len(exam) - known.sum()
        assert verdicts[name]["exam.fresh"]["value"] == pytest.approx(1 - known.mean())
        kinds = sum(verdicts[name][f"mistakes.{kind}"]["value"] for kind in mistakes_of(exam.game).meanings)
        assert kinds == pytest.approx(1 - verdicts[name]["legality.whole"]["value"])
        assert "legality.illegal_mass.from" in verdicts[name]


def test_baselines_stand_beside_them(run: Path) -> None:
    exam, records = load(run / "exam" / "records.parquet"), load(run / "records.parquet")
    verdicts = {name.removeprefix("baseline "): verdict for name, verdict in verdicts_of(run)["exam"].items()}
    codes, counts = np.unique(records.moves, return_counts=True)
    usual = codes[counts.argmax()]
    legal = [usual in exam.game.moves(position) for position in _positions(exam)]
    assert verdicts["the most frequent move"]["accuracy.whole"]["value"] == pytest.approx((exam.moves == usual).mean())
    assert verdicts["the most frequent move"]["legality.whole"]["value"] == pytest.approx(np.mean(legal))
    assert verdicts["a legal move by chance"]["legality.whole"]["value"] == 1
    assert verdicts["any parts by chance"]["legality.whole"]["value"] < 0.2
    report = (run / "report.html").read_text()
    assert "Legal choices in games that nobody watched" in report and "the most frequent move" in report


def _positions(records: Any) -> list[Any]:
    from understudy.games.batches import unstacked

    return unstacked(records.positions)


def test_who_watches_more_sits_the_same_exam(run: Path, tmp_path: Path) -> None:
    other = do(settings(watch__regular=12, watch__seed=5), tmp_path / "run")
    mine, theirs = (load(folder / "exam" / "records.parquet") for folder in (run, other))
    assert (mine.moves == theirs.moves).all() and (mine.positions.mine == theirs.positions.mine).all()


def test_a_judge_that_was_stopped_goes_on(run: Path, tmp_path: Path) -> None:
    whole = do(settings(), tmp_path / "run")
    before = verdicts_of(whole)
    cut = {**before, "exam": dict(list(before["exam"].items())[:1])}
    (whole / "verdicts.json").write_text(json.dumps(cut))
    (whole / "exam" / "records.parquet").unlink()
    assert verdicts_of(do(settings(), whole)) == before == verdicts_of(run)


def test_without_it_a_run_is_as_before(tmp_path: Path) -> None:
    plain = do(settings(judging__exam_games=0), tmp_path / "run")
    assert not (plain / "exam").exists() and "exam" not in verdicts_of(plain)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"judging__exam_games": -1}, "judging.exam_games"),
        ({"judging__exam_game": 3}, "option of .judging. 'exam_game'; did you mean 'exam_games'"),
        ({"watch__seed": EXAM_SEED}, "watch.seed = 30000000 is that of the exam's games"),
        ({"watch": None, "records__files": ["games.parquet"]}, "the teacher of records in files cannot be asked"),
    ],
)
def test_an_exam_that_makes_no_sense_is_refused(changes: dict[str, Any], sentence: str) -> None:
    table = settings(**{key: value for key, value in changes.items() if value is not None})
    for key in [key for key, value in changes.items() if value is None]:
        del table[key]
    with pytest.raises(UnderstudyError, match=sentence):
        make_experiment("test", table, folder=Path())
