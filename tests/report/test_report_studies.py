"""Published numbers stand only beside their own game, board and experiment, and only where the experiment says so."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from tests.report.test_report_evolution import ALOA, make_run, rows_of
from tests.report.test_report_labels import labels, ladder, progress
from understudy.config import load_toml, write_toml
from understudy.errors import UnknownName
from understudy.lab.experiments import load_experiment, make_experiment, shipped
from understudy.report import build_report, plots
from understudy.report.comparing import comparison_of

FILES = list(shipped().values())


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the drawings empty, which saves most of the time."""
    monkeypatch.setattr(plots, "_drawn", lambda draw: '<svg viewBox="0 0 1 1"></svg>')


def reported(folder: Path, **options: Any) -> str:
    """Return everything that the report of a run says, with the names of the lines in its drawings."""
    build_report(folder, **options)
    texts = [(folder / f"report.{suffix}").read_text(encoding="utf-8") for suffix in ("md", "html")]
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    data.pop("experiment", None)
    return unescape("\n".join([*texts, json.dumps(data)]))


def say(folder: Path, **about: str) -> None:
    """Write what a run's experiment says of itself."""
    (folder / "experiment.toml").write_text(write_toml({"experiment": about}))


@pytest.mark.parametrize(
    "about",
    [
        {"game": "konane", "size": "6"},
        {"game": "konane", "size": "6", "study": "miller"},
        {"game": "lines_of_action"},
        {"game": "lines_of_action", "size": "7", "study": "miller"},
        {"game": "lines_of_action", "study": "thompson"},
    ],
    ids=lambda about: " ".join(about.values()),
)
def test_evolution_of_another_game_board_or_study_has_no_numbers_of_the_thesis(
    tmp_path: Path, about: dict[str, str]
) -> None:
    run = make_run(tmp_path)
    say(run, kind="evolution", **about)
    text = reported(run)
    for words in ("Miller 2010, ", "| Miller 2010", "pLoGANN", "RandomANN", "the thesis", "(figure", "(table", "28.71"):
        assert words.lower() not in text.lower().replace("plogann v", ""), words
    assert "thesis" not in json.loads((run / "report.json").read_text())


