"""Papers table by table: rows find what they name, one rule judges them, pages are made of the files beside them."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from understudy.papers import STUDIES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


TABLES = {
    "galassi": "tables 5.1, 5.2, 6.1 to 6.11, I to V; figures 1 to 5, 3.1 to 3.10, 4.1 to 4.9, 5.1 to 5.6, 6.1 to 6.22",
    "miller": "tables 1 to 8; figures 1 to 22",
    "sabatelli": (
        "tables 6.1 to 6.3, 7.1, 7.2, 8.1; figures 2.1 to 2.4, 3.1, 3.2, 4.1 to 4.6, 5.1, 6.1 to 6.4, 7.1 to 7.10, "
        "8.1 to 8.8, 9.1"
    ),
    "thompson": "tables 1 to 5; figures 1 to 17",
}
"""What each paper has."""
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script that makes rows."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module("paper_rows")


@pytest.fixture
def pages(rows: ModuleType) -> ModuleType:
    """Return the script that writes pages."""
    return importlib.import_module("paper_pages")


def test_pages_are_made_of_the_files_beside_them(pages: ModuleType) -> None:
    assert (DOCS / "reproduced.md").read_text(encoding="utf-8") == pages.make_overview()
    for study in STUDIES:
        page = (DOCS / "reproduced" / f"{study}.md").read_text(encoding="utf-8")
        assert page == pages.make_page(study) and "not run" not in page


@pytest.mark.parametrize("study", STUDIES)
def test_what_is_not_measured_yet_says_its_command_and_its_cost(pages: ModuleType, study: str) -> None:
    page = pages.make_page(study).partition("## How ours were made")[2]
    for row in pages.load_rows(study):
        line = next((line for line in page.splitlines() if line.startswith(f"| `{row.source}` |")), "")
        assert not row.source or "`understudy " in line or "`python " in line, row
    assert "its cost is not known" not in page


def list_places(text: str) -> set[str]:
    """Return all tables and figures that a text names: `figures 5 to 7` are three."""
    places: set[str] = set()
    number = r"(?:\d+\.)?\d+|\b[IV]+\b"
    for kind, listed in re.findall(rf"(table|figure)s? ((?:{number}|, | and | to )+)", text):
        for first, last in re.findall(rf"({number})(?: to ({number}))?", listed):
            chapter, point, start = first.rpartition(".")
            ends = [ROMAN.get(one) or int(one) for one in (start, (last or first).rpartition(".")[2])]
            style = "article " if first in ROMAN else ""
            places |= {f"{style}{kind} {chapter}{point}{one}" for one in range(ends[0], ends[1] + 1)}
    return places


@pytest.mark.parametrize("study", STUDIES)
def test_every_table_and_figure_of_a_paper_has_a_row(rows: ModuleType, study: str) -> None:
    told = {place for row in rows.load_rows(study) for place in list_places(row.entry["where"])}
    assert not list_places(TABLES[study]) - told


def test_places_are_read_with_their_ranges() -> None:
    assert list_places("tables 6.5 to 6.7, figures 9 and 10") == {
        *("table 6.5", "table 6.6", "table 6.7"), "figure 9", "figure 10"
    }  # fmt: skip
    assert list_places("table III and figure 4") == {"article table 3", "figure 4"}


def test_one_rule_judges_shares(rows: ModuleType) -> None:
    def judge(printed: float, value: float, low: float, high: float, **more: Any) -> str:
        trusted = more.pop("trusted", True)
        return str(rows.judge(printed, rows.Ours(value, low, high, trusted=trusted), **more)[0])

    assert judge(0.85, 0.846, 0.80, 0.89) == "reproduced"
    assert judge(0.75, 0.70, 0.69, 0.71) == "not reproduced" == judge(0.75, 0.80, 0.79, 0.81, better="less")
    assert judge(0.75, 0.80, 0.79, 0.81) == "better" == judge(0.75, 0.70, 0.69, 0.71, better="less")
    assert judge(0.75, 0.80, 0.79, 0.81, better="") == "not reproduced"
    assert judge(0.50, 0.50, 0.29, 0.71) == "cannot tell" == judge(0.5, 0.5, 0.45, 0.55, trusted=False)
    # Far away an interval may be wide: it decides all the same.
    assert judge(0.35, 0.80, 0.65, 0.90) == "better"
    # A number that is itself of a hundred games is no more sure than that; what is near counts as the same.
    assert judge(0.80, 0.76, 0.75, 0.77) == "not reproduced" != judge(0.80, 0.76, 0.75, 0.77, sample=100)
    assert judge(0.5177, 0.5105, 0.5080, 0.5130) == "not reproduced" != judge(0.5177, 0.5105, 0.5080, 0.5130, near=0.01)
    # What was rounded is no difference.
    assert judge(0.83, 0.8348, 0.8346, 0.835) == "reproduced" != judge(0.8300001, 0.8348, 0.8346, 0.835)


def test_numbers_without_chance_are_compared_as_they_are(rows: ModuleType) -> None:
    assert rows.judge(14, rows.Ours(14.0), share=False, exact=True)[0] == "reproduced"
    assert rows.judge(38, rows.Ours(36.0), share=False, exact=True)[0] == "not reproduced"
    assert rows.judge(0.02, rows.Ours(0.01), share=False, exact=True, better="less")[0] == "better"
    assert rows.judge(0.372, rows.Ours(0.3720049), exact=True)[0] == "reproduced"
    assert rows.judge(14, rows.Ours(14.0), share=False) == ("cannot tell", "ours has no interval")


def claim(rows: ModuleType, monkeypatch: pytest.MonkeyPatch, **entry: Any) -> tuple[str, str]:
    """Return the verdict on a claim about a small result."""
    spans = {"high": (0.79, 0.81), "low": (0.59, 0.61), "near": (0.78, 0.82), "few": (0.4, 0.9)}
    result = {name: {"value": sum(span) / 2, "low": span[0], "high": span[1]} for name, span in spans.items()}
    result["few"]["trusted"] = False
    result |= {"bare": {"value": 0.3}, "empty": {"value": None, "low": 0.0, "high": 1.0}}
    changed = entry.pop("changed", {})
    monkeypatch.setattr(rows, "load_result", lambda run: {**result, "changed": changed})
    row = {"where": "figure 1", "what": "all", "claim": "so", "run": "konane_4x4"} | entry
    made = rows.make_row("thompson", row, 0.0)
    return made.verdict, made.reason


def test_claims_are_orders_or_likenesses(rows: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(**entry: Any) -> str:
        return claim(rows, monkeypatch, **entry)[0]

    assert tell(order=[["high"], ["low"], 0.5]) == "reproduced"
    assert tell(order=[["low"], ["high"]]) == "not reproduced"
    assert tell(order=[["high"], ["near"]]) == "cannot tell" == tell(order=[["high"], ["few"]])
    assert tell(order=[["high"], ["bare"]]) == "cannot tell" != tell(order=[["high"], ["bare"]], exact=True)
    assert tell(alike=[["high"], ["near"]]) == "reproduced" and tell(alike=[["high"], ["low"]]) == "not reproduced"
    assert tell(alike=[["high"], ["near"]], within=0.01) == "cannot tell"
    for nothing in ("absent", "empty"):
        told = claim(rows, monkeypatch, order=[["high"], [nothing]])
        assert told == ("cannot tell", "its result does not hold this number")


def test_what_was_changed_or_cannot_be_compared_says_so(rows: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert claim(rows, monkeypatch, order=[["high"], ["low"]], why="another board") == (
        "not comparable",
        "another board",
    )
    weak = claim(rows, monkeypatch, order=[["high"], ["low"]], unsure="one seed")
    assert weak == ("cannot tell", "one seed")
    changed = claim(rows, monkeypatch, order=[["high"], ["low"]], changed={"training.games": 5, "judging.games": 9})
    assert changed == ("not comparable", "run with training.games = 5")


def test_a_result_fills_its_rows_when_it_comes(
    rows: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"where": "figure 14", "what": "B", "paper": ["B", "random"], "run": "konane_8x8"}
    row["at"] = ["headline", {"what": "B", "measure": "games won against random"}]
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(rows, "DOCS", tmp_path)
    rows.load_result.cache_clear()
    before = rows.make_row("thompson", row, 0.0)
    assert (before.printed, before.verdict, before.reason) == (0.83, "cannot tell", "not measured yet")
    told = {"what": "B", "measure": "games won against random", "value": 0.9, "low": 0.89, "high": 0.91, "sample": 9000}
    result = {"experiment": "konane_8x8", "quick": False, "changed": {}, "headline": [told | {"different": 8000}]}
    (tmp_path / "results" / "konane_8x8.json").write_text(json.dumps(result))
    rows.load_result.cache_clear()
    after = rows.make_row("thompson", row, 0.0)
    assert after.verdict == "better" and after.ours[0].different == 8000
    (tmp_path / "results" / "konane_8x8.json").write_text(json.dumps(result | {"quick": True}))
    rows.load_result.cache_clear()
    assert rows.make_row("thompson", row, 0.0).verdict == "cannot tell"
    rows.load_result.cache_clear()


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"paper": 0.5, "claim": "so"}, "either 'paper' or 'claim'"),
        ({"paper": 0.5, "wy": "another board"}, "a row has no 'wy'"),
        ({"paper": 0.5, "run": "konane_5x5"}, "no experiment is called 'konane_5x5'"),
        ({"paper": 0.5, "figure": "konane_5.points"}, "no figure 'konane_5.points'"),
        ({"paper": 0.5, "measurement": "konane_5"}, "no measurement 'konane_5'"),
        ({"paper": 0.5}, "neither where ours stands nor why"),
        ({"paper": ["A", "nobody"], "run": "konane_4x4"}, "no number is printed at ['A', 'nobody']"),
    ],
)
def test_rows_that_say_something_wrong_are_refused(rows: ModuleType, wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(rows.RowError, match=r"thompson.toml, 'figure 1', 'all': ") as error:
        rows.make_row("thompson", {"where": "figure 1", "what": "all", **wrong}, 0.0)
    assert word in str(error.value)
