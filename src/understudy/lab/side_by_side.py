"""Whole runs side by side in processes of their own: what a run costs is then what its process spends meanwhile."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from queue import Empty
from typing import Any, NamedTuple

from understudy.backends import Local
from understudy.errors import BadOption, UnderstudyError
from understudy.lab.run import Progress

HEARING = 0.5
"""Seconds between two times of listening to what the processes tell."""


class Line(NamedTuple):
    """What joins a process with the one that started it."""

    news: Queue[tuple[str, Progress]]
    """Where it tells how far it is."""
    stop: Event
    """Set when nobody wants its run any more."""


_line: Line | None = None
"""A process's own end."""


class Unwanted(Exception):
    """Whoever asked for a run does not want it any more."""


class Errand(NamedTuple):
    """A run that another process does."""

    name: str
    settings: Mapping[str, Any]
    base: str
    """Where relative paths of the settings start."""
    folder: str


def run_side_by_side(
    errands: Sequence[Errand], *, workers: int, show: Callable[[str, Progress], None]
) -> Iterator[str]:
    """Yield the name of each run when it is done, by as many processes as there are *workers*."""
    # A fresh process shares nothing with this one, whose threads and kernels a fork would copy half way.
    context = multiprocessing.get_context("spawn")
    line = Line(context.Queue(), context.Event())
    cores = max(1, (os.cpu_count() or 1) // workers)
    with ProcessPoolExecutor(workers, context, _join, (line,)) as pool:
        left = {pool.submit(_do, errand, cores) for errand in errands}
        try:
            while left:
                done, left = wait(left, timeout=HEARING, return_when=FIRST_COMPLETED)
                _pass_on(line.news, show)
                yield from map(_name_of, done)
        finally:
            line.stop.set()
            # What processes have spent is known when they are gone, so it counts for the step that they worked for.
            pool.shutdown(wait=not left, cancel_futures=True)


def _join(line: Line) -> None:
    global _line  # a queue cannot be sent with a task
    _line = line
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End at once when the process is gone that asked for runs: they survive that, and nobody else would end this one.

    The pool waits for work at a pipe whose other end its processes hold, too, so it would wait for ever.
    """
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _do(errand: Errand, cores: int) -> tuple[str, str]:
    """Do a run; return its name and what is wrong with it, if anything is."""
    from understudy import lab
    from understudy.lab.experiments import make_experiment

    def show(progress: Progress) -> None:
        if _line is None or _line.stop.is_set():
            raise Unwanted
        _line.news.put((errand.name, progress))

    try:
        experiment = make_experiment(errand.name, errand.settings, folder=Path(errand.base))
        lab.run(experiment, Path(errand.folder), show=show, backend=Local(cores))
    except UnderstudyError as error:
        return errand.name, str(error)
    except Unwanted:
        return errand.name, "it was stopped"
    return errand.name, ""


def _name_of(done: Future[tuple[str, str]]) -> str:
    name, fault = done.result()
    if fault:
        raise BadOption(f"cell {name!r}: {fault}")
    return name


def _pass_on(news: Queue[tuple[str, Progress]], show: Callable[[str, Progress], None]) -> None:
    """Tell the last that was heard of each run."""
    heard: dict[str, Progress] = {}
    while True:
        try:
            name, progress = news.get_nowait()
        except Empty:
            break
        heard[name] = progress
    for name, progress in heard.items():
        show(name, progress)
