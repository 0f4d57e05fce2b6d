"""Learning what boards are worth, in batches: a network is fitted to values from 0 lost to 1 won."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from understudy.trainers.supervised import Epoch, Learning, Step, TrainingOptions, learning_rate, note_epoch, set_rate

ROWS = 8192
"""Boards looked at together in an examination."""


class Valued(NamedTuple):
    """Boards as a network sees them [boards, inputs], and what each is worth [boards]."""

    inputs: Tensor
    values: Tensor


def train_values(
    learning: Learning, lesson: Valued, examination: Valued, options: TrainingOptions
) -> Iterator[Step | Epoch]:
    """Yield after every few batches and after each epoch; at the end the network has its best weights.

    Accuracy is the share of boards that are put on the right side of 0.5.
    """
    while not learning.finished(options):
        began = time.perf_counter()
        loss = hits = 0.0
        with torch.random.fork_rng():
            for share, batch_loss, batch_hits in _epoch(learning, lesson, options):
                loss, hits = loss + batch_loss, hits + batch_hits
                yield Step(min(1.0, (learning.epoch + share) / options.epochs))
        learned = time.perf_counter() - began
        examined = examine_values(learning.unit, examination)
        learning.seconds += time.perf_counter() - began
        best, rows = note_epoch(learning, examined[1]), len(lesson.values)
        rate = learning.optimiser.param_groups[0]["lr"]
        yield Epoch(
            learning.epoch - 1, min(1.0, learning.epoch / options.epochs), learning.seconds, rows / learned, rate,
            loss / rows, hits / rows, *examined, best,
        )  # fmt: skip
    if learning.best_weights is not None:
        learning.unit.load_state_dict(learning.best_weights)


def _epoch(learning: Learning, lesson: Valued, options: TrainingOptions) -> Iterator[tuple[float, float, float]]:
    """Learn from every batch of an epoch; yield share done, summed loss and hits of each."""
    network, optimiser = learning.unit.train(), learning.optimiser
    torch.manual_seed(options.seed * 1_000_003 + learning.epoch)
    order = torch.from_numpy(np.random.default_rng([options.seed, learning.epoch]).permutation(len(lesson.values)))
    steps = math.ceil(len(order) / options.batch)
    for step in range(steps):
        set_rate(optimiser, learning_rate(options, learning.epoch, (learning.epoch + step / steps) / options.epochs))
        rows = order[step * options.batch : (step + 1) * options.batch]
        values = lesson.values[rows]
        logits = network(lesson.inputs[rows].float())
        loss = nn.functional.binary_cross_entropy_with_logits(logits, values)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        yield (step + 1) / steps, loss.item() * len(rows), float(_right(logits, values))


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
