"""Positions in text that others wrote: CSV files with evaluations as White sees them, and lists of FENs or EPDs.

A CSV file names its columns in its first line: `fen`, an evaluation in centipawns or `#N` for a mate, and perhaps who
judged, the move and the game's result. It seldom says where a game ends, so that is guessed from the positions:
splits by game would otherwise be splits by row.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pcsv
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games.batches import taken
from understudy.games.chess.fen import read_fens
from understudy.games.chess.pgn_text import RESULTS
from understudy.games.chess.position import Chess
from understudy.games.chess.records.positions import PositionTable, fen_fault, limits_of_depths, read_fen_column
from understudy.records.files import Complaint, check_names, shown
from understudy.unpacking import beginning, content, refuse

# Names of columns in the files that are about; the first that a file has is read.
VALUES = ("eval_white", "eval_white_cp", "evaluation", "eval", "cp")
SOURCES = ("source", "engine")
BESTS = ("move_uci", "best")
PLAYERS = 2
"""How many judges take turns within a game."""

_VALUE = r"^\s*(?P<mate>#?)(?P<number>[+-]?[0-9]{1,7})\s*$"


def looks_like_csv(path: Path) -> bool:
    """Tell whether the first line of a file names columns, one of them of FENs."""
    return "fen" in _header(beginning(path, 4096))


def _header(head: bytes) -> list[str]:
    line = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    return [name.strip().strip('"').lower() for name in line.split(",")]


def load_evaluations(path: Path) -> PositionTable:
    """Return the positions of a CSV file; rows that cannot be read are named in its complaints."""
    rows, complaints = _rows(path)
    lines = _lines(len(rows), [complaint.line for complaint in complaints])
    value = next((name for name in VALUES if name in rows.column_names), None)
    positions, good, faults = read_fen_column(path, rows["fen"].combine_chunks())
    complaints += [fault._replace(line=int(lines[fault.line - 1])) for fault in faults]
    if value is not None:
        sound = np.asarray(pc.match_substring_regex(rows[value].combine_chunks(), _VALUE).fill_null(False))
        for row in np.flatnonzero(good & ~sound).tolist():
            reason = f"evaluation {shown(rows[value][row].as_py() or '')} is neither a number (+36) nor a mate (#-3)"
            complaints.append(Complaint(str(path), int(lines[row]), reason))
        good &= sound
    complaints.sort(key=lambda complaint: complaint.line)
    return _table(path, rows.filter(pa.array(good)), taken(positions, good), value, tuple(complaints))


def _table(
    path: Path, rows: pa.Table, positions: Chess, value: str | None, complaints: tuple[Complaint, ...]
) -> PositionTable:
    """Return good rows as a table; without a column of values it has no labels."""
    source = _first(rows, SOURCES, Path(path).name.partition(".")[0])
    result = _first(rows, ("result",), "*")
    kind, score = (None, None) if value is None else _values(rows[value].combine_chunks(), positions)
    return PositionTable(
        positions=positions,
        game=_games(rows, positions, source, result),
        ply=np.asarray(positions.ply, np.int16),
        source=source,
        result=np.where(np.isin(result, RESULTS), result, "*"),
        kind=kind,
        score=score,
        best=None if value is None else _first(rows, BESTS, ""),
        limit=None if value is None else limits_of_depths(_first(rows, ("depth",), "")),
        facts={} if value is None else {"engine": "as the file says", "limit": "as the file says"},
        complaints=complaints,
    )


def _lines(rows: int, skipped: list[int]) -> NDArray[np.int64]:
    """Return the line of each row that was kept, given the lines of those that were not."""
    lines = np.arange(2, rows + len(skipped) + 2)
    return lines[~np.isin(lines, skipped)]


def _rows(path: Path) -> tuple[pa.Table, list[Complaint]]:
    """Return all columns as text, and what was wrong with rows that have too many or too few."""
    complaints: list[Complaint] = []
    text = content(path)
    try:
        text.decode()  # of a row with too many columns that is no text Arrow would print a traceback
    except UnicodeDecodeError:
        raise FileError(f"cannot read {str(path)!r}: it is not text") from None
    names = _header(text[:4096])

    def skipped(row: Any) -> str:
        complaints.append(
            Complaint(str(path), row.number or 0, f"there are {row.actual_columns} columns, not {row.expected_columns}")
        )
        return "skip"

    try:
        rows = pcsv.read_csv(
            pa.BufferReader(text),
            read_options=pcsv.ReadOptions(use_threads=False, column_names=names, skip_rows=1),
            parse_options=pcsv.ParseOptions(invalid_row_handler=skipped, ignore_empty_lines=False),
            convert_options=pcsv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except (pa.ArrowException, OSError) as error:
        refuse(path, error)
    check_names(path, rows.column_names)
    if "fen" not in rows.column_names:
        raise FileError(f"{path} has no column 'fen': its first line names {', '.join(names)}")
    return rows, complaints


def _values(column: pa.StringArray, positions: Chess) -> tuple[NDArray[np.str_], NDArray[np.int32]]:
    """Return kinds and scores for the side to move."""
    parts = pc.extract_regex(column, pattern=_VALUE)
    numbers = pc.replace_substring(pc.struct_field(parts, "number"), "+", "")
    white = pc.cast(numbers, pa.int32()).to_numpy(zero_copy_only=False)
    mates = np.asarray(pc.equal(pc.struct_field(parts, "mate"), "#"))
    black = np.asarray(positions.ply) % 2 == 1
    return np.where(mates, "mate", "cp"), np.where(black, -white, white).astype(np.int32)


def _first(rows: pa.Table, names: tuple[str, ...], other: str) -> NDArray[np.str_]:
    """Return the first of some columns that is there, or *other* in every row."""
    name = next((name for name in names if name in rows.column_names), None)
    if name is None:
        return np.full(len(rows), other, np.str_)
    coded = rows[name].combine_chunks().dictionary_encode()
    return np.asarray(np.array(coded.dictionary.to_pylist() or [""], np.str_)[coded.indices.to_numpy()])


def _games(rows: pa.Table, positions: Chess, source: NDArray[np.str_], result: NDArray[np.str_]) -> NDArray[np.int32]:
    """Return the number of each row's game: as the file tells, or a new one where a row cannot go on from the last.

    That is where the ply does not go up, men or rights to castle come back, the result is another, or a third judge
    appears (in files with engines two take turns; a source is the same throughout a game).
    """
    if "game" in rows.column_names:
        coded = rows["game"].combine_chunks().dictionary_encode()
        return np.asarray(coded.indices.to_numpy() + 1, np.int32)
    white = _rights(positions)
    men = np.bitwise_count(np.asarray(positions.mine) | np.asarray(positions.theirs)).astype(np.int64)
    fresh = np.ones(len(source), np.bool_)
    fresh[1:] = (np.diff(positions.ply) <= 0) | (np.diff(men) > 0) | (white[1:] & ~white[:-1] != 0)
    fresh[1:] |= result[1:] != result[:-1]
    most = PLAYERS if "engine" in rows.column_names and "source" not in rows.column_names else 1
    _, codes = np.unique(source, return_inverse=True)
    return _counted(fresh.tolist(), codes.tolist(), most)


def _rights(positions: Chess) -> NDArray[np.int64]:
    """Return rights to castle, white's first whoever is to move."""
    rights: NDArray[np.int64] = np.asarray(positions.castling)
    return np.where(np.asarray(positions.ply) % 2 == 1, (rights >> 2) | ((rights & 3) << 2), rights)


