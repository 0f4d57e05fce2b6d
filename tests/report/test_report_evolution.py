"""Reports of evolution: hand-made runs whose numbers are known, with files missing, broken, or of another trainer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import FileError
from understudy.judges.scores import LIMIT, read_matches
from understudy.report import build_report, plots
from understudy.report.evolution.course import thin_out
from understudy.report.evolution.monitors import Monitor, best_match, feats_of, group_epochs
from understudy.report.sources import load_run
from understudy.tensors import save_arrays

ALOA, STOCHASTIC = "searcher:depth=5,evaluator=aloa", "stochastic:depth=3"
STUDENTS = ("thesis", "mended")
GENERATIONS = (0, 1, 5, 10, 20, 30, 40, 50, 60)
CLOSING = ["understudy play lines_of_action --opponent student:runs/sample"]

EXPERIMENT = """
[experiment]
kind = "evolution"
game = "lines_of_action"
name = "plogann"
study = "miller"
"""

Rows = list[list[int]]


def played(rng: np.random.Generator, count: int, *, won: float, tied: float) -> Rows:
    """Return invented matches."""
    results = np.where(rng.random((count, 2)) < won, 1, np.where(rng.random((count, 2)) < tied, 0, -1))
    plies = np.where(results == 0, LIMIT, rng.integers(20, 60, (count, 2)))
    return np.stack([results[:, 0], plies[:, 0], results[:, 1], plies[:, 1]], axis=1).tolist()


def generation_lines() -> list[dict[str, Any]]:
    lines = []
    for student in STUDENTS:
        for generation in range(1, 61):
            line: dict[str, Any] = {
                "student": student, "generation": generation, "seconds": 2.0 * generation, "games": 372 * generation,
                "matches": 186, "plies": 40.5, "ties": 0.1, "busy": 0.93,
            }  # fmt: skip
            if student == "thesis":
                line["decided_by"] = {"both wins": 90, "win and tie": 20, "quicker win": 60, "older": 16}
                line["births"] = {"old": 0.5, "mutant": 0.3, "crossover": 0.2}
            else:
                line |= {"sigma": 0.1, "fitness": {"best": 0.9, "mean": 0.5}, "hall": 12, "note": "words", "odd": None}
            lines.append(line)
    return lines


def monitor_rows(rng: np.random.Generator) -> dict[str, Any]:
    monitors: dict[str, Any] = {}
    for place, student in enumerate(STUDENTS):
        aloa = {str(g): played(rng, 6, won=0.0, tied=0.02) for g in GENERATIONS}
        random = {str(g): played(rng, 6, won=0.05 + 0.3 * place, tied=0.1) for g in GENERATIONS if g % 20 == 0}
        monitors[student] = {ALOA: aloa, STOCHASTIC: random}
    monitors["thesis"][ALOA]["40"][2] = [1, 35, -1, 35]
    return monitors


def weights(rng: np.random.Generator, folder: Path) -> None:
    folder.mkdir()
    champion = rng.uniform(-1, 1, 5)
    for generation in (10, 20, 30):
        rows = rng.uniform(-1, 1, (4, 5))
        save_arrays(folder / f"thesis_{generation:05d}.safetensors", {"weights": rows}, {})
        rows[1] = champion
        save_arrays(folder / f"mended_{generation:05d}.safetensors", {"weights": rows}, {})


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the drawings empty, which saves most of the time."""
    monkeypatch.setattr(plots, "_drawn", lambda draw: '<svg viewBox="0 0 1 1"></svg>')


