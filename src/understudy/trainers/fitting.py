"""The one training loop: batches, a schedule, clipping, early stopping; an objective says what is fitted.

Adam, an annealed learning rate and early stopping by patience on validation accuracy are Galassi's (2017, chapters 5
and 6); the annealing is done here, unlike in the authors' code. What is better today stands beside it: AdamW, one-cycle
and cosine schedules. Whoever owns a training logs, saves and judges between the events that it yields.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor, nn

from understudy.config import check_range, read_threads
from understudy.errors import UnknownName

OPTIMISERS = ("adam", "adamw", "sgd")
SCHEDULES = ("constant", "anneal", "one_cycle", "cosine")
PENALISED = ("all", "output")
SMOOTHED = ("all", "legal")
IMAGES = ("all", "one")
PRECISIONS = ("float32", "bfloat16")
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
    """Stop at the end of the epoch in which this much time of a core is used up; schedules then follow the clock."""
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
    epoch_rows: int | None = None
    """An epoch shows so many rows and the next goes on from there, so that little is lost when a long run is killed."""
    precision: str = "float32"
    """In which numbers networks multiply while they learn moves; weights are kept as float32 in any case."""

    temperature: float = 0.0
    """How soft a target is that a teacher's worths of several moves make: the larger, the more alike; 0: its choice."""
    worth: float = 0.0
    """Weight of what weighed moves lead to, for a student with `student.value`; 0: the teacher's choices alone."""
    worth_rows: int = 2
    """So many positions that weighed moves lead to are shown beside each record."""


LATER = ("epoch_rows", "precision", "temperature", "worth", "worth_rows")
"""Options that came later: at their defaults they are no part of what tells one training from another."""

COMMON = (
    "optimiser", "learning_rate", "beta1", "beta2", "momentum", "schedule", "decay", "weight_decay", "batch", "epochs",
    "patience", "minutes", "clip", "seed",
)  # fmt: skip
"""Options that whatever learns in batches reads; the others are for learning moves, and for who names them."""


class Partial(NamedTuple):
    """Some batches later."""

    done: float
    """Share of all epochs."""


class Epoch(NamedTuple):
    """What one epoch did."""

    epoch: int
    done: float
    """Share of the whole training."""
    seconds: float
    """Of a core since training began."""
    examples_per_second: float
    learning_rate: float
    train_loss: float
    train_accuracy: float
    """As the network learned, with dropout: each batch before its update."""
    validation_loss: float
    validation_accuracy: float
    best: bool


class Graded(NamedTuple):
    """What came of one batch."""

    total: Tensor
    """What is made smaller, penalties included."""
    loss: float
    """The loss alone, summed over the rows."""
    hits: float
    """How many rows are right, or how near they are."""
    rows: int


class Objective(Protocol):
    """What is fitted: examples in an order of their own, a loss, and rows to look at after each epoch."""

    def batches(self, epoch: int) -> tuple[int, Iterator[Any]]:
        """Return how many batches an epoch has, and the batches; all chance comes from the options' seed."""
        ...

    def grade(self, batch: Any) -> Graded:
        """Return the loss of a batch that is being learned from."""
        ...

    def examine(self) -> tuple[float, float]:
        """Return the mean loss and the accuracy on rows that are not learned from."""
        ...


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
    shown: int = 0
    """Examples learned from so far; more than there are once all were shown."""
    by_cores: bool = False
    """Whether seconds are those that cores have spent on the whole process, and not on the thread that learns."""

    def clock(self) -> float:
        """Return the seconds by which a training is timed, from whenever they are counted.

        They are those that a core has worked for it, not those on the wall: who learns for so many minutes beside
        other programs learns as much as on an idle machine.
        """
        return time.process_time() if self.by_cores else time.thread_time()

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


def training_facts(options: TrainingOptions) -> dict[str, Any]:
    """Return all options as plain data; those that came later only where they are not at their defaults."""
    usual = TrainingOptions()
    return {
        name: value for name, value in asdict(options).items() if name not in LATER or value != getattr(usual, name)
    }


def _optimiser(groups: list[dict[str, Any]], options: TrainingOptions) -> torch.optim.Optimizer:
    if options.optimiser == "sgd":
        momentum = options.momentum
        return torch.optim.SGD(groups, lr=options.learning_rate, momentum=momentum, nesterov=momentum > 0)
    betas = (options.beta1, options.beta2)
    if options.optimiser == "adamw":
        # All of a step in one pass: with millions of weights the ten passes of the usual one take most of the time.
        return torch.optim.AdamW(groups, lr=options.learning_rate, betas=betas, fused=True)
    return torch.optim.Adam(groups, lr=options.learning_rate, betas=betas)


