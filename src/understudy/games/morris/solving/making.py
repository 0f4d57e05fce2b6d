"""Tables of endgames made: which spaces need which, tasks for workers, and where a killed solver goes on.

A space and its reverse are a pair. Workers look at parts of a space and back from places that are certain; what they
find is put together here, in an order that changes nothing, so that any number of workers anywhere makes the same
bytes. Every minute what is known is kept beside the tables; whoever is stopped goes on from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError, understood
from understudy.files import make_folder
from understudy.games.morris.notation import FLYING
from understudy.games.morris.solving.retrograde import Known, begin, find_certain, hear, look_back, settle
from understudy.games.morris.solving.spaces import Stones, count_places, make_space, write_stones
from understudy.games.morris.solving.tables import VERSION, Tables, plies_file, save_table, shared_tables, table_file
from understudy.locks import locked
from understudy.protocols import Backend
from understudy.tensors import load_arrays, save_arrays

USUAL: Stones = (5, 5)
"""What is solved unless somebody says otherwise, with all that it needs."""
PART = 1 << 19
"""Places that a worker looks at in one task: half a second or so."""
BATCH = 1 << 14
"""Certain places that a worker looks back from in one task: a tenth of a second, and some megabytes of messages."""
MOST_BACK = 54
"""Positions before one: three stones that fly have come from at most 18 empty cells each; others from fewer."""
KEEP_SECONDS = 60.0
"""What is known is kept after so long: this much work at most is lost by a kill."""
PER_SECOND = 1_000_000
"""Places that a core solves in a second, measured on 5v5: for the time that is expected before anything was done."""

Progress = Callable[[str, int], None]
"""Hears which space is being solved, and how many more places are done."""


@dataclass(frozen=True, eq=False)
class Beginning:
    """A part of a space that a worker looks at; the tables that it needs lie in a folder."""

    stones: Stones
    start: int
    stop: int
    folder: str


@dataclass(frozen=True, eq=False)
class Looking:
    """Places of a space that a worker looks back from."""

    stones: Stones
    places: NDArray[np.int64]


class Begun(NamedTuple):
    """What a worker found in a part of a space."""

    known: Known
    highest: int


def begin_part(task: Beginning) -> Begun:
    """Look at a part of a space."""
    mine, theirs = task.stones
    fewer, solved = task.stones, np.zeros(0, np.uint16)
    if theirs > FLYING:
        fewer = theirs - 1, mine
        solved = shared_tables(task.folder).plies(fewer)
    known = _make_known(task.stop - task.start)
    highest = begin(make_space(task.stones), theirs, make_space(fewer), solved, task.start, known)
    return Begun(known, highest)


def look_back_from(task: Looking) -> NDArray[np.uint64]:
    """Look back from places of a space."""
    stones = task.stones
    out = np.empty(MOST_BACK * len(task.places), np.uint64)
    total = look_back(make_space(stones), stones[1], make_space(stones[::-1]), task.places, out)
    return out[:total].copy()


def find_pairs(stones: Stones) -> list[Stones]:
    """Return the pairs that must be solved for a space, the side with more stones first, in an order that works."""
    more, fewer = max(stones), min(stones)
    pairs = [(a, b) for a in range(FLYING, more + 1) for b in range(FLYING, min(a, fewer) + 1)]
    return sorted(pairs, key=lambda pair: (sum(pair), pair))


def sides_of(pair: Stones) -> list[Stones]:
    """Return the spaces of a pair: one if both sides have as many stones."""
    return [pair] if pair[0] == pair[1] else [pair, pair[::-1]]


def find_missing(folder: Path, stones: Stones) -> list[Stones]:
    """Return the pairs of which a table is missing."""
    return [pair for pair in find_pairs(stones) if not all(_is_there(folder, side) for side in sides_of(pair))]


def count_missing(folder: Path, stones: Stones) -> int:
    """Return how many places have to be solved."""
    return sum(count_places(side) for pair in find_missing(folder, stones) for side in sides_of(pair))


def make_tables(
    folder: Path, stones: Stones, *, backend: Backend, progress: Progress = lambda what, places: None
) -> None:
    """Solve a space and all that it needs, unless they are there; one process at a time works in a folder."""
    make_folder(folder)
    with locked(folder):
        for pair in find_missing(folder, stones):
            Pair(folder, pair, backend, progress).solve()


class Pair:
    """A space and its reverse while they are solved."""

    def __init__(self, folder: Path, pair: Stones, backend: Backend, progress: Progress) -> None:
        self.folder, self.backend, self.progress = folder, backend, progress
        self.sides, self.name = sides_of(pair), write_stones(pair)
        self.known = {side: _make_known(count_places(side)) for side in self.sides}
        self.begun, self.level, self.highest = dict.fromkeys(self.sides, 0), 1, 0
        self.file = folder / f"morris_{self.name}.part.safetensors"
        self.kept = time.monotonic()

    def solve(self) -> None:
        """Solve both spaces from where an earlier process was stopped, and write their tables."""
        if self.file.exists():
            self._go_on()
        for side in self.sides:
            self.progress(self.name, self.begun[side])
            self._begin(side)
        while self.level <= self.highest:
            for side in self.sides:
                self._tell_earlier(side)
            self.level += 1
            self._keep()
        for side in self.sides:
            settle(self.known[side])
            save_table(self.folder, side, self.known[side].plies)
        self.file.unlink(missing_ok=True)

    def _begin(self, side: Stones) -> None:
        """Look at all positions of a space that nobody has looked at."""
        total = len(self.known[side].plies)
        starts = range(self.begun[side], total, PART)
        tasks = [Beginning(side, start, min(start + PART, total), str(self.folder)) for start in starts]
        for task, found in zip(tasks, self.backend.map(begin_part, tasks), strict=True):
            for name in range(2):
                self.known[side][name][task.start : task.stop] = found.known[name]
            self.highest = max(self.highest, found.highest)
            self.begun[side] = task.stop
            self.progress(self.name, task.stop - task.start)
            self._keep()

    def _tell_earlier(self, side: Stones) -> None:
        """Let positions before those of a space that are certain at this level know of it."""
        earlier = self.known[side[::-1]]
        tasks = (Looking(side, places) for places in self._find_certain(side))
        for messages in self.backend.map(look_back_from, tasks):
            self.highest = max(self.highest, hear(earlier, messages, self.level))

    def _find_certain(self, side: Stones) -> Iterator[NDArray[np.int64]]:
        """Yield the places of a space that are certain at this level; what is heard meanwhile is of the next."""
        row, known = 0, self.known[side]
        while row < len(known.plies):
            places = np.empty(BATCH, np.int64)
            total, row = find_certain(known, self.level, row, places)
            if total:
                yield places[:total]

    def _keep(self) -> None:
        """Keep what is known, now and then."""
        if time.monotonic() - self.kept < KEEP_SECONDS:
            return
        arrays = {f"{write_stones(side)}_{name}": array for side, known in self.known.items()
                  for name, array in known._asdict().items()}  # fmt: skip
        begun = {write_stones(side): count for side, count in self.begun.items()}
        facts = {"version": VERSION, "begun": begun, "level": self.level, "highest": self.highest}
        save_arrays(self.file, arrays, facts)
        self.kept = time.monotonic()

    def _go_on(self) -> None:
        """Take what an earlier process has kept."""
        arrays, facts = load_arrays(self.file, "part of an endgame table")
        with understood(f"the file {str(self.file)!r}"):
            if facts["version"] != VERSION:
                raise FileError(f"{str(self.file)!r} is of version {facts['version']}, not {VERSION}; delete it")
            self.level, self.highest = int(facts["level"]), int(facts["highest"])
            self.begun = {side: int(facts["begun"][write_stones(side)]) for side in self.sides}
            found = {
                side: Known(*(arrays[f"{write_stones(side)}_{name}"] for name in Known._fields)) for side in self.sides
            }
            if any(_shape(found[side]) != _shape(known) for side, known in self.known.items()):
                raise FileError(f"{str(self.file)!r} is of another endgame; delete it")
            self.known = found


def _make_known(places: int) -> Known:
    return Known(np.zeros(places, np.uint16), np.zeros(places, np.uint16))


def _shape(known: Known) -> list[Any]:
    return [(array.shape, array.dtype) for array in known]


def _is_there(folder: Path, stones: Stones) -> bool:
    """Tell whether both files of a space are there; what is wrong with them is said when they are read."""
    return table_file(folder, stones).exists() and plies_file(folder, stones).exists()


def summarise_all(folder: Path, stones: Stones) -> list[dict[str, Any]]:
    """Return what is in the tables of a space, and of all that it needs, the fewest stones first."""
    tables = Tables(folder)
    return [tables.summary(side)._asdict() for pair in find_pairs(stones) for side in sides_of(pair)]
