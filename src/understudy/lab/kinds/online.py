"""Online learning end to end: pupils play and learn, their snapshots are tried, the best of them judged, a report.

A run folder holds for each pupil `pupils/NAME_REPEAT/training.safetensors`, from which a stopped training goes on, and
its snapshots; then `curves.json`, `snapshots.json` and `games.json` with what the report shows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy import __version__
from understudy.backends import Local
from understudy.errors import BadOption
from understudy.files import load_json, make_folder, save_json
from understudy.judges.tournament import NOTHING, Score, added, play_duel, score_lines
from understudy.lab.exams import judge_value_kept
from understudy.lab.options.online import Experiment, Lesson
from understudy.lab.run import Kind, Made, Progress, Run, Show, Step
from understudy.networks.files import save_layers
from understudy.players.choosers import make_chooser
from understudy.players.names import former_name
from understudy.search.evaluators.sigmoid import layers
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.online.lessons import MOST, WHEN, WINDOW
from understudy.trainers.online.pupils import COLOURS, Pupil, layer_sizes, make_chooser_of

TRYING, JUDGING = 30_000, 40_000
"""Seeds: the games that choose a snapshot are not those that grade it, and neither were learned from."""
SLICE = 0.5
"""Seconds of learning between two looks at whether to stop."""
POINTS = 100
"""Points of a curve."""
TEACHER = "teacher"
STATE = "training.safetensors"
"""A training as it stands."""


class Job(NamedTuple):
    """One training."""

    lesson: Lesson
    repeat: int

    def folder(self, run: Path) -> Path:
        """Return where it is kept."""
        return run / "pupils" / f"{self.lesson.name}_{self.repeat}"


def train_students(run: Run[Experiment]) -> None:
    """Train every pupil, as many at once as there are cores here; those of an earlier run go on or are done.

    Pupils learn in threads whatever *backend* is: they are stopped at any moment, and keep their state in files here.
    """
    experiment, folder, show = run.experiment, run.folder, run.show
    for _ in _stoppable(lambda job, stop: _train(experiment, job, folder, show, stop), _jobs(experiment)):
        pass
    save_json(
        folder / "curves.json", {lesson.name: _curve(experiment, lesson, folder) for lesson in experiment.lessons}
    )


def _jobs(experiment: Experiment) -> list[Job]:
    return [Job(lesson, repeat) for lesson in experiment.lessons for repeat in range(lesson.training.repeats)]


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the trainings that a run has begun."""
    experiment, folder = run.experiment, run.folder
    for job in _jobs(experiment):
        place = job.folder(folder)
        if (state := place / STATE).exists():
            found = load_facts(state, "training").get("fingerprint")
            yield Made(repr(str(place)), found, job.lesson.fingerprint(experiment.about, job.repeat))


