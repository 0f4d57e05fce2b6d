"""Learning an engine's labels end to end: positions, students, how near they come, test suites, a ladder, a report.

A run folder holds `positions.parquet` if the games were played and labelled here, `checkpoints/`, a student for each
lesson (`student_NAME.onnx`, or safetensors where the network runs inside the search), and what was found out:
`labels.json`, `suites.json`, `ladder.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from understudy import __version__
from understudy.errors import BadOption
from understudy.fetch.sources import check_file
from understudy.files import load_json
from understudy.games.chess.datasets import class_names, find_dataset, pawns_of, targets_of
from understudy.games.chess.judges.datasets import balance, clustered, explained, graded, wrongs, yardsticks
from understudy.games.chess.learning.labels import (
    Labelled,
    load_standings,
    parameters,
    save_board_student,
    say,
    suffix_of,
    train_labels,
)
from understudy.games.chess.learning.networks import StandingsNetwork, make_network
from understudy.games.chess.players.students import LABELS
from understudy.games.chess.records.examples import GRADED, LEARNED, LOOKED_AT, SIDES, Examples, load_examples, sides_of
from understudy.games.chess.records.labelling import label_positions
from understudy.games.chess.records.opinions import Judge
from understudy.games.chess.records.positions import load_facts, save_positions
from understudy.games.chess.records.sampling import Sampling, sample_records
from understudy.judges.measures import write_verdict
from understudy.lab.kinds.label_exams import judge_students, keep_samples
from understudy.lab.opinions import draw_rows
from understudy.lab.options.labels import Experiment, Lesson, PositionOptions, table_of
from understudy.lab.run import Kind, Made, Run, Step
from understudy.lab.samples import ASKED
from understudy.lab.settings import same_board
from understudy.players.student_files import student_file
from understudy.records.watch import Watch, watch
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, Learning, begin

RESULTS = "labels.json"
LONGEST = 200
"""Plies of a game that is played to be labelled: a longer one would add endings of shuffling kings."""


def train_students(run: Run[Experiment]) -> None:
    """Train and grade every student that is not there yet; the first of the experiment becomes the run's student."""
    results, lessons = run.load(RESULTS) or {"students": {}}, run.experiment.lessons
    waiting = [lesson for lesson in lessons if lesson.name not in results["students"]]
    starts = {lesson.name: student_file(lesson.network.start) for lesson in waiting if lesson.network.start}
    if waiting:
        examples = gather(run)
    for lesson in waiting:
        sides = sides_of(examples, split=lesson.examples.split, seed=lesson.examples.seed,
                         graded=lesson.examples.graded)  # fmt: skip
        results["students"][lesson.name] = _train(run, lesson, examples, sides, starts.get(lesson.name))
        if "data" not in results:
            results["data"] = _data(examples, sides)
        results["orders"] = _orders(run, results["students"])
        run.save(RESULTS, results)
    first = lessons[0].name
    run.keep_student(first, suffix=results["students"][first]["suffix"])


def _identity(settings: Mapping[str, Any]) -> Any:
    """Return what all students of a run share: the board, and the table of positions that they learn from."""
    board = same_board(settings)
    return (board, table_of(settings)) if board[0] == "labels" else board


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    students = run.load(RESULTS).get("students", {})
    for lesson in run.experiment.lessons:
        if lesson.name in students:
            before = students[lesson.name]["fingerprint"]
            what = f"student {lesson.name!r} of {str(run.folder / RESULTS)!r}"
            yield Made(what, before, lesson.fingerprint(run.experiment.about))


def gather(run: Run[Experiment]) -> Examples:
    """Return the labelled positions of an experiment; games are played and labelled if it has no files."""
    first = run.experiment.lessons[0]  # all students learn from one table
    needed_by = f"experiment {run.experiment.name!r}"
    files = [check_file(file, Path(), needed_by=needed_by) for file in first.positions.files]
    if not files:
        files = [run.folder / "positions.parquet"]
        if not files[0].exists():
            _label_games(run, first.positions, files[0])
        elif load_facts(files[0]).get("experiment") != first.table():
            raise BadOption(f"{str(files[0])!r} was made with other [positions] than now; name another --run")
    run.tell("loading positions", 0.0)
    examples = load_examples(files, most=first.positions.most, seed=first.positions.seed)
    mixed = f", labels of mixed limits: {'; '.join(examples.limits)}" if len(examples.limits) > 1 else ""
    run.tell("loading positions", 1.0, f"{len(examples)} positions{mixed}")
    return examples


