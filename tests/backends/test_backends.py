"""Every backend keeps the same promises: order, tries, errors, the same games. One Ray node serves all tests."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from work import (
    RELEASED,
    Errand,
    babble,
    babble_once,
    die,
    die_once,
    hang,
    hang_once,
    meet,
    refuse,
    sensible,
    slow_square,
    square,
    stumble,
    stumble_strangely,
)

from tests.conftest import LONG, patiently
from tests.lab.test_evolution_lab import kept, quiet, tiny
from understudy import lab
from understudy.backends import Local, Ray, close, make_backend, ray_node
from understudy.cli import commands
from understudy.errors import BackendError, BadOption, UnderstudyError, UnknownName
from understudy.games import find_game
from understudy.judges.tournament import play_match
from understudy.lab.experiments import make_experiment
from understudy.protocols import Backend
from understudy.records.watch import Watch, watch

PATIENCE_OF_RAY = 600.0
ONE_SENTENCE = 240


@pytest.fixture(scope="module")
def shared_ray() -> Iterator[Ray]:
    """One node and its workers for all tests: to start them takes longer than the tests do."""
    with Ray(workers=2) as backend:
        yield backend


@pytest.fixture
def ray(shared_ray: Ray) -> Iterator[Ray]:
    yield shared_ray
    shared_ray.team.patience = PATIENCE_OF_RAY


@pytest.fixture(params=["local 1", "local 2", "ray"])
def make(request: pytest.FixtureRequest) -> Callable[..., Backend]:
    """What makes a backend, or hands out the one of Ray."""
    if request.param != "ray":
        return lambda patience=None: Local(int(request.param[-1]), patience=patience)
    ray: Ray = request.getfixturevalue("ray")

    def with_patience(patience: float = PATIENCE_OF_RAY) -> Backend:
        ray.team.patience = patience
        return ray

    return with_patience


def errands(folder: Path, count: int, trouble: int | None = None) -> list[Errand]:
    return [Errand(number, str(folder), number == trouble) for number in range(count)]


def marks(folder: Path, number: int) -> int:
    return len(list(folder.glob(f"{number}-*")))


def test_results_come_in_order(make: Callable[..., Backend]) -> None:
    backend = make()
    assert list(backend.map(slow_square, range(25))) == [number**2 for number in range(25)]
    assert list(backend.map(square, [])) == []
    offset = 7
    assert list(backend.map(lambda number: number + offset, range(3))) == [7, 8, 9]


def test_a_crew_takes_items_while_it_works(make: Callable[..., Backend]) -> None:
    sent, received = 0, []
    with make().crew(slow_square) as crew:
        for _ in range(3):
            crew.send(sent)
            sent += 1
        while len(received) < 20:
            received.append(crew.receive())
            for _ in range(min(2, 20 - sent)):
                crew.send(sent)
                sent += 1
    assert received == [number**2 for number in range(20)]


def test_two_crews_share_the_workers(make: Callable[..., Backend]) -> None:
    backend = make()
    with backend.crew(square) as one, backend.crew(slow_square) as other:
        for number in range(4):
            one.send(number)
            other.send(number + 10)
        assert [other.receive() for _ in range(4)] == [100, 121, 144, 169]
        assert [one.receive() for _ in range(4)] == [0, 1, 4, 9]


def test_whoever_leaves_early_leaves_nothing_behind(make: Callable[..., Backend]) -> None:
    backend = make()
    results = backend.map(slow_square, range(1000))
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    results.close()
    with backend.crew(slow_square) as crew:
        crew.send(5)
        assert crew.receive() == 25


@pytest.fixture
def released() -> Iterator[None]:
    """Let go of what hangs in threads after the test."""
    RELEASED.clear()
    yield
    RELEASED.set()


@pytest.mark.usefixtures("released")
def test_a_worker_that_hangs_is_replaced(make: Callable[..., Backend], tmp_path: Path) -> None:
    def attempt(seconds: float) -> None:
        folder = tmp_path / str(seconds)
        folder.mkdir()
        squares = list(make(patience=seconds).map(hang_once, errands(folder, 6, trouble=2)))
        assert squares == [0, 1, 4, 9, 16, 25]
        assert marks(folder, 2) == 2

    patiently(attempt)


@pytest.mark.usefixtures("released")
def test_three_that_hang_are_one_sentence(make: Callable[..., Backend], tmp_path: Path) -> None:
    def attempt(seconds: float) -> None:
        folder = tmp_path / str(seconds)
        folder.mkdir()
        with make(patience=seconds).crew(hang) as crew:
            crew.send(Errand(3, str(folder)))
            with pytest.raises(BackendError, match=r"^hang failed 3 times for Errand\(.*: the last worker took longer"):
                crew.receive()
        assert marks(folder, 3) == 3

    patiently(attempt)


def test_nonsense_is_asked_again(make: Callable[..., Backend], tmp_path: Path) -> None:
    backend = make()
    with backend.crew(babble_once, check=sensible) as crew:
        for errand in errands(tmp_path, 5, trouble=1):
            crew.send(errand)
        assert [crew.receive() for _ in range(5)] == [0, 1, 4, 9, 16]
    assert [marks(tmp_path, number) for number in range(5)] == [1, 2, 1, 1, 1]


def test_nonsense_three_times_is_one_sentence(make: Callable[..., Backend], tmp_path: Path) -> None:
    backend = make()
    with backend.crew(babble, check=sensible) as crew:
        crew.send(Errand(4, str(tmp_path)))
        with pytest.raises(BackendError, match="the last worker returned -1 for the square of 4") as caught:
            crew.receive()
        assert marks(tmp_path, 4) == 3
        assert "\n" not in str(caught.value) and len(str(caught.value)) < ONE_SENTENCE


@pytest.mark.parametrize(
    ("task", "kind", "message"), [(refuse, BadOption, "no square of 7"), (stumble, ZeroDivisionError, "over 7")]
)
def test_what_a_task_raises_comes_back_and_is_not_tried_again(
    make: Callable[..., Backend], tmp_path: Path, task: Any, kind: type[Exception], message: str
) -> None:
    with make().crew(task) as crew:
        for number in (7, 8):
            crew.send(Errand(number, str(tmp_path)))
        with pytest.raises(kind) as caught:
            crew.receive()
        assert type(caught.value) is kind and str(caught.value) == message
        with pytest.raises(kind, match="8"):
            crew.receive()
    assert marks(tmp_path, 7) == 1


def test_an_error_that_cannot_travel_is_told(ray: Ray) -> None:
    with pytest.raises(RuntimeError, match="Stubborn: 3 and 3"):
        list(ray.map(stumble_strangely, [3]))


def test_a_killed_worker_costs_only_its_tasks(ray: Ray, tmp_path: Path) -> None:
    assert list(ray.map(die_once, errands(tmp_path, 12, trouble=5))) == [number**2 for number in range(12)]
    assert marks(tmp_path, 5) == 2
    assert sum(marks(tmp_path, number) for number in range(12)) <= 14


def test_a_task_that_kills_three_workers_is_given_up_and_others_go_on(ray: Ray, tmp_path: Path) -> None:
    with ray.crew(die) as crew:
        for errand in errands(tmp_path, 6, trouble=1):
            crew.send(errand)
        assert crew.receive() == 0
        with pytest.raises(BackendError, match=r"^die failed 3 times for Errand.* the last worker died$") as caught:
            crew.receive()
        assert len(str(caught.value)) < ONE_SENTENCE
        assert [crew.receive() for _ in range(4)] == [4, 9, 16, 25]
    assert 3 <= marks(tmp_path, 1) <= 4  # the first time it may look as if the job before it was to blame


def test_a_worker_killed_from_outside(ray: Ray, tmp_path: Path) -> None:
    workers = set(ray.map(meet, errands(tmp_path, 8)))
    assert len(workers) == 2
    victim = workers.pop()
    with ray.crew(slow_square) as crew:
        for number in range(30):
            crew.send(number)
        os.kill(victim, 9)
        assert [crew.receive() for _ in range(30)] == [number**2 for number in range(30)]


def test_no_more_than_two_tasks_for_each_worker_are_under_way(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    most, give = 0, ray.team._give

    def counted(worker: Any, job: Any) -> None:
        nonlocal most
        give(worker, job)
        most = max(most, sum(len(other.jobs) for other in ray.team.roster.everybody))

    monkeypatch.setattr(ray.team, "_give", counted)
    list(ray.map(square, range(200)))
    assert 2 <= most <= 4
    assert not ray.team.packed and not ray.team.waiting


def test_ray_tells_what_other_version_a_node_has(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    ray.team.close()
    monkeypatch.setattr("understudy.backends.ray_team.__version__", "99.1")
    with pytest.raises(BackendError, match=r"Ray on this machine cannot work: .* every node needs 99\.1$"):
        list(ray.map(square, [1]))
    ray.team.close()


class BusyRay:
    """Ray on a machine on which a node fails to start for a while."""

    def __init__(self, *troubles: str) -> None:
        self.troubles, self.starts, self.shutdowns = list(troubles), 0, 0

    def init(self, **options: Any) -> None:
        self.starts += 1
        if self.troubles:
            raise RuntimeError(self.troubles.pop(0))

    def shutdown(self) -> None:
        self.shutdowns += 1


LATE = "The current node timed out during startup. This could happen because"


def test_a_node_that_was_too_slow_is_started_again() -> None:
    busy = BusyRay(LATE, LATE)
    ray_node._start(busy, 2)
    assert (busy.starts, busy.shutdowns) == (3, 2)
    with pytest.raises(BackendError, match="could not start a node on this machine: The current node timed out"):
        ray_node._start(BusyRay(LATE, LATE, LATE), 2)
    broken = BusyRay("No space left")
    with pytest.raises(BackendError, match=r"could not start a node on this machine: No space left$"):
        ray_node._start(broken, 2)
    assert broken.starts == 1


def test_tables_of_endgames_are_made_by_ray_byte_by_byte(ray: Ray, morris_tables: Path, tmp_path: Path) -> None:
    from understudy.games.morris.solving.making import make_tables

    make_tables(tmp_path, (3, 3), backend=ray)
    for name in ("morris_3v3.safetensors", "morris_3v3_plies.safetensors"):
        assert (tmp_path / name).read_bytes() == (morris_tables / name).read_bytes()


def test_the_caller_is_a_crew_of_one() -> None:
    assert list(Local(1).map(lambda _: threading.get_ident(), range(2))) == [threading.get_ident()] * 2
    assert threading.get_ident() not in set(Local(2).map(lambda _: threading.get_ident(), range(4)))


def test_a_stuck_thread_does_not_keep_the_process() -> None:
    code = (
        "import threading\nfrom understudy.backends import Local\n"
        "with Local(2).crew(lambda _: threading.Event().wait()) as crew: crew.send(1)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)
    assert (ended.returncode, ended.stderr) == (0, "")


KONANE = find_game("konane", (6, 6))
MORRIS = find_game("morris")
PLAN = Watch(
    teacher="searcher:depth=1,ties=random", opponents=("random", "self"), regular=4, custom=2, random=2, seed=3
)


def test_any_backend_plays_the_same_match(ray: Ray) -> None:
    players = ("stochastic:depth=2", "searcher:depth=2,ties=random")
    one, two, three = (
        play_match(KONANE, players, games=12, seed=5, backend=backend, opening_plies=4).games
        for backend in (Local(1), Local(2), ray)
    )
    assert one == two == three
    assert len({game.moves for game in one}) > 6


def test_any_backend_keeps_the_same_records(ray: Ray, tmp_path: Path) -> None:
    backends: dict[str, Backend] = {"one": Local(1), "two": Local(2), "ray": ray}
    for name, backend in backends.items():
        watch(MORRIS, PLAN, tmp_path / name, backend=backend)
    assert len({(tmp_path / name / "records.parquet").read_bytes() for name in backends}) == 1


STUDY = {
    "experiment": {"kind": "evaluators", "game": "konane", "size": "4x4", "title": "A test"},
    "evaluators": {"names": "aq", "depths": [1], "games": 40, "robin": "gq", "robin_games": 20, "seed": 3},
}


def test_a_lab_runs_on_ray(ray: Ray, tmp_path: Path) -> None:
    backends: dict[str, Backend] = {"local": Local(1), "ray": ray}
    for name, backend in backends.items():
        experiment = make_experiment("test", STUDY, folder=Path())
        lab.run(experiment, tmp_path / name, show=lambda news: None, backend=backend)
    assert len({(tmp_path / name / "cells.json").read_bytes() for name in backends}) == 1


def test_students_are_found_beside_the_driver(ray: Ray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray.team.close()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").touch()
    assert list(ray.map(os.path.exists, ["here"])) == [True]
    ray.team.close()


def test_the_table_of_backends(ray: Ray) -> None:
    assert make_backend("local", workers=3).workers == 3
    assert make_backend("local").workers == os.cpu_count()
    backend = make_backend("ray", workers=2)
    assert isinstance(backend, Ray) and backend.workers == 2
    close(backend)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"name": "rai"}, UnknownName, "no backend 'rai'; did you mean 'ray'?"),
        ({"name": "local", "workers": 0}, BadOption, "at least one worker, not 0"),
        ({"name": "ray", "workers": -1}, BadOption, "at least one worker, not -1"),
        ({"name": "local", "address": "head:1"}, BadOption, "'head:1' needs the backend 'ray'"),
        ({"name": "ray", "address": "head:x"}, BadOption, "'head:x' is not a Ray address"),
        ({"name": "ray", "address": "http://head:80"}, BadOption, "'http://head:80' is not a Ray address"),
        ({"name": "ray", "address": "127.0.0.1:99999"}, BadOption, "is not a Ray address"),
        ({"name": "ray", "address": ""}, BadOption, "'' is not a Ray address"),
    ],
)
def test_bad_choices_are_one_sentence(arguments: dict[str, Any], kind: type[UnderstudyError], message: str) -> None:
    with pytest.raises(kind) as caught:
        make_backend(**arguments)
    assert message in str(caught.value)


def unused_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "localhost:{}"])
def test_an_address_nobody_listens_on(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself is not asked: it would wait for minutes."""
    asked: list[Any] = []
    monkeypatch.setattr(ray_node, "import_ray", asked.append)
    address = form.format(unused_port())
    with pytest.raises(BackendError, match=f"^nobody listens at the Ray address {address!r}: "):
        Ray(address)
    assert not asked


