"""Online learning end to end: pupils play and learn, their snapshots are tried, the best of them judged, a report.

A run folder holds for each pupil `pupils/NAME_REPEAT/training.safetensors`, from which a stopped training goes on, and
its snapshots; then `curves.json`, `snapshots.json`, `picked.json` and `games.json` with what the report shows. What is
chosen is chosen by other games than those that grade it: `snapshots.json` holds those between the snapshots of one
student, `picked.json` those between the sets of weights of all students, `games.json` those that grade.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy import __version__
from understudy.backends import Local
from understudy.errors import BadOption
from understudy.files import load_json, make_folder
from understudy.judges.duels import NOTHING, Score, added, play_duel, score_lines, write_score
from understudy.lab.judging import forget_value_kept, judge_value_kept, opening_plies
from understudy.lab.kinds.picking import Sets, pick_weights, share_won
from understudy.lab.options.online import Experiment, Lesson, rival_of
from understudy.lab.run import Kind, Made, Run, Step
from understudy.lab.settings import fingerprint_of, read_yardsticks
from understudy.networks.files import save_layers
from understudy.players.choosers import make_chooser
from understudy.players.names import former_name
from understudy.search.evaluators.sigmoid import layers
from understudy.tensors import load_arrays, load_facts, save_arrays
from understudy.trainers.online.lessons import MOST, WHEN, WINDOW
from understudy.trainers.online.pupils import PASS, Pupil, layer_sizes, make_chooser_of

TRYING, JUDGING = 30_000, 40_000
"""Seeds: the games that choose a snapshot are not those that grade it, and neither were learned from."""
SLICE = 0.5
"""Seconds of learning between two looks at whether to stop."""
FIRST = 20
"""Games of the first slice, before anybody knows how long a game takes."""
POINTS = 100
"""Points of a curve: more cannot be told apart on paper."""
TEACHER = "teacher"
CHOSEN, LAST, HUNDRED = "chosen", "last", "best hundred"
"""Sets of weights, as the report calls them: of the best snapshot, of the end, of when most of a hundred were won."""
STATE = "training.safetensors"
"""A training as it stands."""


class Job(NamedTuple):
    """One training."""

    lesson: Lesson
    repeat: int

    def folder(self, run: Path) -> Path:
        """Return where it is kept."""
        return run / "pupils" / f"{self.lesson.name}_{self.repeat}"

    def snapshots(self, run: Path) -> list[Path]:
        """Return its files of weights, the first ones first."""
        return sorted((self.folder(run) / "snapshots").glob("*.safetensors"))


def train_students(run: Run[Experiment]) -> None:
    """Train every pupil, as many at once as there are cores here; those of an earlier run go on or are done.

    Pupils learn in threads whatever *backend* is: they are stopped at any moment, and keep their state in files here.
    """
    for _ in _stoppable(lambda job, stop: _train(run, job, stop), _jobs(run.experiment)):
        pass
    run.save("curves.json", {lesson.name: _curve(run, lesson) for lesson in run.experiment.lessons})


def _jobs(experiment: Experiment) -> list[Job]:
    return [Job(lesson, repeat) for lesson in experiment.lessons for repeat in range(lesson.training.repeats)]


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the trainings that a run has begun."""
    for job in _jobs(run.experiment):
        place = job.folder(run.folder)
        if (state := place / STATE).exists():
            before = load_facts(state, "training").get("fingerprint")
            yield Made(repr(str(place)), before, job.lesson.fingerprint(run.experiment.about, job.repeat))


def _stoppable(task: Callable[[Any, threading.Event], Any], items: Iterable[Any]) -> Iterator[Any]:
    """Yield results of many threads; whoever leaves early, by Ctrl-C too, tells them to stop."""
    stop = threading.Event()
    try:
        yield from Local().map(lambda item: task(item, stop), items)
    finally:
        stop.set()


