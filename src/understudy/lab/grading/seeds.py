"""The grader `seeds`: students that differ in nothing but their seed, told as one, with how far they lie apart.

Of each cell that imitates it tells the mean, the least and the most of every measure over seeds, and how learning went:
the best validation accuracy so far after equal epochs and after equal time. Who has stopped keeps its best, so the last
points are those of convergence. Students of labels are told by `label_seeds.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.files import load_json
from understudy.lab.kinds.imitation_beside import BASELINE
from understudy.lab.kinds.imitation_exams import file_name
from understudy.lab.options.imitation import Experiment as Imitation
from understudy.lab.options.imitation import Lesson
from understudy.lab.options.series import Cell, Experiment
from understudy.lab.run import PROGRESS, Run
from understudy.lab.settings import fingerprint_of
from understudy.sums import read_line
from understudy.tensors import load_facts

LABELS = "labels"
"""The kind of experiments that learn an engine's labels."""
POINTS = 60
"""Points of a curve: as many as a drawing of that size shows."""
DIGITS = 6
"""Behind the point, of shares and minutes: more than any sample tells apart."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The `[grading]` section of a series whose students are told by seeds."""

    epochs: tuple[int, ...] = (1, 3, 10, 30, 100, 300)
    """After how many epochs a table tells how far everybody is."""
    minutes: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0, 100.0)
    """And after how many minutes of learning."""


class Reached(NamedTuple):
    """How far a network was after an epoch."""

    epoch: int
    """From 1."""
    minutes: float
    best: float
    """The best validation accuracy so far."""


def check(experiment: Experiment) -> None:
    """Raise unless every cell imitates or learns labels, and the points of its curves can be."""
    for cell in experiment.cells:
        if not isinstance(cell.experiment, Imitation) and cell.experiment.about.kind != LABELS:
            raise BadOption(f"cell {cell.name!r}: series.grade = 'seeds' tells of cells that imitate or learn labels")
    for name in ("epochs", "minutes"):
        for point in getattr(experiment.grading, name):
            check_range(f"grading.{name}", point, 0, 10**9)


def grade(run: Run[Experiment]) -> dict[str, Any]:
    """Return what became of each cell: its groups of students, and who stands beside them."""
    options: Options = run.experiment.grading
    cells = {}
    for cell in run.experiment.cells:
        if isinstance(cell.experiment, Imitation):
            cells[cell.name] = _grade_cell(run.folder / "cells" / cell.name, cell.experiment, options)
    told = {"epochs": list(options.epochs), "minutes": list(options.minutes), "cells": cells}
    return told | _grade_labels(run, [cell for cell in run.experiment.cells if cell.name not in cells])


def _grade_labels(run: Run[Experiment], cells: Sequence[Cell]) -> dict[str, Any]:
    """Return what became of the cells that learn labels."""
    from understudy.lab.grading.label_seeds import grade_labels  # which needs PyTorch, and this module

    return grade_labels(run.folder, cells)


def _grade_cell(folder: Path, experiment: Imitation, options: Options) -> dict[str, Any]:
    verdicts, journal = load_json(folder / "verdicts.json"), read_journal(folder / PROGRESS)
    ends = [course[-1] for courses in journal.values() for course in courses.values()]
    points = Options(
        epochs=tuple(point for point in options.epochs if any(point <= end.epoch for end in ends)),
        minutes=tuple(point for point in options.minutes if any(point <= end.minutes for end in ends)),
    )
    groups = {
        name: _grade_group(folder, lessons, verdicts, journal, points)
        for name, lessons in group_lessons(experiment.lessons).items()
    }
    return {"title": experiment.about.title, "groups": groups, "baselines": _find_baselines(verdicts)}


def group_lessons(lessons: Iterable[Lesson]) -> dict[str, list[Lesson]]:
    """Return students that differ in their seed alone, by the name of the first without its last word, `plain_0`."""
    alike: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        alike.setdefault(_describe(lesson), []).append(lesson)
    named = {group[0].name.rpartition("_")[0] or group[0].name: group for group in alike.values()}
    return named if len(named) == len(alike) else {group[0].name: group for group in alike.values()}


