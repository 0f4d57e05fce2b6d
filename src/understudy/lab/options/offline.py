"""Experiments of the kind `offline`: games are sampled into a table of positions, and networks are fitted to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from understudy.config import LARGEST, check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame
from understudy.games.boards import find_boards
from understudy.lab.settings import About, Study, built, check_shares, fingerprint_of, make_study, unusual
from understudy.networks.students import ValueOptions, check_values
from understudy.players.names import former_name
from understudy.trainers.offline import FittingOptions, check_fitting
from understudy.trainers.sampling import SamplingOptions, check_sampling

LEARNING = ("sampling", "examples", "student", "network", "training")

NETWORK = {"hidden": (12,), "units": "sigmoid"}
"""The source's network, where the file does not say otherwise; plain back-propagation drops no units."""


@dataclass(frozen=True, kw_only=True)
class TableExamples:
    """The `[examples]` section of an offline experiment."""

    samples: tuple[int, ...] = ()
    """After how many games the tables are learned from, each by a network of its own; all of them if not said."""
    held_out: float = 0.2
    """The share of positions that are never learned from; images of each other are on the same side."""
    finished: bool = True
    """Whether positions in which the game is over are learned from and examined."""
    visits: int = 1
    """Positions that were met less often are left out."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class OfflineStudent:
    """The `[student]` section of an offline experiment."""

    representation: str = "board"
    """`board`, or `nonads` for the board and its nonads."""
    finished_by_rules: bool = True
    """When it plays, the rules say what a successor is worth in which the game is over, not the network."""


@dataclass(frozen=True, kw_only=True)
class OfflineJudging:
    """The `[judging]` section of an offline experiment."""

    opponents: tuple[str, ...] = ("random", "searcher:depth=1,evaluator=aloa,ties=random")
    games: int = 1_000
    opening_plies: int | None = None
    """Random plies before the players choose, both sides of each opening; if not said, as many as the game usually has.
    0: all games begin at the plain start."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    sampling: SamplingOptions
    examples: TableExamples
    student: OfflineStudent
    network: ValueOptions
    training: FittingOptions

    @property
    def snapshots(self) -> list[int]:
        """After how many games a table is written."""
        games, step = self.sampling.games, self.sampling.snapshot
        return sorted({*range(step, games + 1, step), games})

    @property
    def samples(self) -> list[int]:
        """After how many games the tables are learned from."""
        return sorted(self.examples.samples) or self.snapshots

    def tables(self, about: About) -> str:
        """Return what tells one series of tables from another; where it ends is not part of it."""
        chosen = {key: value for key, value in unusual(self.sampling).items() if key not in ("games", "snapshot")}
        if "opponent" in chosen:
            chosen["opponent"] = former_name(chosen["opponent"])
        return fingerprint_of(about.game, about.size, chosen)

    def fingerprint(self, about: About, sample: int) -> str:
        """Return what tells one training from another."""
        examples = {key: value for key, value in unusual(self.examples).items() if key != "samples"}
        chosen = [self.student.representation, *(unusual(options) for options in (self.network, self.training))]
        return fingerprint_of(self.tables(about), sample, examples, *chosen)


Experiment: TypeAlias = Study[OfflineJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    experiment = make_study(name, settings, learning=LEARNING, more=("paper",), judging=OfflineJudging, lesson=_lesson)
    check_range("judging.games", experiment.judging.games, 2, 10**7)
    check_range("judging.opening_plies", experiment.judging.opening_plies or 0, 0, 20)
    check_shares(experiment.paper)
    for lesson in experiment.lessons:
        _check(experiment.game, lesson)
    return experiment


def _lesson(name: str, settings: Mapping[str, Any]) -> Lesson:
    return Lesson(
        name=name,
        sampling=built(SamplingOptions, settings, "sampling"),
        examples=built(TableExamples, settings, "examples"),
        student=built(OfflineStudent, settings, "student"),
        network=built(ValueOptions, settings, "network", usual=NETWORK, read=("hidden", "units")),
        training=built(FittingOptions, settings, "training"),
    )


def _check(game: CompiledGame, lesson: Lesson) -> None:
    check_sampling(game, lesson.sampling)
    check_fitting(lesson.training)
    check_values(lesson.network)
    find_boards(game.name).find_representation(lesson.student.representation, *game.size)
    check_range("examples.held_out", lesson.examples.held_out, 0.01, 0.9)
    check_range("examples.seed", lesson.examples.seed, 0, LARGEST - 1)
    check_range("examples.visits", lesson.examples.visits, 1, 10**6)
    for sample in lesson.examples.samples:
        if sample not in lesson.snapshots:
            there = f"tables are written every {lesson.sampling.snapshot} games up to {lesson.sampling.games}"
            raise BadOption(f"examples.samples: there is no table after {sample} games; {there}")
