"""What tests share: the games, random positions, outside data and engines that may be missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.games import CompiledGame, find_game

ROOT = Path(__file__).parent.parent
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


def run_interpreted(module: str, call: str) -> str:
    """Return what a call of a test module prints where kernels run as plain Python."""
    code = f"import {module}; print({module}.{call})"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()
