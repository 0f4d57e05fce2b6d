"""Imitation end to end: records, students, verdicts, a report.

Everything is written to the run folder as it is made, and whatever is there already is not made again: a run that was
stopped goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from understudy import __version__
from understudy.files import load_json, save_json
from understudy.games import CompiledGame, find_game
from understudy.games.batches import NO_MOVE
from understudy.games.layout import find_encoder, order_places
from understudy.judges.measures import write_verdict
from understudy.judges.students import judge_parts, strict
from understudy.lab.options.imitation import Experiment, Lesson, data_file, sources_of
from understudy.lab.run import Kind, Made, Progress, Run, Show, Step, append_line
from understudy.networks import build_units
from understudy.networks.files import load_weights, save_student
from understudy.networks.students import Unit
from understudy.players import make_player
from understudy.players.network import Student
from understudy.protocols import Backend
from understudy.records.analysis import analyse, analysis_json
from understudy.records.examples import Examples, all_examples, orbit_names, split_examples
from understudy.records.sketches import sketch_of, together
from understudy.records.starts import reachable
from understudy.records.store import Records, joined, load, load_any, lone_pairs, save
from understudy.records.watch import watch
from understudy.studies.galassi.gaming import STABLE, gaming
from understudy.studies.galassi.gaming_tables import gaming_json
from understudy.tensors import load_facts
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, Learning, Partial, begin
from understudy.trainers.objectives import make_lesson, train_moves

STRICT_SEED = 20_000
"""Games that grade students are not those that anybody was trained on."""


def prepare_records(run: Run[Experiment]) -> Records:
    """Return the records of an experiment: watched or imported, kept in the run folder."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    if experiment.judging.states not in ("", "generate"):
        data_file(experiment, experiment.judging.states)  # better missed now than after the training
    game, path = find_game(experiment.about.game), folder / "records.parquet"
    if experiment.watch is not None:
        records = _watched(experiment, game, folder, show, backend)
    elif path.exists():
        records = load(path)
    else:
        records = _imported(experiment, game)
        save(records, path)
    if not (folder / "analysis.json").exists():
        run.save("analysis.json", analysis_json(analyse(records)))
    return records


def _watched(experiment: Experiment, game: CompiledGame, folder: Path, show: Show, backend: Backend) -> Records:
    assert experiment.watch is not None
    plan, played = experiment.watch, 0
    total = max(plan.regular + plan.custom + plan.random, 1)

    def note(games: int) -> None:
        nonlocal played
        played += games
        show(Progress("watching the teacher", played / total, f"{played} of {total} games"))

    return watch(game, plan, folder, backend=backend, progress=note)


def _imported(experiment: Experiment, game: CompiledGame) -> Records:
    options = experiment.records
    read = [load_any(data_file(experiment, name), game, on_error=options.on_error)[0] for name in options.files]
    records = joined(read)
    return records if options.limit is None else records.taken(slice(0, options.limit))


def train_students(run: Run[Experiment]) -> None:
    """Train every student of an experiment that is not trained yet; the best becomes `student.onnx`."""
    experiment, folder, show = run.experiment, run.folder, run.show
    records = load(folder / "records.parquet")
    for lesson in experiment.lessons:
        if not _path(lesson, folder).exists():
            _train_student(experiment, lesson, records, folder, show)
    _choose_best(run, records)


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    experiment, folder = run.experiment, run.folder
    for lesson in experiment.lessons:
        if (path := _path(lesson, folder)).exists():
            found = _student(experiment, lesson, folder).facts.get("fingerprint")
            yield Made(repr(str(path)), found, lesson.fingerprint())


def _train_student(experiment: Experiment, lesson: Lesson, records: Records, folder: Path, show: Show) -> None:
    sides = split_examples(records, split=lesson.examples.split, seed=lesson.examples.seed)
    units, spent = untrained(lesson), {}
    for unit, learning, event in learn(lesson, units, sides, checkpoints=folder / "checkpoints"):
        task = f"{lesson.name}: learning {unit.name}"
        if isinstance(event, Epoch):
            spent[unit.name] = learning.seconds
            append_line(folder / "progress.jsonl", {"student": lesson.name, "network": unit.name, **event._asdict()})
            show(Progress(task, event.done, _told(learning, event)))
        else:
            show(Progress(task, event.done))
    show(Progress(f"{lesson.name}: writing the student", 1.0))
    facts = _facts(experiment, lesson, len(records), units, spent) | {"learned_from": _learned(lesson, sides["train"])}
    save_student(folder, _file_name(lesson), units, facts)