@pytest.fixture
def run(tmp_path: Path, undrawn: None) -> Path:
    """A run folder of two students with invented numbers."""
    return make_run(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder like the other, with its whole report; not to be changed."""
    folder = make_run(tmp_path_factory.mktemp("runs"))
    build_report(folder, closing=CLOSING)
    return folder


def make_run(place: Path) -> Path:
    folder, rng = place / "sample", np.random.default_rng(9)
    folder.mkdir()
    (folder / "experiment.toml").write_text(EXPERIMENT)
    (folder / "generations.jsonl").write_text("".join(json.dumps(line) + "\n" for line in generation_lines()))
    baselines = {
        f"{STOCHASTIC} v {ALOA}": played(rng, 190, won=0.0, tied=0.05),
        f"random_network v {STOCHASTIC}": played(rng, 40, won=0.05, tied=0.05),
        f"{STOCHASTIC} v {STOCHASTIC}": played(rng, 40, won=0.5, tied=0.0),
        f"{ALOA} v {STOCHASTIC}": played(rng, 40, won=1.0, tied=0.0),
        "random v random": [],
    }
    games = {name: {"champion": {ALOA: [[3, 1, 6], [5, 1, 4]], "random": [[0, 0, 10], [1, 0, 9]]}} for name in STUDENTS}
    matches = {name: {STOCHASTIC: [[1, 20, 1, 30], [1, 20, -1, 30], [-1, 20, -1, 30], [0, 100, 0, 100]]}
               for name in STUDENTS}  # fmt: skip
    for name, value in (
        ("monitor", monitor_rows(rng)), ("baselines", baselines), ("games", games), ("matches", matches)
    ):  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps(value))
    weights(rng, folder / "epochs")
    return folder


def headings(folder: Path) -> list[str]:
    return re.findall(r"^## (.*)$", (folder / "report.md").read_text(encoding="utf-8"), flags=re.MULTILINE)


def rows_of(folder: Path, name: str) -> list[list[str]]:
    """Return the cells of all rows of the Markdown report with this name, those of the headline aside."""
    text = (folder / "report.md").read_text(encoding="utf-8")
    lines = re.sub(r"## In short\n.*?(?=\n## )", "", text, flags=re.DOTALL).splitlines()
    split = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
    return [row[1:] for row in split if row[0] == name]


SECTIONS = [
    "In short", "The course of evolution", f"Against {ALOA}", f"Against {STOCHASTIC}", "Players that do not learn",
    "Selection", "Champions", "Play against it", "What was done",
]  # fmt: skip


def test_all_sections_are_there_and_the_page_stands_alone(built: Path) -> None:
    page = (built / "report.html").read_text(encoding="utf-8")
    assert headings(built) == SECTIONS
    assert not re.search(r"https?:|//[a-z]|<script|(fill|stroke): #", page)
    for number in range(15, 22):
        assert f"figure {number}" in page
    assert page.count("NaN") == page.count("nan<") == 0
    assert page.count("<svg ") == page.count("</svg>") == 9 + 14 + 6 + 1  # course, ALoA, stochastic, figure 20


@pytest.mark.parametrize(
    ("missing", "gone"),
    [
        ("experiment.toml", ["What was done"]),
        ("generations.jsonl", ["The course of evolution"]),
        ("monitor.json", [f"Against {ALOA}", f"Against {STOCHASTIC}"]),
        ("baselines.json", ["Players that do not learn"]),
        ("games.json", []),
        ("matches.json", []),
    ],
)
def test_what_is_missing_is_left_out(run: Path, missing: str, gone: list[str]) -> None:
    (run / missing).unlink()
    build_report(run, closing=CLOSING)
    assert headings(run) == [title for title in SECTIONS if title not in gone]


def test_without_epochs_and_champions(run: Path) -> None:
    for path in [*(run / "epochs").iterdir(), run / "games.json", run / "matches.json"]:
        path.unlink()
    (run / "epochs").rmdir()
    build_report(run)
    assert headings(run) == [*SECTIONS[:5], "What was done"]


def test_each_file_alone_is_a_report(run: Path, tmp_path: Path) -> None:
    for name in ("generations.jsonl", "monitor.json", "baselines.json", "matches.json"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_bytes((run / name).read_bytes())
        build_report(folder)
        assert headings(folder)


def test_school_is_drawn_and_a_round_told_twice_counts_once(run: Path) -> None:
    rounds = [{"student": "taught", "round": number, "error": 0.9 - 0.1 * number} for number in (0, 1, 1)]
    text = "".join(
        json.dumps(line) + "\n" for line in [*rounds, {"round": "x", "error": 1.0}, {"round": 2, "error": None}]
    )
    (run / "school.jsonl").write_text(text + '{"half')
    loaded = load_run(run, {})
    assert [line["round"] for line in loaded.school] == [0, 1, 1, "x", 2]
    build_report(run)
    assert "School" in headings(run)
    (run / "school.jsonl").write_text('{"round": 0, "error": null}\n')
    build_report(run)
    assert "School" not in headings(run)


def test_a_run_that_has_just_begun(tmp_path: Path) -> None:
    line = {"student": "thesis", "generation": 0, "seconds": 0.0, "games": 0}
    (tmp_path / "generations.jsonl").write_text(json.dumps(line))
    (tmp_path / "monitor.json").write_text(json.dumps({"thesis": {ALOA: {"0": [[-1, 30, -1, 31]]}, "random": {}}}))
    build_report(tmp_path)
    assert headings(tmp_path) == ["In short", "The course of evolution", f"Against {ALOA}"]


def test_published_numbers_stand_beside_ours(built: Path) -> None:
    assert rows_of(built, "Miller 2010, generation 9030") == [
        ["30.43", "28.00", "165.00", "60.85", "57.00", "200.00"],
        ["29.23", "28.00", "87.00", "57.91", "56.20", "108.00"],
    ]
    assert rows_of(built, "epochs in which an individual won a game")[0][2:] == ["9 (8 by another passage)"]
    assert rows_of(built, "matches, Miller 2010, RandomANN")[1][:3] == ["17", "602", "1"]
    assert rows_of(built, "all games, Miller 2010, pLoGANN")[0][0].startswith("28.71 ")
    # by their own colours: in the thesis the two stand under each other's
    assert rows_of(built, "as Black, Miller 2010, random heuristic")[-1][0].startswith("125.50 ")
    assert rows_of(built, "as White, Miller 2010, random heuristic")[-1][0].startswith("118.13 ")
    assert "winning percentages 49.9 and 50.1" in (built / "report.md").read_text(encoding="utf-8")


def test_the_best_match_is_found(built: Path) -> None:
    text = (built / "report.md").read_text(encoding="utf-8")
    assert "row 2 of generation 40, scored 165 + 35 = 200 (Black, White)" in text
    assert rows_of(built, "games won")[0][0] == "1 of 72"
    assert rows_of(built, "neighbouring epochs with a winner in both")[0][:2] == ["0", "0"]


def test_champions_and_their_matches(built: Path) -> None:
    matches = rows_of(built, "mended")[-1]
    assert [cell[0] for cell in rows_of(built, "mended")[-3:-1]] == ["10-8-2", "19-1-0"]
    assert matches[0] == "2-1-1"
    assert matches[1].startswith("66.7 % ")
    assert matches[2].startswith("50.0 % ")


def test_persistence_is_counted(built: Path) -> None:
    assert rows_of(built, "mended")[1][:5] == ["3", "8", "2 25.00 % (7.15 to 59.07)", "2 25.00 % (7.15 to 59.07)", "3"]
    assert rows_of(built, "thesis")[1] == [
        "3", "8", "0 0.00 % (0.00 to 32.44)", "0 0.00 % (0.00 to 32.44)", "1", "0.10 %"
    ]  # fmt: skip
    data = json.loads((built / "report.json").read_text(encoding="utf-8"))
    assert data["persistence"]["mended"]["distinct"] == 10
    assert data["eliminations"] == {"outright": 32, "same": 16, "another": 8, "circle": 8}


def test_the_statistics_are_in_the_json(built: Path) -> None:
    data = json.loads((built / "report.json").read_text(encoding="utf-8"))
    rows = json.loads((built / "monitor.json").read_text())["thesis"][ALOA]["40"]
    scores = [2 * LIMIT - n if r > 0 else n if r < 0 else LIMIT for row in rows for r, n in (row[:2], row[2:])]
    spread = data["monitor"]["thesis"][ALOA]["generations"]["40"]["overall"]
    assert spread["mean"] == pytest.approx(np.mean(scores))
    assert spread["most"] == 165
    assert spread["deviation"] == pytest.approx(np.std(scores, ddof=1))
    assert data["monitor"]["thesis"][ALOA]["from_first_epoch"]["records"]["overall"]["won"] == 1
    assert data["monitor"]["thesis"][ALOA]["from_first_epoch"]["scores"]["combined"]["sample"] == 36
    assert len(data["generations"]) == 120
    assert data["thesis"]["pLoGANN v ALoA"]["scores"]["combined"]["mean"] == 57.43
    assert "NaN" not in (built / "report.json").read_text()


def test_broken_lines_are_passed_over_and_resumed_ones_replace(run: Path) -> None:
    path = run / "generations.jsonl"
    build_report(run)
    expected = (run / "report.html").read_text(encoding="utf-8")
    whole = path.read_text()
    path.write_text(whole + '{"student": "thesis", "gen')
    assert build_report(run).read_text(encoding="utf-8") == expected
    path.write_text(whole.splitlines()[59] + "\n" + whole)  # a generation that was told twice
    assert build_report(run).read_text(encoding="utf-8") == expected
    path.write_text("{broken\n" + whole + '{"generation": "ten"}\n')
    text = build_report(run).read_text(encoding="utf-8")
    assert "1 of the lines in generations.jsonl could not be read" in text


def test_whatever_a_trainer_tells_is_drawn(built: Path) -> None:
    page = (built / "report.html").read_text(encoding="utf-8")
    for caption in (
        "Games a second", "Hall", "Step of mutation (sigma)", "Tied games", "thesis: what decided matches",
        "mended: fitness", "thesis: where survivors come from",
    ):  # fmt: skip
        assert f"<figcaption>{caption}<" in page
    assert rows_of(built, "thesis")[0] == ["60", "22\u202f320", "2 min", "186"]
    assert ">Note<" not in page and ">Odd<" not in page


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("monitor.json", '{"thesis": {"random": {"10": [[1, 2]]}}}', "thesis v random, generation 10: expected rows"),
        ("monitor.json", '{"thesis": {"random": {"ten": []}}}', "a generation must be a whole number, not 'ten'"),
        ("monitor.json", '{"thesis": 3}', "must hold matches by name, not a int"),
        ("monitor.json", "[]", "must hold an object"),
        ("baselines.json", '{"random": []}', "'random' does not name two players"),
        ("keeping.json", '{"thesis": {"ten": {"rounds": []}}}', "a generation must be a whole number, not 'ten'"),
        ("keeping.json", '{"thesis": {"10": {}}}', "a champion that was tried has rounds"),
        ("keeping.json", '{"thesis": {"10": {"rounds": [{"random": [[1, 2]]}]}}}', "thesis: expected rows"),
        ("baselines.json", '{"a v b": [[2, 1, 0, 1]]}', "a v b: expected rows"),
        ("matches.json", '{"thesis": {"random": [[0, 0, 0]]}}', "thesis v random: expected rows"),
    ],
)
def test_files_that_cannot_be_understood_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        build_report(tmp_path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_epochs_that_hold_no_individuals_are_named(run: Path) -> None:
    save_arrays(run / "epochs" / "thesis_00020.safetensors", {"other": np.zeros((2, 2))}, {})
    with pytest.raises(FileError, match=r"thesis_00020.safetensors' does not hold the weights of individuals"):
        build_report(run)
    (run / "epochs" / "thesis_00020.safetensors").write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the individuals"):
        build_report(run)


def monitor(generations: dict[int, Rows]) -> Monitor:
    return Monitor("me", "you", {key: read_matches(rows, place="") for key, rows in generations.items()})


def test_feats_by_hand() -> None:
    win, tie, loss, both = [1, 20, -1, 30], [0, 100, -1, 30], [-1, 20, -1, 30], [1, 20, 1, 30]
    feats = feats_of(monitor({10: [win, loss], 20: [both, tie], 30: [tie, loss], 40: [loss, loss], 50: [win, win]}))
    assert feats == (5, 3, 1, 1, 1, 5, 20, 4)


def test_epochs_begin_with_generation_ten() -> None:
    early = monitor(
        {0: [[-1, 20, -1, 30]], 5: [[-1, 20, -1, 31]], 10: [[1, 20, -1, 40]], 20: [[-1, 20, 1, 10]], 30: []}
    )
    assert early.generations == [0, 5, 10, 20]
    assert early.epochs.generations == [10, 20]
    assert early.series("combined", "mean").tolist() == [50, 51, 220, 210]
    assert best_match(early) == (10, 0, 180, 40)
    assert group_epochs(early, 1)[0] == [0, 5, 15]
    assert [one.played for one in group_epochs(early, 1)[1]] == [1, 1, 2]
    assert monitor({0: [[-1, 20, -1, 30]]}).epochs.generations == [0]


def test_long_courses_are_thinned_evenly() -> None:
    assert thin_out([1, 2, 3], [4, 5, 6], 3) == ([1, 2, 3], [4, 5, 6])
    assert thin_out([1, 2, 3, 4, 5], [1, 1, 3, 3, 9], 3) == ([1.5, 3.5, 5], [1, 3, 9])
    assert thin_out([], [], 3) == ([], [])


def short_run(place: Path, *generations: int) -> str:
    """Return the report of the thesis's run with these generations measured against ALoA."""
    folder, rng = make_run(place), np.random.default_rng(3)
    rows = {str(generation): played(rng, 6, won=0.1, tied=0.1) for generation in generations}
    (folder / "monitor.json").write_text(json.dumps({"thesis": {ALOA: rows}}))
    build_report(folder)
    return "\n".join((folder / f"report.{suffix}").read_text(encoding="utf-8") for suffix in ("md", "html", "json"))


def test_few_generations_have_no_trend_and_no_first_epoch(tmp_path: Path, undrawn: None) -> None:
    text = short_run(tmp_path, 0, 1, 2, 3)
    assert "from generation 10 on together" not in text and "| from generation 10 on |" not in text
    assert "Slope" not in text and '"slope"' not in text
    assert "least squares" not in text and "from_first_epoch" not in text
    assert "Too few generations for a trend: it takes 5 from generation 10 on, and thesis has none." in text
    assert "all generations measured together" in text and "neighbouring epochs" not in text
    assert "| generations measured | 4 |" in text and "thesis, mean of all generations" in text


def test_before_the_first_epoch_nothing_of_the_thesis_is_comparable(tmp_path: Path, undrawn: None) -> None:
    text = short_run(tmp_path, 0, 1, 2, 3)
    for words in ("games, Miller 2010, pLoGANN", "Miller 2010, generation", "8 of 124 000", "thesis less Miller 2010"):
        assert words not in text, words
    assert "its numbers are of epochs, from generation 10 on, which was not reached here." in text
    assert "winning percentages 49.9 and 50.1" in text, "players that do not learn need no generations"


def test_three_epochs_are_too_few_for_a_trend_and_five_are_not(tmp_path: Path, undrawn: None) -> None:
    (tmp_path / "three").mkdir()
    text = short_run(tmp_path / "three", 0, 10, 20, 30)
    assert "Slope" not in text and "from generation 10 on, and thesis has 3." in text
    assert "8 of 124 000" in text
    (tmp_path / "five").mkdir()
    text = short_run(tmp_path / "five", 0, 10, 20, 30, 40, 50)
    assert "Slope of the score" in text and "Too few" not in text
