"""The section on what students learn from: single numbers in a table, distributions as pictures, cells on a board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.report.blocks import (
    Block,
    Cell,
    Plot,
    Plots,
    Section,
    Table,
    cells,
    is_number,
    number,
    percent,
    titled,
    worded,
)
from understudy.report.boards import game_of, heat_plot
from understudy.report.plots import draw_bars
from understudy.report.sections import MANY, write_setting
from understudy.report.sources import Run

WORDS = {
    "raw_rows": "Records",
    "rows": "Rows, images counted as asked",
    "expansion": "Images",
    "removal": "Rule of removal",
    "moved": "Rows with a move",
    "sources": "Records from",
    "sides": "Positions, players and years being held out",
    "corrections": "Positions that a student reached, the teacher's choice",
    "distinct_positions": "Different positions",
    "distinct_pairs": "Different pairs of position and move",
    "distinct_moves": "Different moves",
    "phases": "Phase",
    "removals": "Removals in phase",
    "parts.to.counts": "TO: how often each cell",
    "parts.from.counts": "FROM: how often each cell",
    "parts.remove.counts": "REMOVE: how often each cell",
    "parts.to.entropy": "Entropy of TO, bits",
    "parts.from.entropy": "Entropy of FROM, bits",
    "parts.remove.entropy": "Entropy of REMOVE, bits",
    "parts.to.constant": "Share of the commonest TO",
    "parts.from.constant": "Share of the commonest FROM",
    "parts.remove.constant": "Share of the commonest REMOVE",
    "legal.least": "Legal moves in a position, least",
    "legal.most": "Legal moves in a position, most",
    "legal.mean": "Legal moves in a position, mean",
    "legal.single": "Positions with one legal move",
    "legal.histogram": "Positions by number of legal moves",
    "shares.moves": "Moves there are",
    "shares.impossible": "Moves never legal by the shape of the board",
    "shares.never": "Moves legal in none of these positions",
    "shares.highest": "Largest share of positions a move is legal in",
    "shares.mean": "Mean share of positions a move is legal in",
}
"""What the numbers of an analysis are called in a report."""


def data_section(run: Run) -> Section | None:
    """Tell what the data are like: single numbers in a table, distributions as pictures."""
    rows: list[tuple[Cell, ...]] = []
    plots: list[Plot] = []
    boards: list[Plot] = []
    game = game_of(run)
    for name, value in _measured(run.analysis):
        heat = heat_plot(game, list(value.values()), name) if _is_of_cells(run, value) else None
        if heat is not None:
            boards.append(heat)
        elif not isinstance(value, Mapping):
            rows.append(_single(name, value))
        elif len(value) >= MANY:
            plots.append(Plot(draw_bars(list(value), [float(height) for height in value.values()]), name))
        else:
            rows += _counts(name, value)
    blocks: list[Block] = []
    if rows:
        shares = any(row[2].text for row in rows)
        columns = cells("", "number", "share") if shares else cells("", "number")
        blocks.append(Table(columns, tuple(row[: len(columns)] for row in rows)))
    if plots:
        blocks.append(Plots(tuple(plots)))
    if boards:
        blocks.append(Plots(tuple(boards), boards=True))
    return Section("The data", tuple(blocks)) if blocks else None


def _single(name: str, value: Any) -> tuple[Cell, ...]:
    """Return the row of one number, in the column of shares if it is one, or of a text."""
    if is_number(value) and 0 <= value <= 1 and "share" in name.lower():
        return Cell(name), Cell(""), Cell(percent(value))
    return Cell(name), Cell(write_setting(value) if isinstance(value, str) else number(value)), Cell("")


def _is_of_cells(run: Run, value: Any) -> bool:
    """Tell whether numbers are how often each cell was a part of a move."""
    parts = run.analysis.get("parts")
    every = parts.values() if isinstance(parts, Mapping) else ()
    counts = [facts.get("counts") for facts in every if isinstance(facts, Mapping)]
    return isinstance(value, Mapping) and list(value.values()) in counts


def _measured(analysis: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every number, and every distribution as a dictionary of numbers, under the words that lead to it."""
    for key, value in analysis.items():
        name = WORDS.get(f"{prefix}{key}") or titled(f"{prefix}{key}")
        if isinstance(value, list) and value and all(is_number(one) for one in value):
            yield name, {str(place): one for place, one in enumerate(value)}
        elif isinstance(value, Mapping) and value and all(is_number(one) for one in value.values()):
            yield name, _ordered(value)
        elif isinstance(value, Mapping):
            yield from _measured(value, f"{prefix}{key}.")
        elif is_number(value) or isinstance(value, str):
            yield name, value


def _ordered(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Return counts by number where keys are numbers, with zeros for what lies between."""
    if not all(key.isascii() and key.isdigit() for key in counts) or len(counts) < MANY:
        return dict(counts)
    numbers = {int(key): value for key, value in counts.items()}
    if max(numbers) > 1000:
        return {str(key): numbers[key] for key in sorted(numbers)}
    return {str(key): numbers.get(key, 0) for key in range(min(numbers), max(numbers) + 1)}


def _counts(name: str, counts: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    """Return a row for each of a few numbers; whole ones are counts and get their shares."""
    whole = all(isinstance(value, int) for value in counts.values()) and sum(counts.values()) > 0
    total = sum(counts.values()) if whole else 1
    return [
        (
            Cell(f"{name}: {key if ':' in key else worded(key)}"),
            Cell(number(value)),
            Cell(percent(value / total) if whole else ""),
        )
        for key, value in counts.items()
    ]
