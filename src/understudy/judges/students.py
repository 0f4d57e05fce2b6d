"""Students that imitate moves before their judges: on stored positions, and in games that an illegal choice loses.

`judge_parts` asks a cascade of networks, whose preferences over all classes can be judged; `judge_player` asks any
player for its move. Both pass over the rows once, whatever they are judged by. `leak_of` tells how many of the rows a
student has learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE, size, taken, unstacked
from understudy.games.kind import kind_of
from understudy.games.parts import parts_of
from understudy.judges.measures import Tally, Verdict, add, measured, share
from understudy.judges.parts import Seen, accuracy, legality, mistakes, reliability, rows_of, see, with_scores
from understudy.judges.tournament import play_match
from understudy.match import ILLEGAL, Terms
from understudy.players.parts import PartScorer, in_part_order
from understudy.protocols import Backend, Choice, Player
from understudy.records.examples import (
    BITS,
    Examples,
    all_examples,
    choose_expansion,
    mark,
    orbit_names,
    read_marks,
    split_examples,
)
from understudy.records.store import Records


class Judge(Protocol):
    """Counts what holds of a student's choices on a chunk of positions; the tallies of all chunks are added up."""

    def __call__(self, seen: Seen, /) -> Tally: ...


JUDGES: Mapping[str, Judge] = {
    "accuracy": accuracy,
    "legality": legality,
    "mistakes": mistakes,
    "reliability": reliability,
}
"""By the name that `[judging]` and the command `judge` use; measures of a verdict begin with it."""

Moves = NDArray[np.int32]
Progress = Callable[[int], None]


def choose_examples(
    records: Records, *, split: str = "all", part: str | None = None, seed: int = 0, limit: int | None = None
) -> Examples:
    """Return the positions to judge on: every record, expanded as authors of a paper did, or one side of a split.

    Of more than *limit* those are taken that lie evenly among all.
    """
    if part is not None and split == "all":
        raise BadOption(f"the part {part!r} needs the split expanded or orbit: 'all' has no sides")
    if split == "all":
        examples = all_examples(records, expansion=choose_expansion(records.game))
    else:
        examples = split_examples(records, split=split, seed=seed)[part or "test"]
    rows = len(examples.moves)
    if limit is None or limit >= rows:
        return examples
    return examples.taken(np.linspace(0, rows - 1, limit).astype(np.int64))


def grade(
    player: Player,
    game: CompiledGame,
    examples: Examples,
    *,
    judges: Sequence[str] = tuple(JUDGES),
    progress: Progress | None = None,
) -> Verdict:
    """Return what *judges* say of any player, one that chooses part by part by its preferences over all classes."""
    if hasattr(player, "score_parts"):
        scorer = cast(PartScorer, player)
        return judge_parts(scorer, examples.positions, examples.moves, judges=judges, progress=progress)
    return judge_player(player, game, examples.positions, examples.moves, judges=judges, progress=progress)


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
    _check(judges, scorer.game, batch)
    tally: Tally = {}
    for some, played in _chunks(batch, moves, chunk):
        scores, parts = scorer.score_parts(some)
        seen = see(scorer.game, some, played, parts, scorer.order)
        if "accuracy" in judges:
            seen = seen._replace(given=_given(scorer, seen))
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
    _check(judges, game, batch)
    tally: Tally = {}
    for some, played in _chunks(batch, moves, chunk):
        positions = unstacked(some)
        alive = np.array([bool(game.moves(position)) for position in positions], np.bool_)
        asked = [position for position, goes_on in zip(positions, alive, strict=True) if goes_on]
        choices = player.choose(asked) if asked else []
        order = tuple(range(len(game.part_names)))
        seen = see(game, taken(some, alive), played[alive], _parts(game, choices), order)
        for judge in judges:
            add(tally, JUDGES[judge](_scored(game, seen, choices) if judge == "reliability" else seen))
        if progress is not None:
            progress(len(positions))
    return measured(tally)


def _check(judges: Sequence[str], game: CompiledGame, batch: Any) -> None:
    for judge in judges:
        if judge not in JUDGES:
            raise UnknownName("judge", judge, JUDGES)
    if type(batch) is not type(game.start()):
        raise BadOption(f"positions of {kind_of(type(batch)).name} cannot be judged by the rules of {game.name}")


def _chunks(batch: Any, moves: Moves | None, chunk: int) -> Iterator[tuple[Any, Moves]]:
    """Yield rows by chunks; an empty batch is one empty chunk, so that every measure is named."""
    played = np.full(size(batch), NO_MOVE, np.int32) if moves is None else moves
    if len(played) != size(batch):
        raise BadOption(f"a batch of {size(batch)} positions cannot be judged by {len(played)} moves")
    for first in range(0, max(size(batch), 1), chunk):
        yield taken(batch, slice(first, first + chunk)), played[first : first + chunk]


def _given(scorer: PartScorer, seen: Seen) -> NDArray[np.int64]:
    """Return what each network chooses after the teacher's earlier parts; asks only where the student's own differ."""
    earlier = list(scorer.order[:-1])
    played = seen.truth[:, earlier]
    rows = seen.answered & (played != seen.parts[:, earlier]).any(axis=1)
    chosen = seen.parts.copy()
    if rows.any():
        scores, _ = scorer.score_parts(taken(seen.batch, rows), played[rows])
        chosen[rows] = in_part_order(scores.argmax(axis=2), scorer.order)
    return chosen


