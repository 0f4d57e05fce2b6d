"""What the lab asks of chess students that have learned labels: test suites, games on the ladder, a few opinions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from understudy.errors import EngineError
from understudy.games.batches import unstacked
from understudy.games.chess.datasets import class_names, classes_of, pawns_of
from understudy.games.chess.judges.epd import load_suite
from understudy.games.chess.judges.ladder import Ladder, climb, ladder_json
from understudy.games.chess.judges.openings import random_book
from understudy.games.chess.judges.suites import run_suite, suite_json
from understudy.games.chess.players.engine import find_engine
from understudy.games.chess.records.examples import Examples
from understudy.games.chess.records.opinions import Analysis
from understudy.lab.kinds.label_endings import ask_about_ending
from understudy.lab.kinds.label_matches import play_match
from understudy.lab.opinions import Opinion, draw_opinions
from understudy.lab.options.labels import Experiment, Lesson
from understudy.lab.run import Run
from understudy.lab.samples import Thinker
from understudy.papers import TESTS, Answers, find_test
from understudy.players import make_player

SUITES, LADDER, SAMPLES = "suites.json", "ladder.json", "samples.json"
NEAR = 0.5
"""Pawns within which a student that says a number agrees with the engine: as wide as the source's narrowest classes."""
SEED = 60_000
"""Of the games on the ladder: none of them was played to learn from."""


def judge_students(run: Run[Experiment]) -> None:
    """Let every student answer the suites and the run's student climb; what was done before stays."""
    judging = run.experiment.judging
    if not (judging.suites or judging.ladder or judging.match or judging.ending):
        return
    try:
        find_engine(judging.engine)
    except EngineError as error:
        run.tell("judging", 1.0, f"left out: {error}")
        return
    _answer_suites(run)
    if judging.ladder and not (run.folder / LADDER).exists():
        run.save(LADDER, _climb(run))
    play_match(run)
    ask_about_ending(run)
    run.tell("judging", 1.0)


def _answer_suites(run: Run[Experiment]) -> None:
    """Let every student answer every suite that it has not answered yet."""
    students, answers, lessons = run.load("labels.json")["students"], run.load(SUITES), run.experiment.lessons
    for place, name in enumerate(lesson.name for lesson in lessons):
        run.tell("test suites", place / len(lessons), name)
        player = f"student:{run.folder / f'student_{name}'}.{students[name]['suffix']}"
        for suite in run.experiment.judging.suites:
            if name not in answers.setdefault(suite, {}):
                answers[suite][name] = _answer(run, player, suite)
                run.save(SUITES, answers)


def _answer(run: Run[Experiment], player: str, name: str) -> dict[str, Any]:
    """Return how a student answers a suite, with the answers of a paper beside it where one has some."""
    suite, judging = load_suite(name), run.experiment.judging
    analysis = Analysis(engine=judging.engine, depth=judging.depth)
    paper = find_test(name, Answers) if name in TESTS else None
    also = None if paper is None else paper.moves(suite.items)
    verdict = run_suite(player, suite, backend=run.backend, analysis=analysis, also=also)
    return suite_json(verdict) | ({} if paper is None else {"thesis": paper.compare(verdict)})


def _climb(run: Run[Experiment]) -> dict[str, Any]:
    """Return what the student of the run achieves on the ladder."""
    games, played = run.experiment.judging.ladder, 0

    def note(more: int) -> None:
        nonlocal played
        played += more
        run.tell("the ladder", min(1.0, played / games), f"{played} games")

    game = run.experiment.game
    book = random_book(game, most=games // 2, plies=game.conventions.opening_plies, seed=SEED)
    student, ladder = f"student:{run.folder}", Ladder(engine=run.experiment.judging.engine)
    return ladder_json(climb(student, ladder, book, games=games, backend=run.backend, seed=SEED, progress=note))


def keep_samples(
    run: Run[Experiment], lesson: Lesson, asked: Examples, outputs: NDArray[np.float32], student: Path
) -> None:
    """Keep positions held out with what a student thinks of them and what the engine said, for the report."""
    white = lesson.inputs.perspective == "white"
    pawns = np.where(white & (np.asarray(asked.positions.ply) % 2 == 1), -asked.pawns, asked.pawns)
    whose = " for White" if white else ""
    if lesson.dataset.classes:
        opinions = _compare_classes(lesson, outputs.argmax(axis=1), pawns, whose)
    else:
        opinions = [
            Opinion(abs(ours - theirs) <= NEAR, f"{_write(ours)} pawns", f"{_write(theirs)}{whose}")
            for ours, theirs in zip(pawns_of(lesson.dataset, outputs).tolist(), pawns.tolist(), strict=True)
        ]
    player = cast(Thinker, make_player(f"student:{student}", run.experiment.game))
    samples = run.load(SAMPLES) or {"students": {}}
    samples["students"][lesson.name] = draw_opinions(player, unstacked(asked.positions), opinions, judge="the engine")
    run.save(SAMPLES, samples)


def _compare_classes(
    lesson: Lesson, classes: NDArray[np.int64], pawns: NDArray[np.float64], whose: str
) -> list[Opinion]:
    """Return what a student that chooses a class says, and the class of what the engine says."""
    names, labels = class_names(lesson.dataset), classes_of(lesson.dataset, pawns)
    return [
        Opinion(ours == theirs, names[ours].lower(), f"{names[theirs].lower()} ({_write(worth)} pawns){whose}")
        for ours, theirs, worth in zip(classes.tolist(), labels.tolist(), pawns.tolist(), strict=True)
    ]


def _write(pawns: float) -> str:
    """Return pawns to a tenth; nothing is never less than nothing."""
    return f"{round(pawns, 1) + 0.0:+.1f}"
