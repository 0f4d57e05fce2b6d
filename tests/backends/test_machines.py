"""A Ray cluster of several machines, one of which is cut off while a generation is played."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.backends.machines import Machines, find_obstacle, machines
from tests.conftest import LONG, wait_until
from tests.lab.test_evolution_lab import kept, quiet, tiny
from understudy import lab
from understudy.backends import Local
from understudy.backends.ray_node import PATIENT

pytest.importorskip("ray")

PORT = 6379
SETTINGS = PATIENT | {
    "RAY_AUTH_MODE": "disabled",
    "RAY_health_check_initial_delay_ms": "2000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "4000",
    "RAY_health_check_failure_threshold": "3",
}
"""No token; and how soon the head gives up a node that it cannot reach: usually it takes longer than a test should."""
STORE = "--object-store-memory=100000000"

DRIVER = """
import sys
from pathlib import Path
from tests.backends.test_machines import evolve
evolve(sys.argv[1], Path(sys.argv[2]))
"""
WORKERS = 2


def experiment() -> Any:
    """Return an evolution of all trainers whose generations take a second or so."""
    larger = {"experiment__size": "8x8", "trainer__depth": 2, "trainer__population": 12, "trainer__generations": 3,
              "trainer__limit": 60}  # fmt: skip
    return tiny("thesis", "steady", **larger, judging__monitors=[], judging__benchmarks=[], judging__baselines=[])


def evolve(address: str, folder: Path) -> None:
    """Be the driver: evolve on a cluster, and say what happens."""
    from understudy.backends import Ray

    with Ray(address, WORKERS) as backend:
        ray, team = backend.node.ray, backend.team
        wait_until(lambda: ray.cluster_resources().get("CPU", 0) >= WORKERS)
        lose = team._lose

        def lost(*what: Any) -> None:
            print("lost", *what[1:2], flush=True)
            lose(*what)

        team._lose = lost  # type: ignore[method-assign]
        lab.train(experiment(), folder, show=lambda news: print(news.note, flush=True), backend=backend)
        hosts = {node["NodeManagerAddress"]: node["Alive"] for node in ray.nodes()}
        print(json.dumps({"done": hosts}), flush=True)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Machines]:
    """A head without processors and two nodes with one each."""
    if (obstacle := find_obstacle()) is not None:
        pytest.skip(obstacle)
    ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--disable-usage-stats"]
    # Sockets have short names, so they cannot be in the folder of the test.
    with tempfile.TemporaryDirectory(prefix="us", ignore_cleanup_errors=True) as place, machines(3, tmp_path) as made:
        head, *others = made.addresses
        made.run(0, [*ray, "--head", "--port", str(PORT), "--node-ip-address", head, "--num-cpus", "0",
                     "--include-dashboard", "false", "--temp-dir", place, STORE], **SETTINGS)  # fmt: skip
        for number, address in enumerate(others, 1):
            node = ["--address", f"{head}:{PORT}", "--node-ip-address", address, "--num-cpus", "1", STORE]
            made.run(number, [*ray, *node], **SETTINGS)
        yield made


def test_a_machine_that_is_cut_off_changes_no_champion(cluster: Machines, tmp_path: Path) -> None:
    here = tmp_path / "here"
    lab.train(experiment(), here, show=quiet, backend=Local(1))
    driver = cluster.start(0, [sys.executable, "-c", DRIVER, f"{cluster.addresses[0]}:{PORT}", str(tmp_path / "there")],
                           **SETTINGS)  # fmt: skip
    lines: list[str] = []
    assert driver.stdout is not None
    for line in driver.stdout:
        lines.append(line.strip())
        if lines[-1].startswith("generation 1,") and not any(other.startswith("cut") for other in lines):
            cluster.cut_off(2)  # the driver has given tasks of the next generation to both nodes, or is about to
            lines.append("cut off")
    assert driver.wait(LONG) == 0, cluster.log(0).read_text()
    driver.stdout.close()
    assert "lost died" in lines[lines.index("cut off") :], lines
    head, one, other = cluster.addresses
    assert json.loads(lines[-1])["done"] == {head: True, one: True, other: False}
    assert kept(tmp_path / "there") == kept(here)
