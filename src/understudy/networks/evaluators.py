"""A network inside the search, ready to learn: the weights of a chromosome, and positions as it sees them.

Positions are shown by the features that hold in them, as lists of numbers: the first layer adds up one row of weights
for each, as the compiled search does. What it has learned is written as a chromosome and plays there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.games import CompiledGame
from understudy.games.batches import size
from understudy.games.rows import present_of
from understudy.search.evaluators.chromosome import Plan
from understudy.search.evaluators.perceptron import count_all

AT_ONCE = 8192
"""Rows that are looked at together: as many as fit into the caches of a core with their layers."""
FIRST = 0.1
"""The width of the first weights: some thirty features hold at once, so a unit then adds up about a half, where its
tanh is neither flat nor straight."""


class Shown(NamedTuple):
    """Positions as networks inside the search see them."""

    seen: Tensor
    """[positions, most]: the features that hold for the side to move, filled up with their count."""
    turned: Tensor
    """The same for the other side."""
    numbers: Tensor
    """[positions, twice the width]: numbers that are counted, about the side to move and then about the other."""

    def taken(self, rows: Any) -> Shown:
        """Return some of the positions."""
        return Shown(*(field[rows] for field in self))


def show(game: CompiledGame, plan: Plan, positions: Any) -> Shown:
    """Return a batch of positions as networks of a plan see them."""
    numbers = np.zeros((size(positions), 2 * plan.inputs.width), np.float32)
    if plan.inputs.kinds:
        count_all(positions, plan.inputs.kinds, numbers)
    seen, turned = (present_of(positions, game.feature_count, turned=turned) for turned in (False, True))
    return Shown(torch.from_numpy(seen), torch.from_numpy(turned), torch.from_numpy(numbers))


class EvaluatorNetwork(nn.Module):
    """The network of a chromosome as PyTorch trains it."""

    linear: Tensor
    empty: Tensor

    def __init__(self, plan: Plan, *, seed: int) -> None:
        super().__init__()
        rng, hidden = np.random.default_rng([seed, 0xE7A1]), plan.hidden
        self.plan = plan
        self.first = nn.Parameter(_normal(rng, (plan.rows, hidden), FIRST))
        self.biases = nn.Parameter(torch.zeros(hidden))
        self.output = nn.Parameter(_normal(rng, (hidden,), hidden**-0.5))
        self.last = nn.Parameter(torch.zeros(1))
        inputs = plan.inputs
        self.register_buffer("linear", torch.tensor(inputs.linear.T, dtype=torch.float32), persistent=False)
        self.register_buffer("empty", torch.tensor(inputs.empty, dtype=torch.float32), persistent=False)
        # The features themselves are most networks' only inputs: then there is nothing to multiply.
        self.plain = inputs.linear.shape[0] == inputs.linear.shape[1] and bool(
            (inputs.linear == np.eye(len(inputs.linear))).all()
        )
        self.classes = torch.from_numpy(plan.classes)
        self.places = torch.tensor(inputs.counted, dtype=torch.int64)

    def forward(self, shown: Shown) -> tuple[Tensor, Tensor]:
        """Return what the network adds up for the side to move and, looking on, for the other [positions] each.

        A network of `both` views takes the one from the other, so what is good for one is bad for the other.
        """
        width = self.plan.inputs.width
        swapped = torch.cat([shown.numbers[:, width:], shown.numbers[:, :width]], 1)
        rows, weights = self._rows()
        mine, theirs = (
            self._view(rows, weights, shown.seen, shown.numbers),
            self._view(rows, weights, shown.turned, swapped),
        )
        return (mine - theirs, theirs - mine) if self.plan.both else (mine, theirs)

    def _rows(self) -> tuple[Tensor, Tensor]:
        """Return a row for each feature, and one of zeros that stands for none; and the weights of counted numbers."""
        weights, count = self.first[self.classes], len(self.plan.inputs.linear)
        rows = weights[:count] if self.plain else self.linear @ weights[:count]
        return torch.cat([rows, torch.zeros(1, self.plan.hidden)]), weights[count:]

    def _view(self, rows: Tensor, weights: Tensor, seen: Tensor, numbers: Tensor) -> Tensor:
        # Rows are picked by a product: with so few features it learns six times as fast as `embedding_bag`.
        held = torch.zeros(len(seen), len(rows)).scatter_(1, seen.long(), 1.0)
        sums = held @ rows + self.biases
        if not self.plain:
            sums = sums + self.empty @ self.first[self.classes][: len(self.empty)]
        if len(self.places):
            sums = sums + numbers[:, self.places] @ weights
        return torch.tanh(sums) @ self.output + self.last

    def alleles(self) -> NDArray[np.float64]:
        """Return the weights as a chromosome has them: inputs, output, biases of hidden units, bias of the output."""
        parts = (self.first, self.output, self.biases, self.last)
        return np.concatenate([part.detach().numpy().reshape(-1) for part in parts]).astype(np.float64)

    def read(self, alleles: NDArray[np.float64]) -> None:
        """Take the weights of a chromosome."""
        parts = (self.first, self.output, self.biases, self.last)
        ends = np.cumsum([part.numel() for part in parts])
        with torch.no_grad():
            for part, numbers in zip(parts, np.split(alleles, ends[:-1]), strict=True):
                part.copy_(torch.from_numpy(numbers).reshape(part.shape))

    def appraise(self, shown: Shown) -> NDArray[np.float32]:
        """Return what each position is worth to the side to move, from -1 to 1; leaves no trace in a training."""
        training = self.training
        self.eval()
        with torch.no_grad():
            parts = [
                torch.tanh(self(shown.taken(slice(row, row + AT_ONCE)))[0]).numpy()
                for row in range(0, len(shown.seen), AT_ONCE)
            ]
        self.train(training)
        return np.concatenate([np.zeros(0, np.float32), *parts])


def _normal(rng: np.random.Generator, shape: tuple[int, ...], width: float) -> Tensor:
    return torch.from_numpy(rng.normal(0, width, shape).astype(np.float32))
