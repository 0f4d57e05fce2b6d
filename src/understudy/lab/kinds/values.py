"""Learning from perfect play end to end: solved boards, a network that values them, games, an exam, a report."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

from understudy import __version__
from understudy.files import load_json
from understudy.games.boards import SCRATCH, find_boards
from understudy.judges.duels import score_lines, write_meeting
from understudy.judges.tournament import play_match
from understudy.judges.value_kept import held_out
from understudy.lab.exams import SECTION, judge_value_kept
from understudy.lab.options.values import Experiment, Lesson
from understudy.lab.run import Kind, Made, Progress, Run, Show, Step, append_line
from understudy.lab.settings import fingerprint_of, unusual
from understudy.networks.files import save_layers
from understudy.networks.students import ONNX, ValueNetwork
from understudy.players.student_files import load_session
from understudy.records.solved import Solved, imaged, load_solved, save_solved, solve_boards, some
from understudy.solve import FEW_CELLS
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, begin
from understudy.trainers.objectives import Valued, train_values

EXAMINED = 0.02
"""The share of solved boards that are only looked at, never learned from, to tell which epoch is best."""
JUDGING = 40_000
"""The seed of the games that grade a student."""


def train_students(run: Run[Experiment]) -> None:
    """Train every student that is not trained yet; the one with the best validation accuracy becomes `student.onnx`."""
    experiment, folder, show = run.experiment, run.folder, run.show
    for lesson in experiment.lessons:
        if not _path(lesson, folder).exists():
            _train(experiment, lesson, folder, show)
    accuracy = {lesson.name: _facts_of(lesson, folder)["validation_accuracy"] for lesson in experiment.lessons}
    run.keep_student(max(accuracy, key=lambda name: accuracy[name]))


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    experiment, folder = run.experiment, run.folder
    for lesson in experiment.lessons:
        if (path := _path(lesson, folder)).exists():
            found = _facts_of(lesson, folder).get("fingerprint")
            yield Made(repr(str(path)), found, lesson.fingerprint(experiment.about))


def _path(lesson: Lesson, folder: Path) -> Path:
    return folder / f"student_{lesson.name}.onnx"


def _facts_of(lesson: Lesson, folder: Path) -> Any:
    return load_session(_path(lesson, folder))[1]


def _train(experiment: Experiment, lesson: Lesson, folder: Path, show: Show) -> None:
    lesson_boards, exam_boards = _boards(experiment, lesson, folder, show)
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training.seed)
        network = ValueNetwork(lesson_boards.inputs.shape[1], lesson.network)
    learning, name = begin(network, lesson.training), lesson.fingerprint(experiment.about)
    path = folder / "checkpoints" / f"{lesson.name}.safetensors"
    resume(path, learning, name)
    for event in train_values(learning, lesson_boards, exam_boards, lesson.training):
        told = ""
        if isinstance(event, Epoch):
            save_checkpoint(path, learning, name)
            append_line(folder / "progress.jsonl", {"student": lesson.name, "network": "value", **event._asdict()})
            told = f"epoch {event.epoch + 1}: {event.validation_accuracy:.2%} right"
        show(Progress(f"{lesson.name} learns", event.done, told))
    facts = _facts(experiment, lesson, len(lesson_boards.values), learning)
    save_layers(_path(lesson, folder), network.plain_layers(), facts, units=ONNX[lesson.network.units])


def _boards(experiment: Experiment, lesson: Lesson, folder: Path, show: Show) -> tuple[Valued, Valued]:
    """Return the boards to learn from, in all images, and those to look at after each epoch."""
    examples, game = lesson.examples, experiment.game
    path = folder / f"solved_{fingerprint_of(unusual(examples))}.safetensors"
    if not path.exists():
        without = held_out(game) if examples.held_out else np.zeros(0, np.uint64)
        solved = solve_boards(
            game, examples.boards, seed=examples.seed, without=without, hope=examples.hope,
            progress=lambda share: show(Progress("solving boards", share)),
        )  # fmt: skip
        save_solved(solved, path)
    solved = load_solved(path, game)
    apart = int(len(solved.values) * EXAMINED)
    learned, looked_at = some(solved, slice(apart, None)), some(solved, slice(0, apart))
    if len(game.board.cells) <= FEW_CELLS:  # there are no other boards: all that can be asked is whether it knows them
        learned = looked_at = solved
    return _valued(experiment, lesson, imaged(game, learned)), _valued(experiment, lesson, looked_at)


def _valued(experiment: Experiment, lesson: Lesson, solved: Solved) -> Valued:
    boards, size = find_boards(experiment.game.name), experiment.game.size
    number = boards.find_representation(lesson.student.representation, *size)
    inputs = np.zeros((len(solved.values), boards.input_count(number, *size)), np.int8)
    boards.encode_boards(number, solved.boards, np.zeros(SCRATCH, np.int32), inputs)
    return Valued(torch.from_numpy(inputs), torch.from_numpy(solved.values))


def _facts(experiment: Experiment, lesson: Lesson, boards: int, learning: Any) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    game = experiment.game
    return {
        "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "kind": "single", "name": lesson.name,
        "representation": lesson.student.representation, "depth": lesson.student.depth,
        "hidden": list(lesson.network.hidden),
        "experiment": experiment.name, "understudy": __version__, "method": "values", "teacher": "perfect play",
        "boards": boards, "seconds": learning.seconds, "validation_accuracy": learning.best_accuracy,
        "fingerprint": lesson.fingerprint(experiment.about),
        "weights": sum(weight.numel() for weight in learning.unit.parameters()),
    }  # fmt: skip


def judge_students(run: Run[Experiment]) -> None:
    """Let every student play its opponents and sit the exam; what was done before stays."""
    experiment, folder, show, backend = run.experiment, run.folder, run.show, run.backend
    judging, games = experiment.judging, run.load("games.json")
    players = {lesson.name: f"student:{_path(lesson, folder)}" for lesson in experiment.lessons}
    for name, player in players.items():
        if name in games:
            continue
        games[name] = {"best epoch": {}}
        for place, opponent in enumerate(judging.opponents):
            show(Progress("judging", place / len(judging.opponents), f"{name} against {opponent}"))
            meeting = play_match(experiment.game, (player, opponent), games=judging.games, seed=JUDGING,
                                 backend=backend, opening_plies=0)  # fmt: skip
            games[name]["best epoch"][opponent] = write_meeting(meeting)
        run.save("games.json", games)
    show(Progress("judging", 1.0))
    if judging.value_kept:
        judge_value_kept(run, players, positions=judging.value_kept)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each student wins, and how often it keeps the value."""
    folder = run.folder
    games, path = load_json(folder / "games.json"), folder / "verdicts.json"
    verdicts = load_json(path).get(SECTION, {}) if path.exists() else {}
    return [
        *score_lines(games),
        *(
            f"{name}: keeps the value in {verdict['value_kept']['value']:.2%} of positions, "
            f"in {verdict['value_kept.critical']['value']:.2%} where it matters"
            for name, verdict in verdicts.items()
        ),
    ]


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    folders=("checkpoints",),
)
