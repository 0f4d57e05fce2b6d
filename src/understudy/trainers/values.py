"""Learning what boards are worth, in batches: a network is fitted to values from 0 lost to 1 won."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from understudy.trainers.fitting import Epoch, Graded, Learning, Partial, TrainingOptions, fit

ROWS = 8192
"""Boards looked at together in an examination."""


class Valued(NamedTuple):
    """Boards as a network sees them [boards, inputs], and what each is worth [boards]."""

    inputs: Tensor
    values: Tensor


def train_values(
    learning: Learning, lesson: Valued, examination: Valued, options: TrainingOptions
) -> Iterator[Partial | Epoch]:
    """Fit a network to what boards are worth; at the end it has the weights that were best on the examination."""
    return fit(learning, Values(learning.unit, lesson, examination, options), options)


@dataclass(frozen=True)
class Values:
    """The objective of students that value boards; accuracy is the share that is put on the right side of 0.5."""

    network: nn.Module
    lesson: Valued
    examination: Valued
    options: TrainingOptions

    def batches(self, epoch: int) -> tuple[int, Iterator[Tensor]]:
        """Return the rows of an epoch in an order that it alone has."""
        rng, batch = np.random.default_rng([self.options.seed, epoch]), self.options.batch
        order = torch.from_numpy(rng.permutation(len(self.lesson.values)))
        steps = math.ceil(len(order) / batch)
        return steps, (order[step * batch : (step + 1) * batch] for step in range(steps))

    def grade(self, rows: Tensor) -> Graded:
        """Return the loss of some rows, and how many are on the right side."""
        values = self.lesson.values[rows]
        logits = self.network(self.lesson.inputs[rows].float())
        loss = nn.functional.binary_cross_entropy_with_logits(logits, values)
        return Graded(loss, loss.item() * len(rows), float(_right(logits, values)), len(rows))

    def examine(self) -> tuple[float, float]:
        """Return loss and accuracy on the examination."""
        return examine_values(self.network, self.examination)


def examine_values(network: nn.Module, examination: Valued) -> tuple[float, float]:
    """Return the mean loss and the accuracy on boards that are not learned from."""
    network.eval()
    loss = hits = 0.0
    with torch.no_grad():
        for row in range(0, len(examination.values), ROWS):
            values = examination.values[row : row + ROWS]
            logits = network(examination.inputs[row : row + ROWS].float())
            loss += float(nn.functional.binary_cross_entropy_with_logits(logits, values, reduction="sum"))
            hits += float(_right(logits, values))
    network.train()
    rows = max(len(examination.values), 1)
    return loss / rows, hits / rows


def _right(logits: Tensor, values: Tensor) -> Tensor:
    return ((logits > 0) == (values > 0.5)).sum()
