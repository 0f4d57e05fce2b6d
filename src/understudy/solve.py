"""Perfect play: who wins, exactly, where a game has a solver; what is particular of a game is in its folder.

The module that a game names for `solver` has a class `Solver` and a function `check_solvable`. What a solver has
proven it keeps in a hash table of words, each a whole key and who wins. A key is exact, so an entry may be thrown away
at any time and nothing that is read from it is ever wrong. The eight entries where a key may stand share a line of the
processor's cache.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import GAMES, CompiledGame, find_kind
from understudy.games.bits import NONE, Mask, mixed, popcount
from understudy.kernels import kernel
from understudy.protocols import Move

FEW_CELLS = 16
"""On so small a board every position can be listed."""

Progress = Callable[[int], None]
"""Hears, now and then, how many positions were searched since the solver was made."""


class MoveValues(NamedTuple):
    """Whether each move of each position wins; those of the i-th position stand from `first[i]` to `first[i + 1]`."""

    first: NDArray[np.int64]
    moves: NDArray[np.int32]
    wins: NDArray[np.bool_]

    def of(self, row: int) -> dict[Move, bool]:
        """Return the moves of one position."""
        part = slice(self.first[row], self.first[row + 1])
        return dict(zip(self.moves[part].tolist(), self.wins[part].tolist(), strict=True))

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many moves each position has."""
        return np.diff(self.first)

    @property
    def winning(self) -> NDArray[np.int64]:
        """How many of them win."""
        return np.diff(np.concatenate([[0], self.wins.cumsum()])[self.first])


class Solver(Protocol):
    """Perfect knowledge of one board; one thread at a time, others wait."""

    @property
    def positions(self) -> int:
        """How many positions were searched so far."""
        ...

    def wins(self, position: Any, *, progress: Progress | None = None) -> bool:
        """Tell whether the side to move wins."""
        ...

    def values(self, position: Any, *, progress: Progress | None = None) -> dict[Move, bool]:
        """Tell of each legal move whether it wins for the side to move."""
        ...

    def solve(self, batch: Any, *, progress: Progress | None = None) -> NDArray[np.bool_]:
        """Tell of each position of a batch whether the side to move wins."""
        ...

    def solve_moves(self, batch: Any, *, progress: Progress | None = None) -> MoveValues:
        """Tell of each legal move of each position of a batch whether it wins for the side to move."""
        ...


def check_solvable(game: CompiledGame) -> None:
    """Raise unless a solver can know *game* perfectly."""
    if game.kind.solver is None:
        solvable = ", ".join(name for name in GAMES if find_kind(name).solver)
        raise BadOption(f"only {solvable} can be solved, not {game.name}")
    game.kind.load("solver").check_solvable(game)


def make_solver(game: CompiledGame) -> Solver:
    """Return a new solver of this board, which has proven nothing yet."""
    check_solvable(game)
    solver: Solver = game.kind.load("solver").Solver(game)
    return solver


def shared_solver(game: CompiledGame) -> Solver:
    """Return the solver of this board that everybody in this process shares, so that nothing is proven twice."""
    check_solvable(game)
    with _making:
        return _shared(game)


_making = threading.Lock()
_shared = cache(make_solver)


LOST, WON, UNKNOWN = 0, 1, -1
"""What is known of a position, for the side to move."""

Table: TypeAlias = NDArray[np.uint64]

FIRST_SIZE = 1 << 16
"""Entries at first: half a megabyte, enough for small boards."""
LARGEST_SIZE = 1 << 26
"""Entries: half a gigabyte, chosen so that an ordinary machine has it to spare."""

BUCKET = 8
"""Entries of a line of the cache: 64 bytes."""
_1 = np.uint64(1)


def make_table(size: int = FIRST_SIZE) -> Table:
    """Return an empty table of *size* entries, a power of two."""
    return np.zeros(size, np.uint64)


def enlarged(table: Table, *, times: int) -> Table:
    """Return a table so many times as large, a power of two, that knows the same."""
    larger = make_table(len(table) * times)
    _copy(table, larger)
    return larger


@kernel
def recall(table: Table, key: Mask) -> int:
    """Return what the table knows of *key*, which is never 0."""
    first = _bucket(table, key)
    for place in range(BUCKET):
        entry = table[first + place]
        if entry >> _1 == key:
            return WON if entry & _1 else LOST
        if entry == NONE:
            return UNKNOWN
    return UNKNOWN


@kernel
def remember(table: Table, key: Mask, value: int) -> int:
    """Write what was proven of *key*; return how many more entries are in use than before.

    Where all eight places are in use the position with the fewest stones goes: it is the cheapest to prove again.
    """
    first = _bucket(table, key)
    entry = (key << _1) | np.uint64(value)
    fewest, victim = 65, 0  # a word has no 65 bits, so the first is taken for a start
    for place in range(BUCKET):
        other = table[first + place]
        if other == NONE or other >> _1 == key:
            table[first + place] = entry
            return 1 if other == NONE else 0
        stones = popcount(other)
        if stones < fewest:
            fewest, victim = stones, place
    table[first + victim] = entry
    return 0


@kernel
def _bucket(table: Table, key: Mask) -> int:
    """Return the first of the places where *key* may stand."""
    return int(np.int64(mixed(key) & np.uint64(len(table) // BUCKET - 1))) * BUCKET


@kernel
def _copy(table: Table, larger: Table) -> None:
    for entry in table:
        if entry != NONE:
            remember(larger, entry >> _1, WON if entry & _1 else LOST)
