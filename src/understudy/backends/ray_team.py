"""The workers of a Ray backend, and who of them does what.

Ray could queue and retry tasks by itself. Here most jobs wait in the driver instead, and a worker has one, or two
if they are short, so that the next is there when the last is done: then it is known which job a dead worker had in
hand, how long it had it, and that nobody waits behind a long one while others are idle. A worker is an actor and
stays between jobs, so that it loads and compiles once; a call to it takes a third of the time of a task of Ray's.

Answers come by a callback for each, not by asking Ray which of all are there; so nothing here is done for all workers.
"""

from __future__ import annotations

import os
import queue
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from understudy import __version__
from understudy.backends.crews import Job
from understudy.backends.ray_node import Node, make_worker
from understudy.backends.roster import Roster, Worker
from understudy.backends.shared import Shared, make_packer
from understudy.errors import BackendError

SHORT = 0.1
"""Seconds: a worker gets a second job ahead where jobs are shorter."""
STARTING = 300.0
"""Seconds after which a cluster that has started no worker is given up."""
STILLBORN = 3
"""Workers that may die one after another before any of them was ready."""
RESPITE = 30.0
"""Seconds without new workers after so many died while others work: a machine may be going down with all of its."""
GLANCE = 5.0
"""Seconds of the longest sleep, and between two looks at whether the node is alive."""


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
        self.roster = Roster()
        self.waiting: deque[Job[Any, Any]] = deque()
        self.packed: dict[Job[Any, Any], bytes] = {}
        self.pack = make_packer(node.ray.cloudpickle.CloudPickler)
        self.stored: WeakKeyDictionary[Shared[Any], Any] = WeakKeyDictionary()
        """References to what was put into Ray's object store; Ray drops what nobody refers to."""
        self.events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self.pace = SHORT
        """Seconds that recent jobs took."""
        self.stillborn, self.respite = 0, -RESPITE
        """How many died before they were ready since the last that was, and when there were too many."""
        self.foreign: dict[str, bool] = {}
        """What is wrong with the version of which machine, and whether it was said."""
        self.looked = time.monotonic()
        """When the node was last seen alive."""

    def pack_task(self, task: Callable[[Any], Any]) -> bytes:
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
            self._check_foreign()
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
        for worker in list(self.roster.everybody):
            self._dismiss(worker)

    def _hand_out(self) -> None:
        """Give jobs to those who have least to do, and hire where there are more jobs than workers."""
        # Where all so far have another version, everybody is tried at once, lest one after the other be waited for.
        wanted = self.size if self.foreign and not self.roster.able else len(self.waiting)
        while len(self.roster) < self.size and wanted > self.roster.idle and self._may_hire():
            self._hire()
        while self.waiting and (worker := self._choose()) is not None:
            self._give(worker, self.waiting.popleft())

    def _may_hire(self) -> bool:
        return not self.roster.able or time.monotonic() - self.respite >= RESPITE

    def _choose(self) -> Worker | None:
        """Return who may get the next job; a suspect shares no worker, so that its neighbour is not blamed."""
        return self.roster.choose(second=self.pace < SHORT and not self.waiting[0].suspect)

    def _hire(self) -> None:
        worker = self.roster.hire(self.make_actor(), time.monotonic())
        self._expect(worker, None, worker.actor.introduce.remote(os.getcwd(), sys.path))

    def _give(self, worker: Worker, job: Job[Any, Any]) -> None:
        content, shared = self.pack(job.item)
        references = [self._store(value) for value in shared]
        self.roster.give(worker, job, time.monotonic())
        self._expect(worker, job, worker.actor.work.remote(self.packed[job], content, *references))

    def _store(self, shared: Shared[Any]) -> Any:
        """Return Ray's reference to a shared value, which is put into its object store once."""
        if shared not in self.stored:
            self.stored[shared] = self.node.ray.put(shared.value)
        return self.stored[shared]

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
        """Return the seconds until a worker may be called late."""
        deadline = self.roster.first_deadline(self.patience, STARTING)
        return GLANCE if deadline is None else min(max(deadline - time.monotonic(), 0.0), GLANCE)

    def _note(self, event: Event) -> None:
        if event.worker not in self.roster:
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
        self.stillborn = 0
        if version == __version__:
            self.roster.welcome(worker)
            return
        self.roster.refuse(worker)
        has = "has no understudy" if version is None else f"has understudy {version}"
        self.foreign.setdefault(f"{host} {has}, and every node needs {__version__}", False)

    def _check_foreign(self) -> None:
        """Say which machines get no jobs because of their version; raise if there is no other."""
        if self.foreign and not self.roster.able and not self.roster.starting:
            raise BackendError(self._refusal())
        for sentence in [sentence for sentence, said in self.foreign.items() if not said and self.roster.able]:
            print(f"{self.node.name} goes on without a machine: {sentence}", file=sys.stderr)
            self.foreign[sentence] = True

    def _refusal(self) -> str:
        return f"{self.node.name} cannot work: {next(iter(self.foreign))}"

    def _take(self, worker: Worker, job: Job[Any, Any], event: Event) -> None:
        """Take a worker's answer to the job that it had in hand."""
        self.pace = (self.pace + max(event.moment - worker.since, 0.0)) / 2
        self.roster.take(worker, job, time.monotonic())
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
        if not worker.ready:
            self._count_stillborn(error)
        for place, job in reversed(list(enumerate(worker.jobs))):
            job.suspect = True
            if job.forgotten:
                continue
            if place == 0:
                job.fail(fault)
            self._settled(job)

    def _count_stillborn(self, error: BaseException | None) -> None:
        """Raise if workers die one after another and nobody else works; else have no new ones for a while."""
        self.stillborn += 1
        if self.stillborn < STILLBORN:
            return
        if not self.roster.able:
            reason = f": {str(error).splitlines()[0]}" if error is not None else ""
            raise BackendError(f"{self.node.name} cannot start a worker{reason}")
        self.respite = time.monotonic()

    def _dismiss(self, worker: Worker) -> None:
        self.roster.dismiss(worker)
        if self.node.ray.is_initialized():
            self.node.ray.kill(worker.actor)

    def _replace_the_stuck(self) -> None:
        now = time.monotonic()
        if self.patience is not None:
            for worker in self.roster.late(self.patience, now):
                self._lose(worker, f"took longer than {self.patience:g} s")
        deadline = self.roster.first_deadline(None, STARTING)
        if deadline is not None and now >= deadline:
            idle = f"{self.node.name} has had no free processor for {STARTING:g} s"
            raise BackendError(self._refusal() if self.foreign else idle)
