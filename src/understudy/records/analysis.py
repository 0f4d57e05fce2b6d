"""What a set of records is made of: phases, parts of moves, and how many moves were legal (thesis 5.3.2, paper V-A).

The published figures count images of positions as their authors made them, and removals as their program allowed
them; both are options here, and off unless asked for. The numbers are plain, so that they can go into JSON or a plot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_kind
from understudy.games.batches import NO_MOVE
from understudy.games.kind import GameKind
from understudy.games.parts import parts_of
from understudy.games.rows import count_moves, keys_of
from understudy.records.examples import find_expansion
from understudy.records.store import Records

OFTEN = 0.1
"""A move legal in a larger share of positions than this is counted as legal often."""
CODES = 1 << 16
"""Codes of moves of any game are below this."""


@dataclass(frozen=True, kw_only=True)
class LegalMoves:
    """How many moves the positions have."""

    least: int
    most: int
    mean: float
    single: int
    """Positions with one move only."""
    histogram: tuple[int, ...]
    """Positions with 0, 1, 2, ... moves."""


@dataclass(frozen=True, kw_only=True)
class MoveShares:
    """In how many of the positions each of the game's moves is legal."""

    moves: int
    impossible: int
    """Moves that can be legal in no position at all."""
    never: int
    """Moves that are legal in none of these positions, the impossible ones among them."""
    often: tuple[tuple[int, ...], ...]
    """Parts of the moves that are legal in more than a tenth of the positions."""
    highest: float
    mean: float


@dataclass(frozen=True, kw_only=True)
class PartShares:
    """What one part of the moves was."""

    counts: tuple[int, ...]
    entropy: float
    """Bits."""
    constant: float
    """Share of the commonest class: what always guessing it would score."""


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What a set of records is made of."""

    game: str
    raw_rows: int
    rows: int
    """After expansion."""
    expansion: str
    removal: str
    """`plain` rules or the `authors`'."""
    moved: int
    """Rows with a move."""
    distinct_positions: int
    distinct_pairs: int
    distinct_moves: int
    phases: dict[str, int] = field(default_factory=dict)
    """Rows of each phase, in games that have phases."""
    removals: dict[str, int] = field(default_factory=dict)
    """Rows with a removal, by phase."""
    parts: dict[str, PartShares]
    legal: LegalMoves
    shares: MoveShares | None = None
    """Only for games whose moves can be counted beforehand."""


def analyse(records: Records, *, expansion: str = "none", authors_removal: bool = False) -> Analysis:
    """Return what records are made of, each row counted once for each of its images if *expansion* says so."""
    game, counts = records.game, _counts(records.game.kind)
    expand = find_expansion(game, expansion)
    if authors_removal and counts is None:
        raise BadOption(f"{game.name} has no authors' removals: its legal moves are counted by the rules alone")
    if not len(records):
        raise BadOption("there is nothing to analyse: no records")
    positions, moves, _ = expand(records.positions, records.moves)
    names = _names(game, positions)
    moved = moves != NO_MOVE
    per_position, per_move = _legal_counts(game, positions, authors=authors_removal)
    return Analysis(
        game=game.name,
        raw_rows=len(records),
        rows=len(moves),
        expansion=expansion,
        removal="authors" if authors_removal else "plain",
        moved=int(moved.sum()),
        distinct_positions=len(np.unique(names)),
        distinct_pairs=_distinct_pairs(names[moved], moves[moved]),
        distinct_moves=len(np.unique(moves[moved])),
        parts=_parts(game, moves[moved]),
        legal=_legal_moves(per_position),
        **({} if counts is None else _counted(game, counts, positions, moves, per_move)),
    )


def analysis_json(analysis: Analysis) -> dict[str, Any]:
    """Return the numbers as JSON takes them."""
    return asdict(analysis)


def analysis_text(analysis: Analysis) -> str:
    """Return the numbers as a table for people."""
    rows = list(_lines(analysis))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows) + "\n"


def _counts(kind: GameKind) -> Any:
    """Return the module of what can be counted of this game alone, or None."""
    return kind.load("counts") if kind.counts else None


