"""Tables of a population against a fixed opponent: the thesis's tables 1 and 2, trends, and what the best reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from understudy.judges.scores import Matches, records, spreads
from understudy.judges.trends import smoothed
from understudy.report.blocks import Cell, Table, Text, cells, measured, number
from understudy.report.evolution.monitors import LEAST, Monitor, feats_of, since
from understudy.report.evolution.tallies import averaged, hundredths, told
from understudy.studies.miller import paper as thesis
from understudy.studies.miller.paper import Printed


def first_table(monitors: Sequence[Monitor]) -> Table:
    """Tell the first generations, the one with the best mean, and the last."""
    rows = []
    for monitor in monitors:
        best = int(np.argmax(monitor.series("overall", "mean")))
        early = [place for place, generation in enumerate(monitor.generations) if generation <= thesis.EPOCH]
        for place in sorted({*early, best, len(monitor.generations) - 1}):
            generation = monitor.generations[place]
            counted = records(monitor.found[generation])
            rows.append((
                Cell(f"{monitor.student}, generation {generation}", "best mean" if place == best else ""),
                averaged(monitor.spreads[place]["overall"]),
                Cell(told(counted["overall"])),
                Cell(told(counted["combined"])),
                measured(counted["combined"].winning()._asdict()),
            ))  # fmt: skip
    caption = "The first generations, the best and the last. Records: won-lost-tied. The best of many flatters."
    columns = cells("generation", "mean score of a game", "games", "matches", "matches won of decided")
    return Table(columns, tuple(rows), caption)


TRENDS = {
    "match mean": ("combined", "mean"),
    "match median": ("combined", "median"),
    "mean as White": ("white", "mean"),
    "mean as Black": ("black", "mean"),
}


def trends_told(monitors: Sequence[Monitor]) -> Text | None:
    """Say who has too few epochs for a trend."""
    few = [f"{one.student} has {len(one.late) or 'none'}" for one in monitors if len(one.late) < LEAST]
    told = f"Too few generations for a trend: it takes {LEAST} from generation {thesis.EPOCH} on"
    return Text(f"{told}, and {', '.join(few)}.") if few else None


def trends_table(monitors: Sequence[Monitor], source: Printed | None) -> Table | None:
    """Tell whether scores rise or fall, of those who have enough epochs to tell."""
    rows: list[tuple[Cell, ...]] = []
    for monitor in monitors:
        for title, (view, measure) in TRENDS.items():
            trend = monitor.trend(view, measure)
            if trend is not None:
                cell = Cell(f"{100 * trend.slope:+.3f}", f"({100 * trend.low:+.3f} to {100 * trend.high:+.3f})")
                likely = ("rises" if trend.slope > 0 else "falls") if trend.differs else "level"
                rows.append((Cell(f"{monitor.student}, {title}"), cell, Cell(f"{trend.alike:.2f}"), Cell(likely)))
    if rows and source is not None and source.feats:
        rows.append(cells(thesis.SOURCE, "very slightly negative", "", "level"))
    caption = (
        "Slope of the score for each 100 generations, from generation 10 on, with 95 % intervals that allow for "
        "neighbours being alike (the correlation of their residuals). Level: the interval holds 0."
    )
    return Table(cells("trend", "slope", "neighbours alike", ""), tuple(rows), caption) if rows else None


FEATS = {
    "epochs": "epochs measured",
    "winners": "epochs in which an individual won a game",
    "ties": "epochs in which one tied and none won",
    "neighbours": "neighbouring epochs with a winner in both",
    "both": "individuals that won both games",
    "games": "games won",
    "matches": "matches won",
}


def feats_table(monitors: Sequence[Monitor], source: Printed | None) -> Table:
    """Tell how often anyone won at all."""
    every = [feats_of(monitor.epochs) for monitor in monitors]
    theirs = source.feats if source is not None else {}
    rows = []
    reached = any(monitor.late for monitor in monitors)
    for field, title in FEATS.items():
        title = title if reached else title.replace("epochs", "generations")
        ours = [number(getattr(one, field)) for one in every]
        whole = {"games": [one.played for one in every], "matches": [one.played // 2 for one in every]}.get(field)
        ours = [f"{a} of {number(b)}" for a, b in zip(ours, whole, strict=True)] if whole else ours
        rows.append(cells(title, *ours, *([theirs.get(field, "")] if theirs else [])))
    students = [monitor.student for monitor in monitors]
    columns = cells(since(monitors), *students, *([thesis.SOURCE] if theirs else []))
    return Table(columns, tuple(rows), "What the best individuals reached.")


SIX = tuple((view, measure) for view in ("overall", "combined") for measure in ("mean", "median", "most"))
HEADS = ("mean", "median", "max", "match mean", "match median", "match max")


def around_table(monitors: Sequence[Monitor], source: Printed | None) -> Table:
    """Return the thesis's table 1: the best generation between its neighbours, without its best one, and all."""
    rows: list[tuple[Cell, ...]] = []
    for monitor in (one.epochs for one in monitors):
        columns = [monitor.series(*field) for field in SIX]
        rows += [*_six(monitor, columns), *_alone(monitor, columns)]
    if source is not None:
        rows += _printed(thesis.EPOCHS)
        rows.append(_pair(f"{thesis.SOURCE}, 9030 without its best", thesis.WITHOUT_BEST))
        rows.append(_pair(f"{thesis.SOURCE}, mean of all epochs", thesis.EPOCH_MEANS[0]))
        rows.append(_pair(f"{thesis.SOURCE}, deviation of those means", thesis.EPOCH_MEANS[1]))
    number = " (table 1)" if source is not None else ""
    caption = f"The generation with the best match and its neighbours{number}: single games and matches."
    return Table(cells("", *HEADS), tuple(rows), caption)