def test_the_numbers_of_aloa_at_five_plies_do_not_stand_beside_another_depth(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    text = (run / "monitor.json").read_text() + (run / "baselines.json").read_text()
    assert ALOA in text
    for name in ("monitor", "baselines", "games", "matches"):
        path = run / f"{name}.json"
        path.write_text(
            path.read_text().replace("depth=5", "depth=3").replace("stochastic:depth=3", "stochastic:depth=2")
        )
    reported(run)
    assert rows_of(run, "all games, Miller 2010, pLoGANN") == []
    assert rows_of(run, "Miller 2010, generation 9030") == []
    assert not any("RandomANN" in line for line in (run / "report.md").read_text(encoding="utf-8").splitlines())


PUPILS = {"A": {"chosen": {"random": [[3, 0, 7], [2, 0, 8]]}}}
PAPER = {"A": {"random": 0.7234}}


def pupils(folder: Path, **about: str) -> str:
    settings = {"experiment": {"kind": "online", "game": "konane", "size": "4x4", **about}, "paper": PAPER}
    (folder / "experiment.toml").write_text(write_toml(settings))
    (folder / "games.json").write_text(json.dumps(PUPILS))
    return reported(folder)


def test_a_published_share_stands_below_ours_only_where_the_study_is_named(tmp_path: Path) -> None:
    assert "A, source" in pupils(tmp_path, study="thompson")
    for about in ({}, {"study": "thompson", "size": "5x5"}, {"study": "galassi"}):
        text = pupils(tmp_path, **about)
        assert "source" not in text and "not set beside ours" in text


def test_a_report_says_once_why_published_numbers_are_missing(tmp_path: Path) -> None:
    pupils(tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert text.count("not set beside ours") == 1
    assert "Published numbers are not set beside ours: the experiment names no study." in text
    pupils(tmp_path, study="thompson", size="5x5")
    refusal = "they are of konane on 4x4, 6x6 or 8x8, and this is konane on 5x5."
    assert f"The numbers of Thompson 2005 are not set beside ours: {refusal}" in (tmp_path / "report.md").read_text()


def test_verdicts_of_students_have_the_papers_columns_only_by_name(tmp_path: Path) -> None:
    (tmp_path / "verdicts.json").write_text(json.dumps({"test": {"me": {"accuracy.to": {"value": 0.5}}}}))
    paper = {"test": {"paper TFR": {"accuracy.to": 0.5287}}}
    say(tmp_path, game="morris")
    assert "52.9 %" not in reported(tmp_path, paper=paper)
    say(tmp_path, game="morris", study="galassi")
    assert "52.9 %" in reported(tmp_path, paper=paper)


def test_students_of_labels_have_sabatelli_beside_them_only_by_name(tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text(json.dumps(labels()))
    (tmp_path / "ladder.json").write_text(json.dumps(ladder()))
    (tmp_path / "progress.jsonl").write_text(progress())
    say(tmp_path, kind="labels", game="chess")
    text = reported(tmp_path)
    assert "sabatelli" not in text.lower() and "thesis" not in text and "The order of the combinations" in text
    say(tmp_path, kind="labels", game="chess", study="sabatelli")
    text = reported(tmp_path)
    assert "Sabatelli, test" in text and "The thesis says about 2000" in text


def test_evaluators_have_thompson_beside_them_only_by_name(tmp_path: Path) -> None:
    counts = [[30, 0, 20], [25, 0, 25]]
    cells = {"1": {one: {other: counts for other in "gqk" if other > one} | {"random": counts} for one in "gkq"}}
    (tmp_path / "cells.json").write_text(json.dumps(cells))
    published = {"g": {"k": 40, "q": 30}, "k": {"g": 60, "q": 45}, "q": {"g": 70, "k": 55}}
    for study, shown in ((None, False), ("thompson", True)):
        about = {"kind": "evaluators", "game": "konane"} | ({"study": study} if study else {})
        settings = {"experiment": about, "paper": {"depth_1": published}}
        (tmp_path / "experiment.toml").write_text(write_toml(settings))
        text = reported(tmp_path)
        assert ("Spearman" in text) == ("as published" in text or "dashed: published" in text) == shown
        assert ("The source" in text) == shown


def test_networks_fitted_to_tables_have_the_line_of_the_source_on_its_own_board_alone(tmp_path: Path) -> None:
    measure = {"value": 0.02, "low": 0.01, "high": 0.03, "sample": 9}
    entry = {
        "games": 100, "cycles": [0, 1], "held_out_curve": [0.1, 0.1], "learned_curve": [0.1, 0.1], "learned": 0.1,
        "held_out": measure, "mean_alone": 0.2, "often": measure, "often_mean_alone": 0.1, "going_on": measure,
        "going_on_mean_alone": 0.1, "positions": 10, "once": 5, "results": [[1, 1, 1], [1, 1, 1]],
    }  # fmt: skip
    (tmp_path / "errors.json").write_text(json.dumps({"text": [entry]}))
    for size, shown in (("5x5", True), ("8x8", False)):
        say(tmp_path, kind="offline", game="lines_of_action", size=size, study="miller")
        text = reported(tmp_path)
        assert ("Source, 5x5: below 0.02" in text) == ("the source's 0.02" in text) == shown


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_study_that_ships_is_that_of_its_game_and_board(path: Path) -> None:
    settings = load_toml(path)
    comparison = comparison_of(settings)
    assert comparison.refusal == ""
    assert comparison.study == settings["experiment"].get("study", "")
    assert comparison.study or "paper" not in settings


def prints(experiment: Any) -> list[str]:
    """Return the fingerprints of all students of an experiment."""
    about, kind = experiment.about, experiment.about.kind
    further: dict[str, tuple[Any, ...]] = {"imitation": ("to",), "online": (about, 0), "offline": (about, 1000)}
    return [lesson.fingerprint(*further.get(kind, (about,))) for lesson in getattr(experiment, "lessons", ())]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_naming_a_study_changes_no_fingerprint(path: Path) -> None:
    settings = load_toml(path)
    named = settings | {"experiment": settings["experiment"] | {"study": "miller"}}
    unnamed = settings | {"experiment": {k: v for k, v in settings["experiment"].items() if k != "study"}}
    first, second = (make_experiment("x", one, folder=path.parent) for one in (named, unnamed))
    assert prints(first) == prints(second) == prints(load_experiment(path))


def test_an_unknown_study_is_told() -> None:
    with pytest.raises(UnknownName, match="did you mean 'miller'"):
        make_experiment("x", {"experiment": {"study": "miler"}, "watch": {"regular": 10}}, folder=Path())
