"""The report says which members of the stable a student knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.records.sources import Watched, read_source, write_source
from understudy.records.store import lone_pairs, save
from understudy.report.acquainted import tell_acquainted
from understudy.report.blocks import Table, Text
from understudy.report.comparing import Comparison
from understudy.report.sources import Run
from understudy.report.verdicts import gaming_section

STABLE = {"by nodes": "searcher:nodes=30000,ties=random", "lots": "random", "deep": "searcher:depth=6"}
TAUGHT = (
    "by nodes (searcher:nodes=30000,ties=random) is a member of the stable that grades the student here, and was its "
    "teacher."
)
PLAYED = "lots (random) is a member of the stable that grades the student here, and played its teacher in the records."


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("regular searcher:depth=6 v random", Watched("searcher:depth=6", "random")),
        ("custom a:b=1 for student:x v self", Watched("a:b=1", "self")),
        ("DATASET.txt", Watched("", "")),
        ("", Watched("", "")),
    ],
)
def test_sources_tell_who_was_watched(source: str, expected: Watched) -> None:
    assert read_source(source) == expected


def test_sources_are_read_as_they_are_written() -> None:
    for apprentice in ("", "student:x"):
        assert read_source(write_source("random", "searcher:nodes=5", apprentice, "self")) == (
            "searcher:nodes=5",
            "self",
        )


NEAR = (
    "by nodes (searcher:nodes=30000,ties=random) is a member of the stable that grades the student here, and plays as "
    "its teacher did but for endgame tables."
)


def run_of(sources: dict[str, int], **experiment: Any) -> Run:
    gaming = {"stable": STABLE, "columns": ["opponent", "me"], "rows": [["lots", "W removing"]]}
    return Run(folder=Path(), gaming=gaming, analysis={"sources": sources}, experiment=experiment)


def test_a_teacher_of_the_records_that_grades_is_named() -> None:
    run = run_of({"regular searcher:ties=random,nodes=30000 v random": 5, "regular somebody v self": 3})
    assert tell_acquainted(run) == [TAUGHT, PLAYED]
    section = gaming_section(run)
    assert section is not None
    assert [block for block in section.blocks if isinstance(block, Text)] == [Text(TAUGHT), Text(PLAYED)]


@pytest.mark.parametrize(
    ("teacher", "told"),
    [
        ("searcher:nodes=30000,ties=random,evaluator=handmade,method=negascout", [TAUGHT]),
        ("searcher:ties=random,nodes=30000,hidden=20", [TAUGHT]),
        ("searcher:nodes=30000,ties=random,tables=flying", [NEAR]),
        ("searcher:nodes=30000,ties=random,evaluator=deepmill", []),
        ("searcher:nodes=30001,ties=random", []),
        ("sombody:nodes=30000,ties=random", []),
    ],
)
def test_options_that_say_what_is_usual_change_nobody(teacher: str, told: list[str]) -> None:
    assert tell_acquainted(run_of({f"regular {teacher} v self": 1}, experiment={"game": "morris"})) == told


def test_where_the_analysis_has_no_sources_the_records_are_asked(tmp_path: Path) -> None:
    game = find_game("morris")
    records = lone_pairs(
        game,
        stacked([game.start()] * 2),
        np.full(2, game.moves(game.start())[0], np.int32),
        source="regular searcher:nodes=30000,ties=random v random",
    )
    save(records, tmp_path / "records.parquet")
    run = replace(run_of({}, experiment={"game": "morris"}), folder=tmp_path, analysis={})
    assert tell_acquainted(run) == [TAUGHT, PLAYED]
    assert tell_acquainted(replace(run, analysis={"sources": {}})) == []


def test_a_teacher_of_the_plan_that_grades_is_named() -> None:
    assert tell_acquainted(run_of({}, watch={"teacher": "searcher:nodes=30000,ties=random"})) == [TAUGHT]
    assert tell_acquainted(run_of({}, watch={"teacher": "searcher:nodes=1", "opponents": ["self", "random"]})) == [
        PLAYED
    ]


def test_strangers_are_not_mentioned() -> None:
    assert tell_acquainted(run_of({"regular searcher:nodes=7 v self": 5, "DATASET.txt": 1})) == []
    assert tell_acquainted(Run(folder=Path())) == []


def test_the_thesis_stands_below_a_gaming_test_that_repeats_it() -> None:
    run = replace(run_of({}), comparison=Comparison(study="galassi"))
    section = gaming_section(run)
    assert section is not None
    *_, table = section.blocks
    assert isinstance(table, Table)
    assert table.caption.startswith("Table 6.11 of the thesis: its teacher")
    assert gaming_section(replace(run, gaming={})) is None