def _counted(fresh: list[bool], codes: list[int], most: int) -> NDArray[np.int32]:
    """Number games: another begins where a row is *fresh*, or where more than *most* judges would have had a say."""
    numbers, number = np.zeros(len(fresh), np.int32), 0
    judges: set[int] = set()
    for row, (new, judge) in enumerate(zip(fresh, codes, strict=True)):
        if new or len(judges | {judge}) > most:
            number, judges = number + 1, set()
        judges.add(judge)
        numbers[row] = number
    return numbers


def load_fen_list(path: Path) -> PositionTable:
    """Return the positions of a list, each a game of its own; what follows the fields of a position is not read."""
    lines = content(path).decode("utf-8", "replace").splitlines()
    places = [place for place, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    fens = [fen_of(lines[place]) for place in places]
    positions, good = read_fens(fens)
    if not good.any():
        fault = fen_fault(fens[0]) if fens else "it is empty"
        raise FileError(f"{path} holds no positions (PGN, a Parquet table, a CSV with a column 'fen', a list): {fault}")
    complaints = [Complaint(str(path), places[row] + 1, fen_fault(fens[row])) for row in np.flatnonzero(~good).tolist()]
    count = int(good.sum())
    kept = taken(positions, good)
    return PositionTable(
        positions=kept,
        game=np.arange(1, count + 1, dtype=np.int32),
        ply=np.asarray(kept.ply, np.int16),
        source=np.full(count, Path(path).name.partition(".")[0]),
        result=np.full(count, "*"),
        complaints=tuple(complaints),
    )


def fen_of(line: str) -> str:
    """Return the fields of a position at the start of a line: six if the last two are numbers, else four."""
    fields = line.replace(";", " ; ").split()
    numbers = len(fields) >= 6 and all(re.fullmatch("[0-9]+", field) for field in fields[4:6])
    return " ".join(fields[: 6 if numbers else 4])
