"""The cards of the students that ship: what model hubs read of them is sound, of today, and measured."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from understudy.games import find_game
from understudy.players.student_files import SHIPPED, SUFFIXES
from understudy.serve.players import Roster
from understudy.serve.students import list_students

yaml = pytest.importorskip("yaml")
NAMES = sorted(path.stem for suffix in SUFFIXES for path in SHIPPED.glob(f"*{suffix}"))
MEASURED = ROOT / "docs" / "results" / "measured"


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return importlib.import_module("cards")


def read_head(name: str) -> dict[str, Any]:
    """Return what stands between the first two lines of dashes, as hubs read it."""
    before, head, text = (SHIPPED / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    assert before == "" and text.startswith(f"\n# student:{name}\n")
    told: dict[str, Any] = yaml.safe_load(head)
    return told


@pytest.mark.parametrize("name", NAMES)
def test_hubs_find_licence_tags_and_format(name: str) -> None:
    head = read_head(name)
    assert head["license"] == "gpl-3.0" and head["library_name"] == "understudy"
    assert all(isinstance(tag, str) and tag == tag.lower() and " " not in tag for tag in head["tags"])
    assert "board-games" in head["tags"]
    assert (SHIPPED / f"{name}.{head['tags'][-1]}").exists()
    assert set(head) <= {"license", "library_name", "tags", "pipeline_tag", "model-index"}


def find_numbers(value: Any) -> set[float]:
    """Return all numbers of a JSON file, rounded as cards have them."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return set().union(*map(find_numbers, value)) if value else set()
    return {round(value, 4)} if isinstance(value, int | float) and not isinstance(value, bool) else set()


@pytest.mark.parametrize("name", NAMES)
def test_every_result_was_measured(name: str) -> None:
    (model,) = read_head(name).get("model-index", [{"name": name, "results": []}])
    assert model["name"] == name
    for result in model["results"]:
        kept = json.loads((MEASURED / f"{result['dataset']['name']}.json").read_text(encoding="utf-8"))
        assert f"student:{name}" in result["dataset"]["args"]["command"] == kept["command"]
        assert result["task"]["type"] and result["task"]["name"] and result["dataset"]["type"]
        there = find_numbers(kept["figures"])
        for metric in result["metrics"]:
            assert metric["type"] and metric["name"]
            assert {metric["value"], *metric["args"].values()} <= there, metric


def test_measurements_of_others_are_not_the_students(cards: Any) -> None:
    (truth,) = [one for one in cards.list_results("chess_imitator") if one["dataset"]["name"] == "chess_truth"]
    assert [metric["name"] for metric in truth["metrics"]] == ["student:chess_imitator,check=legal: where it matters"]
    assert not any(one["dataset"]["name"] == "deepmill_truth" and len(one["metrics"]) > 1
                   for one in cards.list_results("morris"))  # fmt: skip
    assert list(cards.list_results("morris_td")) == []


def test_the_cards_are_of_today(cards: Any) -> None:
    stale = [path.name for path in cards.list_cards() if path.read_text(encoding="utf-8") != cards.write_card(path)]
    assert stale == [], "python examples/make_results.py writes them"


def test_the_page_still_shows_their_headings(tmp_path: Path) -> None:
    rows = list_students(find_game("morris"), Roster(tmp_path))
    assert {row.title for row in rows if row.place == "ships"} == {
        f"student:{name}" for name in NAMES if name.startswith("morris")
    }
