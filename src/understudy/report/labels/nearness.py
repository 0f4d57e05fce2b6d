"""The section on how near students come to an engine's labels: the thesis's tables 6.1 to 6.3, 7.1, 7.2, and ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from understudy.report.blocks import Block, Cell, Section, Table, Text, cells, lasting, number, percent
from understudy.studies.sabatelli import paper as sabatelli

TITLES = {
    "1": "losing, draw, winning",
    "2": "15 classes",
    "3": "20 classes",
    "4": "a number from 0 to 1",
    "win": "the expected outcome",
    "far": "the expected outcome, large advantages drawn together",
}

TOLD = (
    "Intervals of 95 % take games as independent, not positions. Off: mean error in pawns, labels beyond 20 pawns and "
    "mates being 20. Sign: how often the better side is named, where there is one. Explained: share of the labels' "
    "variance, below 0 for who does worse than their mean. These three are of the test positions, which each student "
    "met once, after its training. Always the same: the most frequent class, or the mean, of what was learned from. "
    "Counts material: a fit to the difference in pawns, knights, bishops, rooks and queens."
)


def nearness_section(labels: Mapping[str, Any], *, beside: bool) -> Section | None:
    """Tell for each data set how near every student comes, beside those who do not learn.

    *beside* tells whether the thesis's numbers stand there, too.
    """
    students = labels.get("students", {})
    if not students:
        return None
    blocks: list[Block] = [Text(TOLD)]
    if beside and any(sabatelli.belongs(name, known["dataset"]) for name, known in students.items()):
        blocks.append(Text(sabatelli.NOT_COMPARABLE))
    yardsticks = labels.get("data", {}).get("yardsticks", {})
    for dataset, group in by_dataset(students).items():
        source = beside and any(sabatelli.belongs(name, dataset) for name in group)
        blocks += [_table(dataset, group, yardsticks.get(dataset, {}), source=source), _costs(dataset, group)]
    return Section("How near the students come", tuple(blocks))


def by_dataset(students: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the students of each data set, the best on its test positions first, those of another split last."""
    found: dict[str, dict[str, Any]] = {}
    for name, known in sorted(students.items(), key=lambda item: (item[1]["dataset"], _place(item[1]))):
        found.setdefault(known["dataset"], {})[name] = known
    return found


def _place(known: Mapping[str, Any]) -> tuple[bool, float]:
    value = known["test"][measure_of(known["test"])].get("value") or 0.0
    return known.get("split", "game") != "game", value if measure_of(known["test"]) == "squared error" else -value


def measure_of(verdict: Mapping[str, Any]) -> str:
    """Return the measure by which students of a data set are compared."""
    return "accuracy" if "accuracy" in verdict else "squared error"


def _table(dataset: str, students: Mapping[str, Any], yardsticks: Mapping[str, Any], *, source: bool) -> Table:
    verdicts = {name: known["test"] for name, known in students.items()} | dict(yardsticks)
    measure = measure_of(next(iter(verdicts.values())))
    rows = [
        (
            _named(name, students.get(name)),
            nearness(verdict, measure),
            nearness(students[name]["validation"], measure) if name in students else Cell(""),
            *([_printed(name, dataset)] if source else []),
            *([bounded(verdict.get("accuracy as data set 1"), percent)] if measure != "accuracy" else []),
            bounded(verdict.get("error in pawns"), _hundredths, most=None),
            bounded(verdict.get("sign"), percent),
            Cell(percent(verdict["explained"]) if "explained" in verdict else ""),
        )
        for name, verdict in verdicts.items()
    ]
    columns = ["student", "test", "validation", *([f"{sabatelli.SOURCE}, test"] if source else [])]
    columns += [*(["as data set 1"] if measure != "accuracy" else []), "off, pawns", "sign", "explained"]
    return Table(cells(*columns), tuple(rows), _caption(dataset, measure, source=source), dense=True)


def _caption(dataset: str, measure: str, *, source: bool) -> str:
    title = f"Data set {dataset}, {TITLES.get(dataset, dataset)}: "
    if measure == "accuracy":
        return f"{title}how many classes are right."
    unlike = " The thesis does not say which range it mapped, so not even the size of its errors can be compared."
    return (
        f"{title}mean squared error, with labels from -20 to 20 pawns mapped to 0 to 1, whatever was learned. As data "
        f"set 1: how often what is said means the right one of its three classes.{unlike if source else ''}"
    )


def _named(name: str, known: Mapping[str, Any] | None) -> Cell:
    split = (known or {}).get("split", "game")
    return Cell(name, "" if split == "game" else f"split by {split}")


def _printed(name: str, dataset: str) -> Cell:
    there = sabatelli.belongs(name, dataset)
    if there is None:
        return Cell("")
    write = _error if dataset == sabatelli.NUMBERS else _share
    return Cell(write(there.test), f"validation {write(there.validation).removesuffix(' %')}")


def nearness(verdict: Mapping[str, Any], measure: str) -> Cell:
    """Return the measure by which students are compared, with its interval."""
    found = verdict.get(measure)
    return bounded(found, _share) if measure == "accuracy" else bounded(found, _error, most=None)


def bounded(measure: Mapping[str, Any] | None, write: Callable[[float], str], *, most: float | None = 1.0) -> Cell:
    """Return a measure with its interval, no wider than what is possible: from 0 to *most*."""
    if not measure or measure.get("value") is None:
        return Cell("")
    low, high = max(measure["low"], 0.0), measure["high"] if most is None else min(measure["high"], most)
    return Cell(write(measure["value"]), f"({write(low).removesuffix(' %')} to {write(high).removesuffix(' %')})")


def _share(value: float) -> str:
    return percent(value, 2)


def _error(value: float) -> str:
    return f"{value:.4f}"


def _hundredths(value: float) -> str:
    return f"{value:.2f}"


def _costs(dataset: str, students: Mapping[str, Any]) -> Table:
    rows = [
        cells(
            name,
            *(str(known.get(key, "")) for key in ("inputs", "design")),
            *(number(known.get(key, "")) for key in ("parameters", "learned_from", "epochs")),
            number(known["best_epoch"] + 1) if known.get("best_epoch") is not None else "",
            number(round(known.get("examples_per_second") or 0)),
            lasting(known.get("seconds") or 0.0),
        )
        for name, known in students.items()
    ]
    columns = (
        "student",
        "inputs",
        "network",
        "parameters",
        "positions",
        "epochs",
        "best",
        "a second",
        "time",
    )
    caption = f"What they cost, data set {dataset}; positions are those learned from, altogether and a second."
    return Table(cells(*columns), tuple(rows), caption, dense=True)
