"""Reports of students of labels: hand-made runs whose numbers are known, with files missing or broken."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from understudy.errors import FileError
from understudy.report import build_report, plots
from understudy.report import labels as label_report
from understudy.report.blocks import Cell, Plots, Table, Text
from understudy.report.labels import matches as match_report
from understudy.report.labels import positions_section
from understudy.report.labels.nearness import bounded, by_dataset, nearness_section
from understudy.report.labels.orders import CONFIRMED, LEVEL, REFUTED, UNKNOWN, pairs_of
from understudy.report.labels.rises import FLATTENED, RISING, rise_of
from understudy.report.labels.rises import UNKNOWN as UNKNOWN_RISE
from understudy.report.sources import load_run
from understudy.studies.sabatelli.paper import LABELS, PRINTED

HALF = {"accuracy": 0.02, "squared error": 0.0004}


def measure(value: float, half: float, sample: int = 5000) -> dict[str, Any]:
    return {"value": value, "low": value - half, "high": value + half, "sample": sample}


def student(dataset: str, value: float, *, split: str = "game", parameters: int = 1_355_615) -> dict[str, Any]:
    name = "accuracy" if dataset in "123" else "squared error"
    verdict = {name: measure(value, HALF[name]), "error in pawns": measure(1.5, 0.1), "sign": measure(0.99, 0.05),
               "explained": 0.5}  # fmt: skip
    if name == "squared error":
        verdict["accuracy as data set 1"] = measure(0.7, 0.02)
    return {"dataset": dataset, "inputs": "bitmap", "design": "perceptron", "split": split, "parameters": parameters,
            "seconds": 1800.0, "epochs": 12, "passes": 11.5, "best_epoch": 6, "examples_per_second": 4321.6,
            "learned_from": 412_345, "suffix": "onnx", "validation": verdict, "test": verdict}  # fmt: skip


def students() -> dict[str, Any]:
    """Return the thesis's combinations in another order than its own, and some it does not have."""
    every: dict[str, Any] = {}
    for dataset, first, step in (("1", 0.70, 0.01), ("2", 0.60, -0.05), ("3", 0.30, 0.001), ("4", 0.01, 0.001)):
        for place, name in enumerate(LABELS.order_of(dataset)):
            every[name] = student(dataset, first + step * place, parameters=PRINTED[name].parameters)
    every["mlp_bitmap_1_by_position"] = student("1", 0.93, split="position")
    every["standings"] = student("win", 0.005)
    return every


def orders(marked: dict[str, Any]) -> dict[str, Any]:
    ranks: dict[str, Any] = {}
    for dataset, group in by_dataset(marked).items():
        name = "accuracy" if dataset in "123" else "squared error"
        names = [one for one in group if group[one]["split"] == "game"]
        values = [group[one]["test"][name]["value"] for one in names]
        ahead = [measure(abs(one - other), HALF[name] / 4) for one, other in pairwise(values)]
        ranks[dataset] = [{"student": one, "ahead": lead} for one, lead in zip(names, [*ahead, None], strict=True)]
    return ranks


CLASSES = {"1": ["Losing", "Draw", "Winning"], "2": ["< -1.5", "-1.5 to 1.5", "> 1.5"],
           "3": ["< -1.5", "-1.5 to 0", "0 to 1.5", "> 1.5"]}  # fmt: skip


def data() -> dict[str, Any]:
    yardstick = {"accuracy": measure(0.55, 0.01), "error in pawns": measure(4.0, 0.1), "sign": measure(0.5, 0.01)}
    numbers = {"squared error": measure(0.02, 0.03), "sign": measure(0.5, 0.01)}
    pair = ("always the same", "counts material")
    return {
        "positions": 1000, "games": 90, "engines": ["own.parquet: Stockfish 15.1 at depth 8"],
        "sources": {f"source {place}": 10 + place for place in range(15)},
        "sides": {"learned from": 800, "validation": 100, "test": 100},
        "balance": {"1": [200, 600, 200], "2": [200, 600, 200], "3": [200, 250, 350, 200]}, "classes": CLASSES,
        "yardsticks": {name: dict.fromkeys(pair, yardstick if name in "123" else numbers) for name in ("1", "2", "4")},
    }  # fmt: skip


def labels() -> dict[str, Any]:
    marked = students()
    return {"students": marked, "data": data(), "orders": orders(marked)}