def _label_games(run: Run[Experiment], options: PositionOptions, target: Path) -> None:
    """Let the players of an experiment play, and an engine say what positions of their games are worth."""
    plan = Watch(teacher=options.players[0], opponents=(options.players[1],), regular=options.games,
                 opening_plies=options.opening_plies, ply_limit=LONGEST, seed=options.seed)  # fmt: skip
    played = settled = 0

    def note_games(games: int) -> None:
        nonlocal played
        played += games
        run.tell("games are played", played / options.games, f"{played} games")

    def note_labels(done: int, total: int) -> None:
        nonlocal settled
        settled += done
        run.tell("the engine labels", settled / max(total, 1), f"{settled} positions")

    records = watch(run.experiment.game, plan, run.folder, backend=run.backend, progress=note_games)
    sampling = Sampling(per_game=options.per_game, from_ply=options.opening_plies, stray=options.stray,
                        seed=options.seed)  # fmt: skip
    sampled = sample_records(records, sampling)
    name = run.experiment.lessons[0].table()
    table = replace(sampled, facts={**sampled.facts, "experiment": name})
    label_positions(
        lambda place: save_positions(table, place), target, Judge(engine=options.engine, depth=options.depth),
        identify=lambda: {"experiment": name}, backend=run.backend, progress=note_labels,
    )  # fmt: skip


def _data(examples: Examples, sides: NDArray[np.int8]) -> dict[str, Any]:
    """Return what a report says of the positions, and who does how well without learning."""
    names, counts = np.unique(examples.sources, return_counts=True)
    learned, asked = examples.some(sides == LEARNED), examples.some(sides == GRADED)
    verdicts_by_dataset = yardsticks((learned.positions, learned.pawns), (asked.positions, asked.pawns), asked.groups)
    return {
        "positions": len(examples), "games": len(np.unique(examples.groups)), "engines": list(examples.engines),
        "limits": list(examples.limits),
        "sources": dict(zip(names.tolist(), counts.tolist(), strict=True)),
        "sides": {name: int((sides == side).sum()) for side, name in enumerate(SIDES)},
        "balance": balance(examples.pawns),
        "classes": {name: class_names(find_dataset(name)) for name in ("1", "2", "3")},
        "yardsticks": {
            dataset: {who: write_verdict(verdict) for who, verdict in verdicts.items()}
            for dataset, verdicts in verdicts_by_dataset.items()
        },
    }  # fmt: skip


def _train(
    run: Run[Experiment], lesson: Lesson, examples: Examples, sides: NDArray[np.int8], start: Path | None
) -> dict[str, Any]:
    """Train a student, or go on where it was; grade it; write its file; return what a report says of it."""
    lessons = [_lesson(lesson, _asked(lesson, examples, sides, side)) for side in range(3)]
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training.seed)
        network = make_network(lesson.network, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)
    if start is not None and isinstance(network, StandingsNetwork):
        load_standings(network, start)
    learning, name = begin(network, lesson.training), lesson.fingerprint(run.experiment.about)
    path = run.folder / "checkpoints" / f"{lesson.name}.safetensors"
    resume(path, learning, name)
    run.forget_epochs(lesson.name, "board", learning.epoch)
    rate = 0.0
    for event in train_labels(learning, lessons[LEARNED], lessons[LOOKED_AT], lesson.training):
        note = ""
        if isinstance(event, Epoch):
            run.log({"student": lesson.name, "network": "board", **event._asdict()})
            save_checkpoint(path, learning, name)
            rate = event.examples_per_second
            note = f"epoch {event.epoch + 1}: {event.validation_accuracy:.4f}"
        run.tell(f"{lesson.name} learns", event.done, note)
    entry = _summary_of(lesson, learning, lessons, rate) | _grade(run, lesson, learning, lessons, examples, sides)
    entry |= {"fingerprint": name}
    student = run.folder / f"student_{lesson.name}.{entry['suffix']}"
    facts = _facts(run.experiment, lesson, entry)
    save_board_student(student, network, facts, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)
    held_out = examples.some(sides == GRADED)
    shown = held_out.some(draw_rows(len(held_out), ASKED))
    keep_samples(run, lesson, shown, say(learning.unit, _lesson(lesson, shown), np.arange(len(shown))), student)
    return entry


def _asked(lesson: Lesson, examples: Examples, sides: NDArray[np.int8], side: int) -> Examples:
    """Return the examples on one side; what is learned from may be more, or less, than what is there."""
    chosen = examples.some(sides == side)
    if side == LEARNED and lesson.examples.answers:
        chosen = chosen.and_answers()
    if side == LEARNED and lesson.examples.most is not None:
        chosen = chosen.some(_draw_games(chosen.groups, lesson.examples.most, seed=lesson.examples.seed))
    if side == LEARNED and lesson.examples.quiet:
        chosen = chosen.some(chosen.quiet)
    if len(chosen) < 2:
        raise BadOption(f"student {lesson.name!r}: only {len(chosen)} positions are there to be {SIDES[side]}")
    return chosen


def _draw_games(groups: NDArray[np.int64], most: int, *, seed: int) -> NDArray[np.bool_]:
    """Return the rows of whole games, drawn by chance, that are no more than wanted; more hold those of fewer."""
    games, sizes = np.unique(groups, return_counts=True)
    order = np.random.default_rng([seed, 0xF3]).permutation(len(games))
    return np.isin(groups, games[order[np.cumsum(sizes[order]) <= most]])


