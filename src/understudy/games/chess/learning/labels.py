"""Learning what an engine says of positions: classes and outcomes by likelihood, numbers by squared error.

After Sabatelli (2017), chapters 6 and 7. Positions stay packed as masks; each batch is encoded when its turn comes,
which costs less than fetching ready-made planes from memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.games.batches import size
from understudy.games.chess.datasets import Dataset, pawns_of
from understudy.games.chess.inputs.planes import ChessInputs, encode_into
from understudy.games.chess.inputs.standings import MOST, encode_standings
from understudy.games.chess.position import Chess
from understudy.trainers.fitting import Epoch, Graded, Learning, Partial, TrainingOptions, fit

ROWS = 8192
"""Positions looked at together when nothing is learned: their planes take some 25 MB."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Positions and what a network should say of them."""

    positions: Chess
    targets: Tensor
    inputs: ChessInputs
    dataset: Dataset

    def __len__(self) -> int:
        return len(self.targets)


def shown(positions: Chess, rows: NDArray[np.int64], inputs: ChessInputs) -> Tensor:
    """Return some of the positions as a network sees them."""
    if inputs.kind == "standings":
        present = np.empty((len(rows), MOST), np.int32)
        encode_standings(positions, rows, present)
        return torch.from_numpy(present)
    planes = np.empty((len(rows), inputs.planes, 8, 8), np.float32)
    encode_into(positions, rows, inputs.plan, planes.reshape(len(rows), inputs.planes, 64))
    return torch.from_numpy(planes)


def train_labels(
    learning: Learning, lesson: Labelled, examination: Labelled, options: TrainingOptions
) -> Iterator[Partial | Epoch]:
    """Fit a network to labels; at the end it has the weights that were best on the examination."""
    return fit(learning, Labels(learning.unit, lesson, examination, options), options)


@dataclass(frozen=True)
class Labels:
    """The objective of students that learn what an engine says."""

    network: nn.Module
    lesson: Labelled
    examination: Labelled
    options: TrainingOptions

    def batches(self, epoch: int) -> tuple[int, Iterator[NDArray[np.int64]]]:
        """Return the rows of an epoch in an order that it alone has; what fills no batch waits for another epoch."""
        batch = self.options.batch
        order = np.random.default_rng([self.options.seed, epoch, 0x1A]).permutation(len(self.lesson))
        steps = max(1, len(order) // batch)
        return steps, (order[step * batch : (step + 1) * batch] for step in range(steps))

    def grade(self, rows: NDArray[np.int64]) -> Graded:
        """Return the loss of some positions, and how near the network is."""
        dataset, targets = self.lesson.dataset, self.lesson.targets[rows]
        outputs = self.network(shown(self.lesson.positions, rows, self.lesson.inputs))
        loss = _loss(dataset, outputs, targets)
        return Graded(loss, loss.item() * len(rows), _hits(dataset, outputs.detach(), targets), len(rows))

    def examine(self) -> tuple[float, float]:
        """Return loss and accuracy on the examination."""
        return examine_labels(self.network, self.examination, self.options.validation_rows)


def _loss(dataset: Dataset, outputs: Tensor, targets: Tensor) -> Tensor:
    if dataset.classes:
        return nn.functional.cross_entropy(outputs, targets)
    if dataset.logistic:
        likely = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], targets)
        return likely + dataset.apart * _apart(outputs[:, 0], targets) if dataset.apart else likely
    return nn.functional.mse_loss(outputs[:, 0], targets)


def _apart(logits: Tensor, targets: Tensor) -> Tensor:
    """Return how far logits are from those of the targets, the more the surer an outcome is."""
    sure = 1 - 4 * targets * (1 - targets)  # 0 for an even game, 1 for a decided one
    return (sure * nn.functional.smooth_l1_loss(logits, torch.logit(targets, eps=1e-6), reduction="none")).mean()


def _hits(dataset: Dataset, outputs: Tensor, targets: Tensor) -> float:
    """Return how many classes are right, or how near numbers are: one for each, less their squared errors."""
    if dataset.classes:
        return float((outputs.argmax(dim=1) == targets).sum())
    numbers = torch.sigmoid(outputs[:, 0]) if dataset.logistic else outputs[:, 0]
    return len(targets) - float((numbers - targets).square().sum())


def examine_labels(network: nn.Module, examination: Labelled, most: int) -> tuple[float, float]:
    """Return the mean loss and the accuracy (of numbers: one less their mean squared error), on at most *most* rows.

    They are spread evenly, because files stand one after another.
    """
    loss = hits = 0.0
    rows = min(len(examination), most)
    chosen = np.linspace(0, len(examination) - 1, rows).astype(np.int64)
    for first in range(0, rows, ROWS):
        part = chosen[first : first + ROWS]
        outputs, targets = torch.from_numpy(say(network, examination, part)), examination.targets[part]
        loss += float(_loss(examination.dataset, outputs, targets)) * len(part)
        hits += _hits(examination.dataset, outputs, targets)
    return loss / max(rows, 1), hits / max(rows, 1)


def say(network: nn.Module, lesson: Labelled, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what a network says of some positions [rows, outputs]: logits of classes or of outcomes, else numbers."""
    network.eval()
    with torch.no_grad():
        outputs = [
            network(shown(lesson.positions, rows[first : first + ROWS], lesson.inputs)).numpy()
            for first in range(0, len(rows), ROWS)
        ]
    network.train()
    return np.concatenate(outputs) if outputs else np.zeros((0, lesson.dataset.outputs), np.float32)


def told(network: nn.Module, lesson: Labelled) -> NDArray[np.float64]:
    """Return in pawns, for the mover, what a network says of every position of a lesson."""
    return pawns_of(lesson.dataset, say(network, lesson, np.arange(size(lesson.positions))))


def parameters(network: nn.Module) -> int:
    """Return how many weights a network has."""
    return sum(weight.numel() for weight in network.parameters())
