"""What papers printed, as levels across charts: where an experiment names that study, and is of its game and board.

Short forms aim at the same numbers, and the line says that the paper's training was longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.papers import find_paper, published_by
from understudy.report.comparing import about_of, comparison_of, is_short
from understudy.report.evolution.published import STUDENT, PublishedEvolution
from understudy.report.naming import shorten
from understudy.serve.lab_answers import PaperLine

Settings = Mapping[str, Any]


def _find_study(settings: Settings) -> str:
    """Return the study of an experiment if its numbers are of this kind, game and board; a short form aims at it."""
    about = {key: value for key, value in about_of(settings).items() if key not in ("quick", "changed")}
    return comparison_of({"experiment": about}).study


def _name_paper(settings: Settings, study: str, detail: str) -> str:
    called = shorten([detail])[0][detail]
    short = ", in its whole length" if is_short(settings) else ""
    return f"{find_paper(study).name}{f', {called}' if called else ''}{short}"


def find_printed(settings: Settings, measure: str) -> list[PaperLine]:
    """Return what a paper printed of students that imitate: it stands in `[paper]` by section, column and measure."""
    study, lines = _find_study(settings), []
    for section, columns in settings.get("paper", {}).items() if study else ():
        for column, measures in columns.items() if isinstance(columns, Mapping) else ():
            if isinstance(measures, Mapping) and measure in measures and section.startswith("test rows"):
                lines.append(PaperLine(name=_name_paper(settings, study, str(column)), value=float(measures[measure])))
    return lines


def find_pupils(settings: Settings, opponent: str) -> list[PaperLine]:
    """Return what a paper printed of pupils: it stands in `[paper]` by student and opponent."""
    study = _find_study(settings)
    rows = settings.get("paper", {}).items() if study else ()
    return [
        PaperLine(name=_name_paper(settings, study, str(student)), value=float(numbers[opponent]))
        for student, numbers in rows
        if isinstance(numbers, Mapping) and isinstance(numbers.get(opponent), int | float)
    ]


def find_evolved(settings: Settings, opponent: str) -> list[PaperLine]:
    """Return what a paper printed of evolved students against the same opponent."""
    study = _find_study(settings)
    published = published_by(study, PublishedEvolution) if study else None
    there = published.straight(STUDENT, opponent) if published else None
    record = there.records.get("overall") if there and there.records else None
    if record is None:
        return []
    return [PaperLine(name=_name_paper(settings, study, published.student if published else ""),
                      value=record.won / record.played)]  # fmt: skip
