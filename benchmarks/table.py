"""One line of a benchmark: what was measured, and its ratio to a peer or to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Line(NamedTuple):
    """A rate, what it is compared with, and the least ratio that is good enough."""

    what: str
    rate: float
    unit: str
    against: str
    other: float
    least: float = 1.0

    def __str__(self) -> str:
        ratio = self.rate / self.other
        verdict = "ok" if ratio >= self.least else "MISSED"
        return (
            f"{self.what:<46} {self.rate:>10.3g} {self.unit:<22} {ratio:>8.1f} x {self.against:<34} "
            f"(at least {self.least:g})  {verdict}"
        )


def best_rate(work: Callable[[], float], *, repeats: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the best of several measured rates of *work*, which returns how much it did.

    By `time.process_time` seconds are those of a core, whoever else is at work on the machine.
    """
    rates = []
    for _ in range(repeats):
        began = clock()
        done = work()
        rates.append(done / (clock() - began))
    return max(rates)
