"""The cost of a generation over workers, and the model of appendix A fitted to it: figures for docs/scale.md.

A generation of n tasks on P workers takes T = x n / P + y (1 - 1 / P) / 2 + t n: x is what a task costs a worker, y
what the slowest does (while it ends, the others wait), t what a task costs the one driver (breeding, sending,
receiving). On a machine with fewer cores than workers, P stops at the cores. In the thesis there is a task for each
worker, so T = y + t P.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from benchmarks.bench_evolution import POPULATION, Spent, generation
from benchmarks.table import Line
from understudy.backends import close, make_backend

WORKERS = (1, 2, 4, 8)
THESIS, MANY = 62, 10_000
GAMES = 6
"""Of a task: three matches."""


def lines() -> Iterator[Line]:
    for name in ("local", "ray"):
        _fit(name, {workers: _measured(name, workers) for workers in WORKERS})
    yield from ()


def _measured(name: str, workers: int) -> Spent:
    backend = make_backend(name, workers=workers)
    try:
        generation(backend, 2 * max(workers, 4))  # every worker has loaded its kernels before any watch runs
        spent = min((generation(backend, POPULATION) for _ in range(2)), key=lambda spent: spent.seconds)
    finally:
        close(backend)
    rate = spent.games / spent.seconds
    print(f"{name}, {workers} workers: {POPULATION} tasks take {spent.seconds:.2f} s, {rate:.1f} games/s", flush=True)
    return spent


def _fit(name: str, measured: dict[int, Spent]) -> None:
    """Print what a task costs a worker and the driver, and what larger clusters would need."""
    cores, alone = os.cpu_count() or 1, measured[1]
    task, slowest = alone.work / POPULATION, alone.longest
    left = [
        spent.seconds - alone.work / min(workers, cores) - slowest * (1 - 1 / min(workers, cores)) / 2
        for workers, spent in measured.items()
    ]
    driver = max(float(np.mean(left)) / POPULATION, 0.0)
    told = f"{1e3 * task:.0f} ms of a worker (the slowest {1e3 * slowest:.0f})"
    print(f"{name}: a task costs {told} and {1e3 * driver:.2f} ms of the driver")
    for workers in (THESIS, MANY):
        seconds = slowest + workers * driver
        speed = workers * task / seconds
        print(f"{name}, predicted for {workers} workers with a task each: {seconds:.2f} s a generation, "
              f"{GAMES * workers / seconds:.0f} games/s, {speed:.0f} times one worker")  # fmt: skip
