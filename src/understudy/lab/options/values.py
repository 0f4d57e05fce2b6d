"""Experiments of the kind `values`: a network learns in batches what boards are worth, from a perfect teacher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from understudy.config import LARGEST, check_range
from understudy.errors import BadOption
from understudy.games.boards import find_boards
from understudy.lab.settings import YARDSTICKS, About, Study, built, check_shares, fingerprint_of, make_study, unusual
from understudy.networks.students import ValueOptions, check_values
from understudy.records.worths import PERFECT, check_way
from understudy.solve import check_decidable
from understudy.trainers.fitting import COMMON, TrainingOptions, check_training

LEARNING = ("examples", "student", "network", "training")


@dataclass(frozen=True, kw_only=True)
class BoardsOptions:
    """The `[examples]` section of a values experiment."""

    learn: str = PERFECT
    """What is learned of boards that nobody played: the truth. All else needs records: `[watch]` or `[records]`."""
    boards: int = 300_000
    """How many different boards of random games are solved, images aside."""
    held_out: bool = True
    """Leave out the boards after the moves of the usual exam of `value_kept`."""
    hope: float = 0.0
    """A lost board is worth this times the share of replies that throw the win away."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class ValueStudentOptions:
    """The `[student]` section of a values experiment."""

    representation: str = "E"
    depth: int = 1
    """Plies that it looks ahead when it plays, unless the player is told otherwise."""


@dataclass(frozen=True, kw_only=True)
class ValuesJudging:
    """The `[judging]` section of a values experiment."""

    opponents: tuple[str, ...] = ("random", "searcher:evaluator=q,depth=1,ties=random")
    games: int = 1_000
    opening_plies: int | None = None
    """Random plies before the players choose, both sides of each opening; if not said, as many as the game usually has.
    0: all games begin at the plain start, as in the source."""
    value_kept: int = 20_000
    """Positions in which the students are compared with perfect play; 0 for none."""
    yardsticks: tuple[str, ...] = YARDSTICKS
    """Who is compared beside them, as `NAME = PLAYER`."""
    glimpses: bool = True
    """Whether it is written down after each epoch what the student chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    examples: BoardsOptions
    student: ValueStudentOptions
    network: ValueOptions
    training: TrainingOptions

    def fingerprint(self, about: About) -> str:
        """Return what tells one training from another; how far a student looks when it plays is not part of it."""
        chosen = [unusual(options) for options in (self.examples, self.network, self.training)]
        return fingerprint_of(about.game, about.size, self.student.representation, *chosen)


Experiment: TypeAlias = Study[ValuesJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    experiment = make_study(name, settings, learning=LEARNING, more=("paper",), judging=ValuesJudging, lesson=_lesson)
    if all(lesson.examples.learn == PERFECT for lesson in experiment.lessons):
        check_decidable(experiment.game)
    check_range("judging.games", experiment.judging.games, 2, 10**7)
    check_range("judging.opening_plies", experiment.judging.opening_plies or 0, 0, 20)
    check_range("judging.value_kept", experiment.judging.value_kept, 0, 10**7)
    check_shares(experiment.paper)
    for lesson in experiment.lessons:
        _check(experiment, lesson)
    return experiment


def _lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
    return Lesson(
        name=name,
        examples=built(BoardsOptions, settings, "examples"),
        student=built(ValueStudentOptions, settings, "student"),
        network=built(ValueOptions, settings, "network"),
        training=built(TrainingOptions, settings, "training", read=COMMON),
    )


def _check(experiment: Experiment, lesson: Lesson) -> None:
    check_training(lesson.training)
    check_values(lesson.network)
    check_way(experiment.game, lesson.examples.learn)
    if lesson.examples.learn != PERFECT:
        needs = "needs records: add [watch], or [records] with files"
        raise BadOption(f"examples.learn: {lesson.examples.learn!r} {needs}")
    check_range("examples.boards", lesson.examples.boards, 100, 10**8)
    check_range("student.depth", lesson.student.depth, 1, 6)
    check_range("examples.seed", lesson.examples.seed, 0, LARGEST - 1)
    check_range("examples.hope", lesson.examples.hope, 0, 0.49)
    find_boards(experiment.game.name).find_representation(lesson.student.representation, *experiment.game.size)
    if lesson.student.representation == "A":
        raise BadOption("student.representation: A has halves, and boards are kept in whole numbers here; use B to E")