def _train(run: Run[Experiment], job: Job, stop: threading.Event) -> None:
    place = job.folder(run.folder)
    make_folder(place / "snapshots")
    pupil, name = _pupil(run.experiment, job), job.lesson.fingerprint(run.experiment.about, job.repeat)
    pupil.resume(place / STATE, name)
    training, size, began, over = job.lesson.training, FIRST, time.perf_counter(), pupil.played > 0 and run.used_up()
    while not pupil.finished and not stop.is_set() and not over:
        until = min((pupil.played // training.snapshot + 1) * training.snapshot, training.games)
        before, clock = pupil.played, time.perf_counter()
        pupil.learn_until(min(until, pupil.played + size))
        spent = time.perf_counter() - clock
        pupil.clock[0] += spent
        # No more than four times the last slice: the first of a process is slow, since it compiles.
        size = max(1, min(int((pupil.played - before) * SLICE / max(spent, 1e-6)), 4 * size))
        run.tell(f"{place.name} learns", pupil.played / training.games, _describe(pupil, time.perf_counter() - began))
        over = run.used_up()
        if pupil.played == until or pupil.finished or over:
            _keep_snapshot(run, job, pupil)


def _keep_snapshot(run: Run[Experiment], job: Job, pupil: Pupil) -> None:
    """Keep a pupil's weights of now, and all that going on needs."""
    place, experiment = job.folder(run.folder), run.experiment
    save_arrays(place / "snapshots" / f"{pupil.played:09d}.safetensors", {"weights": pupil.network.weights},
                facts(experiment, job.lesson, games=pupil.played))  # fmt: skip
    pupil.save(place / STATE, job.lesson.fingerprint(experiment.about, job.repeat))


def _describe(pupil: Pupil, seconds: float) -> str:
    """Return for whoever watches how far a pupil is."""
    if not len(pupil.results):
        return f"{pupil.played} games in {seconds:.0f} s"
    last = pupil.results[-1000:]
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
        "teacher": training.teacher if training.method == "teacher" else "itself",
        **({"finished_by_rules": True} if student.finished_by_rules else {}),
        **({"pairing": student.pairing} if student.pairing != PASS else {}), **more,
    }  # fmt: skip


def _curve(run: Run[Experiment], lesson: Lesson) -> dict[str, Any]:
    """Return how many of the last hundred games each pupil of a lesson won, and when its best hundred was."""
    pupils = [_trained(run, Job(lesson, repeat)) for repeat in range(lesson.training.repeats)]
    results = [pupil.results for pupil in pupils if len(pupil.results) >= WINDOW]
    if not results:
        return {"games": [], "won": [], "raw": [], "best": []}
    shortest = min(map(len, results))  # the clock may have ended some before others
    curves = np.stack([windowed(result[:shortest]) for result in results])
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


def _trained(run: Run[Experiment], job: Job) -> Pupil:
    pupil, path = _pupil(run.experiment, job), job.folder(run.folder) / STATE
    if not pupil.resume(path, job.lesson.fingerprint(run.experiment.about, job.repeat)):
        raise BadOption(f"{str(path)!r} does not hold this training; run `understudy train` first")
    return pupil


def judge_students(run: Run[Experiment]) -> None:
    """Try the snapshots, choose the best of each lesson, and let it play whom the experiment names.

    What was done before stays, unless it was done with other opponents.
    """
    opponents, field = set(run.experiment.judging.opponents), set(run.experiment.judging.field)
    tried, games = run.load("snapshots.json"), run.load("games.json")
    for lesson in run.experiment.lessons:
        before = tried.get(lesson.name, [{"won": ()}])
        if any(set(entry["won"]) != opponents or set(entry.get("field", ())) != field for entry in before):
            tried[lesson.name] = _try_snapshots(run, lesson)
            run.save("snapshots.json", tried)
            forget_value_kept(run, lesson.name)  # another snapshot may be the best now
    stamps = {name: fingerprint_of(chosen_snapshot(run.experiment, entries)) for name, entries in tried.items()}
    kept = pick_weights(run, CHOSEN, lambda lesson: _weights_of(run, lesson, tried[lesson.name]), stamps)
    judges: dict[str, Callable[[], Any]] = {
        lesson.name: partial(_judge, run, lesson, tried[lesson.name]) for lesson in run.experiment.lessons
    }
    teachers = dict.fromkeys(lesson.training.teacher for lesson in run.experiment.lessons)
    judges |= {teacher: partial(_judge_teacher, run, teacher) for teacher in teachers}
    for name, judge in judges.items():
        if any(set(counts) != opponents for counts in games.get(name, {"": ()}).values()):
            games[name] = {
                which: {opponent: write_score(score) for opponent, score in met.items()}
                for which, met in judge().items()
            }
            run.save("games.json", games)
    _export_all(run, tried)
    run.keep_student(kept, by_games=True)
    if run.experiment.judging.value_kept:
        _judge_value_kept(run)


def _judge_teacher(run: Run[Experiment], teacher: str) -> dict[str, Any]:
    """Return the games of a teacher, to stand beside its pupils'."""
    return {TEACHER: _play_all(run, make_chooser(teacher, run.experiment.game), teacher)}


def _try_snapshots(run: Run[Experiment], lesson: Lesson) -> list[dict[str, Any]]:
    """Return for each snapshot that is tried its repeat, its games, and the share it wins against each opponent.

    What it wins against the evaluators of the field stands apart, by their names.
    """
    game, judging = run.experiment.game, run.experiment.judging
    field = {rival_of(name): name for name in judging.field}
    files = [
        (repeat, file)
        for repeat in range(lesson.training.repeats)
        for file in _some(Job(lesson, repeat).snapshots(run.folder), judging.snapshots)
    ]
    entries: list[dict[str, Any]] = []

    def attempt(item: tuple[int, Path], stop: threading.Event) -> dict[str, Any]:
        repeat, file = item
        chooser = make_chooser_of(game, lesson.student, load_arrays(file)[0]["weights"])
        won: dict[str, float] = {}
        for opponent in dict.fromkeys((*judging.opponents, *field)) if not stop.is_set() else ():
            name = f"{lesson.name} {repeat} {file.stem} {former_name(opponent)}"
            rival = make_chooser(opponent, game)
            score = play_duel(game, chooser, rival, games=judging.snapshot_games, seed=TRYING, name=name,
                              opening_plies=opening_plies(run), choosing=True)  # fmt: skip
            won[opponent] = round(share_won(lesson, score), 4)
        shares = {opponent: won[opponent] for opponent in judging.opponents if opponent in won}
        met = {field[opponent]: won[opponent] for opponent in field if opponent in won}
        return {"repeat": repeat, "games": int(file.stem), "won": shares} | ({"field": met} if met else {})

    for entry in _stoppable(attempt, files):
        entries.append(entry)
        run.tell(f"{lesson.name}: trying snapshots", len(entries) / len(files))
    return entries


def _some(files: list[Path], most: int) -> list[Path]:
    """Return at most so many files, evenly chosen, the last among them always."""
    wanted = max(most, 1)
    if len(files) <= wanted:
        return files
    return [files[place] for place in np.linspace(len(files) - 1, 0, wanted).astype(int)[::-1]]


def chosen_snapshot(experiment: Experiment, tried: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the snapshot that did best against the opponents that the experiment chooses by."""
    return max(tried, key=lambda entry: worth(experiment, entry))


def worth(experiment: Experiment, entry: dict[str, Any]) -> float:
    """Return what one snapshot won against the opponents that the experiment chooses by."""
    return sum(float(entry["won"][opponent]) for opponent in experiment.judging.choose_by)


def _judge(run: Run[Experiment], lesson: Lesson, tried: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the games of all sets of weights of a lesson, a score for each set and opponent."""
    sets = _weights_of(run, lesson, tried)
    return {name: _play_sets(run, lesson, name, weights) for name, weights in sets.items()}


def _weights_of(run: Run[Experiment], lesson: Lesson, tried: list[dict[str, Any]]) -> Mapping[str, Sets]:
    """Return the chosen weights of a lesson, and of each of its trainings the last and those of the best hundred."""
    best = chosen_snapshot(run.experiment, tried)
    sets: dict[str, list[NDArray[np.float32]]] = {CHOSEN: [_snapshot(run, Job(lesson, best["repeat"]), best["games"])]}
    for repeat in range(lesson.training.repeats):
        pupil = _trained(run, Job(lesson, repeat))
        sets.setdefault(LAST, []).append(pupil.network.weights)
        if len(pupil.results) >= WINDOW:
            sets.setdefault(HUNDRED, []).append(pupil.progress.best)
    return sets


def _play_sets(run: Run[Experiment], lesson: Lesson, name: str, sets: Sets) -> dict[str, Score]:
    """Return the games of the sets of several repeats together."""
    total: dict[str, Score] = {}
    for place, weights in enumerate(sets):
        chooser = make_chooser_of(run.experiment.game, lesson.student, weights)
        for opponent, score in _play_all(run, chooser, f"{lesson.name} {name} {place}").items():
            total[opponent] = added(total.get(opponent, NOTHING), score)
    return total


def _snapshot(run: Run[Experiment], job: Job, games: int) -> NDArray[np.float32]:
    path = job.folder(run.folder) / "snapshots" / f"{games:09d}.safetensors"
    weights: NDArray[np.float32] = load_arrays(path)[0]["weights"]
    return weights


def _play_all(run: Run[Experiment], chooser: Any, name: str) -> dict[str, Score]:
    """Return the games of whoever is called *name* against each opponent; a chooser is any type that kernels know."""
    game, judging = run.experiment.game, run.experiment.judging
    scores = {}
    for place, opponent in enumerate(judging.opponents):
        run.tell("judging", place / len(judging.opponents), f"{name} against {opponent}")
        scores[opponent] = play_duel(game, chooser, make_chooser(opponent, game), games=judging.games, seed=JUDGING,
                                     name=former_name(name), opening_plies=opening_plies(run))  # fmt: skip
    run.tell("judging", 1.0, name)
    return scores


def _export_all(run: Run[Experiment], tried: dict[str, Any]) -> None:
    """Write the chosen weights of each lesson as a student."""
    for lesson in run.experiment.lessons:
        best = chosen_snapshot(run.experiment, tried[lesson.name])
        weights = _snapshot(run, Job(lesson, best["repeat"]), best["games"])
        about = facts(run.experiment, lesson, games=best["games"], repeat=best["repeat"], weights=len(weights))
        save_layers(run.folder / f"student_{lesson.name}.onnx", layers(about["sizes"], weights), about)


def _judge_value_kept(run: Run[Experiment]) -> None:
    """Compare the chosen students, and the teacher beside them, with perfect play."""
    judging, names = run.experiment.judging, [lesson.name for lesson in run.experiment.lessons]
    players = {name: f"student:{run.folder / f'student_{name}.onnx'}" for name in names}
    judge_value_kept(run, players | read_yardsticks(judging.yardsticks), positions=judging.value_kept)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: what each student wins against whom."""
    return score_lines(load_json(run.folder / "games.json"))


def _opponents(experiment: Experiment) -> Iterable[str]:
    """Return who will sit the exam beside the students; the others are made when the options are checked."""
    judging = experiment.judging
    return read_yardsticks(judging.yardsticks).values() if judging.value_kept else ()


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    opponents=_opponents,
)
