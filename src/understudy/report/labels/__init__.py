"""The sections on students that learned an engine's labels: positions, nearness, order, learning, suites, ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, number, percent
from understudy.report.labels.exams import suite_sections
from understudy.report.labels.ladder import ladder_section
from understudy.report.labels.learning import label_learning_section
from understudy.report.labels.nearness import nearness_section
from understudy.report.labels.orders import orders_section, pairs_of
from understudy.report.plots import draw_bars
from understudy.report.sources import Run
from understudy.studies.sabatelli import paper as sabatelli

SHOWN = 12
"""Sources of positions that are told one by one."""


def label_sections(run: Run) -> list[Section]:
    """Return the sections that a run of this kind has something to say in; none for runs of other kinds."""
    beside = run.beside(sabatelli.STUDY)
    found = [
        positions_section(run.labels.get("data", {})),
        nearness_section(run.labels, beside=beside),
        orders_section(run.labels, beside=beside),
        label_learning_section(run),
        *suite_sections(run.suites),
        ladder_section(run.ladder, beside=beside),
    ]
    return [section for section in found if section is not None]


def label_data(run: Run) -> dict[str, Any]:
    """Return as plain data what the sections work out from the files beside the thesis, and its numbers."""
    if not run.labels or not run.beside(sabatelli.STUDY):
        return {}
    return {
        "sabatelli": {name: printed._asdict() for name, printed in sabatelli.PRINTED.items()},
        "pairs": [pair._asdict() | {"verdict": pair.verdict} for pair in pairs_of(run.labels)],
    }


def positions_section(data: Mapping[str, Any]) -> Section | None:
    """Tell where the positions come from, who labelled them, on which sides they stand, and how classes balance."""
    if not data:
        return None
    engines = "; ".join(map(str, data.get("engines", ()))) or "unknown"
    blocks: list[Block] = [Text(f"Labels: {engines}."), _counts(data)]
    if data.get("balance") and data.get("classes"):
        blocks += [_balance_table(data["balance"], data["classes"]), _balance_plots(data["balance"], data["classes"])]
    return Section("Positions", tuple(blocks))


def _counts(data: Mapping[str, Any]) -> Table:
    total = data.get("positions", 0)
    parts = {f"{side} positions" if side != "learned from" else side: n for side, n in data.get("sides", {}).items()}
    parts |= {f"from {source}": count for source, count in _largest(data.get("sources", {})).items()}
    rows = [cells("positions", number(total), ""), cells("games", number(data.get("games", 0)), "")]
    rows += [cells(name, number(count), percent(count / max(total, 1))) for name, count in parts.items()]
    caption = "Positions of one game stand on one side, unless a student says otherwise."
    return Table(cells("", "number", "share"), tuple(rows), caption)


def _largest(sources: Mapping[str, int]) -> dict[str, int]:
    """Return the sources with most positions, and the others as one."""
    ordered = sorted(sources.items(), key=lambda item: -item[1])
    rest = ordered[SHOWN:]
    return dict(ordered[:SHOWN]) | ({f"{len(rest)} others": sum(count for _, count in rest)} if rest else {})


def _balance_table(balance: Mapping[str, Sequence[int]], classes: Mapping[str, Sequence[str]]) -> Table:
    """Return how many positions each class has; the outer classes of data sets 2 and 3 are the same."""
    found = {name: dict(zip(classes[name], balance[name], strict=False)) for name in balance if name in classes}
    names = sorted({name for counts in found.values() for name in counts}, key=_bounds)
    rows = [(Cell(name), *(_class_cell(counts, name) for counts in found.values())) for name in names]
    caption = (
        "Positions of each class, as shares, by the label in pawns for the side to move. The largest class of a data "
        "set is in colour: so often is right who always names it."
    )
    return Table(cells("class", *(f"data set {name}" for name in found)), tuple(rows), caption)


def _class_cell(counts: Mapping[str, int], name: str) -> Cell:
    if name not in counts:
        return Cell("")
    total = max(sum(counts.values()), 1)
    return Cell(percent(counts[name] / total), f"({number(counts[name])})", counts[name] == max(counts.values()))


WORDS = {"Losing": 0, "Draw": 1, "Winning": 2}


def _bounds(name: str) -> tuple[float, float, float]:
    """Return what puts classes in order: named ones first, then by where they begin, wide ones before their parts."""
    low, between, high = name.partition(" to ")
    if not between:
        return (WORDS.get(name, 4), inf if name.startswith(">") else -inf, 0)
    return (4, float(low), -float(high))


def _balance_plots(balance: Mapping[str, Sequence[int]], classes: Mapping[str, Sequence[str]]) -> Plots:
    plots = [
        Plot(draw_bars([_short(one) for one in classes[name]], counts), f"data set {name}")
        for name, counts in balance.items()
        if name in classes
    ]
    return Plots(tuple(plots), "Shares of the classes; below the bars the middle of each class in pawns.")


def _short(name: str) -> str:
    low, between, high = name.partition(" to ")
    return f"{(float(low) + float(high)) / 2:g}" if between else name
