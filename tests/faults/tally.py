"""What tests of faults have counted: each adds a line to the file that UNDERSTUDY_FAULTS_JSON names, if it names one.

A line is added whether its test passes or not: what was tried and did not hold is told, too. Nothing fails by a time;
it is noted for who measures. `python -m tests.faults` runs the tests at length and adds the lines up.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = "UNDERSTUDY_FAULTS_JSON"


@dataclass
class Tally:
    """How often a fault was tried, how often all was well after it, and the longest wait for that."""

    what: str
    tried: int = 0
    held: int = 0
    seconds: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Count one more; it holds if nothing is raised, and its wait may be the longest."""
        self.tried, began = self.tried + 1, time.monotonic()
        yield
        self.held, self.seconds = self.held + 1, max(self.seconds, time.monotonic() - began)


@contextmanager
def tally(what: str) -> Iterator[Tally]:
    """Give what counts one fault in one test; in the end it is written down."""
    counted = Tally(what)
    try:
        yield counted
    finally:
        if path := os.environ.get(FILE):
            with open(path, "a", encoding="utf-8") as file:  # a short line is added at once, whoever else adds one
                file.write(json.dumps(asdict(counted)) + "\n")


def add_up(path: Path) -> dict[str, dict[str, Any]]:
    """Return what all tests have counted, by fault."""
    totals: dict[str, Tally] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        one = Tally(**json.loads(line))
        total = totals.setdefault(one.what, Tally(one.what))
        total.tried, total.held = total.tried + one.tried, total.held + one.held
        total.seconds = max(total.seconds, one.seconds)
    return {what: asdict(total) | {"lost": total.tried - total.held} for what, total in totals.items()}
