"""Errors and lengths of the sequential test: simulated players of known strength, thousands of matches each.

The errors must be at most what was asked. The lengths must be within a tenth of Wald's expectation for the variance of
the pairs, both of his bounds moved outwards by what a walk overshoots them by (`sprt.expected_pairs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulated import MODELS, SHARES, Model, outcomes
from understudy.judges.sprt import FEWEST, Hypotheses, expected_pairs, log_ratio

MATCHES = 20_000
"""A thousand would tell an error of 5 % to seven tenths of a per cent only, and it lies nearer to what is asked."""
SEED = 2026
"""Not one of those with which `sprt.FEWEST` and `sprt.CAUTION` were chosen."""
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
        return abs(self.length / self.theory - 1) <= NEAR and (self.wrong is None or self.wrong <= self.asked)

    def __str__(self) -> str:
        wrong = "" if self.wrong is None else f"wrong {self.wrong:.2%} (at most {self.asked:.0%})"
        length = f"{self.length:>7.1f} pairs, theory {self.theory:>7.1f} ({self.length / self.theory - 1:+.1%})"
        return f"{self.what:<70} {wrong:<26} {length}  {'ok' if self.good else 'MISSED'}"


def lines() -> Iterator[str]:
    every = list(run())
    yield from map(str, every)
    facts = summarise(every)
    yield f"{facts['good']} of {facts['scenarios']} as asked, {MATCHES} matches each"
    yield f"errors above what was asked: {facts['above']} of {facts['errors']}; highest {facts['highest']:.3f} times"
    yield f"length against theory: {facts['shortest']:+.1%} to {facts['longest']:+.1%}"


def facts() -> dict[str, Any]:
    every = list(run())
    return summarise(every) | {"courses": {one.what: one._asdict() for one in every}}


def summarise(every: Sequence[Course]) -> dict[str, Any]:
    """Return how many scenarios are as asked, how high errors are in parts of that, how far lengths are off."""
    errors = [one.wrong / one.asked for one in every if one.wrong is not None]
    lengths = [one.length / one.theory - 1 for one in every]
    return {
        "matches": every[0].matches,
        "scenarios": len(every),
        "good": sum(one.good for one in every),
        "errors": len(errors),
        "above": sum(error > 1 for error in errors),
        "highest": max(errors),
        "shortest": min(lengths),
        "longest": max(lengths),
    }


def run(matches: int = MATCHES, tests: tuple[Hypotheses, ...] = TESTS, seed: int = SEED) -> Iterator[Course]:
    """Yield what becomes of matches where either hypothesis is true, and where the truth is halfway."""
    rng = np.random.default_rng(seed)
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
        if pairs < FEWEST:
            continue
        ratio = log_ratio(test, float(pairs), total, squares)
        going = (ratio > test.lower) & (ratio < test.upper)
        accepted += int((ratio >= test.upper).sum())
        length += pairs * int((~going).sum())
        total, squares = total[going], squares[going]
    return accepted / matches, length / matches
