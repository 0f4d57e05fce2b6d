"""The section on school: how well networks told the outcomes of games, round by round, before they evolved."""

from __future__ import annotations

from understudy.report.blocks import Plot, Plots, Section
from understudy.report.evolution.course import numeric
from understudy.report.plots import Line, draw_lines
from understudy.report.sources import Run

NOTE = (
    "Mean squared error of the last pass of each round, outcomes being -1, 0 and 1. Rounds learn from different games, "
    "so a line that does not fall need not mean that nothing is learned."
)


def school_section(run: Run) -> Section | None:
    """Draw the error of every student that went to school; of a round told twice the last word counts."""
    found: dict[str, dict[float, float]] = {}
    for line in run.school:
        if numeric(line.get("round")) and numeric(line.get("error")):
            found.setdefault(str(line.get("student", "student")), {})[line["round"] + 1] = line["error"]
    if not found:
        return None
    lines = [
        Line(sorted(rounds), [rounds[number] for number in sorted(rounds)], colour)
        for colour, rounds in enumerate(found.values())
    ]
    drawing = draw_lines(lines, across="round", shares=False)
    return Section("School", (Plots((Plot(drawing, "Error over rounds", tuple(found)),), NOTE),))
