"""Endgames of Morris numbered without gaps: one place for each class of positions that the symmetries make alike.

A space such as 4v3 holds every placement of four stones of the side to move and three of the other. First the mover's
stones are turned to the least of their sixteen images, which has a number; then the other's stones are counted among
the cells that are left free. Where the mover's stones are their own image in several ways, a list folds what these make
alike into one place. So a place is found by some twenty look-ups in small tables, and no place is empty.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import Mask, bit, lowest, popcount
from understudy.games.morris.notation import FLYING, STONES, SYMMETRIES
from understudy.kernels import kernel

Stones = tuple[int, int]
"""How many stones the side to move has, and how many the other."""

CELLS = 24
BYTES = 3
"""Bytes of a board: each is looked up at once."""
IMAGES = len(SYMMETRIES)
MOST = STONES + 1
"""Numbers of stones, none included."""
_1 = np.uint64(1)
_8 = np.uint64(8)
_16 = np.uint64(16)
_BYTE = np.uint64(255)


def _count_bytes() -> NDArray[np.int64]:
    return np.array([word.bit_count() for word in range(256)])


def _rank_bytes() -> NDArray[np.int32]:
    """Return what a byte adds to the number of a set of cells, by its place and by how many cells stand before it."""
    ranks = np.zeros((BYTES, MOST, 256), np.int32)
    for place in range(BYTES):
        for before in range(MOST):
            for word in range(256):
                cells = [8 * place + cell for cell in range(8) if word >> cell & 1]
                ranks[place, before, word] = sum(comb(cell, before + at + 1) for at, cell in enumerate(cells))
    return ranks


def _squeeze_bytes() -> NDArray[np.uint8]:
    """Return what is left of a byte [taken, word] when the cells that are taken are left out."""
    squeezed = np.zeros((256, 256), np.uint8)
    for taken in range(256):
        free = [cell for cell in range(8) if not taken >> cell & 1]
        for place, cell in enumerate(free):
            squeezed[taken] |= ((np.arange(256) >> cell & 1) << place).astype(np.uint8)
    return squeezed


def _spread_bytes() -> NDArray[np.uint8]:
    """Return the reverse: the cells of a byte that numbers among its free cells mean [taken, numbers]."""
    spread = np.zeros((256, 256), np.uint8)
    for taken in range(256):
        free = [cell for cell in range(8) if not taken >> cell & 1]
        for place, cell in enumerate(free):
            spread[taken] |= ((np.arange(256) >> place & 1) << cell).astype(np.uint8)
    return spread


def _turn_bytes() -> NDArray[np.uint32]:
    """Return where the cells of a byte go [symmetry, place, word]."""
    turned = np.zeros((IMAGES, BYTES, 256), np.uint32)
    words = np.arange(256, dtype=np.uint32)
    for symmetry, permutation in enumerate(SYMMETRIES):
        for cell, to in enumerate(permutation):
            turned[symmetry, cell // 8] |= (words >> np.uint32(cell % 8) & np.uint32(1)) << np.uint32(to)
    return turned


COUNT = _count_bytes()
RANK = _rank_bytes()
SQUEEZE = _squeeze_bytes()
SPREAD = _spread_bytes()
TURN = _turn_bytes()
INVERSE = np.array([int(np.flatnonzero((one[SYMMETRIES] == np.arange(CELLS)).all(axis=1))[0]) for one in SYMMETRIES])
"""Which symmetry undoes each."""


class Space(NamedTuple):
    """All that is needed to number the positions of one space."""

    canon: NDArray[np.int32]
    """By the number of the mover's stones: sixteen times their class, and the symmetry that turns them to its least."""
    least: NDArray[np.uint64]
    """The mover's stones that stand for each class."""
    first: NDArray[np.int64]
    """The first place of each class, and at the end how many places there are."""
    fold: NDArray[np.int64]
    """Where in `folded` each class begins; -1 where only one symmetry leads to its least."""
    folded: NDArray[np.int32]
    """The place within its class of each number of the other's stones."""
    unfolded: NDArray[np.int32]
    """One number of the other's stones for each of these places; in steps of `fold`, too."""
    orbits: NDArray[np.uint8]
    """How many images the position at each of these places has."""


@kernel
def rank(mask: Mask) -> int:
    """Return the number of a set of cells among those of its size, in the order of their masks."""
    low, middle, high = np.int64(mask & _BYTE), np.int64((mask >> _8) & _BYTE), np.int64((mask >> _16) & _BYTE)
    before = COUNT[low]
    return int(RANK[0, 0, low] + RANK[1, before, middle] + RANK[2, before + COUNT[middle], high])


