"""Experiments of the kind `labels`: networks learn what an engine says of chess positions (Sabatelli 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from understudy.config import LARGEST, check_range
from understudy.errors import BadOption, UnknownName
from understudy.fetch.sources import locate
from understudy.files import DATA
from understudy.games import CompiledGame
from understudy.games.chess.datasets import Dataset, find_dataset
from understudy.games.chess.inputs.planes import ChessInputs
from understudy.games.chess.judges.endgames import pieces
from understudy.games.chess.judges.epd import load_suite
from understudy.games.chess.learning.networks import BoardNetworkOptions, check_network
from understudy.games.chess.players.students import find_way_to_value
from understudy.lab.settings import About, Study, board_of, built, fingerprint_of, make_study, unusual, variations
from understudy.players import read_player
from understudy.players.names import check_obeyed
from understudy.trainers.fitting import COMMON, TrainingOptions, check_training

LEARNING = ("positions", "examples", "inputs", "target", "network", "training")
SPLITS = ("game", "position")

TRAINING = {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.99, "schedule": "constant", "batch": 128}
"""The source's, where the file does not say otherwise; it proposes 0.99 where the inventors of Adam propose 0.999."""


READ = (*COMMON, "validation_rows", "epoch_rows")


@dataclass(frozen=True, kw_only=True)
class PositionOptions:
    """The `[positions]` section: tables of labelled positions, or games to be played and labelled here."""

    files: tuple[str, ...] = ()
    """Tables of positions (Parquet, CSV), relative to the experiment's file; without any, games are watched."""
    most: int | None = None
    """At most so many positions; whole games are left out by chance."""
    players: tuple[str, str] = ("searcher:depth=2,ties=random", "searcher:depth=1,ties=random")
    games: int = 300
    opening_plies: int = 6
    per_game: int = 12
    stray: float = 0.3
    """The share of positions one chance move away from the game."""
    engine: str = "stockfish"
    depth: int = 8
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class LabelExamples:
    """The `[examples]` section: eight of ten positions are learned from, one tells when to stop, one grades."""

    split: str = "game"
    """`game`: positions of one game stand on one side; `position`: as in the source, each falls where it may."""
    quiet: bool = False
    """Learn only from positions without a check and whose best move takes nothing."""
    answers: bool = False
    """Learn from the position after the engine's best move, too: it is worth as much, but to the other side."""
    most: int | None = None
    """Learn from at most so many positions; whole games are left out by chance, and who grades stays the same."""
    graded: tuple[str, ...] = ()
    """Sources that grade, with one of ten of their games; eight of ten are learned from. Positions of all other sources
    are only learned from."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class TargetOptions:
    """The `[target]` section."""

    dataset: str = "1"
    """1, 2, 3 (classes), 4 (a number from 0 to 1), win (the expected outcome) or far (large advantages told apart)."""
    bins: int = 0
    """Of `4` and `win`: learn the number as a histogram of so many bins (HL-Gauss) and say its mean; 0: as a number."""
    result: float = 0.0
    """Of `win` and `far`: the share of how the game really ended; the rest is what the engine says."""


@dataclass(frozen=True, kw_only=True)
class LabelJudging:
    """The `[judging]` section."""

    suites: tuple[str, ...] = ("ccr25",)
    """Test suites for every student."""
    engine: str = "stockfish"
    depth: int = 14
    """Of the engine that grades the moves of a suite."""
    match: tuple[str, ...] = ()
    """Two students who play from the source's openings, for an engine to look at; options follow a comma."""
    match_games: int = 40
    match_depth: int = 10
    """Of the engine that looks at their games: they have thousands of positions."""
    ending: str = ""
    """Such as KPPvKR: what students say of positions placed by chance, beside the engine."""
    ending_positions: int = 200
    ladder: int = 0
    """Games against engines of limited strength, for the student that the run is known for."""


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """How one student of an experiment learns: a variation, resolved."""

    name: str
    positions: PositionOptions
    examples: LabelExamples
    inputs: ChessInputs
    target: TargetOptions
    network: BoardNetworkOptions
    training: TrainingOptions

    @property
    def dataset(self) -> Dataset:
        """The view of the labels that is learned."""
        return find_dataset(self.target.dataset, self.target.bins)

    def table(self) -> str:
        """Return what tells one table of positions from another; wherever files lie, their names are the same."""
        return _table(self.positions)

    def fingerprint(self, about: About) -> str:
        """Return what tells one training from another."""
        parts = (self.examples, self.inputs, self.target, self.network, self.training)
        return fingerprint_of(about.game, self.table(), *(unusual(part) for part in parts))


def table_of(settings: Mapping[str, Any]) -> str:
    """Return what tells the table of positions of an experiment from others: all its students share it."""
    return _table(built(PositionOptions, variations(settings, LEARNING)[0][1], "positions"))


def _table(positions: PositionOptions) -> str:
    names = tuple(locate(file, Path()).name for file in positions.files)
    return fingerprint_of(unusual(replace(positions, files=names)))


