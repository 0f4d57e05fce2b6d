"""Students of labels that differ in nothing but their seed, told as one, whichever cells of a series they stand in.

Of each it is told how near it came, over seeds, how often it saw its positions, and whether its curves have flattened.
Where cells repeat a paper, its order is judged by all seeds together: something is said only if all of them say so and
the intervals over seeds do not overlap.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from understudy.judges import statistics
from understudy.lab.grading.seeds import Reached, choose_points, read_curve, read_journal, spread
from understudy.lab.options.labels import Lesson
from understudy.lab.options.series import Cell
from understudy.lab.run import PROGRESS
from understudy.report.labels.nearness import PublishedLabels, measure_of, passes_of
from understudy.report.labels.orders import LEVEL, UNKNOWN, Pair, pairs_of
from understudy.report.labels.rises import Rise, rise_of
from understudy.report.sections import gather_trainings
from understudy.report.sources import Run as Reported
from understudy.report.sources import load_run


class Told(NamedTuple):
    """One student of one cell."""

    lesson: Lesson
    facts: Mapping[str, Any]
    course: Sequence[Reached]
    rise: Rise | None


def grade_labels(folder: Path, cells: Sequence[Cell]) -> dict[str, Any]:
    """Return the students of all cells, told over seeds, and what they say of a paper's order."""
    if not cells:
        return {}
    reports = {cell.name: load_run(folder / "cells" / cell.name, {}) for cell in cells}
    groups = _group([told for cell in cells for told in _read_cell(cell, reports[cell.name])])
    students = {name: _describe(group) for name, group in groups.items()}
    return {
        "labels": students,
        "yardsticks": _find_yardsticks(next(iter(reports.values())), students),
        "pairs": _judge_pairs(list(reports.values()), students),
    }


def _find_yardsticks(reported: Reported, students: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each data set what those reach who do not learn, on the test positions of a cell."""
    every = reported.labels.get("data", {}).get("yardsticks", {})
    return {
        one["dataset"]: {
            who: {"test": verdict[one["measure"]]["value"], "off": verdict["error in pawns"]["value"]}
            for who, verdict in every.get(one["dataset"], {}).items()
        }
        for one in students.values()
    }


def _read_cell(cell: Cell, reported: Reported) -> list[Told]:
    lessons: Sequence[Lesson] = getattr(cell.experiment, "lessons", ())
    students, journal = reported.labels["students"], read_journal(reported.folder / PROGRESS)
    lines = {training.student: training.lines for training in gather_trainings(reported)}
    return [
        Told(one, students[one.name], journal[one.name]["board"], rise_of(lines.get(one.name, ()), students[one.name]))
        for one in lessons
    ]


def _group(students: Sequence[Told]) -> dict[str, list[Told]]:
    """Return students that learned alike but for their seed; where several are called alike, by their positions."""
    alike: dict[Lesson, list[Told]] = {}
    for told in students:
        training = replace(told.lesson.training, seed=0)
        alike.setdefault(replace(told.lesson, training=training), []).append(told)
    names = Counter(lesson.name for lesson in alike)
    return {
        lesson.name if names[lesson.name] == 1 else f"{lesson.name}, {group[0].facts['learned_from']} positions": group
        for lesson, group in alike.items()
    }


def _describe(group: Sequence[Told]) -> dict[str, Any]:
    """Return what one student reached over its seeds."""
    facts = [told.facts for told in group]
    measure = measure_of(facts[0]["test"])
    values = [float(one["test"][measure]["value"]) for one in facts]
    rises = [told.rise for told in group if told.rise is not None]
    minutes = [told.course[-1].minutes for told in group]
    courses = [told.course for told in group]
    return {
        **{key: facts[0].get(key) for key in ("dataset", "inputs", "parameters", "learned_from")},
        "student": group[0].lesson.name, "seeds": len(group), "measure": measure,
        "test": spread(values), "interval": interval_of(values),
        "validation": spread([float(one["validation"][measure]["value"]) for one in facts]),
        "off": spread([float(one["test"]["error in pawns"]["value"]) for one in facts]),
        "sample": min(one["test"][measure]["sample"] for one in facts),
        "passes": spread([passes_of(one) for one in facts]), "minutes": spread(minutes),
        "gained": spread([rise.gained for rise in rises]), "flat": dict(Counter(rise.verdict for rise in rises)),
        "curve": read_curve(courses, "minutes", choose_points(minutes)),
    }  # fmt: skip


def interval_of(values: Sequence[float]) -> list[float] | None:
    """Return the 95 % interval of the mean over seeds; None of a single one, which tells of no other."""
    low, high = statistics.spread(values).interval
    return None if math.isnan(low) else [low, high]


def _judge_pairs(reports: Sequence[Reported], students: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what all seeds together say of each step of a paper's order."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for reported in reports:
        if (paper := reported.beside(PublishedLabels)) is not None:
            for pair in pairs_of(reported.labels, paper):
                found.setdefault((pair.better, pair.worse), []).append(pair)
    judged = []
    for names, pairs in found.items():
        verdict, doubt = judge_seeds(pairs, [students.get(name, {}).get("interval") for name in names])
        values = spread([pair.value for pair in pairs])
        judged.append(pairs[0]._asdict() | {"values": values, "verdict": verdict, "doubt": doubt})
    return judged


def judge_seeds(pairs: Sequence[Pair], intervals: Sequence[Sequence[float] | None]) -> tuple[str, str]:
    """Return a verdict on a step of a paper's order by one pair of each seed, and why nobody can tell if so."""
    verdicts, one, other = {pair.verdict for pair in pairs}, *intervals
    if doubts := [pair.doubt for pair in pairs if pair.doubt]:
        return UNKNOWN, doubts[0]
    if one is None or other is None:
        return UNKNOWN, "there is one seed"
    if verdicts == {LEVEL}:
        return LEVEL, ""
    if len(verdicts) > 1 or UNKNOWN in verdicts:
        return UNKNOWN, "not every seed says so"
    if one[0] <= other[1] and other[0] <= one[1]:
        return UNKNOWN, "the intervals over seeds overlap"
    return verdicts.pop(), ""
