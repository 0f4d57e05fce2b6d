"""How chromosomes beget others: mutations, crossovers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Alleles: TypeAlias = NDArray[np.float64]


def usual_weights(fan_in: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how large each allele should be for units that neither sleep nor saturate (E-17)."""
    return 1.0 / np.sqrt(fan_in)


def replaced(parent: Alleles, rate: float, rng: np.random.Generator) -> Alleles:
    """Return a mutant: each allele gives way to a fresh one, uniform in [-1, 1], with probability *rate* (L-17)."""
    fresh = rng.uniform(-1, 1, parent.shape)
    return np.where(rng.random(parent.shape) < rate, fresh, parent)


def perturbed(
    parent: Alleles, width: float, scale: Alleles, rng: np.random.Generator, units: NDArray[np.int64], share: float
) -> Alleles:
    """Return a mutant: the alleles of some hidden units, each taken with probability *share*, move a little.

    The step is normal, *width* times the *scale* of each allele.
    """
    chosen = rng.random(units.max() + 2) < share  # the last place is that of the output's bias, unit -1
    if not chosen.any():
        chosen[rng.integers(len(chosen))] = True
    return parent + np.where(chosen[units], rng.normal(0, width, parent.shape) * scale, 0.0)


def single_point(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return the left part of *one* and the right part of *other*."""
    point = int(rng.integers(1, len(one)))
    return np.concatenate([one[:point], other[point:]])


def two_point(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return *one* with a stretch in the middle from *other*."""
    first, last = np.sort(rng.choice(np.arange(1, len(one)), 2, replace=False))
    return np.concatenate([one[:first], other[first:last], one[last:]])


def uniform(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return each allele from either parent."""
    return np.where(rng.random(one.shape) < 0.5, one, other)


def by_units(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return each hidden unit, with all its weights, from either parent: what works together stays together (E-19)."""
    return np.where((rng.random(units.max() + 2) < 0.5)[units], one, other)


CROSSOVERS: dict[str, Callable[[Alleles, Alleles, NDArray[np.int64], np.random.Generator], Alleles]] = {
    "single": single_point,
    "two": two_point,
    "uniform": uniform,
    "units": by_units,
}
"""Crossovers by name."""