def test_auto_finds_no_dead_cluster(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    services = import_module("ray._private.services")
    dead = f"127.0.0.1:{unused_port()}"
    for head, message in ((None, "^there is no Ray cluster on this machine"), (dead, f"^nobody listens at .*{dead}")):
        monkeypatch.setattr(services, "canonicalize_bootstrap_address", lambda address, head=head: head)
        with pytest.raises(BackendError, match=message):
            Ray("auto")


def test_addresses_get_their_usual_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda place, timeout: asked.append(place) or socket.socket())
    heads = [ray_node.find_head(text) for text in ("head", "ray://head", "10.0.0.7:77", "[::1]:5", "[::1]")]
    assert heads == ["head:6379", "ray://head:10001", "10.0.0.7:77", "[::1]:5", "[::1]:6379"]
    assert asked == [("head", 6379), ("head", 10001), ("10.0.0.7", 77), ("::1", 5), ("::1", 6379)]


def test_a_process_joins_one_cluster(ray: Ray) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(BackendError, match="this process has joined another cluster"):
            Ray(address)


def test_a_missing_ray_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BackendError, match=r"pip install 'understudy-games\[cluster\]'$"):
        make_backend("ray")


def test_the_command_line_says_where(ray: Ray) -> None:
    ray.team.close()
    match = ["match", "konane", "searcher:depth=1", "random", "--size", "4", "--games", "6", "--seed", "2", "--json"]
    answers = [
        CliRunner().invoke(commands, [*match, *more]).stdout
        for more in ([], ["--workers", "2"], ["--backend", "ray", "--workers", "2"])
    ]
    assert answers[0] == answers[1] == answers[2] != ""
    done = CliRunner().invoke(commands, [*match, "--address", "head:1"])
    assert isinstance(done.exception, BadOption)
    done = CliRunner().invoke(commands, ["match", "konane", "human", "random", "--backend", "ray"])
    assert isinstance(done.exception, BadOption) and "human" in str(done.exception)


