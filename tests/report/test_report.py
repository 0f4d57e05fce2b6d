"""Reports: the numbers of a run are in them, what is missing is left out, and the page stands alone."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption, FileError
from understudy.report import build_report, plots
from understudy.report.blocks import Cell, lasting, measured, number
from understudy.report.verdicts import curves_of

PAPER = {
    "test": {
        "paper TFR": {"accuracy.move": 0.3720, "accuracy.to": 0.5287, "legality.whole": 0.9953},
        "thesis": {"accuracy.move": 0.3954, "accuracy.unheard_of": 0.5},
    }
}
CLOSING = ["understudy play morris --opponent student:runs/sample", "understudy socket student:runs/sample --port 5802"]


def measure(value: float, sample: int = 16_287) -> dict[str, float]:
    half = 1.96 * math.sqrt(value * (1 - value) / sample)
    return {"value": value, "low": value - half, "high": min(value + half, 1.0), "sample": sample}


def progress_lines() -> list[dict[str, Any]]:
    rng, lines = np.random.default_rng(1), []
    for student, ends in {"TFR": (0.53, 0.895, 0.865), "FTR": (0.74, 0.64, 0.867)}.items():
        for network, end in zip(("to", "from", "remove"), ends, strict=True):
            for epoch in range(60):
                train = end * (1 - 0.45 * math.exp(-(epoch + 1) / 9)) + rng.normal() * 0.003
                lines.append({
                    "student": student, "network": network, "epoch": epoch, "seconds": 12.5 * (epoch + 1),
                    "examples_per_second": 90_000, "learning_rate": 0.002, "train_loss": 1 - train,
                    "train_accuracy": train + 0.012, "validation_loss": 1.1 - train, "validation_accuracy": train,
                    "best": epoch == 56,
                })  # fmt: skip
    return lines


def verdicts() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    sections: dict[str, Any] = {}
    for section in ("test", "states"):
        players = {}
        for student, base in {"student:TFR": 0.376, "student:FTR": 0.3813}.items():
            measures = {"legality.whole": measure(0.9953), "legality.to": measure(0.9973)}
            if section == "test":
                measures |= {"accuracy.move": measure(base), "accuracy.move.phase_1": measure(0.479, 3022)}
                measures |= {"accuracy.to": measure(0.5287), "accuracy.from": measure(0.6301)}
                measures |= {"strict.points": measure(0.41, 400), "strict.plies": {"value": 41.25}}
            for slope, part in enumerate(("to", "from", "remove")):
                for step in range(1, 26):
                    precision = 0.9995 - 0.004 * slope * (step / 25) ** 2 - rng.random() * 0.0003
                    measures[f"reliability.{part}.{step / 25:.2f}"] = measure(precision)
            players[student] = measures
        sections[section] = players
    return sections


def analysis() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    legal = {str(moves): int(5000 * math.exp(-((moves - 16) ** 2) / 90)) for moves in range(1, 59)}
    parts = {part: rng.integers(2000, 6000, 25).tolist() for part in ("to", "from", "remove")}
    parts["remove"][0] = 120_000
    return {
        "rows": 1_628_673, "distinct": 1_620_719, "phases": {"1": 302_429, "2": 1_043_644, "3": 282_600},
        "entropies": {"to": 4.533, "from": 4.406, "remove": 1.999}, "legal_moves": legal, "distributions": parts,
    }  # fmt: skip


def gaming() -> dict[str, Any]:
    names = [f"handmade, {depth} plies" for depth in range(1, 17)]
    reasons = ["W removing", "D repetition", "L suffocating", "W suffocating", "L illegal move"]
    columns = ["opponent", *(f"{p} as {c}" for p in ("student:TFR", "searcher:time=0.5") for c in ("white", "black"))]
    rows = [[name, *(reasons[(place * 3 + side * 2) % 5] for side in range(4))] for place, name in enumerate(names)]
    rows.append(["stable: W-D-L", "8-4-4", "7-3-6", "12-2-2", "10-4-2"])
    players = {"student:TFR": {"gaming.points": measure(0.58, 32), "gaming.points_white": measure(0.625, 16)}}
    return {"columns": columns, "rows": rows, "measures": players}


EXPERIMENT = """
name = "Nine Men's Morris: TFR & FTR <first try>"
game = "morris"
seed = 7

[teacher]
player = "searcher:time=0.5"

[student]
encoder = "rawest"
orders = ["TFR", "FTR"]
blocks = 1
dropout = 0.1

