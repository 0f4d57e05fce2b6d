"""Values by watching, end to end: records, networks inside the search that learn what positions are worth, games.

A run folder holds `records.parquet`, `student_NAME.safetensors`, then `held_out.json` (how near each comes to what
positions of games held out are worth) and `games.json` with what the report shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy import __version__
from understudy.files import load_json
from understudy.judges.duels import read_score, score_lines, write_meeting
from understudy.judges.tournament import play_match
from understudy.judges.worths import grade_worths
from understudy.lab.glimpses import Glimpses, draw_random
from understudy.lab.judging import SECTION, judge_value_kept, opening_plies
from understudy.lab.options.imitation import sources_of
from understudy.lab.options.valued import Experiment, Lesson, check_teacher, opponents_of
from understudy.lab.run import Kind, Made, Run, Step
from understudy.lab.settings import fingerprint_of, read_yardsticks, same_board
from understudy.lab.watching import RECORDS, keep_records
from understudy.networks.evaluators import EvaluatorNetwork, show
from understudy.players.evolved import load_evolved, save_evolved
from understudy.players.searcher import Searcher, SearcherOptions
from understudy.records.store import Records, load
from understudy.records.worths import WEIGHED, check_worths, known_worths, split_games, worths_of
from understudy.search.choosers import DRAWN, WON
from understudy.search.evaluators import appraise, find_evaluator
from understudy.search.evaluators.chromosome import express, make_plan
from understudy.tensors import load_facts
from understudy.trainers.checkpoints import resume, save_checkpoint
from understudy.trainers.fitting import Epoch, Learning, begin
from understudy.trainers.worths import (
    WorthExam,
    WorthLesson,
    make_weighed_lesson,
    make_worth_exam,
    make_worth_lesson,
    train_worths,
)

TRYING, JUDGING = 30_000, 40_000
"""Seeds: the games that choose the student of a run are not those that grade it."""
TRIED = 4
"""One game is played to choose for so many that are played to grade."""
BEST, CHOOSING = "best epoch", "to choose by"
"""Sets of games, as `games.json` calls them."""
HELD_OUT, JUDGED = "held_out.json", "judged.json"
MEAN = "always the mean"


def prepare_records(run: Run[Experiment]) -> None:
    """Keep the records of an experiment in the run folder; those with nothing to learn in them are refused."""
    ways = dict.fromkeys(lesson.examples.learn for lesson in run.experiment.lessons)

    def check(records: Records) -> None:
        for way in ways:
            check_worths(records, way)

    keep_records(run, check)


def train_students(run: Run[Experiment]) -> None:
    """Train every student that is not trained yet; the first is the run's until judging chooses."""
    records = load(run.folder / RECORDS)
    for lesson in run.experiment.lessons:
        if not _path(run, lesson).exists():
            _train(run, lesson, records)
    if not (run.folder / "student.safetensors").exists():  # until games choose
        run.keep_student(run.experiment.lessons[0].name, suffix="safetensors")