def _lesson(lesson: Lesson, examples: Examples) -> Labelled:
    """Return positions and what this student should say of them; a network with White's eyes speaks for White."""
    worth, results = examples.worth, examples.results
    if lesson.inputs.perspective == "white":
        black_moves = np.asarray(examples.positions.ply) % 2 == 1
        worth, results = np.where(black_moves, -worth, worth), np.where(black_moves, 1.0 - results, results)
    targets: Any = targets_of(lesson.dataset, worth)
    if lesson.target.result:
        targets = (1 - lesson.target.result) * targets + lesson.target.result * results.astype(np.float32)
    return Labelled(examples.positions, torch.from_numpy(np.ascontiguousarray(targets)), lesson.inputs, lesson.dataset)


def _grade(
    run: Run[Experiment], lesson: Lesson, learning: Learning, lessons: list[Labelled], examples: Examples,
    sides: NDArray[np.int8],
) -> dict[str, Any]:  # fmt: skip
    """Return the verdicts on a student that has learned; the test positions are looked at here, once."""
    verdicts = {}
    for side in (LOOKED_AT, GRADED):
        asked = examples.some(sides == side)
        outputs = say(learning.unit, lessons[side], np.arange(len(asked)))
        guesses, pawns, classes = pawns_of(lesson.dataset, outputs), asked.pawns, None
        if lesson.inputs.perspective == "white":
            turned = np.where(np.asarray(asked.positions.ply) % 2 == 1, -1.0, 1.0)
            pawns = pawns * turned
        if lesson.dataset.classes:
            classes = outputs.argmax(axis=1)
        verdict = write_verdict(graded(lesson.dataset, guesses, pawns, asked.groups, classes=classes))
        verdicts[SIDES[side]] = {**verdict, "explained": explained(guesses, pawns)}
        if side == GRADED:
            wrong = wrongs(lesson.dataset, guesses, pawns, classes)
            save_arrays(_grades(run, lesson.name), {"wrong": wrong, "groups": asked.groups}, {})
    return verdicts


def _summary_of(lesson: Lesson, learning: Learning, lessons: list[Labelled], rate: float) -> dict[str, Any]:
    """Return how a student learned, and what of."""
    return {
        "dataset": lesson.target.dataset, "inputs": lesson.inputs.kind, "design": lesson.network.design,
        "split": lesson.examples.split, "parameters": parameters(learning.unit), "seconds": learning.seconds,
        "epochs": learning.epoch, "best_epoch": learning.best_epoch, "examples_per_second": rate,
        "learned_from": len(lessons[LEARNED]), "passes": learning.shown / len(lessons[LEARNED]),
        "suffix": suffix_of(learning.unit),
    }  # fmt: skip


def _orders(run: Run[Experiment], students: dict[str, Any]) -> dict[str, Any]:
    """Return for each data set its students from the best on, and how far each is ahead of the next.

    Only students graded on the same positions can be put in order: those that were split as the first of them was.
    """
    grades = {name: load_arrays(_grades(run, name), "grades")[0] for name in students}
    orders: dict[str, Any] = {}
    for dataset in sorted({entry["dataset"] for entry in students.values()}):
        same = [name for name, entry in students.items() if entry["dataset"] == dataset]
        groups = grades[same[0]]["groups"]
        wrong = {name: grades[name]["wrong"] for name in same if np.array_equal(grades[name]["groups"], groups)}
        names = sorted(wrong, key=lambda name: float(wrong[name].mean()))
        ahead = [clustered(wrong[worse] - wrong[better], groups)._asdict() for better, worse in pairwise(names)]
        orders[dataset] = [{"student": name, "ahead": lead} for name, lead in zip(names, [*ahead, None], strict=True)]
    return orders


def _grades(run: Run[Experiment], name: str) -> Path:
    return run.folder / "graded" / f"{name}.safetensors"


def _facts(experiment: Experiment, lesson: Lesson, entry: dict[str, Any]) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    bins = {"bins": lesson.target.bins} if lesson.target.bins else {}
    return bins | {
        "game": "chess", "size": "8x8", "kind": LABELS, "name": lesson.name, "inputs": vars(lesson.inputs),
        "dataset": lesson.target.dataset, "design": lesson.network.design, "hidden": list(lesson.network.hidden),
        "experiment": experiment.name, "understudy": __version__, "method": "labels",
        **{key: entry[key] for key in ("split", "parameters", "seconds", "epochs", "learned_from", "fingerprint")},
    }  # fmt: skip


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: how near each student comes to the engine."""
    lines = []
    for name, entry in load_json(run.folder / RESULTS)["students"].items():
        test = entry[SIDES[GRADED]]
        if "accuracy" in test:
            grade = f"{test['accuracy']['value']:.1%} of classes right"
        else:
            grade = f"mean squared error {test['squared error']['value']:.4f}"
        lines.append(f"{name}: {grade}, {test['error in pawns']['value']:.2f} pawns off, on positions of games apart")
    return lines


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    identity=_identity,
    folders=("checkpoints", "graded"),
)
