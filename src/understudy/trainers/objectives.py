"""What students are fitted to: a teacher's moves, part by part, or what boards are worth, from 0 lost to 1 won.

Learning by watching is after Galassi (2017), chapters 5 and 6, and Chesani et al. (2018): negative log-likelihood with
L1 or L2; `penalise = "output"` repeats what the authors' code really did. Label smoothing and a legality term (the
thesis's section 7.2) stand beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.games.batches import size, taken
from understudy.games.layout import Encoder
from understudy.games.legality import WORD, part_rules
from understudy.games.parts import parts_of
from understudy.networks.students import Unit, Valuing
from understudy.records.examples import Examples
from understudy.trainers.fitting import Epoch, Graded, Learning, Partial, TrainingOptions, fit
from understudy.trainers.weighed import Soft, Targets, Worths, find_target, find_worth_loss, make_soft

AT_ONCE = 8192
"""Rows that are looked at together after an epoch: as many as fit into the caches of a core with their layers."""
HELD = 1 << 30
"""Bytes of inputs that are held ready; of more, each batch is encoded anew: a position of chess takes 780 bytes."""


class Inputs(Protocol):
    """What a network sees, by rows."""

    def __getitem__(self, rows: Tensor, /) -> Tensor: ...


@dataclass(frozen=True)
class Encoded:
    """Positions that are encoded when they are asked for."""

    encoder: Encoder
    positions: Any

    def __getitem__(self, rows: Tensor, /) -> Tensor:
        return torch.from_numpy(self.encoder.encode(taken(self.positions, rows.numpy())))


@dataclass(frozen=True)
class Lesson:
    """What a network is shown: inputs [rows, columns], the teacher's parts in the cascade's order [rows, parts]."""

    inputs: Inputs
    parts: Tensor
    legal: Tensor | None
    """Which classes the rules allow at each place after the teacher's earlier parts [rows, parts, words]: bits."""
    starts: NDArray[np.int64]
    """The first row of each record; rows of a record lie together."""
    classes: int
    """How many there are of a part, of the largest where they differ."""
    soft: Soft | None = None
    """Targets that are shared among several moves; None: the teacher's choice is the target."""

    def __len__(self) -> int:
        return len(self.parts)


class Batch(NamedTuple):
    """Some rows of a lesson, as networks take them."""

    inputs: Tensor
    parts: Tensor
    legal: Tensor | None
    targets: Targets | None = None
    worths: tuple[Tensor, Tensor] | None = None
    """Inputs and worths of positions that moves lead to."""


def make_lesson(
    examples: Examples, encoder: Encoder, order: tuple[int, ...], *, legal: bool, temperature: float = 0.0
) -> Lesson:
    """Return examples as tensors; *legal* asks for the masks that a legality term in the loss needs.

    With a *temperature* targets are shared among the moves that were weighed.
    """
    together = bool(np.all(np.diff(examples.origins) >= 0))  # then millions of rows are not copied
    grouped = examples if together else examples.taken(np.argsort(examples.origins, kind="stable"))
    parts = parts_of(grouped.game, grouped.moves)[:, order]
    masks = torch.from_numpy(_masks(grouped, parts, order)) if legal and not temperature else None
    new = np.concatenate([[True], np.diff(grouped.origins) != 0])
    return Lesson(
        inputs=_show(encoder, grouped.positions),
        parts=torch.from_numpy(parts),
        legal=masks,
        starts=np.flatnonzero(new),
        classes=max(grouped.game.part_sizes),
        soft=make_soft(grouped, order, temperature=temperature, legal=legal) if temperature else None,
    )


def _show(encoder: Encoder, positions: Any) -> Inputs:
    if size(positions) * encoder.layout.width > HELD:
        return Encoded(encoder, positions)
    return torch.from_numpy(encoder.encode(positions))


def shuffled(lesson: Lesson, *, images: str, rng: np.random.Generator) -> Tensor:
    """Return the rows of one epoch in random order: all of them, or one image of each record."""
    if images == "all":
        return torch.from_numpy(rng.permutation(len(lesson)))
    lengths = np.diff(np.append(lesson.starts, len(lesson)))
    rows = lesson.starts + (rng.random(len(lengths)) * lengths).astype(np.int64)
    return torch.from_numpy(rng.permutation(rows))


