"""Experiments of the kind `evolution`: networks evolve in tournaments and are measured as they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.lab.settings import About, Study, board_of, built, fingerprint_of, make_study, unusual
from understudy.players.choosers import make_chooser
from understudy.search.evaluators.chromosome import FEATURES, NetworkOptions, make_plan
from understudy.trainers.evolution.arena import RANDOM_NETWORK, Stage
from understudy.trainers.evolution.evolver import SchoolOptions, TrainerOptions, check_school, check_trainer

LEARNING = ("student", "network", "school", "trainer")
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
    glimpses: bool = True
    """Whether it is written down at each generation that is measured what the champion chooses in six positions."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment evolves: a variation, resolved."""

    name: str
    student: EvolvedOptions
    network: NetworkOptions
    school: SchoolOptions
    trainer: TrainerOptions

    def fingerprint(self, about: About) -> str:
        """Return what tells one evolution from another; for how long it goes on is not part of it."""
        chosen = {
            name: value for name, value in unusual(self.trainer).items() if name not in ("generations", "minutes")
        }
        return fingerprint_of(about.game, about.size, unusual(self.network), unusual(self.school), chosen)

    def stage(self, game: CompiledGame) -> Stage:
        """Return where its chromosomes meet."""
        return Stage(
            game=game.name, size=game.size, switches=game.switches, network=self.network,
            depth=self.trainer.depth, limit=self.trainer.limit, shuffled=self.trainer.ties == "random",
            aware=self.trainer.aware,
        )  # fmt: skip


Experiment: TypeAlias = Study[EvolutionJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    kind = board_of(built(About, settings, "experiment")).kind
    network = {} if kind.network_inputs else {"inputs": (FEATURES,)}
    judging = {} if THESIS in kind.evaluators else USUAL

    def lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
        return Lesson(
            name=name,
            student=built(EvolvedOptions, settings, "student"),
            network=built(NetworkOptions, settings, "network", usual=network),
            school=built(SchoolOptions, settings, "school"),
            trainer=built(TrainerOptions, settings, "trainer"),
        )

    experiment = make_study(name, settings, learning=LEARNING, judging=EvolutionJudging, lesson=lesson, usual=judging)
    _check(experiment)
    return experiment


def _check(experiment: Experiment) -> None:
    game, judging = experiment.game, experiment.judging
    for lesson in experiment.lessons:
        make_plan(game, lesson.network)
        check_trainer(game, lesson.trainer)
        _check_school(game, lesson)
        check_range("student.depth", lesson.student.depth, 1, 6)
    for name, low in (("benchmark_epochs", 1), ("measured", 0), ("baseline_matches", 1), ("matches", 1)):
        check_range(f"judging.{name}", getattr(judging, name), low, 10**7)
    for plies in ("opening_plies", "monitor_opening_plies"):
        check_range(f"judging.{plies}", getattr(judging, plies) or 0, 0, 20)
    for opponent in (*judging.monitors, *judging.benchmarks, *judging.opponents):
        make_chooser(opponent, game)
    for baseline in judging.baselines:
        for player in pair_of(baseline):
            if player != RANDOM_NETWORK:
                make_chooser(player, game)


def _check_school(game: CompiledGame, lesson: Lesson) -> None:
    check_school(game, lesson.school)
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
