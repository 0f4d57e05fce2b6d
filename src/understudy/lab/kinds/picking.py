"""Which of all sets of weights of an online experiment is named as its best: picked by games that grade nobody.

A table has a cell for each student and each of its sets of weights. Whoever points at the best of them points at luck,
too, if the same games say how good it is. So all sets play some games for this alone, kept in `picked.json`: `student`
and `set` are the pick, `among` how many there were, `won` the shares that decided it, `kept` the student of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.judges.duels import Score, play_duel
from understudy.lab.judging import opening_plies
from understudy.lab.options.online import Experiment, Lesson
from understudy.lab.run import PICKED, Run
from understudy.lab.settings import fingerprint_of
from understudy.players.choosers import make_chooser
from understudy.players.names import former_name
from understudy.trainers.online.pupils import COLOURS, make_chooser_of

PICKING = 35_000
"""The seed of these games: apart from those that choose between the snapshots of one student, too, because who was the
best of forty there was lucky there."""

Sets: TypeAlias = Sequence[NDArray[np.float32]]
"""Weights of one name, one for each training."""


def pick_weights(
    run: Run[Experiment], kept: str, weights_of: Callable[[Lesson], Mapping[str, Sets]], stamps: Mapping[str, str]
) -> str:
    """Let all sets of weights play whom the experiment chooses by, write down which wins most, and return a student.

    It is the one that wins most of all with the set that is *kept* of each. What was played before stays where the
    *stamps* of its student and the terms of the games are the same.
    """
    experiment, before = run.experiment, run.load(PICKED).get("students", {})
    judging, students = experiment.judging, dict[str, Any]()
    for place, lesson in enumerate(experiment.lessons):
        run.tell("picking", place / len(experiment.lessons), lesson.name)
        terms = judging.choose_by, judging.snapshot_games, opening_plies(run)
        stamp = fingerprint_of(stamps[lesson.name], *terms)
        students[lesson.name] = before.get(lesson.name, {})
        if students[lesson.name].get("stamp") != stamp:
            won = {name: _shares_won(run, lesson, name, sets) for name, sets in weights_of(lesson).items()}
            students[lesson.name] = {"stamp": stamp, "won": won}
    run.save(PICKED, {**_best_of(students), "games": judging.snapshot_games, "students": students})
    run.tell("picking", 1.0)
    return max(students, key=lambda name: sum(students[name]["won"][kept].values()))


def _shares_won(run: Run[Experiment], lesson: Lesson, name: str, sets: Sets) -> dict[str, float]:
    """Return what the sets of several trainings win in the mean against each opponent that is chosen by."""
    game, judging = run.experiment.game, run.experiment.judging
    won: dict[str, list[float]] = {opponent: [] for opponent in judging.choose_by}
    for place, weights in enumerate(sets):
        chooser = make_chooser_of(game, lesson.student, weights)
        for opponent, shares in won.items():
            score = play_duel(game, chooser, make_chooser(opponent, game), games=judging.snapshot_games, seed=PICKING,
                              name=f"{lesson.name} {name} {place} {former_name(opponent)}",
                              opening_plies=opening_plies(run), choosing=True)  # fmt: skip
            shares.append(share_won(lesson, score))
    return {opponent: round(fmean(shares), 4) for opponent, shares in won.items()}


def share_won(lesson: Lesson, score: Score) -> float:
    """Return the share of games won; a pupil of one colour is asked for that colour alone."""
    colour = lesson.student.colour
    measure = score.won() if colour == "either" else score.won_as(COLOURS.index(colour))
    return measure.value or 0.0


def _best_of(students: Mapping[str, Any]) -> dict[str, Any]:
    """Return the set that wins most against all of those opponents together, and among how many it was picked."""
    sums = {
        (student, name): sum(shares.values())
        for student, entry in students.items()
        for name, shares in entry["won"].items()
    }
    student, name = max(sums, key=lambda cell: sums[cell])
    return {"student": student, "set": name, "among": len(sums)}
