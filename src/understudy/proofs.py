"""What solvers have proven: a hash table of words, each a whole key and who wins.

A key is exact, so an entry may be thrown away at any time and nothing that is read from it is ever wrong. The eight
entries where a key may stand share a line of the processor's cache.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, mixed, popcount
from understudy.kernels import kernel

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
    first = find_bucket(table, key)
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
    first = find_bucket(table, key)
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
def find_bucket(table: Table, key: Mask) -> int:
    """Return the first of the places where *key* may stand."""
    return int(np.int64(mixed(key) & np.uint64(len(table) // BUCKET - 1))) * BUCKET


@kernel
def _copy(table: Table, larger: Table) -> None:
    for entry in table:
        if entry != NONE:
            remember(larger, entry >> _1, WON if entry & _1 else LOST)
