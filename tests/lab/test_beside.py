"""What papers ask besides: one part alone, all rows, networks that learned elsewhere, and what the rows are made of."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.studies.galassi.test_nnmm_player import save_networks
from tests.tiny import IMITATION, changed
from understudy import lab
from understudy.errors import UnderstudyError
from understudy.games import find_game
from understudy.games.batches import stacked, unstacked
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.kinds.imitation_baselines import Commonest
from understudy.lab.kinds.imitation_beside import _compare_analyses, place_files
from understudy.networks import build_units
from understudy.networks.students import StudentOptions
from understudy.players import make_player
from understudy.records.analysis import analyse
from understudy.records.store import load, lone_pairs
from understudy.tensors import load_arrays
from understudy.trainers.fitting import TrainingOptions
from understudy.trainers.objectives import _penalty

MORRIS = find_game("morris")


def settings(**changes: Any) -> dict[str, Any]:
    usual = {
        "judging__states_count": 60, "judging__games": 0, "judging__baselines": ["searcher:depth=1", "commonest"],
        "student__design": "cascade", "watch__regular": 16,
    }  # fmt: skip
    return changed({**IMITATION, "variations": {}}, **usual | changes)


def do(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    lab.run(make_experiment("test", table, folder=Path()), folder, show=lambda news: None)
    verdicts: dict[str, Any] = json.loads((folder / "verdicts.json").read_text())
    return verdicts


def test_one_part_alone_is_learned_and_asked(tmp_path: Path) -> None:
    varied = {"to": {"student": {"only": "to", "order": "TFR"}}, "from": {"student": {"only": "from", "order": "TFR"}}}
    verdicts = do({**settings(), "variations": varied}, tmp_path / "run")
    assert set(verdicts) == {f"one part ({part}), {side} rows" for part in varied for side in ("validation", "test")}
    first, second = (verdicts[f"one part ({part}), test rows"] for part in varied)
    assert list(first) == ["to", "baseline searcher:depth=1", "baseline commonest"], (
        "who chooses moves has a first part"
    )
    assert list(second) == ["from", "baseline commonest"], "but none that follows another's"
    assert all(set(verdict) == {"accuracy.part"} for verdict in (*first.values(), *second.values()))
    networks = {json.loads(line)["network"] for line in (tmp_path / "run/progress.jsonl").read_text().splitlines()}
    assert networks == {"to", "from"}
    assert make_player(f"student:{tmp_path}/run/student_to.onnx", MORRIS).facts["only"] == "to"  # type: ignore[attr-defined]
    text = (tmp_path / "run/report.md").read_text()
    assert "One part (to), validation rows: as the teacher chose" in text and "accuracy.whole" not in text


def test_a_later_part_has_what_is_commonest_of_the_legal_beside_it(tmp_path: Path) -> None:
    """Counted here move by move: the class that was chosen most often among those that fit the teacher's TO."""
    varied = {"only": {"student": {"only": "from", "order": "TFR"}}}
    verdicts = do({**settings(), "variations": varied}, tmp_path / "run")
    found = verdicts["one part (from), test rows"]["baseline commonest"]["accuracy.part"]
    (lesson,) = make_experiment("test", {**settings(), "variations": varied}, folder=Path()).lessons  # type: ignore[attr-defined]
    sides = lesson.split(load(tmp_path / "run/records.parquet"))
    counts = Counter(MORRIS.notation.parts(int(move))[1] for move in sides["train"].moves)
    hits = 0
    for position, move in zip(unstacked(sides["test"].positions), sides["test"].moves, strict=True):
        to, own, _ = MORRIS.notation.parts(int(move))
        legal = {from_ for one in MORRIS.moves(position) for t, from_, _ in [MORRIS.notation.parts(one)] if t == to}
        hits += max(sorted(legal), key=lambda one: counts[one]) == own
    assert 0 < found["value"] < 1 and (found["value"], found["sample"]) == (
        hits / len(sides["test"].moves),
        len(sides["test"].moves),
    )


def test_who_has_not_learned_stands_in_every_table_of_accuracy(tmp_path: Path) -> None:
    varied = {f"fold_{fold}": {"examples": {"folds": 2, "fold": fold}} for fold in (0, 1)}
    varied |= {f"to_{fold}": {"examples": {"folds": 2, "fold": fold}, "student": {"only": "to"}} for fold in (0, 1)}
    verdicts = do(
        {**settings(judging__all_rows=True, judging__states="", training__epochs=1), "variations": varied},
        tmp_path / "run",
    )
    for section in ("test rows, split orbit", "training rows", "all rows", "test rows, all folds"):
        rows = verdicts[section]
        for name in ("baseline searcher:depth=1", "baseline commonest"):
            assert 0 < rows[name]["accuracy.whole"]["value"] <= 1, section
    together = verdicts["test rows, all folds"]
    assert (
        together["baseline commonest"]["accuracy.whole"]["sample"]
        == together["fold_0 to fold_1"]["accuracy.whole"]["sample"]
    )
    assert set(verdicts["one part (to), all folds"]) == {"to_0 to to_1"}


