"""The sections on a series that was compared with the truth: values kept, how much was lost, and by which endgame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.report.blocks import Cell, Section, Table, Text, cells, measured
from understudy.report.findings import Finding
from understudy.report.sources import Run

KEPT = "value_kept.critical"
HOW = (
    "All were asked in the same {positions} positions in which it matters what is chosen; nobody had learned from any "
    "of them. A choice keeps the value if the position is worth as much after it as before, with perfect play: a won "
    "one stays won, a drawn one drawn. Who chooses illegally keeps nothing."
)
LOST = {
    "value_lost.win_to_draw": "won to drawn",
    "value_lost.win_to_loss": "won to lost",
    "value_lost.draw_to_loss": "drawn to lost",
    "value_lost.illegal": "illegal",
}
"""Columns of what was thrown away: of positions in which that can happen, and of all."""
PLIES = {"plies_lost.win": "plies longer", "plies_lost.loss": "plies shorter"}
"""What a win kept takes longer than it could, and a loss comes sooner."""


def truth_sections(run: Run) -> list[Section]:
    """Return a table of values kept and lost, and one by endgame."""
    rows = players_of(run.graded)
    if not rows:
        return []
    intro = Text(HOW.format(positions=run.graded.get("positions")))
    return [Section("Compared with perfect play", (intro, _kept_table(rows), *_space_table(rows)))]


def players_of(graded: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return everybody, students first, the best at the top."""
    rows = [row for row in graded.get("players", []) if isinstance(row, Mapping)]
    return sorted(rows, key=lambda row: (row["role"] != "student", -(row["measures"][KEPT]["value"] or 0.0)))


def _kept_table(rows: list[Mapping[str, Any]]) -> Table:
    lost = [name for name in LOST if any(name in row["measures"] for row in rows)]
    plies = [name for name in PLIES if any(name in row["measures"] for row in rows)]
    titles = cells("", "value kept", *(LOST[name] for name in lost), *(PLIES[name] for name in plies))
    table = [
        (Cell(row["name"]), *(measured(row["measures"].get(name)) for name in (KEPT, *lost)),
         *(measured(row["measures"].get(name), share=False) for name in plies))
        for row in rows
    ]  # fmt: skip
    return Table(titles, tuple(table), "What was lost: of positions in which that can happen.", dense=True)


def _space_table(rows: list[Mapping[str, Any]]) -> Iterator[Table]:
    spaces = name_spaces(rows)
    if spaces:
        table = [(Cell(row["name"]), *(measured(row["measures"].get(f"value_kept.{space}")) for space in spaces))
                 for row in rows]  # fmt: skip
        yield Table(cells("value kept in", *spaces), tuple(table), "The side to move is named first.", dense=True)


def name_spaces(rows: list[Mapping[str, Any]]) -> list[str]:
    """Return the endgames that were asked, such as 4v3."""
    names = {
        name.removeprefix("value_kept.") for row in rows for name in row["measures"] if name.startswith("value_kept.")
    }
    return sorted(name for name in names if name[:1].isdigit())


def truth_findings(run: Run) -> Iterator[Finding]:
    """Yield what share of values everybody keeps."""
    for row in players_of(run.graded):
        measure = row["measures"].get(KEPT)
        if measure and measure["value"] is not None:
            yield Finding(
                row["name"], "choices that keep what a position is worth", measure["value"], measure["low"],
                measure["high"], measure["sample"], role=row["role"],
            )  # fmt: skip


def truth_results(run: Run) -> dict[str, Any]:
    """Return what the results of a run keep: all but from which folder students were taken."""
    rows = [{key: value for key, value in row.items() if key != "player"} for row in players_of(run.graded)]
    return {"game": run.graded.get("game"), "positions": run.graded.get("positions"), "players": rows}
