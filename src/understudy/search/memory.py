"""Chance and memory inside kernels, both of which can be saved, so that a stopped run goes on as if it had not stopped.

Chance is SplitMix64 on 64 bits in an array; a memory tells what a position was worth so far, and how often it came.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import Mask, mixed
from understudy.games.rules import key
from understudy.kernels import kernel

_STEP = np.uint64(0x9E3779B97F4A7C15)
"""2^64 over the golden ratio: SplitMix64's own."""
_SHIFT = np.uint64(32)
"""A product with the upper half of the bits scales them to a range without a division."""


def make_random_state(rng: np.random.Generator) -> NDArray[np.uint64]:
    """Return a fresh state [1]."""
    return rng.integers(0, 1 << 63, 1, np.uint64)


@kernel
def number(random_state: NDArray[np.uint64]) -> Mask:
    """Return 64 random bits."""
    random_state[0] = random_state[0] + _STEP
    return mixed(random_state[0])


@kernel
def below(random_state: NDArray[np.uint64], limit: int) -> int:
    """Return a number from 0 to *limit* - 1, each as likely as the others (to within a billionth)."""
    random_state[0] = random_state[0] + _STEP
    number: int = np.int64(((mixed(random_state[0]) >> _SHIFT) * np.uint64(limit)) >> _SHIFT)  # type: ignore[assignment]
    return number


NEUTRAL = 0.5
"""What a position is worth of which nothing is known: as likely won as lost."""
NOWHERE = -1


class Memory(NamedTuple):
    """Room for positions; the rows from 0 to `filled[0]` hold one each."""

    places: NDArray[np.int32]
    """By the last bits of a key: in which row its position is, or NOWHERE; twice as many as rows, or more."""
    keys: NDArray[np.uint64]
    mine: NDArray[np.uint64]
    theirs: NDArray[np.uint64]
    plies: NDArray[np.int64]
    """The ply at which a position was first met."""
    values: NDArray[np.float64]
    """What a position is worth to who has just moved: 0 lost, 1 won."""
    visits: NDArray[np.int64]
    filled: NDArray[np.int64]
    """How many rows are in use [1]."""

    @property
    def room(self) -> int:
        """How many more positions it can take."""
        return len(self.keys) - int(self.filled[0])


def make_memory(bits: int = 12) -> Memory:
    """Return an empty memory for 2 ** *bits* positions: few at first, since it doubles whenever it is full."""
    rows = 1 << bits
    return Memory(
        places=np.full(2 * rows, NOWHERE, np.int32),
        keys=np.zeros(rows, np.uint64),
        mine=np.zeros(rows, np.uint64),
        theirs=np.zeros(rows, np.uint64),
        plies=np.zeros(rows, np.int64),
        values=np.full(rows, NEUTRAL),
        visits=np.zeros(rows, np.int64),
        filled=np.zeros(1, np.int64),
    )


def enlarged(memory: Memory) -> Memory:
    """Return the same memory with twice the room."""
    larger, rows = make_memory(len(memory.keys).bit_length()), int(memory.filled[0])
    for old, new in zip(memory[1:-1], larger[1:-1], strict=True):
        new[:rows] = old[:rows]
    larger.filled[0] = rows
    index(larger)
    return larger


@kernel
def index(memory: Memory) -> None:
    """Write where each position is; for rows that were filled by hand."""
    memory.places[:] = NOWHERE
    for row in range(memory.filled[0]):
        memory.places[_place(memory, memory.keys[row])] = row


@kernel
def recall_value(memory: Memory, name: Mask) -> float:
    """Return what the position with this key was worth so far; neutral if it was never met."""
    row = memory.places[_place(memory, name)]
    return NEUTRAL if row == NOWHERE else memory.values[row]


@kernel
def find_row(memory: Memory, position: Any) -> int:
    """Return the row of a position, a new and neutral one if it was never met; there must be room."""
    name = key(position)
    place = _place(memory, name)
    if memory.places[place] == NOWHERE:
        row = memory.filled[0]
        memory.filled[0] = row + 1
        memory.places[place], memory.keys[row] = row, name
        memory.mine[row], memory.theirs[row], memory.plies[row] = position.mine, position.theirs, position.ply
        memory.values[row], memory.visits[row] = NEUTRAL, 0
    return int(memory.places[place])


@kernel
def _place(memory: Memory, name: Mask) -> int:
    """Return the place of a key, or the empty one where it belongs."""
    last = len(memory.places) - 1
    place = int(np.int64(name & np.uint64(last)))
    while memory.places[place] != NOWHERE and memory.keys[memory.places[place]] != name:
        place = (place + 1) & last
    return place
