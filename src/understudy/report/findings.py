"""What a headline is made of: one measure of one player, and whether a paper's number beside it is met."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.judges.duels import Score
from understudy.judges.measures import Measure
from understudy.judges.pairs import TRUSTED
from understudy.report.blocks import Cell, decimal, measured, number
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
    different: int | None = None
    """Of games: how many repeat none before them; None where nobody knows."""
    pairs: int | None = None
    """Of games with both colours: the different pairs of which the interval is made; None where nobody knows."""
    games: bool = False
    """Whether games were counted."""
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

    @property
    def trusted(self) -> bool:
        """Whether there are enough different pairs of games to go by, as far as anybody knows; of one colour, games."""
        new = self.different if self.pairs is None else self.pairs
        return new is None or new >= TRUSTED

    @property
    def counted(self) -> str:
        """What stands behind it, in words."""
        if self.sample is None or not self.games:
            return "" if self.sample is None else number(self.sample)
        known = "repetitions unknown" if self.different is None else f"{number(self.different)} different"
        return f"{number(self.sample)} games, {known}"

    def to_json(self) -> dict[str, Any]:
        """Return it for programs."""
        keys = ("what", "measure", "value", "low", "high", "sample", "different", "pairs", "share", "paper", "verdict")
        return {key: getattr(self, key) for key in keys}


def find(what: str, words: str, measure: Mapping[str, Any] | None, **more: Any) -> list[Finding]:
    """Return a stored measure as a finding called *words*; none where there is none, or nothing was counted."""
    value = (measure or {}).get("value")
    if measure is None or value is None or not math.isfinite(value):
        return []
    return [Finding(what, words, value, measure.get("low"), measure.get("high"), measure.get("sample"), **more)]


def find_won(what: str, words: str, score: Score, won: Measure, **more: Any) -> list[Finding]:
    """Return a share of the games of a *score* as a finding, with how many of them differ."""
    pairs = None if score.pairs is None or score.different is None else min(sum(score.pairs), score.different // 2)
    return [
        one._replace(sample=score.games, different=score.different, pairs=pairs, games=True)
        for one in find(what, words, won._asdict(), **more)
    ]


def compare(run: Run, finding: Finding, printed: float | None) -> Finding:
    """Return a finding with the number that a paper prints of it, if there is one and both may be compared."""
    if printed is None:
        return finding
    if not run.comparison.study:
        return finding._replace(verdict=f"not comparable because {run.comparison.reason}")
    return finding._replace(paper=printed, verdict=_judge(finding, printed))


CLEAR = 0.1
"""What is a clear miss: a share ten points on the wrong side of a paper's, or another number by a tenth of it. Nobody
would call that met, so an interval that holds both has not decided anything."""


def _judge(finding: Finding, printed: float) -> str:
    """Return whether a number is met: by our interval, or by more than it; or that too little was played to tell."""
    if is_too_small(finding, printed):
        return f"cannot tell ({finding.counted if finding.games else f'n = {finding.counted}'})"
    best = finding.low if finding.fewer else finding.high
    reached = finding.value if best is None or not math.isfinite(best) else best
    if reached <= printed if finding.fewer else reached >= printed:
        return "met"
    gap = abs(finding.value - printed)
    return f"missed by {gap / POINT:.1f} points" if finding.share else f"missed by {decimal(gap, finding.decimals)}"


def is_too_small(finding: Finding, printed: float) -> bool:
    """Tell whether a sample is too small for a verdict.

    So it is with fewer than thirty different pairs of games, and where the interval holds both the paper's number and
    a clear miss of it.
    """
    if not finding.trusted:
        return True
    low, high = finding.low, finding.high
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return False
    far = CLEAR if finding.share else CLEAR * abs(printed)
    miss = printed + far if finding.fewer else printed - far
    return low <= min(printed, miss) and max(printed, miss) <= high


def find_column(columns: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the column of a paper whose title has a student's name in it as a word; nothing unless there is one."""
    fitting = [measures for title, measures in columns.items() if name in re.findall(r"\w+", title)]
    column = fitting[0] if len(fitting) == 1 else {}
    return column if isinstance(column, Mapping) else {}


def write_finding(finding: Finding) -> str:
    """Return a finding as part of a sentence: `84.2 % (83.9 to 85.3)`."""
    return f"{finding.ours.text} {finding.ours.aside}".strip()
