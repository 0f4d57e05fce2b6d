"""What a file of chess holds, in numbers: the games of a PGN, the positions of a table, a CSV or a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.chess.records.pgn import PgnReader
from understudy.games.chess.records.positions import PositionTable, load_positions
from understudy.games.chess.records.sources import kind_of

SURVEYED = ("pgn", "table", "csv")
"""Kinds of files that `survey_file` tells of."""
DRAW = 1.5
"""Pawns within which the thesis calls a position drawn."""
MOST = 10
"""Names that are listed before the rest is summed up."""


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
    return "\n".join(f"{name.replace('_', ' ')}: {_written(value)}" for name, value in survey.facts.items())


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
        told = [tags.get(name, "") for tags in games.tags for name in ("WhiteElo", "BlackElo")]
        ratings += [int(rating) for rating in told if rating.isascii() and rating.isdigit()]
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
        facts |= {name: table.facts.get(name, "not said") for name in ("engine", "limit")} | _classes(table)
    return facts


def _classes(table: PositionTable) -> dict[str, Any]:
    """Return the shares of the thesis's three classes for the side to move, and of mates."""
    pawns, kind = table.pawns(), table.kind
    shares = {"Losing": pawns < -DRAW, "Draw": np.abs(pawns) <= DRAW, "Winning": pawns > DRAW}
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
