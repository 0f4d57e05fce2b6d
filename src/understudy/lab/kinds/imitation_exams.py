"""What the lab asks of students that imitate, and of their teacher: rows held out, positions, games.

What is in `verdicts.json` already stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from understudy.games import CompiledGame
from understudy.games.batches import NO_MOVE
from understudy.games.parts import parts_of
from understudy.judges.measures import measured, share, write_verdict
from understudy.judges.parts import see
from understudy.judges.students import JUDGES, judge_parts, recognise, strict
from understudy.lab.kinds.imitation_baselines import (
    FRESH_ROWS,
    TRAINING_ROWS,
    ask,
    judge_baselines,
    judge_part,
)
from understudy.lab.kinds.imitation_beside import BASELINE, judge_all_rows, judge_beside, judge_data, some
from understudy.lab.kinds.imitation_folds import fold_judgements
from understudy.lab.kinds.imitation_worths import worth_judgements
from understudy.lab.options.imitation import EXAM_SEED, GENERATE, Experiment, Lesson, data_file, name_part_section
from understudy.lab.run import Run, Step
from understudy.lab.samples import ASKED, draw_samples
from understudy.lab.watching import RECORDS
from understudy.papers import find_test
from understudy.players import make_player
from understudy.players.network import Student
from understudy.protocols import Backend
from understudy.records.examples import FRESH, Examples, all_examples, choose_expansion, orbit_names
from understudy.records.starts import reachable
from understudy.records.store import Records, load, load_any, lone_pairs
from understudy.records.watch import watch

SAMPLES = "samples.json"
GAMES = "games against "
"""What sections of verdicts on games are called, before whom they are against."""
STRICT_SEED = 20_000
"""Games that grade students are not those that anybody was trained on."""
STATES_SEED = 0x57A7E5
"""Tells the chance that makes states from the chance of games."""
EXAM = "exam"
"""The section of verdicts on fresh games of the teacher, and the folder that keeps these games."""
EXAMINED = ("accuracy", "legality", "mistakes")
"""The judges of an exam."""
TEACHER = "teacher "
"""What the row of a teacher is called, before who it is; no student has a name with a space in it."""
TEACHER_ROWS, TEACHER_GAMES = 500, 100
"""The most that a teacher is asked for its own row: it thinks for longer than students do, and the interval tells."""


def judge_students(run: Run[Experiment]) -> None:
    """Let every judge grade every student; what is in `verdicts.json` already stays."""
    jobs = list(_judgements(run))
    verdicts = _verdicts_still_true(run)
    for place, (section, name, judge) in enumerate(jobs):
        if name not in verdicts.get(section, {}):
            run.tell("judging", place / len(jobs), f"{section}: {name}")
            verdicts.setdefault(section, {})[name] = judge()
            run.save("verdicts.json", verdicts)
    if not (run.folder / SAMPLES).exists():
        run.save(SAMPLES, _draw_samples(run))
    run.tell("judging", 1.0)
    if run.experiment.judging.gaming and not _has_met_the_stable(run):
        find_test("gaming", Step).do(run)


def _has_met_the_stable(run: Run[Experiment]) -> bool:
    """Tell whether the gaming test is there, with those beside the student whom the experiment names."""
    players = run.load("gaming.json").get("players", [])
    return bool(players) and players[1:] == list(run.experiment.judging.gaming_beside)


def _draw_samples(run: Run[Experiment]) -> dict[str, Any]:
    """Return positions held out with what each student thinks of them, for the report."""
    records, students = load(run.folder / RECORDS), {}
    for lesson in (lesson for lesson in run.experiment.lessons if not lesson.student.only):
        held_out = lesson.split(records)["test"]
        students[lesson.name] = draw_samples(load_student(run, lesson), held_out)
    return {"asked": ASKED, "students": {name: drawn for name, drawn in students.items() if drawn}}


def _verdicts_still_true(run: Run[Experiment]) -> dict[str, Any]:
    """Return the verdicts of before, without those on games against whom the experiment does not name any more."""
    before, opponents = run.load("verdicts.json"), opponents_of(run.experiment)
    old = [section for section in before if section.startswith(GAMES) and section.removeprefix(GAMES) not in opponents]
    if old and opponents:
        before = {section: verdicts for section, verdicts in before.items() if section not in old}
        run.save("verdicts.json", before)
    return before


def _judgements(run: Run[Experiment]) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield what is to be judged: section, student, and how."""
    game, judging = run.experiment.game, run.experiment.judging
    records = load(run.folder / RECORDS)
    states, exam = _states(run.experiment, records), watch_exam(run)
    for lesson in run.experiment.lessons:
        student = load_student(run, lesson)
        sides = lesson.split(records)
        if part := lesson.student.only:
            for side in ("validation", "test"):
                yield name_part_section(part, side), lesson.name, judge_part(student, part, sides[side])
            continue
        seen = some(sides["train"], judging.train_rows)
        yield f"test rows, split {lesson.examples.split}", lesson.name, _judge(student, sides["test"])
        if FRESH in sides:
            yield FRESH_ROWS, lesson.name, _judge(student, sides[FRESH])
        yield TRAINING_ROWS, lesson.name, _judge(student, seen, judges=("accuracy",))
        if exam is not None:
            yield EXAM, lesson.name, _examine(student, exam)
        if states is not None:
            yield "states", lesson.name, _judge(student, states, judges=("legality", "mistakes", "reliability"))
        for opponent in opponents_of(run.experiment):
            judge = _strict(game, student.name, opponent, judging.games, run.backend)
            yield f"{GAMES}{opponent}", lesson.name, judge
    if judging.all_rows:
        whole = [lesson for lesson in run.experiment.lessons if not lesson.student.only]
        yield from judge_all_rows(records, {lesson.name: partial(load_student, run, lesson) for lesson in whole})
    if exam is not None:
        yield from _baselines(records, exam)
    if judging.baselines:
        yield from judge_baselines(run, records)
    yield from judge_beside(run, records, states)
    if judging.all_rows:
        yield from judge_data(run, records)
    if run.experiment.watch is not None:
        yield from _teacher_judgements(run, run.experiment.watch.teacher, records)
    yield from worth_judgements(run, records, {one.name: str(student_path(run, one)) for one in run.experiment.lessons})
    yield from fold_judgements(run)