def _counted(
    game: CompiledGame, counts: Any, positions: Any, moves: NDArray[np.int32], per_move: NDArray[np.int64]
) -> dict[str, Any]:
    """Return what can be counted of this game alone."""
    everywhere, removing = np.ones(len(moves), bool), (moves != NO_MOVE) & counts.removing(moves)
    return {
        "phases": counts.by_phase(positions, everywhere),
        "removals": counts.by_phase(positions, removing),
        "shares": _shares(game, counts, per_move, len(moves)),
    }


def _names(game: CompiledGame, positions: Any) -> NDArray[np.uint64]:
    if keys := game.at_once("keys"):
        return np.asarray(keys(positions))
    return keys_of(positions)


def _distinct_pairs(names: NDArray[np.uint64], moves: NDArray[np.int32]) -> int:
    order = np.lexsort((moves, names))
    changed = (np.diff(names[order]) != 0) | (np.diff(moves[order]) != 0)
    return int(changed.sum()) + (len(order) > 0)


def _parts(game: CompiledGame, moves: NDArray[np.int32]) -> dict[str, PartShares]:
    if not len(moves):
        return {}
    shapes = zip(game.part_names, game.part_sizes, parts_of(game, moves).T, strict=True)
    return {name: _part(np.bincount(column, minlength=size)) for name, size, column in shapes}


def _part(counts: NDArray[np.int64]) -> PartShares:
    shares = counts[counts > 0] / counts.sum()
    entropy = float(-(shares * np.log2(shares)).sum()) + 0.0
    return PartShares(counts=tuple(counts.tolist()), entropy=entropy, constant=float(shares.max()))


def _legal_counts(game: CompiledGame, positions: Any, *, authors: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return how many moves each position has, and how many positions each code has."""
    if counts := _counts(game.kind):
        legal: tuple[NDArray[Any], NDArray[np.int64]] = counts.legal_counts(positions, authors=authors)
        return legal
    return count_moves(positions, game.most_moves, CODES)


def _legal_moves(per_position: NDArray[Any]) -> LegalMoves:
    return LegalMoves(
        least=int(per_position.min()),
        most=int(per_position.max()),
        mean=float(per_position.mean()),
        single=int((per_position == 1).sum()),
        histogram=tuple(np.bincount(per_position).tolist()),
    )


def _shares(game: CompiledGame, counts: Any, per_move: NDArray[np.int64], rows: int) -> MoveShares:
    """Return the shares of all codes that are moves."""
    shares = per_move[counts.FIRST_CODE :] / rows
    often = np.flatnonzero(shares > OFTEN).astype(np.int32) + counts.FIRST_CODE
    return MoveShares(
        moves=len(shares),
        impossible=int(counts.impossible().sum()),
        never=int((shares == 0).sum()),
        often=tuple(tuple(parts) for parts in parts_of(game, often).tolist()),
        highest=float(shares.max()),
        mean=float(shares.mean()),
    )


def _lines(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield the table's rows."""
    legal, shares, counts = analysis.legal, analysis.shares, _counts(find_kind(analysis.game))
    yield "game", analysis.game
    yield "rows", f"{analysis.rows:,} (of {analysis.raw_rows:,}; images: {analysis.expansion})"
    yield "rows with a move", f"{analysis.moved:,}"
    yield "different positions", f"{analysis.distinct_positions:,}"
    yield "different pairs", f"{analysis.distinct_pairs:,}"
    yield "different moves", f"{analysis.distinct_moves:,}"
    for phase, count in analysis.phases.items():
        removals = f", {analysis.removals[phase] / count:.1%} of them removing" if count and analysis.moved else ""
        yield f"phase {phase}", f"{count:,} ({count / analysis.rows:.2%}){removals}"
    yield f"legal moves ({analysis.removal} rules)", f"{legal.least} to {legal.most}, mean {legal.mean:.3f}"
    yield "positions with one move", f"{legal.single:,}"
    if shares is not None:
        yield "moves never legal", f"{shares.never:,} of {shares.moves:,} ({shares.impossible:,} can never be)"
        yield "moves legal in > 10%", f"{len(shares.often)}; at most {shares.highest:.2%}, on average {shares.mean:.3%}"
    for name, part in analysis.parts.items():
        none = f", {part.counts[counts.ABSENT] / analysis.moved:.2%} none" if counts else ""
        yield f"entropy of {name}", f"{part.entropy:.3f} bits, commonest {part.constant:.2%}{none}"
