"""A student's schooldays: `school/NAME_ROUND.safetensors` for each round, and a line in `school.jsonl`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from understudy.errors import FileError
from understudy.files import make_folder
from understudy.lab.options.evolution import Lesson
from understudy.lab.run import Made, Progress, Show, append_line, check_made
from understudy.lab.settings import fingerprint_of, unusual
from understudy.protocols import Backend
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.evolution.arena import Alleles, Stage
from understudy.trainers.evolution.evolver import CHUNK
from understudy.trainers.evolution.school import Practised, first_alleles, joined, learn, practise


def attend(lesson: Lesson, stage: Stage, folder: Path, *, backend: Backend, show: Show) -> tuple[Alleles, float]:
    """Return what a student has learned at school, and the seconds it took; rounds done before are not done again."""
    options, plan = lesson.school, stage.plan()
    check_made(rounds_made(lesson, folder))
    make_folder(folder / "school")
    alleles, seconds = first_alleles(plan, options.seed), 0.0
    remembered: list[Practised] = []
    for number in range(options.rounds):
        path = _path(lesson, number, folder)
        if path.exists():
            played, alleles, seconds = _loaded(path)
        else:
            began = time.perf_counter()
            played = _played(lesson, stage, None if number == 0 else alleles, number, backend=backend, show=show)
            lessons = joined([*remembered[1 - options.memory :], played] if options.memory > 1 else [played])
            alleles, error = learn(plan, alleles, lessons, options, number=number, stage=stage)
            seconds += time.perf_counter() - began
            _save(path, lesson, played, alleles, seconds)
            entry = {"student": lesson.name, "round": number, "seconds": seconds, "error": error}
            append_line(folder / "school.jsonl", entry)
        # The teacher's games are forgotten as soon as there are enough of the student's own.
        remembered = [*remembered, played] if number != 1 else [played]
    show(Progress(f"{lesson.name} at school", 1.0))
    return alleles, seconds


def rounds_made(lesson: Lesson, folder: Path) -> Iterator[Made]:
    """Yield the rounds that a run has; those of another school would be gone on with."""
    for number in range(lesson.school.rounds):
        if (path := _path(lesson, number, folder)).exists():
            found = load_facts(path, "round of a school").get("fingerprint")
            yield Made(repr(str(path)), found, _mark(lesson), "was learned")


def _path(lesson: Lesson, number: int, folder: Path) -> Path:
    return folder / "school" / f"{lesson.name}_{number:03}.safetensors"


def _played(
    lesson: Lesson, stage: Stage, alleles: Alleles | None, number: int, *, backend: Backend, show: Show
) -> Practised:
    options, parts = lesson.school, []
    games = options.games * (2 if number == 0 else 1)
    for part in practise(replace(stage, depth=options.depth), options, alleles, number, backend=backend):
        parts.append(part)
        done = (number + min(1.0, len(parts) * CHUNK / games)) / options.rounds
        show(Progress(f"{lesson.name} at school", done, f"round {number + 1}"))
    return joined(parts)


def _mark(lesson: Lesson) -> str:
    """Return what tells one school from another; for how many rounds it goes on is not part of it."""
    chosen = {name: value for name, value in unusual(lesson.school).items() if name != "rounds"}
    chosen |= {name: value for name, value in unusual(lesson.trainer).items() if name in ("limit", "ties", "aware")}
    return fingerprint_of(unusual(lesson.network), chosen)


def _save(path: Path, lesson: Lesson, played: Practised, alleles: Alleles, seconds: float) -> None:
    save_arrays(path, {**played._asdict(), "alleles": alleles}, {"fingerprint": _mark(lesson), "seconds": seconds})


def _loaded(path: Path) -> tuple[Practised, Alleles, float]:
    arrays, facts = load_arrays(path, "round of a school")
    try:
        played = Practised._make(arrays[name] for name in Practised._fields)
        return played, arrays["alleles"], float(facts["seconds"])
    except KeyError as missing:
        raise FileError(f"{str(path)!r} is no round of a school: {missing} is missing; delete the file") from None
