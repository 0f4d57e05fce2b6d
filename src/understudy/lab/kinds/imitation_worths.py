"""How much students throw away on test rows, where a teacher has weighed every move.

Those who value boards are asked a second time, one ply ahead; who did not learn stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE
from understudy.judges.measures import write_verdict
from understudy.judges.worth_lost import choose_weighed, judge_worths
from understudy.lab.kinds.imitation_beside import BASELINE, SEED, Judgement
from understudy.lab.options.imitation import COMMONEST, Experiment, Lesson
from understudy.lab.run import Run
from understudy.players import close, make_player
from understudy.records.store import Records

WORTHS = "test rows, weighed"
"""The section of verdicts on what choices are worth."""
ROWS, SEARCHED = 20_000, 2_000
"""Positions that students are asked about, and players that search, who take longer."""


def worth_judgements(run: Run[Experiment], records: Records, paths: dict[str, str]) -> Iterator[Judgement]:
    """Yield what choices are worth to the teacher, where it has weighed all moves; *paths* are the students' files."""
    if records.weighed is None or not (records.weighed.moves != NO_MOVE).any():
        return
    game, lessons = run.experiment.game, [one for one in run.experiment.lessons if not one.student.only]
    for lesson in lessons:
        student, rows = f"student:{paths[lesson.name]}", partial(_choose, lesson, records, ROWS)
        yield WORTHS, lesson.name, partial(_judge, game, student, rows)
        if lesson.student.value:
            yield WORTHS, f"{lesson.name}, one ply", partial(_judge, game, f"{student},depth=1", rows)
    for name in run.experiment.judging.baselines:
        if lessons and name != COMMONEST:
            yield (
                WORTHS,
                f"{BASELINE}{name}",
                partial(_judge, game, name, partial(_choose, lessons[0], records, SEARCHED)),
            )


def _choose(lesson: Lesson, records: Records, limit: int) -> Records:
    return choose_weighed(records, split=lesson.examples.split, seed=lesson.examples.seed, limit=limit)


def _judge(game: CompiledGame, name: str, rows: Any) -> dict[str, Any]:
    player = make_player(name, game, seed=SEED)
    try:
        return write_verdict(judge_worths(player, rows()))
    finally:
        close(player)
