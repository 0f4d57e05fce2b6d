"""A pupil: a small student that learns while it plays, with all that its training needs to go on after a kill.

The kernels are in `lessons`, for a teacher that tells and for one that teaches itself; here are the options, the first
weights, and the files. The same seed gives the same games and weights, however often a training was stopped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, FileError, UnknownName, understood
from understudy.games import CompiledGame
from understudy.games.boards import FEATURES, find_boards
from understudy.players.choosers import make_plain_chooser
from understudy.search.choosers import Comparing, Minimax, Room, Valuing, make_room
from understudy.search.evaluators.sigmoid import Sigmoid, layers, sigmoid, weight_count
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.online.backpropagation import Changes, Rule, make_changes
from understudy.trainers.online.lessons import (
    EITHER,
    PLAYED,
    Progress,
    Teacher,
    make_governor,
    make_tale,
    play_and_learn,
    play_itself,
)

THOMPSON = "q"
"""The evaluator of the source's teacher."""
COMPARISON = "comparison"
STRUCTURES = ("single", COMPARISON)
METHODS = ("teacher", "temporal")
PASS, ALL = "pass", "all"
PAIRINGS = (PASS, ALL)
COLOURS = ("black", "white", "either")


@dataclass(frozen=True, kw_only=True)
class PupilOptions:
    """The `[student]` section of an online experiment."""

    representation: str = "C"
    """How it sees a board: as its game has it, A to E and A_signed of Konane, or by its `features`; these where a game
    has no C."""
    structure: str = "single"
    """`single`: values one board; `comparison`: tells which of two is better."""
    pairing: str = PASS
    """How a comparison finds the best of many: by a `pass` in which the better of two meets the next, as in the source,
    or of `all` the one that is preferred most when each meets each other in both orders."""
    hidden: tuple[int, ...] = (20,)
    """Units of each hidden layer."""
    local: bool = False
    """Put a layer before them that has a unit for each cell, wired to its neighbours alone."""
    colour: str = "either"
    """Which side it learns: `black`, `white`, or `either` in turn."""
    finished_by_rules: bool = False
    """The rules say what a successor is worth in which the game is over, not the network; usual but for Konane."""


@dataclass(frozen=True, kw_only=True)
class OnlineOptions:
    """The `[training]` section of an online experiment."""

    method: str = "teacher"
    """`teacher`: learn the teacher's values against an opponent; `temporal`: TD(lambda) against itself."""
    games: int = 200_000
    teacher: str = "searcher:evaluator=q,depth=1,method=minimax,ties=random"
    opponent: str = "random"
    rate: float = 0.01
    last_rate: float | None = None
    """Where the rate has fallen to at the end; it stays if not said."""
    momentum: float = 0.01
    offset: float = 0.1
    """What is added to the derivative of each unit, as Conx does."""
    initial: float = 0.1
    """First weights are from minus this to this."""
    governor: int = 0
    """How often the same position is learned from, with all its successors; 0: whenever it comes, as in the source."""
    trace: float = 0.7
    """Lambda of TD(lambda)."""
    exploration: float = 0.05
    """The share of random moves when it plays itself."""
    snapshot: int = 5_000
    """Games between two files of weights."""
    seed: int = 0
    repeats: int = 1
    """Trainings that differ in their seed alone."""
    minutes: float | None = None
    """Stop when this much time is used up, though fewer games are played."""


PLAIN_TEACHER = "searcher:depth=1,method=minimax,ties=random"
"""The teacher of a game that has none of the source's evaluators: one ply with its usual one."""


def usual_options(game: CompiledGame) -> dict[str, dict[str, Any]]:
    """Return what is usual in the sections of an experiment where the source's own choices, Konane's, do not fit."""
    usual: dict[str, dict[str, Any]] = {"student": {}, "training": {}, "judging": {}}
    if PupilOptions.representation not in find_boards(game.name).names:
        usual["student"] = {"representation": FEATURES, "finished_by_rules": True}
    if THOMPSON not in game.kind.evaluators:
        usual["training"] = {"teacher": PLAIN_TEACHER}
        usual["judging"] = {"opponents": ("random", PLAIN_TEACHER)}
    return usual


