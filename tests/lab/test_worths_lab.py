"""Runs whose records are weighed tell what their students' choices are worth."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tiny import IMITATION, changed, tiny
from understudy import lab
from understudy.lab.experiments import make_experiment


def test_students_are_asked_alone_and_one_ply_ahead_and_others_beside_them(tmp_path: Path) -> None:
    settings = changed(
        IMITATION, watch__teacher="searcher:depth=2", watch__weighed=40, student__value=True,
        training__temperature=0.1, training__worth=1.0, judging__baselines=["searcher:depth=2", "random"],
    )  # fmt: skip
    settings.pop("variations")
    experiment = make_experiment("tiny", settings, folder=Path())
    lab.run(experiment, tmp_path, show=lambda news: None)
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())["test rows, weighed"]
    students = {lesson.name for lesson in experiment.lessons}
    others = {"baseline searcher:depth=2", "baseline random"}
    assert set(verdicts) == students | {f"{name}, one ply" for name in students} | others
    means = {name: verdict["worth_lost.mean"]["value"] for name, verdict in verdicts.items()}
    assert means["baseline searcher:depth=2"] < 1e-6 < means["baseline random"]
    # What looks at legal moves alone does not lose by an illegal one, as an unlearned student does.
    assert all(means[f"{name}, one ply"] < means[name] for name in students)
    assert "test rows, weighed" in (tmp_path / "report.html").read_text(encoding="utf-8").lower()


def test_runs_without_worths_say_nothing_of_them(tmp_path: Path) -> None:
    lab.run(tiny("imitation"), tmp_path, show=lambda news: None)
    assert "test rows, weighed" not in json.loads((tmp_path / "verdicts.json").read_text())
