"""Runs that another program watches: progress in a file, and an end when that program is gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import LONG, ROOT, wait_until
from understudy.cli.attending import PROGRESS, Teller, attended
from understudy.lab.run import Progress

WAITING = """
import sys, time
from understudy.cli.attending import attended
from understudy.lab.run import Progress
try:
    with attended(lambda progress: None) as show:
        show(Progress("waiting", 0.5, "for ever"))
        time.sleep(1000)
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PROGRESS, raising=False)
    told: list[Progress] = []
    with attended(told.append) as show:
        show(Progress("a", 0.5))
    assert told == [Progress("a", 0.5)]


def test_a_teller_keeps_the_last_of_each_task(tmp_path: Path) -> None:
    teller = Teller(tmp_path / "progress.json")
    for progress in (Progress("a", 0.1, "first"), Progress("a", 0.2), Progress("b", 0.0), Progress("a", 1.0)):
        teller.tell(progress)
    written = json.loads((tmp_path / "progress.json").read_text())
    assert written == {"tasks": [{"task": "a", "done": 1.0, "note": "first"}, {"task": "b", "done": 0.0, "note": ""}]}


def test_a_run_ends_with_who_started_it(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    environment = {**os.environ, PROGRESS: str(path), "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen([sys.executable, "-c", WAITING], stdin=subprocess.PIPE, env=environment)
    wait_until(path.exists)
    assert json.loads(path.read_text())["tasks"] == [{"task": "waiting", "done": 0.5, "note": "for ever"}]
    assert process.poll() is None and process.stdin is not None
    process.stdin.close()
    assert process.wait(LONG) in (130, -signal.SIGINT)
