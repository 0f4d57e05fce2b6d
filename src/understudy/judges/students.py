"""Judges of Nine Men's Morris students on stored positions: any of them in one pass over the rows.

`judge_parts` asks a cascade of networks, whose preferences over all classes can be judged; `judge_player` asks any
player for its move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import size, taken, unstacked
from understudy.games.morris.batches import NO_MOVE, parts_of
from understudy.games.morris.legality import CLASSES
from understudy.judges.accuracy import accuracy
from understudy.judges.legality import legality
from understudy.judges.measures import Tally, Verdict, add, measured
from understudy.judges.parts import Seen, rows_of, see, with_scores
from understudy.judges.reliability import reliability
from understudy.players.parts import PartScorer, in_part_order
from understudy.protocols import Choice, Player

JUDGES: dict[str, Callable[[Seen], Tally]] = {
    "accuracy": accuracy,
    "legality": legality,
    "reliability": reliability,
}

Moves = NDArray[np.int32]
Progress = Callable[[int], None]


def judge_parts(
    scorer: PartScorer,
    batch: Any,
    moves: Moves | None = None,
    *,
    judges: Sequence[str] = tuple(JUDGES),
    chunk: int = 65_536,
    progress: Progress | None = None,
) -> Verdict:
    """Return what *judges* say of a cascade on a batch; *moves* are the teacher's, NO_MOVE or None where it has none.

    Each chunk is scored once, and once more where the teacher's earlier parts differ from the student's own.
    *progress* hears of the rows done.
    """
    _check(judges)
    tally: Tally = {}
    for some, played in _chunks(batch, moves, chunk):
        scores, parts = scorer.score_parts(some)
        seen = see(some, played, parts, scorer.order)
        if "accuracy" in judges:
            seen = seen._replace(told=_told(scorer, seen))
        if set(judges) - {"accuracy"}:
            seen = with_scores(seen, scores, probable=True)
        for judge in judges:
            add(tally, JUDGES[judge](seen))
        if progress is not None:
            progress(size(some))
    return measured(tally)


def judge_player(
    player: Player,
    game: CompiledGame,
    batch: Any,
    moves: Moves | None = None,
    *,
    judges: Sequence[str] = tuple(JUDGES),
    chunk: int = 4096,
    progress: Progress | None = None,
) -> Verdict:
    """Return what *judges* say of any player on a batch; finished games, in which nobody can choose, are left out.

    Reliability needs a player that tells its scores; a class is worth its best move.
    """
    _check(judges)
    if game.name != "morris":
        raise BadOption(f"judges of parts know morris alone, not {game.name}")
    tally: Tally = {}
    for some, played in _chunks(batch, moves, chunk):
        positions = unstacked(some)
        alive = np.array([bool(game.moves(position)) for position in positions], np.bool_)
        asked = [position for position, goes_on in zip(positions, alive, strict=True) if goes_on]
        choices = player.choose(asked) if asked else []
        seen = see(taken(some, alive), played[alive], _parts(choices), (0, 1, 2))
        for judge in judges:
            add(tally, JUDGES[judge](_scored(seen, choices) if judge == "reliability" else seen))
        if progress is not None:
            progress(len(positions))
    return measured(tally)


def _check(judges: Sequence[str]) -> None:
    for judge in judges:
        if judge not in JUDGES:
            raise UnknownName("judge", judge, JUDGES)


def _chunks(batch: Any, moves: Moves | None, chunk: int) -> Iterator[tuple[Any, Moves]]:
    """Yield rows by chunks; an empty batch is one empty chunk, so that every measure is named."""
    played = np.full(size(batch), NO_MOVE, np.int32) if moves is None else moves
    if len(played) != size(batch):
        raise BadOption(f"a batch of {size(batch)} positions cannot be judged by {len(played)} moves")
    for first in range(0, max(size(batch), 1), chunk):
        yield taken(batch, slice(first, first + chunk)), played[first : first + chunk]


def _told(scorer: PartScorer, seen: Seen) -> NDArray[np.int64]:
    """Return what each network chooses after the teacher's earlier parts; asks only where the student's own differ."""
    earlier = list(scorer.order[:2])
    given = seen.truth[:, earlier]
    rows = seen.known & (given != seen.parts[:, earlier]).any(axis=1)
    told = seen.parts.copy()
    if rows.any():
        scores, _ = scorer.score_parts(taken(seen.batch, rows), given[rows])
        told[rows] = in_part_order(scores.argmax(axis=2), scorer.order)
    return told


def _parts(choices: Sequence[Choice]) -> NDArray[np.int64]:
    """Return TO, FROM, REMOVE of each choice; a player that failed chose nothing."""
    return parts_of(np.array([NO_MOVE if choice.fault else choice.move for choice in choices], np.int32))


def _scored(seen: Seen, choices: Sequence[Choice]) -> Seen:
    """Return the rows whose choice has scores, with them."""
    rows = np.array([bool(choice.scores) for choice in choices], np.bool_)
    if not rows.any():
        return rows_of(seen, rows)
    told = [choice.scores for choice in choices if choice.scores]
    some = rows_of(seen, rows)
    scores = np.stack([_class_scores(*pair) for pair in zip(told, some.parts, strict=True)])
    return with_scores(some, scores, probable=False)


def _class_scores(scores: Any, chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what each class of TO, FROM and REMOVE is worth after the chosen earlier parts: its best move."""
    found = np.full((3, CLASSES), -np.inf, np.float32)
    worth = np.array(list(scores.values()), np.float32)
    parts = parts_of(np.array(list(scores), np.int32))
    for place in range(3):
        rows = (parts[:, :place] == chosen[:place]).all(axis=1)
        np.maximum.at(found[place], parts[rows, place], worth[rows])
    return found
