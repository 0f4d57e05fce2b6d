"""What players throw away by the teacher's account: nothing who chooses as it does, all who break the rules."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from understudy.backends import Local
from understudy.cli import commands
from understudy.errors import BadOption
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.judges.worth_lost import choose_weighed, find_lost, judge_worths
from understudy.players import make_player
from understudy.records.store import Records
from understudy.records.watch import Watch, watch

MORRIS = find_game("morris")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weighed")
    plan = Watch(
        teacher="searcher:depth=2", apprentice="random", opponents=("self",), regular=8, opening_plies=4,
        ply_limit=30, weighed=64,
    )  # fmt: skip
    watch(MORRIS, plan, place, backend=Local(1))
    return place


@pytest.fixture
def records(folder: Path) -> Records:
    from understudy.records import load

    return load(folder / "records.parquet")


def test_the_teacher_loses_nothing_and_chance_much(records: Records) -> None:
    teacher = judge_worths(make_player("searcher:depth=2", MORRIS), records)
    chance = judge_worths(make_player("random", MORRIS), records)
    assert teacher["worth_lost.mean"].value == pytest.approx(0.0, abs=1e-6)
    assert teacher["worth_lost.best"].value == 1.0 and teacher["worth_lost.blunders"].value == 0.0
    assert (chance["worth_lost.mean"].value or 0.0) > 0.05


def test_what_is_lost_is_counted_by_hand(records: Records) -> None:
    assert records.weighed is not None
    rows = [MORRIS.moves(position) for position in unstacked(records.positions)]
    moves = [some[-1] for some in rows]
    for place, lost in enumerate(find_lost(records, moves)[:50]):
        worths = dict(zip(records.weighed.moves[place].tolist(), records.weighed.worths[place].tolist(), strict=True))
        best = max(worths[move] for move in rows[place])
        assert lost == pytest.approx(best - worths[moves[place]], abs=1e-6)
    illegal = find_lost(records, [14_999] * len(records))
    np.testing.assert_allclose(illegal, np.nanmax(records.weighed.worths, axis=1) + 1.0, atol=1e-6)


def test_one_command_tells_it(folder: Path) -> None:
    words = ["judge", "random", "--records", str(folder / "records.parquet"), "--judge", "worth_lost", "--limit", "20"]
    told = json.loads(CliRunner().invoke(commands, [*words, "--json"]).stdout)
    assert told["random"]["worth_lost.mean"]["sample"] == 20
    assert "worth_lost.blunders" in CliRunner().invoke(commands, words).stdout


def test_other_records_and_judges_are_refused(records: Records, folder: Path) -> None:
    with pytest.raises(BadOption, match="do not tell what moves are worth"):
        choose_weighed(replace(records, weighed=None))
    words = ["judge", "random", "--records", str(folder / "records.parquet"), "--judge", "worth_lost"]
    refused = CliRunner().invoke(commands, [*words, "--judge", "accuracy"])
    assert isinstance(refused.exception, BadOption) and "accuracy" in str(refused.exception)
