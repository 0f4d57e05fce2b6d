"""Learning by watching: a network is fitted to the teacher's moves.

After Galassi (2017), chapters 5 and 6, and Chesani et al. (2018): negative log-likelihood, L1 or L2, Adam, an annealed
learning rate, early stopping by patience on validation accuracy. The annealing is done here, unlike in the authors'
code; `penalise = "output"` and `schedule = "constant"` repeat what theirs really did. What is better today stands
beside it: AdamW, one-cycle and cosine schedules, label smoothing, a legality term (the thesis's section 7.2).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from understudy.config import check_range
from understudy.errors import UnknownName
from understudy.networks.students import Unit
from understudy.trainers.lessons import Batch, Lesson, batches, shuffled

OPTIMISERS = ("adam", "adamw", "sgd")
SCHEDULES = ("constant", "anneal", "one_cycle", "cosine")
PENALISED = ("all", "output")
SMOOTHED = ("all", "legal")
IMAGES = ("all", "one")
WARM = 0.15
"""The share of a one-cycle schedule in which the learning rate rises."""


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """The `[training]` section; the defaults are the paper's."""

    optimiser: str = "adam"
    learning_rate: float = 0.002
    beta1: float = 0.99
    beta2: float = 0.999
    momentum: float = 0.0
    """Nesterov's momentum, for `sgd`."""
    schedule: str = "anneal"
    decay: float = 0.01
    """The k of the annealing: in epoch t the rate is learning_rate / (1 + k t)."""
    l1: float = 0.0
    l2: float = 0.0
    penalise: str = "all"
    """Which weights L1 and L2 touch: all, or those of the output as in the authors' code."""
    weight_decay: float = 0.0
    batch: int = 20_000
    epochs: int = 10_000
    patience: int = 50
    """Epochs without a better validation accuracy before training stops."""
    minutes: float | None = None
    """Stop at the end of the epoch in which this much time is used up; schedules then follow the clock."""
    images: str = "all"
    """Whether an epoch shows all images of a record, or one of them, drawn anew each time."""
    validation_rows: int = 20_000
    """At most this many rows are looked at after each epoch."""
    label_smoothing: float = 0.0
    smooth_over: str = "all"
    """Which classes share what is smoothed away: all, or those that the rules allow."""
    legality: float = 0.0
    """Weight of a term that punishes probability on what the rules forbid; 0: the student is not told the rules."""
    clip: float | None = None
    """The greatest norm of a gradient."""
    seed: int = 0


COMMON = (
    "optimiser", "learning_rate", "beta1", "beta2", "momentum", "schedule", "decay", "weight_decay", "batch", "epochs",
    "patience", "minutes", "seed",
)  # fmt: skip
"""Options that whatever learns in batches reads; the others are for learning moves, and for who names them."""


class Step(NamedTuple):
    """Some batches later."""

    done: float
    """Share of all epochs."""


class Epoch(NamedTuple):
    """What one epoch did."""

    epoch: int
    done: float
    """Share of the whole training."""
    seconds: float
    """Since training began, interruptions left out."""
    examples_per_second: float
    learning_rate: float
    train_loss: float
    train_accuracy: float
    """As the network learned, with dropout: each batch before its update."""
    validation_loss: float
    validation_accuracy: float
    best: bool


@dataclass
class Learning:
    """A training under way: everything needed to go on after a break."""

    unit: Any
    """The network, or several that learn together."""
    optimiser: torch.optim.Optimizer
    epoch: int = 0
    seconds: float = 0.0
    best_accuracy: float = -1.0
    best_epoch: int = -1
    best_weights: dict[str, Tensor] | None = None

    def finished(self, options: TrainingOptions) -> bool:
        """Tell whether nothing is left to do."""
        tired = self.epoch - 1 - self.best_epoch >= options.patience
        late = options.minutes is not None and self.seconds >= 60 * options.minutes
        return self.epoch >= options.epochs or tired or late


def begin(unit: nn.Module, options: TrainingOptions) -> Learning:
    """Return a training that has not begun."""
    check_training(options)
    matrices = [weight for weight in unit.parameters() if weight.dim() > 1]
    others = [weight for weight in unit.parameters() if weight.dim() <= 1]
    groups = [
        {"params": matrices, "weight_decay": options.weight_decay},
        {"params": others, "weight_decay": 0.0},
    ]
    return Learning(unit, _optimiser(groups, options))


def _optimiser(groups: list[dict[str, Any]], options: TrainingOptions) -> torch.optim.Optimizer:
    if options.optimiser == "sgd":
        momentum = options.momentum
        return torch.optim.SGD(groups, lr=options.learning_rate, momentum=momentum, nesterov=momentum > 0)
    kind = torch.optim.AdamW if options.optimiser == "adamw" else torch.optim.Adam
    return kind(groups, lr=options.learning_rate, betas=(options.beta1, options.beta2))


