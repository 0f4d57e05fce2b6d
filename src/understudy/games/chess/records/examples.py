"""Labelled chess positions as examples: several tables made one, and cut into what is learned from and what grades.

Positions of one game never stand on both sides of a split. Files overlap in games without saying so; so games that
share a placement after the opening count as one game, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.batches import joined, taken
from understudy.games.chess.batches import answered, placement_keys, quiet
from understudy.games.chess.datasets import CLIP
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.position import Chess
from understudy.games.chess.records.positions import PositionTable, load_positions

LEARNED, LOOKED_AT, GRADED = range(3)
"""The sides of a split: learned from, looked at to tell when to stop, and looked at once, to grade."""
NOBODYS = -1
"""The side of a position that must not be learned from, because its game grades in another source."""
SIDES = ("learned from", "validation", "test")
TENTHS = 10
"""One of ten games is looked at, one grades: the usual shares, chosen by hand."""
THEORY = 30
"""Games that share a placement after so many plies are taken for the same game: openings that many play end before."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Examples:
    """Positions with what an engine says of them, row by row."""

    positions: Chess
    worth: NDArray[np.float64]
    """For the mover, in pawns; mates are worth more than any advantage, near ones most."""
    results: NDArray[np.float64]
    """How the game ended for the mover, 0 to 1; a half where nobody knows."""
    groups: NDArray[np.int64]
    """Positions of one game have one number."""
    sources: NDArray[np.str_]
    quiet: NDArray[np.bool_]
    best: NDArray[np.str_]
    """The engine's move, in UCI; empty where nobody knows."""
    engines: tuple[str, ...] = ()
    """Who labelled them and how, by file."""
    limits: tuple[str, ...] = ()
    """What engines were allowed; labels of more than one limit do not mean the same."""

    def __len__(self) -> int:
        return len(self.worth)

    @property
    def pawns(self) -> NDArray[np.float64]:
        """The labels for the mover as the source has them: nothing is worth more than 20 pawns, mates as much."""
        return np.clip(self.worth, -CLIP, CLIP)

    def some(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Examples:
        """Return some of the rows."""
        return Examples(
            positions=taken(self.positions, rows), worth=self.worth[rows], results=self.results[rows],
            groups=self.groups[rows], sources=self.sources[rows], quiet=self.quiet[rows], best=self.best[rows],
            engines=self.engines, limits=self.limits,
        )  # fmt: skip

    def and_answers(self) -> Examples:
        """Return all rows, and once more those after the engine's move: worth as much, but to the other side."""
        after, goes_on = answered(self.positions, self.best)
        rows, positions = np.flatnonzero(goes_on), typed(taken(after, goes_on))
        both = np.concatenate([np.arange(len(self)), rows])
        return Examples(
            positions=joined([self.positions, positions]), worth=np.concatenate([self.worth, -self.worth[rows]]),
            results=np.concatenate([self.results, 1.0 - self.results[rows]]), groups=self.groups[both],
            sources=self.sources[both], quiet=np.concatenate([self.quiet, quiet(positions)]),
            best=np.concatenate([self.best, np.full(len(rows), "")]), engines=self.engines,
            limits=self.limits,
        )  # fmt: skip


def load_examples(files: Sequence[Path], *, most: int | None = None, seed: int = 0) -> Examples:
    """Return the labelled positions of all files, at most so many, whole games being left out by chance."""
    tables = [load_positions(path) for path in files]
    for path, table in zip(files, tables, strict=True):
        if table.kind is None:
            raise BadOption(f"{str(path)!r} holds positions without labels; `understudy label` gives them some")
    positions = typed(joined([table.positions for table in tables]))
    examples = Examples(
        positions=positions,
        worth=np.concatenate([table.worth() for table in tables]),
        results=np.concatenate([_results(table) for table in tables]),
        groups=_groups(tables, placement_keys(positions)),
        sources=np.concatenate([table.source for table in tables]),
        quiet=quiet(positions),
        best=np.concatenate([_best(table) for table in tables]),
        engines=tuple(_engine(path, table) for path, table in zip(files, tables, strict=True)),
        limits=tuple(sorted({limit for table in tables for limit in table.limits()})),
    )
    return examples if most is None or len(examples) <= most else _fewer(examples, most, seed)


def _engine(path: Path, table: PositionTable) -> str:
    label_maker = " at ".join(dict.fromkeys(table.facts[key] for key in ("engine", "limit") if key in table.facts))
    return f"{path.name}: {label_maker or 'unknown'}"


def _best(table: PositionTable) -> NDArray[np.str_]:
    return np.full(len(table), "") if table.best is None else table.best


def _results(table: PositionTable) -> NDArray[np.float64]:
    white = np.select([table.result == "1-0", table.result == "0-1"], [1.0, 0.0], 0.5)
    black_moves: NDArray[np.bool_] = np.asarray(table.positions.ply) % 2 == 1
    return np.where(black_moves, 1.0 - white, white)


def _groups(tables: Sequence[PositionTable], keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return a number for each game; games that share a placement after the opening have the same."""
    numbered, first = [], 0
    for table in tables:
        games = np.unique(table.game, return_inverse=True)[1]
        numbered.append(games + first)
        first += int(games.max(initial=-1)) + 1
    groups = np.concatenate(numbered).astype(np.int64)
    late = np.flatnonzero(np.concatenate([np.asarray(table.ply) for table in tables]) >= THEORY)
    order = late[np.argsort(keys[late], kind="stable")]
    twins = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    return _united(groups, groups[order[twins]], groups[order[twins + 1]], first)


def _united(
    groups: NDArray[np.int64], one: NDArray[np.int64], other: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Return the groups after each pair of *one* and *other* has become a single group."""
    leader = list(range(count))

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for left, right in zip(one.tolist(), other.tolist(), strict=True):
        leader[find(left)] = find(right)
    return np.array([find(number) for number in range(count)], np.int64)[groups]


def _fewer(examples: Examples, most: int, seed: int) -> Examples:
    games, sizes = np.unique(examples.groups, return_counts=True)
    order = np.random.default_rng([seed, 0x5E]).permutation(len(games))
    order = order[sizes[order] <= most]
    kept = games[order[np.cumsum(sizes[order]) <= most]]
    return examples.some(np.isin(examples.groups, kept))


def sides_of(examples: Examples, *, split: str, seed: int, graded: Sequence[str] = ()) -> NDArray[np.int8]:
    """Return the side of each row; sources that are not *graded*, if any are named, are only learned from."""
    units = np.unique(examples.groups, return_inverse=True)[1] if split == "game" else np.arange(len(examples))
    tenths = np.random.default_rng([seed, 0x51]).permutation(int(units.max(initial=0)) + 1)[units] % TENTHS
    sides = np.select([tenths == 0, tenths == 1], [GRADED, LOOKED_AT], LEARNED).astype(np.int8)
    if graded:
        sources = set(np.unique(examples.sources).tolist())
        if missing := [name for name in graded if name not in sources]:
            raise BadOption(f"examples.graded: no position comes from {missing[0]!r}, only from {sorted(sources)}")
        sides = _only_learned(examples, sides, ~np.isin(examples.sources, list(graded)), whole=split == "game")
    return sides


def _only_learned(
    examples: Examples, sides: NDArray[np.int8], rows: NDArray[np.bool_], *, whole: bool
) -> NDArray[np.int8]:
    """Return the sides with *rows* learned from; where games stay *whole*, those that grade elsewhere are left out."""
    grading = np.isin(examples.groups, examples.groups[~rows & (sides != LEARNED)])
    left_out = rows & grading if whole else np.zeros_like(rows)
    return np.select([left_out, rows], [NOBODYS, LEARNED], sides).astype(np.int8)
