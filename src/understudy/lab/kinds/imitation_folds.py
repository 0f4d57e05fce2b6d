"""What students say together that differ by their fold alone: each record is tested on once, so all count as one exam.

Shares and means are weighed by the rows behind them. Intervals are put together as those of independent samples; that
the students have learned from many of the same rows is left out, as everywhere where folds are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from understudy.lab.options.imitation import Experiment, Lesson, name_part_section
from understudy.lab.run import Run
from understudy.lab.settings import fingerprint_of

FOLDS = "test rows, all folds"
"""The section of verdicts that are put together."""


def fold_judgements(run: Run[Experiment]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield what is put together once all students of a group have been judged on their test rows."""
    for lessons in group_folds(run.experiment.lessons):
        only = lessons[0].student.only
        yield f"one part ({only}), all folds" if only else FOLDS, name_group(lessons), _pool(run, lessons)


def group_folds(lessons: Sequence[Lesson]) -> list[list[Lesson]]:
    """Return the groups of students that differ by their fold alone and have every fold once."""
    groups: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        if lesson.examples.chosen_fold:
            rest = {key: value for key, value in lesson.settings["examples"].items() if key != "fold"}
            groups.setdefault(fingerprint_of({**lesson.settings, "examples": rest}), []).append(lesson)
    return [group for group in groups.values() if _is_whole(group)]


def _is_whole(group: Sequence[Lesson]) -> bool:
    return sorted(lesson.examples.fold or 0 for lesson in group) == list(range(group[0].examples.folds or 0))


def name_group(lessons: Sequence[Lesson]) -> str:
    """Return who stands together; no student has a name with a space in it, so nobody is called so."""
    return f"{lessons[0].name} to {lessons[-1].name}"


def _pool(run: Run[Experiment], lessons: Sequence[Lesson]) -> Callable[[], Any]:
    first = lessons[0]
    only, split = first.student.only, first.examples.split
    section = name_part_section(only, "test") if only else f"test rows, split {split}"
    return lambda: pool_verdicts([run.load("verdicts.json")[section][lesson.name] for lesson in lessons])


def pool_verdicts(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return one verdict of several on different rows, of those measures that all have."""
    shared = [name for name in verdicts[0] if all(name in verdict for verdict in verdicts)]
    return {name: _pool_measure([verdict[name] for verdict in verdicts]) for name in shared}


def _pool_measure(measures: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counted = [measure for measure in measures if measure["value"] is not None and measure["sample"]]
    sample = sum(measure["sample"] for measure in counted)
    if not sample:
        return dict(measures[0])
    value = sum(measure["value"] * measure["sample"] for measure in counted) / sample
    below, above = (
        sum((measure["sample"] * (measure["value"] - measure[end])) ** 2 for measure in counted) ** 0.5 / sample
        for end in ("low", "high")
    )
    return {"value": value, "low": max(value - below, 0.0), "high": min(value + above, 1.0), "sample": sample}