def train(learning: Learning, lesson: Lesson, examination: Lesson, options: TrainingOptions) -> Iterator[Step | Epoch]:
    """Yield after every few batches and after each epoch; at the end the unit has its best weights."""
    while not learning.finished(options):
        began = time.perf_counter()
        loss = hits = shown = 0.0
        with torch.random.fork_rng():
            for share, batch_loss, batch_hits, rows in _epoch(learning, lesson, options):
                loss, hits, shown = loss + batch_loss * rows, hits + batch_hits, shown + rows
                yield Step(share_done(options, learning.epoch + share, learning.seconds + time.perf_counter() - began))
        learned = time.perf_counter() - began
        validation = examine(learning.unit, examination, options)
        learning.seconds += time.perf_counter() - began
        best = note_epoch(learning, validation[1])
        rate = learning.optimiser.param_groups[0]["lr"]
        done = share_done(options, learning.epoch, learning.seconds)
        yield Epoch(
            learning.epoch - 1,
            done,
            learning.seconds,
            shown / learned,
            rate,
            loss / shown,
            hits / shown,
            *validation,
            best,
        )
    if learning.best_weights is not None:
        learning.unit.load_state_dict(learning.best_weights)


def examine(unit: Unit, lesson: Lesson, options: TrainingOptions) -> tuple[float, float]:
    """Return loss and accuracy on a lesson, the earlier parts being the teacher's."""
    unit.eval()
    loss = hits = 0.0
    with torch.no_grad():
        for batch in batches(lesson, torch.arange(len(lesson)), 8192):
            losses, right = _graded(unit, batch, options)
            loss, hits = loss + float(losses) * len(batch.parts), hits + float(right)
    unit.train()
    return loss / max(len(lesson), 1), hits / max(len(lesson), 1)


def _epoch(learning: Learning, lesson: Lesson, options: TrainingOptions) -> Iterator[tuple[float, float, float, int]]:
    """Learn from every batch of an epoch; yield share done, loss, hits and rows of each."""
    unit, optimiser = learning.unit.train(), learning.optimiser
    torch.manual_seed(options.seed * 1_000_003 + learning.epoch)
    rng = np.random.default_rng([options.seed, learning.epoch, 0xE0])
    rows = shuffled(lesson, images=options.images, rng=rng)
    steps, began = math.ceil(len(rows) / options.batch), time.perf_counter()
    for step, batch in enumerate(batches(lesson, rows, options.batch)):
        spent = learning.seconds + time.perf_counter() - began
        set_rate(
            optimiser, learning_rate(options, learning.epoch, share_done(options, learning.epoch + step / steps, spent))
        )
        loss, hits = _graded(unit, batch, options)
        total = loss + _penalty(unit, options)
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        if options.clip is not None:
            nn.utils.clip_grad_norm_(unit.parameters(), options.clip)
        optimiser.step()
        yield (step + 1) / steps, loss.item(), float(hits), len(batch.parts)


def _graded(unit: Unit, batch: Batch, options: TrainingOptions) -> tuple[Tensor, Tensor]:
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


def share_done(options: TrainingOptions, epochs: float, seconds: float) -> float:
    """Return the share of a training that is done, by its epochs or by the clock, whichever is further."""
    by_clock = 0.0 if options.minutes is None else seconds / (60 * options.minutes)
    return min(max(epochs / options.epochs, by_clock), 1.0)


def learning_rate(options: TrainingOptions, epoch: int, done: float) -> float:
    """Return the learning rate in an epoch, when *done* of the whole training is over."""
    if options.schedule == "anneal":
        factor = 1 / (1 + options.decay * epoch)
    elif options.schedule == "cosine":
        factor = (1 + math.cos(math.pi * done)) / 2
    elif options.schedule == "one_cycle":
        rising = 0.04 + 0.96 * (1 - math.cos(math.pi * min(done / WARM, 1))) / 2
        factor = rising if done < WARM else (1 + math.cos(math.pi * (done - WARM) / (1 - WARM))) / 2 + 1e-5
    else:
        factor = 1.0
    return options.learning_rate * factor


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Let an optimiser take steps of *rate* from now on."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def note_epoch(learning: Learning, accuracy: float) -> bool:
    """Count the epoch; keep the weights if they are the best so far."""
    learning.epoch += 1
    better = accuracy > learning.best_accuracy
    if better:
        learning.best_accuracy, learning.best_epoch = accuracy, learning.epoch - 1
        learning.best_weights = {name: tensor.detach().clone() for name, tensor in learning.unit.state_dict().items()}
    return better


def check_training(options: TrainingOptions) -> None:
    """Raise unless every option has a value it can take."""
    tables = {
        "optimiser": OPTIMISERS,
        "schedule": SCHEDULES,
        "penalise": PENALISED,
        "smooth_over": SMOOTHED,
        "images": IMAGES,
    }
    for name, known in tables.items():
        if getattr(options, name) not in known:
            raise UnknownName(f"training.{name}", getattr(options, name), known)
    for name, low, high in (
        ("learning_rate", 1e-9, 10), ("beta1", 0, 0.99999), ("beta2", 0, 0.99999999), ("momentum", 0, 0.9999),
        ("decay", 0, 100), ("l1", 0, 100),
        ("l2", 0, 100), ("weight_decay", 0, 100), ("batch", 1, 10_000_000), ("epochs", 1, 1_000_000),
        ("patience", 1, 1_000_000), ("minutes", 0, 1_000_000), ("validation_rows", 1, 1 << 60),
        ("label_smoothing", 0, 0.9), ("legality", 0, 1000), ("clip", 1e-9, 1e9), ("seed", 0, 1 << 31),
    ):  # fmt: skip
        check_range(f"training.{name}", getattr(options, name), low, high)
