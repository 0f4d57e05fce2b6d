"""The section on a population against a fixed opponent: its course, its best generation, and all epochs together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from understudy.judges.scores import Matches, records, spreads
from understudy.judges.statistics import smoothed
from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, measured, number
from understudy.report.evolution.matches import (
    averaged,
    family_of,
    hundredths,
    is_compared,
    record_table,
    record_text,
    spread_table,
)
from understudy.report.evolution.monitor_plots import draw_comparison, draw_pictures
from understudy.report.evolution.monitors import EPOCH, LEAST, Monitor, best_match, feats_of, name_generations
from understudy.report.evolution.published import STUDENT, PublishedEpochs, PublishedEvolution, PublishedMatches


def monitored_section(
    opponent: str,
    monitors: Sequence[Monitor],
    baselines: Mapping[tuple[str, str], Matches],
    paper: PublishedEvolution | None,
) -> Section:
    """Tell what populations reached against *opponent*, beside fixed players and what a *paper* prints of it."""
    kind = family_of(opponent)
    printed = paper.between(STUDENT, opponent) if paper is not None else None
    shown = paper if printed is not None and any(monitor.late for monitor in monitors) else None
    there, source = (printed, shown.source) if shown is not None else (None, "")
    fixed = {
        one: matches
        for (one, other), matches in baselines.items()
        if other == opponent and matches.played and is_compared(one, other)
    }
    around: list[Table] = []
    if kind == "searcher":
        around = [around_table(monitors, there, source), *smoothed_tables(monitors, there, source)]
    blocks: list[Block | None] = [
        Text(" ".join(_summary(monitors, there, source))),
        Text(_too_early(paper.source)) if paper is not None and printed is not None and there is None else None,
        draw_comparison(monitors, there, source),
        first_table(monitors),
        draw_pictures(monitors, kind, shown),
        trends_text(monitors),
        trends_table(monitors, there, source),
        feats_table(monitors, there, source),
        *around,
        *_merged(monitors, fixed, there, shown),
    ]
    return Section(f"Against {opponent}", tuple(block for block in blocks if block is not None))


def _too_early(source: str) -> str:
    return (
        f"{source} is not set beside it: its numbers are of epochs, from generation {EPOCH} on, which was not reached "
        "here."
    )


def _summary(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> list[str]:
    lines = []
    for monitor in monitors:
        counted = records(monitor.epochs.merged)
        generation, place, black, white = best_match(monitor.epochs)
        lines.append(
            f"{monitor.student} won {number(counted['overall'].won)} of {number(counted['overall'].played)} games and "
            f"{number(counted['combined'].won)} of {number(counted['combined'].played)} matches; its best match, of "
            f"row {place} of generation {generation}, scored {black} + {white} = {black + white} (Black, White)."
        )
    if there is not None and there.notes:
        lines.append(f"{source} ({there.name}): {'; '.join(there.notes)}.")
    return lines


def first_table(monitors: Sequence[Monitor]) -> Table:
    """Tell the first generations, the one with the best mean, and the last."""
    rows = []
    for monitor in monitors:
        best = int(np.argmax(monitor.series("overall", "mean")))
        early = [place for place, generation in enumerate(monitor.generations) if generation <= EPOCH]
        for place in sorted({*early, best, len(monitor.generations) - 1}):
            generation = monitor.generations[place]
            counted = records(monitor.matches[generation])
            rows.append((
                Cell(f"{monitor.student}, generation {generation}", "best mean" if place == best else ""),
                averaged(monitor.spreads[place]["overall"]),
                Cell(record_text(counted["overall"])),
                Cell(record_text(counted["combined"])),
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
"""View and measure of the trends that are told."""


def trends_text(monitors: Sequence[Monitor]) -> Text | None:
    """Say who has too few epochs for a trend."""
    few = [f"{one.student} has {len(one.late) or 'none'}" for one in monitors if len(one.late) < LEAST]
    least = f"Too few generations for a trend: it takes {LEAST} from generation {EPOCH} on"
    return Text(f"{least}, and {', '.join(few)}.") if few else None


def trends_table(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> Table | None:
    """Tell whether scores rise or fall, of those who have enough epochs to tell."""
    rows: list[tuple[Cell, ...]] = []
    for monitor in monitors:
        for title, (view, measure) in TRENDS.items():
            trend = monitor.trend(view, measure)
            if trend is not None:
                cell = Cell(f"{100 * trend.slope:+.3f}", f"({100 * trend.low:+.3f} to {100 * trend.high:+.3f})")
                likely = ("rises" if trend.slope > 0 else "falls") if trend.differs else "level"
                rows.append((Cell(f"{monitor.student}, {title}"), cell, Cell(f"{trend.alike:.2f}"), Cell(likely)))
    if rows and there is not None and there.trend:
        rows.append(cells(source, there.trend, "", "level"))
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
"""The fields of feats in words, in the order of the table."""


def feats_table(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> Table:
    """Tell how often anyone won at all."""
    every = [feats_of(monitor.epochs) for monitor in monitors]
    theirs = there.feats if there is not None else {}
    rows = []
    reached = any(monitor.late for monitor in monitors)
    for field, title in FEATS.items():
        title = title if reached else title.replace("epochs", "generations")
        ours = [number(getattr(one, field)) for one in every]
        whole = {"games": [one.played for one in every], "matches": [one.played // 2 for one in every]}.get(field)
        ours = [f"{a} of {number(b)}" for a, b in zip(ours, whole, strict=True)] if whole else ours
        rows.append(cells(title, *ours, *([theirs.get(field, "")] if theirs else [])))
    students = [monitor.student for monitor in monitors]
    columns = cells(name_generations(monitors), *students, *([source] if theirs else []))
    return Table(columns, tuple(rows), "What the best individuals reached.")


SIX = tuple((view, measure) for view in ("overall", "combined") for measure in ("mean", "median", "most"))
HEADS = ("mean", "median", "max", "match mean", "match median", "match max")
"""The six columns of a table of epochs, and what stands above them."""


def around_table(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> Table:
    """Tell the best generation between its neighbours, without its best individual, and all generations."""
    rows: list[tuple[Cell, ...]] = []
    for monitor in (one.epochs for one in monitors):
        columns = [monitor.series(*field) for field in SIX]
        rows += [*_six(monitor, columns), *_alone(monitor, columns)]
    place = ""
    if there is not None and there.epochs is not None:
        rows += _printed(there.epochs, source)
        place = f" ({there.epochs.tables[0]})"
    caption = f"The generation with the best match and its neighbours{place}: single games and matches."
    return Table(cells("", *HEADS), tuple(rows), caption)


def _printed(epochs: PublishedEpochs, source: str) -> list[tuple[Cell, ...]]:
    return [
        *_printed_rows(epochs.rows, source),
        _pair(f"{source}, {epochs.best * EPOCH} without its best", epochs.without_best),
        _pair(f"{source}, mean of all epochs", epochs.means),
        _pair(f"{source}, deviation of those means", epochs.deviations),
    ]


def _alone(monitor: Monitor, columns: Sequence[NDArray[np.float64]]) -> list[tuple[Cell, ...]]:
    """Return the means of the best generation without its best one, and the mean and deviation of all means."""
    generation = monitor.generations[monitor.best]
    matches = monitor.matches[generation]
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


def smoothed_tables(monitors: Sequence[Monitor], there: PublishedMatches | None, source: str) -> list[Table]:
    """Tell the same generations as means of five, where they have so many neighbours."""
    every = [one.epochs for one in monitors if len(one.late) >= LEAST]
    rows = [row for one in every for row in _six(one, [smoothed(one.series(*field)) for field in SIX])]
    if not rows:
        return []
    caption = "The same as means of five neighbouring epochs"
    if there is None or there.epochs is None:
        return [Table(cells("", *HEADS), tuple(rows), f"{caption}.")]
    epochs = there.epochs
    caption = f"{caption} ({epochs.tables[1]}). {epochs.smoothed_note}"
    return [Table(cells("", *HEADS), (*rows, *_printed_rows(epochs.smoothed, source)), caption)]


def _six(monitor: Monitor, columns: Sequence[NDArray[np.float64]]) -> list[tuple[Cell, ...]]:
    """Return rows of the best generation and its neighbours, where they are known."""
    places = range(max(monitor.best - 1, 0), min(monitor.best + 2, len(monitor.generations)))
    names = [f"{monitor.student}, generation {generation}" for generation in monitor.generations]
    return [
        cells(names[place], *(hundredths(one[place]) for one in columns))
        for place in places
        if not np.isnan(columns[0][place])
    ]


def _printed_rows(epochs: Mapping[int, tuple[float, ...]], source: str) -> list[tuple[Cell, ...]]:
    return [cells(f"{source}, generation {epoch * EPOCH}", *map(hundredths, row)) for epoch, row in epochs.items()]


def _merged(
    monitors: Sequence[Monitor],
    fixed: Mapping[str, Matches],
    there: PublishedMatches | None,
    paper: PublishedEvolution | None,
) -> list[Block]:
    """Return scores and records of all epochs together, fixed players beside them."""
    opponent = monitors[0].opponent
    ours = {**{monitor.student: monitor.epochs.merged for monitor in monitors}, **fixed}
    theirs = _theirs(opponent, fixed, there, paper) if there is not None and paper is not None else {}
    named = f" {paper.source}: {' and '.join(one.tables for one in theirs.values())}." if theirs and paper else ""
    caption = f"Scores against {opponent}, {name_generations(monitors)} together.{named}"
    blocks: list[Block | None] = [
        spread_table({name: spreads(one) for name, one in ours.items()}
                     | {name: one.spreads for name, one in theirs.items()}, caption),
        record_table({name: records(one) for name, one in ours.items()}
                     | {name: one.records for name, one in theirs.items()},
                     f"Games and matches against {opponent}: decided are those won or lost; points count ties half."),
    ]  # fmt: skip
    if family_of(opponent) == "stochastic":
        blocks.append(_other_side(monitors, paper))
    return [block for block in blocks if block is not None]


def _theirs(
    opponent: str, fixed: Mapping[str, Matches], there: PublishedMatches, paper: PublishedEvolution
) -> dict[str, PublishedMatches]:
    """Return the paper's own matches against the same opponent, by who played them."""
    theirs = {f"{paper.source}, {paper.student}": there}
    for one in fixed:
        if (other := paper.between(one, opponent)) is not None and other.spreads:
            theirs[f"{paper.source}, {other.player}"] = other
    return theirs


def _other_side(monitors: Sequence[Monitor], paper: PublishedEvolution | None) -> Table:
    """Return the opponent's scores, each column under the colour that it really had."""
    ours = {f"v {monitor.student}": spreads(monitor.epochs.merged.turned()) for monitor in monitors}
    if paper is None:
        return spread_table(ours, "The opponent's scores in the same games, by its own colours.")
    there = paper.opponent
    caption = f"The opponent's scores in the same games ({there.tables}), by its own colours; {paper.opponent_note}."
    return spread_table({**ours, f"{paper.source}, {there.player}": there.spreads}, caption)
