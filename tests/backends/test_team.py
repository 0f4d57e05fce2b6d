"""The driver's book against one that looks at everybody, and its decisions with simulated workers that misbehave."""

from __future__ import annotations

import pickle
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.simulated_workers import Call, World, simulate
from tests.conftest import count_calls
from understudy.backends import ray_team
from understudy.backends.crews import Job, Work
from understudy.backends.ray import RayCrew
from understudy.backends.ray_team import Team
from understudy.backends.roster import Roster, Worker
from understudy.backends.shared import Shared, make_packer, unpack
from understudy.errors import BackendError

PATIENCE = 10.0
SEEDS = range(20)


def square(number: int) -> int:
    return number * number


WORK = Work(square)


# The roster, against a model that goes through all workers for every answer.


@dataclass
class Slow:
    """What a roster should say, from nothing but who has what since when."""

    workers: list[Worker] = field(default_factory=list)
    refused: list[Worker] = field(default_factory=list)
    freed: dict[Worker, int] = field(default_factory=dict)
    """When a worker last became free for a first or second job."""

    def free(self, load: int) -> list[Worker]:
        mine = [
            worker
            for worker in self.workers
            if worker.ready and len(worker.jobs) == load and not any(job.suspect for job in worker.jobs)
        ]
        return sorted(mine, key=lambda worker: self.freed[worker])

    def choose(self, *, second: bool) -> Worker | None:
        return next(iter(self.free(0) + (self.free(1) if second else [])), None)

    def starting(self) -> list[Worker]:
        return [worker for worker in self.workers if not worker.ready and worker not in self.refused]

    def able(self) -> int:
        return sum(worker.ready for worker in self.workers)

    def first_deadline(self, patience: float, starting: float) -> float | None:
        if not self.able():
            return min((worker.since + starting for worker in self.starting()), default=None)
        return min((worker.since + patience for worker in self.workers if worker.jobs), default=None)

    def late(self, patience: float, now: float) -> set[Worker]:
        return {worker for worker in self.workers if worker.jobs and now - worker.since >= patience}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_roster_says_what_looking_at_everybody_says(seed: int) -> None:
    rng, roster, slow, now = random.Random(seed), Roster(), Slow(), 0.0
    for step in range(600):
        now += rng.random()
        act = rng.choice(["hire", "welcome", "give", "give", "give", "take", "take", "dismiss", "late", "refuse"])
        if act == "hire" and len(slow.workers) < 12:
            slow.workers.append(roster.hire(None, now))
        elif act in ("welcome", "refuse") and slow.starting():
            worker = rng.choice(slow.starting())
            if act == "welcome":
                roster.welcome(worker)
                slow.freed[worker] = step
            elif rng.random() < 0.2:
                roster.refuse(worker)
                slow.refused.append(worker)
        elif act == "give" and (worker := roster.choose(second=rng.random() < 0.5)) is not None:
            roster.give(worker, Job(WORK, step, suspect=rng.random() < 0.2), now)
            slow.freed[worker] = step
        elif act == "take" and any(worker.jobs for worker in slow.workers):
            worker = rng.choice([worker for worker in slow.workers if worker.jobs])
            roster.take(worker, worker.jobs[0], now)
            slow.freed[worker] = step
        elif act == "dismiss" and slow.workers and rng.random() < 0.3:
            forget(roster, slow, rng.choice(slow.workers))
        elif act == "late":
            late = slow.late(PATIENCE, now)
            for worker in roster.late(PATIENCE, now):
                assert worker in late
                late.remove(worker)
                forget(roster, slow, worker)
            assert not late
        compare(roster, slow)


def forget(roster: Roster, slow: Slow, worker: Worker) -> None:
    roster.dismiss(worker)
    slow.workers.remove(worker)
    slow.refused = [other for other in slow.refused if other is not worker]


def compare(roster: Roster, slow: Slow) -> None:
    assert list(roster.everybody) == slow.workers and len(roster) == len(slow.workers)
    assert roster.able == slow.able() and roster.idle == len(slow.free(0)) + len(slow.starting())
    for second in (False, True):
        assert roster.choose(second=second) is slow.choose(second=second)
    assert roster.first_deadline(PATIENCE, 300.0) == slow.first_deadline(PATIENCE, 300.0)


# Messages.


