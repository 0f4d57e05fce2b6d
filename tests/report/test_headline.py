"""A report begins with what was asked and what came out; all runs stand on one page, and in files for programs."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.report.test_report import measure, read_page
from tests.tiny import ONLINE, TEACHER
from understudy.cli import commands
from understudy.config import load_toml, write_toml
from understudy.errors import FileError
from understudy.lab import report_all
from understudy.lab.experiments import load_experiment, shipped
from understudy.report import build_report, plots
from understudy.report.findings import Finding, compare, find_column
from understudy.report.gathering import gather_findings
from understudy.report.naming import shorten
from understudy.report.sources import load_run
from understudy.report.trials import load_trials

GAMES = {
    "A": {"chosen": {"random": [[30, 0, 70], [31, 0, 69]]}},
    "C": {"chosen": {"random": [[5, 0, 95], [5, 0, 95]]}},
    TEACHER: {"teacher": {"random": [[40, 0, 60], [40, 0, 60]]}},
}
"""Lost, drawn and won, as first and as second player."""


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the drawings empty, which saves most of the time."""
    monkeypatch.setattr(plots, "_drawn", lambda draw: '<svg viewBox="0 0 1 1"></svg>')


def make_run(folder: Path, settings: dict[str, Any] | None = None, **files: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "experiment.toml").write_text(write_toml(settings or ONLINE))
    for name, value in (files or {"games": GAMES}).items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return folder


def headline(folder: Path) -> str:
    build_report(folder)
    text = (folder / "report.md").read_text(encoding="utf-8")
    return text.partition("## In short\n")[2].partition("\n## ")[0]


def test_students_teacher_and_paper_stand_in_one_table(tmp_path: Path) -> None:
    text = headline(make_run(tmp_path / "run"))
    counted = "200 games, repetitions unknown"
    assert f"| A | 69.5 % (62.8 to 75.5) | {counted} | 72.0 % | met |" in text
    assert f"| C | 95.0 % (91.0 to 97.3) | {counted} |  |  |" in text
    assert (
        f"| searcher:evaluator=q teacher | 60.0 % (53.1 to 66.5) | {counted} | 83.0 % | missed by 23.0 points |" in text
    )
    assert "Every searcher here has depth=1, method=minimax, ties=random." in text
    assert "C 95.0 % (91.0 to 97.3), the best of 2; its teacher: 60.0 %." in text
    assert "Of 2 numbers of Thompson 2005 in this table 1 is met." in text


def test_a_short_form_is_not_comparable_and_shows_no_number_of_the_paper(tmp_path: Path) -> None:
    settings = load_experiment(shipped()["konane_4x4"], quick=True).settings
    folder = make_run(tmp_path / "run", dict(settings))
    text = headline(folder)
    assert (
        "| A | 69.5 % (62.8 to 75.5) | 200 games, repetitions unknown | not comparable |" in text and "72" not in text
    )
    findings = json.loads((folder / "report.json").read_text())["headline"]
    assert findings[0]["paper"] is None
    assert findings[0]["verdict"] == "not comparable because this is the short form of the experiment"


def test_a_headline_asks_before_it_answers_in_three_sentences_at_most(tmp_path: Path) -> None:
    about = {"description": "Does it help, as in section 5.1? It may. Or not.", "kind": "online", "game": "konane"}
    text = headline(make_run(tmp_path / "run", {"experiment": about}))
    assert text.strip().startswith("Does it help, as in section 5.1? Games won against random: C 95.0 %")
    assert "It may." not in text


@pytest.fixture
def compared() -> Any:
    """A run whose numbers may stand beside a paper's."""
    run = load_run(Path(__file__).parent, {})
    object.__setattr__(run, "comparison", run.comparison._replace(study="miller"))
    return run


