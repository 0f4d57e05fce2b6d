"""Figures of the docs: measured by a table of commands, kept as JSON, written by a script and never by hand."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from understudy.cli import commands
from understudy.games.chess.judges.rungs import LOW
from understudy.games.chess.records.opinions import USUAL_DEPTH

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
TINY = """
[shapes.match]
value = ["share"]
games = ["games"]

[measurement.tiny]
section = "Konane"
what = "two games"
command = "understudy match konane random random --size 4 --games 2 --seed 7 --json"
[measurement.tiny.figures]
points = { shape = "match", says = "points", form = "share", low = ["interval", 0] }

[measurement.absent]
section = "Konane"
what = "needs what nobody has"
command = "understudy games --json"
needs = ["NEED"]
[measurement.absent.figures]
points = { says = "games", form = "number", value = ["games"] }

[measurement.broken]
section = "Konane"
what = "a command that is refused"
command = "understudy match konane nobody random --json"
[measurement.broken.figures]
points = { says = "points", form = "number", value = ["share"] }

[measurement.elsewhere]
section = "Konane"
what = "a path that leads nowhere"
command = "understudy games --json"
[measurement.elsewhere.figures]
points = { says = "points", form = "number", value = ["games", "nowhere"] }
"""


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return how a script of the examples is imported."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module


@pytest.fixture
def measure(load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script that measures, with a small table and another place to keep results."""
    script: ModuleType = load("measure")
    (tmp_path / "table.toml").write_text(TINY)
    monkeypatch.setattr(script, "TABLE", tmp_path / "table.toml")
    monkeypatch.setattr(script, "KEPT", tmp_path / "kept")
    return script


def run(measure: ModuleType, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["measure.py", *words])
    with pytest.raises(SystemExit) as ended:
        measure.main()
    return int(ended.value.code or 0)


