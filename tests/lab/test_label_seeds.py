"""The grader `seeds` of students of labels: cells that differ in their seed are one, and verdicts need all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import LABELS, SMALL, save_material_table
from understudy import lab
from understudy.lab.experiments import make_experiment
from understudy.lab.grading.label_seeds import interval_of, judge_seeds
from understudy.report.labels.orders import CONFIRMED, LEVEL, REFUTED, UNKNOWN, Pair


def series(folder: Path) -> Any:
    """Return a series of two seeds and two sizes, with one student that learns classes and one a number."""
    shared = {name: table for name, table in LABELS.items() if name != "variations"}
    shared["variations"] = {"one": {"network": SMALL}, "four": {"network": SMALL, "target": {"dataset": "4"}}}
    shared["positions"] = {"files": [str(folder / "table.parquet")]}
    settings = {
        "experiment": {"kind": "series", "title": "Tiny seeds"}, "series": {"grade": "seeds"},
        "shared": {"all": shared},
        "cells": {"size": {"like": "all", "grid": {"examples.most": [200, 800], "training.seed": [0, 1]}}},
    }  # fmt: skip
    save_material_table(folder / "table.parquet")
    return make_experiment("tiny", settings, folder=folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("label_seeds")
    lab.run(series(folder), folder / "run", show=lambda news: None)
    return folder / "run"


def test_seeds_are_one_row_and_sizes_are_several(run: Path) -> None:
    students = json.loads((run / "graded.json").read_text())["labels"]
    assert len(students) == 4 and {one["student"] for one in students.values()} == {"one", "four"}
    for one in students.values():
        assert one["seeds"] == 2 and one["learned_from"] <= 800 and one["interval"][0] < one["test"][0]
        found = [
            json.loads(path.read_text())["students"][one["student"]]["test"][one["measure"]]["value"]
            for path in run.glob("cells/*/labels.json")
            if json.loads(path.read_text())["students"]["one"]["learned_from"] == one["learned_from"]
        ]
        assert one["test"] == pytest.approx([sum(found) / 2, min(found), max(found)], abs=1e-6)
    sizes = sorted({one["learned_from"] for one in students.values()})
    assert len(sizes) == 2 and sizes[0] <= 200 < sizes[1]


def test_the_report_tells_students_over_seeds_and_by_positions(run: Path) -> None:
    text = (run / "report.md").read_text()
    for words in (
        "## Data set 1, over seeds",
        "## Data set 4, over seeds",
        "2 seeds",
        "2 cannot tell",
        "always the same baseline",
    ):
        assert words in text, words
    assert "Right classes (data set 1, mean over seeds)" in text
    assert "test, by positions learned from" in (run / "report.html").read_text()
    assert "paper's order" not in text, "no study is named"


def pair(value: float, half: float, *, lead: float = 0.02, doubt: str = "") -> Pair:
    return Pair("1", "one", "other", lead, value, value - half, value + half, doubt)


APART, NEAR = ([0.80, 0.81], [0.70, 0.72]), ([0.80, 0.81], [0.70, 0.80])


@pytest.mark.parametrize(
    ("pairs", "intervals", "verdict", "doubt"),
    [
        ([pair(0.1, 0.01)] * 3, APART, CONFIRMED, ""),
        ([pair(-0.1, 0.01)] * 3, APART, REFUTED, ""),
        ([pair(0.1, 0.01)] * 3, NEAR, UNKNOWN, "the intervals over seeds overlap"),
        ([pair(0.1, 0.01), pair(0.1, 0.2)], APART, UNKNOWN, "not every seed says so"),
        ([pair(0.1, 0.01), pair(-0.1, 0.01)], APART, UNKNOWN, "not every seed says so"),
        ([pair(0.1, 0.2)] * 3, APART, UNKNOWN, "not every seed says so"),
        ([pair(0.1, 0.01), pair(0.1, 0.01, doubt="toys")], APART, UNKNOWN, "toys"),
        ([pair(0.1, 0.01)], (None, None), UNKNOWN, "there is one seed"),
        ([pair(0.1, 0.01, lead=0.0)] * 3, APART, LEVEL, ""),
    ],
)
def test_a_verdict_needs_every_seed(pairs: list[Pair], intervals: Any, verdict: str, doubt: str) -> None:
    assert judge_seeds(pairs, intervals) == (verdict, doubt)


def test_an_interval_over_seeds_is_students() -> None:
    """Of three: the mean, and 4.303 times the deviation over the root of three."""
    assert interval_of([0.7, 0.8, 0.9]) == pytest.approx(
        [0.8 - 4.303 * 0.1 / 3**0.5, 0.8 + 4.303 * 0.1 / 3**0.5], abs=1e-4
    )
    assert interval_of([0.7]) is None
