"""Experiments of the kind `values` with records: what a teacher's positions are worth, learned for the compiled search.

`examples.learn` says what is learned: `search` (the value that the teacher gave), `outcome` (how the game ended), `td`
(TD(lambda): that by way of the positions between), `perfect` (the truth, where a solver knows it), `weighed` (what all
moves lead to that the teacher has weighed). Students are networks inside the search; all of an experiment share its
records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from understudy.config import LARGEST, build, check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.lab.options.imitation import RecordsOptions, sources_of
from understudy.lab.settings import (
    ABOUT_SECTIONS,
    About,
    Study,
    built,
    check_sections,
    fingerprint_of,
    read_yardsticks,
    unusual,
    variations,
)
from understudy.players import close, make_player
from understudy.records.files import check_on_error
from understudy.records.starts import draw_starts
from understudy.records.watch import KINDS, Watch
from understudy.records.worths import FEWEST, OUTCOME, SEARCH, TEMPORAL, WEIGHED, check_way
from understudy.search.evaluators.chromosome import FEATURES, TURN, NetworkOptions, make_plan
from understudy.solve import check_decidable
from understudy.trainers.fitting import COMMON, TrainingOptions, check_training

LEARNING = ("examples", "student", "network", "training")
SECTIONS = (*ABOUT_SECTIONS, "records", "watch", *LEARNING, "judging")

NETWORK = {"inputs": (FEATURES, TURN), "hidden": 32, "both": True}
"""What every game has; the difference of both sides' views learns from half the examples."""
TRAINING = {
    "optimiser": "adamw", "learning_rate": 0.005, "beta1": 0.9, "weight_decay": 0.01, "schedule": "one_cycle",
    "batch": 512, "epochs": 30, "patience": 10, "images": "one",
}  # fmt: skip
"""Small batches, few epochs: networks inside the search are small, and records are few."""


@dataclass(frozen=True, kw_only=True)
class WorthsOptions:
    """The `[examples]` section of a values experiment with records."""

    learn: str = SEARCH
    """`search`, `outcome`, `td`, `perfect` or `weighed`."""
    trace: float = 0.7
    """Lambda of `td`: 1 learns the result alone, 0 the next position alone."""
    seed: int = 0
    """Decides which games are kept apart."""


@dataclass(frozen=True, kw_only=True)
class WorthsStudent:
    """The `[student]` section of a values experiment with records."""

    depth: int = 1
    """Plies that it looks ahead when it plays, unless the player is told otherwise."""