def test_less_is_better_for_errors(compared: Any) -> None:
    error = Finding("net", "error", 0.03, 0.01, 0.05, share=False, fewer=True, decimals=4)
    assert compare(compared, error, 0.05).verdict == "met"
    assert compare(compared, error, 0.005).verdict == "missed by 0.0250"
    assert compare(compared, error, None) == error


def test_an_interval_that_holds_the_number_and_a_clear_miss_cannot_tell(compared: Any) -> None:
    wide, narrow = (Finding("s", "won", 0.5, 0.5 - half, 0.5 + half, 40) for half in (0.15, 0.04))
    assert compare(compared, wide, 0.52).verdict == "cannot tell (n = 40)"
    assert compare(compared, narrow, 0.52).verdict == "met"
    assert compare(compared, narrow, 0.6).verdict == "missed by 10.0 points"
    assert compare(compared, wide, 0.66).verdict == "missed by 16.0 points"  # the number itself is not in it
    assert compare(compared, wide, 0.40).verdict == "met"  # a clear miss is not in it
    error = Finding("net", "error", 0.03, 0.01, 0.05, share=False, fewer=True, decimals=4, sample=7)
    assert compare(compared, error, 0.02).verdict == "cannot tell (n = 7)"
    assert compare(compared, error._replace(low=None, high=None), 0.02).verdict == "missed by 0.0100"


def test_few_different_pairs_cannot_tell_whatever_the_interval(compared: Any) -> None:
    def won(different: int, pairs: int | None) -> Finding:
        return Finding("s", "won", 0.9, 0.89, 0.91, 10_000, different=different, pairs=pairs, games=True)

    space = "\N{NARROW NO-BREAK SPACE}"
    assert compare(compared, won(18, 9), 0.5).verdict == f"cannot tell (10{space}000 games, 18 different)"
    assert compare(compared, won(60, 30), 0.5).verdict == "met"
    assert compare(compared, won(29, None), 0.95).verdict.startswith("cannot tell")  # as one colour there are no pairs
    assert compare(compared, won(30, None), 0.95).verdict == "missed by 5.0 points"


def test_games_that_repeat_others_are_told_and_prove_nothing(tmp_path: Path) -> None:
    """A thousand games that are two, and four hundred that all differ."""
    once, apart = [0, 0, 1, 0, 0, 0, 0, 0, 0], [20, 0, 30, 0, 0, 0, 50, 0, 100]
    games = {
        "A": {"chosen": {"random": [[500, 0, 0], [0, 0, 500], [499, 499], once]}},
        "C": {"chosen": {"random": [[50, 0, 150], [70, 0, 130], [0, 0], apart]}},
        TEACHER: {"teacher": {"random": [[50, 0, 150], [70, 0, 130], [0, 0], apart]}},
    }
    folder = make_run(
        tmp_path / "run", games=games, picked={"kept": "A", "student": "A", "set": "chosen", "among": 2, "games": 9}
    )
    text = headline(folder)
    assert "| 1000 games, 2 different too few to trust | 72.0 % | cannot tell (1000 games, 2 different) |" in text
    assert "| C | 70.0 % (65.2 to 74.4) | 400 games, 400 different |" in text
    assert "A 50.0 % (5.5 to 94.5), chosen among 2 by other games; its teacher: 70.0 %." in text
    assert "Of 2 numbers of Thompson 2005 in this table none is met, of 1 too few games differ to tell." in text
    whole = (folder / "report.md").read_text(encoding="utf-8")
    assert "2 of 1000 differ: too few to trust" in whole and "400 of 400 differ" in whole
    assert "Of 2 sets of weights A, chosen, was picked, by 9 games against each opponent" in whole
    result = json.loads((folder / "report.json").read_text())["headline"][0]
    assert (result["sample"], result["different"], result["pairs"]) == (1000, 2, 1)


def test_one_number_that_nobody_can_judge_is_told_so(tmp_path: Path) -> None:
    games = {"A": {"chosen": {"random": [[1, 0, 0], [0, 0, 1], [0, 0], [0, 0, 1, 0, 0, 0, 0, 0, 0]]}}}
    text = headline(make_run(tmp_path / "run", games=games))
    assert "The one number of Thompson 2005 in this table cannot be judged." in text


