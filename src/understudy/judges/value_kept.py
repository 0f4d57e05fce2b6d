"""The judge `value_kept`: how often a player's choice keeps what the position is worth.

Only somebody who knows the truth can say: a solver of a small board, or tables of endgames. Most choices cannot go
wrong: a lost position stays lost, and in many others every move is worth as much. What tells players apart is
`value_kept.critical`, where moves differ; `value_lost` says how much was thrown away, and `plies_lost` how much longer
a win, or shorter a loss, became though the value was kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import joined, size, stacked, taken, unknown, unstacked
from understudy.judges.measures import Measure, Verdict, counted, measured, spread
from understudy.protocols import Choice, Player
from understudy.solve import FEW_CELLS, Truths, check_decidable, draw_known, is_decidable, name_spaces, weigh
from understudy.solve import knows as knows_truth

SAMPLE = 20_000
"""Positions of an exam unless somebody asks otherwise: the interval of a share is then at most 0.7 % to either side."""
OPENING = 8
"""Plies of which there are so few positions that everybody has seen them."""
ROUNDS = 20
"""After so many times the wanted number of random games a board has no more positions to give."""
ILLEGAL = -2
"""What a choice is worth that is no legal move."""
NOTHING = -1
"""The code of no move."""

Progress = Callable[[int], None]
"""Hears how many more positions are done."""


class Exam(NamedTuple):
    """Positions to choose in, and what all of their moves are worth."""

    positions: Any
    """A batch."""
    truths: Truths
    spaces: NDArray[Any] | None = None
    """Which part of its game each is of, such as 4v3; None where a game has no parts."""


def value_kept(player: Player, exam: Exam, *, chunk: int = 4096, progress: Progress | None = None) -> Verdict:
    """Return how often *player* keeps the value: in all positions, in won ones, where it matters, and by colour."""
    positions, choices = unstacked(exam.positions), list[Choice]()
    for start in range(0, len(positions), chunk):
        some = positions[start : start + chunk]
        choices += player.choose(some)
        if progress is not None:
            progress(len(some))
    return judge_moves(exam, np.array([choice.move if choice.fault is None else NOTHING for choice in choices]))


def judge_moves(exam: Exam, moves: NDArray[Any]) -> Verdict:
    """Return how often moves, one in each position, keep the value; one that is not legal keeps nothing."""
    truths = exam.truths
    chosen, plies = truths.find(moves)
    kept = chosen == truths.best
    flags = {name: kept[rows] for name, rows in _select(exam)}
    if (truths.values == 0).any():
        flags |= dict(_sort_mistakes(truths, chosen))
    verdict = measured({name: counted(some) for name, some in flags.items()})
    return verdict | dict(_measure_plies(truths, kept, plies))


def _select(exam: Exam) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the positions that each measure is about."""
    matters, best = exam.truths.matters, exam.truths.best
    yield "value_kept", np.ones(len(best), np.bool_)
    yield "value_kept.won", best == 1
    yield "value_kept.critical", matters
    first = np.asarray(exam.positions.ply) % 2 == 0
    if first.any() and not first.all():  # endgames are drawn as seen by who moves, whatever the colour
        yield "value_kept.first", first
        yield "value_kept.second", ~first
        yield "value_kept.critical.first", matters & first
        yield "value_kept.critical.second", matters & ~first
    if exam.spaces is not None:
        for space in np.unique(exam.spaces).tolist():
            yield f"value_kept.{space}", matters & (exam.spaces == space)


def _sort_mistakes(truths: Truths, chosen: NDArray[np.int8]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield how much was thrown away, of positions in which that can happen."""
    won, drawn = (truths.matters & (truths.best == value) for value in (1, 0))
    yield "value_lost.win_to_draw", chosen[won] == 0
    yield "value_lost.win_to_loss", chosen[won] == -1
    yield "value_lost.draw_to_loss", chosen[drawn] == -1
    yield "value_lost.illegal", chosen == ILLEGAL


def _measure_plies(truths: Truths, kept: NDArray[np.bool_], plies: NDArray[np.int32]) -> Iterator[tuple[str, Measure]]:
    """Yield how many plies longer wins and shorter losses are than they could be, on average."""
    least, most = truths.find_plies()
    known = kept & (plies >= 0)
    for name, value, lost in (("win", 1, plies - least), ("loss", -1, most - plies)):
        rows = known & (truths.best == value)
        if rows.any():
            yield f"plies_lost.{name}", spread(lost[rows])


# Which positions are asked.


def make_exam(
    game: CompiledGame,
    *,
    limit: int | None = None,
    seed: int = 0,
    stones: str = "",
    tables: str = "",
    progress: Progress | None = None,
) -> Exam:
    """Return an exam of a game: random games on a board that can be solved, else positions drawn of those known."""
    if is_decidable(game):
        return grade_positions(game, exam_positions(game, limit=limit, seed=seed), progress=progress)
    drawn = draw_known(game, limit or SAMPLE, seed, stones=stones, tables=tables)
    return grade_positions(game, stacked(drawn), progress=progress, tables=tables)


def grade_positions(
    game: CompiledGame, positions: Any, *, chunk: int = 256, progress: Progress | None = None, tables: str = ""
) -> Exam:
    """Return an exam of *positions*, a batch, with the value of every move."""
    parts = []
    for start in range(0, size(positions), chunk):
        some = taken(positions, slice(start, start + chunk))
        parts.append(weigh(game, some, tables=tables))
        if progress is not None:
            progress(size(some))
    return Exam(positions, Truths.join(parts), name_spaces(game, positions))


def select_known(game: CompiledGame, positions: Any, *, tables: str = "") -> NDArray[np.int64]:
    """Return which positions of a batch have a move, and a truth that is known."""
    return np.flatnonzero(knows_truth(game, positions, tables=tables))


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
