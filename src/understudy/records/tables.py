"""Tables of positions with what they are worth, as offline sampling leaves them: Parquet files, one row a position.

A table also says how far the sampling was and with what chance it goes on, so it is its own checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from understudy.errors import FileError, UnderstudyError, understood
from understudy.games import CompiledGame, find_game
from understudy.records.files import read_parquet, save_parquet
from understudy.unpacking import refuse

FORMAT = 1
"""Of tables; it changes when files of before can no longer be read."""
COLUMNS: dict[str, pa.DataType] = {
    "mine": pa.uint64(),
    "theirs": pa.uint64(),
    "ply": pa.int64(),
    "value": pa.float64(),
    "visits": pa.int64(),
}
"""As docs/offline.md describes them."""
OFTEN = 5
"""Positions met so often are counted apart: their values are more than the result of a game or two."""
_NOTES = b"understudy table"
"""Where our facts stand in the metadata; records have another name for theirs, so neither is taken for the other."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tabled:
    """Positions in the order in which they were first met, each once, and what games have said of them."""

    game: CompiledGame
    positions: Any
    """A batch; the ply is that of the first meeting."""
    values: NDArray[np.float64]
    """For who has just moved: 0 lost, 0.5 neutral, 1 won."""
    visits: NDArray[np.int64]
    games: int
    """How many were played."""
    results: NDArray[np.int64]
    """Games [as first or second player; lost, drawn, won] of who sampled."""
    luck: int
    """The chance with which sampling goes on."""

    def keys(self) -> NDArray[np.uint64]:
        """Return the key of each position."""
        names: NDArray[np.uint64] = self.game.batches.keys(self.positions)
        return names


def save_table(table: Tabled, path: Path, *, notes: Mapping[str, Any] | None = None) -> None:
    """Write a table as Parquet, with *notes* on how it came about in its metadata."""
    game, positions = table.game, table.positions
    columns = {"mine": positions.mine, "theirs": positions.theirs, "ply": positions.ply, "value": table.values,
               "visits": table.visits}  # fmt: skip
    facts = {
        "format": FORMAT, "game": game.name, "size": game.size, "switches": dict(game.switches), "games": table.games,
        "results": table.results.tolist(), "luck": str(table.luck), "notes": dict(notes or {}),
    }  # fmt: skip
    rows = pa.table({name: pa.array(columns[name], kind) for name, kind in COLUMNS.items()})
    save_parquet(Path(path), rows.replace_schema_metadata({_NOTES: json.dumps(facts)}))


def load_table(path: Path) -> tuple[Tabled, Mapping[str, Any]]:
    """Return a table and its notes."""
    rows = read_parquet(Path(path))
    facts = _facts(path, rows.schema.metadata or {})
    game = _find_game(path, facts)
    columns = {name: _column(path, rows, name) for name in COLUMNS}
    _check(path, columns)
    first, count = game.start(), rows.num_rows
    positions = first._make(
        columns[name] if name in columns else np.full(count, value)
        for name, value in zip(first._fields, first, strict=True)
    )
    with understood(f"the metadata of {path}"):
        table = Tabled(
            game=game, positions=positions, values=columns["value"], visits=columns["visits"], games=facts["games"],
            results=np.array(facts["results"], np.int64), luck=int(facts["luck"]),
        )  # fmt: skip
    return table, facts["notes"]


def _find_game(path: Path, facts: Mapping[str, Any]) -> CompiledGame:
    """Return the game that a file's metadata name."""
    try:
        with understood("its metadata"):
            return find_game(str(facts["game"]), tuple(facts["size"]), facts["switches"])
    except UnderstudyError as error:
        refuse(path, error)


def is_table(path: Path) -> bool:
    """Tell whether a file is a table of positions, by what its metadata say."""
    try:
        return _NOTES in (pq.read_metadata(path).metadata or {})
    except (pa.ArrowException, OSError):
        return False


def table_facts(table: Tabled, notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a table is like, as plain numbers."""
    often = table.visits >= OFTEN
    lost, drawn, won = table.results.sum(axis=0).tolist()
    return {
        "game": table.game.name, "size": "x".join(map(str, table.game.size)), "games": table.games,
        "won": won, "drawn": drawn, "lost": lost,
        "positions": len(table.values), "once": int((table.visits == 1).sum()), "often": int(often.sum()),
        "mean": _rounded(table.values.mean()), "variance": _rounded(table.values.var()),
        "variance_often": _rounded(table.values[often].var()) if often.any() else None, "notes": dict(notes),
    }  # fmt: skip


def table_text(table: Tabled, notes: Mapping[str, Any]) -> str:
    """Return what a table is like, for people."""
    facts = table_facts(table, notes)
    how = ", ".join(f"{name} {value}" for name, value in notes.items())
    return "\n".join((
        f"a table of {facts['positions']} positions of {facts['game']} {facts['size']} from {facts['games']} games"
        f" ({facts['won']} won, {facts['drawn']} drawn, {facts['lost']} lost by who sampled)",
        f"met once: {facts['once']}; met {OFTEN} times or more: {facts['often']}",
        f"values for who has just moved, 0 to 1: mean {facts['mean']}, variance {facts['variance']}",
        *([f"sampled with {how}"] if how else []),
    ))  # fmt: skip


def _rounded(number: Any) -> float:
    return round(float(number), 6)


def _facts(path: Path, metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    """Return our part of the metadata, or raise because the file is not ours."""
    try:
        facts: dict[str, Any] = json.loads(metadata[_NOTES])
        wanted = {"format", "game", "size", "switches", "games", "results", "luck", "notes"}
        complete = wanted <= set(facts) and np.shape(facts["results"]) == (2, 3)
    except (KeyError, ValueError, TypeError, RecursionError):
        complete = False
    if not complete:
        raise FileError(f"{path} is a Parquet file, but not a table of positions: its metadata do not say so")
    if facts["format"] != FORMAT:
        raise FileError(f"{path} has format {facts['format']} of tables; this version reads format {FORMAT}")
    return facts


def _column(path: Path, rows: pa.Table, name: str) -> NDArray[Any]:
    if name not in rows.column_names:
        raise FileError(f"{path} has no column {name!r}; tables have {', '.join(COLUMNS)}")
    if rows[name].type != COLUMNS[name] or rows[name].null_count:
        raise FileError(f"{path}: column {name!r} must hold {COLUMNS[name]} in every row, and does not")
    column: NDArray[Any] = rows[name].to_numpy().copy()
    return column


def _check(path: Path, columns: Mapping[str, NDArray[Any]]) -> None:
    values, visits = columns["value"], columns["visits"]
    wrong = np.flatnonzero(~((values >= 0) & (values <= 1)) | (visits < 1))
    if len(wrong):
        row = int(wrong[0])
        raise FileError(f"{path}, row {row + 1}: value {values[row]:g} with {visits[row]} visits is no row of a table")