def _describe(lesson: Lesson) -> str:
    """Return what tells students of different groups apart: all that they learn by, but the seed."""
    sections = {name: lesson.settings.get(name, {}) for name in ("examples", "student", "network", "training")}
    training = {key: value for key, value in sections["training"].items() if key != "seed"}
    return fingerprint_of(sections | {"training": training})


def _grade_group(
    folder: Path, lessons: Sequence[Lesson], verdicts: Mapping[str, Any], journal: Mapping[str, Any], options: Options
) -> dict[str, Any]:
    """Return the measures of students that differ in their seed, and how they learned."""
    names = [lesson.name for lesson in lessons]
    courses = [course for name in names for course in journal.get(name, {}).values()]
    facts = load_facts(folder / f"{file_name(lessons[0])}.safetensors")
    last = [course[-1] for course in courses]
    return {
        "seeds": len(names),
        "weights": facts.get("weights"),
        "measures": {section: spread_measures([players[name] for name in names])
                     for section, players in verdicts.items() if all(name in players for name in names)},
        "epochs_run": spread([reached.epoch for reached in last]),
        "minutes_run": spread([reached.minutes for reached in last]),
        "validation": spread([reached.best for reached in last]),
        "by_epochs": read_curve(courses, "epoch", options.epochs),
        "by_minutes": read_curve(courses, "minutes", options.minutes),
        "curve_epochs": read_curve(courses, "epoch", choose_points([reached.epoch for reached in last])),
        "curve_minutes": read_curve(courses, "minutes", choose_points([reached.minutes for reached in last])),
    }  # fmt: skip


def read_journal(path: Path) -> dict[str, dict[str, list[Reached]]]:
    """Return how far each network of each student was after its epochs."""
    found: dict[str, dict[str, list[Reached]]] = {}
    for text in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        if (line := read_line(text, path)) is None:
            continue
        course = found.setdefault(line["student"], {}).setdefault(line["network"], [])
        best = max(line["validation_accuracy"], course[-1].best if course else 0.0)
        course.append(Reached(line["epoch"] + 1, line["seconds"] / 60, best))
    return found


def read_curve(courses: Sequence[Sequence[Reached]], axis: str, points: Iterable[float]) -> list[list[float]]:
    """Return point, mean, least and most of the best so far; where somebody has not ended an epoch there is none."""
    told = []
    for point in points:
        values = [[one.best for one in course if getattr(one, axis) <= point] for course in courses]
        if all(values) and values:
            told.append([round(point, DIGITS), *spread([value[-1] for value in values])])
    return told


def choose_points(ends: Sequence[float]) -> list[float]:
    """Return points of a curve, evenly up to its end: whole numbers where the end is one."""
    end = max(ends, default=0)
    if isinstance(end, int):
        return sorted({round(end * step / POINTS) for step in range(1, POINTS + 1)} - {0})
    return [end * step / POINTS for step in range(1, POINTS + 1)]


def spread_measures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return of each measure mean, least and most, the bounds of its intervals, and the smallest sample."""
    found = {}
    for name in (name for name in rows[0] if not name.startswith("reliability")):
        measures = [row[name] for row in rows if row.get(name, {}).get("value") is not None]
        if len(measures) == len(rows):
            bounds = [min(one["low"] for one in measures), max(one["high"] for one in measures)]
            found[name] = {
                "spread": spread([one["value"] for one in measures]), "bounds": bounds,
                "sample": min(one["sample"] for one in measures),
            }  # fmt: skip
    return found


def spread(values: Sequence[float]) -> list[float]:
    """Return mean, least and most."""
    if not values:
        return []
    return [round(float(number), DIGITS) for number in (sum(values) / len(values), min(values), max(values))]


def _find_baselines(verdicts: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return what those choose as the teacher did on test rows who have not learned here."""
    found: dict[str, dict[str, float]] = {}
    for section, players in verdicts.items():
        for name, row in players.items() if section.startswith("test rows") else ():
            if name.startswith(BASELINE):
                found[name.removeprefix(BASELINE)] = {"accuracy.whole": row["accuracy.whole"]["value"]}
    return found
