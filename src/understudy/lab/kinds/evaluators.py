"""Finding the teacher end to end: evaluation functions meet random play and one another, then a report.

The run folder holds `cells.json`, what every pair has played so far, and `times.json`. A match is played in slices,
each with chance of its own from the experiment's seed, its pair and its place: any number of workers plays the same
games, and a run that was stopped goes on with the next slice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from understudy.config import build
from understudy.files import load_json, save_json
from understudy.judges.tournament import NOTHING, Score, added, play_duel, read_score
from understudy.lab.options.evaluators import EvaluatorsOptions, Experiment
from understudy.lab.run import Kind, Progress, Run, Show, Step, same_board
from understudy.protocols import Backend
from understudy.report.evaluators import summary_lines
from understudy.report.sources import load_cells, load_run
from understudy.search.choosers import Anyone, Minimax
from understudy.search.evaluators import find_evaluator

RANDOM = "random"

SLICES = {1: 10_000, 2: 2_000, 3: 250, 4: 30, 5: 4, 6: 2}
"""Games of a slice at each depth, about a second; even, so that both sides begin equally often."""

SAVING = 1.0
"""Seconds between two times of writing results down."""


class Pair(NamedTuple):
    """Two players that meet."""

    depth: int
    one: str
    other: str
    games: int

    @property
    def name(self) -> str:
        """What tells this match from all others; its chance comes from it."""
        return f"depth {self.depth}: {self.one} v {self.other}"


class Stage(NamedTuple):
    """Matches that make one table, or one line of the figure."""

    task: str
    noun: str
    pairs: tuple[Pair, ...]


class Slice(NamedTuple):
    """Consecutive games of a match."""

    pair: Pair
    first: int
    games: int


def play(run: Run[Experiment]) -> None:
    """Let every pair play what it has not played yet."""
    experiment, book = run.experiment, Book(run.folder)
    _warm_up(experiment)
    for stage in stages(experiment):
        _play_stage(experiment, stage, book, run.show, run.backend)


def _identity(settings: Any) -> Any:
    """Return all that decides how a game goes and how many there are."""
    told = same_board(settings)
    if told[0] != "evaluators":
        return told
    options = asdict(build(EvaluatorsOptions, settings.get("evaluators", {}), place="[evaluators]"))
    return told, {key: value for key, value in options.items() if key not in ("names", "robin", "depths")}


def stages(experiment: Experiment) -> Iterator[Stage]:
    """Yield the matches of an experiment, shallow ones first."""
    options = experiment.evaluators
    for depth in sorted(options.depths):
        alone = tuple(Pair(depth, name, RANDOM, options.games) for name in sorted(options.names))
        robin = combinations(sorted(options.robin), 2)
        pairs = tuple(Pair(depth, one, other, options.robin_games) for one, other in robin)
        for task, noun, chosen in (("against random", "functions", alone), ("round robin", "pairs", pairs)):
            if chosen:
                yield Stage(f"{task}, depth {depth}", noun, chosen)


class Book:
    """What has been played: written down every second, and whole whenever it is written."""

    def __init__(self, folder: Path) -> None:
        self.cells_path, self.times_path = folder / "cells.json", folder / "times.json"
        self.cells = load_cells(self.cells_path)
        self.times: dict[str, float] = load_json(self.times_path) if self.times_path.exists() else {}
        self.saved = time.perf_counter()

    def score(self, pair: Pair) -> Score:
        """Return what a pair has played so far."""
        return read_score(self.cells.get(str(pair.depth), {}).get(pair.one, {}).get(pair.other, NOTHING))

    def add(self, pair: Pair, score: Score) -> None:
        """Add a slice to what a pair has played."""
        self.cells.setdefault(str(pair.depth), {}).setdefault(pair.one, {})[pair.other] = added(self.score(pair), score)
        if time.perf_counter() - self.saved > SAVING:
            self.save()

    def save(self) -> None:
        """Write everything, in an order that does not tell who was ready first."""
        save_json(self.cells_path, _ordered(self.cells))
        save_json(self.times_path, {task: round(seconds, 2) for task, seconds in self.times.items()})
        self.saved = time.perf_counter()


def _ordered(table: Any) -> Any:
    return {key: _ordered(table[key]) for key in sorted(table)} if isinstance(table, dict) else table


def _warm_up(experiment: Experiment) -> None:
    """Compile what is needed before any clock runs."""
    for other in (RANDOM, "q"):
        _play_slice(experiment, Slice(Pair(1, "q", other, 2), 0, 2))


def _play_stage(experiment: Experiment, stage: Stage, book: Book, show: Show, backend: Backend) -> None:
    slices = [part for pair in stage.pairs for part in _slices(pair, book.score(pair).games)]
    began, before = time.perf_counter(), book.times.get(stage.task, 0.0)
    show(_progress(stage, book))
    try:
        # Leaving early, by Ctrl-C too, drops the slices that wait; those that are being played end within a second.
        with closing(backend.map(lambda part: (part, _play_slice(experiment, part)), slices)) as played:
            for part, score in played:
                book.times[stage.task] = before + time.perf_counter() - began
                book.add(part.pair, score)
                show(_progress(stage, book))
    finally:
        if slices:
            book.save()


def _slices(pair: Pair, played: int) -> Iterator[Slice]:
    step = SLICES[pair.depth]
    for first in range(played, pair.games, step):
        yield Slice(pair, first, min(step, pair.games - first))


def _play_slice(experiment: Experiment, part: Slice) -> Score:
    pair, seed = part.pair, experiment.evaluators.seed
    one, other = (make_chooser(experiment, name, pair.depth) for name in (pair.one, pair.other))
    name = f"{pair.name}, from game {part.first}"
    return play_duel(experiment.game, one, other, games=part.games, seed=seed, name=name)


def make_chooser(experiment: Experiment, name: str, depth: int) -> Any:
    """Return random play, or the evaluation function of a letter behind minimax."""
    if name == RANDOM:
        return Anyone()
    options = experiment.evaluators
    suffix = "_jumps" if options.counts == "jumps" else ""
    evaluator = find_evaluator(experiment.about.game, f"{name}{suffix}")
    return Minimax(evaluator, depth, int(options.horizon == "blind"))


def _progress(stage: Stage, book: Book) -> Progress:
    played = [book.score(pair).games for pair in stage.pairs]
    ready = sum(games >= pair.games for games, pair in zip(played, stage.pairs, strict=True))
    done = sum(played) / sum(pair.games for pair in stage.pairs)
    return Progress(stage.task, min(done, 1.0), f"{ready} of {len(stage.pairs)} {stage.noun}")


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: our averages beside the published ones, and how they agree."""
    folder = run.folder
    return summary_lines(load_run(folder, {}))


KIND = Kind(
    steps=(Step("play", play),),
    summary=summary,
    identity=_identity,
    holds="games of ",
    rival="searcher:evaluator=q,depth=4,ties=random",
)
