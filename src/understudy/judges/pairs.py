"""How sure a result of games is: games in pairs, both colours of one opening, and each pair counted once.

Two players without chance repeat their game whenever they meet again from the same opening, and a repetition tells
nothing new. So a game is known by its start, its moves, its result and who had which colour, a pair by its two games,
and intervals come from the different pairs alone, taken for no more than half of the different games: from one start a
few games would make many pairs, each with each. A pair is one number, its share of two points, with five outcomes
(0, 1/2, 1, 3/2, 2 points): whatever an opening gives to one colour goes into both of its games and cancels.

What is estimated is the mean over all openings that might have been drawn, each as likely as another. Openings from a
finite book are a sample of those as well, so nothing is taken off the interval when much of the book has been played.

The interval is Wilson's, for pairs. It holds every share p from which the mean m of n pairs is not too far away:
(m - p)² <= z² r p (1 - p) / n. Here p (1 - p) is the variance of a pair that is won or lost as a whole, the largest
there is, and r is the part of it that pairs have: about 1/2 where two games are independent and nobody draws, less with
draws and with openings that favour a colour. r is estimated from the pairs themselves, drawn a little towards 1/2 by
`PRIOR_PAIRS` made-up ones. Near 0 and 1 the variance shrinks with p, as in Wilson's own, so that who won everything
gets an interval with a width: for n pairs that of 2n independent games. `python -m benchmarks intervals` measures
how often such intervals hold the truth: 94 to 97 % from twenty pairs on, and from nine different openings.
Pairs almost all alike are the exception: one of 1 : 1 after the other says little of how rare others are, and below
thirty pairs the interval may then hold the truth in nine of ten matches only.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.judges.measures import SCALE, Z95, Measure, Rating
from understudy.match import Played

TRUSTED = 30
"""Different pairs from which on a result is told without a warning: the usual size of a sample that is not small."""

PRIOR_PAIRS = 1.5
"""Made-up pairs behind the estimate of r. With 1 a few pairs almost alike look too sure; with 2 the intervals of strong
players who often draw hold the truth in more than 97 % of matches: chosen by simulations on the models of
`python -m benchmarks intervals`."""
PRIOR_PART = 0.5
"""Their r: two independent games that nobody draws."""

Numbers: TypeAlias = float | NDArray[np.float64]

Counts: TypeAlias = tuple[int, int, int, int, int]
"""How many pairs brought 0, 1/2, 1, 3/2 and 2 points."""

NO_PAIRS: Counts = (0, 0, 0, 0, 0)
"""To begin counting with."""


class Pairs(NamedTuple):
    """What a match tells, seen by its first player: every different pair once."""

    counts: Counts
    half: float | None
    """Points of an odd last game, which is half a pair of its own; None where there is none or it repeats another."""
    games: int
    different: int
    """Games that differ from all before them."""

    @property
    def number(self) -> int:
        """How many different pairs there are; half a pair is none."""
        return sum(self.counts)

    @property
    def total(self) -> float:
        """How many pairs there are with an odd game, half a pair of its own."""
        return self.number + (0.0 if self.half is None else 0.5)

    @property
    def size(self) -> float:
        """How many pairs the games are worth: two different games at least for each.

        From one start few games make many pairs, each with each, and a pair of two known games tells nothing new.
        """
        return min(self.total, self.different / 2)

    @property
    def points(self) -> float:
        """What the first player scored in the different pairs."""
        return sum(place / 2 * count for place, count in enumerate(self.counts)) + (self.half or 0.0)

    def turned(self) -> Pairs:
        """Return the same pairs seen by the second player."""
        none, little, even, more, all_ = self.counts
        half = None if self.half is None else 1 - self.half
        return Pairs((all_, more, even, little, none), half, self.games, self.different)


def name_game(played: Played, place: int) -> Hashable:
    """Return what a game is known by; the first player of a match has the even plies in games of even *place*.

    The result belongs to it: on a clock, and with engines that fail, the same moves may end in two ways.
    """
    return place % 2, played.start, played.moves, played.result


def find_repeated(games: Sequence[Played]) -> list[bool]:
    """Return of each game of a match whether the same one was played before."""
    seen: set[Hashable] = set()
    repeated = []
    for place, played in enumerate(games):
        name = name_game(played, place)
        repeated.append(name in seen)
        seen.add(name)
    return repeated


def find_pairs(games: Sequence[Played]) -> Pairs:
    """Return the different pairs of a match: both colours of an opening follow each other."""
    names = [name_game(played, place) for place, played in enumerate(games)]
    whole = len(games) // 2 * 2
    pairs = {(names[at], names[at + 1]): _points(games[at], games[at + 1]) for at in range(0, whole, 2)}
    odd = len(games) > whole and names[-1] not in set(names[:-1])
    half = (1 + games[-1].result) / 2 if odd else None
    return Pairs(count_points(pairs.values()), half, len(games), len(set(names)))


def count_points(points: Iterable[float]) -> Counts:
    """Return how often each of the five outcomes occurs among the *points* of pairs."""
    counts = [0] * 5
    for point in points:
        counts[round(2 * point)] += 1
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def add_pairs(every: Iterable[Pairs]) -> Pairs:
    """Return the pairs of several matches as if of one; half pairs are left out, having no place in the five outcomes.

    >>> add_pairs([Pairs((0, 0, 1, 0, 2), None, 6, 6), Pairs((1, 0, 0, 0, 0), None, 4, 2)])
    Pairs(counts=(1, 0, 1, 0, 2), half=None, games=10, different=8)
    """
    parts = list(every)
    sums = [sum(part.counts[place] for part in parts) for place in range(5)]
    counts = sums[0], sums[1], sums[2], sums[3], sums[4]
    return Pairs(counts, None, sum(part.games for part in parts), sum(part.different for part in parts))


def measure_points(pairs: Pairs, share: float | None = None) -> Measure:
    """Return the share of the points with its 95 % interval; the sample is the number of different pairs.

    A *share* of all games, repetitions among them, may stand in for that of the different pairs: it then is the one
    that is told, and the different pairs still say how sure it is.
    """
    if pairs.size == 0:
        return Measure(share, 0.0, 1.0, 0)
    share = pairs.points / (2 * pairs.total) if share is None else share
    reach = Z95**2 / count_independent(pairs, share)
    middle = (share + reach / 2) / (1 + reach)
    width = math.sqrt(reach * (share * (1 - share) + reach / 4)) / (1 + reach)
    low, high = max(middle - width, 0.0), min(middle + width, 1.0)
    return Measure(share, 0.0 if share == 0 else low, 1.0 if share == 1 else high, pairs.number)


def count_independent(pairs: Pairs, share: float) -> float:
    """Return how many independent games, each won or lost, would be as sure of a *share* as these pairs are."""
    squares = sum(count * (place / 4 - share) ** 2 for place, count in enumerate(pairs.counts))
    squares += 0.0 if pairs.half is None else 0.5 * (pairs.half - share) ** 2
    size = pairs.size
    return size / float(estimate_part(size, share, squares * size / pairs.total)) if size else 0.0


def estimate_part(size: Numbers, share: Numbers, squares: Numbers) -> NDArray[np.float64]:
    """Return r: which part of the largest variance pairs have; all of it where a single pair cannot tell.

    *squares* are those of the pairs' distances from their mean *share*. Arrays are many matches at once.
    """
    likely = (share * size + 0.5 * PRIOR_PAIRS) / (size + PRIOR_PAIRS)
    prior = PRIOR_PAIRS * likely * (1 - likely)
    spread = squares * size / np.maximum(size - 1, 0.5) + PRIOR_PART * prior  # only half a pair is between 1 and 2
    return np.where(np.asarray(size) > 1, np.minimum(spread / (size * share * (1 - share) + prior), 1.0), 1.0)


def rate_difference(points: Measure) -> Rating:
    """Return the difference in Elo that a share of the points means, with its interval; open where all were won."""
    return Rating(*(_elo(share) for share in (0.5 if points.value is None else points.value, points.low, points.high)))


def _elo(share: float) -> float:
    if share <= 0 or share >= 1:
        return math.copysign(math.inf, share - 0.5)
    return float(SCALE * math.log(share / (1 - share)))


def _points(first: Played, second: Played) -> float:
    """Return the points of a pair: its first player has the even plies of the first game, the odd of the second."""
    return 1 + (first.result - second.result) / 2


def write_sample(games: int, different: int, pairs: int) -> str:
    """Return how many games differ, and whether their different pairs are enough to go by."""
    sample = f"{games} games, {different} different; from {pairs} different pair{'' if pairs == 1 else 's'}"
    return sample if is_trusted(different, pairs) else f"{sample}: too few to trust"


def is_trusted(different: int, pairs: int) -> bool:
    """Tell whether there are enough different pairs to go by, made of as many different games."""
    return min(pairs, different // 2) >= TRUSTED


def write_difference(points: Measure) -> str:
    """Return a difference in Elo with its interval."""
    elo, low, high = (f"{number:+.0f}".replace("inf", "∞") for number in rate_difference(points))
    return f"Elo difference {elo} ({low} to {high})"


def describe(pairs: Pairs) -> dict[str, Any]:
    """Return all of it for programs; a difference in Elo without a bound is null."""
    points = measure_points(pairs)
    ratings = rate_difference(points)._asdict()
    return {
        "different": pairs.different,
        "pairs": pairs.number,
        "pentanomial": list(pairs.counts),
        "share": points.value,
        "interval": [points.low, points.high],
        "elo": {name: round(number, 1) if math.isfinite(number) else None for name, number in ratings.items()},
    }
