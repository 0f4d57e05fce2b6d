"""What a teacher thinks of many moves is kept beside its choice, comes back from files, and refuses what cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from understudy.backends import Local
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.batches import NO_MOVE, unstacked
from understudy.players import make_player
from understudy.players.looking import HASTE, UNPROVEN, graded_value
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.records import load, save
from understudy.records.examples import SOFTEST, split_examples
from understudy.records.store import Records, joined
from understudy.records.watch import Watch, watch
from understudy.search.workspace import WIN

MORRIS = find_game("morris")
PLAN = Watch(
    teacher="searcher:depth=2", apprentice="random", opponents=("self",), regular=6, opening_plies=4, ply_limit=30,
    weighed=12,
)  # fmt: skip


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    return watch(MORRIS, PLAN, tmp_path_factory.mktemp("weighed"), backend=Local(1))


def test_every_move_is_weighed_as_plain_minimax_does(records: Records) -> None:
    assert records.weighed is not None
    plain = Searcher(
        MORRIS, SearcherOptions(depth=2, method="minimax", ties="random"), name="plain", rng=np.random.default_rng(0)
    )
    for place, position in enumerate(unstacked(records.positions)[:40]):
        truth = plain.choose([position])[0].scores or {}
        moves, worths = records.weighed.moves[place], records.weighed.worths[place]
        kept = moves != NO_MOVE
        assert kept.sum() == min(len(truth), PLAN.weighed)
        for move, worth in zip(moves[kept].tolist(), worths[kept].tolist(), strict=True):
            ended = abs(truth[move]) == 1
            assert (
                (truth[move] * worth > 0 and abs(worth) > UNPROVEN)
                if ended
                else worth == pytest.approx(UNPROVEN * truth[move], abs=1e-6)
            )
        assert (np.diff(worths[kept]) <= 0).all()
        assert moves[0] == records.moves[place]
        assert records.values[place] == worths[0]


def test_a_win_that_comes_soon_is_worth_more() -> None:
    position = MORRIS.read("MMOOOOOOOMOOEEOOOOOOEOOO0033")
    worths = make_player("searcher:depth=3", MORRIS).weigh_moves(position)  # type: ignore[attr-defined]
    assert max(worths.values()) == pytest.approx(1 - HASTE)
    soon, late, latest, great, loss = (
        graded_value(value, 100.0) for value in (WIN - 1, WIN - 3, WIN - 99, 1e4, 3 - WIN)
    )
    assert 1 > soon > late > latest == pytest.approx(UNPROVEN)
    assert great == pytest.approx(UNPROVEN) and loss == -late


def test_they_come_back_from_a_file(records: Records, tmp_path: Path) -> None:
    save(records, tmp_path / "r.parquet")
    again = load(tmp_path / "r.parquet")
    assert again.weighed is not None and records.weighed is not None
    width = again.weighed.moves.shape[1]
    np.testing.assert_array_equal(again.weighed.moves, records.weighed.moves[:, :width])
    np.testing.assert_array_equal(again.weighed.worths, records.weighed.worths[:, :width])


def test_records_without_worths_may_stand_beside_others(records: Records, tmp_path: Path) -> None:
    plan = Watch(teacher="searcher:depth=1", opponents=("self",), regular=2, opening_plies=2, ply_limit=10)
    plain = watch(MORRIS, plan, tmp_path, backend=Local(1))
    both = joined([plain, records])
    assert both.weighed is not None
    assert (both.weighed.moves[: len(plain)] == NO_MOVE).all()
    assert joined([plain, plain]).weighed is None


def test_images_turn_all_moves_of_a_position_alike(records: Records) -> None:
    shown = split_examples(records, split="orbit", seed=0)["train"]
    assert shown.weighed is not None and shown.weighed.moves.shape[1] == SOFTEST
    for place in range(0, len(shown.moves), 97):
        position = unstacked(shown.taken(slice(place, place + 1)).positions)[0]
        moves = shown.weighed.moves[place]
        assert set(moves[moves != NO_MOVE].tolist()) <= set(MORRIS.moves(position))
        assert moves[0] == shown.moves[place]


@pytest.mark.parametrize(
    "columns",
    [
        {"weighed": [[1], [2]], "worths": [[0.5], [0.5, 0.1]]},
        {"weighed": [[-7], [2]], "worths": [[0.5], [0.5]]},
        {"weighed": [[1 << 30], [2]], "worths": [[0.5], [0.5]]},
        {"weighed": ["a1", "a4"], "worths": [[0.5], [0.5]]},
    ],
)
def test_damaged_worths_are_refused(records: Records, tmp_path: Path, columns: dict[str, list[object]]) -> None:
    path = tmp_path / "r.parquet"
    save(records.taken(slice(0, 2)), path)
    table = pq.read_table(path)
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    pq.write_table(table, path)
    with pytest.raises(FileError, match=r"weighed|checksum"):
        load(path)


def test_a_teacher_that_weighs_nothing_is_refused(tmp_path: Path) -> None:
    plan = Watch(teacher="random", opponents=("self",), regular=2, weighed=4)
    with pytest.raises(BadOption, match="teacher 'random' tells no move's worth"):
        watch(MORRIS, plan, tmp_path, backend=Local(1))
