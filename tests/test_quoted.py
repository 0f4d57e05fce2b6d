"""README and docs quote only figures that stand in docs/results, but for pages that still hold older ones.

Only figures with intervals are asked for: of single numbers with one digit behind the point any page would find its own
somewhere among thousands. Intervals have one form, `63.6 % (58.1 to 68.8)`.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"

OLDER = set("chess chess_judges games/konane lesson lines_of_action measured offline".split())
"""Pages with figures of before, measured once and typed by hand: a list that only shrinks."""
MADE = {"results", "reproduced/galassi", "reproduced/miller", "reproduced/sabatelli", "reproduced/thompson"}
"""Pages that are written as a whole from docs/results, which other tests compare; they also tell numbers of before."""
OTHER_FORMS = (
    (r"±", "an interval is written with both ends"),
    (r"\(\d[\d.]* to \d[\d.]* %\)", "the unit stands before the brackets of an interval"),
    (r"\d (?:%|Elo) \[", "an interval stands in round brackets"),
    (r"\d%", "a space stands before the per cent sign"),
)
FENCED = re.compile(r"(?ms)^ *```.*?^ *```[ ]*$|`[^`\n]*`")


@pytest.fixture
def quoted(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the script that finds figures."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module("quoted")


def name_of(page: Path) -> str:
    return str(page.relative_to(DOCS).with_suffix("")) if page.is_relative_to(DOCS) else page.stem


def test_pages_quote_what_stands_in_the_results(quoted: ModuleType) -> None:
    unknown = {name_of(page): quoted.find_unknown(page.read_text(encoding="utf-8")) for page in quoted.list_pages()}
    told = {name: figures for name, figures in unknown.items() if figures and name not in OLDER | MADE}
    assert not told, "python examples/measure.py keeps figures, python examples/quoted.py tells which are kept nowhere"
    assert {name for name, figures in unknown.items() if figures} >= OLDER, "a page that is clean leaves the list"


def test_the_readme_and_most_pages_have_figures_that_are_looked_up(quoted: ModuleType) -> None:
    counted = {
        name_of(page): len(list(quoted.find_quoted(page.read_text(encoding="utf-8")))) for page in quoted.list_pages()
    }
    assert counted["README"] >= 5 and counted["konane"] >= 90


def test_a_figure_is_found_in_all_its_forms_and_a_wrong_one_is_not(
    quoted: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = frozenset({(0.6361, 0.581, 0.6879), (1315.2, None, 1385.0), (-158.0, -199.8, -116.1)})
    monkeypatch.setattr(quoted, "list_results", lambda: kept)
    quoted.write_all.cache_clear()
    right = "**63.6 %** (58.1 to 68.8), 63.61 % (58.10 to 68.79), | 63.6 (58.1 to 68.8), 64 % (58 to 69), "
    right += "1315 Elo (open to 1385), −158 (-200 to −116), 0.636 (0.581 to 0.688)"
    assert len(list(quoted.find_quoted(right))) == 7 and not quoted.find_unknown(right)
    wrong = "63.7 % (58.1 to 68.8) and 63.6 % (58.1 to 68.7) and 1315 Elo (1200 to 1385)"
    assert [one.value for one in quoted.find_unknown(wrong)] == ["63.7", "63.6", "1315"]
    assert not quoted.find_unknown("```\n63.7 % (58.1 to 68.8)\n```\nplies 3 (of 4 to 6) and figures (5 to 9)")
    quoted.write_all.cache_clear()


def test_results_are_read_by_whatever_names_they_use(quoted: ModuleType) -> None:
    result = {"elo": {"value": 5, "low": None, "high": 9}, "games": [{"share": 0.5, "interval": [0.4, 0.6]}]}
    result["training"] = {"mean": 0.7, "least": 0.6, "most": 0.8, "low": "none", "high": 1}
    result["depth 1"] = {"bias": 0.2, "bias_low": -0.1, "bias_high": 0.5}
    assert set(quoted._walk(result)) == {(5, None, 9), (0.5, 0.4, 0.6), (0.7, 0.6, 0.8), (0.2, -0.1, 0.5)}


@pytest.mark.parametrize(("form", "rule"), OTHER_FORMS)
def test_intervals_have_one_form(quoted: ModuleType, form: str, rule: str) -> None:
    pages = {name_of(page): FENCED.sub("", page.read_text(encoding="utf-8")) for page in quoted.list_pages()}
    found = {name: again[0] for name, text in pages.items() if name not in OLDER and (again := re.search(form, text))}
    assert not found, rule
