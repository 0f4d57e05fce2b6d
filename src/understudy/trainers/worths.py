"""The objective of students that learn what positions of records are worth: a teacher's values, results, or TD(lambda).

TD(lambda) mixes what the network itself thinks of the next position with what came of it: in each epoch the network
values all positions, and every game is walked backwards,

    G(last) = the result,   G(s) = (1 - trace^n) V(next) + trace^n G(next),

the next record of a game being n plies later; what is good for one side is bad for the other, so signs turn with every
ply. With a trace of 1 this is the result, with 0 the next position alone. How well it foresees results is examined by
results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from understudy.games.batches import NO_MOVE
from understudy.games.images import expand
from understudy.kernels import kernel
from understudy.networks.evaluators import EvaluatorNetwork, Shown, show
from understudy.records.store import Records
from understudy.records.worths import Worths, follow_weighed
from understudy.trainers.fitting import Epoch, Graded, Learning, Partial, TrainingOptions, fit

LOWEST = -0.99
"""No network counts as worse than this, lest the weights of a bad beginning are never kept."""


class Course(NamedTuple):
    """The games that records come from: how one goes from record to record."""

    order: NDArray[np.int64]
    """The records game by game, in the order of plies."""
    steps: NDArray[np.int64]
    """Plies from each to the next of its game; 0 at the last."""
    trace: float
    """Lambda."""


@dataclass(frozen=True)
class WorthLesson:
    """Positions to learn from, with their images, and what each is worth."""

    shown: Shown
    origins: NDArray[np.int64]
    """The record that each row is an image of; rows of a record lie together, itself first."""
    worths: Worths
    """Of each record."""
    course: Course | None = None
    """Where values are learned by way of the positions between."""

    @property
    def starts(self) -> NDArray[np.int64]:
        """The row of each record itself."""
        return np.flatnonzero(np.diff(self.origins, prepend=-1) != 0)


class WorthExam(NamedTuple):
    """Positions that are only looked at, and what each is worth."""

    shown: Shown
    worths: Worths


def make_worth_lesson(
    network: EvaluatorNetwork, records: Records, worths: Worths, *, trace: float | None
) -> WorthLesson:
    """Return records as a network learns from them, in all their images; *trace* asks for TD(lambda)."""
    nobody = np.full(len(records), NO_MOVE, np.int32)
    images, _, origins = expand(records.game, records.positions, nobody)
    course = None if trace is None else plan_course(records, trace)
    return WorthLesson(show(records.game, network.plan, images), origins, worths, course)


def make_weighed_lesson(network: EvaluatorNetwork, records: Records, *, seed: int) -> WorthLesson:
    """Return what all weighed moves of records lead to, as a network learns from it."""
    positions, worths = follow_weighed(records, seed=seed)
    return WorthLesson(show(records.game, network.plan, positions), np.arange(len(worths)), worths)


def make_worth_exam(network: EvaluatorNetwork, records: Records, worths: Worths) -> WorthExam:
    """Return records as a network is examined on them."""
    return WorthExam(show(records.game, network.plan, records.positions), worths)


def plan_course(records: Records, trace: float) -> Course:
    """Return how the games of records go from record to record."""
    order = np.lexsort((records.plies, records.games))
    games, plies = records.games[order], records.plies[order].astype(np.int64)
    steps = np.append(np.where(games[1:] == games[:-1], np.diff(plies), 0), 0)
    return Course(order, steps[: len(order)], trace)


def look_back(course: Course, values: NDArray[Any], results: NDArray[Any]) -> Worths:
    """Return what TD(lambda) makes of each record, given what the network says of all of them and how games ended."""
    targets = np.zeros(len(values), np.float32)
    walk_back(course.order, course.steps, course.trace, values, results, targets)
    return targets


@kernel
def walk_back(
    order: NDArray[np.int64],
    steps: NDArray[np.int64],
    trace: float,
    values: NDArray[np.float32],
    results: NDArray[np.float32],
    targets: NDArray[np.float32],
) -> None:
    """Write the targets of all games, the last record of each first."""
    for place in range(len(order) - 1, -1, -1):
        row = order[place]
        if steps[place] == 0:
            targets[row] = results[row]
        else:
            after, kept = order[place + 1], trace ** steps[place]
            mixed = (1.0 - kept) * values[after] + kept * targets[after]
            targets[row] = mixed if steps[place] % 2 == 0 else -mixed


def train_worths(
    learning: Learning, lesson: WorthLesson, examination: WorthExam, options: TrainingOptions
) -> Iterator[Partial | Epoch]:
    """Fit a network to what positions are worth; at the end it has the weights that were best on the examination."""
    return fit(learning, WorthObjective(learning.unit, lesson, examination, options), options)


class WorthObjective:
    """Squared errors of values from -1 to 1; accuracy is the share of what positions differ by that is explained."""

    def __init__(
        self, network: EvaluatorNetwork, lesson: WorthLesson, examination: WorthExam, options: TrainingOptions
    ) -> None:
        self.network, self.lesson, self.examination, self.options = network, lesson, examination, options
        self.targets = lesson.worths
        self.spread = max(float(lesson.worths.var()), 1e-6)
        """The squared error of always saying the mean; a set in which all is alike has been refused."""

    def batches(self, epoch: int) -> tuple[int, Iterator[Tensor]]:
        """Return rows in an order that this epoch alone has: all images of a record, or one drawn anew."""
        lesson, options = self.lesson, self.options
        rng = np.random.default_rng([options.seed, epoch, 0x7D])
        rows = np.arange(len(lesson.origins))
        if options.images == "one":
            lengths = np.diff(np.append(lesson.starts, len(rows)))
            rows = lesson.starts + (rng.random(len(lengths)) * lengths).astype(np.int64)
        if lesson.course is not None:
            values = self.network.appraise(lesson.shown.taken(torch.from_numpy(lesson.starts)))
            self.targets = look_back(lesson.course, values, lesson.worths)
        order, batch = torch.from_numpy(rng.permutation(rows)), options.batch
        steps = math.ceil(len(order) / batch)
        return steps, (order[step * batch : (step + 1) * batch] for step in range(steps))

    def grade(self, rows: Tensor) -> Graded:
        """Return the squared error of some rows, seen by both sides."""
        targets = torch.from_numpy(self.targets[self.lesson.origins[rows.numpy()]])
        mine, theirs = self.network(self.lesson.shown.taken(rows))
        errors = (torch.tanh(mine) - targets).square()
        if not self.network.plan.both:  # who looks on is asked too: after its own move a student sees the board so
            errors = (errors + (torch.tanh(theirs) + targets).square()) / 2
        loss = errors.mean()
        total = loss.item() * len(rows)
        return Graded(loss, total, len(rows) - total / self.spread, len(rows))

    def examine(self) -> tuple[float, float]:
        """Return the squared error and the share explained, on positions that are not learned from."""
        said = self.network.appraise(self.examination.shown)
        error = float(np.mean((said - self.examination.worths) ** 2)) if len(said) else 0.0
        return error, max(1.0 - error / self.spread, LOWEST)
