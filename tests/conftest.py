"""What tests share: the games, random positions, outside data and engines that may be missing."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from understudy.games import CompiledGame, find_game, outside_games

settings.register_profile(
    "any machine", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)  # a machine may be busy, and kernels are compiled when they are first called
settings.load_profile("any machine")

# A shell has its background work ignore Ctrl-C, and children inherit that: those that tests interrupt would go on.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONG = 600.0
"""Seconds after which something that should have happened never will: for what would otherwise hang for ever."""
PATIENCES = (0.5, 5.0, 60.0)
"""Seconds for `patiently`; whoever hangs in a test does so for longer than the longest."""

ROOT = Path(__file__).parent.parent
OUTSIDE = Path(__file__).parent / "outside"
SHARED = ROOT.parent / "shared"

VARIANTS: list[tuple[str, tuple[int, int] | None, dict[str, str]]] = [
    ("morris", None, {}),
    ("konane", None, {}),
    ("konane", (4, 4), {}),
    ("konane", (5, 7), {}),
    ("konane", (10, 10), {}),
    ("lines_of_action", None, {}),
    ("lines_of_action", (5, 5), {"both_connected": "draw", "no_move": "loss"}),
    ("chess", None, {}),
]


MORRIS_LINES = [
    tuple(line.split())
    for line in (
        "a7 d7 g7", "b6 d6 f6", "c5 d5 e5", "a4 b4 c4", "e4 f4 g4", "c3 d3 e3", "b2 d2 f2", "a1 d1 g1",
        "a7 a4 a1", "b6 b4 b2", "c5 c4 c3", "d7 d6 d5", "d3 d2 d1", "e5 e4 e3", "f6 f4 f2", "g7 g4 g1",
    )
]  # fmt: skip
"""The sixteen lines of Nine Men's Morris by the names of their cells."""


def variant_name(variant: tuple[str, tuple[int, int] | None, dict[str, str]]) -> str:
    name, size, rules = variant
    return name + ("" if size is None else f"-{size[0]}x{size[1]}") + ("-rules" if rules else "")


@pytest.fixture(autouse=True)
def seeded() -> None:
    """Give networks the same first weights whichever tests ran before; tests without networks need not load torch."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(1)


@pytest.fixture(params=VARIANTS, ids=variant_name)
def game(request: pytest.FixtureRequest) -> CompiledGame:
    return find_game(*request.param)


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the packages of games and players that stand outside."""
    monkeypatch.syspath_prepend(str(OUTSIDE))
    outside_games.cache_clear()
    yield
    outside_games.cache_clear()


@pytest.fixture(params=[*VARIANTS, ("konane", (6, 6), {}), ("hexapawn", None, {})], ids=variant_name)
def any_game(request: pytest.FixtureRequest, outside: None) -> CompiledGame:
    """Return each game of ours, and one of another package."""
    return find_game(*request.param)


@pytest.fixture
def shared() -> Path:
    if not SHARED.exists():
        pytest.skip("no shared data beside the repository")
    return SHARED


@pytest.fixture
def stockfish() -> str:
    path = shutil.which("stockfish") or shutil.which("stockfish", path="/usr/games")
    if path is None:
        pytest.skip("no stockfish on this machine")
    return path


def random_line(game: CompiledGame, plies: int, seed: int) -> list[tuple[Any, int]]:
    """Return positions and the moves played in them, of one random game cut at *plies*."""
    rng = np.random.default_rng(seed)
    position, line = game.start(), []
    for _ in range(plies):
        moves = game.moves(position)
        if not moves:
            break
        line.append((position, moves[rng.integers(len(moves))]))
        position = game.play(*line[-1])
    return line


def wait_until(happened: Callable[[], object]) -> None:
    """Wait for something that cannot be waited for otherwise."""
    end = time.monotonic() + LONG
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.01)


def patiently(attempt: Callable[[float], None]) -> None:
    """Let an attempt succeed that needs a limit of seconds, long for what is quick and short for what never ends.

    A busy machine may be too slow for the shorter limits; only what is wrong fails with the longest, too.
    """
    for seconds in PATIENCES[:-1]:
        with contextlib.suppress(Exception, pytest.fail.Exception):
            return attempt(seconds)
    return attempt(PATIENCES[-1])


def count_calls(action: Callable[[], object]) -> int:
    """Return how many functions Python calls in *action*: work that no other program on the machine makes longer."""
    calls = 0

    def heard(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def run_interpreted(module: str, call: str) -> str:
    """Return what a call of a test module prints where kernels run as plain Python."""
    code = f"import {module}; print({module}.{call})"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.fixture(scope="session")
def morris_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the tables of Morris endgames 3v3, 4v3 and 3v4."""
    from understudy.backends import Local
    from understudy.games.morris.solving.making import make_tables

    path = tmp_path_factory.mktemp("data") / "morris"
    make_tables(path, (4, 3), backend=Local(2))
    return path


@pytest.fixture
def solved_morris(morris_tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the user's data folder have these tables; return the folder of the tables."""
    monkeypatch.setenv("UNDERSTUDY_DATA", str(morris_tables.parent))
    return morris_tables
