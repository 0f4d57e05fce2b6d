"""Offline learning end to end: games sampled into tables of positions, networks fitted to them, games, a report.

A run folder holds `tables/NAME/table_GAMES.parquet`, each the checkpoint from which sampling goes on (students that
differ only in how they learn share them), `fits/STUDENT_GAMES.safetensors`, networks as they stand with their errors
cycle by cycle, then `errors.json` and `games.json` with what the report shows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from understudy import __version__
from understudy.errors import BadOption
from understudy.files import load_json, make_folder
from understudy.games.batches import taken, unstacked
from understudy.games.boards import find_boards
from understudy.judges.duels import read_score, score_lines, write_meeting
from understudy.judges.measures import mean, summed
from understudy.judges.tournament import play_match
from understudy.lab.judging import opening_plies
from understudy.lab.opinions import Opinion, draw_opinions, draw_rows
from understudy.lab.options.offline import Experiment, Lesson
from understudy.lab.run import Kind, Made, Run, Step
from understudy.lab.samples import ASKED, Thinker
from understudy.lab.settings import fingerprint_of
from understudy.networks.files import save_layers
from understudy.networks.students import ONNX, ValueNetwork
from understudy.players import make_player
from understudy.records.tables import OFTEN, Tabled, load_table, save_table
from understudy.search.choosers import DRAWN, WON
from understudy.tensors import load_facts
from understudy.trainers.offline import (
    Examples,
    Fit,
    Sight,
    answers,
    error,
    fit,
    load_fit,
    save_fit,
    split,
    squares,
    valued,
)
from understudy.trainers.sampling import Sampler

TRYING, JUDGING = 30_000, 40_000
"""Seeds: the games that choose the student of a run are not those that grade it."""
TRIED = 4
"""One game is played to choose for so many that are played to grade."""
SAVING = 5.0
"""Seconds between two times of writing a network down."""
EVEN = 0.5
"""What a position is worth that neither side has the better of, from 0 to 1."""
SAMPLES = "samples.json"
LARGEST, CHOOSING = "largest sample", "games to choose by"
JUDGED = "judged.json"
"""Of each student in `games.json`: what it had learned and whom it played, as a fingerprint."""


def train_students(run: Run[Experiment]) -> None:
    """Sample and fit what is not there yet; both are done here, whatever *backend* is: each game needs the last."""
    errors: dict[str, Any] = {}
    for lesson in run.experiment.lessons:
        place = sample_tables(run, lesson)
        errors[lesson.name] = [_fitted(run, lesson, sample, place) for sample in lesson.samples]
        run.save("errors.json", errors)


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the networks that a run has fitted, or begun to."""
    for lesson in run.experiment.lessons:
        for sample in lesson.samples:
            if (path := _fit_path(run, lesson, sample)).exists():
                before = load_facts(path, "fitted network").get("fingerprint")
                yield Made(repr(str(path)), before, lesson.fingerprint(run.experiment.about, sample))


def _fit_path(run: Run[Experiment], lesson: Lesson, sample: int) -> Path:
    return run.folder / "fits" / f"{lesson.name}_{sample:05d}.safetensors"


def sample_tables(run: Run[Experiment], lesson: Lesson) -> Path:
    """Write every table of a lesson that is not there yet, going on from the last one; return their folder."""
    place = run.folder / "tables" / lesson.tables(run.experiment.about)
    make_folder(place)
    sampler = Sampler(run.experiment.game, lesson.sampling)
    last, notes = None, {**asdict(lesson.sampling), "experiment": run.experiment.name, "understudy": __version__}
    for games in lesson.snapshots:
        path = _table(place, games)
        if not path.exists():
            if last is not None and sampler.played == 0:
                sampler.resume(load_table(last)[0])
            sampler.play_until(games)
            save_table(sampler.table(), path, notes=notes)
        last = path
        run.tell(f"{lesson.name} is sampled", games / lesson.sampling.games, f"{games} games")
    return place


def _table(place: Path, games: int) -> Path:
    return place / f"table_{games:05d}.parquet"


