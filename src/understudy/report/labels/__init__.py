"""The sections on students that learned an engine's labels: positions, nearness, order, learning, suites, ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, number, percent
from understudy.report.labels.exams import ladder_section, suite_sections
from understudy.report.labels.matches import ending_section, match_section
from understudy.report.labels.nearness import (
    PublishedLabels,
    Targets,
    by_dataset,
    is_classes,
    nearness_section,
    targets_of,
)
from understudy.report.labels.orders import orders_section, pairs_of
from understudy.report.labels.rises import rises_table
from understudy.report.plots import COLOURS, Line, draw_bars, draw_lines
from understudy.report.sections import Training, gather_trainings
from understudy.report.sources import Run

SHOWN = 12
"""Sources of positions that are told one by one."""

HELD = 0.95
"""Share of the values that a picture of errors shows; those of the first epochs may be far above."""


def label_sections(run: Run) -> list[Section]:
    """Return the sections that a run of this kind has something to say in; none for runs of other kinds."""
    paper = run.beside(PublishedLabels)
    sections = [
        positions_section(run.labels.get("data", {})),
        nearness_section(run),
        orders_section(run.labels, paper),
        learning_section(run),
        *suite_sections(run),
        match_section(run.match, paper, targets_of(run).draw_band),
        ending_section(run.ending, run.labels, paper),
        ladder_section(run.ladder, paper),
    ]
    return [section for section in sections if section is not None]


def label_data(run: Run) -> dict[str, Any]:
    """Return as plain data the numbers of the paper beside a run, and what the sections make of them."""
    paper = run.beside(PublishedLabels)
    if not run.labels or paper is None:
        return {}
    return {
        paper.key: {name: printed._asdict() for name, printed in paper.printed.items()},
        "pairs": [pair._asdict() | {"verdict": pair.verdict} for pair in pairs_of(run.labels, paper)],
    }


def positions_section(data: Mapping[str, Any]) -> Section | None:
    """Tell where the positions come from, who labelled them, on which sides they stand, and how classes balance."""
    if not data:
        return None
    engines = "; ".join(map(str, data.get("engines", ()))) or "unknown"
    blocks: list[Block] = [Text(f"Labels: {engines}.{_warn_of_mixed(data.get('limits', ()))}"), _counts(data)]
    if data.get("balance") and data.get("classes"):
        blocks += [_balance_table(data["balance"], data["classes"]), _balance_plots(data["balance"], data["classes"])]
    return Section("Positions", tuple(blocks))


def _warn_of_mixed(limits: Sequence[str]) -> str:
    """Return a sentence where labels do not all mean the same, for the engine was allowed more for some than others."""
    if len(limits) < 2:
        return ""
    return f" They are mixed: {'; '.join(limits)}. What the engine was allowed less for is less right, and biased."


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
    """Return how many positions each class has; classes of different data sets that are the same share a row."""
    every = {name: dict(zip(classes[name], balance[name], strict=False)) for name in balance if name in classes}
    names = sorted({name for counts in every.values() for name in counts}, key=_bounds)
    rows = [(Cell(name), *(_class_cell(counts, name) for counts in every.values())) for name in names]
    caption = (
        "Positions of each class, as shares, by the label in pawns for the side to move. The largest class of a data "
        "set is in colour: so often is right who always names it."
    )
    return Table(cells("class", *(f"data set {name}" for name in every)), tuple(rows), caption)


def _class_cell(counts: Mapping[str, int], name: str) -> Cell:
    if name not in counts:
        return Cell("")
    total = max(sum(counts.values()), 1)
    return Cell(percent(counts[name] / total), f"({number(counts[name])})", counts[name] == max(counts.values()))


WORDS = {"Losing": 0, "Draw": 1, "Winning": 2}
"""Classes that are words, from the worst to the best."""


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


def learning_section(run: Run) -> Section | None:
    """Draw for each data set how its students came nearer to the labels; none where no student is known yet."""
    paper, targets = run.beside(PublishedLabels), targets_of(run)
    examined = [training for training in gather_trainings(run) if training.series("validation_accuracy")[0]]
    trainings = {training.student: training for training in examined}
    pictures: dict[str, list[Plot]] = {}
    tables: list[Table] = []
    for dataset, group in by_dataset(run.labels.get("students", {})).items():
        shares = is_classes(next(iter(group.values()))["test"])
        note = _note(dataset, targets, shares=shares)
        seen = {name: facts for name, facts in group.items() if name in trainings}
        for names in _parted(seen, run.repeated(PublishedLabels)):
            drawn = _pictures(dataset, [trainings[name] for name in names], shares=shares)
            pictures.setdefault(note, []).extend(drawn)
        if any(name in trainings for name in group):
            tables.append(rises_table(group, trainings, shares=shares))
    blocks: list[Block] = [Plots(tuple(drawn), note) for note, drawn in pictures.items()]
    text = "How near each student came on validation positions, epoch by epoch; the weights of the best epoch are kept."
    text += f" {paper.learning_note}" if paper is not None else ""
    return Section("Learning", (Text(text), *blocks, *tables)) if blocks else None


def _parted(students: Mapping[str, Any], paper: PublishedLabels | None) -> list[Sequence[str]]:
    """Return students in pictures of as many as there are colours: those that a paper has, then the others."""
    names = list(students)
    theirs = [name for name in names if paper is not None and paper.belongs(name, students[name])]
    others = [name for name in names if name not in theirs]
    if len(names) <= COLOURS:
        return [names] if names else []
    return [part[first : first + COLOURS] for part in (theirs, others) for first in range(0, len(part), COLOURS)]


def _pictures(dataset: str, trainings: Sequence[Training], *, shares: bool) -> list[Plot]:
    names = tuple(training.student for training in trainings)
    return [
        Plot(_drawn(trainings, axis, shares=shares), f"data set {dataset}, by {axis}", names)
        for axis in ("epochs", "minutes")
    ]


def _note(dataset: str, targets: Targets, *, shares: bool) -> str:
    if shares:
        return "Validation positions whose class is right, after each epoch."
    what = "the expected outcome" if dataset in targets.outcomes else "the number learned"
    return f"Mean squared error of {what} on validation positions, after each epoch."


def _drawn(trainings: Sequence[Training], axis: str, *, shares: bool) -> str:
    lines = []
    for colour, training in enumerate(trainings):
        epochs = [line for line in training.lines if line.get("validation_accuracy") is not None]
        right = [float(line["validation_accuracy"]) for line in epochs]
        heights = right if shares else [1 - one for one in right]
        lines.append(Line([_across(line, axis) for line in epochs], heights, colour))
    high = None if shares else _top(lines)
    return draw_lines(lines, across=axis, low=None if shares else 0.0, high=high, shares=shares)


def _across(line: Mapping[str, Any], axis: str) -> float:
    return float(line["epoch"]) + 1 if axis == "epochs" else float(line.get("seconds") or 0.0) / 60


def _top(lines: Sequence[Line]) -> float:
    values = sorted(value for line in lines for value in line.ys)
    return 1.15 * values[int(HELD * (len(values) - 1))] if values else 1.0
