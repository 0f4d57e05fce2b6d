"""Records come back from a file as they went in, and a bad file says what is wrong with it."""

from __future__ import annotations

import errno
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import count_calls, random_line
from understudy.errors import BadOption, FileError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE, stacked, taken
from understudy.records import UNKNOWN, Records, joined, load, load_any, lone_pairs, save
from understudy.records.columns import nothing
from understudy.records.examples import distinct, orbit_names
from understudy.records.store import load_notes, number_sources

MORRIS = find_game("morris")


def some_records(game: CompiledGame, *, plies: int = 60, seed: int = 1) -> Records:
    line = random_line(game, plies, seed)
    count = len(line)
    positions = stacked([position for position, _ in line])
    moves = np.array([move for _, move in line], np.int32)
    moves[count // 2] = NO_MOVE
    values = np.linspace(-1, 1, count, dtype=np.float32)
    values[::3] = np.nan
    return Records(
        game=game,
        positions=positions,
        moves=moves,
        values=values,
        results=np.resize(np.array([1, -1, 0, UNKNOWN], np.int8), count),
        games=np.arange(count, dtype=np.int64) // 7,
        plies=np.asarray(positions.ply, np.int32),
        sources=np.resize(np.array(["regular a v b", "random ä v self"]), count),
    )


def assert_same(a: Records, b: Records) -> None:
    assert a.game == b.game
    for name, one, other in zip(a.positions._fields, a.positions, b.positions, strict=True):
        assert one.dtype == other.dtype, name
        np.testing.assert_array_equal(one, other, err_msg=name)
    for name in ("moves", "values", "results", "games", "plies", "sources"):
        one, other = getattr(a, name), getattr(b, name)
        assert one.dtype.kind == other.dtype.kind, name
        np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, pa.Table]:
    path = tmp_path / "records.parquet"
    save(some_records(MORRIS), path)
    return path, pq.read_table(path)


def test_round_trip(game: CompiledGame, tmp_path: Path) -> None:
    records = some_records(game)
    path = tmp_path / "records.parquet"
    save(records, path, notes={"plan": "abc"})
    assert_same(load(path), records)
    assert_same(load_any(path, game)[0], records)
    assert load_notes(path)["notes"] == {"plan": "abc"}
    assert [file.name for file in tmp_path.iterdir()] == ["records.parquet"]


def test_no_records_at_all_are_kept_too(game: CompiledGame, tmp_path: Path) -> None:
    records = lone_pairs(game, nothing(game), np.zeros(0, np.int32), source="nowhere")
    save(records, tmp_path / "none.parquet")
    assert len(load(tmp_path / "none.parquet")) == 0
    assert len(distinct(records)) == 0


def test_people_can_read_the_file(table: tuple[Path, pa.Table]) -> None:
    records = some_records(MORRIS)
    rows = table[1].to_pylist()
    for row, (position, move) in zip(rows, random_line(MORRIS, 60, 1), strict=True):
        assert row["position"] == MORRIS.write(position)
        assert row["move"] in (MORRIS.write_move(position, move), None)
    assert [row["move"] for row in rows].count(None) == 1
    assert sum(row["value"] is None for row in rows) == np.isnan(records.values).sum()
    assert sum(row["result"] is None for row in rows) == (records.results == UNKNOWN).sum()
    assert isinstance(table[1].schema.field("source").type, pa.DictionaryType)
    facts = json.loads(table[1].schema.metadata[b"understudy"])
    assert (facts["format"], facts["game"], facts["size"], facts["switches"]) == (1, "morris", [7, 7], {})


def test_morris_is_not_read_and_written_row_by_row(tmp_path: Path) -> None:
    records = some_records(MORRIS)

    def calls(count: int) -> int:
        many = records.taken(np.resize(np.arange(len(records)), count))

        def there_and_back() -> None:
            save(many, tmp_path / "many.parquet")
            assert_same(load(tmp_path / "many.parquet"), many)

        return count_calls(there_and_back)

    assert calls(100_000) < 2 * calls(1000)


def test_taken_and_joined() -> None:
    records = some_records(MORRIS)
    assert_same(joined([records.taken(slice(0, 9)), records.taken(slice(9, None))], renumber=False), records)
    twice = joined([records, records])
    assert len(twice) == 2 * len(records)
    assert not set(twice.games[: len(records)]) & set(twice.games[len(records) :])
    mask = records.results == 1
    assert (records.taken(mask).results == 1).all()


def test_lone_pairs_are_games_of_their_own() -> None:
    records = some_records(MORRIS)
    pairs = lone_pairs(MORRIS, records.positions, records.moves, source="a file")
    assert len(set(pairs.games)) == len(pairs)
    assert np.isnan(pairs.values).all()
    assert (pairs.results == UNKNOWN).all()
    assert set(pairs.sources) == {"a file"}
    assert pairs.plies.tolist() == records.plies.tolist()


