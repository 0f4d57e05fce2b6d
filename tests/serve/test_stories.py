"""Studies as a page tells them: every story can be told, every figure touched, and no number is made up."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("msgspec")

from tests.conftest import ROOT
from understudy.fetch.sources import STUDIES
from understudy.games import find_game
from understudy.games.kind import read_size
from understudy.lab.experiments import list_experiments, load_experiment, shipped
from understudy.papers import find_paper
from understudy.players import make_player
from understudy.serve import stories
from understudy.serve.hall import Absent
from understudy.serve.stories import find_result, list_studies, tell_study

NAMES = ["galassi", "miller", "sabatelli", "thompson"]


def test_all_papers_tell_their_story() -> None:
    rows = list_studies()
    assert [row.name for row in rows] == NAMES
    assert all(row.question.endswith("?") and row.year > 2000 for row in rows)


@pytest.mark.parametrize("name", NAMES)
def test_a_story_is_short_and_has_everything(name: str) -> None:
    study = tell_study(name)
    assert 4 <= len(study.story) <= 6 and len(study.differences) >= 3 and study.commands and study.tables
    words = sum(len(paragraph.split()) for paragraph in study.story)
    assert words <= 350, "a minute and a half of reading at most"
    assert study.game == find_paper(name).game


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_can_be_touched(name: str) -> None:
    figure = tell_study(name).figure
    assert figure is not None and len(figure.positions) >= 2
    game = find_game(figure.game, read_size(figure.size) if figure.size else None)
    player = make_player(figure.player, game)
    if figure.rival:
        make_player(figure.rival, game)
    for one in figure.positions:
        position = game.read(one.position)
        assert game.write(position) == one.position and game.moves(position), one.name
        assert player.choose([position])[0].fault is None


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_of_experiments_that_ship_and_their_cost_is_measured(name: str) -> None:
    listed = {one.name: one for one in list_experiments()}
    for command in tell_study(name).commands:
        words = command.command.split()
        assert words[:2] == ["understudy", "run"] and listed[words[2]].study == name
        load_experiment(shipped()[words[2]], quick="--quick" in words)
        minutes = listed[words[2]].quick_minutes if "--quick" in words else listed[words[2]].minutes
        assert ("not measured" in command.cost) == (minutes is None)


@pytest.mark.parametrize("name", NAMES)
def test_a_story_types_no_result(name: str) -> None:
    """Shares and decimals come from results and papers; a story that types them would go stale."""
    story = tomllib.loads((STUDIES / name / "story.toml").read_text(encoding="utf-8"))
    told = " ".join([*story["story"], *story["differences"], story["figure"]["about"]])
    assert not re.findall(r"\d[.,]\d|\d ?%|\b\d{3,}\b(?! *(?:0|1)\b)", told.replace("\u202f", ""))


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_tables_come_from_results_and_papers(name: str) -> None:
    for table in tell_study(name).tables:
        experiment = table.command.split()[2]
        result = find_result(experiment)
        if result is None:
            assert all(row.ours is None and row.paper is not None for row in table.rows)
            continue
        numbers = ("value", "low", "high", "paper", "sample")
        kept = {tuple(row[key] for key in numbers) for row in result["headline"]}
        assert all((row.ours, row.low, row.high, row.paper, row.sample) in kept for row in table.rows)


def test_what_miller_and_sabatelli_printed() -> None:
    rows = {(row.who, row.measure): row.paper for table in tell_study("miller").tables for row in table.rows}
    assert rows["pLoGANN", "games won against random heuristic (tables 5 and 6)"] == pytest.approx(2168 / 12400)
    chess = [row for table in tell_study("sabatelli").tables for row in table.rows]
    assert any(row.who == "mlp_bitmap_1" and row.paper == 0.9607 and row.share for row in chess)


@pytest.mark.parametrize("name", NAMES)
def test_no_table_is_told_twice(name: str) -> None:
    tables = [[(row.who, row.measure, row.paper) for row in table.rows] for table in tell_study(name).tables]
    assert all(tables.count(table) == 1 for table in tables)


def test_an_unknown_study_is_refused() -> None:
    for name in ("nobody", "../galassi", "", "galassi/.."):
        with pytest.raises(Absent, match="there is no study"):
            tell_study(name)


def test_a_study_without_a_story_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stories.PAPERS, "fifth", "understudy.studies.fifth")
    assert [row.name for row in list_studies()] == NAMES
    with pytest.raises(Absent):
        tell_study("fifth")


def test_broken_results_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stories, "RESULTS", (tmp_path,))
    for text in ("{", "[]", '{"headline": 3}'):
        (tmp_path / "konane_4x4.json").write_text(text)
        assert find_result("konane_4x4") is None
    (tmp_path / "konane_4x4.json").write_text(json.dumps({"headline": []}))
    assert find_result("konane_4x4") == {"headline": []}


def test_results_ship_with_the_package() -> None:
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    target = build["targets"]["wheel"]["force-include"]["docs/results"]
    assert stories.RESULTS[0] == ROOT / "src" / target and any((ROOT / "docs" / "results").glob("*.json"))
