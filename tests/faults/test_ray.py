"""A node of Ray that dies is told, and one whose driver dies ends: with Ray itself, in processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import LONG, ROOT
from tests.faults.tally import tally

pytest.importorskip("ray")
if not Path("/proc/self/environ").exists():
    pytest.skip("processes are found by /proc", allow_module_level=True)

DRIVER = """
import time
from tests.faults.test_ray import doze
from understudy.backends import Ray
from understudy.errors import BackendError

with Ray(workers=1) as backend, backend.crew(doze) as crew:
    crew.send(0.0)
    crew.receive()
    crew.send(1e6)
    print("at work", flush=True)
    try:
        crew.receive()
    except BackendError as error:
        print(error, flush=True)
"""
MARK = "UNDERSTUDY_TEST_MARK"
SILENCE = 120.0
"""Seconds within which a death is told on any machine; on an idle one it takes six. Ray itself waits for minutes."""


def doze(seconds: float) -> None:
    """Do nothing: what a worker is given."""
    time.sleep(seconds)


def processes(mark: str) -> dict[int, str]:
    """Return the living processes that have a mark in their environment, and their programs."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            marked = f"{MARK}={mark}".encode() in (place / "environ").read_bytes().split(b"\0")
            living = (place / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            if marked and living:
                found[int(place.name)] = (place / "cmdline").read_text().partition("\0")[0]
        except OSError:  # it has ended meanwhile, or is not ours
            continue
    return found


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A driver whose only worker is busy; all its processes bear a mark."""
    environment = os.environ | {MARK: tmp_path.name, "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src")))}
    started = subprocess.Popen([sys.executable, "-c", DRIVER], env=environment, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    assert started.stdout.readline() == "at work\n"
    yield started
    started.stdout.close()
    for process in processes(tmp_path.name):
        os.kill(process, signal.SIGKILL)
    started.wait(LONG)


@pytest.mark.parametrize("vital", ["raylet", "gcs_server"])
def test_a_node_that_dies_is_told(driver: subprocess.Popen[str], tmp_path: Path, vital: str) -> None:
    killed = next(number for number, program in processes(tmp_path.name).items() if program.endswith(f"/{vital}"))
    began = time.monotonic()
    assert driver.stdout is not None
    sentence = f"Ray on this machine has died: its process {vital!r} ended with -9\n"
    with tally("dead nodes") as nodes, nodes.timed():
        os.kill(killed, signal.SIGKILL)
        assert any(line == sentence for line in driver.stdout)  # among what Ray itself may say
    assert time.monotonic() - began < SILENCE


def test_a_node_ends_with_its_driver(driver: subprocess.Popen[str], tmp_path: Path) -> None:
    assert len(processes(tmp_path.name)) > 3
    deadline = time.monotonic() + SILENCE
    with tally("dead drivers") as drivers, drivers.timed():
        driver.kill()
        driver.wait(LONG)
        while left := processes(tmp_path.name):
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