def _fitted(run: Run[Experiment], lesson: Lesson, sample: int, place: Path) -> Any:
    """Fit a network to one table, going on where it was; return what the report says of it."""
    table, game = load_table(_table(place, sample))[0], run.experiment.game
    sight = Sight(find_boards(game.name), lesson.student.representation, game.size)
    learned, held_out = _examples(lesson, table, sample)
    state = _begun(lesson, sight.inputs)
    load_fit(_fit_path(run, lesson, sample), state, lesson.fingerprint(run.experiment.about, sample))
    _fit(run, lesson, sample, state, sight, (learned, held_out))
    if sample == lesson.samples[-1]:
        facts = _facts(run.experiment, lesson, table, state)
        layers = state.network.plain_layers()
        save_layers(_student_path(run, lesson), layers, facts, units=ONNX[lesson.network.units])
        _keep_samples(run, lesson, state, sight, held_out)
    return _entry(lesson, table, state, sight, learned, held_out)


def _student_path(run: Run[Experiment], lesson: Lesson) -> Path:
    return run.folder / f"student_{lesson.name}.onnx"


def _keep_samples(run: Run[Experiment], lesson: Lesson, state: Fit, sight: Sight, held_out: Examples) -> None:
    """Keep positions held out with what a student thinks of them and what games said, for the report."""
    counted = ~held_out.finished & (held_out.visits >= OFTEN)
    rows = np.flatnonzero(counted if counted.any() else ~held_out.finished)
    rows = rows[draw_rows(len(rows), ASKED)]
    guesses = answers(state.network, valued(held_out, sight)).numpy()[rows]
    opinions = [
        Opinion((guess >= EVEN) == (value >= EVEN), f"{guess:.2f}", f"{value:.2f} for who has just moved")
        for guess, value in zip(guesses.tolist(), held_out.values[rows].tolist(), strict=True)
    ]
    student = cast(Thinker, make_player(f"student:{_student_path(run, lesson)}", run.experiment.game))
    positions = unstacked(taken(held_out.turned[0], rows))
    samples = run.load(SAMPLES) or {"students": {}}
    samples["students"][lesson.name] = draw_opinions(student, positions, opinions, judge="the games sampled")
    run.save(SAMPLES, samples)


def _examples(lesson: Lesson, table: Tabled, sample: int) -> tuple[Examples, Examples]:
    options = lesson.examples
    learned, held_out = split(table, held_out=options.held_out, finished=options.finished, visits=options.visits,
                              seed=options.seed)  # fmt: skip
    if min(len(learned.values), len(held_out.values)) < 2:
        raise BadOption(
            f"student {lesson.name!r}: after {sample} games there are {len(learned.values)} positions to learn from "
            f"and {len(held_out.values)} to examine, too few; sample more games or leave out fewer positions"
        )
    return learned, held_out


def _begun(lesson: Lesson, inputs: int) -> Fit:
    with torch.random.fork_rng():
        torch.manual_seed(lesson.training.seed)
        return Fit(ValueNetwork(inputs, lesson.network))


def _fit(
    run: Run[Experiment], lesson: Lesson, sample: int, state: Fit, sight: Sight, sides: tuple[Examples, Examples]
) -> None:
    path, name = _fit_path(run, lesson, sample), lesson.fingerprint(run.experiment.about, sample)
    training, written = lesson.training, time.perf_counter()
    whole, learned = training.cycles * len(training.rates), sides[0]
    lessons = (valued(learned, sight), valued(sides[1], sight))

    def shown(cycle: int) -> Any:
        return valued(learned, sight, images=[training.seed, cycle]) if training.images else lessons[0]

    for cycle in fit(state, shown, *lessons, training):
        if time.perf_counter() - written > SAVING or cycle.cycle + 1 == whole:
            save_fit(path, state, name)
            written = time.perf_counter()
        note = f"{sample} games, cycle {cycle.cycle + 1}: held-out error {cycle.held_out:.4f}"
        run.tell(f"{lesson.name} learns", (cycle.cycle + 1) / whole, note)


def _entry(
    lesson: Lesson, table: Tabled, state: Fit, sight: Sight, learned: Examples, held_out: Examples
) -> dict[str, Any]:
    """Return the errors of a network that is fitted, with intervals as if positions did not hang together."""
    wrong, often = squares(state.network, valued(held_out, sight)).numpy(), held_out.visits >= OFTEN
    usual = float(learned.values.mean())
    return {
        "games": table.games, "positions": len(table.values), "once": int((table.visits == 1).sum()),
        "learned_from": len(learned.values), "learned": error(state.network, valued(learned, sight)),
        "held_out": mean(summed(wrong))._asdict(), "mean_alone": float(((held_out.values - usual) ** 2).mean()),
        "often": mean(summed(wrong[often]))._asdict(),
        "often_mean_alone": float(((held_out.values[often] - usual) ** 2).mean()) if often.any() else None,
        "over": mean(summed(wrong[held_out.finished]))._asdict(),
        "going_on": mean(summed(wrong[~held_out.finished]))._asdict(),
        "going_on_mean_alone": _mean_alone(learned, held_out),
        "rates": list(lesson.training.rates), "cycles": [cycle.cycle for cycle in state.cycles],
        "learned_curve": [cycle.learned for cycle in state.cycles],
        "held_out_curve": [cycle.held_out for cycle in state.cycles],
        "results": table.results.tolist(),
    }  # fmt: skip


