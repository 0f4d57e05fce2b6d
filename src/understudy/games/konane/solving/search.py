"""The exhaustive search: depth first, the moves that leave the fewest replies first, a table of what is proven.

It is a loop over a stack on the desk, not a recursion, so it can stop anywhere and go on later: whoever calls it sees
how far it is, and Ctrl-C is heard. Measured on 6x6 (docs/games/konane.md): below seventeen stones searching is
cheaper than asking the large table, and a small one of what was proven lately serves best; above it a look for lost
successors in the table pays.

The desk holds the line of play it looks at, the moves not yet tried, and the images of the board: one record of arrays,
which compiled code passes as one pointer; it also keeps a search that was interrupted.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, mixed, popcount, rest
from understudy.games.konane.rules import Konane, jumps_from, removals, takeoffs, vacant
from understudy.kernels import kernel
from understudy.solve.table import LOST, UNKNOWN, WON, Table, recalled, remember

MOST_CELLS = 36
HEIGHTS = MOST_CELLS + 1
"""Every ply takes a stone away."""
MOST_MOVES = MOST_CELLS * 2
"""Into an empty cell at most one stone jumps from each side, and half the cells are of its colour."""

FEW_STONES = 16
"""With so few stones only the small table is asked."""
RECENT = 1 << 12
"""As much as the processor has next to it."""
_RECENT = np.uint64(RECENT - 1)

IDLE = -1
"""The height when nothing is being searched."""

CHUNK_BITS = 9
CHUNKS = MOST_CELLS // CHUNK_BITS
_CHUNK = np.uint64((1 << CHUNK_BITS) - 1)
_SHIFT = np.uint64(CHUNK_BITS)
_1 = np.uint64(1)
_ALL = np.uint64((1 << 64) - 1)

Desk: TypeAlias = Any
"""A record of arrays (see LAYOUT)."""

LAYOUT = np.dtype(
    (
        np.record,
        [
            ("mine", np.uint64, (HEIGHTS,)),  # the line of play
            ("theirs", np.uint64, (HEIGHTS,)),
            ("key", np.uint64, (HEIGHTS,)),  # what the position is called in its table
            ("left", np.int64, (HEIGHTS,)),  # how many moves are not yet tried
            ("next_mine", np.uint64, (HEIGHTS, MOST_MOVES)),  # the positions after them
            ("next_theirs", np.uint64, (HEIGHTS, MOST_MOVES)),
            ("rank", np.int32, (HEIGHTS, MOST_MOVES)),  # the lowest is tried first
            ("recent", np.uint64, (RECENT,)),  # as the table, for positions of few stones: new ones replace old ones
            ("rows", np.int64),
            ("columns", np.int64),
            ("side", np.int64),  # who is to move at the root: 0 the first player
            ("height", np.int64),  # of the position to be looked at next, or IDLE
            ("nodes", np.int64),  # positions looked at so far
            ("entries", np.int64),  # places of the table in use
            (
                "images",
                np.uint64,
                (2, 8, CHUNKS, 1 << CHUNK_BITS),
            ),  # by side and symmetry, a part of the board each
            ("symmetries", np.int64),
            ("sided", np.uint64),  # 1 where no symmetry swaps the colours, so that a key must tell the side
        ],
    )
)


@kernel
def canonical(desk: Desk, taken: Mask, side: int) -> Mask:
    """Return the key that all images of a position share.

    A symmetry that swaps the colours makes the second player's position one of the first player's, so on most boards
    a key need not tell the side.
    """
    least = _ALL
    for place in range(desk.symmetries):
        image, left = np.uint64(0), taken
        for chunk in range(CHUNKS):
            image |= desk.images[side, place, chunk, np.int64(left & _CHUNK)]
            left >>= _SHIFT
        least = min(least, image)
    return np.uint64((least << _1) | (desk.sided & np.uint64(side)))


@kernel
def solve_batch(
    batch: Any, first: int, out: NDArray[np.int8], desk: Desk, table: Table, nodes: int, entries: int
) -> int:
    """Write for each position from *first* on whether its mover wins; return the first one that is not decided.

    It stops early when the desk has counted *nodes* positions or the table holds *entries*: called again with the row
    it returned, it goes on as if it had not stopped.
    """
    for row in range(first, len(out)):
        if desk.height == IDLE:
            desk.mine[0], desk.theirs[0] = batch.mine[row], batch.theirs[row]
            desk.side, desk.height = batch.ply[row] & 1, 0
        value = resumed(desk, table, nodes, entries)
        if value == UNKNOWN:
            return row
        out[row] = value
    return len(out)


@kernel
def resumed(desk: Desk, table: Table, nodes: int, entries: int) -> int:
    """Go on until the position at the root is decided; UNKNOWN where a limit came first."""
    height = desk.height
    while desk.nodes < nodes and desk.entries < entries:
        desk.nodes += 1
        value = _first_look(desk, table, height)
        if value != UNKNOWN:
            height, value = _climbed(desk, table, height, value)
        if height < 0:
            desk.height = IDLE
            return value
        _choose_next(desk, height)
        height += 1
    desk.height = height
    return UNKNOWN


@kernel
def _first_look(desk: Desk, table: Table, height: int) -> int:
    """Return what is known at once of the position at *height*; where nothing is, its successors are on the desk."""
    taken = desk.mine[height] | desk.theirs[height]
    side = (desk.side + height) & 1
    if popcount(taken) <= FEW_STONES:
        value = _expand(desk, height)
        return value if value != UNKNOWN else _recent(desk, height, (taken << _1) | np.uint64(side))
    key = canonical(desk, taken, side)
    desk.key[height] = key
    value = recalled(table, key)
    if value == UNKNOWN:
        value = _expand(desk, height)
    if value != UNKNOWN:
        return value
    for i in range(desk.left[height]):
        after = desk.next_mine[height, i] | desk.next_theirs[height, i]
        if popcount(after) > FEW_STONES and recalled(table, canonical(desk, after, 1 - side)) == LOST:
            return WON
    return UNKNOWN


@kernel
def _climbed(desk: Desk, table: Table, height: int, value: int) -> tuple[int, int]:
    """Tell the positions below *height* what its *value* decides; return the first that it does not, and UNKNOWN."""
    while height > 0:
        height -= 1
        if value == WON and desk.left[height] > 0:
            return height, UNKNOWN
        value = 1 - value
        _note(desk, table, height, value)
    return IDLE, value


@kernel
def _recent(desk: Desk, height: int, key: Mask) -> int:
    """Return what was proven lately of a position with few stones."""
    desk.key[height] = key
    entry = desk.recent[np.int64(mixed(key) & _RECENT)]
    if entry >> _1 != key:
        return UNKNOWN
    return WON if entry & _1 else LOST


@kernel
def _note(desk: Desk, table: Table, height: int, value: int) -> None:
    """Keep what was proven of the position at *height*."""
    key = desk.key[height]
    if popcount(desk.mine[height] | desk.theirs[height]) > FEW_STONES:
        desk.entries += remember(table, key, value)
    else:
        desk.recent[np.int64(mixed(key) & _RECENT)] = (key << _1) | np.uint64(value)


@kernel
def _choose_next(desk: Desk, height: int) -> None:
    """Take the untried successor of lowest rank from the list at *height* to the next one."""
    best, last = 0, desk.left[height] - 1
    for i in range(1, last + 1):
        if desk.rank[height, i] < desk.rank[height, best]:
            best = i
    desk.mine[height + 1] = desk.next_mine[height, best]
    desk.theirs[height + 1] = desk.next_theirs[height, best]
    desk.next_mine[height, best] = desk.next_mine[height, last]
    desk.next_theirs[height, best] = desk.next_theirs[height, last]
    desk.rank[height, best] = desk.rank[height, last]
    desk.left[height] = last


@kernel
def _expand(desk: Desk, height: int) -> int:
    """List the successors of the position at *height*; return WON where one has no reply, LOST where there is none."""
    desk.left[height] = 0
    position = Konane(desk.mine[height], desk.theirs[height], desk.rows, desk.columns, 0)
    empty = vacant(position)
    if rest(empty) == NONE:
        return _remove(desk, height, position, removals(position, empty))
    down, left, right, up = takeoffs(position, empty)
    step = np.uint64(position.columns)
    if (
        _jump_down(desk, height, position, down, step)
        or _jump_down(desk, height, position, left, _1)
        or _jump_up(desk, height, position, right, _1)
        or _jump_up(desk, height, position, up, step)
    ):
        return WON
    return UNKNOWN if desk.left[height] else LOST


@kernel
def _remove(desk: Desk, height: int, position: Konane, chosen: Mask) -> int:
    while chosen != NONE:
        place = desk.left[height]
        desk.next_mine[height, place] = position.theirs
        desk.next_theirs[height, place] = position.mine ^ bit(lowest(chosen))
        desk.rank[height, place] = 0
        desk.left[height] = place + 1
        chosen = rest(chosen)
    return UNKNOWN if desk.left[height] else LOST


@kernel
def _jump_down(desk: Desk, height: int, position: Konane, takeoff: Mask, step: Mask) -> bool:
    """List what jumps towards lower numbers lead to, *step* being the way to the next cell; tell whether one wins."""
    stones = position.mine & takeoff
    while stones != NONE:
        origin = stone = bit(lowest(stones))
        stones, theirs = rest(stones), position.theirs
        while stone & takeoff:
            theirs ^= stone >> step
            stone = stone >> step >> step
            if _add(desk, height, position.mine ^ origin ^ stone, theirs):
                return True
    return False


@kernel
def _jump_up(desk: Desk, height: int, position: Konane, takeoff: Mask, step: Mask) -> bool:
    """List what jumps towards higher numbers lead to."""
    stones = position.mine & takeoff
    while stones != NONE:
        origin = stone = bit(lowest(stones))
        stones, theirs = rest(stones), position.theirs
        while stone & takeoff:
            theirs ^= stone << step
            stone = stone << step << step
            if _add(desk, height, position.mine ^ origin ^ stone, theirs):
                return True
    return False


@kernel
def _add(desk: Desk, height: int, mine: Mask, theirs: Mask) -> bool:
    """List the position after a jump; tell whether the other side is stuck there, which ends the search below it."""
    after = Konane(theirs, mine, desk.rows, desk.columns, 0)
    down, left, right, up = takeoffs(after, vacant(after))
    ready = down | left | right | up
    if theirs & ready == NONE:
        return True
    replies = popcount(theirs & ready) + jumps_from(theirs, down, left, right, up, after.columns)
    chances = popcount(mine & ready) + jumps_from(mine, down, left, right, up, after.columns)
    place = desk.left[height]
    desk.next_mine[height, place], desk.next_theirs[height, place] = theirs, mine
    desk.rank[height, place] = 4 * replies - chances
    desk.left[height] = place + 1
    return False
