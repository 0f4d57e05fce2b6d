"""Finding the teacher end to end: evaluation functions meet random play and one another, then a report.

`[paper]` holds the published tables: `[paper.depth_2]` what row wins against column in per cent, `[paper.averages]`
what is printed of each player's averages.

The run folder holds `cells.json`, what every pair has played so far, `marks.safetensors`, by which a game is known that
repeats one of an earlier slice, and `times.json`. A match is played in slices, each with chance of its own from the
experiment's seed, its pair and its place: any number of workers plays the same games, and a run that was stopped goes
on with the next slice. Nothing here needs PyTorch, so options and steps need not
stand apart.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from understudy.config import build, check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.judges.duels import (
    NOTHING,
    Marks,
    Score,
    added,
    count_marks,
    draw_starts,
    play_marks,
    read_score,
    write_score,
)
from understudy.judges.robins import read_published
from understudy.lab.judging import count_plies
from understudy.lab.run import Kind, Made, Progress, Run, Step
from understudy.lab.settings import About, board_of, built, check_sections, same_board
from understudy.report.evaluators import summary_lines
from understudy.report.sources import load_cells, load_run
from understudy.search.choosers import Anyone, Minimax
from understudy.search.evaluators import find_evaluator
from understudy.tensors import load_arrays, load_facts, save_arrays

RANDOM = "random"
CELLS, MARKS = "cells.json", "marks.safetensors"

SLICES = {1: 10_000, 2: 2_000, 3: 250, 4: 30, 5: 4, 6: 2}
"""Games of a slice at each depth, about a second; even, so that both sides begin equally often."""

SAVING = 1.0
"""Seconds between two times of writing results down."""

LETTERS = "abcdefghijklmnopqr"
"""The evaluation functions of Thompson (2005) as it names them."""
COUNTS = ("template", "jumps")
HORIZONS = ("blind", "settled")
DEEPEST = 6
"""Plies: at seven a slice of two games would take longer than anybody waits for a stop."""

SECTIONS = ("experiment", "quick", "paper", "evaluators")


@dataclass(frozen=True, kw_only=True)
class EvaluatorsOptions:
    """The `[evaluators]` section."""

    names: str = LETTERS
    """Letters of the functions that meet random play; none for nobody."""
    depths: tuple[int, ...] = (1, 2, 3, 4)
    """Plies that minimax looks ahead; both players of a pair look equally far."""
    games: int = 1_000
    """Of each function against random play, at each depth; each side begins half of them."""
    robin: str = "ghijklmnopqr"
    """Letters of the functions that all meet one another; none for nobody."""
    robin_games: int = 1_000
    """Of each pair, at each depth."""
    counts: str = "template"
    """While at most one cell is empty: count removals as the source's program did, or `jumps` even then."""
    horizon: str = "blind"
    """A game that is over where the search ends is left to the function, or `settled` by the rules."""
    opening_plies: int | None = None
    """Random plies before the players choose, both sides of each opening; if not said, as many as the game usually has.
    0: all games begin at the plain start, as in the source."""
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A whole experiment file."""

    name: str
    about: About
    evaluators: EvaluatorsOptions
    paper: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> CompiledGame:
        """Konane on the experiment's board."""
        return board_of(self.about)


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    check_sections(settings, SECTIONS)
    about = built(About, settings, "experiment")
    if about.game != "konane":
        raise BadOption(f"experiment.game: evaluators are compared in konane alone so far, not {about.game!r}")
    options = built(EvaluatorsOptions, settings, "evaluators")
    check_options(options)
    paper = settings.get("paper", {})
    read_published(paper)
    experiment = Experiment(name=name, about=about, evaluators=options, paper=paper, settings=settings)
    assert experiment.game.name == about.game  # raises where the board has no such size
    return experiment


def check_options(options: EvaluatorsOptions) -> None:
    """Raise unless everybody named exists and there is something to play."""
    _check_letters("evaluators.names", options.names)
    _check_letters("evaluators.robin", options.robin)
    if not options.names and len(options.robin) < 2:
        raise BadOption("evaluators: nobody plays; evaluators.names or evaluators.robin must hold letters")
    if len(options.robin) == 1:
        raise BadOption(f"evaluators.robin: {options.robin!r} alone has nobody to meet")
    if not options.depths or len(set(options.depths)) < len(options.depths):
        raise BadOption(f"evaluators.depths must hold different numbers, not {list(options.depths)}")
    for depth in options.depths:
        check_range("evaluators.depths", depth, 1, DEEPEST)
    for place, games in (("games", options.games), ("robin_games", options.robin_games)):
        check_range(f"evaluators.{place}", games, 2, 10**8)
        if games % 2:
            raise BadOption(f"evaluators.{place} must be even, since each side begins half of them, not {games}")
    if options.counts not in COUNTS:
        raise UnknownName("evaluators.counts", options.counts, COUNTS)
    if options.horizon not in HORIZONS:
        raise UnknownName("evaluators.horizon", options.horizon, HORIZONS)
    check_range("evaluators.opening_plies", options.opening_plies or 0, 0, 20)
    check_range("evaluators.seed", options.seed, 0, 2**63)


def _check_letters(place: str, letters: str) -> None:
    for letter in letters:
        if letter not in LETTERS:
            raise BadOption(f"{place}: there is no evaluation function {letter!r}; there are a to r")
        if letters.count(letter) > 1:
            raise BadOption(f"{place} names {letter!r} twice")


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
    book = Book(run)
    _warm_up(run.experiment)
    for stage in stages(run.experiment):
        _play_stage(run, stage, book)