def test_the_program_with_ray_prints_nothing_but_its_answer() -> None:
    command = [sys.executable, "-W", "error", "-m", "understudy", "match", "konane", "random", "random", "--size", "4"]
    done = subprocess.run([*command, "--games", "4", "--json", "--backend", "ray", "--workers", "1"],
                          capture_output=True, text=True, check=False, timeout=LONG)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{") and done.stdout.count("\n") == 1
    assert all("games" in line or "compiling" in line for line in done.stderr.strip().splitlines()), done.stderr


def test_the_program_with_a_dead_address_exits_with_2() -> None:
    command = [sys.executable, "-m", "understudy", "match", "konane", "random", "random"]
    done = subprocess.run([*command, "--backend", "ray", "--address", f"127.0.0.1:{unused_port()}"],
                          capture_output=True, text=True, check=False, timeout=LONG)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("understudy: nobody listens at the Ray address") and done.stderr.count("\n") == 1


def test_any_backend_evolves_the_same(ray: Ray, tmp_path: Path) -> None:
    """A generation of each trainer, and what measures it, are the same wherever they are played."""
    experiment = tiny(trainer__generations=2)
    for name, backend in (("local", Local(2)), ("ray", ray)):
        lab.train(experiment, tmp_path / name, show=quiet, backend=backend)
        lab.judge(experiment, tmp_path / name, show=quiet, backend=backend)
    assert kept(tmp_path / "local") == kept(tmp_path / "ray")