def progress() -> str:
    lines = [
        {"student": name, "network": "board", "epoch": epoch, "seconds": 60.0 * (epoch + 1),
         "validation_accuracy": 0.9 + 0.01 * epoch, "best": epoch == 2}
        for name in students() for epoch in range(3)
    ]  # fmt: skip
    return "\n".join(map(json.dumps, lines)) + "\n"


COST = {"positions": 2, "against_engine": 1, "mean_delta": 1.25, "median_delta": 1.2, "mean_expected_loss": 0.1,
        "losing_moves": 1, "wins_thrown_away": 0}  # fmt: skip


def answers(*, priced: bool = True) -> dict[str, Any]:
    price = {"against": "Qb3", "source": "key", "pawns_against": 0.5, "pawns": -20.0, "delta": 20.5}
    rows = [
        {"id": "CCR01", "best": ["Qb3"], "avoid": [], "move": "Ba6", "fault": None, "solved": False},
        {"id": "CCR02", "best": [], "avoid": ["Bd7"], "move": None, "fault": "illegal move", "solved": False},
    ]
    if priced:
        rows[0] |= price
    return {"suite": "ccr25", "engine": "Stockfish 15.1, depth 14" if priced else None, "positions": rows,
             "points": None, "faults": 1, "cost": COST if priced else None,
             "measures": {"best_moves": measure(0.5, 0.3, 2), "avoided": measure(0.0, 0.0, 0)}}  # fmt: skip


def thesis() -> dict[str, Any]:
    row = {"row": 1, "id": "CCR01", "best": "Rfe8 Rae8", "mlp": "Qc2", "mlp_legal": False, "mlp_best": False,
           "mlp_cost": None, "mlp_delta": 0.8, "cnn": "Be2", "cnn_legal": True, "cnn_best": True,
           "cnn_cost": {"pawns": -0.2, "delta": 0.7}, "cnn_delta": 1.0, "ours": "Ba6", "ours_best": False,
           "ours_cost": {"pawns": -20.0, "delta": 20.5}}  # fmt: skip
    return {
        "rows": [row], "best_moves": {"mlp": 2, "cnn": 2, "ours": 5}, "illegal": {"mlp": 2, "cnn": 7},
        "stated_mean": {"mlp": 1.56, "cnn": 1.55}, "recomputed": {"mlp": None, "cnn": COST, "ours": COST},
        "printed": {"mlp": {"mean_delta": 2.34}, "cnn": {"mean_delta": 1.6764}},
    }  # fmt: skip


