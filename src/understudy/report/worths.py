"""The section on what positions of games held out are worth, to students and to those who do not learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.report.blocks import Cell, Section, Table, Text, cells, decimal, measured, number
from understudy.report.findings import Finding, find
from understudy.report.sources import Run

WORDS = {
    "search": "what the teacher said",
    "outcome": "how the game ended",
    "perfect": "perfect play",
}
"""With what a student's values are compared, by what can be learned."""
BASELINES = ("always the mean", "evaluator ")
"""How the names of those begin who do not learn."""


def worths_section(run: Run) -> Section | None:
    """Tell how far each value is from what the teacher said, from how games ended and from the truth."""
    tables = [_table(way, entry) for way, entry in run.held_out.items()]
    if not tables:
        return None
    text = (
        "Values are from -1 lost to 1 won for the side to move. Whole games were kept apart: no position below, nor an "
        "image of one, was learned from. Intervals of 95 % are those of means over games."
    )
    return Section("Values of games held out", (Text(text), *tables))


def _table(way: str, entry: Mapping[str, Any]) -> Table:
    rows = tuple(_row(name, graded) for name, graded in entry["players"].items())
    counts = f"{number(entry['positions'])} positions of {number(entry['games'])} games"
    columns = cells("who", "mean error", "mean squared error", "right side", "correlation")
    caption = f"Beside {WORDS.get(way, way)}: {counts}. Right side: of decided positions, who stands better."
    return Table(columns, rows, caption)


def _row(name: str, graded: Mapping[str, Any]) -> tuple[Cell, ...]:
    return (
        Cell(name),
        measured(graded["error"], share=False, decimals=3),
        measured(graded["squared"], share=False, decimals=3),
        measured(graded["right"]) if graded["right"]["sample"] else Cell("–"),
        Cell("–" if graded["correlation"] is None else decimal(graded["correlation"], 3)),
    )


def find_worths(run: Run) -> Iterator[Finding]:
    """Yield for a headline how far each value is from what the teacher said and from how games ended."""
    for way, entry in run.held_out.items():
        for name, graded in entry["players"].items():
            role = "baseline" if name.startswith(BASELINES) else "student"
            words = f"mean error beside {WORDS.get(way, way)}, games held out"
            yield from find(name, words, graded["error"], role=role, share=False, fewer=True, decimals=3)
