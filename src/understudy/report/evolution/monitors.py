"""What the individuals of a population reached against a fixed opponent, generation by generation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.judges.scores import BLACK, VIEWS, WHITE, Matches, decide, merged, records, score, spreads
from understudy.judges.statistics import WINDOW, Spread, Trend, trend_line
from understudy.report.sources import Run

EPOCH = 10
"""Generations of an epoch. What is told of populations begins with the first: before it everything changes fast."""

LEAST = WINDOW
"""Epochs that a trend needs: a line through fewer tells of chance."""


class Monitor:
    """One student against one opponent; what is taken of many matches is taken once."""

    def __init__(self, student: str, opponent: str, measured: Mapping[int, Matches]) -> None:
        self.student, self.opponent = student, opponent
        self.matches = {generation: matches for generation, matches in measured.items() if matches.played}

    @property
    def generations(self) -> list[int]:
        """Those that were measured, ascending."""
        return list(self.matches)

    @cached_property
    def spreads(self) -> list[dict[str, Spread]]:
        """The spreads of each generation by view."""
        return [spreads(matches) for matches in self.matches.values()]

    @cached_property
    def merged(self) -> Matches:
        """All matches as one."""
        return merged(self.matches.values())

    def series(self, view: str, measure: str) -> NDArray[np.float64]:
        """Return a field of the spreads, generation by generation."""
        return np.array([getattr(one[view], measure) for one in self.spreads])

    @property
    def late(self) -> list[int]:
        """The generations from the first epoch on."""
        return [generation for generation in self.matches if generation >= EPOCH]

    @cached_property
    def epochs(self) -> Monitor:
        """The same from the first epoch on, where that was reached; what is earlier shows the start."""
        late = {generation: self.matches[generation] for generation in self.late}
        return self if not late or len(late) == len(self.matches) else Monitor(self.student, self.opponent, late)

    @property
    def best(self) -> int:
        """The place of the generation with the best match, of equal ones the one with the higher mean."""
        keys = [(one["combined"].most, one["combined"].mean) for one in self.spreads]
        return keys.index(max(keys))

    def trend(self, view: str, measure: str) -> Trend | None:
        """Return the trend of a measure from the first epoch on, or None where there are too few epochs for one."""
        late = self.epochs
        return trend_line(late.generations, late.series(view, measure)) if len(self.late) >= LEAST else None


def name_generations(monitors: Sequence[Monitor]) -> str:
    """Return which generations of some students are taken together."""
    early = [monitor.student for monitor in monitors if not monitor.late]
    if len(early) == len(monitors):
        return "all generations measured"
    late = f"from generation {EPOCH} on"
    return f"{late}; of {', '.join(early)}, not so far yet, all generations" if early else late


def monitors_of(run: Run) -> dict[str, list[Monitor]]:
    """Return the monitors of all students by opponent."""
    monitors: dict[str, list[Monitor]] = {}
    for student, opponents in run.monitor.items():
        for opponent, generations in opponents.items():
            monitor = Monitor(student, opponent, generations)
            if monitor.matches:
                monitors.setdefault(opponent, []).append(monitor)
    return monitors


class Feats(NamedTuple):
    """What the best individuals reached."""

    epochs: int
    winners: int
    """Epochs in which an individual won a game."""
    ties: int
    """Epochs in which one tied a game and none won."""
    neighbours: int
    """Pairs of neighbouring epochs in both of which an individual won."""
    both: int
    """Individuals that won both games."""
    games: int
    """Games won, of how many."""
    played: int
    matches: int
    """Matches won."""


def feats_of(monitor: Monitor) -> Feats:
    """Return what the best individuals of each epoch reached."""
    most = np.array([matches.results.max() for matches in monitor.matches.values()])
    results = monitor.merged.results
    return Feats(
        len(most), int((most > 0).sum()), int((most == 0).sum()), int(((most[1:] > 0) & (most[:-1] > 0)).sum()),
        int((results > 0).all(axis=1).sum()), int((results > 0).sum()), results.size,
        int((decide(monitor.merged) > 0).sum()),
    )  # fmt: skip


def best_match(monitor: Monitor) -> tuple[int, int, int, int]:
    """Return generation, place (from 0, as in its file) and scores as Black and as White of the best match."""
    generation = monitor.generations[monitor.best]
    games = score(*monitor.matches[generation][:2])
    place = int(games.sum(axis=1).argmax())
    return generation, place, int(games[place, BLACK]), int(games[place, WHITE])


def monitor_data(monitor: Monitor) -> dict[str, Any]:
    """Return the statistics of a monitor as plain data."""
    epochs = monitor.epochs
    return {
        "generations": {
            str(generation): {view: one[view]._asdict() for view in VIEWS}
            for generation, one in zip(monitor.generations, monitor.spreads, strict=True)
        },
        "from_first_epoch" if monitor.late else "all_generations": {
            **matches_data(epochs.merged),
            "feats": feats_of(epochs)._asdict(),
        },
        "trends": {
            view: {
                measure: trend._asdict() for measure in ("mean", "median") if (trend := monitor.trend(view, measure))
            }
            for view in VIEWS
        },
    }


def matches_data(matches: Matches) -> dict[str, Any]:
    """Return the statistics of matches as plain data."""
    counted = records(matches)
    return {
        "scores": {view: one._asdict() for view, one in spreads(matches).items()},
        "records": {view: {**one._asdict(), "winning": one.winning()._asdict()} for view, one in counted.items()},
    }


def group_epochs(monitor: Monitor, most: int) -> tuple[list[float], list[Matches]]:
    """Return the matches of at most so many groups of neighbouring epochs, and the mean generation of each.

    Generations before the first epoch stand alone: what is learned there is learned fast.
    """
    early = [[generation] for generation in monitor.generations if generation < EPOCH]
    late = [generation for generation in monitor.generations if generation >= EPOCH]
    size = -(-len(late) // most) or 1
    groups = [*early, *(late[start : start + size] for start in range(0, len(late), size))]
    together = [merged(monitor.matches[generation] for generation in group) for group in groups]
    return [fmean(group) for group in groups], together
