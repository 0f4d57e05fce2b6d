"""Imitation end to end: records, students, verdicts, a report.

Everything is written to the run folder as it is made, and whatever is there already is not made again: a run that was
stopped goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from understudy import __version__
from understudy.errors import BadOption
from understudy.files import load_json
from understudy.games.batches import NO_MOVE
from understudy.games.parts import order_places
from understudy.judges.students import judge_parts
from understudy.lab.glimpses import Glimpses
from understudy.lab.kinds.imitation_beside import check_beside, some
from understudy.lab.kinds.imitation_exams import file_name, judge_students, load_student, opponents_of, student_path
from understudy.lab.options.imitation import COMMONEST, GENERATE, Experiment, Lesson, data_file, sources_of
from understudy.lab.part_glimpses import Look, draw_held_out
from understudy.lab.run import Kind, Made, Run, Step, check_opponents
from understudy.lab.settings import same_board
from understudy.lab.watching import RECORDS, keep_records
from understudy.networks import build_units
from understudy.networks.files import save_student
from understudy.networks.starting import load_weights
from understudy.networks.students import Unit
from understudy.players.student_files import student_facts, student_file
from understudy.records.examples import SKETCHED, Examples, orbit_names, sketch_of, together
from understudy.records.store import Records, load
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, Learning, Partial, TrainingOptions, begin
from understudy.trainers.objectives import make_lesson, show_worths, train_moves
from understudy.trainers.weighed import Worths, make_worths

COMPARED = 20_000
"""At most so many validation rows tell which student is best: an interval of less than a point."""


def prepare_records(run: Run[Experiment]) -> None:
    """Keep the records of an experiment in the run folder: watched or imported."""
    keep_records(run)


def train_students(run: Run[Experiment]) -> None:
    """Train every student of an experiment that is not trained yet; the best becomes `student.onnx`."""
    records = load(run.folder / RECORDS)
    for lesson in run.experiment.lessons:
        if not student_path(run, lesson).exists():
            _train_student(run, lesson, records)
    _choose_best(run, records)


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    for lesson in run.experiment.lessons:
        if (path := student_path(run, lesson)).exists():
            before = load_student(run, lesson).facts.get("fingerprint")
            yield Made(repr(str(path)), before, lesson.fingerprint())


def _train_student(run: Run[Experiment], lesson: Lesson, records: Records) -> None:
    sides = lesson.split(records)
    units, spent = untrained(lesson), {}
    look = _make_look(run, lesson, units, sides["test"])

    def begun(unit: Unit, learning: Learning) -> None:
        run.forget_epochs(lesson.name, unit.name, learning.epoch)
        if look:
            look.go_on(unit, learning)

    later = len(run.experiment.lessons) - run.experiment.lessons.index(lesson) - 1

    def allot(learning: Learning, options: TrainingOptions, among: int) -> TrainingOptions:
        return run.allot(learning, options, among=among + later * len(units))

    steps = learn(
        lesson, units, sides, checkpoints=run.folder / "checkpoints", begun=begun, allot=allot,
        worths=_gather_worths(lesson, records, sides["train"]),
    )  # fmt: skip
    for unit, learning, event in steps:
        task = f"{lesson.name}: learning {unit.name}"
        if isinstance(event, Epoch):
            spent[unit.name] = learning.seconds
            run.log({"student": lesson.name, "network": unit.name, **event._asdict()})
            if look:
                look.see(unit, learning)
            run.tell(task, event.done, _describe(learning, event))
        else:
            run.tell(task, event.done)
    run.tell(f"{lesson.name}: writing the student", 1.0)
    facts = _facts(run.experiment, lesson, len(records), units, spent)
    facts |= {"learned_from": _sketch_rows(lesson, sides["train"])}
    if (held_out := run.experiment.records.hold_out) is not None:
        facts |= {"held_out": held_out.facts()}
    save_student(run.folder, file_name(lesson), units, facts)


def _gather_worths(lesson: Lesson, records: Records, shown: Examples) -> Worths | None:
    """Return what weighed moves of the training side lead to; None for a student that values nothing."""
    if not lesson.student.value:
        return None
    answered = records.taken(records.moves != NO_MOVE)
    return make_worths(answered.taken(np.unique(shown.origins)))


def _make_look(run: Run[Experiment], lesson: Lesson, units: list[Unit], held_out: Examples) -> Look | None:
    """Return who looks at a student while it learns; None where nobody wants to, or there is nothing to show."""
    if not run.experiment.judging.glimpses or not len(held_out.moves):
        return None
    glimpses = Glimpses(run, lesson.name, draw_held_out(held_out))
    return Look(glimpses, held_out, units, encoder=lesson.encoder, order=lesson.order)


def untrained(lesson: Lesson) -> list[Unit]:
    """Return a student's networks before they learn: the seed decides their first weights, or an earlier student."""
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training_of("whole").seed)
        units = build_units(lesson.game, lesson.student, lesson.networks)
    if lesson.student.start:
        load_weights(_find_start(lesson), units)
    return units


