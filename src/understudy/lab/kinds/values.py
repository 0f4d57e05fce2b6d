"""Learning from perfect play end to end: solved boards, a network that values them, games, an exam, a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from understudy import __version__
from understudy.files import load_json
from understudy.games import CompiledGame
from understudy.games.boards import SCRATCH, find_boards
from understudy.judges.duels import score_lines, write_meeting
from understudy.judges.tournament import play_match
from understudy.judges.value_kept import held_out
from understudy.lab.glimpses import Glimpses, draw_random
from understudy.lab.judging import SECTION, judge_value_kept, opening_plies
from understudy.lab.options.values import Experiment, Lesson
from understudy.lab.run import Kind, Made, Run, Step
from understudy.lab.settings import fingerprint_of, read_yardsticks, unusual
from understudy.networks.files import save_layers
from understudy.networks.students import ONNX, ValueNetwork
from understudy.players.student_files import load_session
from understudy.players.values import Score, ValueStudent
from understudy.records.solved import Solved, imaged, load_solved, save_solved, solve_boards, some
from understudy.solve import FEW_CELLS
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, Learning, begin
from understudy.trainers.objectives import Valued, train_values

EXAMINED = 0.02
"""The share of solved boards that are only looked at, never learned from, to tell which epoch is best."""
JUDGING = 40_000
"""The seed of the games that grade a student: far from those of files, which are small, so that none was learned."""
BEST = "best epoch"
"""Which weights of a student play, as `games.json` calls them."""


def train_students(run: Run[Experiment]) -> None:
    """Train every student that is not trained yet; the one with the best validation accuracy becomes `student.onnx`."""
    lessons = run.experiment.lessons
    for lesson in lessons:
        if not _path(run, lesson).exists():
            _train(run, lesson)
    accuracy = {lesson.name: _facts_of(run, lesson)["validation_accuracy"] for lesson in lessons}
    run.keep_student(max(accuracy, key=lambda name: accuracy[name]))


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    for lesson in run.experiment.lessons:
        if (path := _path(run, lesson)).exists():
            before = _facts_of(run, lesson).get("fingerprint")
            yield Made(repr(str(path)), before, lesson.fingerprint(run.experiment.about))


def _path(run: Run[Experiment], lesson: Lesson) -> Path:
    return run.folder / f"student_{lesson.name}.onnx"


def _facts_of(run: Run[Experiment], lesson: Lesson) -> Mapping[str, Any]:
    return load_session(_path(run, lesson))[1]


def _train(run: Run[Experiment], lesson: Lesson) -> None:
    lesson_boards, exam_boards = _boards(run, lesson)
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training.seed)
        network = ValueNetwork(lesson_boards.inputs.shape[1], lesson.network)
    learning, name = begin(network, lesson.training), lesson.fingerprint(run.experiment.about)
    path = run.folder / "checkpoints" / f"{lesson.name}.safetensors"
    resume(path, learning, name)
    run.forget_epochs(lesson.name, "value", learning.epoch)
    look = _make_look(run, lesson, learning)
    later = len(run.experiment.lessons) - run.experiment.lessons.index(lesson)
    for event in train_values(learning, lesson_boards, exam_boards, run.allot(learning, lesson.training, among=later)):
        note = ""
        if isinstance(event, Epoch):
            run.log({"student": lesson.name, "network": "value", **event._asdict()})
            save_checkpoint(path, learning, name)
            note = f"epoch {event.epoch + 1}: {event.validation_accuracy:.2%} right"
            look()
        run.tell(f"{lesson.name} learns", event.done, note)
    facts = _facts(run.experiment, lesson, len(lesson_boards.values), learning)
    save_layers(_path(run, lesson), network.plain_layers(), facts, units=ONNX[lesson.network.units])


def _make_look(run: Run[Experiment], lesson: Lesson, learning: Learning) -> Callable[[], None]:
    """Return what writes down what a student chooses now; where a training was left, that is written down at once."""
    if not run.experiment.judging.glimpses:
        return lambda: None
    glimpses = Glimpses(run, lesson.name, draw_random(run.experiment.game))
    glimpses.keep_scenes()
    glimpses.forget_after(learning.epoch)

    def look() -> None:
        facts = _facts(run.experiment, lesson, 0, learning)
        player = ValueStudent(
            run.experiment.game, _make_score(learning.unit), facts, name=lesson.name, rng=np.random.default_rng(0),
            depth=lesson.student.depth,
        )  # fmt: skip
        glimpses.look_at_player(player, learning.epoch, "epoch")

    if glimpses.misses(learning.epoch):
        look()
    return look


def _make_score(network: nn.Module) -> Score:
    """Return a network that goes on learning as a function: without dropout, and leaving no trace."""

    def score(inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        network.eval()
        with torch.no_grad():
            values: NDArray[np.float32] = torch.sigmoid(network(torch.from_numpy(inputs))).numpy()
        network.train()
        return values

    return score


def _boards(run: Run[Experiment], lesson: Lesson) -> tuple[Valued, Valued]:
    """Return the boards to learn from, in all images, and those to look at after each epoch."""
    examples, game = lesson.examples, run.experiment.game
    path = run.folder / f"solved_{fingerprint_of(unusual(examples))}.safetensors"
    if not path.exists():
        without = held_out(game) if examples.held_out else np.zeros(0, np.uint64)
        solved = solve_boards(
            game, examples.boards, seed=examples.seed, without=without, hope=examples.hope,
            progress=lambda share: run.tell("solving boards", share),
        )  # fmt: skip
        save_solved(solved, path)
    solved = load_solved(path, game)
    apart = int(len(solved.values) * EXAMINED)
    learned, looked_at = some(solved, slice(apart, None)), some(solved, slice(0, apart))
    if len(game.board.cells) <= FEW_CELLS:  # there are no other boards: all that can be asked is whether it knows them
        learned = looked_at = solved
    return _valued(game, lesson, imaged(game, learned)), _valued(game, lesson, looked_at)


def _valued(game: CompiledGame, lesson: Lesson, solved: Solved) -> Valued:
    boards, size = find_boards(game.name), game.size
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
    judging, games = run.experiment.judging, run.load("games.json")
    players = {lesson.name: f"student:{_path(run, lesson)}" for lesson in run.experiment.lessons}
    for name, player in players.items():
        if set(games.get(name, {}).get(BEST, ())) != set(judging.opponents):
            games[name] = {BEST: _play_all(run, name, player)}
            run.save("games.json", games)
    run.tell("judging", 1.0)
    if judging.value_kept:
        everybody = players | read_yardsticks(judging.yardsticks)
        judge_value_kept(run, everybody, positions=judging.value_kept)


def _play_all(run: Run[Experiment], name: str, player: str) -> dict[str, Any]:
    """Return a student's games against each opponent."""
    judging, counts = run.experiment.judging, {}
    for place, opponent in enumerate(judging.opponents):
        run.tell("judging", place / len(judging.opponents), f"{name} against {opponent}")
        meeting = play_match(run.experiment.game, (player, opponent), games=judging.games, seed=JUDGING,
                             backend=run.backend, opening_plies=opening_plies(run))  # fmt: skip
        counts[opponent] = write_meeting(meeting)
    return counts


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each student wins, and how often it keeps the value."""
    verdicts = run.load("verdicts.json").get(SECTION, {})
    return [
        *score_lines(load_json(run.folder / "games.json")),
        *(
            f"{name}: keeps the value in {verdict['value_kept']['value']:.2%} of positions, "
            f"in {verdict['value_kept.critical']['value']:.2%} where it matters"
            for name, verdict in verdicts.items()
        ),
    ]


def _opponents(experiment: Experiment) -> tuple[str, ...]:
    """Return whom the students will play, and who will sit the exam beside them."""
    judging = experiment.judging
    return (*judging.opponents, *(read_yardsticks(judging.yardsticks).values() if judging.value_kept else ()))


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    folders=("checkpoints",),
    opponents=_opponents,
)
