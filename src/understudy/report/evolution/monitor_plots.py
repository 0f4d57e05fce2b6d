"""Pictures of populations against a fixed opponent: each student by itself, and students compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from understudy.judges.measures import Measure
from understudy.judges.scores import Matches, records, spreads
from understudy.judges.statistics import smoothed
from understudy.report.blocks import Plot, Plots
from understudy.report.evolution.monitors import EPOCH, LEAST, Monitor, group_epochs
from understudy.report.evolution.published import PublishedEvolution, PublishedMatches
from understudy.report.plots import Band, Line, draw_lines

POINTS = 25
"""Of a line that compares students, from the first epoch on; fewer have narrower intervals."""
SMOOTHED = 200
"""Of a smoothed line: of more every few are drawn, whose windows hardly overlap."""
BANDED = 150
"""Generations up to which the intervals of single ones can be seen."""
GAMES = (("White", "white", 1.0), ("Black", "black", 1.0), ("match, halved", "combined", 0.5))
"""The lines of a picture: name, view, and the factor that brings a match to the scale of a game."""


class Picture(NamedTuple):
    """A measure over generations."""

    title: str
    measure: str
    smooth: bool


PICTURES: Mapping[str, tuple[Picture, ...]] = {
    "searcher": (
        Picture("the best of each generation", "most", False),
        Picture("mean of each generation", "mean", False),
        Picture("median of each generation", "median", False),
        Picture("mean, smoothed, with trend", "mean", True),
        Picture("median, smoothed, with trend", "median", True),
    ),
}
"""By the opponent's name: a searcher is seldom beaten, so the best of a generation and its median tell more there."""

OTHERS = (Picture("mean of each generation", "mean", False), Picture("mean, smoothed, with trend", "mean", True))
"""Against any other opponent."""


def draw_pictures(monitors: Sequence[Monitor], kind: str, paper: PublishedEvolution | None) -> Plots:
    """Draw each student against opponents of a *kind*; where a *paper* has such pictures, its figures are named."""
    figures = paper.figures.get(kind, {}) if paper is not None else {}
    drawn = [
        draw_picture(monitor, one, figures.get((one.measure, one.smooth)))
        for monitor in monitors
        for one in PICTURES.get(kind, OTHERS)
        if not one.smooth or len(monitor.late) >= LEAST
    ]
    note = "Scores: a win in m plies 200 - m, a loss m, a tie 100."
    if any(len(monitor.late) >= LEAST for monitor in monitors):
        note += f" Dashed: lines of least squares from generation {EPOCH} on."
    return Plots(tuple(drawn), note)


