"""Who works for a driver and on what, so kept that every question costs the same for two workers and ten thousand.

All times are the driver's own clock, which only goes forwards: what a worker's clock shows makes no difference. Since
all workers have the same patience, the order in which they began is that of their deadlines, so a queue serves where a
heap would have to keep what is over.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from understudy.backends.crews import Job


@dataclass(eq=False)
class Worker:
    """A process somewhere, and what it was given."""

    actor: Any
    since: float
    """When it was hired, or when the job that it has in hand became its first."""
    ready: bool = False
    jobs: deque[Job[Any, Any]] = field(default_factory=deque)
    """The first is in hand, the second waits."""


Queue: TypeAlias = OrderedDict[Worker, None]
"""Workers from which any one can be taken out at once. A plain dict is slow to find its first after many deletions."""


class Roster:
    """The workers of a team, by what may be done with them."""

    def __init__(self) -> None:
        self.everybody: dict[Worker, None] = {}
        self.starting: Queue = OrderedDict()
        """Those who have not introduced themselves, whoever was hired first in front."""
        self.busy: Queue = OrderedDict()
        """Those with a job in hand, whoever has had it longest in front."""
        self.free: tuple[Queue, Queue] = OrderedDict(), OrderedDict()
        """Those without a job, and those who may get a second one; whoever has waited longest in front."""
        self.refused = 0
        """How many may not work."""

    def __contains__(self, worker: object) -> bool:
        return worker in self.everybody

    def __len__(self) -> int:
        return len(self.everybody)

    @property
    def idle(self) -> int:
        """How many have nothing to do, or will have nothing to do when they have started."""
        return len(self.free[0]) + len(self.starting)

    @property
    def able(self) -> int:
        """How many are ready and may work."""
        return len(self.everybody) - len(self.starting) - self.refused

    def hire(self, actor: Any, now: float) -> Worker:
        """Take in a new worker."""
        worker = Worker(actor, now)
        self.everybody[worker] = self.starting[worker] = None
        return worker

    def welcome(self, worker: Worker) -> None:
        """Let a worker that has introduced itself have jobs."""
        del self.starting[worker]
        worker.ready = True
        self._queue(worker)

    def refuse(self, worker: Worker) -> None:
        """Let a worker that has introduced itself do nothing; it keeps its processor, so that no other starts there."""
        del self.starting[worker]
        self.refused += 1

    def dismiss(self, worker: Worker) -> None:
        """Let go of a worker."""
        self.refused -= not worker.ready and worker not in self.starting
        del self.everybody[worker]
        for queue in (self.starting, self.busy, *self.free):
            queue.pop(worker, None)

    def choose(self, *, second: bool) -> Worker | None:
        """Return who may get the next job: somebody idle, or else, if it may be a *second* job, somebody with one."""
        for queue in self.free[: 1 + second]:
            if queue:
                return next(iter(queue))
        return None

    def give(self, worker: Worker, job: Job[Any, Any], now: float) -> None:
        """Note that a worker has got a job."""
        worker.jobs.append(job)
        if len(worker.jobs) == 1:
            worker.since, self.busy[worker] = now, None
        self._queue(worker)

    def take(self, worker: Worker, job: Job[Any, Any], now: float) -> None:
        """Note that a worker is done with a job; if it has another, that one's time begins."""
        worker.jobs.remove(job)
        del self.busy[worker]
        worker.since = now
        if worker.jobs:
            self.busy[worker] = None
        self._queue(worker)

    def first_deadline(self, patience: float | None, starting: float) -> float | None:
        """Return when the first worker is late: with its job, or, while nobody is ready, with its start."""
        if not self.able:
            return next((worker.since + starting for worker in self.starting), None)
        return None if patience is None else next((worker.since + patience for worker in self.busy), None)

    def late(self, patience: float, now: float) -> Iterator[Worker]:
        """Yield who has had a job in hand for too long; each must be dismissed before the next is asked for."""
        while self.busy and now - (worker := next(iter(self.busy))).since >= patience:
            yield worker

    def _queue(self, worker: Worker) -> None:
        """Put a ready worker where it belongs; with a suspect job it stays alone, so that no neighbour is blamed."""
        for queue in self.free:
            queue.pop(worker, None)
        if not worker.jobs:
            self.free[0][worker] = None
        elif len(worker.jobs) == 1 and not worker.jobs[0].suspect:
            self.free[1][worker] = None