def _stoppable(task: Callable[[Any, threading.Event], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield results of many threads; whoever leaves early, by Ctrl-C too, tells them to stop."""
    stop = threading.Event()
    try:
        yield from Local().map(lambda item: task(item, stop), items)
    finally:
        stop.set()


def _train(experiment: Experiment, job: Job, folder: Path, show: Show, stop: threading.Event) -> None:
    place = job.folder(folder)
    make_folder(place / "snapshots")
    pupil, name = _pupil(experiment, job), job.lesson.fingerprint(experiment.about, job.repeat)
    state = place / STATE
    pupil.resume(state, name)
    training, size, began = job.lesson.training, 20, time.perf_counter()
    while pupil.played < training.games and not stop.is_set():
        until = min((pupil.played // training.snapshot + 1) * training.snapshot, training.games)
        before, clock = pupil.played, time.perf_counter()
        pupil.learn_until(min(until, pupil.played + size))
        spent = time.perf_counter() - clock
        size = max(1, min(int((pupil.played - before) * SLICE / max(spent, 1e-6)), 4 * size))
        show(Progress(f"{place.name} learns", pupil.played / training.games, _told(pupil, time.perf_counter() - began)))
        if pupil.played == until:
            save_arrays(place / "snapshots" / f"{until:09d}.safetensors", {"weights": pupil.network.weights},
                        facts(experiment, job.lesson, games=until))  # fmt: skip
            pupil.save(state, name)


def _told(pupil: Pupil, seconds: float) -> str:
    if not len(pupil.progress.results):
        return f"{pupil.played} games in {seconds:.0f} s"
    last = pupil.progress.results[max(0, pupil.played - 1000) : pupil.played]
    return f"{pupil.played} games in {seconds:.0f} s, {last.mean():.0%} of the last thousand won"


def _pupil(experiment: Experiment, job: Job) -> Pupil:
    return Pupil(experiment.game, job.lesson.student, job.lesson.training, repeat=job.repeat)


def facts(experiment: Experiment, lesson: Lesson, **more: Any) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    game, student, training = experiment.game, lesson.student, lesson.training
    return {
        "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "kind": student.structure,
        "representation": student.representation, "sizes": layer_sizes(game, student), "name": lesson.name,
        "experiment": experiment.name, "understudy": __version__, "method": training.method,
        "teacher": training.teacher if training.method == "teacher" else "itself", **more,
    }  # fmt: skip


def _curve(experiment: Experiment, lesson: Lesson, folder: Path) -> dict[str, Any]:
    """Return how many of the last hundred games each pupil of a lesson won, and when its best hundred was."""
    pupils = [_trained(experiment, Job(lesson, repeat), folder) for repeat in range(lesson.training.repeats)]
    results = [pupil.progress.results for pupil in pupils if len(pupil.progress.results) >= WINDOW]
    if not results:
        return {"games": [], "won": [], "raw": [], "best": []}
    curves = np.stack([windowed(result) for result in results])
    edges = np.linspace(0, curves.shape[1], min(POINTS, curves.shape[1]) + 1).astype(int)
    smooth = np.stack([curves[:, a:b].mean(axis=1) for a, b in pairwise(edges)], axis=1)
    marks = [pupil.progress.marks for pupil in pupils]
    return {
        "games": (edges[1:] + WINDOW - 1).tolist(), "won": smooth.round(4).tolist(),
        "raw": curves[0, edges[1:] - 1].round(4).tolist(),
        "best": [{"won": int(mark[MOST]) / WINDOW, "game": int(mark[WHEN])} for mark in marks],
    }  # fmt: skip


def windowed(results: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the share won of each hundred consecutive games."""
    total = np.concatenate([[0], np.cumsum(results, dtype=np.int64)])
    share: NDArray[np.float64] = (total[WINDOW:] - total[:-WINDOW]) / WINDOW
    return share


def _trained(experiment: Experiment, job: Job, folder: Path) -> Pupil:
    pupil, path = _pupil(experiment, job), job.folder(folder) / STATE
    if not pupil.resume(path, job.lesson.fingerprint(experiment.about, job.repeat)):
        raise BadOption(f"{str(path)!r} does not hold this training; run `understudy train` first")
    return pupil


def judge_students(run: Run[Experiment]) -> None:
    """Try the snapshots, choose the best of each lesson, and let it play whom the experiment names."""
    experiment, folder, show = run.experiment, run.folder, run.show
    tried = run.load("snapshots.json")
    for lesson in experiment.lessons:
        if lesson.name not in tried:
            tried[lesson.name] = _try_snapshots(experiment, lesson, folder, show)
            run.save("snapshots.json", tried)
    games = run.load("games.json")
    for lesson in experiment.lessons:
        if lesson.name not in games:
            games[lesson.name] = _judge(experiment, lesson, folder, tried[lesson.name], show)
            run.save("games.json", games)
    for teacher in dict.fromkeys(lesson.training.teacher for lesson in experiment.lessons):
        if teacher not in games:
            chooser = make_chooser(teacher, experiment.game)
            games[teacher] = {TEACHER: _play_all(experiment, chooser, teacher, show)}
            run.save("games.json", games)
    run.keep_student(_export_all(experiment, folder, tried))
    if experiment.judging.value_kept:
        _judge_value_kept(run)


def _try_snapshots(experiment: Experiment, lesson: Lesson, folder: Path, show: Show) -> list[dict[str, Any]]:
    """Return for each snapshot that is tried its repeat, its games, and the share it wins against each opponent."""
    files = [
        (repeat, file)
        for repeat in range(lesson.training.repeats)
        for file in _some(sorted((Job(lesson, repeat).folder(folder) / "snapshots").glob("*.safetensors")), experiment)
    ]
    judging, found = experiment.judging, []

    def attempt(item: tuple[int, Path], stop: threading.Event) -> dict[str, Any]:
        repeat, file = item
        won, chooser = {}, make_chooser_of(experiment.game, lesson.student, load_arrays(file)[0]["weights"])
        for opponent in judging.opponents if not stop.is_set() else ():
            name = f"{lesson.name} {repeat} {file.stem} {former_name(opponent)}"
            score = play_duel(experiment.game, chooser, make_chooser(opponent, experiment.game),
                              games=judging.snapshot_games, seed=TRYING, name=name)  # fmt: skip
            won[opponent] = round(_won(lesson, score), 4)
        return {"repeat": repeat, "games": int(file.stem), "won": won}

    for entry in _stoppable(attempt, files):
        found.append(entry)
        show(Progress(f"{lesson.name}: trying snapshots", len(found) / len(files)))
    return found


def _won(lesson: Lesson, score: Score) -> float:
    """Return the share of games won; a pupil of one colour is asked for that colour alone."""
    colour = lesson.student.colour
    measure = score.won() if colour == "either" else score.won_as(COLOURS.index(colour))
    return measure.value or 0.0


def _some(files: list[Path], experiment: Experiment) -> list[Path]:
    """Return so many files as are to be tried, evenly chosen, the last among them."""
    wanted = max(experiment.judging.snapshots, 1)
    if len(files) <= wanted:
        return files
    return [files[place] for place in np.linspace(len(files) - 1, 0, wanted).astype(int)[::-1]]


def chosen_snapshot(experiment: Experiment, tried: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the snapshot that did best against the opponents that the experiment chooses by."""
    return max(tried, key=lambda entry: worth(experiment, entry))


def worth(experiment: Experiment, entry: dict[str, Any]) -> float:
    """Return what one snapshot won against the opponents that the experiment chooses by."""
    return sum(float(entry["won"][opponent]) for opponent in experiment.judging.choose_by)


def _judge(
    experiment: Experiment, lesson: Lesson, folder: Path, tried: list[dict[str, Any]], show: Show
) -> dict[str, Any]:
    """Return the games of the chosen weights, of the last ones and of those after the best hundred games."""
    best = chosen_snapshot(experiment, tried)
    chosen = _snapshot(Job(lesson, best["repeat"]), folder, best["games"])
    sets: dict[str, list[NDArray[np.float32]]] = {"chosen": [chosen], "last": [], "best hundred": []}
    for repeat in range(lesson.training.repeats):
        pupil = _trained(experiment, Job(lesson, repeat), folder)
        sets["last"].append(pupil.network.weights)
        if len(pupil.progress.results) >= WINDOW:
            sets["best hundred"].append(pupil.progress.best)
    return {
        name: _play_sets(experiment, lesson, name, weights, show) for name, weights in sets.items() if weights
    }  # fmt: skip


def _play_sets(
    experiment: Experiment, lesson: Lesson, name: str, sets: list[NDArray[np.float32]], show: Show
) -> dict[str, Score]:
    """Return the games of the sets of several repeats together."""
    total: dict[str, Score] = {}
    for place, weights in enumerate(sets):
        chooser = make_chooser_of(experiment.game, lesson.student, weights)
        for opponent, score in _play_all(experiment, chooser, f"{lesson.name} {name} {place}", show).items():
            total[opponent] = added(total.get(opponent, NOTHING), score)
    return total


def _snapshot(job: Job, folder: Path, games: int) -> NDArray[np.float32]:
    path = job.folder(folder) / "snapshots" / f"{games:09d}.safetensors"
    weights: NDArray[np.float32] = load_arrays(path)[0]["weights"]
    return weights


def _play_all(experiment: Experiment, chooser: Any, name: str, show: Show) -> dict[str, Any]:
    judging, found = experiment.judging, {}
    for place, opponent in enumerate(judging.opponents):
        show(Progress("judging", place / len(judging.opponents), f"{name} against {opponent}"))
        rival = make_chooser(opponent, experiment.game)
        found[opponent] = play_duel(experiment.game, chooser, rival, games=judging.games, seed=JUDGING,
                                    name=former_name(name))  # fmt: skip
    show(Progress("judging", 1.0, name))
    return found


def _export_all(experiment: Experiment, folder: Path, tried: dict[str, Any]) -> str:
    """Write the chosen weights of each lesson as a student; return the name of the best."""
    found = {}
    for lesson in experiment.lessons:
        best = chosen_snapshot(experiment, tried[lesson.name])
        found[lesson.name] = worth(experiment, best)
        weights = _snapshot(Job(lesson, best["repeat"]), folder, best["games"])
        told = facts(experiment, lesson, games=best["games"], repeat=best["repeat"], weights=len(weights))
        save_layers(folder / f"student_{lesson.name}.onnx", layers(told["sizes"], weights), told)
    return max(found, key=lambda name: found[name])


def _judge_value_kept(run: Run[Experiment]) -> None:
    """Compare the chosen students, and the teacher beside them, with perfect play."""
    names = [lesson.name for lesson in run.experiment.lessons]
    players = {name: f"student:{run.folder / f'student_{name}.onnx'}" for name in names}
    judge_value_kept(run, players, positions=run.experiment.judging.value_kept)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each student wins against whom."""
    folder = run.folder
    return score_lines(load_json(folder / "games.json"))


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
)
