"""Experiments of the kind `evolution`: networks evolve in tournaments and are measured as they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from understudy.config import check_range, overridden
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.lab.settings import (
    About,
    Study,
    board_of,
    built,
    check_sections,
    fingerprint_of,
    flattened,
    make_study,
    unusual,
)
from understudy.players.choosers import make_chooser
from understudy.players.evolved import Evolved
from understudy.search.evaluators.chromosome import FEATURES, NetworkOptions, make_plan
from understudy.trainers.evolution.ancestors import OPTION, check_wider, load_ancestor
from understudy.trainers.evolution.arena import RANDOM_NETWORK, Stage
from understudy.trainers.evolution.evolver import SchoolOptions, TrainerOptions, check_school, check_trainer

STAGES = "stages"
LEARNING = ("student", "network", "school", "trainer", STAGES)
STAGED = ("network", "trainer")
"""What a stage may change."""
VERSUS = " v "
THESIS = "aloa"
"""The evaluator of the thesis, by whose searches its own game is measured."""
USUAL = {
    "monitors": ("searcher:depth=2",), "benchmarks": ("stochastic:depth=2",),
    "opponents": ("stochastic:depth=2", "searcher:depth=2"),
}  # fmt: skip
"""Who measures networks of other games: less deep, because most games have more moves."""


@dataclass(frozen=True, kw_only=True)
class EvolvedOptions:
    """The `[student]` section of an evolution experiment."""

    depth: int = 3
    """Plies that the finished student looks ahead."""


@dataclass(frozen=True, kw_only=True)
class EvolutionJudging:
    """The `[judging]` section of an evolution experiment; nothing of it feeds back into evolution."""

    monitors: tuple[str, ...] = ("searcher:depth=5,evaluator=aloa",)
    """Whom all chromosomes of an epoch meet in a match of two games, both sides of one opening."""
    benchmarks: tuple[str, ...] = ("stochastic:depth=3",)
    """Whom they meet at generations 0, 1, 2, 5 and every `benchmark_epochs` epochs."""
    benchmark_epochs: int = 1
    measured: int = 62
    """At most so many chromosomes of a generation are measured."""
    baselines: tuple[str, ...] = ()
    """Matches between players that do not learn, as `A v B`; `random_network` is a new random network each match."""
    baseline_matches: int = 500
    opponents: tuple[str, ...] = ("stochastic:depth=3", "searcher:depth=5,evaluator=aloa")
    """Whom every champion meets in the end, in matches from varied openings; champions also meet each other."""
    matches: int = 100
    opening_plies: int | None = None
    """Random plies before champions and their opponents choose, both sides of each opening; if not said, as many as the
    game usually has. 0: all games begin at the plain start."""
    monitor_opening_plies: int | None = None
    """The same of the games of monitors, benchmarks and baselines. 0: the plain start, as in the source."""
    keep_matches: int = 0
    """Matches in which the champions of all epochs are tried, the better half again in twice as many, and so on: who is
    left at last is kept. 0: the champion of the last generation is kept."""
    keep_by: tuple[str, ...] = ()
    """Against whom they are tried, in openings that grade nobody; if nobody is said, `opponents`."""
    glimpses: bool = True
    """Whether it is written down at each generation that is measured what the champion chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Leg:
    """A stage of a student's evolution, resolved; who names no stages has one without a name."""

    name: str
    network: NetworkOptions
    trainer: TrainerOptions

    def stage(self, game: CompiledGame) -> Stage:
        """Return where its chromosomes meet."""
        return Stage(
            game=game.name, size=game.size, switches=game.switches, network=self.network,
            depth=self.trainer.depth, limit=self.trainer.limit, shuffled=self.trainer.ties == "random",
            aware=self.trainer.aware,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment evolves: a variation, resolved."""

    name: str
    student: EvolvedOptions
    school: SchoolOptions
    legs: tuple[Leg, ...]
    """Its stages, each of which begins with the champion of the one before."""
    ancestor: Evolved | None = field(default=None, compare=False)
    """With whom the first begins, if not with chance."""
    family: str = ""
    """The variation of which it is a repeat; empty where that is evolved once."""

    @property
    def network(self) -> NetworkOptions:
        """The network of the last stage."""
        return self.legs[-1].network

    @property
    def trainer(self) -> TrainerOptions:
        """The trainer of the last stage."""
        return self.legs[-1].trainer

    def stage(self, game: CompiledGame) -> Stage:
        """Return where its chromosomes meet in the last stage."""
        return self.legs[-1].stage(game)

    def fingerprint(self, about: About, place: int = -1) -> str:
        """Return what tells one evolution up to a stage from another; how long that stage goes on is no part of it."""
        *before, leg = self.legs[: place % len(self.legs) + 1]
        chosen = {
            name: value
            for name, value in unusual(leg.trainer).items()
            if name not in ("generations", "minutes", "ancestor")
        }
        more = [[unusual(one.network), unusual(one.trainer) | {"ancestor": ""}] for one in before]
        more += [[self.ancestor.alleles.tolist(), unusual(self.ancestor.network)]] if self.ancestor else []
        return fingerprint_of(about.game, about.size, unusual(leg.network), unusual(self.school), chosen, *more)

    def repeated(self) -> Iterator[Lesson]:
        """Yield the lesson with its seed and with those that follow it, as often as its trainer says."""
        repeats = self.legs[0].trainer.repeats
        for place in range(repeats):
            legs = tuple(
                replace(leg, trainer=replace(leg.trainer, seed=_stage_seed(leg.trainer.seed + place, number)))
                for number, leg in enumerate(self.legs)
            )
            names = {"name": f"{self.name}_{place}", "family": self.name} if repeats > 1 else {}
            school = replace(self.school, seed=self.school.seed + place)
            yield replace(self, legs=legs, school=school, **names)  # type: ignore[arg-type]


def _stage_seed(seed: int, stage: int) -> int:
    """Return the seed of a stage: the first has that of the experiment, later ones others, or they would draw alike."""
    return seed if stage == 0 else int(np.random.SeedSequence([seed, stage]).generate_state(1)[0] >> 1)


Experiment: TypeAlias = Study[EvolutionJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    game = board_of(built(About, settings, "experiment"))
    network = {} if game.kind.network_inputs else {"inputs": (FEATURES,)}
    judging = {} if THESIS in game.kind.evaluators else USUAL

    def lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
        legs = tuple(_legs(settings, network))
        return Lesson(
            name=name,
            student=built(EvolvedOptions, settings, "student"),
            school=built(SchoolOptions, settings, "school"),
            legs=legs,
            ancestor=load_ancestor(legs[0].trainer.ancestor, game) if legs[0].trainer.ancestor else None,
        )

    experiment = make_study(name, settings, learning=LEARNING, judging=EvolutionJudging, lesson=lesson, usual=judging)
    for one in experiment.lessons:
        _check_lesson(game, one)
    experiment = replace(experiment, lessons=tuple(one for lesson in experiment.lessons for one in lesson.repeated()))
    _check(experiment)
    return experiment


def _legs(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[Leg]:
    """Yield the stages of a student, in the order of the file: each has the student's settings, some keys changed."""
    stages: Mapping[str, Any] = settings.get(STAGES) or {"": {}}
    for place, (name, changes) in enumerate(stages.items()):
        where = f"[{STAGES}.{name}]"
        if not isinstance(changes, Mapping):
            raise BadOption(f"{STAGES}.{name} = {changes!r} must be a section: {where} with keys below it")
        if name and not name.isidentifier():
            raise BadOption(f"{where}: a name of letters, digits and _ is needed, not {name!r}")
        check_sections(changes, STAGED, where)
        for key in ("ancestor", "repeats"):
            if name and key in changes.get("trainer", ()):
                raise BadOption(f"{where}: trainer.{key} is said of the whole evolution, in [trainer]")
        changed = overridden(dict(settings), flattened(changes))
        trainer = built(TrainerOptions, changed, "trainer")
        yield Leg(
            name=name,
            network=built(NetworkOptions, changed, "network", usual=network),
            trainer=trainer if place == 0 else replace(trainer, ancestor=""),
        )


def _check_lesson(game: CompiledGame, lesson: Lesson) -> None:
    """Raise unless a student can evolve so, each stage from the champion of the one before."""
    check_range("student.depth", lesson.student.depth, 1, 6)
    _check_school(game, lesson)
    before = lesson.ancestor.network if lesson.ancestor else None
    for leg in lesson.legs:
        make_plan(game, leg.network)
        check_trainer(game, leg.trainer)
        if before is not None:
            check_wider(game, before, leg.network, OPTION if leg is lesson.legs[0] else f"[{STAGES}.{leg.name}]")
        before = leg.network


def _check(experiment: Experiment) -> None:
    game, judging = experiment.game, experiment.judging
    names = [lesson.name for lesson in experiment.lessons]
    if double := [name for name in names if names.count(name) > 1]:
        raise BadOption(f"trainer.repeats makes a second student {double[0]!r}; rename [variations.{double[0]}]")
    for name, low in (("benchmark_epochs", 1), ("measured", 0), ("baseline_matches", 1), ("matches", 1),
                      ("keep_matches", 0)):  # fmt: skip
        check_range(f"judging.{name}", getattr(judging, name), low, 10**7)
    for plies in ("opening_plies", "monitor_opening_plies"):
        check_range(f"judging.{plies}", getattr(judging, plies) or 0, 0, 20)
    for opponent in (*judging.monitors, *judging.benchmarks, *judging.opponents, *judging.keep_by):
        make_chooser(opponent, game)
    for baseline in judging.baselines:
        for player in pair_of(baseline):
            if player != RANDOM_NETWORK:
                make_chooser(player, game)


def _check_school(game: CompiledGame, lesson: Lesson) -> None:
    check_school(game, lesson.school)
    if lesson.school.rounds and lesson.ancestor:
        raise BadOption("trainer.ancestor and school.rounds: evolution starts with one of them, not with both")
    if lesson.school.rounds and game.kind.network_inputs is None:
        raise BadOption(
            f"school.rounds: a school turns boards about by what a game tells of its inputs for networks, and "
            f"{game.name} tells nothing of them; experiments of the kind 'values' learn from outcomes in any game"
        )


def pair_of(baseline: str) -> tuple[str, str]:
    """Return the two players of a baseline written as `A v B`."""
    one, versus, other = baseline.partition(VERSUS)
    if not versus or not one.strip() or not other.strip():
        raise BadOption(f"judging.baselines: {baseline!r} does not name two players as 'A v B'")
    return one.strip(), other.strip()
