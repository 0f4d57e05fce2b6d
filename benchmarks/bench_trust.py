"""What trust costs: the share of a run that goes into locks, checksums and syncing.

Two versions of a program differ by less than a machine does from minute to minute. So whole commands run under
Python's profiler, and the seconds inside the guards are held against all of them; the guards are everything that only
trust asks for, also what stood there before. What the checking of an engine's answers costs is part of the benchmark
`labels`, which compares with a bare loop that checks nothing.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.bench_labels import list_fens
from benchmarks.table import Line
from understudy.cli import commands
from understudy.errors import EngineError
from understudy.games.chess.players.engine import find_engine

ALLOWED = 0.03
"""The share that guards may take."""
GUARDS = ("understudy/sums.py", "understudy/locks.py")
"""Modules that are guards and nothing else."""
SYNCS = ("sync", "_sweep")
"""Functions of `files.py` that are."""
POSITIONS = 600

RUNS = {
    "learning Morris moves": ["run", "morris_quick", "--set", "training.epochs=8"],
    "evolving Lines of Action": ["run", "plogann", "--quick"],
}


def lines() -> Iterator[Line]:
    with tempfile.TemporaryDirectory() as folder:
        for what, words in _list_commands(Path(folder)).items():
            whole, guards = measure(words)
            # The limit is the rate, so that more is better, as in every line.
            yield Line(f"guards while {what}", 100 * ALLOWED, "% allowed", "% taken", 100 * guards / whole)


def _list_commands(folder: Path) -> dict[str, list[str]]:
    commands = {what: [*words, "--run", str(folder / words[1])] for what, words in RUNS.items()}
    try:
        find_engine("stockfish")
    except EngineError as error:
        print(f"trust: {error}")
        return commands
    fens = folder / "fens.txt"
    fens.write_text("\n".join(list_fens(POSITIONS)) + "\n", encoding="utf-8")
    return {"labelling chess": ["label", str(fens), str(folder / "labels.parquet"), "--workers", "1"]} | commands


def measure(words: list[str]) -> tuple[float, float]:
    """Return the seconds of a command, and those that its guards take."""
    profile, began = cProfile.Profile(), time.perf_counter()
    profile.enable()
    try:
        with redirect_stdout(sys.stderr):
            commands.main(words, standalone_mode=False)
    finally:
        profile.disable()
    seconds = time.perf_counter() - began
    return seconds, sum(_list_guards(pstats.Stats(profile)))


def _list_guards(stats: pstats.Stats) -> Iterator[float]:
    """Return the seconds of each guard: its own, and those of what it calls outside the guards."""
    for (file, _, name), (_, _, own, _, callers) in stats.stats.items():  # type: ignore[attr-defined]
        if _is_guard(file, name):
            yield own
        else:
            yield sum(row[3] for (place, _, caller), row in callers.items() if _is_guard(place, caller))


def _is_guard(file: str, name: str) -> bool:
    return file.endswith(GUARDS) or (file.endswith("understudy/files.py") and name in SYNCS)
