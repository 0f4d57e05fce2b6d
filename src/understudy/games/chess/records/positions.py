"""Tables of chess positions, labelled or not: Parquet files of FENs with their games, and other files read as such.

A FEN is text that people and programs read; in memory positions are a batch, read by a kernel straight from Arrow's
buffers. Rows that cannot be read are passed over and named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.batches import Texts, taken
from understudy.games.chess.datasets import CLIP, MATE
from understudy.games.chess.fen import read_fens, write_fen_texts
from understudy.games.chess.position import Chess
from understudy.records.files import Complaint, read_parquet, shown, writing_parquet
from understudy.sums import REMARK
from understudy.unpacking import read_start, refuse

NAMES = pa.dictionary(pa.int32(), pa.string())
COLUMNS: dict[str, pa.DataType] = {
    "game": pa.int32(),
    "ply": pa.int16(),
    "source": NAMES,
    "result": NAMES,
    "fen": pa.string(),
}
FARTHEST_MATE = 40
"""Mates in more moves than this are all alike; of the endings that are solved hardly any is longer (KRvKN: 40)."""
LABELS: dict[str, pa.DataType] = {"kind": NAMES, "score": pa.int32(), "best": pa.string()}
"""What an engine adds: "cp" or "mate", a number for the side to move, and a move in UCI."""
LIMIT: dict[str, pa.DataType] = {"limit": NAMES}
"""What the engine was allowed, row by row, so that it is still known where tables are put together; older ones, and
those of others, may be without."""
SEARCHED = ("depth", "nodes", "milliseconds")
"""How the words of a limit begin where an engine searched; an ending that is solved has no limit."""

ROWS = 1 << 16
"""Rows that are written at once: enough for the packing to pay."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionTable:
    """Positions in the order of their file; what was not asked of an engine has no labels."""

    positions: Chess
    """A batch."""
    game: NDArray[np.int32]
    """Rows of one game share a number; whoever splits a table splits by it."""
    ply: NDArray[np.int16]
    source: NDArray[np.str_]
    result: NDArray[np.str_]
    """Of the game: "1-0", "0-1", "1/2-1/2" or "*"."""
    kind: NDArray[np.str_] | None = None
    """"cp" or "mate"."""
    score: NDArray[np.int32] | None = None
    """For the side to move: centipawns, or moves to mate."""
    best: NDArray[np.str_] | None = None
    """UCI; nothing where the game is over or nobody said."""
    limit: NDArray[np.str_] | None = None
    """What the engine was allowed for each row; nothing where nobody said."""
    facts: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What the file says of itself: engine, limit, and so on."""
    complaints: tuple[Complaint, ...] = ()
    """What was wrong with rows that are not here."""

    def __len__(self) -> int:
        return len(self.game)

    def taken(self, index: Any) -> PositionTable:
        """Return the rows that *index* names: numbers, a mask or a slice."""
        columns = {name: getattr(self, name) for name in (*COLUMNS, *LABELS, *LIMIT) if name != "fen"}
        chosen: dict[str, Any] = {name: None if column is None else column[index] for name, column in columns.items()}
        return dataclasses.replace(self, positions=taken(self.positions, index), **chosen)

    def limits(self) -> dict[str, int]:
        """Return how many labels were made with each limit, as far as somebody said; more than one do not mix well."""
        said = np.full(len(self), self.facts.get("limit", "")) if self.limit is None else self.limit
        names, counts = np.unique(said, return_counts=True)
        limits: dict[str, int] = {}
        for name, count in zip(names.tolist(), counts.tolist(), strict=True):
            if name.startswith(SEARCHED):  # what follows the limit itself are the engine's settings
                short = name.split(", Hash")[0]
                limits[short] = limits.get(short, 0) + count
        return limits

    def worth(self) -> NDArray[np.float64]:
        """Return the labels in pawns for the side to move; beyond all advantages (40) come mates, near ones above."""
        if self.kind is None or self.score is None:
            raise FileError("a table of positions without labels has no values")
        near = FARTHEST_MATE - np.minimum(np.abs(self.score), FARTHEST_MATE)
        mates = np.where(self.score > 0, 1, -1) * (MATE + 2.0 * near)
        return np.where(self.kind == "mate", mates, np.clip(self.score / 100, -MATE, MATE))

    def pawns(self) -> NDArray[np.float64]:
        """Return the labels in pawns for the side to move; a mate is worth 20, and nothing is worth more."""
        return np.clip(self.worth(), -CLIP, CLIP)


def load_positions(path: Path) -> PositionTable:
    """Return the positions of a file: a Parquet table, a CSV of evaluations, or a list of FENs or EPDs."""
    path = Path(path)
    if is_parquet(path):
        return _load_parquet(path)
    from understudy.games.chess.records.text_files import load_evaluations, load_fen_list, looks_like_csv

    return load_evaluations(path) if looks_like_csv(path) else load_fen_list(path)


def is_parquet(path: Path) -> bool:
    """Tell whether a file begins as Parquet files do."""
    return read_start(path) == b"PAR1"


def is_position_table(path: Path) -> bool:
    """Tell whether a file is a Parquet table with a column of FENs."""
    try:
        return is_parquet(path) and "fen" in pq.read_schema(path).names
    except (pa.ArrowException, OSError):
        return False


def load_facts(path: Path) -> dict[str, str]:
    """Return what the metadata of a Parquet file say, those of its schema and those added when it was closed."""
    try:
        with pq.ParquetFile(path) as file:
            notes = {**(file.metadata.metadata or {}), **(file.schema_arrow.metadata or {})}
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)
    return {
        key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
        for key, value in notes.items()
        if not key.startswith((b"ARROW", b"pandas")) and key != REMARK.encode()
    }


class PositionWriter:
    """A table that is being written, some rows at a time."""

    def __init__(self, file: pq.ParquetWriter, schema: pa.Schema) -> None:
        self.file, self.schema, self.rows = file, schema, 0
        self.waiting: list[pa.Table] = []

    def add(self, table: PositionTable) -> None:
        """Add positions."""
        self.add_rows(arrow_rows(table))

    def add_rows(self, rows: pa.Table) -> None:
        """Add rows that have our columns already."""
        self.waiting.append(rows.select(self.schema.names).cast(self.schema))
        self.rows += len(rows)
        if sum(len(one) for one in self.waiting) >= ROWS:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        if self.waiting:
            rows = pa.concat_tables(self.waiting).combine_chunks()
            self.file.write_table(rows.unify_dictionaries(), row_group_size=2 * ROWS)
            self.waiting.clear()


@contextmanager
def writing(path: Path, *, labelled: bool, facts: Mapping[str, str]) -> Iterator[PositionWriter]:
    """Give a writer of a table that takes its place when it is whole; *facts* become its metadata."""
    schema = pa.schema(COLUMNS | (LABELS | LIMIT if labelled else {}), metadata=dict(facts))
    with writing_parquet(Path(path), schema) as file:
        writer = PositionWriter(file, schema)
        yield writer
        writer.flush()
        file.add_key_value_metadata({"rows": str(writer.rows)})


def save_positions(table: PositionTable, path: Path) -> None:
    """Write a table as Parquet."""
    with writing(path, labelled=table.kind is not None, facts=table.facts) as writer:
        for first in range(0, len(table), ROWS):
            writer.add(table.taken(slice(first, first + ROWS)))


def arrow_rows(table: PositionTable) -> pa.Table:
    """Return a table as Arrow has it."""
    columns: dict[str, pa.Array] = {
        "game": pa.array(table.game, pa.int32()),
        "ply": pa.array(table.ply, pa.int16()),
        "source": _named(table.source),
        "result": _named(table.result),
        "fen": arrow_strings(write_fen_texts(table.positions)),
    }
    if table.kind is not None and table.score is not None and table.best is not None:
        columns |= {
            "kind": _named(table.kind),
            "score": pa.array(table.score, pa.int32()),
            "best": pa.array(table.best.tolist(), pa.string()),
            "limit": _named(np.full(len(table), table.facts.get("limit", "")) if table.limit is None else table.limit),
        }
    return pa.table(columns)


def _named(column: NDArray[np.str_]) -> pa.DictionaryArray:
    names, places = np.unique(column, return_inverse=True)
    return pa.DictionaryArray.from_arrays(places.astype(np.int32), pa.array(names.tolist(), pa.string()))


def arrow_strings(texts: Texts) -> pa.StringArray:
    """Return texts as a column of Arrow."""
    offsets = pa.py_buffer(texts.offsets.astype(np.int32).tobytes())
    return pa.StringArray.from_buffers(len(texts.offsets) - 1, offsets, pa.py_buffer(texts.letters.tobytes()))


def column_texts(column: pa.StringArray) -> Texts:
    """Return a column of Arrow as texts, without a copy of its letters."""
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1].astype(np.int64)
    return Texts(np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(0, np.uint8), ends)


def read_fen_column(
    path: Path, column: pa.StringArray, *, first: int = 1
) -> tuple[Chess, NDArray[np.bool_], list[Complaint]]:
    """Return what a column of FENs describes, which rows are good, and complaints; rows count from *first*."""
    positions, good = read_fens(column_texts(column))
    good &= np.asarray(column.is_valid())
    complaints = [
        Complaint(str(path), int(row) + first, fen_fault(column[int(row)].as_py())) for row in np.flatnonzero(~good)
    ]
    return positions, good, complaints


def fen_fault(fen: str | None) -> str:
    """Return what is wrong with a FEN."""
    from understudy.errors import NotationError
    from understudy.games.chess import notation as chess_notation
    from understudy.games.chess.position import START

    if fen is None:
        return "there is no position"
    try:
        chess_notation.read(fen, START)
    except NotationError as error:
        return str(error)
    return f"chess position {shown(fen)} cannot be read"


def _load_parquet(path: Path) -> PositionTable:
    rows = read_parquet(path)
    if "fen" not in rows.column_names:
        raise FileError(f"{path} has no column 'fen'; tables of positions have {', '.join(COLUMNS)}")
    positions, good, complaints = read_fen_column(path, _column(path, rows, "fen", pa.string()))
    table = PositionTable(
        positions=positions,
        game=_numbers(path, rows, "game", COLUMNS["game"]),
        ply=_numbers(path, rows, "ply", COLUMNS["ply"]),
        source=_texts(path, rows, "source"),
        result=_texts(path, rows, "result"),
        facts=load_facts(path),
        complaints=tuple(complaints),
        **(_labels(path, rows) if set(LABELS) <= set(rows.column_names) else {}),
    )
    return table if good.all() else table.taken(good)


def _labels(path: Path, rows: pa.Table) -> dict[str, Any]:
    kind = _texts(path, rows, "kind")
    if odd := sorted(set(np.unique(kind).tolist()) - {"cp", "mate"}):
        raise FileError(f"{path}: column 'kind' holds {shown(odd[0])}; labels are 'cp' or 'mate'")
    score, best = _numbers(path, rows, "score", LABELS["score"]), _texts(path, rows, "best")
    return {"kind": kind, "score": score, "best": best, "limit": _limits(path, rows)}


def _limits(path: Path, rows: pa.Table) -> NDArray[np.str_] | None:
    """Return what the engine was allowed in each row: a column `limit` as ours have it, or a column `depth`."""
    if "limit" in rows.column_names:
        return _texts(path, rows, "limit")
    return limits_of_depths(_texts(path, rows, "depth")) if "depth" in rows.column_names else None


def limits_of_depths(depths: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return depths as limits in words; nothing where there is no number."""
    names, places = np.unique(depths, return_inverse=True)
    words = [f"depth {name}" if name.isdecimal() else "" for name in names.tolist()]
    return np.asarray(np.array(words, np.str_)[places])


def _column(path: Path, rows: pa.Table, name: str, kind: pa.DataType) -> Any:
    """Return a column in one piece and of its type."""
    if name not in rows.column_names:
        raise FileError(f"{path} has no column {name!r}; tables of positions have {', '.join(COLUMNS)}")
    try:
        return pa.concat_arrays(rows[name].cast(kind).chunks or [pa.array([], kind)])
    except pa.ArrowException:
        raise FileError(f"{path}: column {name!r} holds {rows[name].type}, not {kind}") from None


def _numbers(path: Path, rows: pa.Table, name: str, kind: pa.DataType) -> NDArray[Any]:
    column = _column(path, rows, name, kind)
    if column.null_count:
        raise FileError(f"{path}: column {name!r} has rows without a value")
    numbers: NDArray[Any] = column.to_numpy(zero_copy_only=False).copy()
    return numbers


def _texts(path: Path, rows: pa.Table, name: str) -> NDArray[np.str_]:
    """Return a column of few or short texts; a null is nothing."""
    coded = _column(path, rows, name, pa.string()).fill_null("").dictionary_encode()
    names = np.array(coded.dictionary.to_pylist() or [""], np.str_)
    return np.asarray(names[coded.indices.to_numpy()])
