"""What is proven of goals: a hash table of words, each a whole key and the plies within which its goal is reached.

A key is exact, so an entry may be thrown away at any time and nothing that is read from it is ever wrong.
"""

from __future__ import annotations

import numpy as np

from understudy.games.bits import NONE, Mask
from understudy.kernels import kernel
from understudy.proofs import BUCKET, Table, find_bucket, make_table

NEVER = 63
"""Stands for the plies of a goal that is not known to be reached: the last number of six bits."""

_PLIES = np.uint64(6)
_NUMBERS = np.uint64(12)
_LOW = np.uint64(63)


def enlarged(table: Table, *, times: int) -> Table:
    """Return a table so many times as large, a power of two, that knows the same."""
    larger = make_table(len(table) * times)
    _copy(table, larger)
    return larger


@kernel
def recall(table: Table, key: Mask, plies: int) -> int:
    """Return whether the goal is known to be reached within so many plies: 1, 0, or -1 where nobody knows."""
    first = find_bucket(table, key)
    for place in range(BUCKET):
        entry = table[first + place]
        if entry >> _NUMBERS == key:
            if np.int64(entry & _LOW) <= plies:
                return 1
            return 0 if np.int64((entry >> _PLIES) & _LOW) >= plies else -1
        if entry == NONE:
            return -1
    return -1


@kernel
def remember(table: Table, key: Mask, plies: int, value: int) -> int:
    """Write whether the goal is reached within so many plies; return how many more entries are in use than before.

    Where all places are in use the entry goes that looked the least far: it is the cheapest to prove again.
    """
    first = find_bucket(table, key)
    least, victim = NEVER + 1, 0
    for place in range(BUCKET):
        entry = table[first + place]
        if entry == NONE or entry >> _NUMBERS == key:
            table[first + place] = _merged(entry, key, plies, value)
            return 1 if entry == NONE else 0
        reached, failed = int(entry & _LOW), int((entry >> _PLIES) & _LOW)
        far = failed if reached == NEVER else reached
        if far < least:
            least, victim = far, place
    table[first + victim] = _merged(NONE, key, plies, value)
    return 0


@kernel
def _merged(entry: Mask, key: Mask, plies: int, value: int) -> Mask:
    """Return an entry with one more thing known; it holds the most plies that fail and the fewest that do not."""
    failed = np.int64((entry >> _PLIES) & _LOW) if entry != NONE else 0
    reached = np.int64(entry & _LOW) if entry != NONE else NEVER
    if value == 1:
        reached = min(reached, plies)
    else:
        failed = max(failed, plies)
    return (key << _NUMBERS) | (np.uint64(failed) << _PLIES) | np.uint64(reached)


@kernel
def _copy(table: Table, larger: Table) -> None:
    for entry in table:
        if entry != NONE:
            _put(larger, entry)


@kernel
def _put(table: Table, entry: Mask) -> None:
    """Write an entry where there is room; in a table larger than the one it comes from there nearly always is."""
    first = find_bucket(table, entry >> _NUMBERS)
    for place in range(BUCKET):
        if table[first + place] == NONE:
            table[first + place] = entry
            return
