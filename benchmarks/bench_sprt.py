"""Errors and lengths of the sequential test: simulated players of known strength, thousands of matches each.

The errors must be at most what was asked, but for the chance of so many matches: above it by two standard errors is
a miss. The lengths must be within a tenth of Wald's expectation for the variance
of the pairs, both bounds moved outwards by what a walk overshoots them by (`sprt.expected_pairs`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated import MODELS, SHARES, Model, outcomes
from understudy.judges.sprt import Hypotheses, expected_pairs, log_ratio

MATCHES = 10_000
"""A thousand would tell an error of 5 % to seven tenths of a per cent only, and it lies that near to what is asked."""
TESTS = (Hypotheses(0, 20), Hypotheses(0, 50), Hypotheses(-20, 20, 0.1, 0.02), Hypotheses(100, 150))
CHOSEN = (MODELS[0], MODELS[1], MODELS[3])
NEAR = 0.1
"""By how much a length may differ from the theory's."""


class Course(NamedTuple):
    """What became of many matches between the same two players."""

    what: str
    wrong: float | None
    """The share that accepted the hypothesis that is not true; None where neither is."""
    asked: float
    length: float
    theory: float
    matches: int

    @property
    def good(self) -> bool:
        """Whether both the errors and the length are as they should be."""
        near = abs(self.length / self.theory - 1) <= NEAR
        chance = 2 * (self.asked * (1 - self.asked) / self.matches) ** 0.5
        return near and (self.wrong is None or self.wrong <= self.asked + chance)

    def __str__(self) -> str:
        wrong = "" if self.wrong is None else f"wrong {self.wrong:.2%} (at most {self.asked:.0%})"
        length = f"{self.length:>7.1f} pairs, theory {self.theory:>7.1f} ({self.length / self.theory - 1:+.1%})"
        return f"{self.what:<70} {wrong:<26} {length}  {'ok' if self.good else 'MISSED'}"


def lines() -> Iterator[str]:
    every = list(run())
    yield from map(str, every)
    yield f"{sum(one.good for one in every)} of {len(every)} as asked, {MATCHES} matches each"
    errors = [one for one in every if one.wrong is not None]
    above = [one.wrong - one.asked for one in errors if one.wrong is not None and one.wrong > one.asked + 1e-9]
    highest = f"by {max(above, default=0):.2%} at most"
    yield f"errors above what was asked, by chance or not: {len(above)} of {len(errors)}, {highest}"


def run(matches: int = MATCHES, tests: tuple[Hypotheses, ...] = TESTS) -> Iterator[Course]:
    """Yield what becomes of matches where either hypothesis is true, and where the truth is halfway."""
    rng = np.random.default_rng(2026)
    for test in tests:
        for model in CHOSEN:
            low, high = test.shares
            for name, share in (("H0 true", low), ("H1 true", high), ("halfway", (low + high) / 2)):
                what = f"{test.elo0:g} or {test.elo1:g} Elo, {model.name}, {name}"
                yield _play(what, name, test, model, share, matches, rng)


def _play(
    what: str, name: str, test: Hypotheses, model: Model, share: float, matches: int, rng: np.random.Generator
) -> Course:
    chances = outcomes(model, share)
    part = float(chances @ (SHARES - share) ** 2 / (share * (1 - share)))
    ups, lengths = _walk(test, chances, matches, rng)
    wrong, asked = {"H0 true": (ups, test.alpha), "H1 true": (1 - ups, test.beta), "halfway": (None, 1.0)}[name]
    return Course(what, wrong, asked, lengths, expected_pairs(test, share, part), matches)


def _walk(
    test: Hypotheses, chances: NDArray[np.float64], matches: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the share of matches that accept H1, and the mean length of all."""
    total, squares = np.zeros(matches), np.zeros(matches)
    accepted, length, pairs = 0, 0, 0
    while len(total):
        pairs += 1
        drawn = SHARES[rng.choice(5, size=len(total), p=chances)]
        total, squares = total + drawn, squares + drawn**2
        ratio = log_ratio(test, float(pairs), total, squares)
        going = (ratio > test.lower) & (ratio < test.upper)
        accepted += int((ratio >= test.upper).sum())
        length += pairs * int((~going).sum())
        total, squares = total[going], squares[going]
    return accepted / matches, length / matches