def test_many_rows_have_numbered_sources_too() -> None:
    """Arrow makes several pieces of so many of NumPy's strings, and pieces have no dictionary in common."""
    few = some_records(MORRIS)
    many = few.taken(np.resize(np.arange(len(few)), 1_500_000))
    names, places = number_sources(many)
    assert names == ["random ä v self", "regular a v b"]
    assert np.array_equal(np.array(names)[places], many.sources)


def test_records_can_be_sent_to_another_process() -> None:
    records = some_records(MORRIS)
    assert_same(pickle.loads(pickle.dumps(records)), records)


def test_moves_of_finished_positions_are_read(tmp_path: Path) -> None:
    """Seven rows of the papers' data have a mover with two stones in all; whether a move is legal is not asked here."""
    position = MORRIS.read("MEEEOOOOOOOOOOOOOOOOOOOO1113")
    assert MORRIS.moves(position) == []
    move = MORRIS.notation.read_move(position, "d6")
    pairs = lone_pairs(MORRIS, stacked([position]), np.array([move], np.int32), source="odd")
    save(pairs, tmp_path / "odd.parquet")
    assert_same(load(tmp_path / "odd.parquet"), pairs)


def test_a_move_that_text_cannot_hold_is_refused(tmp_path: Path) -> None:
    sliding = MORRIS.read("MMMMEEEEOOOOOOOOOOOOOOOO0044")
    placed = MORRIS.notation.joined((10, 0, 5))  # its text d6... would be read as a slide
    pairs = lone_pairs(MORRIS, stacked([sliding]), np.array([placed], np.int32), source="odd")
    with pytest.raises(FileError, match="row 1 has no text"):
        save(pairs, tmp_path / "odd.parquet")
    chess = find_game("chess")
    pairs = lone_pairs(chess, stacked([chess.start()]), np.array([0], np.int32), source="odd")
    with pytest.raises(FileError, match="row 1 has no text"):
        save(pairs, tmp_path / "odd.parquet")
    assert list(tmp_path.iterdir()) == []