def _alone(monitor: Monitor, columns: Sequence[NDArray[np.float64]]) -> list[tuple[Cell, ...]]:
    """Return the means of the best generation without its best one, and the mean and deviation of all means."""
    generation = monitor.generations[monitor.best]
    matches = monitor.found[generation]
    kept = np.arange(matches.played) != matches.scores()["combined"].argmax()
    rest = spreads(Matches(matches.results[kept], matches.plies[kept]))
    deviations = [float(column.std(ddof=1)) if len(column) > 1 else float("nan") for column in (columns[0], columns[3])]
    what = "epochs" if monitor.late else "generations"
    return [
        _pair(f"{monitor.student}, {generation} without its best", (rest["overall"].mean, rest["combined"].mean)),
        _pair(f"{monitor.student}, mean of all {what}", (float(columns[0].mean()), float(columns[3].mean()))),
        _pair(f"{monitor.student}, deviation of those means", deviations),
    ]


def _pair(title: str, means: Sequence[float]) -> tuple[Cell, ...]:
    return cells(title, hundredths(means[0]), "", "", hundredths(means[1]), "", "")


def smoothed_tables(monitors: Sequence[Monitor], source: Printed | None) -> list[Table]:
    """Return the thesis's table 2, the same generations as means of five, where they have so many neighbours."""
    every = [one.epochs for one in monitors if len(one.late) >= LEAST]
    rows = [row for one in every for row in _six(one, [smoothed(one.series(*field)) for field in SIX])]
    if not rows:
        return []
    if source is None:
        return [Table(cells("", *HEADS), tuple(rows), "The same as means of five neighbouring epochs.")]
    caption = (
        "The same as means of five neighbouring epochs (table 2). The thesis's mean and max of single games are "
        "those of three epochs, one and the two after it, against its own words."
    )
    return [Table(cells("", *HEADS), (*rows, *_printed(thesis.SMOOTHED)), caption)]


def _six(monitor: Monitor, columns: Sequence[NDArray[np.float64]]) -> list[tuple[Cell, ...]]:
    """Return rows of the best generation and its neighbours, where they are known."""
    places = range(max(monitor.best - 1, 0), min(monitor.best + 2, len(monitor.generations)))
    names = [f"{monitor.student}, generation {generation}" for generation in monitor.generations]
    return [
        cells(names[place], *(hundredths(one[place]) for one in columns))
        for place in places
        if not np.isnan(columns[0][place])
    ]


def _printed(epochs: Mapping[int, tuple[float, ...]]) -> list[tuple[Cell, ...]]:
    return [
        cells(f"{thesis.SOURCE}, generation {epoch * thesis.EPOCH}", *map(hundredths, row))
        for epoch, row in epochs.items()
    ]