def watch_exam(run: Run[Experiment]) -> Examples | None:
    """Return the positions of fresh games of the teacher, as it plays when it is watched; None where none are wanted.

    They are drawn by a seed of their own, so all who watch the same teacher, however long, sit the same exam.
    """
    plan, games = run.experiment.watch, run.experiment.judging.exam_games
    if plan is None or not games:
        return None
    fresh = replace(plan, apprentice="", regular=games, custom=0, random=0, seed=EXAM_SEED)
    run.tell("watching games for the exam", 0.0)
    records = watch(run.experiment.game, fresh, run.folder / EXAM, backend=run.backend)
    return all_examples(records, expansion="none")


def _examine(student: Student, exam: Examples) -> Callable[[], Any]:
    """Return who judges a student on those positions of the exam that it has not learned from, up to symmetry."""

    def judge() -> Any:
        fresh = ~recognise(student.facts, exam.game, exam.positions)
        rows = exam.taken(fresh)
        verdict = judge_parts(student, rows.positions, rows.moves, judges=EXAMINED)
        return write_verdict(verdict | {"exam.fresh": share(int(fresh.sum()), len(fresh))})

    return judge


def _baselines(records: Records, exam: Examples) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield what they score in the exam who know nothing, the rules alone, or only what the teacher likes best."""
    game, rows = exam.game, len(exam.moves)
    rng = np.random.default_rng([EXAM_SEED, rows])
    wild = np.stack([rng.integers(0, classes, rows) for classes in game.part_sizes], axis=1)
    codes, counts = np.unique(records.moves[records.moves != NO_MOVE], return_counts=True)
    usual = parts_of(game, np.full(rows, codes[counts.argmax()], np.int32))
    yield EXAM, f"{BASELINE}any parts by chance", _judge_fixed(exam, wild)
    yield EXAM, f"{BASELINE}the most frequent move", _judge_fixed(exam, usual)
    yield EXAM, f"{BASELINE}a legal move by chance", ask(game, "random", exam, EXAMINED)


def _judge_fixed(exam: Examples, parts: Any) -> Callable[[], Any]:
    def judge() -> Any:
        seen = see(exam.game, exam.positions, exam.moves, parts, tuple(range(parts.shape[1])))
        return write_verdict(measured({name: sums for judge in EXAMINED for name, sums in JUDGES[judge](seen).items()}))

    return judge


def _teacher_judgements(
    run: Run[Experiment], name: str, records: Records
) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield what the teacher is asked: how often it repeats itself on test rows, and games against the same opponents.

    The first is as far as imitation can go: where moves are equally good to it, or its time is short, it is not sure.
    """
    game, judging, row = run.experiment.game, run.experiment.judging, f"{TEACHER}{name}"
    whole = [lesson for lesson in run.experiment.lessons if not lesson.student.only]
    for lesson in {lesson.examples.split: lesson for lesson in reversed(whole)}.values():
        test = lesson.split(records)["test"]
        rows = some(test, TEACHER_ROWS)
        yield f"test rows, split {lesson.examples.split}", row, ask(game, name, rows, ("accuracy",))
    for opponent in opponents_of(run.experiment):
        games = min(judging.games, TEACHER_GAMES)
        yield f"{GAMES}{opponent}", row, _strict(game, name, opponent, games, run.backend)


