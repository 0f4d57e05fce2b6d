"""The section on how students of labels learned: the thesis's figures 6.1 to 6.3 and 7.8 to 7.10, by epoch and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.games.chess.datasets import find_dataset
from understudy.report.blocks import Plot, Plots, Section, Text
from understudy.report.labels.nearness import by_dataset
from understudy.report.plots import COLOURS, Line, draw_lines
from understudy.report.sections import Training, trained
from understudy.report.sources import Run
from understudy.studies.sabatelli import paper as sabatelli

HELD = 0.95
"""Share of the values that a picture of errors shows; those of the first epochs may be far above."""

TOLD = "How near each student came on validation positions, epoch by epoch; the weights of the best epoch are kept."

THEIRS = (
    " The thesis's figures 6.1 to 6.3 and 7.8 to 7.10 show the same of its test positions, which it so looked at all "
    "along."
)


def label_learning_section(run: Run) -> Section | None:
    """Draw for each data set how its students came nearer to the labels; none where no student is known yet."""
    students = by_dataset(run.labels.get("students", {}))
    examined = [training for training in trained(run) if training.series("validation_accuracy")[0]]
    trainings = {training.student: training for training in examined}
    pictures: dict[str, list[Plot]] = {}
    for dataset, group in students.items():
        for names in _parted([name for name in group if name in trainings], dataset):
            pictures.setdefault(_note(dataset), []).extend(_pictures(dataset, [trainings[name] for name in names]))
    blocks = [Plots(tuple(drawn), note) for note, drawn in pictures.items()]
    told = TOLD + (THEIRS if run.beside(sabatelli.STUDY) else "")
    return Section("Learning", (Text(told), *blocks)) if blocks else None


def _parted(names: Sequence[str], dataset: str) -> list[Sequence[str]]:
    """Return students in pictures of as many as there are colours: the thesis's combinations, then the others."""
    theirs = [name for name in names if sabatelli.belongs(name, dataset)]
    others = [name for name in names if name not in theirs]
    if len(names) <= COLOURS:
        return [names] if names else []
    return [part[first : first + COLOURS] for part in (theirs, others) for first in range(0, len(part), COLOURS)]


def _pictures(dataset: str, trainings: Sequence[Training]) -> tuple[Plot, ...]:
    names = tuple(training.student for training in trainings)
    return tuple(
        Plot(_drawn(dataset, trainings, axis), f"data set {dataset}, by {axis}", names)
        for axis in ("epochs", "minutes")
    )


def _note(dataset: str) -> str:
    if dataset in ("1", "2", "3"):
        return "Validation positions whose class is right, after each epoch."
    what = "the expected outcome" if find_dataset(dataset).logistic else "the number learned"
    return f"Mean squared error of {what} on validation positions, after each epoch."


def _drawn(dataset: str, trainings: Sequence[Training], axis: str) -> str:
    shares = dataset in ("1", "2", "3")
    lines = []
    for colour, training in enumerate(trainings):
        told = [line for line in training.lines if line.get("validation_accuracy") is not None]
        right = [float(line["validation_accuracy"]) for line in told]
        heights = right if shares else [1 - one for one in right]
        lines.append(Line([_across(line, axis) for line in told], heights, colour))
    high = None if shares else _top(lines)
    return draw_lines(lines, across=axis, low=None if shares else 0.0, high=high, shares=shares)


def _across(line: Mapping[str, Any], axis: str) -> float:
    return float(line["epoch"]) + 1 if axis == "epochs" else float(line.get("seconds") or 0.0) / 60


def _top(lines: Sequence[Line]) -> float:
    values = sorted(value for line in lines for value in line.ys)
    return 1.15 * values[int(HELD * (len(values) - 1))] if values else 1.0
