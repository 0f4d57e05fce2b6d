"""Positions from any file that holds some: PGN, tables, CSVs, lists, and records of games that were watched."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from understudy.errors import BadOption, FileError
from understudy.games.chess.records.positions import (
    PositionTable,
    is_parquet,
    is_position_table,
    load_positions,
    save_positions,
)
from understudy.games.chess.records.sampling import Sampled, Sampling, sample_pgn, sample_records
from understudy.games.chess.records.wanted import Wanted
from understudy.records.packed import Damage, pieces
from understudy.records.store import load

OF_LABELS = ("engine", "limit", "rows", "plan", "score", "aside")
"""Facts of a table that belong to its labels."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What became of a file of positions or games."""

    kind: str
    positions: int
    complaints: tuple[str, ...]
    """What was passed over, a sentence each."""
    sampled: Sampled | None = None
    """More of a file of games."""


def kind_of(path: Path) -> str:
    """Return which kind of file this is, by what it holds."""
    path = Path(path)
    if is_parquet(path):
        if is_position_table(path):
            return "table"
        return "records"
    from understudy.games.chess.records.evaluations import looks_like_csv

    if looks_like_csv(path):
        return "csv"
    return "pgn" if looks_like_pgn(path) else "list"


def looks_like_pgn(path: Path) -> bool:
    """Tell whether a file is PGN, by its name or by a tag at its beginning."""
    if any(part.lower() == ".pgn" for part in Path(path).suffixes):
        return True
    stream = pieces(path, 4096)
    try:
        head = next(stream, b"")
    except Damage as damage:
        raise FileError(f"{path} cannot be read: {damage}") from None
    finally:
        stream.close()  # type: ignore[attr-defined]
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def gather(
    path: Path,
    target: Path,
    sampling: Sampling | None = None,
    *,
    wanted: Wanted = Wanted(),
    source: str | None = None,
    most: int | None = None,
    progress: Callable[[int], None] = lambda positions: None,
) -> Gathered:
    """Write the positions of a file to an unlabelled table, *most* of them or all.

    Games are sampled; from other files all positions are taken as they stand.
    """
    kind = kind_of(path)
    if kind == "pgn":
        limited = dataclasses.replace(sampling or Sampling(), most=most)
        sampled = sample_pgn(path, target, limited, wanted=wanted, source=source, progress=progress)
        told = tuple(str(one) for one in sampled.broken)
        return Gathered(kind=kind, positions=sampled.positions, complaints=told, sampled=sampled)
    if wanted != Wanted():
        raise BadOption(f"{path} holds no games of PGN, so games cannot be chosen by rating, result, length or opening")
    table = sample_records(_chess_records(path), sampling or Sampling()) if kind == "records" else load_positions(path)
    if kind != "records" and sampling is not None:
        raise BadOption(f"{path} is a {kind} of positions, not of games: there is nothing to sample from")
    if len(table) == 0:
        raise FileError(f"{path} gives no positions")
    table = _bare(table if most is None else table.taken(slice(0, most)), source)
    save_positions(table, target)
    progress(len(table))
    return Gathered(kind=kind, positions=len(table), complaints=tuple(str(one) for one in table.complaints))


def _bare(table: PositionTable, source: str | None) -> PositionTable:
    """Return a table without labels and without what was said about them."""
    facts = {name: value for name, value in table.facts.items() if name not in OF_LABELS}
    plain = dataclasses.replace(table, kind=None, score=None, best=None, facts=facts)
    if source is None:
        return plain
    return dataclasses.replace(plain, source=np.full(len(table), source))


def _chess_records(path: Path) -> Any:
    records = load(path)
    if records.game.name != "chess":
        raise FileError(f"{path} holds records of {records.game.name}; tables of positions are of chess")
    return records
