"""Endgames of Morris: how long tables take to make on this machine's cores, their bytes, and how fast they answer."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from understudy.backends import Local
from understudy.games.morris.solving.making import find_pairs, make_tables, sides_of
from understudy.games.morris.solving.spaces import Stones, count_places
from understudy.games.morris.solving.tables import Tables, table_file
from understudy.games.morris.solving.verifying import positions_at, verify

STEPS: tuple[Stones, ...] = ((3, 3), (4, 4), (5, 5))
"""Each with all below it; goals are 20 s, 300 s and 3600 s."""
PROBED = 1_000_000
VERIFIED = 1_000_000
WHOLE = [(mine, theirs) for mine in range(3, 10) for theirs in range(3, mine + 1)]
"""All 28 pairs."""


def facts() -> dict[str, Any]:
    """Return what was measured."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        make_tables(folder / "compiling", STEPS[0], backend=Local())
        seconds = {f"{more}v{fewer}": _make(folder / "tables", (more, fewer)) for more, fewer in STEPS}
        tables, opened = _open(folder / "tables")
        places = sum(count_places(stones) for stones in tables.every())
        speed = places / sum(seconds.values())
        whole = sum(count_places(side) for pair in WHOLE for side in sides_of(pair))
        return {
            "seconds": _add_up(seconds), "opened": opened, "probed": _probe(tables), "places": places,
            "per_second": speed, "per_core": speed / (os.cpu_count() or 1),
            "bits": {name: 8 * _bytes(tables, kind) / places for name, kind in (("values", ""), ("plies", "_plies"))},
            "whole": {"places": whole, "hours_here": whole / speed / 3600},
            "wrong": {f"{a}v{b}": verify(tables, (a, b), VERIFIED) for a, b in tables.every()},
            "verified": VERIFIED,
        }  # fmt: skip


def _add_up(seconds: dict[str, float]) -> dict[str, float]:
    """Return how long each step takes with all before it."""
    total = np.cumsum(list(seconds.values())).tolist()
    return dict(zip(seconds, total, strict=True))


def _make(folder: Path, stones: Stones) -> float:
    began = time.perf_counter()
    make_tables(folder, stones, backend=Local())
    return time.perf_counter() - began


def _open(folder: Path) -> tuple[Tables, float]:
    """Return the tables of a folder, all of them open, and how long that took."""
    began = time.perf_counter()
    tables = Tables(folder)
    for stones in tables.every():
        tables.values(stones)
    return tables, time.perf_counter() - began


def _probe(tables: Tables) -> float:
    """Return how many positions a second of all spaces are looked up by one core."""
    rng, spaces = np.random.default_rng(0), tables.every()
    batches = [positions_at(one, rng.integers(count_places(one), size=PROBED // len(spaces))) for one in spaces]
    for batch in batches:
        tables.probe(batch)  # the spaces are numbered, and the kernel compiled, when they are first asked
    began = time.process_time()
    for batch in batches:
        tables.probe(batch)
    return sum(len(batch.mine) for batch in batches) / (time.process_time() - began)


def _bytes(tables: Tables, kind: str) -> int:
    files = (table_file(tables.folder, stones) for stones in tables.every())
    return sum(file.with_name(f"{file.stem}{kind}{file.suffix}").stat().st_size for file in files)


def lines() -> Iterator[str]:
    told = facts()
    for stones, seconds in told["seconds"].items():
        pairs = len(find_pairs((int(stones[0]), int(stones[2]))))
        yield f"{stones} and all below it, {pairs} pairs: {seconds:.1f} s"
    yield f"{told['per_second'] / 1e6:.2f} million positions a second, {told['per_core'] / 1e6:.2f} for each core"
    yield f"bits a position: who wins {told['bits']['values']:.2f}, plies {told['bits']['plies']:.2f}"
    yield f"all tables opened in {told['opened']:.3f} s, {told['probed'] / 1e6:.1f} million positions a second probed"
    yield f"wrong of {told['verified']} in each table, by the rules: {sum(told['wrong'].values())}"
    yield f"the whole game without placing: {told['whole']['hours_here']:.1f} hours on this machine, if memory suffices"