def _path(run: Run[Experiment], lesson: Lesson) -> Path:
    return run.folder / f"student_{lesson.name}.safetensors"


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the students that a run has."""
    for lesson in run.experiment.lessons:
        if (path := _path(run, lesson)).exists():
            before = load_facts(path, "student").get("fingerprint")
            yield Made(repr(str(path)), before, lesson.fingerprint(run.experiment.about))


def _train(run: Run[Experiment], lesson: Lesson, records: Records) -> None:
    network = EvaluatorNetwork(make_plan(run.experiment.game, lesson.network), seed=lesson.training.seed)
    shown, exam = _prepare(network, lesson, records)
    learning, name = begin(network, lesson.training), lesson.fingerprint(run.experiment.about)
    path = run.folder / "checkpoints" / f"{lesson.name}.safetensors"
    resume(path, learning, name)
    run.forget_epochs(lesson.name, "value", learning.epoch)
    look = _make_look(run, lesson, learning)
    later = len(run.experiment.lessons) - run.experiment.lessons.index(lesson)
    for event in train_worths(learning, shown, exam, run.allot(learning, lesson.training, among=later)):
        note = ""
        if isinstance(event, Epoch):
            run.log({"student": lesson.name, "network": "value", **event._asdict()})
            save_checkpoint(path, learning, name)
            note = f"epoch {event.epoch + 1}: {event.validation_accuracy:.1%} explained"
            look()
        run.tell(f"{lesson.name} learns", event.done, note)
    facts = _facts(run.experiment, lesson, len(shown.worths), learning)
    save_evolved(_path(run, lesson), network.alleles(), network=lesson.network, facts=facts)


def _prepare(network: EvaluatorNetwork, lesson: Lesson, records: Records) -> tuple[WorthLesson, WorthExam]:
    """Return the positions that a network learns from, and those that it is examined on while it does."""
    worths, sides = worths_of(records, lesson.examples.learn), split_games(records, seed=lesson.examples.seed)
    learned, looked_at = (rows[~np.isnan(worths[rows])] for rows in (sides["train"], sides["validation"]))
    exam = make_worth_exam(network, records.taken(looked_at), worths[looked_at])
    if lesson.examples.learn == WEIGHED:
        return make_weighed_lesson(network, records.taken(learned), seed=lesson.training.seed), exam
    return make_worth_lesson(network, records.taken(learned), worths[learned], trace=lesson.trace), exam


def _make_look(run: Run[Experiment], lesson: Lesson, learning: Learning) -> Callable[[], None]:
    """Return what writes down what a student chooses now; where a training was left, that is written down at once."""
    if not run.experiment.judging.glimpses:
        return lambda: None
    game = run.experiment.game
    glimpses = Glimpses(run, lesson.name, draw_random(game))
    glimpses.keep_scenes()
    glimpses.forget_after(learning.epoch)

    def look() -> None:
        evaluator = express(learning.unit.plan, learning.unit.alleles())
        options, rng = SearcherOptions(depth=lesson.student.depth), np.random.default_rng(0)
        player = Searcher(game, options, name=lesson.name, rng=rng, evaluator=evaluator)
        glimpses.look_at_player(player, learning.epoch, "epoch")

    if glimpses.misses(learning.epoch):
        look()
    return look


def _facts(experiment: Experiment, lesson: Lesson, positions: int, learning: Learning) -> dict[str, Any]:
    """Return what a student's file says of itself."""
    game, watch = experiment.game, experiment.watch
    return {
        "game": game.name, "size": f"{game.size[0]}x{game.size[1]}", "name": lesson.name,
        "depth": lesson.student.depth, "experiment": experiment.name, "understudy": __version__, "method": "values",
        "learned": lesson.examples.learn, "teacher": watch.teacher if watch else list(experiment.records.files),
        "positions": positions, "seconds": learning.seconds, "explained": learning.best_accuracy,
        "fingerprint": lesson.fingerprint(experiment.about),
        "weights": sum(weight.numel() for weight in learning.unit.parameters()),
    }  # fmt: skip


