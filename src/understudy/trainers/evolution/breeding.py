"""How chromosomes beget others: mutations, crossovers, and children that are sent as a few numbers.

A child of a generation follows from its parents and from chance, and chance from a seed. So a worker that has the
parents breeds the child itself, the same to the last bit, and the driver breeds those alone that win.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.backends.shared import Shared

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


class Parents(NamedTuple):
    """A generation, and what all its children follow from."""

    alleles: Alleles
    """[individuals, alleles]"""
    seed: tuple[int, ...]
    """Of all mutations."""
    mutants: int
    """Of each parent."""
    rate: float

    def breed_mutant(self, number: int) -> Alleles:
        """Return a mutant; the first ones are those of the first parent."""
        rng = mutation_chance(self.seed, number, self.alleles.shape[1])
        return replaced(self.alleles[number // self.mutants], self.rate, rng)


def mutation_chance(seed: tuple[int, ...], number: int, length: int) -> np.random.Generator:
    """Return the chance of mutant *number*: that of a generation after those before it, two draws for each allele."""
    chance = np.random.PCG64(seed)
    chance.advance(2 * length * number)
    return np.random.Generator(chance)


def cross_places(crossover: str, units: NDArray[np.int64], rng: np.random.Generator) -> bytes:
    """Return which alleles a crossover takes from the second parent, a bit for each."""
    first = np.zeros(len(units), np.bool_)
    places = CROSSOVERS[crossover](first, ~first, units, rng)  # type: ignore[arg-type]
    return np.packbits(places.astype(np.bool_)).tobytes()


@dataclass(frozen=True, kw_only=True, eq=False)
class Brood:
    """Contenders who are not born yet: one of the old, then mutants, then a child of two."""

    parents: Shared[Parents]
    old: int
    mutants: tuple[int, ...]
    """By their numbers."""
    couple: tuple[int, int]
    places: bytes
    """Which alleles the child has from the second of the couple."""

    def __len__(self) -> int:
        return len(self.mutants) + 2

    def __getitem__(self, place: int) -> Alleles:
        """Return the alleles of a contender."""
        if not 0 <= place < len(self):
            raise IndexError(place)
        parents = self.parents.value
        if 0 < place <= len(self.mutants):
            return parents.breed_mutant(self.mutants[place - 1])
        return self._breed_child(parents.alleles) if place else parents.alleles[self.old]

    def __iter__(self) -> Iterator[Alleles]:
        return (self[place] for place in range(len(self)))

    def _breed_child(self, old: Alleles) -> Alleles:
        one, other = self.couple
        places = np.unpackbits(np.frombuffer(self.places, np.uint8), count=old.shape[1]).astype(np.bool_)
        child: Alleles = np.where(places, old[other], old[one])
        return child