@kernel
def turned(mask: Mask, symmetry: int) -> Mask:
    """Return a set of cells under a symmetry."""
    low, middle, high = np.int64(mask & _BYTE), np.int64((mask >> _8) & _BYTE), np.int64((mask >> _16) & _BYTE)
    return np.uint64(TURN[symmetry, 0, low] | TURN[symmetry, 1, middle] | TURN[symmetry, 2, high])


@kernel
def squeezed(mask: Mask, taken: Mask) -> Mask:
    """Return a set of free cells as numbers among the cells that are not taken."""
    low, middle, high = np.int64(taken & _BYTE), np.int64((taken >> _8) & _BYTE), np.int64((taken >> _16) & _BYTE)
    free = np.uint64(8 - COUNT[low])
    word = np.uint64(SQUEEZE[low, np.int64(mask & _BYTE)])
    word |= np.uint64(SQUEEZE[middle, np.int64((mask >> _8) & _BYTE)]) << free
    return word | np.uint64(SQUEEZE[high, np.int64((mask >> _16) & _BYTE)]) << (free + np.uint64(8 - COUNT[middle]))


@kernel
def spread(mask: Mask, taken: Mask) -> Mask:
    """Return the cells of a set of numbers among the cells that are not taken."""
    low, middle, high = np.int64(taken & _BYTE), np.int64((taken >> _8) & _BYTE), np.int64((taken >> _16) & _BYTE)
    free, next_free = np.uint64(8 - COUNT[low]), np.uint64(8 - COUNT[middle])
    own, others = np.int64(mask & ((_1 << free) - _1)), np.int64((mask >> free) & ((_1 << next_free) - _1))
    out = np.uint64(SPREAD[low, own]) | np.uint64(SPREAD[middle, others]) << _8
    return out | np.uint64(SPREAD[high, np.int64((mask >> (free + next_free)) & _BYTE)]) << _16


