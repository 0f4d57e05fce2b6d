"""Where players think: threads beside the event loop, so many at once and no more, in order of arrival.

Kernels and ONNX Runtime let go of Python's lock, so threads are enough. Quick questions have threads of their own: a
student answers in milliseconds, and must not wait behind somebody's search of half a minute.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame
from understudy.players import read_player
from understudy.players.looking import Halt

T = TypeVar("T")

LONGEST = 60.0
"""Seconds after which a search hears that it must end: no option of a player may hold a thread for longer."""
WAITING = 256
"""Questions that may wait for a thread; more are refused, so that a flood is answered instead of kept."""
QUICK_SECONDS, QUICK_DEPTH = 0.5, 3
"""Searches up to these limits are quick: they take no longer than a person needs to look."""


class Busy(UnderstudyError):
    """Too many questions wait already."""


class Lane:
    """A few threads that take one piece of work after another."""

    def __init__(self, name: str, threads: int) -> None:
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self.waiting = 0

    async def do(self, work: Callable[[Halt], T]) -> T:
        """Return what *work* returns; if whoever waits for it leaves, it is not begun, or hears the bell."""
        if self.waiting >= WAITING:
            raise Busy(f"{self.waiting} questions wait already; ask again in a moment")
        halt = Halt()
        self.waiting += 1
        future = self.pool.submit(work, halt)
        future.add_done_callback(_ignore)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            halt.ring()
            raise
        finally:
            self.waiting -= 1

    def close(self) -> None:
        """Begin nothing more."""
        self.pool.shutdown(wait=False, cancel_futures=True)


class Lanes:
    """Threads for quick questions, and threads for long ones."""

    def __init__(self, cores: int | None = None) -> None:
        threads = cores or max(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
        self.quick, self.long = Lane("quick", threads), Lane("long", threads)

    def lane_of(self, player: str, game: CompiledGame) -> Lane:
        """Return where a player of *game* thinks."""
        return self.quick if is_quick(player, game) else self.long

    def close(self) -> None:
        """Begin nothing more."""
        self.quick.close()
        self.long.close()


def is_quick(player: str, game: CompiledGame) -> bool:
    """Tell whether a player answers at once, as far as its name tells."""
    name, options = read_player(player, game)
    limits = {key: getattr(options, key, None) for key in ("time", "nodes", "depth")}
    if name in ("random", "stochastic") or (name == "student" and not any(limits.values())):
        return True
    time, depth = limits["time"], limits["depth"]
    return (time is not None and time <= QUICK_SECONDS) or (depth is not None and depth <= QUICK_DEPTH)


@contextmanager
def bounded(halt: Halt) -> Iterator[None]:
    """Let a search hear the bell when it takes too long; what a player does to get ready is not counted."""
    alarm = threading.Timer(LONGEST, halt.ring)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


def _ignore(future: Future[Any]) -> None:
    """Take note of what became of work for which nobody waits any more."""
    if not future.cancelled():
        future.exception()
