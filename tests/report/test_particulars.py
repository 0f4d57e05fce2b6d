"""The result of a run keeps ours of every number that a paper prints, whatever kind of run it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_report_evolution import ALOA, STOCHASTIC, make_run
from tests.report.test_report_labels import labels
from understudy.config import write_toml
from understudy.report.learned import learned_results
from understudy.report.particulars import particular_results
from understudy.report.sources import load_run


def kept(folder: Path, experiment: dict[str, Any], **files: Any) -> dict[str, Any]:
    """Return what is kept of a run that has these files."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "experiment.toml").write_text(write_toml(experiment))
    for name, value in files.items():
        text = value if isinstance(value, str) else json.dumps(value)
        (folder / (f"{name}.jsonl" if name == "progress" else f"{name}.json")).write_text(text)
    return particular_results(load_run(folder, {}))


def measure(value: float) -> dict[str, Any]:
    return {"value": value, "low": value - 0.01, "high": value + 0.01, "sample": 900}


def test_measures_that_a_paper_prints_are_kept_by_section_and_player(tmp_path: Path) -> None:
    paper = {"all rows": {"paper TFR": {"accuracy.whole": 0.372, "legality.whole": 0.998}}}
    paper["learning"] = {"TFR to": {"validation_accuracy": 0.5177}}
    ours = {"accuracy.whole": measure(0.4), "accuracy.to": measure(0.6)}
    verdicts = {"all rows": {"TFR": ours, "baseline random": {"legality.whole": measure(1.0)}}, "states": {"TFR": ours}}
    lines = [{"student": "TFR", "network": "to", "epoch": epoch, "validation_accuracy": 0.2 + 0.1 * epoch, "seconds": 5,
              "best": epoch < 2} for epoch in range(3)]  # fmt: skip
    progress = "".join(json.dumps(line) + "\n" for line in lines)
    about = {"experiment": {"game": "morris"}, "training": {"validation_rows": 100}, "paper": paper}
    beside = kept(tmp_path, about, verdicts=verdicts, progress=progress)["beside"]
    assert [(one["section"], one["who"], one["measure"]) for one in beside] == [
        ("all rows", "TFR", "accuracy.whole"),
        ("all rows", "baseline random", "legality.whole"),
        ("learning", "TFR to", "validation_accuracy"),
    ]
    assert beside[0]["low"] == measure(0.4)["low"] and beside[2]["value"] == pytest.approx(0.3)
    assert beside[2]["low"] < 0.3 < beside[2]["high"] and beside[2]["sample"] == 100


def test_averages_of_evaluators_are_kept_with_what_they_stand_on(tmp_path: Path) -> None:
    def met(*others: str) -> dict[str, Any]:
        return {other: [[20, 0, 30], [20, 0, 30], [0, 0], [5, 0, 10, 0, 20, 0, 10, 0, 5]] for other in others}

    cells = {depth: {"g": met("random", "k", "q"), "k": met("random", "q"), "q": met("random")} for depth in ("1", "2")}
    about = {"experiment": {"kind": "evaluators", "game": "konane", "study": "thompson"}}
    about["paper"] = {"depth_1": {"g": {"k": 47, "q": 20}, "k": {"g": 53, "q": 46}, "q": {"g": 80, "k": 54}}}
    contest = kept(tmp_path, about, cells=cells)["contest"]
    assert contest["alone"]["1"]["g"]["value"] == pytest.approx(0.6)
    average = contest["averages"]["2"]["q"]
    assert average["value"] == pytest.approx(0.4) and average["low"] < 0.4 < average["high"]
    assert contest["means"]["q"]["value"] == pytest.approx(0.4)
    assert contest["means"]["q"]["low"] > average["low"]  # two depths are surer than one
    assert contest["agreements"]["1"]["pairs"] == 3 and 0 <= contest["agreements"]["1"]["close"] <= 3


def test_evolution_keeps_its_statistics_but_no_numbers_of_a_paper(tmp_path: Path) -> None:
    told = particular_results(load_run(make_run(tmp_path), {}))["evolution"]
    assert told["monitor"]["thesis"][ALOA]["generations"]["40"]["overall"]["sample"] > 0
    assert set(told["baselines"][f"{STOCHASTIC} v {ALOA}"]["scores"]) == {"overall", "white", "black", "combined"}
    assert all("pLoGANN" not in name for name in told)


def test_students_of_labels_keep_both_sides(tmp_path: Path) -> None:
    about = {"experiment": {"kind": "labels", "game": "chess"}}
    one = kept(tmp_path, about, labels=labels())["labels"]["mlp_bitmap_1"]
    assert one["dataset"] == "1" and one["test"]["low"] < one["test"]["value"] < one["test"]["high"]
    assert one["validation"]["value"]


def test_students_that_played_are_told_of_each_side(tmp_path: Path) -> None:
    about = {"experiment": {"kind": "online", "game": "konane", "size": "4x4"}}
    games = {"A": {"chosen": {"random": [[40, 0, 60], [10, 0, 90]]}}}
    snapshots = {"A": [{"repeat": 0, "games": 100, "won": {"random": 0.7}}]}
    kept(tmp_path, about, games=games, snapshots=snapshots)
    won = learned_results(load_run(tmp_path, {}))["learned"]["A"]["sets"]["chosen"]["random"]
    assert (won["value"], won["first"]["value"], won["second"]["value"]) == (0.75, 0.6, 0.9)
    assert won["games"] == 200 and won["first"]["games"] == 100


def test_a_run_that_has_none_of_it_keeps_nothing(tmp_path: Path) -> None:
    assert kept(tmp_path, {"experiment": {"game": "morris"}}) == {}
