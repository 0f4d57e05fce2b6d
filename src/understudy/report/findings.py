"""What a headline is made of: one measure of one player, and whether a paper's number beside it is met."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.report.blocks import Cell, decimal, measured
from understudy.report.sources import Run

POINT = 0.01
"""A hundredth of a share, as people say it."""

NEARLY_ALL = 0.99
"""Only beyond this a second decimal of a share in per cent means something."""


class Finding(NamedTuple):
    """A measure of somebody, with its 95 % interval where there is one, and what a paper prints of the same."""

    what: str
    """Who was measured."""
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    sample: int | None = None
    """How many games, positions or rows stand behind it."""
    paper: float | None = None
    verdict: str = ""
    """Whether the paper's number is met; or why nobody can tell."""
    role: str = "student"
    """What somebody is who did not learn here: teacher, baseline, or candidate, of whom only the best are named."""
    share: bool = True
    fewer: bool = False
    """Whether the smaller number is the better one, as of errors."""
    decimals: int = 1
    """Digits behind the point; of a share in per cent one, unless it is nearly all."""

    @property
    def ours(self) -> Cell:
        """The measure with its interval, as a table shows it."""
        if self.share:
            return measured(self._asdict(), decimals=self.decimals if self.value >= NEARLY_ALL else 1)
        low = max(self.low, 0.0) if self.fewer and self.low is not None else self.low
        bounds = f"({decimal(low, self.decimals)} to {decimal(self.high, self.decimals)})"
        return Cell(decimal(self.value, self.decimals), bounds if low is not None and self.high is not None else "")

    @property
    def theirs(self) -> Cell:
        """The paper's number, as a table shows it."""
        return Cell("") if self.paper is None else self._replace(value=self.paper, low=None, high=None).ours

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        keys = ("what", "measure", "value", "low", "high", "sample", "share", "paper", "verdict")
        return {key: getattr(self, key) for key in keys}


def find(what: str, words: str, measure: Mapping[str, Any] | None, **more: Any) -> list[Finding]:
    """Return a stored measure as a finding called *words*; none where there is none, or nothing was counted."""
    value = (measure or {}).get("value")
    if measure is None or value is None or not math.isfinite(value):
        return []
    return [Finding(what, words, value, measure.get("low"), measure.get("high"), measure.get("sample"), **more)]


def compare(run: Run, finding: Finding, printed: float | None) -> Finding:
    """Return a finding with the number that a paper prints of it, if there is one and both may be compared."""
    if printed is None:
        return finding
    if not run.comparison.study:
        return finding._replace(verdict=f"not comparable because {run.comparison.reason}")
    return finding._replace(paper=printed, verdict=_judge(finding, printed))


def _judge(finding: Finding, printed: float) -> str:
    """Return whether a number is met: by our interval, or by more than it."""
    ends = (finding.low, finding.high)
    end = ends[0 if finding.fewer else 1]
    reached = finding.value if end is None or not math.isfinite(end) else end
    if reached <= printed if finding.fewer else reached >= printed:
        return "met"
    gap = abs(finding.value - printed)
    return f"missed by {gap / POINT:.1f} points" if finding.share else f"missed by {decimal(gap, finding.decimals)}"


def find_column(columns: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the column of a paper whose title has a student's name in it as a word; nothing unless there is one."""
    fitting = [measures for title, measures in columns.items() if name in re.findall(r"\w+", title)]
    column = fitting[0] if len(fitting) == 1 else {}
    return column if isinstance(column, Mapping) else {}


def write_finding(finding: Finding) -> str:
    """Return a finding as part of a sentence: `84.2 % (83.9 to 85.3)`."""
    return f"{finding.ours.text} {finding.ours.aside}".strip()