def _mean_alone(learned: Examples, held_out: Examples) -> float | None:
    """Return the error of always saying the mean, where games go on."""
    shown, asked = learned.values[~learned.finished], held_out.values[~held_out.finished]
    return float(((asked - shown.mean()) ** 2).mean()) if len(shown) and len(asked) else None


def _facts(experiment: Experiment, lesson: Lesson, table: Tabled, state: Fit) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    game = experiment.game
    return {
        "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "kind": "single", "name": lesson.name,
        "representation": lesson.student.representation, "depth": 1,
        "finished_by_rules": lesson.student.finished_by_rules, "hidden": list(lesson.network.hidden),
        "experiment": experiment.name, "understudy": __version__, "method": "offline",
        "teacher": f"{lesson.sampling.sampler} v {lesson.sampling.opponent}", "games": table.games,
        "boards": len(table.values), "fingerprint": lesson.fingerprint(experiment.about, table.games),
        "weights": sum(weight.numel() for weight in state.network.parameters()),
    }  # fmt: skip


def judge_students(run: Run[Experiment]) -> None:
    """Let the student of every lesson's largest sample play its opponents; what is still true of it stays.

    Errors on different tables cannot be compared, so whoever scores most in games of its own becomes `student.onnx`.
    """
    judging, lessons, games = run.experiment.judging, run.experiment.lessons, run.load("games.json")
    stamps = run.load(JUDGED)
    for place, lesson in enumerate(lessons):
        run.tell("judging", place / len(lessons), lesson.name)
        learned = lesson.fingerprint(run.experiment.about, lesson.samples[-1])
        plies = () if judging.opening_plies is None else (judging.opening_plies,)  # as it was before there was a choice
        stamp = fingerprint_of(learned, judging.opponents, judging.games, *plies)
        if lesson.name in games and stamps.get(lesson.name) == stamp:
            continue
        games[lesson.name] = {
            LARGEST: _scores(run, lesson, seed=JUDGING, games=judging.games),
            CHOOSING: _scores(run, lesson, seed=TRYING, games=max(2, judging.games // TRIED)),
        }
        run.save("games.json", games)
        run.save(JUDGED, stamps := stamps | {lesson.name: stamp})
    run.tell("judging", 1.0)
    best = max((lesson.name for lesson in lessons), key=lambda name: _points(games[name]))
    run.keep_student(best, by_games=True)


def _scores(run: Run[Experiment], lesson: Lesson, *, seed: int, games: int) -> dict[str, Any]:
    """Return what a student scores against each opponent."""
    game, student = run.experiment.game, f"student:{_student_path(run, lesson)}"
    return {
        opponent: write_meeting(
            play_match(
                game, (student, opponent), games=games, seed=seed, backend=run.backend,
                opening_plies=opening_plies(run),
            )
        )
        for opponent in run.experiment.judging.opponents
    }  # fmt: skip


def _points(sets: Any) -> float:
    """Return the share of points in the games to choose by, a draw being half of one."""
    scores = [read_score(counts) for counts in sets[CHOOSING].values()]
    points = sum(score.first[WON] + score.second[WON] + 0.5 * (score.first[DRAWN] + score.second[DRAWN])
                 for score in scores)  # fmt: skip
    return points / max(sum(score.games for score in scores), 1)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: how wrong each student is, and what it wins."""
    errors: dict[str, Sequence[Any]] = load_json(run.folder / "errors.json")
    lines = [
        f"{name}: error {entries[-1]['held_out']['value']:.4f} on positions held out, {entries[-1]['learned']:.4f} on "
        f"those learned from; always saying the mean: {entries[-1]['mean_alone']:.4f}"
        for name, entries in errors.items()
    ]
    return [*lines, *score_lines(load_json(run.folder / "games.json"))]


KIND = Kind(
    steps=(Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    folders=("fits",),
    opponents=lambda experiment: experiment.judging.opponents,
)
