"""The sections on networks fitted to tables of positions: the source's figure 2, and what the errors are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.report.blocks import Cell, Plot, Plots, Section, Table, Text, cells, number, percent
from understudy.report.plots import Line, draw_lines
from understudy.report.sources import Run

SOURCE = 0.02
"""The mean squared error below which the source's networks were on 5x5, on the positions they had learned from."""
CURVES = 5
"""Sizes of sample in one picture."""


def errors_sections(run: Run) -> list[Section]:
    """Return the sections on learning and on what was learned from; none where nothing was fitted."""
    return [_learning(run.errors, beside=run.beside("miller")), _samples(run.errors)] if run.errors else []


def _learning(errors: Mapping[str, Any], *, beside: bool) -> Section:
    note = (
        "Mean squared error over cycles, for tables of so many games. Solid: positions held out; dashed: positions "
        "learned from."
    )
    if beside:
        note += f" The last line is the source's {SOURCE}, which it reached on the positions learned from."
    plots = tuple(_curves(name, entries, beside=beside) for name, entries in errors.items())
    rows = tuple(row for name, entries in errors.items() for row in _rows(name, entries))
    columns = cells("student, games", "learned from", "held out", "mean alone", "explained", "met 5 times or more",
                    "mean alone", "game going on", "mean alone")  # fmt: skip
    caption = (
        "Mean squared errors at the end; values are from 0 to 1. Mean alone: the error on positions held out of always "
        "saying the mean of those learned from; explained: the share of it that the network does away with. The last "
        "columns are of positions held out: those met often, and those in which the game goes on. Intervals of 95 % "
        "take positions as independent, which those of one game are not."
    )
    caption += f" Source, 5x5: below {SOURCE}, learned from." if beside else ""
    return Section("Errors", (Plots(plots, note), Table(columns, rows, caption)))


def _curves(name: str, entries: Sequence[Mapping[str, Any]], *, beside: bool) -> Plot:
    shown = _spread(entries)
    lines = []
    for colour, entry in enumerate(shown):
        xs = [float(cycle + 1) for cycle in entry["cycles"]]
        lines += [Line(xs, entry["held_out_curve"], colour), Line(xs, entry["learned_curve"], colour, quiet=True)]
    if beside:
        ends = [1.0, float(max(len(entry["cycles"]) for entry in shown))]
        lines.append(Line(ends, [SOURCE, SOURCE], len(shown), quiet=True))
    top = 1.15 * max(sorted(line.ys)[9 * len(line.ys) // 10] for line in lines)
    drawing = draw_lines(lines, across="cycles", decimals=3, low=0.0, high=top, shares=False)
    keys = [f"{number(entry['games'])} games" for entry in shown]
    return Plot(drawing, name, (*keys, *(["source"] if beside else [])))


def _spread(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a few of the entries, the first and the last among them."""
    last = len(entries) - 1
    places = {round(last * place / (CURVES - 1)) for place in range(CURVES)}
    return [entries[place] for place in sorted(places)]


def _rows(name: str, entries: Sequence[Mapping[str, Any]]) -> list[tuple[Cell, ...]]:
    return [
        (
            Cell(f"{name}, {number(entry['games'])}"),
            Cell(_written(entry["learned"])),
            _measured(entry["held_out"]),
            Cell(_written(entry["mean_alone"])),
            Cell(percent(1 - entry["held_out"]["value"] / entry["mean_alone"]) if entry["mean_alone"] else "–"),
            _measured(entry["often"]),
            Cell(_written(entry["often_mean_alone"])),
            _measured(entry["going_on"]),
            Cell(_written(entry["going_on_mean_alone"])),
        )
        for entry in entries
    ]


def _measured(measure: Mapping[str, Any]) -> Cell:
    if not measure["sample"]:
        return Cell("–")
    aside = f"({measure['low']:.4f} to {measure['high']:.4f})" if measure["sample"] > 1 else ""
    return Cell(_written(measure["value"]), aside)


def _written(error: float | None) -> str:
    return "–" if error is None else f"{error:.4f}"


def _samples(errors: Mapping[str, Any]) -> Section:
    """Tell how large the tables are and who won the games behind them."""
    rows = [
        (
            Cell(f"{name}, {number(entry['games'])}"),
            *cells(number(entry["positions"]), percent(entry["once"] / entry["positions"]), *_shares(entry["results"])),
        )
        for name, entries in errors.items()
        for entry in entries
    ]
    told = (
        "Positions are counted once, whoever was to move; lost, drawn and won are of who sampled, against its opponent."
    )
    table = Table(cells("student, games", "positions", "met once", "lost", "drawn", "won"), tuple(rows))
    return Section("Tables", (Text(told), table))


def _shares(results: Sequence[Sequence[int]]) -> list[str]:
    counts = [sum(column) for column in zip(*results, strict=True)]
    return [percent(count / max(sum(counts), 1)) for count in counts]
