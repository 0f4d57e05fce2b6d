"""The exhaustive search: depth first, the moves that leave the fewest replies first, a table of what is proven.

It is a loop over a stack in the workspace, not a recursion, so it can stop anywhere and go on later: whoever calls it
sees how far it is, and Ctrl-C is heard. Measured on 6x6 (docs/games/konane.md): below seventeen stones searching is
cheaper than asking the large table, and a small one of what was proven lately serves best; above it a look for lost
successors in the table pays.

The workspace holds the line of play it looks at, the moves not yet tried, and the images of the board: one record of
arrays, which compiled code passes as one pointer; it also keeps a search that was interrupted.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, mixed, popcount, rest
from understudy.games.konane.rules import Konane, jumps_from, removals, takeoffs, vacant
from understudy.kernels import kernel
from understudy.proofs import LOST, UNKNOWN, WON, Table, recall, remember

MOST_CELLS = 36
"""6x6: about a second from the start (docs/games/konane.md). Everything below is laid out for no more."""
HEIGHTS = MOST_CELLS + 1
"""Every ply takes a stone away."""
MOST_MOVES = MOST_CELLS * 2
"""Into an empty cell at most one stone jumps from each side, and half the cells are of its colour."""

FEW_STONES = 16
"""With so few stones only the small table is asked: twice as fast, with a tenth of the memory (measured on 6x6, see
docs/games/konane.md)."""
RECENT = 1 << 12
"""Entries of the small table: 32 KB, as much as the processor has next to it. A quarter faster than none (measured)."""
_RECENT = np.uint64(RECENT - 1)

IDLE = -1
"""The height when nothing is being searched."""

CHUNK_BITS = 9
"""A board of 36 cells is turned in four parts of nine: tables of 512 entries, 256 KB for all images."""
CHUNKS = MOST_CELLS // CHUNK_BITS
_CHUNK = np.uint64((1 << CHUNK_BITS) - 1)
_SHIFT = np.uint64(CHUNK_BITS)
_1 = np.uint64(1)
_ALL = np.uint64((1 << 64) - 1)

Workspace: TypeAlias = Any
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
def canonical(workspace: Workspace, taken: Mask, side: int) -> Mask:
    """Return the key that all images of a position share.

    A symmetry that swaps the colours makes the second player's position one of the first player's, so on most boards
    a key need not tell the side.
    """
    least = _ALL
    for place in range(workspace.symmetries):
        image, left = np.uint64(0), taken
        for chunk in range(CHUNKS):
            image |= workspace.images[side, place, chunk, np.int64(left & _CHUNK)]
            left >>= _SHIFT
        least = min(least, image)
    return np.uint64((least << _1) | (workspace.sided & np.uint64(side)))


@kernel
def solve_batch(
    batch: Any, first: int, out: NDArray[np.int8], workspace: Workspace, table: Table, nodes: int, entries: int
) -> int:
    """Write for each position from *first* on whether its mover wins; return the first one that is not decided.

    It stops early when *nodes* positions were counted or the table holds *entries*: called again with the row that it
    returned, it goes on as if it had not stopped.
    """
    for row in range(first, len(out)):
        if workspace.height == IDLE:
            workspace.mine[0], workspace.theirs[0] = batch.mine[row], batch.theirs[row]
            workspace.side, workspace.height = batch.ply[row] & 1, 0
        value = resume(workspace, table, nodes, entries)
        if value == UNKNOWN:
            return row
        out[row] = value
    return len(out)


@kernel
def resume(workspace: Workspace, table: Table, nodes: int, entries: int) -> int:
    """Go on until the position at the root is decided; UNKNOWN where a limit came first."""
    height = workspace.height
    while workspace.nodes < nodes and workspace.entries < entries:
        workspace.nodes += 1
        value = _first_look(workspace, table, height)
        if value != UNKNOWN:
            height, value = _climb(workspace, table, height, value)
        if height < 0:
            workspace.height = IDLE
            return value
        _choose_next(workspace, height)
        height += 1
    workspace.height = height
    return UNKNOWN


@kernel
def _first_look(workspace: Workspace, table: Table, height: int) -> int:
    """Return what is known at once of the position at *height*; where nothing is, its successors are listed."""
    taken = workspace.mine[height] | workspace.theirs[height]
    side = (workspace.side + height) & 1
    if popcount(taken) <= FEW_STONES:
        value = _expand(workspace, height)
        return value if value != UNKNOWN else _recent(workspace, height, (taken << _1) | np.uint64(side))
    key = canonical(workspace, taken, side)
    workspace.key[height] = key
    value = recall(table, key)
    if value == UNKNOWN:
        value = _expand(workspace, height)
    if value != UNKNOWN:
        return value
    for i in range(workspace.left[height]):
        after = workspace.next_mine[height, i] | workspace.next_theirs[height, i]
        if popcount(after) > FEW_STONES and recall(table, canonical(workspace, after, 1 - side)) == LOST:
            return WON
    return UNKNOWN


@kernel
def _climb(workspace: Workspace, table: Table, height: int, value: int) -> tuple[int, int]:
    """Tell the positions below *height* what its *value* decides; return the first that it does not, and UNKNOWN."""
    while height > 0:
        height -= 1
        if value == WON and workspace.left[height] > 0:
            return height, UNKNOWN
        value = 1 - value
        _note(workspace, table, height, value)
    return IDLE, value


@kernel
def _recent(workspace: Workspace, height: int, key: Mask) -> int:
    """Return what was proven lately of a position with few stones."""
    workspace.key[height] = key
    entry = workspace.recent[np.int64(mixed(key) & _RECENT)]
    if entry >> _1 != key:
        return UNKNOWN
    return WON if entry & _1 else LOST


@kernel
def _note(workspace: Workspace, table: Table, height: int, value: int) -> None:
    """Keep what was proven of the position at *height*."""
    key = workspace.key[height]
    if popcount(workspace.mine[height] | workspace.theirs[height]) > FEW_STONES:
        workspace.entries += remember(table, key, value)
    else:
        workspace.recent[np.int64(mixed(key) & _RECENT)] = (key << _1) | np.uint64(value)


@kernel
def _choose_next(workspace: Workspace, height: int) -> None:
    """Take the untried successor of lowest rank from the list at *height* to the next one."""
    best, last = 0, workspace.left[height] - 1
    for i in range(1, last + 1):
        if workspace.rank[height, i] < workspace.rank[height, best]:
            best = i
    workspace.mine[height + 1] = workspace.next_mine[height, best]
    workspace.theirs[height + 1] = workspace.next_theirs[height, best]
    workspace.next_mine[height, best] = workspace.next_mine[height, last]
    workspace.next_theirs[height, best] = workspace.next_theirs[height, last]
    workspace.rank[height, best] = workspace.rank[height, last]
    workspace.left[height] = last


@kernel
def _expand(workspace: Workspace, height: int) -> int:
    """List the successors of the position at *height*; return WON where one has no reply, LOST where there is none."""
    workspace.left[height] = 0
    position = Konane(workspace.mine[height], workspace.theirs[height], workspace.rows, workspace.columns, 0)
    empty = vacant(position)
    if rest(empty) == NONE:
        return _remove(workspace, height, position, removals(position, empty))
    down, left, right, up = takeoffs(position, empty)
    step = np.uint64(position.columns)
    if (
        _jump_down(workspace, height, position, down, step)
        or _jump_down(workspace, height, position, left, _1)
        or _jump_up(workspace, height, position, right, _1)
        or _jump_up(workspace, height, position, up, step)
    ):
        return WON
    return UNKNOWN if workspace.left[height] else LOST


@kernel
def _remove(workspace: Workspace, height: int, position: Konane, chosen: Mask) -> int:
    while chosen != NONE:
        place = workspace.left[height]
        workspace.next_mine[height, place] = position.theirs
        workspace.next_theirs[height, place] = position.mine ^ bit(lowest(chosen))
        workspace.rank[height, place] = 0
        workspace.left[height] = place + 1
        chosen = rest(chosen)
    return UNKNOWN if workspace.left[height] else LOST


@kernel
def _jump_down(workspace: Workspace, height: int, position: Konane, takeoff: Mask, step: Mask) -> bool:
    """List what jumps towards lower numbers lead to, *step* being the way to the next cell; tell whether one wins."""
    stones = position.mine & takeoff
    while stones != NONE:
        origin = stone = bit(lowest(stones))
        stones, theirs = rest(stones), position.theirs
        while stone & takeoff:
            theirs ^= stone >> step
            stone = stone >> step >> step
            if _add(workspace, height, position.mine ^ origin ^ stone, theirs):
                return True
    return False


@kernel
def _jump_up(workspace: Workspace, height: int, position: Konane, takeoff: Mask, step: Mask) -> bool:
    """List what jumps towards higher numbers lead to."""
    stones = position.mine & takeoff
    while stones != NONE:
        origin = stone = bit(lowest(stones))
        stones, theirs = rest(stones), position.theirs
        while stone & takeoff:
            theirs ^= stone << step
            stone = stone << step << step
            if _add(workspace, height, position.mine ^ origin ^ stone, theirs):
                return True
    return False


@kernel
def _add(workspace: Workspace, height: int, mine: Mask, theirs: Mask) -> bool:
    """List the position after a jump; tell whether the other side is stuck there, which ends the search below it."""
    after = Konane(theirs, mine, workspace.rows, workspace.columns, 0)
    down, left, right, up = takeoffs(after, vacant(after))
    ready = down | left | right | up
    if theirs & ready == NONE:
        return True
    replies = popcount(theirs & ready) + jumps_from(theirs, down, left, right, up, after.columns)
    chances = popcount(mine & ready) + jumps_from(mine, down, left, right, up, after.columns)
    place = workspace.left[height]
    workspace.next_mine[height, place], workspace.next_theirs[height, place] = theirs, mine
    # The fewest replies first, own jumps breaking ties, stones counted beside jumps: of the orders tried the one that
    # met the fewest positions (docs/games/konane.md). 4 puts the replies before the ties; it was chosen by hand.
    workspace.rank[height, place] = 4 * replies - chances
    workspace.left[height] = place + 1
    return False
