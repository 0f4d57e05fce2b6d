"""The grader `seeds`: students that differ in their seed alone are one row, in a tiny series end to end and by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.lab.test_growth import CELL
from understudy import lab
from understudy.errors import BadOption
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.lab.grading.seeds import Reached, group_lessons, read_curve, spread

JUDGING = {"states": "generate", "states_count": 20, "glimpses": False, "baselines": ["commonest"]}
WATCHED = CELL | {"watch": CELL["watch"] | {"regular": 8}, "judging": JUDGING}
SEEDS = {
    "small_0": {}, "small_1": {"training": {"seed": 1}},
    "large_0": {"network": {"blocks": 2}}, "large_1": {"network": {"blocks": 2}, "training": {"seed": 1}},
}  # fmt: skip
SERIES: dict[str, Any] = {
    "experiment": {"kind": "series", "title": "Tiny depth"},
    "series": {"grade": "seeds"},
    "grading": {"epochs": [1, 2, 9], "minutes": [0.5]},
    "cells": {"patience": WATCHED | {"variations": SEEDS}},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seeds") / "tiny"
    lab.run(make_experiment("tiny", SERIES, folder=Path()), folder, show=lambda news: None)
    return folder


def test_students_that_differ_in_seeds_alone_are_one_row(run: Path) -> None:
    cell = json.loads((run / "graded.json").read_text())["cells"]["patience"]
    verdicts = json.loads((run / "cells/patience/verdicts.json").read_text())
    assert list(cell["groups"]) == ["small", "large"] and list(cell["baselines"]) == ["commonest"]
    small, large = cell["groups"].values()
    assert small["seeds"] == 2 and small["weights"] < large["weights"]
    values = [verdicts["test rows, split orbit"][name]["accuracy.whole"]["value"] for name in ("small_0", "small_1")]
    told = small["measures"]["test rows, split orbit"]["accuracy.whole"]["spread"]
    assert told == pytest.approx([sum(values) / 2, min(values), max(values)], abs=1e-6)
    assert [row[0] for row in small["by_epochs"]] == [1, 2], "nobody in this cell learned for nine epochs"
    assert small["by_epochs"][-1][1:] == small["validation"] and small["epochs_run"] == [2, 2, 2]


def test_the_report_shows_both_views_with_their_spread(run: Path) -> None:
    text = (run / "report.md").read_text()
    for words in ("## Patience", "after equal epochs", "Mean over students", "small 2 seeds", "commonest"):
        assert words in text
    assert "Moves chosen as the teacher did (patience, mean over seeds)" in text
    assert "by minutes of learning" in (run / "report.html").read_text()


def test_curves_hold_the_best_so_far_and_who_stopped_keeps_it() -> None:
    one = [Reached(1, 1.0, 0.2), Reached(2, 2.0, 0.4)]
    other = [Reached(1, 0.5, 0.1), Reached(2, 1.0, 0.3), Reached(3, 1.5, 0.6)]
    told = read_curve([one, other], "epoch", (1, 3))
    assert told == [[1, *spread([0.2, 0.1])], [3, *spread([0.4, 0.6])]]
    assert [row[0] for row in read_curve([one, other], "minutes", (0.5, 1.0))] == [1.0], "one has no epoch by then"
    assert read_curve([], "epoch", (1,)) == [] and spread([]) == []


def test_only_imitation_and_labels_can_be_told_by_seeds() -> None:
    met = {"experiment": {"kind": "evaluators", "game": "konane", "size": "4x4"},
           "evaluators": {"names": "q", "robin": "qr", "games": 4, "robin_games": 4, "depths": [1]}}  # fmt: skip
    with pytest.raises(
        BadOption, match=r"cell 'met': series.grade = 'seeds' tells of cells that imitate or learn labels"
    ):
        make_experiment("tiny", {**SERIES, "cells": {"met": met}}, folder=Path())


def test_the_question_of_depth_is_asked_of_three_seeds_in_three_ways() -> None:
    experiment: Any = load_experiment(shipped()["morris_depth"])
    assert [cell.name for cell in experiment.cells] == ["patience", "epochs", "minutes"]
    for cell in experiment.cells:
        groups = group_lessons(cell.experiment.lessons)
        assert list(groups) == [f"{kind}_{blocks}" for kind in ("plain", "tied") for blocks in (1, 3, 10)]
        assert all(len(group) == 3 for group in groups.values())
        assert {"searcher:depth=2", "commonest"} <= set(cell.experiment.judging.baselines)