def test_missing_foreign_and_broken_files(table: tuple[Path, pa.Table], tmp_path: Path) -> None:
    path = table[0]
    with pytest.raises(FileError, match=r"nowhere\.parquet cannot be read: No such file"):
        load(tmp_path / "nowhere.parquet")
    with pytest.raises(FileError, match="cannot be read: Is a directory"):
        load(tmp_path)
    (tmp_path / "text.parquet").write_text("hello")
    with pytest.raises(FileError, match="is not a Parquet file"):
        load(tmp_path / "text.parquet")
    with pytest.raises(FileError, match="neither Parquet nor NNMM text"):
        load_any(tmp_path / "text.parquet")
    whole = path.read_bytes()
    for cut in (4, 100, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(FileError, match=r"cannot be read|is damaged") as caught:
            load(path)
        assert "\n" not in str(caught.value)


def test_damage_inside_a_file_is_an_error_or_harmless(table: tuple[Path, pa.Table]) -> None:
    path, whole = table[0], bytearray(table[0].read_bytes())
    rng = np.random.default_rng(3)
    for _ in range(60):
        hurt = whole.copy()
        for place in rng.integers(4, len(whole), 8):
            hurt[place] = rng.integers(256)
        path.write_bytes(bytes(hurt))
        try:
            load(path)
        except FileError as error:
            assert str(path) in str(error)


def test_a_parquet_file_that_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "foreign.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), path)
    for act in (load, load_any, load_notes):
        with pytest.raises(FileError, match="not of records"):
            act(path)


def rewritten(path: Path, table: pa.Table, **facts: Any) -> None:
    old = json.loads(table.schema.metadata[b"understudy"])
    pq.write_table(table.replace_schema_metadata({b"understudy": json.dumps(old | facts)}), path)


def test_metadata_of_other_versions_and_games(table: tuple[Path, pa.Table]) -> None:
    path, rows = table
    rewritten(path, rows, format=7)
    with pytest.raises(FileError, match="format 7"):
        load(path)
    rewritten(path, rows, game="go")
    with pytest.raises(FileError, match="no game 'go'"):
        load(path)
    rewritten(path, rows, size=[9, 9])
    with pytest.raises(FileError, match="9x9"):
        load(path)
    save(some_records(find_game("konane")), path)
    with pytest.raises(FileError, match="records of konane 8x8, not of morris"):
        load_any(path, MORRIS)


def test_missing_columns_and_wrong_types(table: tuple[Path, pa.Table]) -> None:
    path, rows = table
    rewritten(path, rows.drop_columns(["move"]))
    with pytest.raises(FileError, match="no column 'move'"):
        load(path)
    place = rows.column_names.index("ply")
    rewritten(path, rows.set_column(place, "ply", pa.array(["x"] * len(rows))))
    with pytest.raises(FileError, match="column 'ply' holds string"):
        load(path)
    rewritten(path, rows.set_column(place, "ply", pa.array([None] * len(rows), pa.int32())))
    with pytest.raises(FileError, match="column 'ply' has rows without a value"):
        load(path)


@pytest.mark.parametrize(
    ("column", "bad", "reason"),
    [
        ("position", "OOO", "expected 24 letters"),
        ("position", None, "no position"),
        ("position", "M" + "O" * 23 + "9900", "the letters have 1"),
        ("move", "z9", "expected cells"),
        ("move", "", "expected cells"),
        ("ply", -1, "negative"),
        ("result", 5, "not -1, 0 or 1"),
    ],
)
def test_unreadable_rows_name_file_row_and_reason(
    table: tuple[Path, pa.Table], column: str, bad: Any, reason: str
) -> None:
    path, rows = table
    values = rows[column].to_pylist()
    values[4] = values[7] = bad
    kind = rows.schema.field(column).type
    rewritten(path, rows.set_column(rows.column_names.index(column), column, pa.array(values, kind)))
    with pytest.raises(FileError, match=rf"records.parquet, line 5: .*{reason}.* \(1 more like it\)"):
        load(path)
    read, complaints = load_any(path, on_error="skip")
    assert [complaint.line for complaint in complaints] == [5, 8]
    kept = np.delete(np.arange(len(rows)), [4, 7])
    assert_same(read, some_records(MORRIS).taken(kept))


def test_unreadable_rows_of_other_games(tmp_path: Path) -> None:
    chess = find_game("chess")
    path = tmp_path / "chess.parquet"
    records = some_records(chess, plies=10)
    save(records, path)
    rows = pq.read_table(path)
    moves, plies = rows["move"].to_pylist(), rows["ply"].to_pylist()
    moves[1], plies[2] = "Ke5", 3
    rows = rows.set_column(1, "move", pa.array(moves)).set_column(5, "ply", pa.array(plies, pa.int32()))
    rewritten(path, rows)
    read, complaints = load_any(path, on_error="skip")
    assert [complaint.line for complaint in complaints] == [2, 3]
    assert "fits no legal move" in complaints[0].reason
    assert "side to move" in complaints[1].reason
    assert_same(read, records.taken(np.delete(np.arange(10), [1, 2])))


def test_on_error_must_be_known(table: tuple[Path, pa.Table]) -> None:
    with pytest.raises(BadOption, match="'ignore'"):
        load_any(table[0], on_error="ignore")


def test_a_full_disk_leaves_the_old_file(table: tuple[Path, pa.Table], monkeypatch: pytest.MonkeyPatch) -> None:
    path, before = table[0], table[0].read_bytes()

    def full(self: Any, rows: Any) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(FileError, match=r"cannot write .*records\.parquet': No space left on device"):
        save(some_records(MORRIS, seed=2), path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_disk_that_fills_up_when_the_file_is_closed(
    table: tuple[Path, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = table[0].read_bytes()
    monkeypatch.setattr("understudy.files.os.fsync", full)
    with pytest.raises(FileError, match="No space left"):
        save(some_records(MORRIS, seed=2), table[0])
    assert table[0].read_bytes() == before
    assert len(list(table[0].parent.iterdir())) == 1


def test_saving_into_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="No such file or directory"):
        save(some_records(MORRIS), tmp_path / "none" / "records.parquet")


def test_orbit_names_are_the_same_for_images_alone(game: CompiledGame) -> None:
    line = random_line(game, 30, 5)
    positions = [position for position, _ in line]
    names = orbit_names(game, stacked(positions))
    images = [game.symmetries(position, move)[-1][0] for position, move in line]
    assert orbit_names(game, stacked(images)).tolist() == names.tolist()
    if game.name == "chess":
        assert len(set(names.tolist())) == len({game.key(position) for position in positions})


def test_distinct_keeps_the_first_of_each_orbit(game: CompiledGame) -> None:
    records = some_records(game, plies=20)
    turned = [game.symmetries(position, 0)[-1][0] for position, _ in random_line(game, 20, 1)]
    again = joined([records, Records(**{**vars(records), "positions": stacked(turned)})])
    once = distinct(records)
    assert_same(distinct(again), once)
    assert len(taken(once.positions, slice(None)).ply) == len(once)