def ladder(**changes: Any) -> dict[str, Any]:
    rungs = [{"elo": 1350, "wins": 6, "draws": 2, "losses": 2, "games": 10, "share": 0.7, "low": 0.4, "high": 0.9},
             {"elo": 1500, "wins": 0, "draws": 0, "losses": 0, "games": 0, "share": None, "low": 0.0}]  # fmt: skip
    return {"player": "student:x", "engine": "stockfish", "limits": {"time": 0.05}, "games": 10, "stopped": False,
            "elo": 1497.0, "low": 1400.0, "high": 1600.0, "place": "on", "lowest_rung": 1350, "highest_rung": 1500,
            "rungs": rungs} | changes  # fmt: skip


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the drawings empty, which saves most of the time."""
    monkeypatch.setattr(plots, "_drawn", lambda draw: '<svg viewBox="0 0 1 1"></svg>')


def named(folder: Path) -> None:
    """Say that a run repeats the thesis, so that its numbers are shown."""
    (folder / "experiment.toml").write_text('[experiment]\nkind = "labels"\ngame = "chess"\nstudy = "sabatelli"\n')


def written(folder: Path, **files: Any) -> tuple[str, dict[str, Any]]:
    """Return the report of a run with some files as Markdown and as data."""
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    build_report(folder)
    return (folder / "report.md").read_text(), json.loads((folder / "report.json").read_text())


def titles(text: str) -> list[str]:
    return [line[3:] for line in text.splitlines() if line.startswith("## ")]


def row(text: str, *beginning: str) -> list[str]:
    """Return the cells of the first row that begins so."""
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|")
    return next(cells for cells in rows if cells[: len(beginning)] == list(beginning))


def test_a_whole_run_has_every_section_and_its_data(tmp_path: Path) -> None:
    named(tmp_path)
    (tmp_path / "progress.jsonl").write_text(progress())
    suites = {"ccr25": {"standings": answers() | {"thesis": thesis()}, "other": answers() | {"thesis": thesis()}}}
    text, data = written(tmp_path, labels=labels(), suites=suites, ladder=ladder())
    assert titles(text) == ["In short", "Positions", "How near the students come", "The order of the combinations",
                            "Learning", "Test suite ccr25", "Ladder", "What was done"]  # fmt: skip
    assert data["labels"]["students"]["standings"]["dataset"] == "win"
    assert data["suites"].keys() == {"ccr25"} and data["ladder"]["elo"] == 1497.0
    assert data["sabatelli"]["cnn_features_2"] == {
        "validation": 0.9648, "test": 0.9626, "table": "7.1", "parameters": 848_295,
    }  # fmt: skip
    assert {pair["verdict"] for pair in data["pairs"]} == {CONFIRMED, REFUTED, UNKNOWN, LEVEL}
    assert "\n\n\n" not in text and "None" not in text and "nan" not in text


def test_the_thesis_stands_beside_its_own_combinations_only(tmp_path: Path) -> None:
    named(tmp_path)
    text = written(tmp_path, labels=labels())[0].partition("## How near")[2]
    assert row(text, "mlp_bitmap_1")[1:4] == ["71.00 % (69.00 to 73.00)"] * 2 + ["96.07 % validation 98.67"]
    assert row(text, "mlp_bitmap_4")[3] == "0.0016 validation 0.0011"
    assert row(text, "mlp_bitmap_1_by_position split by position")[3] == ""
    assert row(text, "always the same")[1:4] == ["55.00 % (54.00 to 56.00)", "", ""]
    assert "which range it mapped" in text and "not to be compared" in text and "one ply earlier" in text
    (tmp_path / "labels.json").write_text(json.dumps({"students": {"standings": student("win", 0.005)}}))
    section = nearness_section(load_run(tmp_path, {}))
    assert section is not None and not any("Sabatelli" in str(block) for block in section.blocks)


def test_students_of_another_split_stand_behind_the_others() -> None:
    names = list(by_dataset(students())["1"])
    assert names[0] == "cnn_algebraic_1" and names[-1] == "mlp_bitmap_1_by_position"
    assert next(iter(by_dataset(students())["4"])) == "cnn_features_4"


def test_intervals_stay_where_values_can_be() -> None:
    assert bounded(measure(0.99, 0.05), lambda share: f"{100 * share:.1f} %") == Cell("99.0 %", "(94.0 to 100.0)")
    assert bounded(measure(2.0, 3.0), lambda error: f"{error:.1f}", most=None) == Cell("2.0", "(0.0 to 5.0)")
    assert bounded({"value": None, "low": 0, "high": 0}, str) == bounded(None, str) == Cell("")


def test_each_step_of_the_thesis_is_confirmed_refuted_or_open() -> None:
    pairs = {(pair.dataset, pair.better): pair for pair in pairs_of(labels(), LABELS)}
    verdicts = {dataset: {pair.verdict for key, pair in pairs.items() if key[0] == dataset} for dataset in "1234"}
    assert verdicts == {"1": {REFUTED}, "2": {CONFIRMED}, "3": {UNKNOWN}, "4": {CONFIRMED, LEVEL}}
    one = pairs["1", "cnn_features_1"]
    assert (one.value, one.low, one.high) == pytest.approx((-0.01, -0.015, -0.005))


def test_leads_of_students_far_apart_add_up_and_their_intervals_never_get_too_narrow() -> None:
    marked = {
        name: student("1", 0.5, parameters=PRINTED[name].parameters) for name in ("cnn_features_1", "mlp_bitmap_1")
    }
    others = [f"other_{place}" for place in range(9)]
    marked |= {name: student("1", 0.5) for name in others}

    def leads(between: int) -> tuple[float, ...]:
        names = ["mlp_bitmap_1", *others[:between], "cnn_features_1"]
        order = [{"student": name, "ahead": measure(0.01, 0.006)} for name in names]
        order[-1]["ahead"] = None
        (pair,) = pairs_of({"students": marked, "orders": {"1": order}}, LABELS)
        return pair.value, pair.low, pair.high

    assert leads(0) == pytest.approx((-0.01, -0.016, -0.004))
    assert leads(2) == pytest.approx((-0.03, -0.048, -0.012))
    assert leads(9) == pytest.approx((-0.10, -0.14, -0.06)), "no wider than the two students' own intervals together"


@pytest.mark.parametrize(
    ("changes", "doubt"),
    [
        ({"parameters": 1000}, "cnn_features_1 is another network than the thesis's"),
        ({"passes": 0.6}, "cnn_features_1 has not seen every position once"),
        ({"passes": 0.995}, ""),
    ],
)
def test_toys_and_less_than_one_pass_refute_nothing(changes: dict[str, Any], doubt: str) -> None:
    told = labels()
    told["students"]["cnn_features_1"] |= changes
    pair = next(pair for pair in pairs_of(told, LABELS) if pair.better == "cnn_features_1")
    assert pair.high < 0 and pair.doubt == doubt and pair.verdict == (UNKNOWN if doubt else REFUTED)


def test_runs_of_before_count_whole_epochs_alone() -> None:
    told = labels()
    del told["students"]["cnn_features_1"]["passes"]
    told["students"]["cnn_features_1"]["epochs"] = 1
    pair = next(pair for pair in pairs_of(told, LABELS) if pair.better == "cnn_features_1")
    assert pair.verdict == UNKNOWN


def lines_of(values: Sequence[float]) -> list[dict[str, Any]]:
    return [{"seconds": 10.0 * place, "validation_accuracy": value} for place, value in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("values", "passes", "gained", "verdict"),
    [
        ([0.5 + 0.01 * place for place in range(20)], 2.0, 0.02, RISING),
        ([0.5, 0.6, 0.7, 0.75, *[0.76] * 16], 2.0, 0.0, FLATTENED),
        ([0.5, 0.6, 0.7, *[0.75] * 16, 0.7505], 2.0, 0.0005, FLATTENED),
        ([0.5, 0.9, *[0.7] * 18], 2.0, 0.0, FLATTENED),
        ([0.5, 0.6, 0.7], 2.0, 0.1, UNKNOWN_RISE),
        ([0.5, 0.6, 0.7, 0.75, *[0.76] * 16], 0.7, 0.0, UNKNOWN_RISE),
        ([0.71] * 20, 2.0, 0.0, UNKNOWN_RISE),
    ],
)
def test_what_the_last_tenth_brought_is_told(values: list[float], passes: float, gained: float, verdict: str) -> None:
    """Whoever says the same from the first look on, or has seen little, may not have begun to learn."""
    rise = rise_of(lines_of(values), {"passes": passes})
    assert rise is not None and rise.gained == pytest.approx(gained) and rise.verdict == verdict
    assert rise_of([{"epoch": 1}], {}) is None


def test_pairs_need_both_students() -> None:
    marked = {"mlp_bitmap_1": student("1", 0.7), "cnn_algebraic_1": student("1", 0.6)}
    assert pairs_of({"students": marked, "orders": orders(marked)}, LABELS) == []


def test_positions_tell_classes_in_order_and_the_largest() -> None:
    section = positions_section(data())
    assert section is not None
    counts, balance = (block for block in section.blocks if isinstance(block, Table))
    assert [cells[0].text for cells in counts.rows][-2:] == ["from source 3", "from 3 others"]
    assert counts.rows[-1][1].text == str(10 + 11 + 12)
    assert [cells[0].text for cells in balance.rows] == ["Losing", "Draw", "Winning", "< -1.5", "-1.5 to 1.5",
                                                         "-1.5 to 0", "0 to 1.5", "> 1.5"]  # fmt: skip
    marked = [[cells[column].text for cells in balance.rows if cells[column].marked] for column in (1, 2, 3)]
    assert marked == [["60.0 %"], ["60.0 %"], ["35.0 %"]]
    assert positions_section({}) is None


def test_mixed_labels_are_told() -> None:
    texts = [
        block.text
        for limits in ([], ["depth 8"], ["depth 6", "depth 8"])
        if (section := positions_section(data() | {"limits": limits})) is not None
        for block in section.blocks
        if isinstance(block, Text)
    ]
    assert ["They are mixed: depth 6; depth 8" in text for text in texts] == [False, False, True]


def test_curves_are_shares_of_classes_but_errors_of_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[list[list[float]], str, bool]] = []

    def draw(lines: Any, *, across: str, shares: bool, **_: Any) -> str:
        drawn.append(([[*line.xs, *line.ys] for line in lines], across, shares))
        return "<svg></svg>"

    monkeypatch.setattr(label_report, "draw_lines", draw)
    marked = {name: student(name[-1], 0.5) for name in ("mlp_bitmap_1", "mlp_bitmap_4")}
    (tmp_path / "progress.jsonl").write_text(progress() + '{"student": "mlp_bitmap_1", "network": "board", "epo')
    (tmp_path / "labels.json").write_text(json.dumps({"students": marked}))
    label_report.learning_section(load_run(tmp_path, {}))
    assert [(across, shares) for _, across, shares in drawn] == [("epochs", True), ("minutes", True),
                                                                 ("epochs", False), ("minutes", False)]  # fmt: skip
    assert drawn[0][0] == [pytest.approx([1, 2, 3, 0.90, 0.91, 0.92])]
    assert drawn[2][0] == [pytest.approx([1, 2, 3, 0.10, 0.09, 0.08])]


def test_a_picture_has_no_more_lines_than_colours(tmp_path: Path) -> None:
    named(tmp_path)
    marked = students() | {f"other_{place}": student("1", 0.5) for place in range(10)}
    lines = [{"student": name, "network": "board", "epoch": 0, "validation_accuracy": 0.5} for name in marked]
    (tmp_path / "progress.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / "labels.json").write_text(json.dumps({"students": marked}))
    section = label_report.learning_section(load_run(tmp_path, {}))
    assert section is not None
    keys = [plot.keys for block in section.blocks if isinstance(block, Plots) for plot in block.plots]
    assert max(map(len, keys)) <= plots.COLOURS
    assert {name for some in keys for name in some} == set(marked)
    assert set(keys[0]) == set(LABELS.order_of("1"))


def test_a_suite_with_the_thesis_beside_it(tmp_path: Path) -> None:
    named(tmp_path)
    text, _ = written(tmp_path, suites={"ccr25": {"standings": answers() | {"thesis": thesis()}}})
    assert titles(text) == ["Test suite ccr25", "What was done"]
    assert row(text, "standings")[1:5] == ["1 of 2 (20 to 80)", "", "1.25", "1.20"]
    assert row(text, "Sabatelli's MLP")[1:] == ["2", "2", "1.56", "2.34", "", "", "", ""]
    assert row(text, "Sabatelli's CNN")[1:6] == ["2", "7", "1.55", "1.68", "2"]
    assert row(text, "1, CCR01")[1:5] == ["Rfe8 or Rae8", "(Qc2)", "0.8", ""]
    assert row(text, "CCR01")[1:] == ["Qb3", "Ba6", "Qb3", "0.50", "-20.00", "20.50"]
    assert row(text, "CCR02")[1:] == ["not Bd7", "(illegal move)", "", "", "", ""]


def test_a_suite_that_no_engine_judged(tmp_path: Path) -> None:
    graded = answers(priced=False) | {"points": {"earned": 12.0, "most": 20.0, "positions": 2}}
    text, _ = written(tmp_path, suites={"mine": {"standings": graded}, "empty": {}})
    assert titles(text) == ["Test suite mine"]
    assert row(text, "standings")[3] == "12 of 20" and "No engine said" in text
    assert row(text, "CCR01") == ["CCR01", "Qb3", "Ba6"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Elo: 1497, 95 % interval 1400 to 1600."),
        ({"elo": None, "low": None, "high": 1380.0, "place": "below"}, "below the lowest rung, 1350 (no points)"),
        ({"elo": 1700.0, "low": 1600.0, "high": None, "place": "above"}, "above the highest rung, 1500"),
        (
            {"stopped": True, "limits": {"depth": 3}},
            "stockfish (depth 3 a move), with 95 % intervals. Stopped",
        ),
    ],
)
def test_the_ladder(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    text, _ = written(tmp_path, ladder=ladder(**changes))
    assert sentence in text and titles(text) == ["Ladder"]
    assert row(text, "1350") == ["1350", "10", "6", "2", "2", "70.0 % (40.0 to 90.0)"]
    assert not any(line.startswith("| 1500 |") for line in text.splitlines()), "nobody played there"


def test_only_rungs_that_think_little_flatter(tmp_path: Path) -> None:
    assert "flatters" in written(tmp_path, ladder=ladder())[0]
    assert "flatters" not in written(tmp_path, ladder=ladder(limits={"time": 1.5}))[0]


def test_what_is_missing_is_left_out(tmp_path: Path) -> None:
    text, data = written(tmp_path, labels={"students": {"standings": student("win", 0.005)}})
    assert titles(text) == ["In short", "How near the students come"] and "pairs" not in data
    text, _ = written(tmp_path, labels={"students": {}, "data": {"positions": 5, "games": 1}}, ladder=ladder(rungs=[]))
    assert titles(text) == ["Positions"]
    with pytest.raises(FileError, match="nothing to report"):
        written(tmp_path, labels={"students": {}}, ladder={}, suites={})


def test_progress_without_graded_students_is_told_as_ever(tmp_path: Path) -> None:
    (tmp_path / "progress.jsonl").write_text(progress())
    text, data = written(tmp_path)
    assert titles(text) == ["Learning", "What was done"] and "sabatelli" not in data


@pytest.mark.parametrize(
    "marked", [[], {"a": 3}, {"a": {}}, {"a": {"dataset": "1", "test": {}}}, {"a": {"dataset": "1", "validation": {}}}]
)
def test_students_that_cannot_be_understood(tmp_path: Path, marked: Any) -> None:
    with pytest.raises(FileError, match=r"labels.json.*does not tell its data set, validation and test"):
        written(tmp_path, labels={"students": marked})


def test_drawings_hold_what_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    pairs = plots.draw_pairs([(0.5, -20.0), None, (1.0, 1.0)], across="position", band=1.5, edge=8.0)
    curve = plots.Line([1350.0, 1500.0], [0.6, 0.4], 1, quiet=True)
    shares = plots.draw_intervals([(1350.0, 0.7, 0.4, 0.9)], across="Elo", curve=curve)
    for drawing in (pairs, shares, plots.draw_intervals([(1350.0, 0.7, 0.4, 0.9)], across="Elo", curve=None)):
        assert drawing.startswith("<svg") and "#a0" not in drawing
    assert "position" in pairs and "100 %" in shares


def outcome(wins: float, sample: int) -> dict[str, Any]:
    return {"wins": measure(wins, 0.1, sample), "draws": measure(0.5, 0.1, sample), "losses": measure(0.1, 0.1, sample)}


def match() -> dict[str, Any]:
    side = {"moves": 30, "average_centipawn_loss": 61.4, "mean_expected_loss": 0.1, "missed_wins": 2}
    courses = [("one", "two", "1-0"), ("two", "one", "0-1"), ("one", "two", "1/2-1/2")] * 4
    games = [{"white": white, "black": black, "result": result, "plies": [1, 2], "pawns": [0.5, -30.0]}
             for white, black, result in courses]  # fmt: skip
    return {
        "book": "sabatelli", "players": ["one", "two"], "shares": outcome(0.4, 12),
        "sets": [{"set": "gambits", "shares": outcome(0.25, 8)}, {"set": "1.d4 d5", "shares": outcome(0.75, 4)}],
        "quality": {"engine": "Stockfish 15.1, depth 10", "players": {"one": side, "two": side}, "games": games},
        "won_endings": {
            "players": {"one": measure(1.0, 0.0, 3), "two": {"value": None, "low": 0.0, "high": 1.0, "sample": 0}},
            "endings": [{"game": "game 1", "player": "one", "fen": "k7/8/8/8/8/8/8/KQ6 w - - 0 1", "pawns": 20.0,
                         "won": True, "moves": 9}],
        },
    }  # fmt: skip


def test_a_match_is_told_by_sets_courses_and_endings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(match_report, "draw_lines", lambda lines, **_: drawn.append(lines) or "<svg></svg>")
    named(tmp_path)
    text = written(tmp_path, labels=labels(), match=match())[0].partition("## Match")[2]
    assert row(text, "gambits")[1:3] == ["8", "25.0 % (15.0 to 35.0)"] and row(text, "all")[1] == "12"
    assert row(text, "one", "30")[2:] == ["61", "2"] and "won 25.6 %" in text
    assert row(text, "one", "3")[2].startswith("100 %") and row(text, "two", "0")[2] == "–"
    assert row(text, "game 1")[-2:] == ["yes", "9"]
    assert [len(lines) for lines in drawn] == [6, 4], "six of eight games that one won, none of two's, all draws"
    assert drawn[0][0].ys == [0.5, -10.0], "cut where a game is decided"


def test_an_ending_is_told_student_by_student(tmp_path: Path) -> None:
    named(tmp_path)
    ending = {"ending": "KPPvKR", "positions": 20, "won": 10,
              "students": {"mlp_bitmap_1": {"said": [1, 2, 7], "right": measure(0.6, 0.2, 20)}}}  # fmt: skip
    text = written(tmp_path, labels=labels(), ending=ending)[0].partition("## An ending: KPPvKR")[2]
    assert row(text, "mlp_bitmap_1")[1:5] == ["bitmap", "7", "2", "1"] and "figure 6.4" in text
