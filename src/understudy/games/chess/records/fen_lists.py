"""Lists of positions: a FEN or an EPD a line, as suites and books of openings have them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from understudy.errors import FileError
from understudy.games.batches import taken
from understudy.games.chess.fen import read_fens
from understudy.games.chess.records.positions import PositionTable, fen_fault
from understudy.records.files import Complaint
from understudy.records.packed import content


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
