"""What papers printed, as rows without ours: from `[paper]` of an experiment, or from what a study has PUBLISHED."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from understudy.lab.settings import About
from understudy.papers import published_by
from understudy.report.comparing import about_of
from understudy.report.evolution.published import PublishedEvolution
from understudy.report.labels.nearness import PublishedLabels
from understudy.serve.lab_answers import StudyLine

MEASURES = {
    "accuracy.whole": "moves chosen as the teacher did",
    "accuracy.to": "cells to go to, as the teacher chose",
    "legality.whole": "choices that the rules allow",
}
"""Of students that imitate, those that a person looks for first."""


def list_printed(study: str, settings: Mapping[str, Any]) -> list[StudyLine]:
    """Return what the paper of a study printed of an experiment that repeats it; nothing where it does not say so."""
    about = about_of(settings)
    if about.get("study") != study:
        return []
    kind = str(about.get("kind", About.kind))
    readers = {"imitation": _imitated, "online": _taught, "evolution": _evolved, "labels": _labelled}
    return list(readers[kind](study, settings.get("paper", {}))) if kind in readers else []


def _imitated(study: str, paper: Mapping[str, Any]) -> Iterator[StudyLine]:
    for section, columns in paper.items():
        for column, numbers in columns.items():
            for key in MEASURES:
                if key in numbers:
                    yield _row(column, f"{MEASURES[key]} ({section})", numbers[key])


def _taught(study: str, paper: Mapping[str, Any]) -> Iterator[StudyLine]:
    for student, numbers in paper.items():
        for opponent, share in numbers.items():
            yield _row(student, f"games won against {opponent}", share)


def _evolved(study: str, paper: Mapping[str, Any]) -> Iterator[StudyLine]:
    published = published_by(study, PublishedEvolution)
    for there in published.matches.values() if published else ():
        record = there.records.get("overall")
        if record is not None:
            name, _, opponent = there.name.partition(" v ")
            yield _row(name, f"games won against {opponent} ({there.tables})", record.won / record.played)


def _labelled(study: str, paper: Mapping[str, Any]) -> Iterator[StudyLine]:
    published = published_by(study, PublishedLabels)
    for student, there in published.printed.items() if published else ():
        errors = published is not None and student.rpartition("_")[2] in published.numbers
        measure = "squared error" if errors else "positions in the right class"
        yield _row(student, f"{measure}, test (table {there.table})", there.test, share=not errors)


def _row(who: str, measure: str, paper: float, *, share: bool = True) -> StudyLine:
    return StudyLine(who=who, measure=measure, ours=None, low=None, high=None, sample=None, paper=float(paper),
                     verdict="", share=share)  # fmt: skip