@dataclass(frozen=True, kw_only=True)
class WorthsJudging:
    """The `[judging]` section of a values experiment with records."""

    opponents: tuple[str, ...] = ("random", "searcher:depth=1", "stochastic:depth=2")
    games: int = 200
    opening_plies: int | None = None
    """Random plies before the players choose, both sides of each opening; if not said, as many as the game usually has.
    0: all games begin at the plain start."""
    value_kept: int = 0
    """Positions in which the students are compared with perfect play; 0 for none."""
    yardsticks: tuple[str, ...] = ("searcher:depth=1", "random")
    """Who is compared beside them, as `NAME = PLAYER`."""
    glimpses: bool = True
    """Whether it is written down after each epoch what the student chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    examples: WorthsOptions
    student: WorthsStudent
    network: NetworkOptions
    training: TrainingOptions
    sources: Mapping[str, Any]
    """Where the records come from."""

    def fingerprint(self, about: About) -> str:
        """Return what tells one training from another; how far a student looks when it plays is not part of it."""
        chosen = [unusual(options) for options in (self.examples, self.network, self.training)]
        return fingerprint_of(about.game, about.size, self.sources, *chosen)

    @property
    def trace(self) -> float | None:
        """Lambda, where values are learned by way of the positions between."""
        return self.examples.trace if self.examples.learn == TEMPORAL else None


@dataclass(frozen=True, kw_only=True)
class Experiment(Study[WorthsJudging, Lesson]):
    """A whole experiment file."""

    records: RecordsOptions
    watch: Watch | None
    folder: Path
    """Where relative paths start."""


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = built(About, settings, "experiment")
    watch = build(Watch, settings["watch"], place="[watch]") if "watch" in settings else None
    # Games are held out by chance here, not by their players.
    records = built(RecordsOptions, settings, "records", read=("files", "on_error", "limit"))
    check_on_error(records.on_error)
    check_range("records.limit", records.limit, 1, LARGEST - 1)
    if (watch is None) == (not records.files):
        raise BadOption(f"experiment {name!r} needs either [watch] or [records] files to learn from, one of them")
    experiment = Experiment(
        name=name,
        about=about,
        records=records,
        watch=watch,
        judging=built(WorthsJudging, settings, "judging"),
        lessons=tuple(_make_lesson(*varied, sources_of(settings)) for varied in variations(settings, LEARNING)),
        settings=settings,
        folder=folder,
    )
    _check(experiment)
    return experiment


def _make_lesson(name: str, settings: Mapping[str, Any], sources: Mapping[str, Any]) -> Lesson:
    return Lesson(
        name=name,
        examples=built(WorthsOptions, settings, "examples"),
        student=built(WorthsStudent, settings, "student"),
        network=built(NetworkOptions, settings, "network", usual=NETWORK),
        training=built(TrainingOptions, settings, "training", usual=TRAINING, read=(*COMMON, "images")),
        sources=sources,
    )


def _check(experiment: Experiment) -> None:
    game, judging = experiment.game, experiment.judging
    check_range("judging.games", judging.games, 2, 10**7)
    check_range("judging.opening_plies", judging.opening_plies or 0, 0, 20)
    check_range("judging.value_kept", judging.value_kept, 0, 10**7)
    if judging.value_kept:
        check_decidable(game)
    if len({lesson.examples.seed for lesson in experiment.lessons}) > 1:
        raise BadOption(
            "examples.seed: all students are graded by the same games held out, so none has a seed of its own"
        )
    for lesson in experiment.lessons:
        check_way(game, lesson.examples.learn)
        check_range("examples.seed", lesson.examples.seed, 0, LARGEST - 1)
        check_range("examples.trace", lesson.examples.trace, 0, 1)
        check_range("student.depth", lesson.student.depth, 1, 6)
        check_training(lesson.training)
        make_plan(game, lesson.network)
        if lesson.network.symmetric and not game.kind.network_inputs:
            raise BadOption(
                f"network.symmetric: {game.name} does not tell which of its features are images of each other, so no "
                "weights can be tied; training.images shows the images instead"
            )


def check_teacher(experiment: Experiment) -> None:
    """Raise if there will be nothing to learn in what the teacher leaves; it is asked about the first position."""
    watch, ways = experiment.watch, {lesson.examples.learn for lesson in experiment.lessons}
    if watch is None:
        return
    if (games := watch.games) < FEWEST:
        raise BadOption(f"watch: {games} games are too few to learn values from; at least {FEWEST} are needed")
    if watch.apprentice and ways & {OUTCOME, TEMPORAL}:
        raise BadOption(
            f"watch.apprentice: {watch.apprentice!r} plays in the teacher's place, so how games end says nothing of "
            "the teacher; learn 'search', or watch the teacher alone"
        )
    if WEIGHED in ways and not watch.weighed:
        raise BadOption("examples.learn = 'weighed': the teacher is to weigh every move; say watch.weighed = 64")
    if SEARCH in ways and not _gives_values(experiment.game, watch):
        raise BadOption(
            f"watch.teacher: {watch.teacher!r} does not say what a position is worth, so there is no value to learn; "
            "watch a searcher, an engine or a student that values positions, or learn 'outcome' or 'td'"
        )


def _gives_values(game: CompiledGame, watch: Watch) -> bool:
    """Tell whether a teacher says what a position is worth: the first that it will see."""
    player = make_player(watch.teacher, game)
    kind = next(kind for kind in KINDS if getattr(watch, kind))
    start = game.start() if kind == KINDS[0] else draw_starts(game, kind, 1, np.random.default_rng(watch.seed))[0]
    try:
        return player.choose([start])[0].value is not None
    finally:
        close(player)


def opponents_of(experiment: Experiment) -> tuple[str, ...]:
    """Return whom the students will play, and who will sit the exam beside them."""
    judging = experiment.judging
    return (*judging.opponents, *(read_yardsticks(judging.yardsticks).values() if judging.value_kept else ()))
