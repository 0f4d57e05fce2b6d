"""The sections on a series that is told by seeds: what students reach in each cell, and how far after equal efforts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, headed, number, percent
from understudy.report.findings import Finding
from understudy.report.plots import Band, Line, draw_lines
from understudy.report.sources import Run

MEASURES = {
    "accuracy.whole": ("as the teacher, test rows", "test", 2),
    "legality.whole": ("legal, states", "states", 2),
}
"""Columns of what was reached: title, how its section of verdicts begins, and decimals."""
VIEWS = {
    "epochs": ("epochs", "Best validation accuracy so far after equal epochs; who has stopped keeps its best."),
    "minutes": ("minutes of learning", "The same after equal time."),
}
"""What learning is measured by, and what is said of it."""
HOW = (
    "Mean over students that differ in their seed alone; in brackets the least and the most of them. Seeds decide the "
    "first weights, the order of examples and dropout; the rows held out are the same."
)


def seeds_sections(run: Run) -> list[Section]:
    """Return a section for each cell: what was reached, then how fast."""
    sections = []
    for place, (name, cell) in enumerate(run.graded.get("cells", {}).items()):
        blocks: list[Block] = [Text(HOW)] if not place else []
        blocks += [_reached(cell), *_views(cell, run.graded), *_pictures(cell)]
        sections.append(Section(headed(name.replace("_", " ")), tuple(blocks)))
    return sections


def _reached(cell: Mapping[str, Any]) -> Table:
    """Return what students reached, what it took, and who has not learned."""
    titles = [title for title, _, _ in MEASURES.values()]
    rows = [_reached_row(name, group) for name, group in cell["groups"].items()]
    for name, row in cell["baselines"].items():
        rows.append((Cell(name, "baseline"), *cells("", percent(row["accuracy.whole"], 2), "", "", "", "")))
    columns = cells("students", "weights", *titles, "validation", "epochs", "minutes")
    return Table(columns, tuple(rows), str(cell.get("title", "")), dense=True)


def _reached_row(name: str, group: Mapping[str, Any]) -> tuple[Cell, ...]:
    found = [ranged(_spread_of(group, measure), decimals) for measure, (_, _, decimals) in MEASURES.items()]
    weights = group.get("weights")
    return (
        Cell(name.replace("_", " "), f"{group['seeds']} seed{'s' if group['seeds'] > 1 else ''}"),
        Cell("" if weights is None else number(weights)), *found, ranged(group["validation"], 2),
        *(_counted(group[key]) for key in ("epochs_run", "minutes_run")),
    )  # fmt: skip


def _spread_of(group: Mapping[str, Any], measure: str) -> Sequence[float]:
    found = find_measure(group, measure)
    return found["spread"] if found else ()


def find_measure(group: Mapping[str, Any], measure: str) -> Mapping[str, Any] | None:
    """Return a measure of a group from the first section of its kind that has it."""
    begins = MEASURES[measure][1]
    for section, measures in group["measures"].items():
        if section.startswith(begins) and measure in measures:
            found: Mapping[str, Any] = measures[measure]
            return found
    return None


def ranged(spread: Sequence[float], decimals: int) -> Cell:
    """Return a mean share, and from where to where it goes."""
    if not spread:
        return Cell("")
    mean, least, most = spread
    aside = f"({100 * least:.{decimals}f} to {100 * most:.{decimals}f})" if least < most else ""
    return Cell(percent(mean, decimals), aside)


def _counted(spread: Sequence[float]) -> Cell:
    if not spread:
        return Cell("")
    mean, least, most = (round(value, 2) for value in spread)
    return Cell(number(mean), f"({number(least)} to {number(most)})" if least < most else "")


def _views(cell: Mapping[str, Any], graded: Mapping[str, Any]) -> Iterator[Table]:
    """Yield how far everybody was after equal epochs, and after equal time."""
    for view, (_, caption) in VIEWS.items():
        told = {name: {row[0]: row[1:] for row in group[f"by_{view}"]} for name, group in cell["groups"].items()}
        points = [point for point in graded[view] if any(point in rows for rows in told.values())]
        rows = [(Cell(name.replace("_", " ")), *(ranged(found.get(point, ()), 2) for point in points))
                for name, found in told.items()]  # fmt: skip
        if points:
            yield Table(cells(view, *map(number, points)), tuple(rows), caption, dense=True)


def _pictures(cell: Mapping[str, Any]) -> Iterator[Plots]:
    plots = tuple(_draw(cell["groups"], view, across) for view, (across, _) in VIEWS.items())
    if any(group["curve_epochs"] for group in cell["groups"].values()):
        yield Plots(plots, "Best validation accuracy so far: mean, and least to most over seeds.")


def _draw(groups: Mapping[str, Any], view: str, across: str) -> Plot:
    curves = {name: group[f"curve_{view}"] for name, group in groups.items() if group[f"curve_{view}"]}
    lines, bands = [], []
    for colour, points in enumerate(curves.values()):
        xs, means, lows, highs = ([float(row[place]) for row in points] for place in range(4))
        lines.append(Line(xs, means, colour))
        bands.append(Band(xs, lows, highs, colour))
    drawing = draw_lines(lines, across=across, bands=bands)
    return Plot(drawing, f"by {across}", tuple(name.replace("_", " ") for name in curves))


def seeds_findings(run: Run) -> Iterator[Finding]:
    """Yield the mean over seeds of what was reached; intervals hold those of all seeds."""
    for cell, graded in run.graded.get("cells", {}).items():
        for name, group in graded["groups"].items():
            if (found := find_measure(group, "accuracy.whole")) is not None:
                words = f"moves chosen as the teacher did ({cell.replace('_', ' ')}, mean over seeds)"
                low, high = found["bounds"]
                yield Finding(name.replace("_", " "), words, found["spread"][0], low, high, found["sample"])


def seeds_results(run: Run) -> dict[str, Any]:
    """Return what the results of a run keep: all but the curves, which are long."""
    cells = {
        cell: {
            "groups": {name: {key: value for key, value in group.items() if not key.startswith("curve_")}
                       for name, group in graded["groups"].items()},
            "baselines": graded["baselines"],
        }
        for cell, graded in run.graded.get("cells", {}).items()
    }  # fmt: skip
    return {"cells": cells}