def test_a_column_of_a_paper_is_found_by_the_whole_name() -> None:
    columns = {"paper TFR (all rows)": {"a": 1.0}, "paper FTR": {"a": 2.0}}
    assert find_column(columns, "TFR") == {"a": 1.0}
    assert find_column(columns, "FTR_expanded") == find_column(columns, "paper") == {}


@pytest.mark.parametrize(
    ("section", "name", "words"),
    [
        ("test rows, split orbit", "accuracy.whole", "moves chosen as the teacher did (test rows, split orbit)"),
        ("states", "legality.whole", "legal choices in positions that nobody played"),
        ("games against random", "strict.won", "games won against random"),
        ("value kept", "value_kept", "positions whose value is kept"),
    ],
)
def test_judges_of_positions_have_their_measures_in_the_headline(
    tmp_path: Path, section: str, name: str, words: str
) -> None:
    folder = make_run(tmp_path / "run", {"experiment": {}}, verdicts={section: {"s": {name: measure(0.9, 100)}}})
    finding = gather_findings(load_run(folder, {}))[0]
    assert (finding.what, finding.measure, finding.value, finding.sample) == ("s", words, 0.9, 100)


def test_names_are_as_short_as_tells_them_apart() -> None:
    names, note = shorten([TEACHER, TEACHER.replace("=q", "=g"), "random", "stochastic:depth=2", "student:runs/a"])
    assert list(names.values()) == [
        "searcher:evaluator=q", "searcher:evaluator=g", "random", "stochastic:depth=2", "student:runs/a"
    ]  # fmt: skip
    assert note == "Every searcher here has depth=1, method=minimax, ties=random."


def test_cells_are_shown_on_the_board(tmp_path: Path) -> None:
    counts = [30, *range(24)]
    analysis = {
        "game": "morris",
        "parts": {"from": {"counts": counts, "entropy": 4.0, "constant": 0.27349}},
        "legal": {"most": 3},
    }
    folder = make_run(tmp_path / "run", {"experiment": {"game": "morris"}}, analysis=analysis)
    page = build_report(folder).read_text(encoding="utf-8")
    assert page.count('class="us-board') == 1 and page.count('class="us-heat"') == 23
    assert "FROM: how often each cell, in per cent; none: 9.8 %" in page
    assert "xmlns" not in page and page.count(".us-paper{fill:#f6efe0}") == 1
    assert "Entropy of FROM, bits" in page
    assert re.search(r"Share of the commonest FROM</th><td></td><td>27.3 %</td>", page)


def test_samples_are_drawn_with_what_the_student_thought(tmp_path: Path) -> None:
    start = load_experiment(shipped()["morris_quick"]).game
    sample = {
        "kind": "wrong", "position": start.write(start.start()), "mover": "white", "choice": "a1", "share": 0.4,
        "teacher": "d2", "teacher_share": 0.1, "part": "to", "heat": {"a1": 0.4, "d2": 0.1},
        "arrows": [[None, 0, 1.0, ""]], "marked": [],
    }  # fmt: skip
    samples = {"asked": 400, "students": {"FTR": [sample]}}
    folder = make_run(tmp_path / "run", {"experiment": {"game": "morris"}}, samples=samples)
    page = read_page(build_report(folder))
    assert "Otherwise than the teacher: white a1 (40.0 %), not d2 (10.0 %); heat: TO" in page.text
    assert page.seen.count("rect") == 1 + 2  # the board, and two cells with heat


