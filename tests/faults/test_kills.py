"""Killed at any moment, work goes on when it is started again, and comes to what it would have come to."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path

import pytest

from tests.faults.effort import LONG_FORM, times
from tests.faults.works import WORKS, do, read_all

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such kills")

SHORT = ("watch", "tablebase")
"""Work that is killed in every test run: the least, in parts and joined."""
KILLS = times(1, 10)
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
    began = time.monotonic()
    whole = start(nursery, work, tmp_path / "whole")
    whole.join()
    seconds, rng, killed, turn = time.monotonic() - began, random.Random(work), 0, 0
    assert whole.exitcode == 0
    expected = read_all(tmp_path / "whole" / "out")
    while killed < KILLS:
        turn += 1
        assert turn < 20 * KILLS, "it is always done before it is killed"
        folder = tmp_path / str(turn)
        for _ in range(min(CHAIN, KILLS - killed)):
            process = start(nursery, work, folder)
            process.join(rng.uniform(0.0, seconds))
            process.kill()
            process.join()
            assert process.exitcode in (0, -signal.SIGKILL)
            killed += process.exitcode != 0
        last = start(nursery, work, folder)
        last.join()
        assert last.exitcode == 0
        assert read_all(folder / "out") == expected