Experiment: TypeAlias = Study[LabelJudging, Lesson]


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    experiment = make_study(
        name,
        settings,
        learning=LEARNING,
        judging=LabelJudging,
        lesson=lambda student, varied: _lesson(student, varied, folder),
    )
    if experiment.about.game != "chess":
        raise BadOption(f"experiment.game: labels are for chess, not for {experiment.about.game!r}")
    board_of(experiment.about)
    if len({lesson.table() for lesson in experiment.lessons}) > 1:
        raise BadOption("[positions]: all students of an experiment learn from one table; use two experiments")
    check_range("judging.depth", experiment.judging.depth, 1, 60)
    check_range("judging.ladder", experiment.judging.ladder, 0, 100_000)
    _check_match(experiment)
    for suite in experiment.judging.suites:
        load_suite(suite)
    for lesson in experiment.lessons:
        _check(lesson)
    return experiment


def _check_match(experiment: Experiment) -> None:
    """Raise unless two students of the experiment can play each other, and the ending can be placed."""
    judging, names = experiment.judging, [lesson.name for lesson in experiment.lessons]
    for key, low, high in (("match_games", 2, 100_000), ("match_depth", 1, 60), ("ending_positions", 1, 100_000)):
        check_range(f"judging.{key}", getattr(judging, key), low, high)
    if len(judging.match) not in (0, 2):
        raise BadOption(f"judging.match must name two students, not {len(judging.match)}")
    for text in judging.match:
        if text.partition(",")[0] not in names:
            raise UnknownName("student of judging.match", text.partition(",")[0], names)
        _check_player(text, experiment.lessons[names.index(text.partition(",")[0])], experiment.game)
    if judging.ending:
        pieces(judging.ending)


def _check_player(text: str, lesson: Lesson, game: CompiledGame) -> None:
    """Raise unless the student of a lesson will obey the options behind its name."""
    options = read_player(f"student:{text}", game)[1]
    if lesson.network.design != "standings":
        chosen = replace(options, path=type(options).path)
        check_obeyed(chosen, ("classes",), name=text, does="looks one ply ahead and no further")
        find_way_to_value(options.classes, bool(lesson.dataset.classes), text)


def _lesson(name: str, settings: Mapping[str, Any], folder: Path) -> Lesson:
    positions = built(PositionOptions, settings, "positions")
    # Data keeps its name: where it is missing, that name is what can be fetched.
    files = tuple(file if file.startswith(DATA) else str(folder / file) for file in positions.files)
    return Lesson(
        name=name,
        positions=replace(positions, files=files),
        examples=built(LabelExamples, settings, "examples"),
        inputs=built(ChessInputs, settings, "inputs"),
        target=built(TargetOptions, settings, "target"),
        network=built(BoardNetworkOptions, settings, "network"),
        training=built(TrainingOptions, settings, "training", usual=TRAINING, read=READ),
    )


def _check(lesson: Lesson) -> None:
    check_network(lesson.network)
    check_training(lesson.training)
    positions = lesson.positions
    for key, low, high in (
        ("most", 100, 10**9), ("games", 4, 10**7), ("opening_plies", 0, 60), ("per_game", 1, 1000), ("stray", 0, 1),
        ("depth", 1, 60), ("seed", 0, LARGEST - 1),
    ):  # fmt: skip
        check_range(f"positions.{key}", getattr(positions, key), low, high)
    if lesson.examples.split not in SPLITS:
        raise UnknownName("examples.split", lesson.examples.split, SPLITS)
    check_range("examples.seed", lesson.examples.seed, 0, LARGEST - 1)
    check_range("examples.most", lesson.examples.most, 100, 10**9)
    check_range("target.result", lesson.target.result, 0, 1)
    if lesson.target.result and not lesson.dataset.logistic:
        raise BadOption("target.result: only the data sets `win` and `far` can be blended with how games ended")
    if (lesson.inputs.kind == "standings") != (lesson.network.design == "standings"):
        raise BadOption(
            f"student {lesson.name!r}: inputs {lesson.inputs.kind!r} and network {lesson.network.design!r} do not fit; "
            "standings are both an input and a network"
        )
    if lesson.dataset.classes and lesson.network.design == "standings":
        raise BadOption(
            f"student {lesson.name!r}: a standings network says one number, so target.dataset must be 4, win or far, "
            f"not {lesson.target.dataset}"
        )
    if lesson.dataset.bins and lesson.network.design == "standings":
        raise BadOption(f"student {lesson.name!r}: a standings network says one number, so it has no target.bins")
    if lesson.inputs.kind == "coordinates" and lesson.network.design != "perceptron":
        raise BadOption(
            f"student {lesson.name!r}: coordinates are no picture of the board, so network.design must be perceptron, "
            f"not {lesson.network.design}"
        )
    if lesson.network.output == "sigmoid" and (lesson.target.dataset != "4" or lesson.target.bins):
        raise BadOption(
            f"student {lesson.name!r}: network.output = 'sigmoid' says a number from 0 to 1, which data set 4 alone "
            "asks for, without bins"
        )
