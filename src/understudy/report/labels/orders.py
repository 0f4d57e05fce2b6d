"""The section on the order of combinations of input and network: ours, the thesis's, and what ours says of each step.

How far students are ahead is taken position by position. Of students that are not neighbours in our order labels.json
holds no such interval; their leads add up, and by the triangle inequality the widths of the intervals between, added,
are an upper bound, as are the widths of the two students' own intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from understudy.report.blocks import Block, Cell, Section, Table, Text, cells
from understudy.report.labels.nearness import measure_of
from understudy.studies.sabatelli import paper as sabatelli

CONFIRMED, REFUTED, UNKNOWN, LEVEL = "confirmed", "refuted", "cannot tell", "level there"


class Pair(NamedTuple):
    """Two neighbours in the thesis's order of a data set."""

    dataset: str
    better: str
    worse: str
    lead: float
    """How far the thesis has the first ahead."""
    value: float
    """How far it is ahead in ours; below 0 where it is behind."""
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """What ours says of the thesis's order."""
        if self.lead == 0:
            return LEVEL
        if self.low > 0:
            return CONFIRMED
        return REFUTED if self.high < 0 else UNKNOWN


def orders_section(labels: Mapping[str, Any], *, beside: bool) -> Section | None:
    """Tell our order, data set by data set, and with *beside* the thesis's; none where nobody can be compared."""
    orders = {dataset: order for dataset, order in labels.get("orders", {}).items() if len(order) > 1}
    if not orders:
        return None
    theirs = {dataset: sabatelli.order_of(dataset) if beside else [] for dataset in orders}
    blocks: list[Block] = [
        _order_table(dataset, order, labels["students"], theirs[dataset]) for dataset, order in orders.items()
    ]
    pairs = pairs_of(labels) if beside else []
    if pairs:
        blocks += [Text(_summary(pairs)), _pairs_table(pairs)]
    return Section("The order of the combinations", tuple(blocks))


def _order_table(
    dataset: str, order: Sequence[Mapping[str, Any]], students: Mapping[str, Any], theirs: Sequence[str]
) -> Table:
    rows = []
    for place, (ours, name) in enumerate(zip_longest(order, theirs), 1):
        cells_of = (Cell(""), Cell(""), Cell(""))
        if ours is not None:
            verdict = students[ours["student"]]["test"]
            test = verdict[measure_of(verdict)]["value"]
            cells_of = (Cell(ours["student"]), Cell(_written(dataset, test)), _ahead(dataset, ours["ahead"]))
        there = cells(name, _written(dataset, sabatelli.PRINTED[name].test)) if name else cells("", "")
        rows.append((Cell(str(place)), *cells_of, *(there if theirs else ())))
    columns = ["", "ours", "test", "ahead of the next", *([sabatelli.SOURCE, "test"] if theirs else [])]
    unit = "percentage points" if _shares(dataset) else "mean squared error"
    caption = (
        f"Data set {dataset}, best first. Ahead of the next: by how much, in {unit}, on the same positions, with the "
        "95 % interval of the difference; where it holds 0, chance may have made the order."
    )
    return Table(cells(*columns), tuple(rows), caption)


def _shares(dataset: str) -> bool:
    return dataset in ("1", "2", "3")


def _written(dataset: str, value: float) -> str:
    return f"{100 * value:.2f} %" if _shares(dataset) else f"{value:.4f}"


def _ahead(dataset: str, lead: Mapping[str, Any] | None) -> Cell:
    if lead is None or lead.get("value") is None:
        return Cell("")
    value, low, high = (_signed(dataset, lead[key]) for key in ("value", "low", "high"))
    return Cell(value, f"({low} to {high})")


def _signed(dataset: str, value: float) -> str:
    return f"{100 * value:+.2f}" if _shares(dataset) else f"{value:+.5f}"


def pairs_of(labels: Mapping[str, Any]) -> list[Pair]:
    """Return the thesis's neighbours that both learned here too, split by games, with our lead of each."""
    found = []
    for dataset, order in labels.get("orders", {}).items():
        known = {entry["student"] for entry in order}
        for better, worse in pairwise(sabatelli.order_of(dataset)):
            if better in known and worse in known:
                lead = _lead(order, labels["students"], better, worse)
                found.append(Pair(dataset, better, worse, sabatelli.lead_of(better, worse), *lead))
    return found


def _lead(
    order: Sequence[Mapping[str, Any]], students: Mapping[str, Any], one: str, other: str
) -> tuple[float, float, float]:
    """Return how far one student is ahead of another, and an interval that is not too narrow."""
    names = [entry["student"] for entry in order]
    first, last = sorted((names.index(one), names.index(other)))
    steps = [entry["ahead"] for entry in order[first:last]]
    value = sum(step["value"] for step in steps)
    own = [students[name]["test"] for name in (one, other)]
    half = min(sum(map(_half, steps)), sum(_half(verdict[measure_of(verdict)]) for verdict in own))
    if names[first] != one:
        value = -value
    return value, value - half, value + half


def _half(measure: Mapping[str, Any]) -> float:
    return float(measure["high"] - measure["low"]) / 2


def _summary(pairs: Sequence[Pair]) -> str:
    counts = Counter(pair.verdict for pair in pairs)
    told = [f"{counts[verdict]} {verdict}" for verdict in (CONFIRMED, REFUTED, UNKNOWN, LEVEL) if counts[verdict]]
    return f"Steps of the thesis's order whose two students both learned here: {len(pairs)}. Ours: {', '.join(told)}."


def _pairs_table(pairs: Sequence[Pair]) -> Table:
    rows = [
        (
            Cell(f"{pair.better} before {pair.worse}"),
            Cell(_signed(pair.dataset, pair.lead)),
            _ahead(pair.dataset, {"value": pair.value, "low": pair.low, "high": pair.high}),
            Cell(pair.verdict, "", pair.verdict == REFUTED),
        )
        for pair in pairs
    ]
    caption = (
        "Neighbours in the thesis's order: how far the first is ahead there and here (below 0: behind), in percentage "
        "points or mean squared error. Cannot tell: our 95 % interval holds 0. Where others stand between the two in "
        "our order the interval is an upper bound, wider than need be. The thesis has one training of each and no "
        "intervals, and so have we one training: another seed may change what is close."
    )
    return Table(cells("the thesis has", "there", "here", "ours"), tuple(rows), caption)
