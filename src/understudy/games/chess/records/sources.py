"""Any file that holds chess positions (PGN, tables, CSVs, lists, records of games that were watched).

Which kind it is, its positions gathered into a table, and a survey of what it holds, in numbers.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, FileError
from understudy.games.chess.datasets import DRAW_BAND
from understudy.games.chess.records.pgn import PgnReader
from understudy.games.chess.records.positions import (
    PositionTable,
    is_parquet,
    is_position_table,
    load_positions,
    save_positions,
)
from understudy.games.chess.records.sampling import Sampled, Sampling, sample_pgn, sample_records
from understudy.games.chess.records.wanted import Wanted
from understudy.locks import locked
from understudy.records.store import load
from understudy.unpacking import beginning

OF_LABELS = ("engine", "limit", "rows", "plan", "score", "aside")
"""Facts of a table that belong to its labels."""
SURVEYED = ("pgn", "table", "csv")
"""Kinds of files that `survey_file` tells of."""
MOST = 10
"""Names that are listed before the rest is summed up."""
MIXED = (
    "mixed limits: labels stand side by side for which the engine was allowed more and less, so the same number does "
    "not mean the same in all rows (docs/labels.md)"
)


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
    from understudy.games.chess.records.text_files import looks_like_csv

    if looks_like_csv(path):
        return "csv"
    return "pgn" if looks_like_pgn(path) else "list"


def looks_like_pgn(path: Path) -> bool:
    """Tell whether a file is PGN, by its name or by a tag at its beginning."""
    if any(part.lower() == ".pgn" for part in Path(path).suffixes):
        return True
    return beginning(path, 4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


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
    with locked(target):
        return _gather(path, target, sampling, wanted=wanted, source=source, most=most, progress=progress)


def _gather(
    path: Path,
    target: Path,
    sampling: Sampling | None,
    *,
    wanted: Wanted,
    source: str | None,
    most: int | None,
    progress: Callable[[int], None],
) -> Gathered:
    """Write the positions of a file to a table; its lock is held."""
    kind = kind_of(path)
    if kind == "pgn":
        limited = dataclasses.replace(sampling or Sampling(), most=most)
        sampled = sample_pgn(path, target, limited, wanted=wanted, source=source, progress=progress)
        complaints = tuple(str(one) for one in sampled.broken)
        return Gathered(kind=kind, positions=sampled.positions, complaints=complaints, sampled=sampled)
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
    plain = dataclasses.replace(table, kind=None, score=None, best=None, limit=None, facts=facts)
    if source is None:
        return plain
    return dataclasses.replace(plain, source=np.full(len(table), source))


def _chess_records(path: Path) -> Any:
    records = load(path)
    if records.game.name != "chess":
        raise FileError(f"{path} holds records of {records.game.name}; tables of positions are of chess")
    return records


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What was found, as plain numbers, and what was passed over."""

    kind: str
    facts: dict[str, Any]
    complaints: tuple[str, ...]


def survey_file(path: Path) -> Survey:
    """Return what is in a file."""
    kind = kind_of(path)
    if kind == "pgn":
        return _survey_games(path)
    table = load_positions(path)
    complaints = tuple(str(complaint) for complaint in table.complaints)
    return Survey(kind=kind, facts=table_facts(table), complaints=complaints)


def survey_text(survey: Survey) -> str:
    """Return a survey for people."""
    told = {name: value for name, value in survey.facts.items() if name != "mixed"}
    lines = [f"{name.replace('_', ' ')}: {_written(value)}" for name, value in told.items()]
    return "\n".join([*lines, *([MIXED] if survey.facts.get("mixed") else [])])


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_written(part)}" for name, part in value.items()) or "none"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _survey_games(path: Path) -> Survey:
    """Count the games of a PGN file as they stream by."""
    reader = PgnReader(path)
    results, openings = Counter[str](), Counter[str]()
    plies: list[NDArray[np.int64]] = []
    ratings: list[int] = []
    for games in reader:
        results.update(games.results)
        openings.update(tags.get("ECO", "?")[:1] or "?" for tags in games.tags)
        plies.append(np.diff(games.ends))
        texts = [tags.get(name, "") for tags in games.tags for name in ("WhiteElo", "BlackElo")]
        ratings += [int(rating) for rating in texts if rating.isascii() and rating.isdigit()]
    facts = {
        "games": reader.met,
        "broken": len(reader.broken),
        "results": _ranked(results),
        "plies": _spread(np.concatenate(plies)),
        "ratings": _spread(ratings),
        "openings_by_ECO": _ranked(openings),
    }
    return Survey(kind="pgn", facts=facts, complaints=tuple(str(broken) for broken in reader.broken))


def table_facts(table: PositionTable) -> dict[str, Any]:
    """Return what a table of positions is like, as plain numbers."""
    facts: dict[str, Any] = {
        "positions": len(table),
        "skipped": len(table.complaints),
        "games": len(np.unique(table.game)),
        "sources": _ranked(_counts(table.source)),
        "results": _ranked(_counts(table.result)),
        "plies": _spread(table.ply),
        "black_to_move": float((table.ply % 2 == 1).mean()) if len(table) else 0.0,
        "labelled": table.kind is not None,
    }
    if table.kind is not None and len(table):
        limits = table.limits()
        facts |= {name: table.facts.get(name, "not said") for name in ("engine", "limit")}
        facts |= {"limits": _ranked(limits), "mixed": len(limits) > 1} | _classes(table)
    return facts


def _classes(table: PositionTable) -> dict[str, Any]:
    """Return the shares of the thesis's three classes for the side to move, and of mates."""
    pawns, kind = table.pawns(), table.kind
    shares = {"Losing": pawns < -DRAW_BAND, "Draw": np.abs(pawns) <= DRAW_BAND, "Winning": pawns > DRAW_BAND}
    return {
        "classes": {name: round(float(rows.mean()), 4) for name, rows in shares.items()},
        "mates": int((kind == "mate").sum()) if kind is not None else 0,
        "pawns": {"mean": float(pawns.mean()), "deviation": float(pawns.std())},
    }


def _counts(column: NDArray[np.str_]) -> Counter[str]:
    names, counts = np.unique(column, return_counts=True)
    return Counter(dict(zip(names.tolist(), counts.tolist(), strict=True)))


def _ranked(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the most frequent names and the sum of all others."""
    ranked = Counter(counts).most_common()
    rest = sum(count for _, count in ranked[MOST:])
    return dict(ranked[:MOST]) | ({f"{len(ranked) - MOST} others": rest} if rest else {})


def _spread(numbers: Iterable[int] | NDArray[Any]) -> dict[str, float]:
    values = np.asarray(numbers if isinstance(numbers, np.ndarray) else list(numbers), np.float64)
    if len(values) == 0:
        return {}
    return {"least": float(values.min()), "median": float(np.median(values)), "most": float(values.max())}
