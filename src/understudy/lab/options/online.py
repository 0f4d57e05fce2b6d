"""Experiments of the kind `online`: pupils learn while they play, from a teacher or from themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.lab.settings import (
    YARDSTICKS,
    About,
    Study,
    board_of,
    built,
    check_shares,
    fingerprint_of,
    make_study,
    unusual,
)
from understudy.players.choosers import make_plain_chooser
from understudy.players.names import former_name
from understudy.trainers.online.pupils import COMPARISON, OnlineOptions, PupilOptions, check_pupil, usual_options

LEARNING = ("student", "training")


@dataclass(frozen=True, kw_only=True)
class OnlineJudging:
    """The `[judging]` section of an online experiment."""

    opponents: tuple[str, ...] = ("random", "searcher:evaluator=q,depth=1,method=minimax,ties=random")
    """Whom every student plays."""
    games: int = 1_000
    """Games against each of them."""
    snapshots: int = 20
    """How many of a student's snapshots play too, evenly chosen over its training."""
    snapshot_games: int = 500
    field: tuple[str, ...] = ()
    """Evaluators whom the snapshots meet besides, each behind one ply of plain minimax with ties at random: Konane's a
    to r, as the source did. They choose nothing; the report shows what is won against all of them together."""
    opening_plies: int | None = None
    """Random plies before the players choose, both sides of each opening; if not said, as many as the game usually has.
    0: all games begin at the plain start, as in the source."""
    choose_by: tuple[str, ...] = ("random",)
    """The snapshot that wins most games against these opponents is the chosen one."""
    value_kept: int = 0
    """Positions in which the chosen students are compared with perfect play; 0 for none."""
    yardsticks: tuple[str, ...] = YARDSTICKS
    """Who is compared beside them, as `NAME = PLAYER`."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one pupil of an experiment learns: a variation, resolved."""

    name: str
    student: PupilOptions
    training: OnlineOptions

    def fingerprint(self, about: About, repeat: int) -> str:
        """Return what tells one training from another."""
        training = unusual(self.training)
        training |= {key: former_name(training[key]) for key in ("teacher", "opponent") if key in training}
        return fingerprint_of(about.game, about.size, unusual(self.student), training, repeat)


Experiment: TypeAlias = Study[OnlineJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    usual = usual_options(board_of(built(About, settings, "experiment")))

    def lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
        student = usual["student"]
        if settings.get("student", {}).get("structure") == COMPARISON:  # which values nothing, so the rules cannot help
            student = student | {"finished_by_rules": False}
        return Lesson(
            name=name,
            student=built(PupilOptions, settings, "student", usual=student),
            training=built(OnlineOptions, settings, "training", usual=usual["training"]),
        )

    experiment = make_study(name, settings, learning=LEARNING, more=("paper",), judging=OnlineJudging, lesson=lesson,
                            usual=usual["judging"])  # fmt: skip
    _check(experiment)
    return experiment


def rival_of(evaluator: str) -> str:
    """Return the player that an evaluator of the field is."""
    return f"searcher:evaluator={evaluator},depth=1,method=minimax,ties=random"


def _check(experiment: Experiment) -> None:
    game, judging = experiment.game, experiment.judging
    for lesson in experiment.lessons:
        check_pupil(game, lesson.student, lesson.training)
    for opponent in judging.opponents:
        make_plain_chooser(opponent, game, place="judging.opponents")
    for opponent in judging.choose_by:
        if opponent not in judging.opponents:
            raise BadOption(f"judging.choose_by: {opponent!r} is not among judging.opponents")
    for name in judging.field:
        make_plain_chooser(rival_of(name), game, place="judging.field")
    if len(set(judging.field)) < len(judging.field):
        raise BadOption(f"judging.field: {list(judging.field)} names an evaluator twice")
    check_range("judging.games", judging.games, 2, 10**8)
    check_range("judging.snapshots", judging.snapshots, 0, 10**6)
    check_range("judging.snapshot_games", judging.snapshot_games, 2, 10**8)
    check_range("judging.opening_plies", judging.opening_plies or 0, 0, 20)
    check_range("judging.value_kept", judging.value_kept, 0, 10**7)
    check_shares(experiment.paper)
