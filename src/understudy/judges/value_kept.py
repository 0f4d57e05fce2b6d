"""The judge `value_kept`: how often a player's choice keeps what the position is worth.

Only a solver can say, so the game must have one, and the board must be small. Most choices cannot go wrong: a lost
position stays lost, and in many won ones every move wins. What tells players apart is `value_kept.critical`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import joined, size, stacked, taken, unknown, unstacked
from understudy.judges.measures import Verdict, counted, measured
from understudy.protocols import Choice, Move, Player
from understudy.solve import FEW_CELLS, MoveValues, check_decidable, shared_decider

SAMPLE = 20_000
"""Positions of an exam unless somebody asks otherwise: the interval of a share is then at most 0.7 % to either side."""
OPENING = 8
"""Plies of which there are so few positions that everybody has seen them."""
ROUNDS = 20
"""After so many times the wanted number of random games a board has no more positions to give."""

Progress = Callable[[int], None]
"""Hears how many more positions are done."""


class Exam(NamedTuple):
    """Positions to choose in, and which of their moves win."""

    positions: Any
    """A batch."""
    values: MoveValues


def value_kept(player: Player, exam: Exam, *, chunk: int = 4096, progress: Progress | None = None) -> Verdict:
    """Return how often *player* keeps the value: in all positions, in won ones, where it matters, and by colour."""
    positions, choices = unstacked(exam.positions), []
    for start in range(0, len(positions), chunk):
        some = positions[start : start + chunk]
        choices += player.choose(some)
        if progress is not None:
            progress(len(some))
    kept = _kept(exam.values, choices)
    winning, first = exam.values.winning, np.asarray(exam.positions.ply) % 2 == 0
    critical = (winning > 0) & (winning < exam.values.counts)
    rows = {
        "value_kept": np.ones(len(kept), np.bool_),
        "value_kept.won": winning > 0,
        "value_kept.critical": critical,
        "value_kept.first": first,
        "value_kept.second": ~first,
        "value_kept.critical.first": critical & first,
        "value_kept.critical.second": critical & ~first,
    }
    return measured({name: counted(kept[chosen]) for name, chosen in rows.items()})


def truth_kept(player: Player, positions: Sequence[Any], values: Sequence[Mapping[Move, float]]) -> Verdict:
    """Return how often *player* keeps the value where every move's is known: won, drawn or lost; and where it matters.

    A choice that is not legal keeps nothing.
    """
    choices = player.choose(positions) if positions else []
    kept = np.array([choice.fault is None and worth.get(choice.move) == max(worth.values())
                     for choice, worth in zip(choices, values, strict=True)], np.bool_)  # fmt: skip
    critical = np.array([len(set(worth.values())) > 1 for worth in values], np.bool_)
    return measured({"value_kept": counted(kept), "value_kept.critical": counted(kept[critical])})


def graded(game: CompiledGame, positions: Any, *, chunk: int = 256, progress: Progress | None = None) -> Exam:
    """Return an exam of *positions*, a batch, with the value of every move."""
    solver = shared_decider(game)
    parts = []
    for start in range(0, size(positions), chunk):
        some = taken(positions, slice(start, start + chunk))
        parts.append(solver.solve_moves(some))
        if progress is not None:
            progress(size(some))
    counts = np.concatenate([[0], *(part.counts for part in parts)])
    moves, wins = (np.concatenate([part[field] for part in parts]) for field in (1, 2))
    return Exam(positions, MoveValues(counts.cumsum(), moves, wins))


def exam_positions(game: CompiledGame, *, limit: int | None = None, seed: int = 0) -> Any:
    """Return the batch of positions that players are asked.

    On boards of at most 16 cells all that can be reached and have a move, or *limit* of them; on larger ones *limit*
    positions (20 000 unless told) of random games, no two of them images of each other.
    """
    check_decidable(game)
    rng = np.random.default_rng(seed)
    rows, columns = game.size
    if rows * columns > FEW_CELLS:
        return _sampled(game, SAMPLE if limit is None else limit, rng)
    batch = game.batches.every_position(game)
    if limit is None or limit >= size(batch):
        return batch
    return taken(batch, np.sort(rng.permutation(size(batch))[:limit]))


def held_out(game: CompiledGame) -> NDArray[np.uint64]:
    """Return the names of boards that nobody should learn from: those after the moves of the usual exam's positions.

    Of small boards and of the first plies there are so few that leaving them out would leave holes.
    """
    rows, columns = game.size
    if rows * columns <= FEW_CELLS:
        return np.zeros(0, np.uint64)
    after = game.batches.successors(exam_positions(game)).after
    names: NDArray[np.uint64] = game.batches.class_names(game.start(), taken(after, after.ply > OPENING))
    return names


def _sampled(game: CompiledGame, wanted: int, rng: np.random.Generator) -> Any:
    """Return *wanted* positions of random games, or as many as many games give."""
    batch = taken(stacked([game.start()]), slice(0, 0))
    for _ in range(ROUNDS):
        batch = joined([batch, game.batches.wander(*game.size, wanted, rng=rng)])
        batch = taken(batch, unknown(game.batches.class_names(game.start(), batch), np.zeros(0, np.uint64)))
        if size(batch) >= wanted:
            break
    return taken(batch, slice(0, wanted))


def _kept(values: MoveValues, choices: Sequence[Choice]) -> NDArray[np.bool_]:
    """Tell where a choice keeps the value; no move, or one that is not legal, keeps nothing."""
    kept = np.zeros(len(choices), np.bool_)
    for row, choice in enumerate(choices):
        wins = values.of(row)
        if choice.fault is None and choice.move in wins:
            kept[row] = wins[choice.move] or not any(wins.values())
    return kept
