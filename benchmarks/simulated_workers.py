"""Ray without processes: workers that answer when they are told to, so that ten thousand of them fit into one.

What is simulated begins where Ray's module does: crews, teams and rosters are the real ones. An answer comes when all
have something to do, or when the driver waits, from whoever has had it longest; `disturb` may do otherwise with it.
"""

from __future__ import annotations

import pickle
import queue
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, NamedTuple

from understudy import __version__
from understudy.backends.ray_node import Node
from understudy.backends.ray_team import Team


class Call(NamedTuple):
    """A call under way."""

    actor: Actor
    method: str
    arguments: tuple[Any, ...]
    answer: Future[Any]


class World:
    """All simulated workers and what they have to do; in the place of Ray's module."""

    exceptions = SimpleNamespace(RayTaskError=ZeroDivisionError)
    """No simulated task raises: what an answer raises is the death of its worker."""

    def __init__(self, size: int, *, work: Callable[..., Any], disturb: Callable[[Call], bool] | None = None) -> None:
        self.size, self.work, self.disturb = size, work, disturb
        self.calls: deque[Call] = deque()
        self.actors: list[Actor] = []
        self.stored = 0
        """Values that were put into the object store."""
        self.cloudpickle = SimpleNamespace(dumps=pickle.dumps, CloudPickler=pickle.Pickler)

    def remote(self, **options: Any) -> Callable[[type], Any]:
        """Return what starts workers, as the decorator of Ray does."""
        return lambda kind: SimpleNamespace(remote=lambda: Actor(self))

    def is_initialized(self) -> bool:
        return True

    def put(self, value: Any) -> Any:
        self.stored += 1
        return value

    def kill(self, actor: Actor) -> None:
        actor.killed = True

    def take(self, call: Call) -> Any:
        """Take on a call; somebody answers if everybody has something to do."""
        self.calls.append(call)
        if len(self.calls) > self.size:
            self.answer()
        return SimpleNamespace(future=lambda: call.answer)

    def answer(self) -> bool:
        """Let the oldest call be answered; return whether there was one."""
        while self.calls:
            call = self.calls.popleft()
            if self.disturb is not None and self.disturb(call):
                continue
            outcome = ("simulated", __version__) if call.method == "introduce" else self.work(*call.arguments)
            call.answer.set_result(outcome)
            return True
        return False


class Actor:
    """A simulated worker process."""

    def __init__(self, world: World) -> None:
        self.world, self.killed = world, False
        world.actors.append(self)

    def __getattr__(self, method: str) -> Any:
        return SimpleNamespace(remote=lambda *given: self.world.take(Call(self, method, given, Future())))


class Mailbox:
    """Where answers arrive: whoever waits for one makes the world go on."""

    def __init__(self, world: World) -> None:
        self.world, self.mail = world, deque[Any]()

    def put(self, event: Any) -> None:
        self.mail.append(event)

    def get_nowait(self) -> Any:
        if not self.mail:
            raise queue.Empty
        return self.mail.popleft()

    def get(self, timeout: float | None = None) -> Any:
        if not self.mail and not self.world.answer():
            self.idle()
        return self.get_nowait()

    def idle(self) -> None:
        """Wait where nothing will come: tests let their clock go on."""


class Simulation(Node):
    """A connection to a world, in which no node dies."""

    def find_fault(self) -> None:
        return None


def simulate(world: World, *, patience: float | None = 600.0) -> Team:
    """Return a team whose workers are those of *world*; `RayCrew` gives it something to do."""
    team = Team(Simulation(world, "a simulation", world.size, ours=False), world.size, patience=patience)
    team.events = Mailbox(world)  # type: ignore[assignment]
    return team
