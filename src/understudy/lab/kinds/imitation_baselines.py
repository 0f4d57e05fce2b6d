"""Who has not learned, beside students that imitate: players by name, and what is commonest, in each table of accuracy.

What they score is what a student must beat before it has learned anything of its teacher.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame
from understudy.games.batches import unstacked
from understudy.games.parts import parts_of
from understudy.judges.measures import share, write_verdict
from understudy.judges.students import grade, judge_player
from understudy.lab.kinds.imitation_beside import ALL_ROWS, BASELINE, SEED, Judge, Judgement, expand, some
from understudy.lab.kinds.imitation_folds import FOLDS, group_folds, pool_verdicts
from understudy.lab.options.imitation import COMMONEST, Experiment, Lesson, name_part_section
from understudy.lab.run import Run
from understudy.players import close, make_player
from understudy.protocols import Choice
from understudy.records.examples import FRESH, Examples
from understudy.records.store import Records

BASELINE_ROWS = 5000
"""The most rows that who has not learned is asked: players who search take long, and it is sure to 1.4 points."""
TRAINING_ROWS, FRESH_ROWS = "training rows", "test rows, positions that no training game has"
"""Sections of verdicts."""
CODES = 1 << 16
"""Codes of moves of any game are below this."""


class Commonest:
    """A player that takes the legal move that was played most often, wherever that was; the first of equals."""

    name = COMMONEST

    def __init__(self, game: CompiledGame, moves: NDArray[np.int32]) -> None:
        self.game, self.counts = game, np.bincount(moves, minlength=CODES)

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose in each position."""
        return [Choice(max(self.game.moves(position), key=self._count)) for position in positions]

    def _count(self, move: int) -> int:
        return int(self.counts[move])


def ask(game: CompiledGame, name: str, examples: Examples, judges: tuple[str, ...]) -> Judge:
    """Return who judges a player by name."""

    def judge() -> Any:
        player = make_player(name, game, seed=SEED)
        try:
            return _judge_player(player, examples, judges)
        finally:
            close(player)

    return judge


def _judge_player(player: Any, examples: Examples, judges: tuple[str, ...]) -> Any:
    return write_verdict(judge_player(player, examples.game, examples.positions, examples.moves, judges=judges))


def judge_baselines(run: Run[Experiment], records: Records) -> Iterator[Judgement]:
    """Yield what those are asked who have not learned: some rows of each table of accuracy."""
    known: set[str] = set()
    for lesson in _one_of_each(run.experiment.lessons):
        sides = lesson.split(records)
        if lesson.student.only:
            yield from _judge_part_baselines(run, lesson, sides)
            continue
        for section, rows in _list_tables(run, lesson, sides, records).items():
            if section not in known:
                known.add(section)
                for name, judge in _baselines(run, sides["train"], rows):
                    yield section, name, judge
    yield from _judge_fold_baselines(run, records)


def _list_tables(
    run: Run[Experiment], lesson: Lesson, sides: dict[str, Examples], records: Records
) -> dict[str, Examples]:
    """Return the tables of accuracy in which a student stands, by section, with their rows."""
    asked = {f"test rows, split {lesson.examples.split}": sides["test"], TRAINING_ROWS: sides["train"]}
    if FRESH in sides:
        asked[FRESH_ROWS] = sides[FRESH]
    if run.experiment.judging.all_rows:
        asked[ALL_ROWS] = expand(records)
    return asked


def _one_of_each(lessons: Iterable[Lesson]) -> Iterable[Lesson]:
    """Return the first student of each split, and of each part that is learned alone."""
    kinds: dict[tuple[str, str], Lesson] = {}
    for lesson in lessons:
        kinds.setdefault((lesson.examples.split, lesson.student.only), lesson)
    return kinds.values()


def _baselines(
    run: Run[Experiment], learned: Examples, rows: Examples, most: int = BASELINE_ROWS
) -> Iterator[tuple[str, Judge]]:
    game, asked = run.experiment.game, some(rows, most)
    for name in run.experiment.judging.baselines:
        usual = partial(_judge_player, Commonest(game, learned.moves), asked, ("accuracy",))
        yield f"{BASELINE}{name}", usual if name == COMMONEST else ask(game, name, asked, ("accuracy",))


def _judge_fold_baselines(run: Run[Experiment], records: Records) -> Iterator[Judgement]:
    """Yield the same for students that differ by their fold alone: some test rows of each fold, put together."""
    for lessons in [group for group in group_folds(run.experiment.lessons) if not group[0].student.only][:1]:
        judges: dict[str, list[Judge]] = {}
        for lesson in lessons:
            sides = lesson.split(records)
            for name, judge in _baselines(run, sides["train"], sides["test"], max(BASELINE_ROWS // len(lessons), 1)):
                judges.setdefault(name, []).append(judge)
        for name, several in judges.items():
            yield FOLDS, name, partial(_pool, several)


def _pool(judges: Sequence[Judge]) -> dict[str, Any]:
    return pool_verdicts([judge() for judge in judges])


def _judge_part_baselines(run: Run[Experiment], lesson: Lesson, sides: dict[str, Examples]) -> Iterator[Judgement]:
    """Yield the same where one part is learned alone.

    Who chooses whole moves can be asked the first part. Of a later one, which follows the teacher's earlier parts, the
    commonest class stands alone.
    """
    part, judging = lesson.student.only, run.experiment.judging
    first = lesson.game.part_names[lesson.order[0]] == part
    for side in ("validation", "test"):
        section, rows = name_part_section(part, side), some(sides[side], BASELINE_ROWS)
        if first:
            for name, judge in _baselines(run, sides["train"], rows):
                yield section, name, partial(_keep_part, judge, f"accuracy.{part}")
        elif COMMONEST in judging.baselines:
            yield section, f"{BASELINE}{COMMONEST}", partial(_judge_commonest_class, lesson, sides["train"], rows)


def _judge_commonest_class(lesson: Lesson, learned: Examples, rows: Examples) -> dict[str, Any]:
    """Return how often the class of a part that was chosen most often is right, of those that are legal by then."""
    game, part = lesson.game, lesson.game.part_names.index(lesson.student.only)
    earlier = list(lesson.order[: lesson.order.index(part)])
    counts = np.bincount(parts_of(game, learned.moves)[:, part], minlength=game.part_sizes[part])
    chosen, hits = parts_of(game, rows.moves), 0
    for position, own in zip(unstacked(rows.positions), chosen, strict=True):
        legal = parts_of(game, np.array(game.moves(position), np.int32))
        classes = np.unique(legal[(legal[:, earlier] == own[earlier]).all(axis=1), part])
        hits += int(len(classes) and classes[counts[classes].argmax()] == own[part])
    return write_verdict({"accuracy.part": share(hits, len(chosen))})


def judge_part(student: Any, part: str, rows: Examples) -> Judge:
    """Return who judges one part alone, given the teacher's earlier parts."""

    def judge() -> Any:
        return write_verdict(grade(student, rows.game, rows, judges=("accuracy",)))

    return partial(_keep_part, judge, f"accuracy.given.{part}")


def _keep_part(judge: Judge, measure: str) -> dict[str, Any]:
    return {"accuracy.part": judge()[measure]}