def _parts(game: CompiledGame, choices: Sequence[Choice]) -> NDArray[np.int64]:
    """Return the parts of each choice; a player that failed chose nothing."""
    moves = np.array([NO_MOVE if choice.fault else choice.move for choice in choices], np.int32)
    return parts_of(game, moves)


def _scored(game: CompiledGame, seen: Seen, choices: Sequence[Choice]) -> Seen:
    """Return the rows whose choice has scores, with them."""
    rows = np.array([bool(choice.scores) for choice in choices], np.bool_)
    if not rows.any():
        return rows_of(seen, rows)
    worths = [choice.scores for choice in choices if choice.scores]
    some = rows_of(seen, rows)
    scores = np.stack([_class_scores(game, *pair) for pair in zip(worths, some.parts, strict=True)])
    return with_scores(some, scores, probable=False)


def _class_scores(game: CompiledGame, scores: Mapping[int, float], chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what each class of each part is worth after the chosen earlier parts: its best move."""
    best = np.full((len(chosen), max(game.part_sizes)), -np.inf, np.float32)
    worth = np.array(list(scores.values()), np.float32)
    parts = parts_of(game, np.array(list(scores), np.int32))
    for place in range(len(chosen)):
        rows = (parts[:, :place] == chosen[:place]).all(axis=1)
        np.maximum.at(best[place], parts[rows, place], worth[rows])
    return best


def strict(
    game: CompiledGame,
    player: str,
    opponent: str,
    *,
    games: int,
    seed: int,
    backend: Backend,
    opening_plies: int | None = None,
    terms: Terms = Terms(),
    progress: Callable[[int], None] = lambda games: None,
) -> Verdict:
    """Return the shares of games that *player* finished without an illegal choice and won, and of points scored.

    A game that repeats an earlier one move by move counts once, and the samples say how many differ.
    It tells whether a student knows the rules well enough to finish its games. Judge a player without a check of its
    own, or there is nothing to see.
    """
    meeting = play_match(
        game,
        (player, opponent),
        games=games,
        seed=seed,
        backend=backend,
        opening_plies=game.conventions.opening_plies if opening_plies is None else opening_plies,
        terms=terms,
        progress=progress,
    )
    results = [result for _, result in meeting.different()]
    wins, draws, sample = results.count(1), results.count(0), len(results)
    broken = sum(result < 0 and played.reason == ILLEGAL for played, result in meeting.different())
    return {
        "strict.finished_legally": share(sample - broken, sample),
        "strict.won": share(wins, sample),
        "strict.points": share(wins + draws / 2, sample),
    }


WORTH_SAYING = 0.01
"""Rows counted by mistake from which on they are told: below, no whole row is to be expected in a hundred exams."""


class Leak(NamedTuple):
    """What a student knows of the rows that it is judged on."""

    rows: int
    seen: int | None
    """Rows that it learned from, or from images of them; None where that cannot be told."""
    mistaken: float = 0.0
    """How many of them are to be expected by mistake."""
    whole: bool = True
    """Whether all that it learned from is known; else there may be more."""
    learned: int | None = None
    """How many rows it learned from, where its file says no more than that: they were too many to keep."""


def recognise(facts: Mapping[str, Any], game: CompiledGame, positions: Any) -> NDArray[np.bool_]:
    """Tell which *positions* a student learned from, or from images of them, as far as its file says."""
    names, marks = orbit_names(game, positions), read_marks(facts.get("learned_from"))
    return np.zeros(len(names), np.bool_) if marks is None else np.isin(mark(names), marks)


def leak_of(facts: Mapping[str, Any], game: CompiledGame, positions: Any) -> Leak:
    """Return what a student knows of *positions*, by what its file says that it learned from."""
    sketch = facts.get("learned_from")
    marks = read_marks(sketch)
    if marks is None or not isinstance(sketch, Mapping):
        learned = sketch.get("rows") if isinstance(sketch, Mapping) else None
        return Leak(size(positions), None, learned=learned if isinstance(learned, int) else None)
    names = orbit_names(game, positions)
    seen, whole = int(np.isin(mark(names), marks).sum()), bool(sketch.get("whole"))
    if not seen and not whole:
        return Leak(len(names), None, whole=False)
    return Leak(len(names), seen, (len(names) - seen) * len(marks) / 2**BITS, whole)


def leak_text(player: str, leak: Leak) -> str:
    """Return a leak as one line."""
    rows = f"these {_counted(leak.rows)} rows"
    if leak.learned is not None:
        many = f"{_counted(leak.learned)} rows, too many to keep in its file"
        return f"note: {player} has learned from {many}; whether it knows some of {rows} cannot be told"
    if leak.seen is None:
        whose = "what it learned from" if leak.whole else "all that it learned from"
        return f"note: {player} does not say {whose}; whether it knows some of {rows} cannot be told"
    if leak.seen == 0:
        return f"note: {player} has learned from none of {rows}"
    least = "" if leak.whole else "at least "
    doubt = f" (about {leak.mistaken:.2g} of them by mistake)" if leak.mistaken >= WORTH_SAYING else ""
    note = f"note: {player} has learned from {least}{_counted(leak.seen)} of {rows}{doubt}, or from images of them"
    return f"{note}: what it scores there is partly memory"


def _counted(number: int) -> str:
    return f"{number:,}".replace(",", " ") if number >= 10_000 else str(number)