def draw_comparison(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> Plots:
    """Draw the students side by side: games won and tied, matches won, the score; level lines are the *source*'s."""
    won = there.records.get("combined") if there is not None else None
    mean = there.spreads.get("overall") if there is not None else None
    plots = (
        _shares(monitors, "Points: games won, and half of the tied", lambda one: records(one)["overall"].points()),
        _shares(monitors, "Matches won, of those decided", lambda one: records(one)["combined"].winning(),
                _level(source, won.winning().value if won is not None else None)),
        _means(monitors, _level(source, mean.mean if mean is not None else None)),
        _best(monitors),
    )  # fmt: skip
    dashed = f" Dashed: {source}, all epochs." if there is not None else ""
    note = f"Bands: 95 % intervals, as if all games were independent.{dashed}"
    return Plots(plots, note)


class Level(NamedTuple):
    """A published number, and whose it is."""

    source: str
    height: float


def _level(source: str, height: float | None) -> Level | None:
    return None if height is None else Level(source, height)


def _shares(
    monitors: Sequence[Monitor], caption: str, take: Callable[[Matches], Measure], level: Level | None = None
) -> Plot:
    lines, bands = [], []
    for colour, monitor in enumerate(monitors):
        xs, groups = group_epochs(monitor, POINTS)
        points = [(x, one) for x, group in zip(xs, groups, strict=True) if (one := take(group)).value is not None]
        if points:
            lines.append(Line([x for x, _ in points], [one.value or 0.0 for _, one in points], colour))
            bands.append(_band([x for x, _ in points], [(one.low, one.high) for _, one in points], colour))
    return _leveled(monitors, caption, lines, bands, level, shares=True)


def _means(monitors: Sequence[Monitor], level: Level | None) -> Plot:
    lines, bands = [], []
    for colour, monitor in enumerate(monitors):
        xs, groups = group_epochs(monitor, POINTS)
        every = [spreads(group)["overall"] for group in groups]
        lines.append(Line(xs, [one.mean for one in every], colour))
        bands.append(_band(xs, [one.interval for one in every], colour))
    return _leveled(monitors, "Mean score of a game", lines, bands, level, shares=False)


def _best(monitors: Sequence[Monitor]) -> Plot:
    lines = []
    for colour, monitor in enumerate(monitors):
        xs = [float(generation) for generation in monitor.generations]
        lines.append(Line(xs, monitor.series("combined", "most").tolist(), colour))
    return _leveled(monitors, "Score of the best match", lines, [], None, shares=False)


def _leveled(
    monitors: Sequence[Monitor],
    caption: str,
    lines: list[Line],
    bands: list[Band],
    level: Level | None,
    *,
    shares: bool,
) -> Plot:
    """Return a plot of students, with a published number as a level line."""
    keys = [monitor.student for monitor in monitors]
    if level is not None and lines:
        edges = [min(min(line.xs) for line in lines), max(max(line.xs) for line in lines)]
        lines = [*lines, Line(edges, [level.height, level.height], len(keys), True)]
        keys.append(level.source)
    drawing = draw_lines(lines or [Line([0], [0], 0)], across="generation", bands=bands, shares=shares)
    return Plot(drawing, caption, tuple(keys))


def draw_picture(monitor: Monitor, picture: Picture, number: int | None) -> Plot:
    """Draw a measure of each generation for games as White, as Black and matches; *number* is the paper's figure."""
    monitor = monitor.epochs if picture.smooth else monitor
    xs = np.array(monitor.generations, np.float64)
    lines: list[Line] = []
    for colour, (_, view, factor) in enumerate(GAMES):
        ys = monitor.series(view, picture.measure) * factor
        if picture.smooth:
            ys = smoothed(ys)
            lines += _trend(monitor, view, picture.measure, factor, colour)
        if (full := ~np.isnan(ys)).any():
            step = -(-len(xs) // SMOOTHED) if picture.smooth else 1
            lines.append(Line(xs[full][::step].tolist(), ys[full][::step].tolist(), colour))
    banded = picture.measure == "mean" and not picture.smooth and len(xs) <= BANDED
    drawing = draw_lines(lines, across="generation", shares=False, bands=_intervals(monitor) if banded else ())
    figure = f" (figure {number})" if number is not None else ""
    return Plot(drawing, f"{monitor.student}: {picture.title}{figure}", tuple(name for name, _, _ in GAMES))


def _trend(monitor: Monitor, view: str, measure: str, factor: float, colour: int) -> list[Line]:
    trend = monitor.trend(view, measure)
    if trend is None:
        return []
    edges = [float(monitor.generations[0]), float(monitor.generations[-1])]
    return [Line(edges, [factor * trend.at(x) for x in edges], colour, True)]


def _intervals(monitor: Monitor) -> list[Band]:
    xs = [float(generation) for generation in monitor.generations]
    bands = []
    for colour, (_, view, factor) in enumerate(GAMES):
        edges = [one[view].interval for one in monitor.spreads]
        bands.append(_band(xs, [(factor * low, factor * high) for low, high in edges], colour))
    return bands


def _band(xs: Sequence[float], edges: Sequence[tuple[float, float]], colour: int) -> Band:
    return Band(xs, [low for low, _ in edges], [high for _, high in edges], colour)