def _identity(settings: Any) -> Any:
    """Return all that decides how a game goes and how many there are."""
    board = same_board(settings)
    if board[0] != "evaluators":
        return board
    options = asdict(build(EvaluatorsOptions, settings.get("evaluators", {}), place="[evaluators]"))
    return board, {key: value for key, value in options.items() if key not in ELSEWHERE}


ELSEWHERE = ("names", "robin", "depths", "opening_plies")
"""Options in which a run folder may differ from its experiment; from where its games begin, `_made` checks."""


def _made(run: Run[Experiment]) -> Iterator[Made]:
    """Yield the games that a run has; where it keeps no marks they are older than these, and from the plain start."""
    if (path := run.folder / CELLS).exists():
        marks = run.folder / MARKS
        before = load_facts(marks, "marks of games").get("opening_plies") if marks.exists() else 0
        yield Made(repr(str(path)), before, _plies(run.experiment), "was played")


def _plies(experiment: Experiment) -> int:
    return count_plies(experiment.game, experiment.evaluators.opening_plies)


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

    def __init__(self, run: Run[Experiment]) -> None:
        self.run = run
        self.cells = load_cells(run.folder / CELLS)
        self.marks: dict[str, Marks] = {}
        if (path := run.folder / MARKS).exists():
            self.marks = dict(load_arrays(path, "marks of games")[0])
        self.times: dict[str, float] = run.load("times.json")
        self.saved = time.perf_counter()

    def score(self, pair: Pair) -> Score:
        """Return what a pair has played so far."""
        cell = read_score(self.cells.get(str(pair.depth), {}).get(pair.one, {}).get(pair.other, NOTHING))
        marks = self.marks.get(pair.name)
        # Marks are written first, so after a kill they may hold a slice that the cells do not.
        return cell if marks is None or len(marks) <= cell.games else count_marks(marks)

    def add(self, pair: Pair, marks: Marks) -> None:
        """Add a slice to what a pair has played; without the marks of all its games nobody knows which repeat."""
        before, known = self.score(pair), self.marks.get(pair.name, marks[:0])
        if len(known) == before.games:
            self.marks[pair.name] = np.concatenate([known, marks])
            total = count_marks(self.marks[pair.name])
        else:
            total = added(Score(before.first, before.second), count_marks(marks))
        self.cells.setdefault(str(pair.depth), {}).setdefault(pair.one, {})[pair.other] = write_score(total)
        if time.perf_counter() - self.saved > SAVING:
            self.save()

    def save(self) -> None:
        """Write everything, in an order that does not tell who was ready first."""
        save_arrays(self.run.folder / MARKS, _ordered(self.marks), {"opening_plies": _plies(self.run.experiment)})
        self.run.save(CELLS, _ordered(self.cells))
        self.run.save("times.json", {task: round(seconds, 2) for task, seconds in self.times.items()})
        self.saved = time.perf_counter()


def _ordered(table: Any) -> Any:
    return {key: _ordered(table[key]) for key in sorted(table)} if isinstance(table, dict) else table


def _warm_up(experiment: Experiment) -> None:
    """Compile what is needed before any clock runs."""
    for other in (RANDOM, "q"):
        _play_slice(experiment, Slice(Pair(1, "q", other, 2), 0, 2))


def _play_stage(run: Run[Experiment], stage: Stage, book: Book) -> None:
    slices = [part for pair in stage.pairs for part in _slices(pair, book.score(pair).games)]
    began, before = time.perf_counter(), book.times.get(stage.task, 0.0)
    run.show(_progress(stage, book))
    experiment = run.experiment  # a task goes to other processes, and a run with its lock and bars cannot
    try:
        # Leaving early, by Ctrl-C too, drops the slices that wait; those that are being played end within a second.
        with closing(run.backend.map(lambda part: (part, _play_slice(experiment, part)), slices)) as played:
            for part, marks in played:
                book.times[stage.task] = before + time.perf_counter() - began
                book.add(part.pair, marks)
                run.show(_progress(stage, book))
    finally:
        if slices:
            book.save()


def _slices(pair: Pair, played: int) -> Iterator[Slice]:
    step = SLICES[pair.depth]
    for first in range(played, pair.games, step):
        yield Slice(pair, first, min(step, pair.games - first))


def _play_slice(experiment: Experiment, part: Slice) -> Marks:
    """Return the marks of a slice; all pairs have the same openings, and each slice its own part of them."""
    pair, seed, first = part.pair, experiment.evaluators.seed, part.first // 2
    one, other = (make_chooser(experiment, name, pair.depth) for name in (pair.one, pair.other))
    starts = draw_starts(experiment.game, pair.games // 2, plies=_plies(experiment), seed=seed)
    return play_marks(experiment.game, one, other, games=part.games, seed=seed,
                      name=f"{pair.name}, from game {part.first}",
                      starts=starts[first : first + part.games // 2])  # fmt: skip


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
    return summary_lines(load_run(run.folder, {}))


KIND = Kind(
    steps=(Step("play", play),),
    summary=summary,
    made=_made,
    identity=_identity,
    holds="games of ",
    rival="searcher:evaluator=q,depth=4,ties=random",
)
