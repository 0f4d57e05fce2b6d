"""What the lab asks of chess students that have learned labels: test suites, and games on the ladder."""

from __future__ import annotations

from typing import Any

from understudy.errors import EngineError
from understudy.games.chess.judges.epd import load_suite
from understudy.games.chess.judges.ladder import Ladder, climb, ladder_json
from understudy.games.chess.judges.openings import random_book
from understudy.games.chess.judges.suites import run_suite, suite_json
from understudy.games.chess.players.engine import find_engine
from understudy.games.chess.records.opinions import Analysis
from understudy.lab.options.labels import Experiment
from understudy.lab.run import Run
from understudy.papers import TESTS, Answers, find_test

SUITES, LADDER = "suites.json", "ladder.json"
SEED = 60_000
"""Of the games on the ladder: none of them was played to learn from."""


def judge_students(run: Run[Experiment]) -> None:
    """Let every student answer the suites and the run's student climb; what was done before stays."""
    judging = run.experiment.judging
    if not judging.suites and not judging.ladder:
        return
    try:
        find_engine(judging.engine)
    except EngineError as error:
        run.tell("judging", 1.0, f"left out: {error}")
        return
    _answer_suites(run)
    if judging.ladder and not (run.folder / LADDER).exists():
        run.save(LADDER, _climb(run))
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