def check_pupil(game: CompiledGame, student: PupilOptions, training: OnlineOptions) -> None:
    """Raise unless a pupil of these options can be taught to play *game*."""
    for kind, chosen, choices in (
        ("student.structure", student.structure, STRUCTURES),
        ("student.pairing", student.pairing, PAIRINGS),
        ("student.colour", student.colour, COLOURS),
        ("training.method", training.method, METHODS),
    ):
        if chosen not in choices:
            raise UnknownName(kind, chosen, choices)
    for name, low, high in (
        ("games", 1, 10**9), ("rate", 0, 10), ("last_rate", 1e-9, 10),
        ("momentum", 0, 0.999), ("offset", 0, 1),
        ("initial", 0, 10), ("governor", 0, 10**9),
        ("trace", 0, 1), ("exploration", 0, 1), ("snapshot", 100, 10**9), ("seed", 0, 2**31),
        ("repeats", 1, 1000), ("minutes", 0, 1_000_000),
    ):  # fmt: skip
        check_range(f"training.{name}", getattr(training, name), low, high)
    for units in student.hidden:
        check_range("student.hidden", units, 1, 10_000)
    if student.structure == COMPARISON and student.finished_by_rules:
        raise BadOption("student.finished_by_rules: a student that compares two boards values none of them")
    if student.structure != COMPARISON and student.pairing != PASS:
        raise BadOption(f"student.pairing: a student of structure {student.structure!r} compares nothing")
    if training.method != "teacher" and training.governor:
        raise BadOption(f"training.governor: method {training.method!r} has no teacher whose lessons could be limited")
    if training.method != "teacher" and (student.structure != "single" or student.colour != "either"):
        raise BadOption(f"training.method: {training.method!r} needs structure 'single' and colour 'either'")
    make_teacher(game, training.teacher)
    make_opponent(game, training.opponent)
    layer_sizes(game, student)


def make_teacher(game: CompiledGame, text: str) -> Teacher:
    """Return the teacher that *text* names: plain minimax with one of the source's evaluators."""
    chooser = make_plain_chooser(text, game, place="training.teacher")
    asked = getattr(chooser, "evaluator", None)
    if not isinstance(chooser, Minimax) or type(getattr(asked, "inner", asked)) not in game.kind.values:
        raise BadOption(
            f"training.teacher: {text!r} cannot teach; name a searcher with an evaluator of {game.name} such as "
            f"{game.kind.usual_evaluator!r}"
        )
    return Teacher(chooser.evaluator, chooser.depth)


def make_opponent(game: CompiledGame, text: str) -> Any:
    """Return whom a pupil plays while it learns."""
    return make_plain_chooser(text, game, place="training.opponent")


def layer_sizes(game: CompiledGame, student: PupilOptions) -> list[int]:
    """Return how many units each layer has, inputs first."""
    rows, columns = game.size
    boards = find_boards(game.name)
    inputs = boards.input_count(boards.find_representation(student.representation, rows, columns), rows, columns)
    if not student.local:
        return [inputs * (2 if student.structure == COMPARISON else 1), *student.hidden, 1]
    number = boards.find_representation(student.representation, rows, columns)
    told = boards.input_cells(number, rows, columns) is not None and student.representation != "B"
    if student.structure == COMPARISON or not told:
        raise BadOption(
            f"student.local: structure {student.structure!r} with representation {student.representation!r} has no "
            "one cell for each input; use structure 'single' and, of konane, any but B"
        )
    return [inputs, rows * columns, *student.hidden, 1]


def make_chooser_of(game: CompiledGame, student: PupilOptions, weights: NDArray[np.float32]) -> Any:
    """Return a student with these weights as a chooser; it shares the array."""
    sizes, wiring = layer_sizes(game, student), np.zeros(0, np.float32)
    if student.local:
        wiring = local_wiring(game, student, sizes)
        weights *= wiring
    representation = find_boards(game.name).find_representation(student.representation, *game.size)
    network = sigmoid(sizes, weights, representation=representation, wiring=wiring)
    if student.structure == COMPARISON:
        return Comparing(network, int(student.pairing == ALL))
    return Valuing(network, int(student.finished_by_rules))


