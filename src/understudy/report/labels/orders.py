"""The section on the order of combinations of input and network: ours, a paper's, and what ours says of each step.

How far students are ahead is taken position by position. Of students that are not neighbours in our order labels.json
holds no such interval; their leads add up, and by the triangle inequality the widths of the intervals between, added,
are an upper bound, as are the widths of the two students' own intervals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, decimal, percent
from understudy.report.labels.nearness import ONE_PASS, PublishedLabels, is_classes, measure_of, passes_of

CONFIRMED, REFUTED, UNKNOWN, LEVEL = "confirmed", "refuted", "cannot tell", "level there"
"""What becomes of a paper's order of two students: LEVEL where the paper itself has them equal."""


class Pair(NamedTuple):
    """Two neighbours in a paper's order of a data set."""

    dataset: str
    better: str
    worse: str
    lead: float
    """How far the paper has the first ahead."""
    value: float
    """How far it is ahead in ours; below 0 where it is behind."""
    low: float
    high: float
    doubt: str = ""
    """Why nothing follows from it, whatever the numbers; empty where there is no such reason."""

    @property
    def verdict(self) -> str:
        """What ours says of the paper's order."""
        if self.doubt:
            return UNKNOWN
        if self.lead == 0:
            return LEVEL
        if self.low > 0:
            return CONFIRMED
        return REFUTED if self.high < 0 else UNKNOWN


def orders_section(labels: Mapping[str, Any], paper: PublishedLabels | None) -> Section | None:
    """Tell our order, data set by data set, and that of a *paper*; none where nobody can be compared."""
    orders = {dataset: order for dataset, order in labels.get("orders", {}).items() if len(order) > 1}
    if not orders:
        return None
    students = labels["students"]
    blocks: list[Block] = [_order_table(dataset, order, students, paper) for dataset, order in orders.items()]
    if paper is not None and (pairs := pairs_of(labels, paper)):
        blocks += [Text(_summary(pairs, paper.noun)), _pairs_table(pairs, students, paper.noun)]
    return Section("The order of the combinations", tuple(blocks))


def _order_table(
    dataset: str,
    order: Sequence[Mapping[str, Any]],
    students: Mapping[str, Any],
    paper: PublishedLabels | None,
) -> Table:
    theirs = [(name, paper.printed[name].test) for name in paper.order_of(dataset)] if paper is not None else []
    shares, rows = is_classes(students[order[0]["student"]]["test"]), []
    for place, (ours, there) in enumerate(zip_longest(order, theirs), 1):
        own = _ranked(ours, students, shares=shares) if ours is not None else cells("", "", "")
        other = cells(there[0], _written(there[1], shares=shares)) if there is not None else cells("", "")
        rows.append((Cell(str(place)), *own, *(other if theirs else ())))
    heads = [paper.source, "test"] if paper is not None and theirs else []
    columns = ["", "ours", "test", "ahead of the next", *heads]
    unit = "percentage points" if shares else "mean squared error"
    caption = (
        f"Data set {dataset}, best first. Ahead of the next: by how much, in {unit}, on the same positions, with the "
        "95 % interval of the difference; where it holds 0, chance may have made the order."
    )
    return Table(cells(*columns), tuple(rows), caption)


def _ranked(ours: Mapping[str, Any], students: Mapping[str, Any], *, shares: bool) -> tuple[Cell, ...]:
    verdict = students[ours["student"]]["test"]
    test = verdict[measure_of(verdict)]["value"]
    return Cell(ours["student"]), Cell(_written(test, shares=shares)), _ahead(ours["ahead"], shares=shares)


def _written(value: float, *, shares: bool) -> str:
    return percent(value, 2) if shares else decimal(value, 4)


def _ahead(lead: Mapping[str, Any] | None, *, shares: bool) -> Cell:
    if lead is None or lead.get("value") is None:
        return Cell("")
    value, low, high = (_signed(lead[key], shares=shares) for key in ("value", "low", "high"))
    return Cell(value, f"({low} to {high})")


def _signed(value: float, *, shares: bool) -> str:
    return f"{100 * value:+.2f}" if shares else f"{value:+.5f}"


def pairs_of(labels: Mapping[str, Any], paper: PublishedLabels) -> list[Pair]:
    """Return a paper's neighbours that both learned here too, split by games, with our lead of each."""
    pairs = []
    for dataset, order in labels.get("orders", {}).items():
        names = {entry["student"] for entry in order}
        for better, worse in pairwise(paper.order_of(dataset)):
            if better in names and worse in names:
                lead = _lead(order, labels["students"], better, worse)
                doubt = doubt_of([(name, labels["students"][name]) for name in (better, worse)], paper)
                pairs.append(Pair(dataset, better, worse, paper.lead_of(better, worse), *lead, doubt))
    return pairs


def doubt_of(students: Iterable[tuple[str, Mapping[str, Any]]], paper: PublishedLabels) -> str:
    """Return why nothing can be said of a paper's order by these students; nothing where that is not so."""
    for name, facts in students:
        if paper.belongs(name, facts) is None:
            return f"{name} is another network than the {paper.noun}'s"
        if passes_of(facts) < ONE_PASS:
            return f"{name} has not seen every position once"
    return ""


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


def _summary(pairs: Sequence[Pair], noun: str) -> str:
    counts = Counter(pair.verdict for pair in pairs)
    texts = [f"{counts[verdict]} {verdict}" for verdict in (CONFIRMED, REFUTED, UNKNOWN, LEVEL) if counts[verdict]]
    return f"Steps of the {noun}'s order whose two students both learned here: {len(pairs)}. Ours: {', '.join(texts)}."


def _pairs_table(pairs: Sequence[Pair], students: Mapping[str, Any], noun: str) -> Table:
    rows = [
        (
            Cell(f"{pair.better} before {pair.worse}"),
            Cell(_signed(pair.lead, shares=shares)),
            _ahead({"value": pair.value, "low": pair.low, "high": pair.high}, shares=shares),
            Cell(pair.verdict, f"({pair.doubt})" if pair.doubt else "", pair.verdict == REFUTED),
        )
        for pair in pairs
        for shares in [is_classes(students[pair.better]["test"])]
    ]
    caption = (
        f"Neighbours in the {noun}'s order: how far the first is ahead there and here (below 0: behind), in percentage "
        "points or mean squared error. Cannot tell: our 95 % interval holds 0, or one "
        "of the two is another network or has not seen every position once. Where others stand between the two in "
        f"our order the interval is an upper bound, wider than need be. The {noun} has one training of each and no "
        "intervals, and so have we one training: another seed may change what is close."
    )
    return Table(cells(f"the {noun} has", "there", "here", "ours"), tuple(rows), caption)
