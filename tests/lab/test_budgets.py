"""Budgets of core minutes: every kind that learns stops when they are used up, and has a student by then."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import IMITATIONS, TINY, changed, tiny
from understudy import lab
from understudy.errors import BadOption
from understudy.lab.experiments import make_experiment
from understudy.lab.run import Budget, Run
from understudy.players import make_player
from understudy.records.store import load
from understudy.trainers.fitting import Learning, TrainingOptions

SECOND = 1 / 60


def plan(kind: str, **changes: Any) -> Any:
    settings = changed(TINY[kind], experiment__core_minutes=SECOND, **changes)
    settings.pop("variations", None)
    settings.pop("paper", None)
    return make_experiment("tiny", settings, folder=Path())


@pytest.fixture
def slow_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every look at the time of cores take a tenth of a second, whatever really passes."""
    clock = count()
    monkeypatch.setattr(lab, "_cpu_seconds", lambda: next(clock) / 10)


@pytest.mark.usefixtures("slow_cores")
def test_watching_ends_with_its_share_of_the_budget_and_learning_with_all_of_it(tmp_path: Path) -> None:
    settings = changed(
        IMITATIONS["konane"], experiment__core_minutes=SECOND, watch__regular=32_000, training__epochs=9000
    )
    settings["watch"]["opponents"] = ["random", "self"]
    settings["training"]["patience"] = 9000
    settings["student"] = {"design": "whole"}
    del settings["variations"]
    experiment: Any = make_experiment("tiny", settings, folder=Path())
    lab.run(experiment, tmp_path)
    records = load(tmp_path / "records.parquet")
    assert 64 <= len(set(records.games.tolist())) < 1000, "some tasks of a thousand"
    assert len({str(source) for source in records.sources}) == 2, "games against every opponent"
    epochs = [json.loads(line)["epoch"] for line in (tmp_path / "progress.jsonl").read_text().splitlines()]
    assert 1 <= len(epochs) < 9000
    assert make_player(f"student:{tmp_path}", experiment.game).choose([experiment.game.start()])
    before = (tmp_path / "student.safetensors").read_bytes()
    lab.run(experiment, tmp_path)
    assert (tmp_path / "student.safetensors").read_bytes() == before
    other = make_experiment("tiny", changed(settings, experiment__core_minutes=2 * SECOND), folder=Path())
    with pytest.raises(BadOption, match="another experiment"):
        lab.run(other, tmp_path)


@pytest.mark.usefixtures("slow_cores")
def test_a_pupil_stops_between_two_snapshots_and_is_kept_as_it_is_then(tmp_path: Path) -> None:
    experiment = plan("online", training__games=10**8, training__snapshot=10**7, training__repeats=1)
    lab.run(experiment, tmp_path)
    snapshots = sorted(path.name for path in (tmp_path / "pupils" / "student_0" / "snapshots").iterdir())
    played = int(snapshots[-1].split(".")[0])
    assert len(snapshots) == 1 and 20 <= played < 10**7
    assert json.loads((tmp_path / "curves.json").read_text())["student"]["games"][-1] <= played
    assert make_player(f"student:{tmp_path}", experiment.game).choose([experiment.game.start()])
    lab.run(experiment, tmp_path)
    assert sorted(path.name for path in (tmp_path / "pupils" / "student_0" / "snapshots").iterdir()) == snapshots


@pytest.mark.usefixtures("slow_cores")
def test_an_evolution_stops_after_a_generation(tmp_path: Path) -> None:
    experiment = plan("evolution", trainer__generations=10**6, trainer__kind="strategy", judging__baselines=[])
    lab.run(experiment, tmp_path)
    generations = [json.loads(line)["generation"] for line in (tmp_path / "generations.jsonl").read_text().splitlines()]
    assert 1 <= generations[-1] < 100
    assert make_player(f"student:{tmp_path}", experiment.game).choose([experiment.game.start()])


def test_what_is_left_is_shared_among_the_networks_to_come() -> None:
    spent = iter((4.0, 30.0, 99.0))
    run = Run(tiny("evaluators"), Path(), budget=Budget(64.0, lambda: next(spent)))
    learning = Learning(unit=None, optimiser=None, seconds=6.0)  # type: ignore[arg-type]
    options = TrainingOptions()
    assert run.allot(learning, options, among=3).minutes == pytest.approx((6 + 20) / 60)
    assert learning.by_cores
    assert run.allot(learning, options, among=2).minutes == pytest.approx((6 + 17) / 60)
    assert run.allot(learning, options, among=1).minutes == pytest.approx(6.001 / 60), "never nothing at all"
    assert Run(tiny("evaluators"), Path()).allot(learning, options, among=1) is options


@pytest.mark.parametrize(
    ("kind", "changes", "sentence"),
    [
        ("evaluators", {}, "experiment.core_minutes: experiments of the kind 'evaluators' never read it"),
        ("online", {"experiment__core_minutes": 0}, "experiment.core_minutes must be from 0.001"),
        ("online", {"experiment__watch_share": 2}, "experiment.watch_share must be from 0 to 1"),
    ],
)
def test_budgets_that_make_no_sense_are_refused(kind: str, changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadOption, match=sentence):
        tiny(kind, **{"experiment__core_minutes": 1.0} | changes)
