"""A chromosome is a network written as one row of numbers: what evolution breeds, and what a student's file keeps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.search.evaluators.inputs import Inputs, make_inputs
from understudy.search.evaluators.perceptron import Perceptron, perceptron


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """The `[network]` section of an experiment whose networks evolve; as given, the network of the thesis."""

    inputs: tuple[str, ...] = ("board", "nonads")
    reading: str = "signed"
    """What a cell is worth: `signed` 1, -1, 0; `presumed` 0.75, 0.25, 0.5; `as_printed` 0.75, 0.5, 0.5."""
    hidden: int = 20
    symmetric: bool = False
    """Give inputs that are mirror images of each other the same weights."""
    both: bool = False
    """Value a position by the difference of both sides' views, so that what is good for one is bad for the other."""


class Plan(NamedTuple):
    """How alleles become a network.

    Their order: for each input the weights to all hidden units; those from the hidden units to the output; the
    biases of the hidden units; the bias of the output.
    """

    inputs: Inputs
    classes: NDArray[np.int64]
    """For each input the number of its row of alleles."""
    rows: int
    hidden: int
    both: bool

    @property
    def length(self) -> int:
        """How many alleles a chromosome has."""
        return (self.rows + 2) * self.hidden + 1

    def units(self) -> NDArray[np.int64]:
        """Return for each allele the hidden unit that it belongs to; -1 for the bias of the output."""
        return np.append(np.tile(np.arange(self.hidden), self.rows + 2), -1)

    def fan_in(self) -> NDArray[np.float64]:
        """Return for each allele how many inputs its unit adds up."""
        return np.append(np.repeat([self.rows, self.hidden, self.rows], [self.rows * self.hidden, *[self.hidden] * 2]),
                         self.hidden).astype(np.float64)  # fmt: skip


def make_plan(game: CompiledGame, options: NetworkOptions) -> Plan:
    """Return the plan of the networks that *options* describe."""
    return _planned(game.name, game.size, options)


@lru_cache(maxsize=32)
def _planned(game: str, size: tuple[int, int], options: NetworkOptions) -> Plan:
    check_range("network.hidden", options.hidden, 1, 1_000)
    inputs = make_inputs(find_game(game, size), options.inputs, options.reading)
    classes = np.arange(inputs.total)
    if options.symmetric:
        classes = np.unique(inputs.classes, return_inverse=True)[1]
    return Plan(inputs, classes, int(classes.max()) + 1, options.hidden, options.both)


def express(plan: Plan, alleles: NDArray[Any]) -> Perceptron:
    """Return the network that a chromosome describes."""
    if alleles.shape != (plan.length,):
        raise BadOption(f"a chromosome of {alleles.size} alleles does not fit a network of {plan.length} weights")
    if not np.isfinite(alleles).all():
        raise BadOption("a chromosome holds numbers that are not finite")
    inputs, hidden = plan.inputs, plan.hidden
    table = alleles[:-1].reshape(plan.rows + 2, hidden)
    weights, output, biases = table[plan.classes], table[-2], table[-1]
    linear = weights[: len(inputs.linear)]
    counted = np.zeros((2 * inputs.width, hidden))
    np.add.at(counted, list(inputs.counted), weights[len(inputs.linear) :])
    return perceptron(
        inputs.linear.T @ linear, biases + inputs.empty @ linear, output, output_bias=float(alleles[-1]),
        counted=counted, kinds=inputs.kinds, both=plan.both,
    )  # fmt: skip
