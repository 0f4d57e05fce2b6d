"""What crews of all backends share: a job on its way, when it is given up, and `map` on top of a crew.

Tasks are pure: whatever became of an earlier try, another one gives the same result. So a lost try costs time alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from understudy.errors import BackendError
from understudy.protocols import Crew

A = TypeVar("A")
B = TypeVar("B")

TRIES = 3
"""How often a task is tried before its item is given up."""

LONGEST = 80
"""Characters of an item in a message."""

AHEAD = 4
"""How many tasks for each worker `map` hands in before it waits for the oldest."""


def mapped(crew: Crew[A, B], items: Iterable[A], *, ahead: int) -> Generator[B, None, None]:
    """Yield the results of a crew in the order of *items*, at most *ahead* tasks ahead of what is asked for."""
    with crew:
        waiting = 0
        for item in items:
            crew.send(item)
            waiting += 1
            if waiting > ahead:
                yield crew.receive()
                waiting -= 1
        for _ in range(waiting):
            yield crew.receive()


@dataclass(frozen=True)
class Work(Generic[A, B]):
    """What a crew does, and how it knows that it was done."""

    task: Callable[[A], B]
    check: Callable[[A, B], str | None] | None = None
    """From an item and its result to what the worker did wrong, `returned 3 scores for 4 games`; None if nothing."""


@dataclass(eq=False)
class Job(Generic[A, B]):
    """One item on its way through a crew."""

    work: Work[A, B]
    item: A
    tries: int = 0
    """Tries that failed."""
    finished: bool = False
    suspect: bool = False
    """It was with a worker that died, perhaps of it."""
    forgotten: bool = False
    """Nobody waits for it any more."""
    _ended: Callable[[], B] = field(init=False, repr=False)

    def fault(self, result: B) -> str | None:
        """Return what is wrong with a result."""
        return None if self.work.check is None else self.work.check(self.item, result)

    def settle(self, result: B, fault: str | None) -> None:
        """Keep the result, unless there was something wrong with it."""
        if fault is None:
            self._ended, self.finished = (lambda: result), True
        else:
            self.fail(fault)

    def raise_later(self, error: BaseException) -> None:
        """Keep what the caller shall hear of."""

        def ended() -> B:
            raise error

        self._ended, self.finished = ended, True

    def fail(self, fault: str) -> None:
        """Count a try that failed because its worker *fault*; after the last one the item is given up."""
        self.tries += 1
        if self.tries >= TRIES:
            name = getattr(self.work.task, "__name__", "a task")
            failure = f"{name} failed {TRIES} times for {_short(self.item)}"
            self.raise_later(BackendError(f"{failure}: the last worker {fault}"))

    def outcome(self) -> B:
        """Return the result, or raise what happened instead."""
        return self._ended()


def _short(item: Any) -> str:
    """Return enough of an item to recognise it, on one line."""
    text = " ".join(repr(item).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