def test_a_part_that_is_not_learned_stays_as_it_began(tmp_path: Path) -> None:
    whole, alone = (settings(student__order="TFR", student__only=only) for only in ("", "to"))
    for table, name in ((whole, "whole"), (alone, "alone")):
        lab.train(make_experiment("test", table, folder=Path()), tmp_path / name, show=lambda news: None)
    one, other = (load_arrays(tmp_path / name / "student.safetensors")[0] for name in ("whole", "alone"))
    same = {name: np.array_equal(one[name], other[name]) for name in one if name.endswith("weight")}
    assert all(alike for name, alike in same.items() if name.startswith("to"))
    assert not any(alike for name, alike in same.items() if name.startswith(("from", "remove")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"student__only": "too"}, "student.only 'too'; did you mean 'to'"),
        ({"student__only": "to", "student__design": "whole"}, "student.only: a part is learned alone where it has a"),
        ({"judging__all_rows": 3}, "all_rows must be true or false, not 3"),
        ({"judging__gaming_beside": ["random"]}, r"judging.gaming_beside = \['random'\] needs judging.gaming too"),
        (
            {"judging__gaming": 2, "judging__gaming_beside": ["random", "random"]},
            "judging.gaming_beside names 'random' twice: once is enough",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError, match=message):
        make_experiment("test", settings(**changes), folder=Path())


