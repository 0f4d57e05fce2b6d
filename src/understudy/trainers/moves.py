"""Learning by watching: a network is fitted to the teacher's moves.

After Galassi (2017), chapters 5 and 6, and Chesani et al. (2018): negative log-likelihood with L1 or L2; `penalise =
"output"` repeats what the authors' code really did. Label smoothing and a legality term (the thesis's section 7.2)
stand beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from understudy.networks.students import Unit
from understudy.trainers import lessons
from understudy.trainers.fitting import Batch, Epoch, Graded, Learning, TrainingOptions, fit
from understudy.trainers.lessons import Lesson, batches, shuffled

AT_ONCE = 8192
"""Rows that are looked at together after an epoch."""


def train(learning: Learning, lesson: Lesson, examination: Lesson, options: TrainingOptions) -> Iterator[Batch | Epoch]:
    """Fit a unit to the moves of a lesson; at the end it has the weights that were best on the examination."""
    return fit(learning, Moves(learning.unit, lesson, examination, options), options)


@dataclass(frozen=True)
class Moves:
    """The objective of students that imitate: the teacher's moves, part by part."""

    unit: Unit
    lesson: Lesson
    examination: Lesson
    options: TrainingOptions

    def batches(self, epoch: int) -> tuple[int, Iterator[lessons.Batch]]:
        """Return the lesson's rows in an order that this epoch alone has."""
        rng = np.random.default_rng([self.options.seed, epoch, 0xE0])
        rows = shuffled(self.lesson, images=self.options.images, rng=rng)
        return math.ceil(len(rows) / self.options.batch), batches(self.lesson, rows, self.options.batch)

    def grade(self, batch: lessons.Batch) -> Graded:
        """Return the loss of a batch, and how many of its moves are right."""
        loss, hits = _graded(self.unit, batch, self.options)
        rows = len(batch.parts)
        return Graded(loss + _penalty(self.unit, self.options), loss.item() * rows, float(hits), rows)

    def examine(self) -> tuple[float, float]:
        """Return loss and accuracy on the examination."""
        return examine(self.unit, self.examination, self.options)


def examine(unit: Unit, lesson: Lesson, options: TrainingOptions) -> tuple[float, float]:
    """Return loss and accuracy on a lesson, the earlier parts being the teacher's."""
    unit.eval()
    loss = hits = 0.0
    with torch.no_grad():
        for batch in batches(lesson, torch.arange(len(lesson)), AT_ONCE):
            losses, right = _graded(unit, batch, options)
            loss, hits = loss + float(losses) * len(batch.parts), hits + float(right)
    unit.train()
    return loss / max(len(lesson), 1), hits / max(len(lesson), 1)


def _graded(unit: Unit, batch: lessons.Batch, options: TrainingOptions) -> tuple[Tensor, Tensor]:
    """Return the loss, summed over the places a unit decides, and how often all of them are right."""
    hidden = unit.hidden(batch.inputs)
    loss, right = torch.zeros(()), torch.ones(len(batch.parts), dtype=torch.bool)
    for place in unit.places:
        before = [batch.parts[:, earlier] for earlier in range(place)]
        logits, target = unit.logits(place, hidden, before), batch.parts[:, place]
        legal = None if batch.legal is None else batch.legal[:, place]
        loss = loss + _loss(logits, target, legal, options)
        right &= logits.argmax(dim=1) == target
    return loss, right.sum()


def _loss(logits: Tensor, target: Tensor, legal: Tensor | None, options: TrainingOptions) -> Tensor:
    if legal is None:
        return nn.functional.cross_entropy(logits, target, label_smoothing=options.label_smoothing)
    scores = logits.log_softmax(dim=1)
    shared = legal.float() if options.smooth_over == "legal" else torch.ones_like(scores)
    smooth = -(scores * shared).sum(dim=1) / shared.sum(dim=1)
    chosen = -scores.gather(1, target[:, None])[:, 0]
    forbidden = -scores.masked_fill(~legal, -torch.inf).logsumexp(dim=1)
    weight = options.label_smoothing
    return ((1 - weight) * chosen + weight * smooth + options.legality * forbidden).mean()


def _penalty(unit: Unit, options: TrainingOptions) -> Tensor | float:
    if options.l1 == options.l2 == 0:
        return 0.0
    named = [(name, weight) for name, weight in unit.named_parameters() if weight.dim() > 1]
    weights = [weight for name, weight in named if options.penalise == "all" or "output" in name or "heads" in name]
    total = torch.zeros(())
    for weight in weights:
        total = total + options.l1 * weight.abs().sum() + options.l2 * weight.square().sum()
    return total
