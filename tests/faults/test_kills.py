"""Killed at any moment, work goes on when it is started again, and comes to what it would have come to."""

from __future__ import annotations

import json
import multiprocessing
import os
import pkgutil
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.faults.effort import LONG_FORM, times
from tests.faults.tally import tally
from tests.faults.works import VALUED_KIND, WORKS, do, read_all

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such kills")

SHORT = ("watch", "tablebase")
"""Work that is killed in every test run: the least, in parts and joined."""
KILLS = times(1, 8)
EPOCHS = {"values": "values", "imitation": "imitation", "labels": "labels", VALUED_KIND: "valued"}
"""Work that notes its epochs in a journal, and the module that does so."""
CHAIN = 3
"""At most so many kills on the way to one result."""


@pytest.fixture(scope="module")
def nursery() -> multiprocessing.context.ForkServerContext:
    """Give a process that has everything loaded, and of which others are made at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.faults.works"])
    return context


def start(nursery: multiprocessing.context.ForkServerContext, work: str, folder: Path) -> multiprocessing.Process:
    (folder / "out").parent.mkdir(exist_ok=True)
    process = nursery.Process(target=do, args=(work, str(folder)))
    process.start()
    return process  # type: ignore[return-value]


@pytest.mark.parametrize("work", WORKS if LONG_FORM else SHORT)
def test_killed_work_comes_to_the_same(
    work: str, nursery: multiprocessing.context.ForkServerContext, tmp_path: Path
) -> None:
    finish(nursery, work, tmp_path / "first")  # which may have kernels to compile: nobody else takes as long
    began = time.monotonic()
    expected = finish(nursery, work, tmp_path / "whole")
    seconds, rng, turn = time.monotonic() - began, random.Random(work), 0
    with tally("kills") as kills:
        while kills.tried < KILLS:
            turn += 1
            assert turn < 20 * KILLS, "it is always done before it is killed"
            folder = tmp_path / str(turn)
            for _ in range(min(CHAIN, KILLS - kills.tried)):
                kills.tried += is_killed(start(nursery, work, folder), rng.uniform(0.0, seconds))
            assert finish(nursery, work, folder) == expected
            kills.held = kills.tried


def finish(nursery: multiprocessing.context.ForkServerContext, work: str, folder: Path) -> dict[str, Any]:
    """Do all that is left of some work; return what has come of it."""
    process = start(nursery, work, folder)
    process.join()
    assert process.exitcode == 0
    return read_all(folder / "out")


class Stop(BaseException):
    """What ends some work where it stands."""


@pytest.mark.parametrize("kept", [False, True], ids=["before the checkpoint", "after it"])
@pytest.mark.parametrize(("work", "module"), EPOCHS.items() if LONG_FORM else [("values", EPOCHS["values"])])
def test_no_line_of_progress_is_lost_or_told_twice(
    work: str, module: str, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped between the journal and the checkpoint of an epoch, at each of the first two."""
    place = f"understudy.lab.kinds.{module}.save_checkpoint"
    save = pkgutil.resolve_name(place.replace(".save", ":save"))

    def stop(*words: Any) -> None:
        if kept:
            save(*words)
        raise Stop

    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(place, stop)
            with pytest.raises(Stop):
                WORKS[work](Path("out"))
    WORKS[work](Path("out"))
    lines = [json.loads(line) for line in Path("out/progress.jsonl").read_text().splitlines()]
    networks = {(line["student"], line["network"]): [] for line in lines}
    for line in lines:
        networks[line["student"], line["network"]].append(line["epoch"])
    assert networks and all(epochs == list(range(len(epochs))) for epochs in networks.values()), networks
    assert all(len(epochs) > 1 for epochs in networks.values())


def is_killed(process: multiprocessing.Process, seconds: float) -> bool:
    """Kill a process after some seconds; return whether it was still at work."""
    process.join(seconds)
    process.kill()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0