def _find_start(lesson: Lesson) -> Path:
    """Return the file of the student to go on from; one that sees or decides otherwise cannot be gone on from."""
    path = student_file(lesson.student.start)
    facts, wanted = dict(student_facts(path)), _seen_as(lesson)
    if "order" in facts:  # an order that is not said is the game's own
        names = lesson.game.part_names
        facts["order"], wanted["order"] = (order_places(names, one["order"]) for one in (facts, wanted))
    for name in wanted.keys() & facts.keys():
        if facts[name] != wanted[name]:
            raise BadOption(
                f"student.start: {str(path)!r} has {name} {facts[name]!r}, and this student {wanted[name]!r}"
            )
    return path


def _seen_as(lesson: Lesson) -> dict[str, Any]:
    """Return what the file of a student says of how it sees positions and decides."""
    (rows, columns), encoder = lesson.game.size, lesson.encoder
    return {
        "game": lesson.game.name, "size": f"{rows}x{columns}",
        "encoder": encoder.name, "columns": encoder.layout.width,
        "order": lesson.student.order, "design": lesson.student.design,
    }  # fmt: skip


def _ignore(unit: Unit, learning: Learning) -> None:
    """Look at no network before it learns."""


def learn(
    lesson: Lesson,
    units: list[Unit],
    sides: dict[str, Examples],
    *,
    checkpoints: Path | None = None,
    begun: Callable[[Unit, Learning], None] = _ignore,
    allot: Callable[[Learning, TrainingOptions, int], TrainingOptions] = lambda learning, options, among: options,
    worths: Worths | None = None,
) -> Iterator[tuple[Unit, Learning, Partial | Epoch]]:
    """Train the networks of a student, or its only one, in turn, going on from their checkpoints where there are any.

    Each network is shown to *begun* before it goes on, as its checkpoint left it; *allot* says how long it may take
    of what is left for it and those after it.
    """
    encoder, order = lesson.encoder, lesson.order
    taught = [unit for unit in units if lesson.student.only in ("", unit.name)]
    for place, unit in enumerate(taught):
        options = lesson.training_of(unit.name)
        learning, name = begin(unit, options), lesson.fingerprint(unit.name)
        path = None if checkpoints is None else checkpoints / f"{lesson.name}_{unit.name}.safetensors"
        if path is not None:
            resume(path, learning, name)
        begun(unit, learning)
        legal = options.legality > 0 or options.smooth_over == "legal"
        examination = some(sides["validation"], options.validation_rows)
        shown = make_lesson(sides["train"], encoder, order, legal=legal, temperature=options.temperature)
        asked = make_lesson(examination, encoder, order, legal=legal)
        valued = None if worths is None or not options.worth else show_worths(worths, encoder)
        options = allot(learning, options, len(taught) - place)
        for event in train_moves(learning, shown, asked, options, valued):
            yield unit, learning, event
            if isinstance(event, Epoch) and path is not None:  # whoever hears of it has noted it by now
                save_checkpoint(path, learning, name)


def load_unfinished(experiment: Experiment, folder: Path) -> tuple[str, int, list[Unit], dict[str, Any]]:
    """Return the student of a run that was trained last, as its checkpoints have it: name, epoch, networks, facts."""
    stamps = {
        lesson.name: max((path.stat().st_mtime for path in folder.glob(f"checkpoints/{lesson.name}_*")), default=0.0)
        for lesson in experiment.lessons
    }
    lesson = max(experiment.lessons, key=lambda lesson: stamps[lesson.name])
    units, epoch = untrained(lesson), 0
    for unit in units:
        options = lesson.training_of(unit.name)
        learning, path = begin(unit, options), folder / "checkpoints" / f"{lesson.name}_{unit.name}.safetensors"
        if resume(path, learning, lesson.fingerprint(unit.name)):
            epoch = learning.epoch
        if learning.finished(options) and learning.best_weights is not None:
            unit.load_state_dict(learning.best_weights)
    if not stamps[lesson.name]:
        raise BadOption(f"nothing has been learned in run folder {str(folder)!r} yet")
    return lesson.name, epoch, units, _facts(experiment, lesson, 0, units, {}) | {"unfinished": epoch}