def test_players_meet_the_stable_beside_a_student(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.studies.galassi.gaming.STABLE", {"lots": "random"})
    folder, table = tmp_path / "run", settings(judging__gaming=2, judging__baselines=[])
    for beside in ([], ["searcher:depth=1"]):  # who is named later is met later
        lab.run(
            make_experiment("test", changed(table, judging__gaming_beside=beside), folder=Path()),
            folder,
            show=lambda news: None,
        )
        found = json.loads((folder / "gaming.json").read_text())
        assert found["players"] == [f"student:{folder}", *beside]
    met = {(one["player"], one["opponent"], one["kind"]) for one in found["encounters"]}
    student, other = found["players"]
    assert met == {
        (student, "lots", "stable"), (other, "lots", "stable"), (student, other, "player"), (other, student, "player"),
        (student, student, "itself"), (other, other, "itself"),
    }  # fmt: skip
    assert "searcher:depth=1 as " in (folder / "report.md").read_text()


def test_who_cannot_meet_the_stable_is_refused_before_anything_runs(tmp_path: Path) -> None:
    table = settings(judging__gaming=2, judging__gaming_beside=["sercher:depth=1"])
    with pytest.raises(UnderstudyError, match=r"judging.gaming_beside: 'sercher:depth=1': .*did you mean 'searcher'"):
        lab.check(make_experiment("test", table, folder=Path()), tmp_path / "run")


def test_somebody_who_is_no_player_is_refused_before_anything_runs(tmp_path: Path) -> None:
    experiment = make_experiment("test", settings(judging__beside=["theirs = nnmn:x/TFR"]), folder=Path())
    with pytest.raises(UnderstudyError, match=r"judging.beside: 'theirs': .*did you mean 'nnmm'"):
        lab.check(experiment, tmp_path / "run")


def test_all_rows_and_networks_that_learned_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    (tmp_path / "nnmm").mkdir()
    save_networks(tmp_path / "nnmm", "TFR")
    beside = ["published TFR = nnmm:data:nnmm/TFR", "published RFT = nnmm:data:nnmm/RFT"]
    verdicts = do(settings(judging__all_rows=True, judging__beside=beside), tmp_path / "run")
    everybody = ["student", "baseline searcher:depth=1", "baseline commonest", "baseline published TFR"]
    assert list(verdicts["all rows"]) == everybody, "who has no files here is left out"
    student, theirs = verdicts["all rows"]["student"], verdicts["all rows"]["baseline published TFR"]
    assert student["accuracy.whole"]["sample"] == theirs["accuracy.whole"]["sample"]
    assert "reliability.authors.to.0.04" in theirs and "reliability.authors.to.0.04" in student
    assert "legality.whole" in verdicts["states"]["baseline published TFR"]
    (data,) = verdicts["data sets"].values()
    assert (
        data["analysis.rows"]["value"] == data["analysis.rows"]["sample"] > len(load(tmp_path / "run/records.parquet"))
    )
    assert 0 < data["analysis.absent.from"]["value"] < 1 and "analysis.absent.to" not in data
    most = data["analysis.legal_moves.most"]["value"]
    assert data["analysis.legal_moves.most_share"]["value"] == most / 15_000, "of all moves that can be written"
    assert data["analysis.moves.impossible"]["value"] == 1920, "as the paper says"
    assert data["analysis.legal_moves.mean"]["sample"] == student["accuracy.whole"]["sample"]
    assert "| moves, impossible | 1920 |" in (tmp_path / "run/report.md").read_text()


def test_moves_legal_often_in_both_sets_are_counted_once() -> None:
    records = lone_pairs(MORRIS, stacked([MORRIS.start()] * 3), np.array([5, 5, 7], np.int32), source="here")
    one = analyse(records, expansion="none")
    assert one.shares is not None and len(one.shares.often) == 24
    other = replace(one, shares=replace(one.shares, often=((1, 2, 3), *one.shares.often[:4])))
    assert _compare_analyses(one, other)["analysis.moves.often_in_both"]["value"] == 4
    assert _compare_analyses(one, replace(one, shares=None)) == {}


def test_files_are_found_where_the_user_keeps_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_DATA", str(tmp_path))
    assert place_files("nnmm:data:nnmm/TFR,check=legal") == f"nnmm:{tmp_path}/nnmm/TFR,check=legal"
    assert place_files("nnmm:here/TFR") == "nnmm:here/TFR" and place_files("random") == "random"


def test_the_commonest_move_is_one_of_the_legal_ones() -> None:
    moves = MORRIS.moves(MORRIS.start())
    player = Commonest(MORRIS, np.array([moves[3], moves[3], moves[5]], np.int32))
    assert [choice.move for choice in player.choose([MORRIS.start()])] == [moves[3]]


def test_l1_on_the_output_is_that_of_both_networks_where_a_part_has_two() -> None:
    networks = {part: {"kind": "feedforward"} for part in MORRIS.part_names}
    unit = build_units(MORRIS, StudentOptions(order="TFR", presence=("from",)), networks)[1]
    outputs = [weight for weight in unit.parameters() if weight.dim() > 1 and len(weight) in (2, 24)]
    found = _penalty(unit, TrainingOptions(l1=0.001, penalise="output"))
    assert len(outputs) == 2 and isinstance(found, torch.Tensor)
    assert found.item() == pytest.approx(0.001 * sum(weight.abs().sum().item() for weight in outputs))


def test_five_networks_are_learned_judged_and_played(tmp_path: Path) -> None:
    verdicts = do(settings(student__presence=["from", "remove"], training__epochs=1), tmp_path / "run")
    assert {"accuracy.given.from", "accuracy.given.remove"} <= set(verdicts["test rows, split orbit"]["student"])
    assert "from.network.presence.output.weight" in load_arrays(tmp_path / "run/student.safetensors")[0]
    assert make_player(f"student:{tmp_path}/run,check=legal", MORRIS).choose([MORRIS.start()])[0].move in MORRIS.moves(
        MORRIS.start()
    )


@pytest.mark.parametrize("kind", ["residual", "feedforward", "dense"])
def test_l1_on_the_output_alone_is_that_of_the_last_layer(kind: str) -> None:
    networks = {part: {"kind": kind} for part in MORRIS.part_names}
    unit = build_units(MORRIS, StudentOptions(order="TFR"), networks)[0]
    outputs = [weight for weight in unit.parameters() if weight.dim() > 1 and len(weight) == 25]
    (last,) = outputs
    found = _penalty(unit, TrainingOptions(l1=0.001, penalise="output"))
    assert isinstance(found, torch.Tensor) and found.item() == pytest.approx(0.001 * last.abs().sum().item())


PUBLISHED = {
    "morris_paper": {"TFR", "FTR", "RFT"},
    "morris_thesis": {"TFR", "TFR_real"},
    "morris_thesis_gaming": {"student"},
}


@pytest.mark.parametrize("name", [*PUBLISHED, "morris_thesis_architectures", "morris_thesis_tuning"])
def test_numbers_of_the_papers_are_shares_beside_students_that_there_are(name: str) -> None:
    experiment: Any = load_experiment(shipped()[name])
    students = {lesson.name for lesson in experiment.lessons}
    assert students == PUBLISHED.get(name, students)
    for section, columns in experiment.paper.items():
        for title, numbers in columns.items():
            words = set(title.replace(",", " ").split())
            assert words & students or section in ("data sets", "against the stable"), title
            shares = [value for key, value in numbers.items() if key.split(".")[0] in ("accuracy", "legality")]
            assert all(0 < value <= 1 for value in shares)
    assert {"searcher:depth=2", "commonest"} <= set(experiment.judging.baselines)
    assert not experiment.tune or experiment.tune["training"]["minutes"] == [5], (
        "a search of days is for who asks for it"
    )
    quick: Any = load_experiment(shipped()[name], quick=True)
    assert quick.records.limit <= 3000 and all(
        t.epochs <= 4 for lesson in quick.lessons for t in lesson.training.values()
    )