def opponents_of(experiment: Experiment) -> tuple[str, ...]:
    """Return whom the students will play."""
    return experiment.judging.opponents if experiment.judging.games else ()


def _judge(student: Student, examples: Examples, **options: Any) -> Callable[[], Any]:
    return lambda: write_verdict(judge_parts(student, examples.positions, examples.moves, **options))


def _strict(game: CompiledGame, student: str, opponent: str, games: int, backend: Backend) -> Callable[[], Any]:
    return lambda: write_verdict(strict(game, student, opponent, games=games, seed=STRICT_SEED, backend=backend))


def _states(experiment: Experiment, records: Records) -> Examples | None:
    """Return positions without moves: drawn ones, of which nobody has learned, or those of a file.

    A file is taken as it is, expanded as a paper's authors did: some of its positions may be images of records.
    """
    game, judging = experiment.game, experiment.judging
    if not judging.states:
        return None
    if judging.states == GENERATE:
        learned = orbit_names(records.game, records.positions)
        rng = np.random.default_rng([STRICT_SEED, STATES_SEED])
        positions = reachable(game, judging.states_count, rng, without=learned)
        nobody = np.full(judging.states_count, NO_MOVE, np.int32)
        return all_examples(lone_pairs(game, positions, nobody, source="random play"), expansion="none")
    states = load_any(data_file(experiment, judging.states), game)[0]
    limit = judging.states_count or len(states)
    return all_examples(states.taken(slice(0, limit)), expansion=choose_expansion(game))


def load_student(run: Run[Experiment], lesson: Lesson) -> Student:
    """Return a student of a run as a player."""
    player = make_player(f"student:{student_path(run, lesson)}", run.experiment.game)
    assert isinstance(player, Student)
    return player


def student_path(run: Run[Experiment], lesson: Lesson) -> Path:
    """Return the file of a student."""
    return run.folder / f"{file_name(lesson)}.onnx"


def file_name(lesson: Lesson) -> str:
    """Return what the files of a student are called, without their suffix."""
    return "student" if lesson.name == "student" else f"student_{lesson.name}"
