"""Stages of an evolution, ancestors, repeats, champions kept: killed anywhere, refused where they do not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.lab.test_evolution_lab import Killed, judged, kept, killer, notes, quiet, said, trained
from tests.tiny import EVOLUTION, STAGES, changed
from understudy import lab
from understudy.backends import Local
from understudy.errors import BadOption, UnderstudyError
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds import champions
from understudy.players.evolved import load_evolved, save_evolved
from understudy.search.evaluators.chromosome import make_plan
from understudy.tensors import load_arrays
from understudy.trainers.evolution.ancestors import widen

ROOT = Path(__file__).parents[2]


def settings(stages: Any = STAGES, **changes: Any) -> Any:
    """Return the tiny experiment of one strategy in two stages, whose champions are tried."""
    plain = {name: table for name, table in EVOLUTION.items() if name != "variations"} | {"stages": stages}
    return changed(plain, **{"trainer__kind": "strategy", "judging__keep_matches": 2, **changes})


def staged(stages: Any = STAGES, **changes: Any) -> Any:
    return make_experiment("tiny", settings(stages, **changes), folder=Path())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("stages") / "whole"
    lab.run(staged(), folder, show=quiet, backend=Local(1))
    return folder


def test_each_stage_begins_with_the_champion_of_the_one_before(whole: Path) -> None:
    assert [(note["generation"], note["stage"], note["games"]) for note in notes(whole)] == [
        (1, "small", 16), (2, "small", 32), (3, "wide", 64), (4, "wide", 96), (5, "wide", 128),
    ]  # fmt: skip
    assert sorted(path.name for path in (whole / "evolvers").iterdir()) == [
        "student.small.safetensors", "student.wide.safetensors",
    ]  # fmt: skip
    experiment = staged()
    small, wide = experiment.lessons[0].legs
    assert small.trainer.seed == 0 != wide.trainer.seed
    champion = load_evolved(whole / "epochs" / "student_00002.safetensors")
    assert champion.network == small.network
    began = widen(experiment.game, small.network, champion.alleles, wide.network, seed=wide.trainer.seed)
    children = load_arrays(whole / "epochs" / "student_00004.safetensors")[0]["weights"]
    assert children.shape == (5, make_plan(experiment.game, wide.network).length)
    assert np.abs(children - began).max() < 1.0, "a width of 0.1 leads nowhere far in two generations"
    report = (whole / "report.html").read_text()
    assert "Stages" in report and "Which champion is kept" in report


def test_matches_are_shared_out_by_how_hard_opponents_are(whole: Path) -> None:
    shares = load_arrays(whole / "evolvers" / "student.wide.safetensors")[0]["shares"]
    points = [list(note["points"].values()) for note in notes(whole) if "points" in note]
    assert shares.shape == (3, 2) and np.array(points) == pytest.approx(shares, abs=1e-4)


def test_the_champion_kept_has_most_points_and_is_tried_in_other_openings(whole: Path) -> None:
    tried = json.loads((whole / "keeping.json").read_text())["student"]
    assert sorted(map(int, tried)) == [1, 2, 4, 5]
    points = {int(name): [sum(1 + (row[0] + row[2]) / 2 for row in met["random"]) for met in entry["rounds"]]
              for name, entry in tried.items()}  # fmt: skip
    last = [name for name, won in points.items() if len(won) == 2]
    assert len(last) == 2 and min(points[name][0] for name in last) >= max(
        points[name][0] for name in points if name not in last
    )
    best = max(last, key=lambda name: (sum(points[name]), name))
    facts = load_evolved(whole / "student_student.safetensors").facts
    assert (facts["generations"], facts["last"]) == (best, 5)
    alleles = load_evolved(whole / "epochs" / f"student_{best:05}.safetensors").alleles
    assert np.array_equal(load_evolved(whole / "student_student.safetensors").alleles, alleles)
    rows = [row for entry in tried.values() for met in entry["rounds"] for row in met["random"]]
    graded = json.loads((whole / "matches.json").read_text())["student"]["random"]
    assert not {mark for row in rows for mark in row[4:]} & {mark for row in graded for mark in row[4:]}
    lab.judge(staged(), whole, show=quiet, backend=Local(1))
    assert load_evolved(whole / "student_student.safetensors").facts == facts, "it is chosen among the same again"


@pytest.mark.parametrize(("generation", "workers"), [(1, 1), (2, 2), (3, 1), (4, 3)])
def test_a_killed_run_goes_on_as_if_it_had_not_been(whole: Path, tmp_path: Path, generation: int, workers: int) -> None:
    with pytest.raises(Killed):
        trained(tmp_path, staged(), workers, killer("student", generation))
    with (tmp_path / "generations.jsonl").open("a") as file:
        file.write('{"student": "student", "generation": 9, "stage": "wide"}\n{"stud')
    assert kept(judged(tmp_path, staged(), workers)) == kept(whole)


SUICIDE = """
import os, signal, sys
from pathlib import Path
from tests.lab.test_stages import staged, judged
from understudy.lab.kinds import keeping