def untrained(lesson: Lesson) -> list[Unit]:
    """Return a student's networks before they learn: the seed decides their first weights, or an earlier student."""
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training["to"].seed)
        units = build_units(find_game("morris"), lesson.student, lesson.networks)
    if lesson.student.start:
        load_weights(Path(lesson.student.start), units)
    return units


def learn(
    lesson: Lesson, units: list[Unit], sides: dict[str, Examples], *, checkpoints: Path | None = None
) -> Iterator[tuple[Unit, Learning, Partial | Epoch]]:
    """Train the networks of a student one after another, going on from their checkpoints where there are any."""
    encoder = find_encoder("morris", lesson.student.encoder)
    order = order_places(find_game("morris").part_names, lesson.student.order)
    for unit in units:
        options = lesson.training[unit.name if unit.name in lesson.training else "to"]
        learning, name = begin(unit, options), lesson.fingerprint(unit.name)
        path = None if checkpoints is None else checkpoints / f"{lesson.name}_{unit.name}.safetensors"
        if path is not None:
            resume(path, learning, name)
        legal = options.legality > 0 or options.smooth_over == "legal"
        examination = some(sides["validation"], options.validation_rows)
        shown, asked = (make_lesson(side, encoder, order, legal=legal) for side in (sides["train"], examination))
        for event in train_moves(learning, shown, asked, options):
            if isinstance(event, Epoch) and path is not None:
                save_checkpoint(path, learning, name)
            yield unit, learning, event


def _facts(
    experiment: Experiment, lesson: Lesson, records: int, units: list[Unit], spent: dict[str, float]
) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    encoder = find_encoder(experiment.about.game, lesson.student.encoder)
    return {
        "game": experiment.about.game, "encoder": encoder.name, "columns": encoder.layout.width,
        "order": lesson.student.order, "design": lesson.student.design, "name": lesson.name,
        "experiment": experiment.name, "understudy": __version__, "split": lesson.examples.split,
        "split_seed": lesson.examples.seed, "records": records, "seconds": spent,
        "fingerprint": lesson.fingerprint(),
        "weights": sum(weight.numel() for unit in units for weight in unit.parameters()),
        "network": dict(lesson.networks["to"]), "training": dict(lesson.settings.get("training", {})),
    }  # fmt: skip


def _learned(lesson: Lesson, shown: Examples) -> dict[str, Any]:
    """Return what a student's file keeps of its training rows, so that a judge can tell which of its rows they are."""
    # Images are of one class, except those of the authors' expansion, which exchanges rings that are not alike.
    first = np.unique(shown.origins, return_index=True)[1] if lesson.examples.split == "orbit" else slice(None)
    own = sketch_of(orbit_names(find_game("morris"), shown.taken(first).positions))
    start = lesson.student.start
    return together(own, load_facts(Path(start), "weights").get("learned_from")) if start else own


def _told(learning: Learning, epoch: Epoch) -> str:
    return f"epoch {epoch.epoch + 1}: {epoch.validation_accuracy:.1%} right (best {learning.best_accuracy:.1%})"


def some(examples: Examples, limit: int) -> Examples:
    """Return at most so many rows, chosen evenly."""
    rows = len(examples.moves)
    return examples if rows <= limit else examples.taken(np.linspace(0, rows - 1, limit).astype(np.int64))


def _choose_best(run: Run[Experiment], records: Records) -> None:
    """Copy the student that is best on its validation rows to `student.onnx`."""
    experiment, folder = run.experiment, run.folder
    if len(experiment.lessons) == 1:
        return
    scores = {}
    for lesson in experiment.lessons:
        sides = split_examples(records, split=lesson.examples.split, seed=lesson.examples.seed)
        rows = some(sides["validation"], 20_000)
        verdict = judge_parts(_student(experiment, lesson, folder), rows.positions, rows.moves, judges=("accuracy",))
        # Students of the leaking split know their validation rows, so they never stand above those of the honest one.
        scores[lesson.name] = (lesson.examples.split == "orbit", verdict["accuracy.whole"].value or 0.0)
    best = max(scores, key=lambda name: scores[name])
    for suffix in ("onnx", "safetensors"):
        run.keep_student(best, suffix=suffix)