@kernel
def follow(mask: Mask) -> Mask:
    """Return the next set of as many cells, in the order of masks."""
    low = bit(lowest(mask))
    high = mask + low
    return high | np.uint64(((mask ^ high) // low) >> np.uint64(2))


@kernel
def unranked(number: int, count: int) -> Mask:
    """Return the set of *count* cells that has a number."""
    mask = np.uint64(0)
    cell = CELLS - 1
    for left in range(count, 0, -1):
        while _choose(cell, left) > number:
            cell -= 1
        mask |= bit(cell)
        number -= _choose(cell, left)
    return mask


CHOOSE = np.array([[comb(cells, count) for count in range(MOST)] for cells in range(CELLS + 1)])
"""How many sets of so many cells there are."""


@kernel
def _choose(cells: int, count: int) -> int:
    return int(CHOOSE[cells, count])


@kernel
def place(space: Space, mine: Mask, theirs: Mask) -> int:
    """Return the place of a position in its space."""
    return locate(space, 0, mine, theirs)


@kernel
def locate(space: Space, start: int, mine: Mask, theirs: Mask) -> int:
    """Return the place of a position in a space whose numbers begin at *start*: several may stand in a row."""
    code = space.canon[start + rank(mine)]
    number = rank(squeezed(turned(theirs, code & 15), space.least[code >> 4]))
    fold = space.fold[code >> 4]
    return int(space.first[code >> 4] + (number if fold < 0 else space.folded[fold + number]))


@kernel
def find_class(space: Space, place: int) -> int:
    """Return the class of the mover's stones at a place."""
    low, high = 0, len(space.least)
    while high - low > 1:
        middle = (low + high) >> 1
        if space.first[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@kernel
def position(space: Space, theirs: int, place: int) -> tuple[Mask, Mask, int]:
    """Return the stones at a place, where the other has *theirs*, and how many images they have."""
    found = find_class(space, place)
    number, fold, orbit = place - space.first[found], space.fold[found], IMAGES
    if fold >= 0:
        orbit, number = int(space.orbits[fold + number]), int(space.unfolded[fold + number])
    mine = space.least[found]
    return mine, spread(unranked(number, theirs), mine), orbit


@kernel
def _find_classes(count: int, canon: NDArray[np.int32], least: NDArray[np.uint64]) -> int:
    """Number the classes of sets of *count* cells in the order of their least; return how many there are."""
    mask, classes = bit(count) - _1, 0
    for number in range(len(canon)):
        if canon[number] < 0:
            least[classes] = mask
            for symmetry in range(IMAGES - 1, -1, -1):  # so that the identity is written last, for the least itself
                canon[rank(turned(mask, symmetry))] = np.int32(16 * classes + INVERSE[symmetry])
            classes += 1
        if number < len(canon) - 1:
            mask = follow(mask)
    return classes


@kernel
def _fold(
    mine: Mask, theirs: int, folded: NDArray[np.int32], unfolded: NDArray[np.int32], orbits: NDArray[np.uint8]
) -> int:
    """Number what the symmetries that keep *mine* leave different of the other's stones; return how many."""
    kept = np.zeros(IMAGES, np.int64)
    group = 0
    for symmetry in range(IMAGES):
        if turned(mine, symmetry) == mine:
            kept[group] = symmetry
            group += 1
    word, total = bit(theirs) - _1, 0
    for number in range(len(folded)):
        if folded[number] < 0:
            mask, fixed = spread(word, mine), 0
            for at in range(group):
                image = turned(mask, kept[at])
                fixed += image == mask
                folded[rank(squeezed(image, mine))] = total
            unfolded[total], orbits[total] = number, IMAGES // fixed
            total += 1
        if number < len(folded) - 1:
            word = follow(word)
    return total


@kernel
def _count_own_images(mine: Mask) -> int:
    """Return how many symmetries leave a set of cells as it is."""
    total = 0
    for symmetry in range(IMAGES):
        total += turned(mine, symmetry) == mine
    return total


@kernel
def _fill(space: Space, theirs: int) -> None:
    """Write where each class begins, and the lists of those that are their own images."""
    numbers, used = CHOOSE[CELLS - popcount(space.least[0]), theirs], 0
    for found in range(len(space.least)):
        size = numbers
        if space.fold[found] >= 0:
            space.fold[found] = used
            part = slice(used, used + numbers)
            size = _fold(space.least[found], theirs, space.folded[part], space.unfolded[part], space.orbits[part])
            used += numbers
        space.first[found + 1] = space.first[found] + size


@cache
def make_space(stones: Stones) -> Space:
    """Return the space of so many stones of the mover and of the other, each from three to nine."""
    mine, theirs = stones
    if not (FLYING <= mine <= STONES and FLYING <= theirs <= STONES):
        raise BadOption(f"{write_stones(stones)} is no endgame of morris: each side has {FLYING} to {STONES} stones")
    canon, least = np.full(comb(CELLS, mine), -1, np.int32), np.zeros(comb(CELLS, mine), np.uint64)
    least = least[: _find_classes(mine, canon, least)].copy()
    fold = np.array([0 if _count_own_images(mask) > 1 else -1 for mask in least], np.int64)
    numbers = comb(CELLS - mine, theirs) * int((fold == 0).sum())
    space = Space(
        canon, least, np.zeros(len(least) + 1, np.int64), fold,
        np.full(numbers, -1, np.int32), np.zeros(numbers, np.int32), np.zeros(numbers, np.uint8),
    )  # fmt: skip
    _fill(space, theirs)
    return space


@cache
def count_places(stones: Stones) -> int:
    """Return how many classes of positions a space has, by Burnside's rule: without making it."""
    mine, theirs = stones
    return sum(_count_fixed(permutation, mine, theirs) for permutation in SYMMETRIES) // IMAGES


def _count_fixed(permutation: NDArray[np.int64], mine: int, theirs: int) -> int:
    """Return how many positions a symmetry leaves as they are: a cycle of it is mine, theirs or empty as a whole."""
    ways = {(0, 0): 1}
    for cycle in _cycles(permutation):
        more: dict[Stones, int] = {}
        for (own, other), count in ways.items():
            for step in ((0, 0), (cycle, 0), (0, cycle)):
                key = own + step[0], other + step[1]
                more[key] = more.get(key, 0) + count
        ways = more
    return ways.get((mine, theirs), 0)


def _cycles(permutation: NDArray[np.int64]) -> list[int]:
    left, lengths = set(range(CELLS)), []
    while left:
        cell, length = left.pop(), 1
        while (cell := int(permutation[cell])) in left:
            left.remove(cell)
            length += 1
        lengths.append(length)
    return lengths


def read_stones(text: str, place: str = "--stones") -> Stones:
    """Return how many stones each side has in what is written like 4v3, the side to move first."""
    parts = text.lower().split("v")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) == 1 for part in parts):
        raise BadOption(f"{place} {text!r} is no endgame of morris; write the mover's stones first, such as 4v3")
    stones = int(parts[0]), int(parts[1])
    if not all(FLYING <= count <= STONES for count in stones):
        raise BadOption(f"{place} {text!r} is no endgame of morris: each side has {FLYING} to {STONES} stones")
    return stones


def write_stones(stones: Stones) -> str:
    """Return how many stones each side has as text."""
    return f"{stones[0]}v{stones[1]}"
