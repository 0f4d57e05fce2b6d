"""Tasks on this machine: threads, since kernels let go of Python's lock, so nothing is copied and nothing starts up."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterable
from typing import Generic, Self, TypeVar

from understudy.backends.crews import AHEAD, Job, Work, mapped
from understudy.errors import BadOption
from understudy.protocols import Crew

A = TypeVar("A")
B = TypeVar("B")


class Local:
    """A number of worker threads, one for each core if not said.

    With *patience* a task that takes longer, in seconds, is given to a fresh thread; the stuck one is left behind.
    """

    def __init__(self, workers: int | None = None, *, patience: float | None = None) -> None:
        if workers is not None and workers < 1:
            raise BadOption(f"there must be at least one worker, not {workers}")
        self.workers = workers or os.cpu_count() or 1
        self.patience = patience

    def crew(self, task: Callable[[A], B], *, check: Callable[[A, B], str | None] | None = None) -> Crew[A, B]:
        """Return threads for *task*; a single one is the caller's own."""
        work = Work(task, check)
        if self.workers == 1 and self.patience is None:
            return Alone(work)
        return Threads(work, self.workers, patience=self.patience)

    def map(
        self, task: Callable[[A], B], items: Iterable[A], *, check: Callable[[A, B], str | None] | None = None
    ) -> Generator[B, None, None]:
        """Yield the results of *task* in the order of *items*, a few tasks ahead of what is asked for."""
        return mapped(self.crew(task, check=check), items, ahead=AHEAD * self.workers if self.workers > 1 else 0)


class Alone(Generic[A, B]):
    """The caller as a crew of one: a task is done when its result is asked for."""

    def __init__(self, work: Work[A, B]) -> None:
        self.work = work
        self.sent: deque[Job[A, B]] = deque()

    def send(self, item: A) -> None:
        self.sent.append(Job(self.work, item))

    def receive(self) -> B:
        job = self.sent.popleft()
        while not job.finished:
            result = self.work.task(job.item)
            job.settle(result, job.fault(result))
        return job.outcome()

    def close(self) -> None:
        self.sent.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Threads(Generic[A, B]):
    """Daemon threads that take jobs from one queue, oldest first: a stuck one does not keep the process alive."""

    def __init__(self, work: Work[A, B], size: int, *, patience: float | None) -> None:
        self.work, self.size, self.patience = work, size, patience
        self.sent: deque[Job[A, B]] = deque()
        self.queue: deque[Job[A, B]] = deque()
        self.begun: OrderedDict[Job[A, B], float] = OrderedDict()
        """Who is being done since when, the oldest first: all have the same patience, so none is late before it."""
        self.staff, self.closed = 0, False
        lock = threading.Lock()
        self.work_to_do, self.news = threading.Condition(lock), threading.Condition(lock)

    def send(self, item: A) -> None:
        job = Job(self.work, item)
        with self.work_to_do:
            self.sent.append(job)
            self.queue.append(job)
            self.work_to_do.notify()
            if self.staff < self.size:
                self._hire()

    def receive(self) -> B:
        job = self.sent[0]
        with self.news:
            while not job.finished:
                self.news.wait(self._time_left())
                self._replace_the_stuck()
        self.sent.popleft()
        return job.outcome()

    def close(self) -> None:
        with self.work_to_do:
            self.closed = True
            self.queue.clear()
            self.sent.clear()
            self.work_to_do.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _hire(self) -> None:
        self.staff += 1
        threading.Thread(target=self._serve, name=f"understudy-{self.staff}", daemon=True).start()

    def _serve(self) -> None:
        """Do one job after another, until the crew closes or this thread was given up."""
        wanted = True
        while wanted and (job := self._next()) is not None:
            wanted = self._do(job, attempt=job.tries)

    def _next(self) -> Job[A, B] | None:
        with self.work_to_do:
            while not self.queue and not self.closed:
                self.work_to_do.wait()
            if self.closed:
                return None
            job = self.queue.popleft()
            self.begun[job] = time.monotonic()
            return job

    def _do(self, job: Job[A, B], *, attempt: int) -> bool:
        """Do a job and tell whether anybody still wanted it from this thread."""
        try:
            result = self.work.task(job.item)
            fault = job.fault(result)
        except BaseException as error:
            caught = error
            return self._end(job, attempt, lambda: job.raise_later(caught))
        return self._end(job, attempt, lambda: job.settle(result, fault))

    def _end(self, job: Job[A, B], attempt: int, settle: Callable[[], None]) -> bool:
        with self.news:
            if job.tries != attempt:
                return False
            del self.begun[job]
            settle()
            self._settled(job)
            return True

    def _settled(self, job: Job[A, B]) -> None:
        """Wake whoever waits for a job, or let it be tried again before all others."""
        if job.finished:
            self.news.notify()
        elif not self.closed:
            self.queue.appendleft(job)
            self.work_to_do.notify()

    def _time_left(self) -> float | None:
        """Return the seconds until a thread may be called stuck."""
        if self.patience is None:
            return None
        oldest = next(iter(self.begun.values()), time.monotonic())
        return max(oldest + self.patience - time.monotonic(), 0.0)

    def _replace_the_stuck(self) -> None:
        """Give up threads that take too long, each for a fresh one; the stuck thread ends when its task does."""
        if self.patience is None:
            return
        while self.begun and time.monotonic() - next(iter(self.begun.values())) >= self.patience:
            job, _ = self.begun.popitem(last=False)
            job.fail(f"took longer than {self.patience:g} s")
            self._settled(job)
            self._hire()