def batches(lesson: Lesson, rows: Tensor, count: int) -> Iterator[Batch]:
    """Yield the rows in batches; a short rest makes the last one."""
    for first in range(0, len(rows), count):
        chosen = rows[first : first + count]
        inputs = lesson.inputs[chosen].float()
        if lesson.soft is None:
            yield Batch(inputs, lesson.parts[chosen], _spread_all(lesson.legal, chosen, lesson.classes))
        else:
            targets = lesson.soft.draw(chosen)
            yield Batch(inputs, targets.parts, _spread_all(targets.legal, None, lesson.classes), targets)


def _spread_all(masks: Tensor | None, rows: Tensor | None, classes: int) -> Tensor | None:
    """Return the masks of some rows, or of all, as truths; None where there are none."""
    return None if masks is None else spread(masks if rows is None else masks[rows], classes)


def spread(masks: Tensor, classes: int) -> Tensor:
    """Return bits of words [..., words] as truths [..., classes]."""
    numbers = torch.arange(classes)
    return (masks[..., numbers // WORD] >> (numbers % WORD)) & 1 == 1


def _masks(examples: Examples, parts: NDArray[np.int64], order: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the classes allowed at each place after the teacher's earlier parts, as bits [rows, parts, words]."""
    return part_rules(examples.game).follow(examples.positions, order=order, chosen=parts).view(np.int64)


def train_moves(
    learning: Learning,
    lesson: Lesson,
    examination: Lesson,
    options: TrainingOptions,
    worths: tuple[Inputs, Tensor] | None = None,
) -> Iterator[Partial | Epoch]:
    """Fit a unit to the moves of a lesson; at the end it has the weights that were best on the examination.

    *worths* are what positions look like and are worth, for a unit that says that, too.
    """
    return fit(learning, Moves(learning.unit, lesson, examination, options, worths), options)


def show_worths(worths: Worths, encoder: Encoder) -> tuple[Inputs, Tensor]:
    """Return positions that moves lead to as a network sees them, and their worths."""
    return _show(encoder, worths.positions), worths.values


@dataclass(frozen=True)
class Moves:
    """The objective of students that imitate: the teacher's moves, part by part."""

    unit: Unit
    lesson: Lesson
    examination: Lesson
    options: TrainingOptions
    worths: tuple[Inputs, Tensor] | None = None

    def batches(self, epoch: int) -> tuple[int, Iterator[Batch]]:
        """Return the lesson's rows in an order that this epoch alone has, or its share of one order for several."""
        rows = self._choose_rows(epoch)
        shown = batches(self.lesson, rows, self.options.batch)
        return math.ceil(len(rows) / self.options.batch), shown if self.worths is None else map(self._add_worths, shown)

    def _add_worths(self, batch: Batch) -> Batch:
        """Return a batch with positions that moves lead to, drawn from all."""
        assert self.worths is not None
        inputs, values = self.worths
        rows = torch.randint(len(values), (len(batch.parts) * self.options.worth_rows,))
        return batch._replace(worths=(inputs[rows].float(), values[rows]))

    def _choose_rows(self, epoch: int) -> Tensor:
        """Return the rows of an epoch; short ones share an order until every row was shown once."""
        records = len(self.lesson) if self.options.images == "all" else len(self.lesson.starts)
        count = min(self.options.epoch_rows or records, records)
        turn, place = divmod(epoch, math.ceil(records / count))
        rng = np.random.default_rng([self.options.seed, turn, 0xE0])
        return shuffled(self.lesson, images=self.options.images, rng=rng)[place * count : (place + 1) * count]

    def grade(self, batch: Batch) -> Graded:
        """Return the loss of a batch, and how many of its moves are right."""
        half = self.options.precision == "bfloat16"
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            loss, hits = _graded(self.unit, batch, self.options)
            if batch.worths is not None:
                unit = cast(Valuing, self.unit)
                logits = unit.value(unit.hidden(batch.worths[0]))[:, 0].float()
                loss = loss + self.options.worth * find_worth_loss(logits, batch.worths[1])
        rows = len(batch.parts)
        return Graded(loss + _penalty(self.unit, self.options), loss.item() * rows, float(hits), rows)

    def examine(self) -> tuple[float, float]:
        """Return loss and accuracy on the examination."""
        return examine_moves(self.unit, self.examination, self.options)


def examine_moves(unit: Unit, lesson: Lesson, options: TrainingOptions) -> tuple[float, float]:
    """Return loss and accuracy on a lesson, the earlier parts being the teacher's."""
    unit.eval()
    loss = hits = 0.0
    with torch.no_grad():
        for batch in batches(lesson, torch.arange(len(lesson)), AT_ONCE):
            losses, right = _graded(unit, batch, options)
            loss, hits = loss + float(losses) * len(batch.parts), hits + float(right)
    unit.train()
    return loss / max(len(lesson), 1), hits / max(len(lesson), 1)


def _graded(unit: Unit, batch: Batch, options: TrainingOptions) -> tuple[Tensor, Tensor]:
    """Return the loss, summed over the places a unit decides, and how often all of them are right."""
    hidden = unit.hidden(batch.inputs)
    loss, right = torch.zeros(()), torch.ones(len(batch.parts), dtype=torch.bool)
    for place in unit.places:
        before = [batch.parts[:, earlier] for earlier in range(place)]
        logits, target = unit.logits(place, hidden, before).float(), batch.parts[:, place]
        legal = None if batch.legal is None else batch.legal[:, place, : logits.shape[1]]
        shares = None if batch.targets is None else find_target(batch.targets, place, logits.shape[1])
        loss = loss + _loss(logits, target, legal, options, shares)
        right &= logits.argmax(dim=1) == target
    return loss, right.sum()


def _loss(
    logits: Tensor, target: Tensor, legal: Tensor | None, options: TrainingOptions, shares: Tensor | None = None
) -> Tensor:
    """Return the loss of one place; the target is a class of each row, or *shares* of all of them."""
    if legal is None:
        goal = target if shares is None else shares
        return nn.functional.cross_entropy(logits, goal, label_smoothing=options.label_smoothing)
    scores = logits.log_softmax(dim=1)
    shared = legal.float() if options.smooth_over == "legal" else torch.ones_like(scores)
    smooth = -(scores * shared).sum(dim=1) / shared.sum(dim=1)
    chosen = -scores.gather(1, target[:, None])[:, 0] if shares is None else -(scores * shares).sum(dim=1)
    forbidden = -scores.masked_fill(~legal, -torch.inf).logsumexp(dim=1)
    weight = options.label_smoothing
    return ((1 - weight) * chosen + weight * smooth + options.legality * forbidden).mean()


def _penalty(unit: Unit, options: TrainingOptions) -> Tensor | float:
    if options.l1 == options.l2 == 0:
        return 0.0
    named = [(name, weight) for name, weight in unit.named_parameters() if weight.dim() > 1]
    weights = [weight for name, weight in named if options.penalise == "all" or "output" in name or "heads" in name]
    # A network that is one row of layers names none of them: the last is the output. A unit may have two such rows.
    weights = weights or list({name.rpartition(".steps.")[0]: weight for name, weight in named}.values())
    total = torch.zeros(())
    for weight in weights:
        total = total + options.l1 * weight.abs().sum() + options.l2 * weight.square().sum()
    return total


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
        for row in range(0, len(examination.values), AT_ONCE):
            values = examination.values[row : row + AT_ONCE]
            logits = network(examination.inputs[row : row + AT_ONCE].float())
            loss += float(nn.functional.binary_cross_entropy_with_logits(logits, values, reduction="sum"))
            hits += float(_right(logits, values))
    network.train()
    rows = max(len(examination.values), 1)
    return loss / rows, hits / rows


def _right(logits: Tensor, values: Tensor) -> Tensor:
    return ((logits > 0) == (values > 0.5)).sum()
