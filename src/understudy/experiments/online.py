"""Experiments of the kind `online`: pupils learn while they play, from a teacher or from themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.config import build, check_range
from understudy.errors import BadOption
from understudy.experiments.files import (
    ABOUT_SECTIONS,
    About,
    board_of,
    check_sections,
    fingerprint_of,
    unusual,
    variations,
)
from understudy.games import CompiledGame
from understudy.players.choosers import make_chooser
from understudy.trainers.pupils import OnlineOptions, PupilOptions, check_pupil

SECTIONS = (*ABOUT_SECTIONS, "student", "training", "judging")


@dataclass(frozen=True, kw_only=True)
class OnlineJudging:
    """The `[judging]` section of an online experiment."""

    opponents: tuple[str, ...] = ("random", "searcher:evaluator=q,depth=1")
    """Whom every student plays."""
    games: int = 1_000
    """Games against each of them."""
    snapshots: int = 20
    """How many of a student's snapshots play too, evenly chosen over its training."""
    snapshot_games: int = 500
    choose_by: tuple[str, ...] = ("random",)
    """The snapshot that wins most games against these opponents is the chosen one."""
    value_kept: int = 0
    """Positions in which the chosen students are compared with perfect play; 0 for none."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one pupil of an experiment learns: a variation, resolved."""

    name: str
    student: PupilOptions
    training: OnlineOptions

    def fingerprint(self, about: About, repeat: int) -> str:
        """Return what tells one training from another."""
        return fingerprint_of(about.game, about.size, unusual(self.student), unusual(self.training), repeat)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A whole experiment file."""

    name: str
    about: About
    judging: OnlineJudging
    lessons: tuple[Lesson, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    """Published shares of games won: student, then opponent."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> CompiledGame:
        """The game on the experiment's board."""
        return board_of(self.about)


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = build(About, settings.get("experiment", {}), place="[experiment]")
    if about.game != "konane":
        raise BadOption(f"experiment.game: pupils learn konane alone so far, not {about.game!r}")
    experiment = Experiment(
        name=name,
        about=about,
        judging=build(OnlineJudging, settings.get("judging", {}), place="[judging]"),
        lessons=tuple(_lesson(*varied) for varied in variations(settings)),
        paper=settings.get("paper", {}),
        settings=settings,
    )
    _check(experiment)
    return experiment


def _lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
    return Lesson(
        name=name,
        student=build(PupilOptions, settings.get("student", {}), place="[student]"),
        training=build(OnlineOptions, settings.get("training", {}), place="[training]"),
    )


def _check(experiment: Experiment) -> None:
    game, judging = experiment.game, experiment.judging
    for lesson in experiment.lessons:
        check_pupil(game, lesson.student, lesson.training)
    for opponent in judging.opponents:
        make_chooser(opponent, game)
    for opponent in judging.choose_by:
        if opponent not in judging.opponents:
            raise BadOption(f"judging.choose_by: {opponent!r} is not among judging.opponents")
    check_range("judging.games", judging.games, 2, 10**8)
    check_range("judging.snapshots", judging.snapshots, 0, 10**6)
    check_range("judging.snapshot_games", judging.snapshot_games, 2, 10**8)
    check_range("judging.value_kept", judging.value_kept, 0, 10**7)
    for student, numbers in experiment.paper.items():
        if not isinstance(numbers, Mapping) or not all(isinstance(one, int | float) for one in numbers.values()):
            raise BadOption(f"[paper.{student}] must hold a share of games won for each opponent")
