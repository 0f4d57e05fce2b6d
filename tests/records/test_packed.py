"""Packed records come back as they went in, and whatever can be wrong in such a file is told in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import chess as python_chess
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import understudy as us
from tests.records.test_store import assert_same, some_records
from understudy.cli import commands
from understudy.errors import FileError, NotationError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE, stacked
from understudy.games.chess.position import Chess
from understudy.games.chess.records.sampling import Sampling, sample_records
from understudy.records import Records, load, load_any, save
from understudy.records.packed import PACKED_FROM, find_faults, is_packed, may_pack
from understudy.records.store import make_table

CHESS = find_game("chess")


def rewrite(path: Path, column: str, values: pa.Array, *, metadata: dict[bytes, bytes] | None = None) -> None:
    """Put other values into a column of a file."""
    table = pq.read_table(path)
    table = table.set_column(table.column_names.index(column), column, values)
    pq.write_table(table.replace_schema_metadata(metadata or table.schema.metadata), path)


def with_field(records: Records, field: str, row: int, value: int) -> pa.Array:
    """Return the packed positions of records with one number changed."""
    column = make_table(records, {}, packed=True)["position"].combine_chunks()
    fields = {name: column.field(name).to_numpy().copy() for name in records.positions._fields}
    fields[field][row] = value
    return pa.StructArray.from_arrays([pa.array(field) for field in fields.values()], list(fields))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save(some_records(CHESS), tmp_path / "records.parquet", packed=True)
    return tmp_path / "records.parquet"


def test_records_of_every_game_come_back(game: CompiledGame, tmp_path: Path) -> None:
    records, path = some_records(game), tmp_path / "records.parquet"
    save(records, path, packed=True)
    again = load(path)
    assert again.sources.dtype == object
    assert_same(Records(**{**vars(again), "sources": again.sources.astype(str)}), records)
    assert is_packed(pq.read_schema(path).field("position").type)
    save(records, path)
    assert not is_packed(pq.read_schema(path).field("position").type), "text is what people get unless they ask"


def test_several_groups_of_rows_are_one_file(tmp_path: Path) -> None:
    records, path = some_records(CHESS), tmp_path / "records.parquet"
    table = make_table(records, {}, packed=True)
    pq.write_table(table, path, row_group_size=7)
    assert pq.ParquetFile(path).num_row_groups > 3
    assert np.array_equal(load(path).games, records.games) and np.array_equal(load(path).moves, records.moves)
    values = with_field(records, "castling", 20, 99)
    rewrite(path, "position", values)
    pq.write_table(pq.read_table(path), path, row_group_size=7)
    with pytest.raises(FileError, match=r"line 21: this is no position of chess"):
        load(path)
    assert len(load_any(path, on_error="skip")[0]) == len(records) - 1


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("mine", 0, "two pieces share a cell, or a piece belongs to no side"),
        ("bishops", 0, "a side has no king or several"),
        ("theirs", 0xFFFF, "two pieces share a cell, or a piece belongs to no side"),
        ("knights", 1 << 40, "two pieces share a cell, or a piece belongs to no side"),
        ("castling", 16, "a right to castle without king and rook at home"),
        ("passant", 44, "no pawn can just have passed the cell of passage"),
        ("passant", 5, "no pawn can just have passed the cell of passage"),
        ("clock", -1, "the clock or the ply is no number of a game"),
    ],
)
def test_a_position_that_the_rules_do_not_know_is_refused(path: Path, field: str, value: int, fault: str) -> None:
    rewrite(path, "position", with_field(some_records(CHESS), field, 0, value))
    with pytest.raises(FileError, match=f"line 1: this is no position of chess: {fault}"):
        load(path)
    assert len(load_any(path, on_error="skip")[0]) == len(some_records(CHESS)) - 1


def test_positions_that_text_refuses_are_faulty_too() -> None:
    assert not find_faults(CHESS, some_records(CHESS, plies=200, seed=4).positions)
    for text in ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "4k3/8/8/8/8/8/8/R3K3 b - - 0 1", "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1"):
        board = read_plainly(text)
        refused = False
        try:
            CHESS.read(text)
        except NotationError:
            refused = True
        assert refused == bool(find_faults(CHESS, stacked([board]))), text


def read_plainly(text: str) -> Any:
    """Return a position of a FEN without castling, whether or not the rules know it."""
    board = python_chess.Board(text)
    if board.turn == python_chess.BLACK:
        board = board.mirror()
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    sides = board.occupied_co[python_chess.WHITE], board.occupied_co[python_chess.BLACK]
    return Chess(*(np.uint64(mask) for mask in (*sides, *kinds)), 0, 0, 0, 0)


def test_a_game_without_checks_is_asked_for_its_text() -> None:
    konane = find_game("konane", (5, 5))
    assert not may_pack(konane) and may_pack(CHESS) and PACKED_FROM > 10_000
    position = konane.start()
    assert not find_faults(konane, stacked([position]))
    both = position._replace(theirs=position.mine)
    assert "this is no position of konane" in find_faults(konane, stacked([both]))[0]


def test_moves_must_be_moves_of_the_position(path: Path) -> None:
    records = some_records(CHESS)
    for code, row in ((70_000, 3), (-5, 3), (0, 3), (4 << 9 | 60 << 3, 1)):
        moves = [None if move == NO_MOVE else move for move in records.moves.tolist()]
        moves[row] = code
        rewrite(path, "move", pa.array(moves, pa.int32()))
        with pytest.raises(FileError, match=f"line {row + 1}: code {code} is no move of chess here"):
            load(path)


def test_another_game_a_lacking_value_and_a_cut_file_are_refused(path: Path, tmp_path: Path) -> None:
    metadata = dict(pq.read_schema(path).metadata)
    facts = json.loads(metadata[b"understudy"])
    other = {b"understudy": json.dumps(facts | {"game": "lines_of_action"}).encode()}
    pq.write_table(pq.read_table(path).replace_schema_metadata(other), tmp_path / "other.parquet")
    with pytest.raises(FileError, match="not a packed position of lines_of_action"):
        load(tmp_path / "other.parquet")
    with pytest.raises(FileError, match=r"holds records of chess 8x8, not of konane 8x8"):
        load_any(path, find_game("konane"))
    (tmp_path / "cut.parquet").write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileError, match=r"cut.parquet' is damaged"):
        load(tmp_path / "cut.parquet")
    column = pq.read_table(path)["position"].combine_chunks()
    holes = pa.StructArray.from_arrays(
        column.flatten(), column.type.names, mask=pa.array([True] + [False] * (len(column) - 1))
    )
    rewrite(path, "position", holes)
    with pytest.raises(FileError, match="column 'position' has rows without a value"):
        load(path)


def test_damage_inside_a_file_is_told(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[20:400] = bytes(380)
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"records.parquet' is damaged: .*; delete it"):
        load(path)


def test_sides_are_kept_and_strange_ones_refused(tmp_path: Path) -> None:
    records, path = some_records(CHESS), tmp_path / "records.parquet"
    sides = np.arange(len(records), dtype=np.int8) % 4
    save(Records(**{**vars(records), "sides": sides}), path, packed=True)
    assert np.array_equal(load(path).sides, sides)  # type: ignore[arg-type]
    rewrite(path, "side", pa.array(["left"] * len(records)))
    with pytest.raises(FileError, match="column 'side' holds 'left'; sides are train, validation, test, familiar"):
        load(path)


def test_positions_are_sampled_from_packed_records_as_from_text(path: Path, tmp_path: Path) -> None:
    save(some_records(CHESS), tmp_path / "text.parquet")
    one, other = (sample_records(load(file), Sampling(stray=0.5)) for file in (path, tmp_path / "text.parquet"))
    assert one.source.tolist() == other.source.tolist() and len(one) > 0


def run_command(*words: str) -> Any:
    result = CliRunner().invoke(commands, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_commands_and_the_door_read_both(path: Path, tmp_path: Path) -> None:
    save(some_records(CHESS), tmp_path / "text.parquet")
    packed, text = (json.loads(run_command("data", str(one), "--json")) for one in (path, tmp_path / "text.parquet"))
    assert packed == text
    verdicts = [
        json.loads(run_command("judge", "searcher:depth=1", "--records", str(one), "--judge", "accuracy", "--json"))
        for one in (path, tmp_path / "text.parquet")
    ]
    assert verdicts[0] == verdicts[1] and "accuracy.whole" in next(iter(verdicts[0].values()))
    assert us.load_records(path)[0][0].text == us.load_records(tmp_path / "text.parquet")[0][0].text
