"""A quick run says that it is one, tells what was really run, and is not compared with what a full run was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_report_studies import FILES, prints
from understudy.config import load_toml, write_toml
from understudy.lab import find_lab
from understudy.lab.experiments import load_experiment, shipped
from understudy.lab.run import Run, opened
from understudy.report import build_report
from understudy.report.comparing import comparison_of

KONANE = shipped()["konane_4x4"]


def reported(folder: Path, *changes: str, quick: bool = False) -> str:
    """Return the report of a run of konane_4x4 that has played its games."""
    experiment = load_experiment(KONANE, changes, quick=quick)
    with opened(Run(experiment, folder), find_lab(experiment.about.kind)):
        pass
    return report_of(folder)


def report_of(folder: Path) -> str:
    games = {"A": {"chosen": {"random": [[3, 0, 7], [2, 0, 8]]}}}
    (folder / "games.json").write_text(json.dumps(games))
    build_report(folder)
    return (folder / "report.md").read_text(encoding="utf-8")


def test_a_full_run_is_told_as_it_stands_in_its_file_and_compared(tmp_path: Path) -> None:
    text = reported(tmp_path)
    assert text.startswith("# Konane 4x4: three representations of the board\n")
    assert "\nThompson (2005), sections 5.1 and 6: single-board networks play 200 000 games" in text
    assert "A, source" in text and "short form" not in text and "not set beside ours" not in text


def test_a_quick_run_says_so_in_title_and_prose_and_what_was_really_run(tmp_path: Path) -> None:
    text = reported(tmp_path, quick=True)
    assert text.startswith("# Konane 4x4: three representations of the board (quick run)\n")
    assert "The short form of this experiment. In full: Thompson (2005), sections 5.1 and 6" in text
    assert "In force here: training.games 20\u202f000, training.repeats 2, judging.games 1000," in text
    assert "| experiment.quick" not in text


def test_a_quick_run_is_not_compared_and_one_sentence_says_why(tmp_path: Path) -> None:
    text = reported(tmp_path, quick=True)
    refusal = "The numbers of Thompson 2005 are not set beside ours: this is the short form of the experiment."
    assert text.count(refusal) == 1 and "source" not in text.replace("the source trained", "") and "72.0 %" not in text


def test_what_is_changed_on_a_quick_run_is_told_as_it_is_in_force(tmp_path: Path) -> None:
    text = reported(tmp_path, "training.games=3000", quick=True)
    assert "training.games 3000" in text and "20\u202f000" not in text and "(quick run)" in text


def test_settings_other_than_the_studys_are_told_and_not_compared(tmp_path: Path) -> None:
    text = reported(tmp_path, "training.games=3000", "training.seed=4")
    assert "With settings changed: training.games 3000, training.seed 4. In its file: Thompson (2005), sect" in text
    assert "not set beside ours: training.games is not what the experiment's file says." in text
    assert "A, source" not in text and "short form" not in text


@pytest.mark.parametrize(
    "change", ["training.seed=7", "training.repeats=3", "judging.games=50", "training.games=200000"]
)
def test_other_chances_and_closer_looks_are_still_compared(tmp_path: Path, change: str) -> None:
    assert "A, source" in reported(tmp_path, change)


@pytest.mark.parametrize(("file", "study"), [("elsewhere/DATASET.complete.txt", "galassi"), ("mine.txt", "")])
def test_files_may_lie_elsewhere_but_must_be_the_same(file: str, study: str) -> None:
    experiment = load_experiment(shipped()["morris_nnmm"], (f'records.files=["{file}"]',))
    assert comparison_of(experiment.settings).study == study


def test_a_quick_run_of_before_is_known_by_its_settings(tmp_path: Path) -> None:
    settings: dict[str, Any] = load_experiment(KONANE, quick=True).settings
    about = {key: value for key, value in settings["experiment"].items() if key != "quick"}
    (tmp_path / "experiment.toml").write_text(write_toml({**settings, "experiment": about}))
    text = report_of(tmp_path)
    assert "(quick run)" in text and "A, source" not in text


def test_a_report_written_again_from_the_folder_says_the_same(tmp_path: Path) -> None:
    text = reported(tmp_path, "training.seed=4", quick=True)
    again = load_experiment(tmp_path / "experiment.toml")
    assert (again.about.quick, again.about.changed) == (True, ("training.seed",))
    assert again.settings == load_toml(tmp_path / "experiment.toml")
    assert report_of(tmp_path) == text


@pytest.mark.parametrize("path", [path for path in FILES if "quick" in load_toml(path)], ids=lambda path: path.stem)
def test_no_quick_form_that_ships_is_compared(path: Path) -> None:
    settings = load_experiment(path, quick=True).settings
    assert comparison_of(settings).study == ""
    assert ("short form" in comparison_of(settings).refusal) == ("study" in settings["experiment"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_a_run_says_of_its_form_changes_no_fingerprint(path: Path) -> None:
    plain, noted = load_experiment(path), load_experiment(path, ("experiment.quick=true", "experiment.title=other"))
    assert prints(plain) == prints(noted) and noted.about.changed == ("experiment.quick", "experiment.title")