[experiment]
game = "morris"
study = "galassi"
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run folder with invented numbers."""
    folder = tmp_path / "sample"
    folder.mkdir()
    (folder / "experiment.toml").write_text(EXPERIMENT)
    (folder / "progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in progress_lines()))
    for name, value in (("verdicts", verdicts()), ("analysis", analysis()), ("gaming", gaming())):
        (folder / f"{name}.json").write_text(json.dumps(value))
    return folder


class Page(HTMLParser):
    """Checks that tags nest, names are unique and nothing is fetched, and keeps the text of every element."""

    EMPTY = ("meta", "link", "br", "img", "hr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        values = {key: value or "" for key, value in attributes}
        self.seen.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.references += [values[key] for key in ("href", "src") if key in values]
        self.references += re.findall(r"url\(([^)]*)\)", " ".join(values.values()))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def read_page(path: Path) -> Page:
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    assert page.open == []
    return page


def headings(path: Path) -> list[str]:
    text = path.with_name("report.md").read_text(encoding="utf-8")
    return [line[3:] for line in text.splitlines() if line.startswith("## ")]


def test_numbers_appear_in_all_three(run: Path) -> None:
    path = build_report(run, paper=PAPER, closing=CLOSING)
    assert path == run / "report.html"
    page = read_page(path).text
    markdown = (run / "report.md").read_text(encoding="utf-8")
    for text in (page, markdown):
        for words in (
            "37.6 % (36.9 to 38.3)", "99.53 % (99.42 to 99.64)", "47.9 % (46.1 to 49.7)", "37.2 %", "39.5 %",
            "n = 16\u202f287", "1\u202f628\u202f673", "64.1 %", "4.533",
            "searcher:time=0.5", "L suffocating",
            "58.0 % (40.9 to 75.1)", "--port 5802", "75 min", "8-4-4", "41.25",
        ):  # fmt: skip
            assert words in text, words
    assert "TFR & FTR <first try>" in page and r"TFR & FTR \<first try>" in markdown
    assert "unheard of" in markdown
    data = json.loads((run / "report.json").read_text(encoding="utf-8"))
    assert data["verdicts"]["test"]["student:TFR"]["accuracy.move"]["value"] == 0.376
    assert data["paper"]["test"]["thesis"]["accuracy.move"] == 0.3954
    assert len(data["progress"]) == 360
    assert sorted(path.name for path in run.iterdir() if path.name.startswith((".", "report"))) == [
        "report.html", "report.json", "report.md"
    ]  # fmt: skip


def test_every_section_is_there_in_order(run: Path) -> None:
    path = build_report(run, paper=PAPER, closing=CLOSING)
    assert headings(path) == [
        "In short", "Learning", "Accuracy", "Legality", "Strict", "Reliability", "Gaming test", "The data",
        "Play against it", "What was done",
    ]  # fmt: skip


def test_the_page_is_well_formed_and_stands_alone(run: Path) -> None:
    path = build_report(run, paper=PAPER, closing=CLOSING)
    page, text = read_page(path), path.read_text(encoding="utf-8")
    assert len(page.ids) == len(set(page.ids))
    assert all(reference.startswith("#") and reference[1:] in page.ids for reference in page.references)
    assert not re.search(r"https?:|//[a-z]|@import|<script|xmlns", text)
    assert "<first try>" not in text.replace("&lt;first try&gt;", "")
    assert page.seen.count("svg") == 4 + 2 + 4  # data, learning, reliability
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"(fill|stroke): #", text)  # all colours are the page's
    assert build_report(run, paper=PAPER, closing=CLOSING).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("missing", "gone"),
    [
        ("experiment.toml", []),
        ("progress.jsonl", ["Learning"]),
        ("verdicts.json", ["In short", "Accuracy", "Legality", "Strict", "Reliability"]),
        ("analysis.json", ["The data"]),
        ("gaming.json", ["Gaming test"]),
    ],
)
def test_what_is_missing_is_left_out(run: Path, missing: str, gone: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as undrawn:  # to draw takes most of the time
        undrawn.setattr(plots, "_drawn", lambda draw: '<svg viewBox="0 0 1 1"></svg>')
        before = headings(build_report(run, closing=CLOSING))
    (run / missing).unlink()
    path = build_report(run, closing=CLOSING)
    read_page(path)
    assert headings(path) == [title for title in before if title not in gone]


def test_verdicts_alone_are_a_report(tmp_path: Path) -> None:
    (tmp_path / "verdicts.json").write_text(
        '{"test": {"me": {"accuracy.move": {"value": 0.5}, "odd": {"value": null}}}}'
    )
    path = build_report(tmp_path)
    assert headings(path) == ["Accuracy", "Odd"]
    assert "50.0 %" in read_page(path).text
    assert "(" not in read_page(path).text


def test_the_half_line_of_a_killed_run_is_passed_over(run: Path) -> None:
    progress = run / "progress.jsonl"
    whole = progress.read_text()
    build_report(run)
    expected = (run / "report.html").read_text(encoding="utf-8")
    progress.write_text(whole + '{"student": "TFR", "network": "to", "epo')
    assert build_report(run).read_text(encoding="utf-8") == expected
    progress.write_bytes((whole + "\x00\n[1]\n{broken\n").encode() + b"\xff\xfe" + whole.encode())
    assert "of the lines in progress.jsonl could not be read" in read_page(build_report(run)).text


def test_resumed_runs_and_odd_numbers_do_no_harm(tmp_path: Path) -> None:
    lines = [
        {"student": "S", "network": "net", "epoch": 1, "seconds": 10.0, "validation_accuracy": 0.2},
        {"student": "S", "network": "net", "epoch": 2, "seconds": 9.0, "train_accuracy": math.nan},
        {"student": "S", "network": "net", "epoch": 2, "seconds": 11.0, "validation_accuracy": 0.25},
        {"epoch": 1}, {"epoch": "one"}, {},
    ]  # fmt: skip
    (tmp_path / "progress.jsonl").write_text("\n".join(map(json.dumps, lines)))
    text = read_page(build_report(tmp_path)).text
    assert "25.0 %" in text
    assert "11 s" in text
    assert "NaN" not in (tmp_path / "report.json").read_text()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("verdicts.json", "{", "is not JSON"),
        ("verdicts.json", "[]", "must hold an object, not a list"),
        ("verdicts.json", '{"test": 3}', "does not hold measures by name"),
        ("verdicts.json", '{"test": {"me": {"accuracy": "high"}}}', "does not hold measures by name"),
        ("analysis.json", "nonsense", "is not JSON"),
        ("experiment.toml", "a = = 1", "is not TOML"),
    ],
)
def test_files_that_cannot_be_understood_are_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FileError, match=message) as caught:
        build_report(tmp_path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_to_report_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="nothing to report"):
        build_report(tmp_path, closing=CLOSING)
    with pytest.raises(FileError, match="does not exist"):
        build_report(tmp_path / "nowhere")


@pytest.mark.parametrize("names", [("0.04", "1.00"), ("4", "100"), ("1", "25"), ("recall_0.04", "recall_1.0")])
def test_recall_may_be_named_in_many_ways(names: tuple[str, str]) -> None:
    measures = {f"reliability.to.{name}": {"value": value} for name, value in zip(names, (0.9, 0.8), strict=True)}
    assert curves_of(measures | {"reliability.to.mean": {"value": 1.0}}) == {"to": ([0.04, 1.0], [0.9, 0.8])}


def test_numbers_are_written_for_people() -> None:
    assert [number(value) for value in (7, 9999, 10_000, 0.00012, 3.14159, 12345.6, math.nan, 2.0)] == [
        "7", "9999", "10\u202f000", "1.20e-04", "3.142", "12\u202f346", "–", "2"
    ]  # fmt: skip
    assert [lasting(seconds) for seconds in (1.25, 59, 119, 3600, 44_807)] == [
        "1.2 s",
        "59 s",
        "119 s",
        "60 min",
        "12.4 h",
    ]
    assert measured({"value": 0.376, "low": 0.3667, "high": 0.3858}) == Cell("37.6 %", "(36.7 to 38.6)")
    assert measured(None) == Cell("")
    assert measured({"value": math.nan}) == Cell("–")


def test_ways_of_counting_reliability_have_pictures_of_their_own(tmp_path: Path) -> None:
    measures = {
        f"reliability.{way}{part}.{recall}": {"value": 0.9}
        for way in ("", "authors.", "by_truth.")
        for part in ("to", "from")
        for recall in ("0.04", "1.00")
    }
    section = "games against searcher:time=0.5"
    (tmp_path / "verdicts.json").write_text(json.dumps({section: {"TFR": measures}}))
    page = read_page(build_report(tmp_path))
    assert page.seen.count("svg") == 3
    assert "Games against searcher:time=0.5, by truth: precision against recall." in page.text


def test_the_experiment_introduces_itself(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(
        '[experiment]\ntitle = "Two orders"\ndescription = "Which is better?"\ngame = "morris"\n'
        '[[variations]]\nname = "TFR"\n[paper.test."Table IV"]\n"accuracy.to" = 0.5287\n'
    )
    text = read_page(build_report(tmp_path)).text
    assert "Two orders" in text and "Which is better?" in text
    assert "variations.1.name" in text
    assert "0.5287" not in text and "experiment.title" not in text


def test_a_variation_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "experiment.toml").write_text(
        '[experiment]\ngame = "chess"\n'
        "[variations.mlp]\nnetwork = { hidden = [20, 5], normalised = true }\n[variations.same]\n"
    )
    text = read_page(build_report(tmp_path)).text
    assert "network.hidden 20, 5; network.normalised yes" in text and "nothing" in text
    assert "variations.mlp" not in text and "experiment.game" in text


@pytest.mark.parametrize("paper", [{"test": 3}, {"test": {"TFR": 3}}, {"test": {"TFR": {"accuracy.to": "half"}}}])
def test_numbers_of_a_paper_must_be_numbers(run: Path, paper: Any) -> None:
    with pytest.raises(BadOption, match="must hold a number for each measure"):
        build_report(run, paper=paper)


def test_nested_numbers_of_an_analysis_are_found(tmp_path: Path) -> None:
    part = {"counts": list(range(25)), "entropy": 4.5333, "constant": 0.0621}
    legal = {"least": 1, "most": 58, "mean": 18.116, "histogram": [0, *range(58)]}
    analysis = {
        "expansion": "none",
        "phases": {},
        "parts": {"to": part},
        "legal": legal,
        "shares": {"often": [[1, 2, 3]]},
    }
    (tmp_path / "analysis.json").write_text(json.dumps(analysis))
    page = read_page(build_report(tmp_path))
    assert page.seen.count("svg") == 2
    for words in ("Entropy of TO, bits", "4.533", "in a position, most", "18.12", "TO: how often each cell"):
        assert words in page.text


def test_published_curves_are_drawn_with_ours(tmp_path: Path) -> None:
    """Those of students that are here in their pictures, the others in their own; of many points none is listed."""
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "experiment.toml").write_text('[experiment]\ngame = "morris"\nstudy = "galassi"\n')
    (folder / "progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in progress_lines()))
    curve = {f"reliability.to.{step / 25:.2f}": 0.99 for step in range(1, 26)}
    ours = {"states": {"TFR": {name: measure(0.98) for name in curve}}}
    (folder / "verdicts.json").write_text(json.dumps(ours))
    told = {f"validation_accuracy.{epoch}": 0.5 for epoch in range(1, 60, 5)}
    paper = {"states": {"paper TFR": curve, "paper FTR": curve}, "learning": {"TFR to": told}}
    page = read_page(build_report(folder, paper=paper))
    assert page.seen.count("svg") == 2 + 2, (
        "learning: TFR and FTR; reliability: TFR with the paper's, and the paper's FTR"
    )
    assert "dashed: training. Dotted: published validation." in page.text and "after epoch" not in page.text
    assert "precision against recall. Dotted: published." in page.text
    page = read_page(build_report(folder))
    assert page.seen.count("svg") == 2 + 1 and "Dotted" not in page.text


def test_a_papers_numbers_of_learning_and_of_the_gaming_test_stand_beside_ours(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "experiment.toml").write_text('[experiment]\ngame = "morris"\nstudy = "galassi"\n')
    (folder / "progress.jsonl").write_text("".join(json.dumps(line) + "\n" for line in progress_lines()))
    (folder / "gaming.json").write_text(json.dumps({"measures": {"student": {"gaming.points": measure(0.5, 36)}}}))
    told = {"validation_accuracy": 0.5177, "epochs": 381, "best_epoch": 331, "seconds": 44_807}
    told |= {"validation_accuracy.5": 0.3824}
    paper = {"learning": {"TFR to": told}, "against the stable": {"thesis": {"gaming.points": 0.6324}}}
    build_report(folder, paper=paper)
    text = (folder / "report.md").read_text()
    assert "| published validation | epochs | best | time |" in text and "| 51.8 % | 381 | 331 | 12.4 h |" in text
    assert "| TFR to | 60 | 57 |" in text, "epochs are counted from 1, as papers count them"
    assert (
        "Dotted: published validation. Published validation of TFR to: 38.24 % after epoch 5."
        in (folder / "report.html").read_text()
    )
    assert "| thesis |" in text and "63.2 %" in text
    build_report(folder)
    assert "published" not in (folder / "report.md").read_text(), "where nobody tells anything there is no column"
