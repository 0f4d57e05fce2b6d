"""Tasks on a Ray cluster, or on one Ray node started here: processes that may die without taking the run with them.

Ray could queue and retry tasks by itself. Here most jobs wait in the driver instead, and a worker has one, or two
if they are short, so that the next is there when the last is done: then it is known which job a dead worker had in
hand, how long it had it, and that nobody waits behind a long one while others are idle. A worker is an actor and
stays between jobs, so that it loads and compiles once; a call to it takes a third of the time of a task of Ray's.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, Self, TypeVar

from understudy import __version__
from understudy.backends.crews import AHEAD, Job, Work, mapped
from understudy.backends.ray_node import Node, make_worker, open_node
from understudy.errors import BackendError, BadOption
from understudy.protocols import Crew

A = TypeVar("A")
B = TypeVar("B")

PATIENCE = 600.0
"""Seconds that a task may take; the first of a worker may have to compile kernels."""
SHORT = 0.1
"""Seconds: a worker gets a second job ahead where jobs are shorter."""
STARTING = 300.0
"""Seconds after which a cluster that has started no worker is given up."""
STILLBORN = 3
"""Workers that may die one after another before any of them was ready."""
GLANCE = 5.0
"""Seconds of the longest sleep, and between two looks at whether the node is alive."""


class Ray:
    """Worker processes of Ray: at *address*, or on a node of our own; as many as there are processors if not said.

    Its workers stay between crews, so that only the first task of each has to load anything. A backend belongs to one
    thread. Leaving the program closes it.
    """

    def __init__(
        self, address: str | None = None, workers: int | None = None, *, patience: float | None = PATIENCE
    ) -> None:
        if workers is not None and workers < 1:
            raise BadOption(f"there must be at least one worker, not {workers}")
        self.node: Node = open_node(address, workers)
        self.workers = workers or self.node.processors
        self.team = Team(self.node, self.workers, patience=patience)

    def crew(self, task: Callable[[A], B], *, check: Callable[[A, B], str | None] | None = None) -> Crew[A, B]:
        """Return the workers, ready for *task*."""
        return RayCrew(Work(task, check), self.team)

    def map(
        self, task: Callable[[A], B], items: Iterable[A], *, check: Callable[[A, B], str | None] | None = None
    ) -> Generator[B, None, None]:
        """Yield the results of *task* in the order of *items*, a few tasks ahead of what is asked for."""
        return mapped(self.crew(task, check=check), items, ahead=AHEAD * self.workers)

    def close(self) -> None:
        """End the workers, and the node if it was started here."""
        self.team.close()
        self.node.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class RayCrew(Generic[A, B]):
    """The jobs of one kind among those of a team."""

    def __init__(self, work: Work[A, B], team: Team) -> None:
        self.work, self.team = work, team
        self.packed = team.pack(work.task)
        self.sent: deque[Job[A, B]] = deque()

    def send(self, item: A) -> None:
        job = Job(self.work, item)
        self.sent.append(job)
        self.team.add(job, self.packed)

    def receive(self) -> B:
        job = self.sent[0]
        self.team.finish(job)
        self.sent.popleft()
        return job.outcome()

    def close(self) -> None:
        self.team.forget(self.sent)
        self.sent.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@dataclass(eq=False)
class Worker:
    """A process somewhere, and what it was given."""

    actor: Any
    since: float
    """When it was hired, or got the job that it has in hand."""
    ready: bool = False
    jobs: deque[Job[Any, Any]] = field(default_factory=deque)
    """The first is in hand, the second waits."""


class Event(NamedTuple):
    """A worker has answered, or will never."""

    moment: float
    worker: Worker
    job: Job[Any, Any] | None
    """None: it has introduced itself."""
    answer: Future[Any]


class Team:
    """All workers of a backend, shared by its crews."""

    def __init__(self, node: Node, size: int, *, patience: float | None) -> None:
        self.node, self.size, self.patience = node, size, patience
        self.make_actor: Callable[[], Any] = make_worker(node.ray)
        self.workers: list[Worker] = []
        self.waiting: deque[Job[Any, Any]] = deque()
        self.packed: dict[Job[Any, Any], bytes] = {}
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.pace = SHORT
        """Seconds that recent jobs took."""
        self.stillborn = 0
        self.looked = time.monotonic()
        """When the node was last seen alive."""

    def pack(self, task: Callable[[Any], Any]) -> bytes:
        """Return *task* as workers get it: with each job, because they serve several crews; a name is short."""
        packed: bytes = self.node.ray.cloudpickle.dumps(task)
        return packed

    def add(self, job: Job[Any, Any], packed: bytes) -> None:
        """Take on a job."""
        self.packed[job] = packed
        self.waiting.append(job)
        self._hear(block=False)
        self._hand_out()

    def finish(self, job: Job[Any, Any]) -> None:
        """Let everybody work until *job* is finished."""
        while not job.finished:
            self._hand_out()
            self._hear(block=True)
            self._replace_the_stuck()
        self._hand_out()

    def forget(self, jobs: Iterable[Job[Any, Any]]) -> None:
        """Drop jobs; those in hand are done for nobody."""
        for job in jobs:
            job.forgotten = True
            self.packed.pop(job, None)
        self.waiting = deque(job for job in self.waiting if not job.forgotten)

    def close(self) -> None:
        """End all workers."""
        self.waiting.clear()
        while self.workers:
            self._dismiss(self.workers[-1])

    def _hand_out(self) -> None:
        """Give jobs to those who have least to do, and hire where there are more jobs than workers."""
        idle = sum(not worker.jobs for worker in self.workers)
        for _ in range(min(self.size - len(self.workers), len(self.waiting) - idle)):
            self._hire()
        for load in range(2 if self.pace < SHORT else 1):
            for worker in self.workers:
                if self.waiting and worker.ready and len(worker.jobs) == load and self._may_share(worker):
                    self._give(worker, self.waiting.popleft())

    def _may_share(self, worker: Worker) -> bool:
        """Tell whether the next job may share a worker: a suspect never does, so that its neighbour is not blamed."""
        return not worker.jobs or not (worker.jobs[0].suspect or self.waiting[0].suspect)

    def _hire(self) -> None:
        worker = Worker(self.make_actor(), time.monotonic())
        self.workers.append(worker)
        self._expect(worker, None, worker.actor.introduce.remote(os.getcwd(), sys.path))

    def _give(self, worker: Worker, job: Job[Any, Any]) -> None:
        if not worker.jobs:
            worker.since = time.monotonic()
        worker.jobs.append(job)
        self._expect(worker, job, worker.actor.work.remote(self.packed[job], job.item))

    def _expect(self, worker: Worker, job: Job[Any, Any] | None, reference: Any) -> None:
        def answered(answer: Future[Any]) -> None:
            self.events.put(Event(time.monotonic(), worker, job, answer))

        reference.future().add_done_callback(answered)

    def _hear(self, *, block: bool) -> None:
        """Take note of all that has happened; wait for something to happen."""
        try:
            self._note(self.events.get(timeout=self._time_left()) if block else self.events.get_nowait())
            while True:
                self._note(self.events.get_nowait())
        except queue.Empty:
            if block:
                self._look_after_node()

    def _look_after_node(self) -> None:
        """Raise if the node has died: Ray would let its workers wait for it, and us for them, for minutes."""
        if time.monotonic() - self.looked < GLANCE:
            return
        if (fault := self.node.find_fault()) is not None:
            raise BackendError(f"{self.node.name} has died: {fault}")
        self.looked = time.monotonic()

    def _time_left(self) -> float:
        """Return the seconds until a worker may be called stuck."""
        now = time.monotonic()
        limits = [worker.since + limit - now for worker in self.workers if (limit := self._limit(worker)) is not None]
        return min(max(min(limits, default=GLANCE), 0.0), GLANCE)

    def _limit(self, worker: Worker) -> float | None:
        if not worker.ready:
            return STARTING
        return self.patience if worker.jobs else None

    def _note(self, event: Event) -> None:
        if event.worker not in self.workers:
            return
        error = event.answer.exception()
        if error is not None and not isinstance(error, self.node.ray.exceptions.RayTaskError):
            self._lose(event.worker, "died", error)
        elif event.job is None:
            self._welcome(event.worker, error, event.answer)
        else:
            self._take(event.worker, event.job, event)

    def _welcome(self, worker: Worker, error: BaseException | None, answer: Future[Any]) -> None:
        host, version = ("one node", None) if error is not None else answer.result()
        if version != __version__:
            has = "has no understudy" if version is None else f"has understudy {version}"
            raise BackendError(f"{self.node.name} cannot work: {host} {has}, and every node needs {__version__}")
        worker.ready, self.stillborn = True, 0

    def _take(self, worker: Worker, job: Job[Any, Any], event: Event) -> None:
        """Take a worker's answer to the job that it had in hand."""
        worker.jobs.remove(job)
        self.pace = (self.pace + event.moment - worker.since) / 2
        worker.since = event.moment
        if job.forgotten:
            return
        error = event.answer.exception() or event.answer.result()[1]
        if error is not None:
            job.raise_later(getattr(error, "cause", None) or error)
        else:
            result = event.answer.result()[0]
            job.settle(result, job.fault(result))
        self._settled(job)

    def _settled(self, job: Job[Any, Any]) -> None:
        """Let go of a job that is finished, or let it be tried again before all others."""
        if job.finished:
            del self.packed[job]
        else:
            self.waiting.appendleft(job)

    def _lose(self, worker: Worker, fault: str, error: BaseException | None = None) -> None:
        """Do without a worker; the job that it had in hand has failed, the one that waited behind it has not."""
        self._dismiss(worker)
        self.stillborn += not worker.ready
        if self.stillborn >= STILLBORN:
            reason = f": {str(error).splitlines()[0]}" if error is not None else ""
            raise BackendError(f"{self.node.name} cannot start a worker{reason}")
        for place, job in reversed(list(enumerate(worker.jobs))):
            job.suspect = True
            if job.forgotten:
                continue
            if place == 0:
                job.fail(fault)
            self._settled(job)

    def _dismiss(self, worker: Worker) -> None:
        self.workers.remove(worker)
        if self.node.ray.is_initialized():
            self.node.ray.kill(worker.actor)

    def _replace_the_stuck(self) -> None:
        now = time.monotonic()
        for worker in list(self.workers):
            limit = self._limit(worker)
            if limit is None or now - worker.since < limit:
                continue
            if worker.ready:
                self._lose(worker, f"took longer than {limit:g} s")
            elif not any(other.ready for other in self.workers):
                raise BackendError(f"{self.node.name} has had no free processor for {limit:g} s")