def test_a_measurement_is_kept_with_its_command_cost_and_machine(
    measure: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert run(measure, monkeypatch, "tiny") == 0
    kept = json.loads((tmp_path / "kept" / "tiny.json").read_text())
    assert kept["figures"]["points"]["games"] == 2 == len(kept["output"]["games"])
    assert 0 <= kept["figures"]["points"]["low"] <= kept["figures"]["points"]["value"] == kept["output"]["share"]
    assert kept["command"].startswith("understudy match") and kept["seed"] == 7
    assert kept["cost"]["wall_seconds"] > 0 and kept["cost"]["cpu_seconds"] > 0
    assert kept["machine"]["cores"] >= 1 and kept["machine"]["processor"]


@pytest.mark.parametrize(
    ("need", "word"),
    [
        ("data nowhere/at_all", "the data 'nowhere/at_all', which are not in"),
        ("program no-such-program", "the program 'no-such-program', which is not installed"),
        ("package no_such_package", "the package 'no_such_package', which is not installed"),
    ],
)
def test_what_needs_something_missing_is_skipped_with_a_sentence(
    need: str, word: str, measure: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measure.TABLE.write_text(TINY.replace("NEED", need))
    assert run(measure, monkeypatch, "absent") == 0
    assert f"absent: skipped, it needs {word}" in capsys.readouterr().out and not measure.KEPT.exists()


@pytest.mark.parametrize(
    ("name", "word"), [("broken", "exit code 2: understudy: "), ("elsewhere", "nothing at ['games', 'nowhere']")]
)
def test_a_command_that_fails_is_told_and_keeps_nothing(
    name: str, word: str, measure: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(measure, monkeypatch, name) == 1
    assert f"{name}: failed, " in (error := capsys.readouterr().err) and word in error
    assert not measure.KEPT.exists()


def test_an_unknown_measurement_is_refused(
    measure: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(measure, monkeypatch, "tyni") == 2
    assert "no measurement is called 'tyni'; there are: tiny" in capsys.readouterr().err


def test_long_lists_and_places_of_this_machine_are_not_kept(load: Any) -> None:
    shorten = load("measure").shorten
    assert shorten({"/here/x": [1, 2], "games": list(range(31))}, "/here") == {"DATA/x": [1, 2], "games": "31 left out"}


def test_every_command_of_the_table_is_one_that_there_is(load: Any) -> None:
    for name, entry in load("measure").load_table(ROOT / "docs" / "measurements.toml").items():
        first, *words = shlex.split(entry["command"])
        assert "--json" in words and first in ("understudy", "python"), name
        if first == "understudy":
            command = commands.commands[words[0]]
            command.make_context(words[0], words[1:])
        assert all("value" in figure["paths"] for figure in entry["figures"].values()), name


def test_benchmarks_speak_json_and_refuse_what_they_do_not_know() -> None:
    ask = [sys.executable, "-m", "benchmarks"]
    ran = subprocess.run([*ask, "house", "--json"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert len(json.loads(ran.stdout)["house"]["sentences"]) == 8
    ran = subprocess.run([*ask, "hose"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 2 and "no benchmark is called 'hose'; there are: rules" in ran.stderr


def test_goals_are_met_or_missed_by_so_much(load: Any) -> None:
    figures = load("figures")

    def tell(entry: dict[str, Any], *numbers: float) -> tuple[str, str]:
        figure = figures.Figure(entry, dict(zip(("value", "low", "high"), numbers, strict=False)))
        return figure.write(), figure.judge()

    share = {"form": "share", "least": 0.65}
    assert tell(share, 0.579, 0.528, 0.629) == ("57.9 % (52.8 to 62.9)", "missed by 7.1 points")
    assert tell(share, 0.64, 0.60, 0.68)[1] == "missed by 1.0 points, which the interval spans"
    assert tell(share, 0.66, 0.60, 0.72)[1] == "met, but the interval reaches across"
    assert tell(share, 0.75, 0.70, 0.80)[1] == "met"
    assert tell({"form": "elo", "least": 1500}, 1376.4, 1304.0, 1446.0) == (
        "1376 Elo (1304 to 1446)",
        "missed by 124 points",
    )
    assert tell({"form": "seconds", "most": 300}, 0.71) == ("0.7 s", "met")
    assert tell({"form": "number", "most": 1.0}, 1.891) == ("1.89", "missed by 0.891")
    assert tell({"form": "share"}, 0.9997) == ("99.97 %", "")


def test_a_figure_says_what_it_was_where_it_has_changed(load: Any) -> None:
    figure = load("figures").Figure
    assert figure({"form": "times", "was": "52 times"}, {"value": 48.2}).write_change() == "was 52 times"
    assert figure({"form": "times", "was": "48 times"}, {"value": 48.2}).write_change() == ""
    assert figure({"form": "number", "was": "3.4"}, {"value": 3.383}).write_change() == ""
    assert figure({"form": "number", "was": "3.4"}, {"value": 3.483}).write_change() == "was 3.4"
    count = figure({"form": "count", "was": "999 of 1000"}, {"value": 999, "games": 1000})
    assert count.write() == "999 of 1000" and count.write_change() == ""


def test_the_page_of_results_is_made_of_the_files_beside_it(load: Any) -> None:
    page = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert page == load("make_results").make_page() and list((ROOT / "docs" / "results").glob("*.json"))


def test_tables_of_runs_in_the_pages_of_studies_are_made_of_the_results(load: Any) -> None:
    results = load("make_results").load_results()
    for name in load("make_results").STUDIES:
        page = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert page == load("pupil_tables").fill_page(page, results)


def test_the_table_of_labels_is_made_of_what_was_measured(load: Any) -> None:
    tables, kept = load("label_tables"), load("figures").load_kept()["chess_labels"]
    page = (ROOT / "docs" / "labels.md").read_text(encoding="utf-8")
    assert page == tables.fill_labels(page, kept) and tables.fill_labels("no marks", None) == "no marks"
    with pytest.raises(ValueError, match="no marks between which"):
        tables.fill_labels("no marks", kept)


def test_plain_labels_at_the_cost_of_fair_ones(load: Any) -> None:
    def setting(apart: float, cost: float) -> dict[str, float]:
        spread = {f"{name}{end}": 0.0 for name in ("pawns_apart", "bias") for end in ("", "_low", "_high")}
        return spread | {"pawns_apart": apart, "correlation": 0.9, "milliseconds": cost}

    plain = {"depth 1": setting(1.0, -0.1), "depth 8": setting(0.4, 4.0), "9 nodes": setting(0.1, 5.0)}
    known = plain | {
        "depth 9": setting(0.1, 16.0),
        "depth 8 fair": setting(0.3, 8.0),
        "depth 9 fair": setting(0.3, 32.0),
    }
    found = {"engine": "Fake 1", "positions": 4, "games": 2, "reference": "depth 13", "reference_milliseconds": 50.0,
             "most_bias": 0.1, "chosen": 8, "settings": known}  # fmt: skip
    page = "<!-- label quality: x -->\nold\n<!-- end --> after"
    filled = load("label_tables").fill_labels(page, {"output": {"label_quality": found}})
    # Twice the cost of depth 8 is half way to depth 9 by logarithms: the root of 0.4 * 0.1.
    assert "| depth 8, fair | 0.30 | +0.00 (+0.00 to +0.00) | 0.90 | 8.0 | 0.20 |" in filled
    assert "| depth 9, fair | 0.30 | +0.00 (+0.00 to +0.00) | 0.90 | 32.0 | - |" in filled
    assert "is **8**" in filled and "old" not in filled and filled.endswith("<!-- end --> after")


def test_what_was_measured_of_chess_is_what_the_code_takes(load: Any) -> None:
    kept = load("figures").load_kept()
    assert kept["chess_labels"]["output"]["label_quality"]["chosen"] == USUAL_DEPTH
    placed = kept["chess_rungs"]["output"]["rungs"]["rungs"]
    assert placed[0]["player"] == "random"  # took no point, so it has no rating
    assert [(round(one["elo"]), one["player"]) for one in placed[1:]] == [tuple(low) for low in LOW]


def test_students_that_learned_while_they_played_are_a_picture_and_a_table(load: Any) -> None:
    def won(value: float, *, trusted: bool = True) -> dict[str, Any]:
        return {"value": value, "low": value - 0.1, "high": value + 0.1, "games": 9, "different": 9, "trusted": trusted}

    teacher = "searcher:evaluator=q,depth=1"
    sets = {"chosen": {"random": won(0.8), teacher: won(0.5, trusted=False)}}
    sets["last"] = {"random": won(0.7), teacher: won(0.4)}
    shares = {"mean": [0.5, 0.6], "least": [0.4, 0.5], "most": [0.6, 0.7]}
    student = {
        "sets": sets, "trainings": 3, "best": 0.91, "curve": {"games": [100, 200], **shares},
        "snapshots": {"games": [100, 200], "won": {"random": [0.5, 0.6], teacher: [0.1, 0.2]},
                      "field": [0.3, 0.4], "rivals": ["a", "b"]},
    }  # fmt: skip
    learned = {"C": student, teacher: {"sets": {"teacher": {"random": won(0.85), teacher: won(0.5)}}}}
    result = {"experiment": "konane_x", "title": "Konane", "learned": learned}
    tables = load("pupil_tables")
    picture, table, *_, note = tables.write_learned(result)
    assert picture.endswith("(pictures/konane_x.svg)") and note.startswith("Trainings: 3.")
    rows = table.splitlines()
    assert (
        rows[2].startswith("| C | 91 | chosen 80.0 (70.0 to 90.0)<br>last 70.0 |")
        and " 50.0 (40.0 to 60.0) *<" in table
    )
    assert rows[3].startswith("| teacher ") and "| 85.0 (75.0 to 95.0) |" in rows[3]
    panels = tables._draw_panels(learned)
    assert next(iter(panels)) == "won of the last hundred games while learning" and len(panels) == 4
    assert "snapshots against a to b in the mean" in panels and all("<svg" in panel for panel in panels.values())
    assert tables.write_learned({"experiment": "x"}) == [] and tables._draw_panels({}) == {}
    page = "before <!-- run konane_x -->\nold<!-- end --> after"
    filled = tables.fill_page(page, [result])
    assert table in filled and "old" not in filled and filled == tables.fill_page(filled, [result])
    with pytest.raises(ValueError, match="wants the run 'konane_x', which has no result"):
        tables.fill_page(page, [])


def test_a_series_is_one_table_of_methods_by_games(load: Any) -> None:
    from tests.report.test_report_series import GRADED

    result = {"experiment": "four_by_four", "graded": GRADED}
    picture, table, note = load("series_tables").write_series(result)
    lines = table.splitlines()
    assert "pictures/four_by_four.svg" in picture and lines[0] == "| method | konane 6x6 | chess |"
    assert "| imitation | -50 (-80 to -20)<br>L 98.0 %<br>V 80.0 %<br>10.0 min | – |" in lines
    assert "| `random` | -400 (-430 to -370) | -300 (-330 to -270) |" in lines
    assert "chess taught: no one has a teacher." in note and "chess cannot be solved." in note
    assert load("series_tables").write_series({"experiment": "konane_4x4"}) == []


def test_what_grows_is_one_table_and_the_mistakes_that_stay(load: Any) -> None:
    line = {"teacher": "strong", "design": "whole", "network": "residual", "told": False, "games": [30, 1000]}
    line |= {
        f"legality.whole.{how}": [0.5 + step, 0.9 + step] for how, step in (("mean", 0), ("least", -0.1), ("most", 0.1))
    }
    line["mistakes"] = {"from_empty": [0.3, 0.02], "pass": [0.2, 0.0]}
    told = line | {"told": True, "games": [30]} | {f"legality.whole.{how}": [0.7] for how in ("mean", "least", "most")}
    baselines = {"strong": {"any parts by chance": {"legality.whole": 0.01}, "a legal move": {"legality.whole": 1.0}}}
    board = {"board": "Konane", "curves": [told, line], "baselines": baselines}
    result = {"experiment": "rules_by_watching", "graded": {"boards": [board]}}
    picture, table, note, mistakes = load("series_tables").write_series(result)
    assert "pictures/rules_by_watching.svg" in picture
    assert table.splitlines()[0] == "| who watches whom | 30 | 1 000 |"
    assert table.splitlines()[2:] == [
        "| Konane: strong, told | 70.00 |  |",
        "| Konane: strong | 50.00 (40.00 to 60.00) | 90.00 (80.00 to 100.00) |",
        "| Konane: *any parts by chance* | 1.0 |  |",
    ]
    assert mistakes.endswith("Konane (1 000 games) from empty 2.00 %.") and "italics" in note
    assert "1k" in load("series_tables").draw_board(board, ["strong, told", "strong"])


def test_every_figure_of_the_readme_is_measured(load: Any) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    figures = load("figures")
    assert figures.fill_readme(readme) == readme
    table = re.findall(r"<!-- figures: .*?-->\n(.*?)<!-- end", readme, re.DOTALL)[0].splitlines()
    measured = {figure.write() for some in figures.load_figures().values() for figure in some.values()}
    measured |= {figure.write(interval=False) for some in figures.load_figures().values() for figure in some.values()}
    assert 2 < len(table) <= len(figures.load_table()["readme"]) + 2
    for row in table[2:]:
        cell = row.split(" | ")[1]
        for figure in sorted(measured, key=len, reverse=True):
            cell = cell.replace(figure, "")
        assert not re.search(r"\d", cell), f"{row}: nobody measured what is left of it, {cell!r}"


def test_a_row_of_the_readme_waits_for_its_measurement(load: Any) -> None:
    figures = load("figures")
    figure = figures.Figure({"form": "share", "least": 0.9}, {"value": 0.5, "low": 0.4, "high": 0.6})
    rows = [
        {"what": "this", "measured": "{one.points} and {one.points!}", "wanted": ["one.points"]},
        {"what": "that", "measured": "{other.points}", "wanted": ["other.points"]},
    ]
    written = figures.write_readme_rows(rows, {"one": {"points": figure}})[2:]
    assert written == ["| this | 50.0 % (40.0 to 60.0) and 50.0 % | at least 90 %: missed by 40.0 points |"]


def test_figures_without_marks_or_of_another_command_are_refused(
    load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = load("figures")
    with pytest.raises(ValueError, match="no marks"):
        figures.fill_readme("# Understudy\n")
    monkeypatch.setattr(figures, "DOCS", tmp_path)
    (tmp_path / "results" / "measured").mkdir(parents=True)
    (tmp_path / "measurements.toml").write_text(TINY)
    (tmp_path / "results" / "measured" / "tiny.json").write_text(json.dumps({"command": "understudy games"}))
    with pytest.raises(ValueError, match="tiny was measured by another command"):
        figures.load_figures()
