"""What knock-outs do to individuals: who persists, who would survive, and whom a round robin would keep."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

FOUR = 4
"""Players of a tournament."""
PAIRS = tuple(combinations(range(FOUR), 2))


def prints(weights: NDArray[Any]) -> tuple[bytes, ...]:
    """Return a fingerprint of each row; equal rows alone have equal ones."""
    rows = np.ascontiguousarray(weights) + 0.0  # minus zero is zero
    return tuple(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows)


class Persistence(NamedTuple):
    """How many individuals of epochs are found again."""

    individuals: int
    """In all epochs but the last, which nothing follows."""
    following: int
    """Of those, present also in the next epoch."""
    later: int
    """Of those, present also in any later epoch."""
    longest: int
    """Epochs in a row that one individual was present in; 1 where none persists."""
    epochs: int
    distinct: int
    """Different individuals in all epochs."""


def persistence(epochs: Iterable[Sequence[bytes]]) -> Persistence:
    """Return who persists, from the fingerprints of all individuals of each epoch, in order."""
    ordered = [tuple(one) for one in epochs]
    last = {one: place for place, rows in enumerate(ordered) for one in rows}
    following = later = longest = 0
    stays: dict[bytes, int] = {}
    for place, rows in enumerate(ordered):
        stays = {one: stays.get(one, 0) + 1 for one in rows}
        longest = max(longest, *stays.values()) if stays else longest
        after = set(ordered[place + 1]) if place + 1 < len(ordered) else set()
        following += sum(one in after for one in rows)
        later += sum(last[one] > place for one in rows)
    return Persistence(sum(map(len, ordered[:-1])), following, later, longest, len(ordered), len(last))


def survival(beaten: float, matches: int) -> float:
    """Return the chance to win so many matches in a row of one that beats the share *beaten* of the others."""
    return beaten**matches


class Elimination(NamedTuple):
    """All outcomes of four players that meet each other, by whether a round robin keeps the winner of the knock-out."""

    outright: int
    """It has won all three matches."""
    same: int
    """It is first by the tie-break: the match between those with as many wins."""
    another: int
    """Another one is first by that tie-break."""
    circle: int
    """Three with two wins have beaten each other in a circle: that tie-break names nobody."""

    @property
    def outcomes(self) -> int:
        """How many there are."""
        return sum(self)

    @property
    def most(self) -> Fraction:
        """The share of outcomes with another winner if every circle goes to another."""
        return Fraction(self.another + self.circle, self.outcomes)

    @property
    def by_lot(self) -> Fraction:
        """The share with another winner if the three of a circle draw lots."""
        return (self.another + Fraction(2, 3) * self.circle) / self.outcomes


def eliminations() -> Elimination:
    """Return a count of all outcomes of the six matches of four players, each as likely as any other."""
    counts = dict.fromkeys(Elimination._fields, 0)
    for outcome in product((True, False), repeat=len(PAIRS)):
        beats = dict(zip(PAIRS, outcome, strict=True))
        beats |= {(other, one): not first for (one, other), first in beats.items()}
        counts[_kept(beats)] += 1
    return Elimination(**counts)


def knockout(beats: dict[tuple[int, int], bool]) -> int:
    """Return the winner of two semi-finals, 0 against 1 and 2 against 3, and a final."""
    one, other = (0 if beats[0, 1] else 1), (2 if beats[2, 3] else 3)
    return one if beats[one, other] else other


def round_robin(beats: dict[tuple[int, int], bool]) -> tuple[int | None, bool]:
    """Return who wins most matches, among equals who beat the others of them, or None; and whether they were equal."""
    wins = [sum(beats[one, other] for other in range(FOUR) if other != one) for one in range(FOUR)]
    leaders = [one for one in range(FOUR) if wins[one] == max(wins)]
    first = [one for one in leaders if all(beats[one, other] for other in leaders if other != one)]
    return (first[0] if first else None), len(leaders) > 1


def _kept(beats: dict[tuple[int, int], bool]) -> str:
    """Return the field of an outcome."""
    (winner, tied), kept = round_robin(beats), knockout(beats)
    if winner is None:
        return "circle"
    if winner != kept:
        return "another"
    return "same" if tied else "outright"