def judge_students(run: Run[Experiment]) -> None:
    """Let every judge grade every student; what is in `verdicts.json` already stays."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    verdicts = run.load("verdicts.json")
    jobs = list(_judgements(experiment, folder, backend))
    for place, (section, name, judge) in enumerate(jobs):
        if name not in verdicts.get(section, {}):
            show(Progress("judging", place / len(jobs), f"{section}: {name}"))
            verdicts.setdefault(section, {})[name] = judge()
            run.save("verdicts.json", verdicts)
    show(Progress("judging", 1.0))
    if experiment.judging.gaming and not (folder / "gaming.json").exists():
        _gaming(experiment, folder, show, backend)


def _judgements(experiment: Experiment, folder: Path, backend: Backend) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """Yield what is to be judged: section, student, and how."""
    game, judging = find_game(experiment.about.game), experiment.judging
    records = load(folder / "records.parquet")
    states = _states(experiment, game, records)
    for lesson in experiment.lessons:
        student = _student(experiment, lesson, folder)
        sides = split_examples(records, split=lesson.examples.split, seed=lesson.examples.seed)
        seen = some(sides["train"], judging.train_rows)
        yield f"test rows, split {lesson.examples.split}", lesson.name, _judge(student, sides["test"])
        yield "training rows", lesson.name, _judge(student, seen, judges=("accuracy",))
        if states is not None:
            yield "states", lesson.name, _judge(student, states, judges=("legality", "reliability"))
        for opponent in judging.opponents if judging.games else ():
            judge = _strict(game, student.name, opponent, judging.games, backend)
            yield f"games against {opponent}", lesson.name, judge


def _judge(student: Student, examples: Examples, **options: Any) -> Callable[[], Any]:
    return lambda: write_verdict(judge_parts(student, examples.positions, examples.moves, **options))


def _strict(game: CompiledGame, student: str, opponent: str, games: int, backend: Backend) -> Callable[[], Any]:
    return lambda: write_verdict(strict(game, student, opponent, games=games, seed=STRICT_SEED, backend=backend))


def _states(experiment: Experiment, game: CompiledGame, records: Records) -> Examples | None:
    """Return positions that nobody has learned from, expanded as the authors did where they come from a file."""
    judging = experiment.judging
    if not judging.states:
        return None
    if judging.states == "generate":
        known = orbit_names(records.game, records.positions)
        rng = np.random.default_rng([STRICT_SEED, 0x57A7E5])
        positions = reachable(game, judging.states_count, rng, without=known)
        nobody = np.full(judging.states_count, NO_MOVE, np.int32)
        return all_examples(lone_pairs(game, positions, nobody, source="random play"), expansion="none")
    found = load_any(data_file(experiment, judging.states), game)[0]
    limit = judging.states_count or len(found)
    return all_examples(found.taken(slice(0, limit)), expansion="authors")


def _gaming(experiment: Experiment, folder: Path, show: Show, backend: Backend) -> None:
    game, names = find_game(experiment.about.game), [f"student:{folder}"]
    played, total = 0, experiment.judging.gaming * len(STABLE) + 1  # and one against itself

    def note(games: int) -> None:
        nonlocal played
        played += games
        show(Progress("playing the stable", min(played / total, 1.0), f"{played} of {total} games"))

    table = gaming(game, names, games=experiment.judging.gaming, seed=STRICT_SEED, backend=backend, progress=note)
    save_json(folder / "gaming.json", gaming_json(table))


def _student(experiment: Experiment, lesson: Lesson, folder: Path) -> Student:
    player = make_player(f"student:{_path(lesson, folder)}", find_game(experiment.about.game))
    assert isinstance(player, Student)
    return player


def _path(lesson: Lesson, folder: Path) -> Path:
    return folder / f"{_file_name(lesson)}.onnx"


def _file_name(lesson: Lesson) -> str:
    return "student" if lesson.name == "student" else f"student_{lesson.name}"


SHOWN = (
    "accuracy.whole", "accuracy.to", "legality.whole", "strict.finished_legally", "strict.won", "strict.points",
)  # fmt: skip
"""Measures that a person looks for first."""


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first."""
    folder = run.folder
    lines = []
    for section, players in load_json(folder / "verdicts.json").items():
        for name, verdict in players.items():
            known = {key: verdict[key]["value"] for key in SHOWN if key in verdict}
            shown = [f"{key} {value:.2%}" for key, value in known.items() if value is not None]
            lines += [f"{section}, {name}: {', '.join(shown)}"] if shown else []
    return lines


KIND = Kind(
    steps=(Step("watch", prepare_records), Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    identity=sources_of,
    holds="records of ",
    folders=("checkpoints",),
    paper=True,
)