def test_trials_are_told(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run")
    with sqlite3.connect(folder / "tune.sqlite") as file:
        file.executescript("""
            CREATE TABLE trials (trial_id INTEGER, number INTEGER, state TEXT);
            CREATE TABLE trial_values (trial_id INTEGER, value REAL);
            CREATE TABLE trial_params
              (param_id INTEGER, trial_id INTEGER, param_name TEXT, param_value REAL, distribution_json TEXT);
            INSERT INTO trials VALUES (1, 0, 'COMPLETE'), (2, 1, 'PRUNED');
            INSERT INTO trial_values VALUES (1, 0.432);
            INSERT INTO trial_params VALUES (1, 1, 'network.blocks', 1, '{"attributes": {"choices": [0, 3]}}');
        """)
    build_report(folder)
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert "2 trials, of which 1 were given up early or not ended." in text
    assert "| trial 0 | 43.2 % | 3 |" in text
    (folder / "tune.sqlite").write_text("not a database, but long enough to be taken for one" * 9)
    assert load_trials(folder / "tune.sqlite") == []


def test_options_come_last_and_folded(tmp_path: Path) -> None:
    page = build_report(make_run(tmp_path / "run")).read_text(encoding="utf-8")
    last = page.rpartition("<section")[2]
    assert re.search(r"<details><summary>All \d+ options</summary>.*training.games", last, flags=re.DOTALL)


def test_all_runs_stand_on_one_page(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    cost = {"understudy": "9.9", "cores": 2, "steps": {"learn": {"wall_seconds": 90.0, "cpu_seconds": 80.0}}}
    build_report(make_run(runs / "one", games=GAMES, cost=cost))
    make_run(runs / "unfinished")
    make_run(runs / "broken", verdicts=[])
    arguments = ["report", "--all", "--runs", str(runs), "--output", str(tmp_path / "all.html")]
    arguments += ["--json", str(tmp_path / "all.json"), "--results", str(tmp_path / "results")]
    done = CliRunner().invoke(commands, arguments)
    assert done.exit_code == 0, done.output
    page = read_page(tmp_path / "all.html")
    assert "runs/one/report.html" in page.references and "runs/unfinished/report.html" not in page.references
    assert "must hold an object" in page.text and "69.5 %" in page.text and "90" in page.text
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["one.json"]
    result = json.loads((tmp_path / "results" / "one.json").read_text())
    assert json.loads((tmp_path / "all.json").read_text()) == [result]
    assert (result["experiment"], result["study"], result["game"], result["size"]) == (
        "one",
        "thompson",
        "konane",
        "4x4",
    )
    assert (result["command"], result["seed"], result["quick"]) == ("understudy run one.toml", 0, False)
    assert (result["cost"], result["version"], result["commit"]) == (cost, "9.9", None)
    assert result["headline"][0].keys() == {
        "what", "measure", "value", "low", "high", "sample", "different", "pairs", "share", "paper", "verdict"
    }  # fmt: skip


def test_the_command_of_a_run_does_it_again(tmp_path: Path) -> None:
    changes = ("training.games=3000", "training.seed=4", 'judging.opponents=["random"]')
    experiment = load_experiment(shipped()["konane_4x4"], changes, quick=True)
    build_report(make_run(tmp_path / "runs" / "mine", dict(experiment.settings)))
    result = report_all(tmp_path / "runs", tmp_path / "all.html")["mine"]
    assert result["experiment"] == "konane_4x4" and result["seed"] == 4
    words = result["command"].replace("'", "").split(" ", 3)
    assert words[:3] == ["understudy", "run", "konane_4x4"]
    again = [change.strip() for change in words[3].removeprefix("--quick").split("--set")[1:]]
    expected = load_toml(tmp_path / "runs" / "mine" / "experiment.toml")
    assert load_experiment(shipped()["konane_4x4"], again, quick=True).settings == expected


def test_a_folder_without_runs_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no runs"):
        report_all(tmp_path, tmp_path / "all.html")


@pytest.mark.parametrize("arguments", [[], ["run", "--all"], ["run", "--json", "x"]])
def test_one_run_or_all(arguments: list[str]) -> None:
    assert CliRunner().invoke(commands, ["report", *arguments]).exit_code == 2
