"""Whether curves of learning have flattened: what the last tenth of a training still brought, student by student."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from understudy.report.blocks import Cell, Table, cells, decimal, is_number, lasting, number, percent
from understudy.report.labels.nearness import ONE_PASS, passes_of
from understudy.report.sections import Training

TENTH = 0.1
LOOKS = 10
"""Looks at validation positions without which nobody knows what the last tenth brought."""
FLAT = 0.01
"""A curve counts as flat when its last tenth brought no more than this share of all that came since the first look: one
that rises evenly to the end has a tenth there. Chosen by hand."""
FLATTENED, RISING, UNKNOWN = "flattened", "not flattened", "cannot tell"


class Rise(NamedTuple):
    """How the best value so far on validation positions went up; errors are told as one less them."""

    first: float
    """At the first look."""
    late: float
    """When its last tenth began."""
    last: float
    looks: int
    seconds: float
    passes: float
    """How often each position was learned from."""

    @property
    def gained(self) -> float:
        """What the last tenth of the training brought."""
        return self.last - self.late

    @property
    def verdict(self) -> str:
        """Whether the curve has flattened; one that has not yet begun to rise is as flat, and tells nothing."""
        if self.looks < LOOKS or self.passes < ONE_PASS or self.last <= self.first:
            return UNKNOWN
        return FLATTENED if self.gained <= FLAT * (self.last - self.first) else RISING


def rise_of(lines: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]) -> Rise | None:
    """Return how a student's training went up, from its lines in a journal; None where nobody looked."""
    looks = [(float(line.get("seconds") or 0.0), float(line["validation_accuracy"])) for line in lines
             if is_number(line.get("validation_accuracy"))]  # fmt: skip
    if not looks:
        return None
    end = looks[-1][0]

    def best_until(moment: float) -> float:
        return max([value for seconds, value in looks if seconds <= moment] or [looks[0][1]])

    late, last = best_until((1 - TENTH) * end), best_until(end)
    return Rise(looks[0][1], late, last, len(looks), end, passes_of(facts))


def rises_table(students: Mapping[str, Mapping[str, Any]], trainings: Mapping[str, Training], *, shares: bool) -> Table:
    """Return for each student of a data set how often it saw its positions, and what its last tenth brought."""
    rows = [_row(name, facts, rise, shares=shares) for name, facts in students.items()
            if name in trainings and (rise := rise_of(trainings[name].lines, facts)) is not None]  # fmt: skip
    unit = "percentage points" if shares else "mean squared error"
    caption = (
        f"Whether the curves have flattened, in {unit}: the best so far on validation positions, and what the last "
        f"tenth of the training added to it. Flattened: no more than {FLAT:.0%} of all that came since the first look; "
        f"nobody can tell with fewer than {LOOKS} looks, less than one pass, or where nothing has come yet. Passes: "
        "how often each position was learned from."
    )
    return Table(
        cells("student", "passes", "time", "looks", "best", "last tenth", ""), tuple(rows), caption, dense=True
    )


def _row(name: str, facts: Mapping[str, Any], rise: Rise, *, shares: bool) -> tuple[Cell, ...]:
    best = percent(rise.last, 2) if shares else decimal(1 - rise.last, 4)
    gained = f"{100 * rise.gained:+.2f}" if shares else f"{-rise.gained:+.5f}"
    passes = facts.get("passes")
    counted = cells("" if passes is None else number(round(passes, 2)), lasting(rise.seconds), number(rise.looks))
    return Cell(name), *counted, Cell(best), Cell(gained), Cell(rise.verdict, "", rise.verdict == RISING)