plain = keeping.play_matches

def play(run, players, terms):
    if terms.matches == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(run, players, terms)

keeping.play_matches = play
judged(Path(sys.argv[1]), staged())
"""


def test_a_process_killed_while_champions_are_tried(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = subprocess.run([sys.executable, "-c", SUICIDE, str(tmp_path)], cwd=ROOT, check=False, capture_output=True)
    assert run.returncode == -9, run.stderr
    seeds = []
    plain = champions.play_tasks

    def play(run: Any, tasks: Any) -> Any:
        seeds.extend(task.seed[0] for task in tasks)
        return plain(run, tasks)

    monkeypatch.setattr(champions, "play_tasks", play)
    assert kept(judged(tmp_path, staged())) == kept(whole)
    assert 56_000 not in seeds and 56_001 in seeds, "the first round is not played again"


def test_a_stage_that_is_done_again_takes_the_later_ones_with_it(whole: Path, tmp_path: Path) -> None:
    trained(tmp_path, staged())
    (tmp_path / "evolvers" / "student.small.safetensors").unlink()
    with pytest.raises(Killed):
        trained(tmp_path, staged(), show=killer("student", 1))
    assert not (tmp_path / "evolvers" / "student.wide.safetensors").exists()
    assert kept(judged(tmp_path, staged())) == kept(whole)


def test_other_settings_of_an_earlier_stage_are_refused(tmp_path: Path) -> None:
    trained(tmp_path, staged())
    longer = {**STAGES, "small": {"trainer": {"generations": 3}}}
    with pytest.raises(BadOption, match=r"student.wide.safetensors' evolved with other settings than now"):
        trained(tmp_path, staged(longer))
    trained(tmp_path, staged({**STAGES, "wide": changed(STAGES["wide"], trainer__generations=4)}))
    assert notes(tmp_path)[-1]["generation"] == 6, "the last one may go on"


def test_stages_may_be_the_trainers_of_other_kinds_and_end_by_the_clock(tmp_path: Path) -> None:
    stages = {
        "a": {"trainer": {"kind": "steady", "minutes": 1e-9}},
        "b": {"trainer": {"kind": "thesis", "generations": 1}},
    }
    judged(tmp_path, staged(stages, judging__keep_matches=0))
    assert [(note["generation"], note["stage"]) for note in notes(tmp_path)] == [(1, "a"), (2, "b")]


# Ancestors and repeats.


def test_an_ancestor_is_where_the_first_stage_begins(whole: Path, tmp_path: Path) -> None:
    ancestor = load_evolved(whole / "student.safetensors")
    wide = {"network__inputs": ["sides", "turn", "mobility", "quads"], "network__hidden": 5, "trainer__width": 1e-6,
            "trainer__ancestor": str(whole), "trainer__generations": 1}  # fmt: skip
    experiment = staged({}, **wide)
    trained(tmp_path, experiment)
    first = load_evolved(tmp_path / "epochs" / "student_00000.safetensors")
    assert first.alleles == pytest.approx(
        widen(experiment.game, ancestor.network, ancestor.alleles, first.network, seed=0)
    )
    other = tmp_path / "other.safetensors"
    save_evolved(other, ancestor.alleles, network=ancestor.network, facts=ancestor.facts)
    trained(tmp_path, staged({}, **{**wide, "trainer__ancestor": str(other)}))  # the same champion in another place
    save_evolved(other, ancestor.alleles + 1, network=ancestor.network, facts=ancestor.facts)
    with pytest.raises(BadOption, match="evolved with other settings than now"):
        trained(tmp_path, staged({}, **{**wide, "trainer__ancestor": str(other)}))


def test_an_ancestor_that_does_not_fit_costs_no_generation(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    command = ["run", "lines_of_action_quick", "--quick", "--run", str(run), "--set", f"trainer.ancestor={whole}"]
    assert "has learned the size 4x4, not 8x8" in said(command, monkeypatch, capsys)
    command += ["--set", "experiment.size=4x4"]
    assert "the ancestor has both = false, network.both is true" in said(command, monkeypatch, capsys)
    command += ["--set", "network.both=false", "--set", "network.symmetric=false"]
    fewer = [*command, "--set", 'network.inputs=["turn"]']
    assert "the ancestor sees" in said(fewer, monkeypatch, capsys)
    assert "hidden units, more than network.hidden = 2" in said(
        [*command, "--set", "network.hidden=2"], monkeypatch, capsys
    )
    assert "trainer.ancestor: there is no student 'nobody'" in said(
        [*command, "--set", "trainer.ancestor=nobody"], monkeypatch, capsys
    )
    assert not run.exists(), "nothing was begun"


def test_repeats_are_students_with_seeds_that_follow_each_other(tmp_path: Path) -> None:
    trained(tmp_path, staged(trainer__repeats=2))
    alone = trained(tmp_path / "alone", staged(trainer__seed=1))
    one, other = (load_arrays(folder / "evolvers" / name)[0]["scores"] for folder, name in (
        (tmp_path, "student_1.wide.safetensors"), (alone, "student.wide.safetensors")))  # fmt: skip
    assert np.array_equal(one, other)
    assert {note["student"] for note in notes(tmp_path)} == {"student_0", "student_1"}
    lab.judge(staged(trainer__repeats=2), tmp_path, show=quiet, backend=Local(1))
    lab.report(staged(trainer__repeats=2), tmp_path)
    assert "Over seeds" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("stages", "changes", "message"),
    [
        ({"a": 3}, {}, "stages.a = 3 must be a section"),
        ({"a-b": {}}, {}, "[stages.a-b]: a name of letters, digits and _ is needed"),
        ({"a": {"student": {"depth": 2}}}, {}, "no section of [stages.a] 'student'"),
        ({"a": {"trainer": {"ancestor": "x"}}}, {}, "[stages.a]: trainer.ancestor is said of the whole evolution"),
        ({"a": {"trainer": {"generation": 1}}}, {}, "no option of [trainer] 'generation'"),
        ({"a": {"network": {"hidden": 5}}, "b": {}}, {}, "[stages.b]: the ancestor has 5 hidden units, more than"),
        ({"a": {}, "b": {"network": {"inputs": ["turn"]}}}, {}, "[stages.b]: the ancestor sees sides"),
        ({}, {"trainer__matches": 1}, "trainer.matches = 1 must be 0, or at least 2"),
        ({}, {"trainer__matches": 4, "trainer__kind": "steady"}, "trainer.matches: only the strategy shares matches"),
        ({}, {"trainer__repeats": 0}, "trainer.repeats must be from 1"),
        ({}, {"judging__keep_matches": -1}, "judging.keep_matches must be from 0"),
        ({}, {"judging__keep_by": ["human"]}, "player 'human' cannot play inside a kernel"),
        ({}, {"trainer__ancestor": "lines_of_action", "school__rounds": 1}, "has learned the size 8x8, not 4x4"),
    ],
)
def test_bad_stages(stages: Any, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UnderstudyError) as caught:
        staged(stages, **changes)
    assert message in str(caught.value) and "\n" not in str(caught.value)
