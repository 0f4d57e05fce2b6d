"""Table 8.1 of the thesis in a report: its two networks' answers to a suite, beside those of our students.

The lab keeps what `table81.py` makes of them beside every answer, under `thesis`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.report.blocks import Cell, Table, cells, number
from understudy.report.labels.exams import Facts, by_cost, pawns
from understudy.report.labels.nearness import Pairs, PublishedLabels

NETWORKS = ("mlp", "cnn")


@dataclass(frozen=True, kw_only=True)
class Thesis(PublishedLabels):
    """What the thesis prints of students of labels, with its answers to a suite."""

    def suite_pictures(self, facts: Facts) -> dict[str, Pairs]:
        """Return its figures 8.1 and 8.2 anew, where the moves of its networks are legal."""
        rows = (facts.get("thesis") or {}).get("rows", ())
        return {f"{self.source}'s {who.upper()}": _worths(rows, who) for who in NETWORKS if rows}

    def suite_tables(self, answers: Mapping[str, Facts]) -> list[Table]:
        """Return what table 8.1 comes to, and the table row by row."""
        first, facts = next(iter(answers.items()))
        return [self._means(answers), _row_by_row(first, facts["thesis"])] if facts.get("thesis") else []

    def _means(self, answers: Mapping[str, Facts]) -> Table:
        """Return its networks as stated, as printed and anew, and every student."""
        there = next(iter(answers.values()))["thesis"]
        rows = [
            (
                Cell(f"{self.source}'s {who.upper()}"),
                *cells(str(there["best_moves"][who]), str(there["illegal"][who]), pawns(there["stated_mean"][who])),
                Cell(pawns(there["printed"][who]["mean_delta"])),
                *_anew(there["recomputed"][who]),
            )
            for who in NETWORKS
        ]
        ours = {name: facts["thesis"] for name, facts in by_cost(answers).items() if facts.get("thesis")}
        rows += [
            (Cell(name), Cell(str(one["best_moves"]["ours"])), *cells("", "", ""), *_anew(one["recomputed"]["ours"]))
            for name, one in ours.items()
        ]
        return Table(cells(*MEANS), tuple(rows), _means_caption(len(there["rows"])), dense=True)


MEANS = ("player", "best moves", "illegal", "stated", "column", "anew: moves", "mean delta", "median", "losing")


def _means_caption(rows: int) -> str:
    return (
        f"Table 8.1 of the thesis, {rows} rows: other best moves than the suite's key in some, one position twice and "
        "one not at all. Stated: the mean delta in its text; column: that of the numbers it prints; anew: what our "
        "engine makes of the moves that can be played, which is what compares with the students."
    )


def _worths(rows: Any, who: str) -> Pairs:
    costs = [row[f"{who}_cost"] for row in rows]
    return [(cost["pawns"] + cost["delta"], cost["pawns"]) if cost else None for cost in costs]


def _anew(costs: Mapping[str, Any] | None) -> tuple[Cell, ...]:
    if not costs:
        return cells("", "", "", "")
    mean, median = (pawns(costs[key]) for key in ("mean_delta", "median_delta"))
    return cells(number(costs["positions"]), mean, median, number(costs["losing_moves"]))


def _row_by_row(first: str, thesis: Mapping[str, Any]) -> Table:
    rows = [
        (
            Cell(f"{row['row']}, {row['id']}"),
            Cell(" or ".join(row["best"].split())),
            *(cell for who in NETWORKS for cell in _answer(row, who)),
            Cell(row["ours"] or "–", "", bool(row["ours_best"])),
            Cell(pawns((row["ours_cost"] or {}).get("delta"))),
        )
        for row in thesis["rows"]
    ]
    columns = cells("row", "best", "MLP", "printed", "anew", "CNN", "printed", "anew", first, "anew")
    caption = (
        "Table 8.1 row by row, deltas in pawns against the thesis's best move. In colour: best moves; in brackets: "
        "moves that cannot be played in that position."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _answer(row: Mapping[str, Any], who: str) -> tuple[Cell, ...]:
    move = row[who] if row[f"{who}_legal"] else f"({row[who]})"
    anew = (row[f"{who}_cost"] or {}).get("delta")
    return Cell(move, "", bool(row[f"{who}_best"])), Cell(f"{row[f'{who}_delta']:g}"), Cell(pawns(anew))
