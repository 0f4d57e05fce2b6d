"""Tasks on this machine: threads, since kernels let go of Python's lock, so nothing is copied and nothing starts up."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Local:
    """A number of worker threads; none means one for each core."""

    workers: int | None = None

    def map(self, task: Callable[[A], B], items: Iterable[A]) -> Generator[B, None, None]:
        """Yield the results of *task* in the order of *items*, a few tasks ahead of what is asked for."""
        workers = self.workers or os.cpu_count() or 1
        if workers == 1:
            yield from map(task, items)
            return
        pool = ThreadPoolExecutor(workers)
        waiting: deque[Future[B]] = deque()
        try:
            for item in items:
                waiting.append(pool.submit(task, item))
                if len(waiting) > 4 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
