"""What one driver does for each task, for 62 workers and for ten thousand: time, bytes, and the files it keeps.

Workers are simulated and answer at once, so all that is left is the driver: handing out, listening, keeping deadlines.
Times are those of a core (`time.process_time`), the best of a few rounds. What Ray adds is measured with Ray itself and
tasks that do nothing.
"""

from __future__ import annotations

import importlib.util
import pickle
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.simulated_workers import World, simulate
from understudy.backends import close, make_backend
from understudy.backends.crews import Work
from understudy.backends.ray import RayCrew
from understudy.backends.shared import make_packer
from understudy.protocols import Crew
from understudy.search.evaluators.chromosome import NetworkOptions
from understudy.trainers.evolution import make_evolver
from understudy.trainers.evolution.arena import Finished, Meeting, Stage, Task, Timed, nonsense, play_timed
from understudy.trainers.evolution.evolver import KINDS, Evolver, TrainerOptions

WORKERS = (62, 1_000, 10_000)
"""The thesis's cluster, and larger ones."""
GOAL, LARGEST = 0.1, 35_000
"""Milliseconds of the driver for a task, and bytes of a child's message."""
ROUNDS = 3
PAPER = Stage(game="lines_of_action", size=(8, 8))
"""The thesis's network of 2041 alleles."""
OURS = Stage(
    game="lines_of_action", size=(8, 8),
    network=NetworkOptions(
        inputs=("sides", "quads", "enemy_quads", "shape", "mobility", "threats", "turn"), hidden=24, both=True
    ),
)  # fmt: skip
"""The largest network of the experiment `lines_of_action_evolved`."""
LAGS = (8, 1_000, 10_000)
EMPTY_TASKS = 1_000


def lines() -> Iterator[str]:
    for workers, spent in _driver().items():
        told = f"{spent:.3f} ms a task (goal: under {GOAL})"
        yield f"driver, {workers} simulated workers: {told}  {_verdict(spent < GOAL)}"
    for kind, measured in _evolution().items():
        told = ", ".join(f"{workers}: {spent:.3f}" for workers, spent in measured.items())
        yield f"driver with breeding, trainer {kind!r}, ms a task by simulated workers: {told}"
    messages, generations = _messages()
    for name, size in messages.items():
        yield f"message to a worker, {name}: {size} bytes (goal: under {LARGEST})  {_verdict(size < LARGEST)}"
    for name, size in generations.items():
        yield f"a generation of 62, once to each machine, {name}: {size} bytes"
    for lag, file in _files().items():
        yield f"file of the steady trainer, {lag} children under way: {file['bytes']} bytes, {file['rows']} chromosomes"
    if (spent := _ray()) is not None:
        yield f"driver with Ray, two workers, tasks that do nothing: {spent:.2f} ms a task"


def facts() -> dict[str, Any]:
    """Return the same by names; milliseconds and bytes."""
    messages, generations = _messages()
    return {
        "driver": _driver(), "evolution": _evolution(), "messages": messages, "generations": generations,
        "largest": max(messages.values()), "files": _files(), "ray": _ray(),
    }  # fmt: skip


def _verdict(good: bool) -> str:
    return "ok" if good else "MISSED"


def _best(step: Callable[[], None], steps: int) -> float:
    """Return the milliseconds of a step in the best of some rounds."""
    spent = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(steps):
            step()
        spent.append(time.process_time() - began)
    return 1e3 * min(spent) / steps


def _crew(workers: int, task: Callable[[Any], Any], answer: Any) -> Crew[Any, Any]:
    """Return a crew of simulated workers, all of whom answer the same."""
    team = simulate(World(workers, work=lambda *given: (answer, None)))
    return RayCrew(Work(task, nonsense if task is play_timed else None), team)


def _driver() -> dict[int, float]:
    """Return the milliseconds of a task that is a number, by workers, when all have something to do."""
    measured = {}
    for workers in WORKERS:
        with _crew(workers, abs, 0) as crew:

            def step(crew: Crew[Any, Any] = crew) -> None:
                crew.send(0)
                crew.receive()

            for _ in range(2 * workers):
                crew.send(0)
            measured[workers] = _best(step, 20_000)
    return measured


def _evolution() -> dict[str, dict[int, float]]:
    """Return the milliseconds of a task of each trainer, breeding and telling included, by workers."""
    match = Meeting(1, 30, -1, 31)
    trial = Timed((match,) * 4, 0.2)
    final = Timed(Finished(1, ((0, 1, 1, 3, *match), (2, 3, 0, 3, *match), (1, 2, 0, 3, *match))), 0.2)
    return {
        kind: {workers: _evolve(kind, workers, final if kind == "thesis" else trial) for workers in WORKERS}
        for kind in KINDS
    }


def _evolve(kind: str, workers: int, answer: Timed) -> float:
    evolver = make_evolver(PAPER, _options(kind, population=workers, lag=workers))
    with _crew(workers, play_timed, answer) as crew:

        def step() -> None:
            _ask_all(evolver, crew.send)
            evolver.tell(crew.receive().result)

        for _ in range(workers):  # until everybody has been hired
            step()
        return _best(step, max(workers, 2_000))


def _ask_all(evolver: Evolver, send: Callable[[Task], None]) -> None:
    while (task := evolver.ask()) is not None:
        send(task)


def _options(kind: str, **options: Any) -> TrainerOptions:
    return TrainerOptions(kind=kind, opponents=("random",), famous=3, seed=7, **options)


def _messages() -> tuple[dict[str, int], dict[str, int]]:
    """Return the bytes of a task by trainer and network, and of what the tasks of a generation share."""
    pack, sizes, generations = make_packer(), {}, {}
    for name, stage in (("the thesis's network", PAPER), ("our network", OURS)):
        for kind in KINDS:
            content, shared = pack(make_evolver(stage, _options(kind, population=62)).ask())
            sizes[f"{kind}, {name}"] = len(content)
            if kind == "thesis":
                generations[name] = len(pickle.dumps(shared[0].value))
    return sizes, generations


def _files() -> dict[int, dict[str, int]]:
    """Return what the steady trainer keeps with a population of 62, by how many children are under way."""
    kept = {}
    for lag in LAGS:
        arrays = _evolve_by_chance(lag).arrays()
        rows = sum(len(arrays[name]) for name in ("population", "hall", "others"))
        kept[lag] = {"bytes": sum(array.nbytes for array in arrays.values()), "rows": rows}
    return kept


def _evolve_by_chance(lag: int) -> Evolver:
    """Return a trainer after many matches with chance results: as children are kept then, parents give way."""
    evolver, rng = make_evolver(PAPER, _options("steady", population=62, lag=lag)), np.random.default_rng(0)
    for _ in range(2 * lag + 620):
        _ask_all(evolver, lambda task: None)
        evolver.tell(tuple(Meeting(*match) for match in rng.integers(-1, 2, (4, 4))))
    return evolver


def _ray() -> float | None:
    """Return the milliseconds of a core that driver and Ray use in its process for a task that does nothing."""
    if importlib.util.find_spec("ray") is None:
        return None
    backend = make_backend("ray", workers=2)
    try:
        list(backend.map(abs, range(EMPTY_TASKS)))
        return _best(lambda: [None for _ in backend.map(abs, range(EMPTY_TASKS))] and None, 1) / EMPTY_TASKS
    finally:
        close(backend)
