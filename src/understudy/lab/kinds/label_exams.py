"""What the lab asks of chess students that have learned labels: test suites, and games on the ladder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from understudy.errors import EngineError
from understudy.files import load_json, save_json
from understudy.games import find_game
from understudy.games.chess.judges.epd import load_suite
from understudy.games.chess.judges.ladder import Ladder, climb, ladder_json
from understudy.games.chess.judges.openings import random_book
from understudy.games.chess.judges.suites import run_suite, suite_json
from understudy.games.chess.players.engine import find_engine
from understudy.games.chess.records.opinions import Analysis
from understudy.lab.options.labels import Experiment
from understudy.lab.run import Progress, Run, Show
from understudy.protocols import Backend
from understudy.studies.sabatelli.table81 import thesis_json, thesis_moves

SUITES, LADDER = "suites.json", "ladder.json"
SEED = 60_000
"""Of the games on the ladder."""


def judge_students(run: Run[Experiment]) -> None:
    """Let every student answer the suites and the run's student climb; what was done before stays."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    judging = experiment.judging
    if not judging.suites and not judging.ladder:
        return
    try:
        find_engine(judging.engine)
    except EngineError as error:
        show(Progress("judging", 1.0, f"left out: {error}"))
        return
    _answer_suites(experiment, folder, show=show, backend=backend)
    if judging.ladder and not (folder / LADDER).exists():
        save_json(folder / LADDER, _climbed(f"student:{folder}", judging.engine, judging.ladder, show, backend))
    show(Progress("judging", 1.0))


def _answer_suites(experiment: Experiment, folder: Path, *, show: Show, backend: Backend) -> None:
    path, students = folder / SUITES, load_json(folder / "labels.json")["students"]
    answered: dict[str, Any] = load_json(path) if path.exists() else {}
    analysis = Analysis(engine=experiment.judging.engine, depth=experiment.judging.depth)
    for place, name in enumerate(lesson.name for lesson in experiment.lessons):
        show(Progress("test suites", place / len(experiment.lessons), name))
        file = f"student_{name}.{students[name]['suffix']}"
        for suite in experiment.judging.suites:
            told = answered.setdefault(suite, {})
            if name not in told:
                told[name] = _answers(f"student:{folder / file}", suite, analysis, backend)
                save_json(path, answered)


def _answers(player: str, name: str, analysis: Analysis, backend: Backend) -> dict[str, Any]:
    """Return how a student answers a suite, with the source's own answers beside it where it has some."""
    suite = load_suite(name)
    also = thesis_moves(suite.items) if name == "ccr25" else None
    verdict = run_suite(player, suite, backend=backend, analysis=analysis, also=also)
    return suite_json(verdict) | ({"thesis": thesis_json(verdict)} if also is not None else {})


def _climbed(player: str, engine: str, games: int, show: Show, backend: Backend) -> dict[str, Any]:
    played = 0

    def heard(more: int) -> None:
        nonlocal played
        played += more
        show(Progress("the ladder", min(1.0, played / games), f"{played} games"))

    game = find_game("chess")
    book = random_book(game, most=games // 2, plies=game.conventions.opening_plies, seed=SEED)
    ladder = Ladder(engine=engine)
    return ladder_json(climb(player, ladder, book, games=games, backend=backend, seed=SEED, progress=heard))