def test_what_items_share_is_sent_beside_them() -> None:
    parents, other = Shared(np.arange(10.0)), Shared("other")
    pack = make_packer(pickle.Pickler)
    content, shared = pack({"one": parents, "again": [parents, other], "number": 5})
    assert shared == [parents, other] and len(content) < 100
    item = unpack(content, [part.value for part in shared])
    assert item["number"] == 5 and item["one"] is item["again"][0] and item["again"][1].value == "other"
    assert np.array_equal(item["one"].value, np.arange(10.0))
    plain = pickle.loads(pickle.dumps({"one": parents}))
    assert np.array_equal(plain["one"].value, parents.value), "pickled in the usual way it is whole"


def test_what_is_shared_is_stored_once_and_only_while_somebody_has_it() -> None:
    world = World(3, work=do)
    team, parents = simulate(world), Shared(7)
    with RayCrew(Work(times), team) as crew:
        for number in range(50):
            crew.send((parents, number))
        assert [crew.receive() for _ in range(50)] == [7 * number for number in range(50)]
        assert world.stored == 1 and len(team.stored) == 1
    del parents
    crew.sent.clear()
    assert not team.stored


def times(item: tuple[Shared[int], int]) -> int:
    return item[0].value * item[1]


def do(packed: bytes, content: bytes, *shared: Any) -> tuple[Any, None]:
    """Do a task as a worker does."""
    return pickle.loads(packed)(unpack(content, shared)), None


# Teams of simulated workers, some of which die, hang, or answer late.


