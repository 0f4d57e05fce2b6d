"""Going to school before evolution: a network learns from how games ended, round by round, in a run folder.

`school/NAME_ROUND.safetensors` holds what a round played and learned, `school.jsonl` a line for each. A run that was
stopped goes on after its last whole round.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from understudy.errors import FileError
from understudy.files import make_folder
from understudy.lab.options.evolution import Experiment, Lesson
from understudy.lab.run import Made, Run
from understudy.lab.settings import fingerprint_of, unusual
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.evolution.breeding import Alleles
from understudy.trainers.evolution.evolver import CHUNK

if TYPE_CHECKING:
    from understudy.trainers.evolution.school import Practised

SCHOOL = "school.jsonl"
"""The journal of rounds at school."""


def attend(run: Run[Experiment], lesson: Lesson) -> tuple[Alleles, float]:
    """Return what a student has learned at school, and the seconds it took; rounds done before are not done again."""
    from understudy.trainers.evolution.school import first_alleles, joined, learn  # evolution alone needs no PyTorch

    options, stage = lesson.school, lesson.legs[0].stage(run.experiment.game)
    make_folder(run.folder / "school")
    alleles, seconds = first_alleles(stage.plan(), options.seed), 0.0
    remembered: list[Practised] = []
    for number in range(options.rounds):
        path = _round_path(run, lesson, number)
        if path.exists():
            played, alleles, seconds = _load_round(path, stage.plan().length)
        elif number and run.used_up():
            break
        else:
            began = time.perf_counter()
            played = _practise(run, lesson, None if number == 0 else alleles, number)
            lessons = joined([*remembered[1 - options.memory :], played] if options.memory > 1 else [played])
            alleles, error = learn(stage.plan(), alleles, lessons, options, number=number, stage=stage)
            seconds += time.perf_counter() - began
            facts = {"fingerprint": _school_of(lesson), "seconds": seconds}
            _forget_rounds(run, lesson, number)
            run.log({"student": lesson.name, "round": number, "seconds": seconds, "error": error}, SCHOOL)
            save_arrays(path, {**played._asdict(), "alleles": alleles}, facts)
        # The teacher's games are forgotten as soon as there are enough of the student's own.
        remembered = [*remembered, played] if number != 1 else [played]
    run.tell(f"{lesson.name} at school", 1.0)
    return alleles, seconds


def _forget_rounds(run: Run[Experiment], lesson: Lesson, number: int) -> None:
    """Drop what was noted of this round and later ones: they were not kept, or somebody has deleted them."""
    run.forget_lines(lambda line: line["student"] == lesson.name and line["round"] >= number, SCHOOL)


def rounds_made(run: Run[Experiment], lesson: Lesson) -> Iterator[Made]:
    """Yield the rounds that a run has; those of another school would be gone on with."""
    for number in range(lesson.school.rounds):
        if (path := _round_path(run, lesson, number)).exists():
            before = load_facts(path, "round of a school").get("fingerprint")
            yield Made(repr(str(path)), before, _school_of(lesson), "was learned")


def _round_path(run: Run[Experiment], lesson: Lesson, number: int) -> Path:
    return run.folder / "school" / f"{lesson.name}_{number:03}.safetensors"


def _practise(run: Run[Experiment], lesson: Lesson, alleles: Alleles | None, number: int) -> Practised:
    from understudy.trainers.evolution.school import joined, practise

    options, parts = lesson.school, []
    stage = replace(lesson.legs[0].stage(run.experiment.game), depth=options.depth)
    games = options.games * (2 if number == 0 else 1)
    for part in practise(stage, options, alleles, number, backend=run.backend):
        parts.append(part)
        done = (number + min(1.0, len(parts) * CHUNK / games)) / options.rounds
        run.tell(f"{lesson.name} at school", done, f"round {number + 1}")
    return joined(parts)


def _school_of(lesson: Lesson) -> str:
    """Return what tells one school from another; for how many rounds it goes on is not part of it."""
    chosen = {name: value for name, value in unusual(lesson.school).items() if name != "rounds"}
    first = lesson.legs[0]
    chosen |= {name: value for name, value in unusual(first.trainer).items() if name in ("limit", "ties", "aware")}
    return fingerprint_of(unusual(first.network), chosen)


def _load_round(path: Path, length: int) -> tuple[Practised, Alleles, float]:
    from understudy.trainers.evolution.school import Practised

    arrays, facts = load_arrays(path, "round of a school")
    try:
        played = Practised._make(arrays[name] for name in Practised._fields)
        if [array.dtype for array in played] != [np.uint64, np.uint64, np.int8] or len(
            {array.shape for array in played}
        ) > 1:
            raise ValueError("its positions and results do not fit")
        return played, _alleles_of(arrays["alleles"], length), float(facts["seconds"])
    except KeyError as missing:
        raise FileError(f"{str(path)!r} is no round of a school: {missing} is missing; delete the file") from None
    except (ArithmeticError, TypeError, ValueError) as error:
        raise FileError(f"{str(path)!r} is no round of a school: {error}; delete the file") from None


def _alleles_of(array: Alleles, length: int) -> Alleles:
    """Return a chromosome as a file has it; of another length it is another network's."""
    if array.shape != (length,) or array.dtype.kind != "f":
        raise ValueError(f"its chromosome has the shape {array.shape}, not ({length},)")
    return array
