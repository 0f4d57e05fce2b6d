"""Tasks on a Ray cluster, or on one Ray node started here: processes that may die without taking the run with them.

Its workers belong to a team (`ray_team.py`), which hands them the jobs of all crews.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Generic, Self, TypeVar

from understudy.backends.crews import AHEAD, Job, Work, mapped
from understudy.backends.ray_node import Node, open_node
from understudy.backends.ray_team import Team
from understudy.errors import BadOption
from understudy.protocols import Crew

A = TypeVar("A")
B = TypeVar("B")

PATIENCE = 600.0
"""Seconds that a task may take; the first of a worker may have to compile kernels."""


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
        self.packed = team.pack_task(work.task)
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