def choose_threads() -> None:
    """Let PyTorch work with one thread, or as many as UNDERSTUDY_THREADS says.

    A second one makes networks as small as ours a third faster on an idle machine, and ten times slower as soon as
    another program wants a core: each of thousands of short steps then waits for a thread that does not run.
    """
    torch.set_num_threads(read_threads() or 1)


def fit(learning: Learning, objective: Objective, options: TrainingOptions) -> Iterator[Partial | Epoch]:
    """Yield after every batch and after each epoch; at the end the network has its best weights."""
    choose_threads()
    while not learning.finished(options):
        began = learning.clock()
        loss = hits = rows = 0.0
        with torch.random.fork_rng(), repeated_exactly():
            for share, graded in _epoch(learning, objective, options):
                loss, hits, rows = loss + graded.loss, hits + graded.hits, rows + graded.rows
                yield Partial(share_done(options, learning.epoch + share, learning.seconds + learning.clock() - began))
        learned = learning.clock() - began
        validation = objective.examine()
        learning.seconds += learning.clock() - began
        learning.shown += int(rows)
        best = note_epoch(learning, validation[1])
        rate = learning.optimiser.param_groups[0]["lr"]
        done = share_done(options, learning.epoch, learning.seconds)
        means = loss / rows, hits / rows
        speed = rows / max(learned, 1e-9)  # some systems count time in sixtieths of a second
        yield Epoch(learning.epoch - 1, done, learning.seconds, speed, rate, *means, *validation, best)
    if learning.best_weights is not None:
        learning.unit.load_state_dict(learning.best_weights)


@contextlib.contextmanager
def repeated_exactly() -> Iterator[None]:
    """Let PyTorch add up in an order that does not depend on which thread is first.

    Gradients of tied weights are sums over many places; with two threads these came out otherwise each time, and so did
    students. It costs nothing measurable.
    """
    before, memory = torch.are_deterministic_algorithms_enabled(), torch.utils.deterministic
    filled = memory.fill_uninitialized_memory  # type: ignore[attr-defined]
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False  # type: ignore[attr-defined]  # a tenth of the time, and nobody reads it
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        memory.fill_uninitialized_memory = filled  # type: ignore[attr-defined]


def _epoch(learning: Learning, objective: Objective, options: TrainingOptions) -> Iterator[tuple[float, Graded]]:
    """Learn from every batch of an epoch, or until the clock ends it; yield the share done and what came of each."""
    unit, optimiser = learning.unit.train(), learning.optimiser
    torch.manual_seed(options.seed * 1_000_003 + learning.epoch)  # epochs of neighbouring seeds must not meet
    steps, batches = objective.batches(learning.epoch)
    began = learning.clock()
    for step, batch in enumerate(batches):
        spent = learning.seconds + learning.clock() - began
        done = share_done(options, learning.epoch + step / steps, spent)
        if done >= 1.0 and step:  # the clock may strike while an epoch is being shuffled
            break
        set_rate(optimiser, learning_rate(options, learning.epoch, done))
        graded = objective.grade(batch)
        optimiser.zero_grad(set_to_none=True)
        graded.total.backward()  # type: ignore[no-untyped-call]
        if options.clip is not None:
            nn.utils.clip_grad_norm_(unit.parameters(), options.clip)
        optimiser.step()
        yield (step + 1) / steps, graded


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
        "precision": PRECISIONS,
    }
    for name, choices in tables.items():
        if getattr(options, name) not in choices:
            raise UnknownName(f"training.{name}", getattr(options, name), choices)
    for name, low, high in (
        ("learning_rate", 1e-9, 10), ("beta1", 0, 0.99999), ("beta2", 0, 0.99999999), ("momentum", 0, 0.9999),
        ("decay", 0, 100), ("l1", 0, 100),
        ("l2", 0, 100), ("weight_decay", 0, 100), ("batch", 1, 10_000_000), ("epochs", 1, 1_000_000),
        ("patience", 1, 1_000_000), ("minutes", 0, 1_000_000), ("validation_rows", 1, 1 << 60),
        ("label_smoothing", 0, 0.9), ("legality", 0, 1000), ("clip", 1e-9, 1e9), ("seed", 0, 1 << 31),
        ("epoch_rows", 1, 1 << 60), ("temperature", 0, 100), ("worth", 0, 1000), ("worth_rows", 1, 1000),
    ):  # fmt: skip
        check_range(f"training.{name}", getattr(options, name), low, high)
