"""Evolution: complete games of networks a second, how they scale over workers, and what a cluster costs.

The thesis's 62 slaves did about 3 games a second. `python -m benchmarks workers` measures generations with 1, 2, 4 and
8 workers, `python -m benchmarks scale` what the driver of ten thousand does; both are for docs/scale.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.table import Line, best_rate
from understudy.backends import Local, close, make_backend
from understudy.games.rules import moves, play
from understudy.kernels import kernel
from understudy.protocols import Backend
from understudy.search.choosers import choose
from understudy.search.evaluators import begin, follow, judge
from understudy.search.workspace import NODES
from understudy.trainers.evolution import make_evolver
from understudy.trainers.evolution.arena import Stage, play_timed, ready_for
from understudy.trainers.evolution.evolver import TrainerOptions

POPULATION = 62
"""Groups of four, and so tasks, of a measured generation, as in the thesis: 372 games."""
STAGE = Stage(game="lines_of_action", size=(8, 8))


def lines() -> Iterator[Line]:
    generation(Local(1), 4)  # compiled before any watch runs
    one, two = (max(_rate(Local(workers)) for _ in range(2)) for workers in (1, 2))
    yield Line("3-ply games of random 100-20-1 networks, 2 cores", two, "games/s", "the limit", 60.0)
    yield Line("from one local worker to two", two, "games/s", "1 worker", one, 1.8)
    ray = make_backend("ray", workers=2)
    try:
        generation(ray, 4)
        yield Line("Ray on the same two cores", max(_rate(ray) for _ in range(2)), "games/s", "local", two, 0.85)
    finally:
        close(ray)
    yield profile()


def profile() -> Line:
    """Compare the positions a second of whole games with those of the network alone: the ratio is its share of time."""
    ready = ready_for(STAGE, np.random.default_rng(7))
    rng = np.random.default_rng(7)
    pair = [STAGE.looking(rng.uniform(-1, 1, STAGE.plan().length)) for _ in range(2)]
    positions, met = 0, list[Any]()
    seconds = 0.0
    for _ in range(2):  # the first game compiles
        positions, seconds, met = 0, 0.0, [ready.game.start()]
        while ready.game.outcome(met[-1]) is None and len(met) <= STAGE.limit:
            watch = time.process_time()
            place = choose(pair[len(met) & 1], met[-1], ready.room)
            seconds += time.process_time() - watch
            positions += int(ready.room.workspace["tally"][NODES])
            met.append(ready.game.play(met[-1], int(ready.room.codes[place])))
    middle, codes = met[len(met) // 2], np.zeros(ready.game.most_moves, np.int32)
    alone = best_rate(lambda: _judge_all(pair[0].evaluator, middle, codes, 2000) / 1e6, clock=time.process_time)
    what = f"positions of such a game ({positions} in {len(met) - 1} plies)"
    return Line(what, positions / seconds / 1e6, "million/s and core", "the network alone", alone, 0.0)


@kernel
def _judge_all(evaluator: Any, position: Any, codes: Any, repeats: int) -> int:
    """Judge what every move leads to, as a search does at its leaves; return how many positions that were."""
    begin(evaluator, position)
    width = moves(position, codes)
    for _ in range(repeats):
        for i in range(width):
            follow(evaluator, position, codes[i], 0)
            judge(evaluator, play(position, codes[i]), False, 1)
    return width * repeats


class Spent(NamedTuple):
    """What a generation took: in all, and its tasks, added up and the longest."""

    seconds: float
    games: int
    work: float
    longest: float


def _rate(backend: Backend) -> float:
    spent = generation(backend, POPULATION)
    return spent.games / spent.seconds


def generation(backend: Backend, population: int) -> Spent:
    """Play one generation of the thesis's algorithm from random weights."""
    evolver = make_evolver(STAGE, TrainerOptions(population=population, seed=7))
    began = time.perf_counter()
    tasks = []
    while (task := evolver.ask()) is not None:
        tasks.append(task)
    told = list(backend.map(play_timed, tasks))
    noted: Any = None
    for one in told:
        noted = evolver.tell(one.result) or noted
    seconds = [one.seconds for one in told]
    return Spent(time.perf_counter() - began, noted["games"], sum(seconds), max(seconds))