class Pupil:
    """One training: a network, what it has come to, and how it goes on."""

    def __init__(self, game: CompiledGame, student: PupilOptions, training: OnlineOptions, *, repeat: int = 0) -> None:
        self.game, self.options, self.training = game, student, training
        rng = np.random.default_rng([training.seed, repeat])
        self.sizes = layer_sizes(game, student)
        weights = rng.uniform(-training.initial, training.initial, weight_count(self.sizes)).astype(np.float32)
        self.student = make_chooser_of(game, student, weights)
        self.network: Sigmoid = self.student.network
        self.changes: Changes = make_changes(self.network)
        self.governor = make_governor(training.governor)
        played = training.games if training.method == "teacher" else 0
        self.progress = Progress(np.zeros(played, np.uint8), weights.copy(), np.zeros(3, np.int64))
        self.room: Room = make_room(game.most_moves, rng)
        self.clock = np.zeros(1)
        """Seconds that were spent on learning, where they are counted."""
        self._tale = make_tale(game.conventions.ply_limit, self.sizes[0])

    @property
    def played(self) -> int:
        """How many games it has learned from."""
        return int(self.progress.marks[PLAYED])

    @property
    def finished(self) -> bool:
        """Whether all games are played, or the time is used up."""
        minutes = self.training.minutes
        return self.played >= self.training.games or (minutes is not None and float(self.clock[0]) >= 60 * minutes)

    @property
    def results(self) -> NDArray[np.uint8]:
        """For each game that it has played against an opponent 1 if it won."""
        return self.progress.results[: self.played]

    def learn_until(self, games: int) -> None:
        """Play and learn until so many games are played in all, or the training is over."""
        while self.played < min(games, self.training.games):
            block = self.played // self.training.snapshot
            until = min(games, self.training.games, (block + 1) * self.training.snapshot)
            self._learn_block(until, self._rule(block))

    def _learn_block(self, until: int, rule: Rule) -> None:
        training, start = self.training, self.game.start()
        if training.method == "temporal":
            play_itself(
                start, self.student, rule, self.changes, self._tale, training.trace, training.exploration,
                until - self.played, self.room,
            )  # fmt: skip
            self.progress.marks[PLAYED] = until
            return
        play_and_learn(
            start, self.student, make_opponent(self.game, training.opponent),
            make_teacher(self.game, training.teacher), rule, self.changes, self.governor, self.progress,
            EITHER if self.options.colour == "either" else COLOURS.index(self.options.colour), until,
            self.game.conventions.ply_limit, self.room,
        )  # fmt: skip

    def _rule(self, block: int) -> Rule:
        """Return how weights change during a block of games: the rate falls from block to block, evenly in ratio."""
        training = self.training
        last = training.rate if training.last_rate is None else training.last_rate
        share = min(1.0, block * training.snapshot / max(training.games - training.snapshot, 1))
        rate = training.rate * (last / training.rate) ** share if training.rate else 0.0
        return Rule(np.float32(rate), np.float32(training.momentum), np.float32(training.offset))

    def save(self, path: Path, fingerprint: str) -> None:
        """Write everything that going on needs."""
        save_arrays(path, self._arrays(), {"fingerprint": fingerprint})

    def resume(self, path: Path, fingerprint: str) -> bool:
        """Go on from a file, if there is one of the same training."""
        if not path.exists():
            return False
        arrays, facts = load_arrays(path)
        if facts.get("fingerprint") != fingerprint:
            return False
        own = self._arrays()
        if any(name not in arrays or arrays[name].shape != array.shape for name, array in own.items()):
            raise FileError(f"{str(path)!r} does not hold this training; delete it to train anew")
        with understood(f"the training {str(path)!r}"):
            for name, array in own.items():
                array[...] = arrays[name].astype(array.dtype, casting="same_kind")
        return True

    def _arrays(self) -> dict[str, NDArray[Any]]:
        more: dict[str, NDArray[Any]] = {} if self.training.minutes is None else {"clock": self.clock}
        if self.training.governor:
            more |= {"keys": self.governor.keys, "counts": self.governor.counts}
        return more | {
            "weights": self.network.weights, "last": self.changes.last, "results": self.progress.results,
            "best": self.progress.best, "marks": self.progress.marks, "luck": self.room.random_state,
        }  # fmt: skip


def local_wiring(game: CompiledGame, student: PupilOptions, sizes: Sequence[int]) -> NDArray[np.float32]:
    """Return which weights there are where the first layer has a unit for each cell."""
    wiring = np.ones(weight_count(sizes), np.float32)
    rows, columns = game.size
    boards = find_boards(game.name)
    cells = boards.input_cells(boards.find_representation(student.representation, rows, columns), rows, columns)
    assert cells is not None  # as `layer_sizes` has seen
    row, column = cells // columns, cells % columns
    units = np.arange(rows * columns)
    distance = abs(row[:, None] - units // columns) + abs(column[:, None] - units % columns)
    layers(sizes, wiring)[0][0][:] = distance == 1
    return wiring