def judge_students(run: Run[Experiment]) -> None:
    """Ask every student about positions of games held out, and let it play; what was done before stays."""
    lessons, judging = run.experiment.lessons, run.experiment.judging
    graded = [set(entry["players"]) for entry in run.load(HELD_OUT).values()]
    if not graded or not {lesson.name for lesson in lessons} <= graded[0]:
        run.save(HELD_OUT, _hold_against(run, load(run.folder / RECORDS)))
    games, stamps = run.load("games.json"), run.load(JUDGED)
    for place, lesson in enumerate(lessons):
        run.tell("judging", place / len(lessons), lesson.name)
        terms = judging.opponents, judging.games, opening_plies(run), lesson.student.depth
        stamp = fingerprint_of(lesson.fingerprint(run.experiment.about), *terms)
        if stamps.get(lesson.name) == stamp:
            continue
        games[lesson.name] = {
            BEST: _play_all(run, lesson, seed=JUDGING, games=judging.games),
            CHOOSING: _play_all(run, lesson, seed=TRYING, games=max(2, judging.games // TRIED)),
        }
        run.save("games.json", games)
        run.save(JUDGED, stamps := stamps | {lesson.name: stamp})
    run.tell("judging", 1.0)
    best = max((lesson.name for lesson in lessons), key=lambda name: _points(games[name]))
    run.keep_student(best, suffix="safetensors", by_games=True)
    if judging.value_kept:
        players = {lesson.name: f"student:{_path(run, lesson)}" for lesson in lessons}
        judge_value_kept(run, players | read_yardsticks(judging.yardsticks), positions=judging.value_kept)


def _hold_against(run: Run[Experiment], records: Records) -> dict[str, Any]:
    """Return how near students and those who do not learn come to each worth that is known of games held out."""
    table: dict[str, Any] = {}
    sides = split_games(records, seed=run.experiment.lessons[0].examples.seed)
    test = records.taken(sides["test"])
    opinions = _ask(run, test)
    for way, worths in known_worths(records).items():
        learned, asked = worths[sides["train"]], worths[sides["test"]]
        known = ~np.isnan(asked)
        if not known.any():
            continue
        said = opinions | {MEAN: np.full(len(asked), np.nanmean(learned))}
        players = {name: grade_worths(values[known], asked[known], test.games[known]) for name, values in said.items()}
        games = len(np.unique(test.games[known]))
        table[way] = {"positions": int(known.sum()), "games": games, "players": players}
    return table


def _ask(run: Run[Experiment], test: Records) -> dict[str, NDArray[Any]]:
    """Return what each student, and the game's usual evaluator, says of positions."""
    game, opinions = run.experiment.game, {}
    for lesson in run.experiment.lessons:
        network = EvaluatorNetwork(make_plan(game, lesson.network), seed=0)
        network.read(load_evolved(_path(run, lesson)).alleles)
        opinions[lesson.name] = network.appraise(show(game, network.plan, test.positions))
    usual = game.kind.usual_evaluator
    return opinions | {f"evaluator {usual}": appraise(find_evaluator(game.name, usual), test.positions)}


def _play_all(run: Run[Experiment], lesson: Lesson, *, seed: int, games: int) -> dict[str, Any]:
    """Return a student's games against each opponent."""
    game, player, counts = run.experiment.game, f"student:{_path(run, lesson)}", {}
    for opponent in run.experiment.judging.opponents:
        meeting = play_match(game, (player, opponent), games=games, seed=seed, backend=run.backend,
                             opening_plies=opening_plies(run))  # fmt: skip
        counts[opponent] = write_meeting(meeting)
    return counts


def _points(sets: Mapping[str, Any]) -> float:
    """Return the share of points in the games to choose by, a draw being half of one."""
    scores = [read_score(counts) for counts in sets[CHOOSING].values()]
    points = sum(score.first[WON] + score.second[WON] + 0.5 * (score.first[DRAWN] + score.second[DRAWN])
                 for score in scores)  # fmt: skip
    return points / max(sum(score.games for score in scores), 1)


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: how near each student comes, what it wins, what it keeps."""
    lines = [
        f"{name}: mean error {graded['error']['value']:.3f} to {way} in {entry['games']} games held out"
        for way, entry in run.load(HELD_OUT).items()
        for name, graded in entry["players"].items()
    ]
    verdicts = run.load("verdicts.json").get(SECTION, {})
    kept = [
        f"{name}: keeps the value in {one['value_kept']['value']:.2%} of positions" for name, one in verdicts.items()
    ]
    return [*lines, *score_lines(load_json(run.folder / "games.json")), *kept]


def _identity(settings: Mapping[str, Any]) -> Any:
    """Return what must not change in a run folder: the board, and where records come from."""
    return same_board(settings), sources_of(settings)


KIND = Kind(
    steps=(Step("watch", prepare_records), Step("learn", train_students), Step("judge", judge_students)),
    summary=summary,
    made=_made,
    identity=_identity,
    holds="records of ",
    folders=("checkpoints",),
    opponents=opponents_of,
    check=lambda run: check_teacher(run.experiment),
)