def _facts(
    experiment: Experiment, lesson: Lesson, records: int, units: list[Unit], spent: dict[str, float]
) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    return {
        **_seen_as(lesson), "name": lesson.name,
        **({"only": lesson.student.only} if lesson.student.only else {}),
        "experiment": experiment.name, "understudy": __version__, "split": lesson.examples.split,
        "split_seed": lesson.examples.seed, "records": records, "seconds": spent,
        "fingerprint": lesson.fingerprint(),
        "weights": sum(weight.numel() for unit in units for weight in unit.parameters()),
        "network": dict(lesson.networks[lesson.game.part_names[0]]),
        "training": dict(lesson.settings.get("training", {})),
        **({"fold": lesson.examples.fold, "folds": lesson.examples.folds} if lesson.examples.chosen_fold else {}),
    }  # fmt: skip


def _sketch_rows(lesson: Lesson, shown: Examples) -> dict[str, Any]:
    """Return what a student's file keeps of its training rows, so that a judge can tell which of its rows they are."""
    # Images are of one class, except those of the authors' expansion, which exchanges rings that are not alike.
    first = np.unique(shown.origins, return_index=True)[1] if lesson.examples.split.startswith("orbit") else slice(None)
    if len(shown.moves) > SKETCHED:
        return {"rows": len(shown.moves), "whole": False}  # too many to keep; the facts tell who is held out
    own = sketch_of(orbit_names(shown.game, shown.taken(first).positions))
    if not lesson.student.start:
        return own
    return together(own, student_facts(student_file(lesson.student.start)).get("learned_from"))


def _describe(learning: Learning, epoch: Epoch) -> str:
    return f"epoch {epoch.epoch + 1}: {epoch.validation_accuracy:.1%} right (best {learning.best_accuracy:.1%})"


def _choose_best(run: Run[Experiment], records: Records) -> None:
    """Copy the student that is best on its validation rows to `student.onnx`."""
    if len(run.experiment.lessons) == 1:
        return
    scores = {}
    for lesson in run.experiment.lessons:
        sides = lesson.split(records)
        rows = some(sides["validation"], COMPARED)
        verdict = judge_parts(load_student(run, lesson), rows.positions, rows.moves, judges=("accuracy",))
        # Students of the leaking split know their validation rows, so they never stand above those of the honest one,
        # and those that learned one part alone know less than any that learned all.
        measure = f"accuracy.given.{lesson.student.only}" if lesson.student.only else "accuracy.whole"
        rank = (not lesson.student.only, lesson.examples.split != "expanded")
        scores[lesson.name] = (*rank, verdict[measure].value or 0.0)
    best = max(scores, key=lambda name: scores[name])
    for suffix in ("onnx", "safetensors"):
        run.keep_student(best, suffix=suffix)


SHOWN = (
    "accuracy.whole", "accuracy.to", "accuracy.part", "legality.whole", "strict.finished_legally", "strict.won",
    "strict.points",
)  # fmt: skip
"""Measures that a person looks for first."""


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first."""
    lines = []
    for section, players in load_json(run.folder / "verdicts.json").items():
        for name, verdict in players.items():
            values = {key: verdict[key]["value"] for key in SHOWN if key in verdict}
            shown = [f"{key} {value:.2%}" for key, value in values.items() if value is not None]
            lines += [f"{section}, {name}: {', '.join(shown)}"] if shown else []
    return lines


def _identity(settings: Mapping[str, Any]) -> Any:
    """Return what must not change in a run folder: the board, and where records come from."""
    return same_board(settings), sources_of(settings)


def _check(run: Run[Experiment]) -> None:
    """Raise if a network could not be built, or who or what judging needs is not there: better now than later."""
    experiment = run.experiment
    for lesson in experiment.lessons:
        if not student_path(run, lesson).exists():
            untrained(lesson)
    asked = [name for name in experiment.judging.baselines if name != COMMONEST]
    check_opponents(asked, experiment.game, "judging.baselines")
    check_opponents(experiment.judging.gaming_beside, experiment.game, "judging.gaming_beside")
    check_beside(experiment)
    if experiment.judging.states not in ("", GENERATE):
        data_file(experiment, experiment.judging.states)


KIND = Kind(
    steps=(Step("watch", prepare_records), Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    identity=_identity,
    holds="records of ",
    folders=("checkpoints",),
    opponents=opponents_of,
    paper=True,
    check=_check,
)