class Trouble:
    """Lets calls end in other ways than with an answer; says which were answered when it was too late."""

    def __init__(self, seed: int, *, deaths: float, hangs: float) -> None:
        self.rng, self.deaths, self.hangs = random.Random(seed), deaths, hangs
        self.hanging: deque[Call] = deque()
        self.late = 0

    def __call__(self, call: Call) -> bool:
        if call.actor.killed:
            call.answer.set_exception(ConnectionError("killed"))
            return True
        draw = self.rng.random()
        if draw < self.deaths:
            call.actor.killed = True
            call.answer.set_exception(ConnectionError("died"))
            return True
        if call.method == "work" and draw < self.deaths + self.hangs:
            self.hanging.append(call)
            return True
        if self.hanging and self.rng.random() < 0.1:  # long after it was given up
            old = self.hanging.popleft()
            self.late += old.actor.killed
            old.answer.set_result((-1, None))
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """The driver's clock, which stands still but for a millisecond each time that somebody looks."""
    now = [1000.0]

    def look() -> float:
        now[0] += 0.001
        return now[0]

    def move(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(ray_team, "time", SimpleNamespace(monotonic=look))
    return move


@pytest.mark.parametrize("seed", SEEDS)
def test_no_task_is_lost_or_received_twice(
    seed: int, clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble = Trouble(seed, deaths=0.02, hangs=0.02)
    world, done = World(1 + seed, work=do, disturb=trouble), Counter[int]()
    team = simulate(world, patience=PATIENCE)
    monkeypatch.setattr("understudy.backends.crews.TRIES", 1000)
    monkeypatch.setattr(ray_team, "STILLBORN", 1000)
    monkeypatch.setattr(team.events, "idle", lambda: clock(1.0), raising=False)

    def settled(job: Job[Any, Any]) -> None:
        done[job.item] += job.finished
        settle(job)

    settle = team._settled
    monkeypatch.setattr(team, "_settled", settled)
    one, other = RayCrew(Work(square, check=sensible), team), RayCrew(Work(square, check=sensible), team)
    for number in range(300):
        (one if number % 3 else other).send(number)
    assert [other.receive() for _ in range(100)] == [number**2 for number in range(0, 300, 3)]
    assert [one.receive() for _ in range(200)] == [number**2 for number in range(300) if number % 3]
    assert done == Counter(range(300)) and not team.packed and not team.waiting
    assert not team.roster.busy


def sensible(number: int, result: int) -> str | None:
    return None if result == number**2 else f"returned {result}"


def test_late_answers_are_ignored(clock: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is given up may answer as it likes: nobody listens."""
    held: list[Call] = []

    def hold(call: Call) -> bool:
        if call.method == "work" and not held:
            held.append(call)
            return True
        return False

    team = simulate(World(1, work=do, disturb=hold), patience=PATIENCE)
    monkeypatch.setattr(team.events, "idle", lambda: clock(1.0))
    with RayCrew(WORK, team) as crew:
        for number in range(3):
            crew.send(number)
        assert crew.receive() == 0
        assert held and held[0].actor.killed
        held[0].answer.set_result((99, None))
        assert [crew.receive() for _ in range(2)] == [1, 4]


@pytest.mark.usefixtures("clock")
def test_an_answer_costs_the_same_for_few_and_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_team, "SHORT", 0.0)  # nobody gets two tasks, however fast the machine is
    calls = {}
    for size in (10, 1000):
        team = simulate(World(size, work=do))
        with RayCrew(WORK, team) as crew:
            for number in range(3 * size):
                crew.send(number)
            for _ in range(size):
                crew.receive()

            def one_hundred(crew: RayCrew[int, int] = crew) -> None:
                for number in range(100):
                    crew.send(number)
                    crew.receive()

            calls[size] = count_calls(one_hundred)
    assert calls[1000] < 1.1 * calls[10]


# Machines that are not as they should be.


def with_versions(versions: dict[int, Any], size: int) -> tuple[Team, World]:
    """Return a team some of whose workers, by the order in which they were hired, have another version."""

    def introduce(call: Call) -> bool:
        place = world.actors.index(call.actor)
        if call.method != "introduce" or place not in versions:
            return False
        if isinstance(versions[place], Exception):
            call.answer.set_exception(versions[place])
        else:
            call.answer.set_result((f"machine{place}", versions[place]))
        return True

    world = World(size, work=do, disturb=introduce)
    return simulate(world), world


@pytest.mark.parametrize("foreign", [{0: "0.1"}, {0: "0.1", 2: "0.1", 3: "0.2"}, {3: ZeroDivisionError("no module")}])
def test_a_node_with_another_version_loses_nothing(foreign: dict[int, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """It gets no task and is named in a sentence; it keeps its processor, so that nobody else is started there."""
    team, world = with_versions(foreign, 4)
    with RayCrew(WORK, team) as crew:
        for number in range(40):
            crew.send(number)
        assert [crew.receive() for _ in range(40)] == [number**2 for number in range(40)]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(foreign) and len(world.actors) == 4 and not any(actor.killed for actor in world.actors)
    assert all(line.startswith("Ray at 'a simulation' goes on without a machine: ") for line in lines)
    if foreign[min(foreign)] == "0.1":
        assert "machine0 has understudy 0.1, and every node needs" in lines[0]
    else:
        assert "one node has no understudy, and every node needs" in lines[0]


def test_only_other_versions_are_one_sentence() -> None:
    team, world = with_versions(dict.fromkeys(range(5), "0.1"), 5)
    with RayCrew(WORK, team) as crew:
        crew.send(1)
        with pytest.raises(BackendError, match=r"cannot work: machine0 has understudy 0\.1, and every node needs"):
            crew.receive()
    assert len(world.actors) == 5, "every processor was tried"


def test_a_machine_that_dies_with_all_its_new_workers_stops_nobody_else(clock: Callable[[float], None]) -> None:
    """Three deaths at the start end a command only where nobody else works."""
    dying = [True]

    def die(call: Call) -> bool:
        if world.actors.index(call.actor) >= 2 and dying[0]:
            call.answer.set_exception(ConnectionError("gone"))
            return True
        return False

    world = World(8, work=do, disturb=die)
    team = simulate(world)
    with RayCrew(WORK, team) as crew:
        for number in range(100):
            crew.send(number)
        assert [crew.receive() for _ in range(50)] == [number**2 for number in range(50)]
        hired = len(world.actors)
        assert hired < 16, "after some deaths nobody is hired for a while"
        dying[0] = False
        clock(ray_team.RESPITE)
        assert [crew.receive() for _ in range(50)] == [number**2 for number in range(50, 100)]
        assert len(world.actors) > hired


def test_workers_that_wait_for_a_processor_keep_nobody_awake(clock: Callable[[float], None]) -> None:
    """More workers than processors may be asked for; the driver sleeps although they have not started."""

    def wait(call: Call) -> bool:
        return world.actors.index(call.actor) >= 1

    world = World(4, work=do, disturb=wait)
    team = simulate(world)
    with RayCrew(WORK, team) as crew:
        for number in range(9):
            crew.send(number)
        assert crew.receive() == 0
        clock(2 * ray_team.STARTING)
        assert crew.receive() == 1
        team.roster.busy.clear()
        assert team._time_left() == ray_team.GLANCE
