"""The search for forced wins on 5x5: whether a side can force the end in its favour within so many plies.

A goal is a position, a number of plies and who is to win: the side to move or the other. It is reached or it is not,
and the way that led there does not matter: whoever repeats a position has only lost plies, and endless play reaches no
goal. What is proven of a goal is true wherever the position comes up again.

It is a loop over a stack in the workspace, not a recursion, so it can stop anywhere and go on later. The workspace
holds the line of play it looks at, the moves not yet tried, and the images of the board: one record of arrays, which
compiled code passes as one pointer.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.lines_of_action.rules import BOTH_DRAW, STUCK_LOSES, WALKS, advances, connected, spread, targets
from understudy.games.lines_of_action.solving.table import recall, remember
from understudy.kernels import kernel
from understudy.proofs import Table

SIDE = 5
"""Rows of the board. Everything below is laid out for no more: keys have a bit for each cell and colour."""
CELLS = SIDE * SIDE
BOARD = WALKS[SIDE, 0]
DEEPEST = 24
"""Plies of the longest win that is looked for. The longest that was needed for the first moves is 17; it fits an entry
of the table."""
HEIGHTS = DEEPEST + 1
MOST_MOVES = 48
"""Six stones, eight directions, one distance each."""

FAILED, REACHED, OPEN = 0, 1, -1
"""What is known of a goal."""
IDLE = -1
"""The height when nothing is being searched."""
LOOK = 3
"""From so many plies on, the table is asked of all successors before one is searched; from four on is no faster
(docs/games/lines_of_action.md)."""
SPARE = 2
"""Goals of fewer plies are not looked up: to list the moves decides them."""

CHUNK_BITS = 9
"""A board of 25 cells is turned in three parts of at most nine: tables of 512 entries."""
CHUNKS = 3
_CHUNK = np.uint64((1 << CHUNK_BITS) - 1)
_SHIFT = np.uint64(CHUNK_BITS)
_1 = np.uint64(1)
_CELLS = np.uint64(CELLS)
_ALL = np.uint64((1 << 64) - 1)
_ROW = np.uint64((1 << SIDE) - 1)

Workspace: TypeAlias = Any
"""A record of arrays (see LAYOUT)."""

LAYOUT = np.dtype(
    (
        np.record,
        [
            ("mine", np.uint64, (HEIGHTS,)),  # the line of play
            ("theirs", np.uint64, (HEIGHTS,)),
            ("key", np.uint64, (HEIGHTS,)),  # what the goal is called in the table
            ("left", np.int64, (HEIGHTS,)),  # how many moves are not yet tried
            ("next_mine", np.uint64, (HEIGHTS, MOST_MOVES)),  # the positions after them
            ("next_theirs", np.uint64, (HEIGHTS, MOST_MOVES)),
            ("rank", np.int32, (HEIGHTS, MOST_MOVES)),  # the lowest is tried first
            ("images", np.uint32, (8, CHUNKS, 1 << CHUNK_BITS)),  # where the patterns of a part of the board go
            ("switches", np.int64),
            ("plies", np.int64),  # of the goal at the root
            ("attacking", np.int64),  # 1 where the side to move at the root is to win
            ("height", np.int64),  # of the position to be looked at next, or IDLE
            ("nodes", np.int64),  # positions looked at so far
            ("entries", np.int64),  # places of the table in use
        ],
    )
)


@kernel
def name_goal(workspace: Workspace, mine: Mask, theirs: Mask, attacking: int) -> Mask:
    """Return the key that a goal shares with all images of its position."""
    mine, theirs = _packed(mine), _packed(theirs)
    least = _ALL
    for place in range(8):
        image = (_turned(workspace, place, mine) << _CELLS) | _turned(workspace, place, theirs)
        least = min(least, image)
    return np.uint64((least << _1) | np.uint64(attacking))


@kernel
def _packed(mask: Mask) -> Mask:
    """Return a mask of eight cells a row as one of five."""
    packed, eight = NONE, np.uint64(8)
    for row in range(SIDE):
        packed |= ((mask >> (eight * np.uint64(row))) & _ROW) << np.uint64(SIDE * row)
    return packed


@kernel
def _turned(workspace: Workspace, place: int, packed: Mask) -> Mask:
    """Return the image of a packed mask."""
    image = NONE
    for chunk in range(CHUNKS):
        image |= np.uint64(workspace.images[place, chunk, np.int64(packed & _CHUNK)])
        packed >>= _SHIFT
    return image


@kernel
def resume(workspace: Workspace, table: Table, nodes: int, entries: int) -> int:
    """Go on until the goal at the root is decided; OPEN where a limit came first."""
    height = workspace.height
    while workspace.nodes < nodes and workspace.entries < entries:
        workspace.nodes += 1
        value = _first_look(workspace, table, height)
        if value != OPEN:
            height, value = _climb(workspace, table, height, value)
        if height < 0:
            workspace.height = IDLE
            return value
        _choose_next(workspace, height)
        height += 1
    workspace.height = height
    return OPEN


@kernel
def _first_look(workspace: Workspace, table: Table, height: int) -> int:
    """Return what is known at once of the goal at *height*; where nothing is, its successors are listed.

    The game goes on in every position that is looked at: moves that end it are dealt with when they are listed.
    """
    plies = workspace.plies - height
    attacking = (workspace.attacking + height) & 1
    if plies <= 0:
        return FAILED
    if plies >= SPARE:
        key = name_goal(workspace, workspace.mine[height], workspace.theirs[height], attacking)
        workspace.key[height] = key
        value = recall(table, key, plies)
        if value != OPEN:
            return value
    value = _expand(workspace, height, attacking, plies)
    if value != OPEN or plies < LOOK:
        return value
    return _look_ahead(workspace, table, height, attacking, plies)


@kernel
def _look_ahead(workspace: Workspace, table: Table, height: int, attacking: int, plies: int) -> int:
    """Return what the table knows of successors that decides the goal; those that decide nothing are taken off."""
    kept = 0
    for i in range(workspace.left[height]):
        mine, theirs = workspace.next_mine[height, i], workspace.next_theirs[height, i]
        value = recall(table, name_goal(workspace, mine, theirs, 1 - attacking), plies - 1)
        if value == attacking:
            return value
        if value == OPEN:
            workspace.next_mine[height, kept], workspace.next_theirs[height, kept] = mine, theirs
            workspace.rank[height, kept] = workspace.rank[height, i]
            kept += 1
    workspace.left[height] = kept
    return OPEN if kept else 1 - attacking


@kernel
def _climb(workspace: Workspace, table: Table, height: int, value: int) -> tuple[int, int]:
    """Tell the goals below *height* what its *value* decides; return the first that it does not, and OPEN."""
    _note(workspace, table, height, value)
    while height > 0:
        height -= 1
        attacking = (workspace.attacking + height) & 1
        if value != attacking and workspace.left[height] > 0:
            return height, OPEN
        _note(workspace, table, height, value)
    return IDLE, value


@kernel
def _note(workspace: Workspace, table: Table, height: int, value: int) -> None:
    """Keep what was proven of the goal at *height*."""
    plies = workspace.plies - height
    if plies >= SPARE:
        workspace.entries += remember(table, workspace.key[height], plies, value)


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
def _expand(workspace: Workspace, height: int, attacking: int, plies: int) -> int:
    """List the successors of the position at *height* in which the game goes on; return what its end decides."""
    mine, theirs = workspace.mine[height], workspace.theirs[height]
    stones, stuck = mine, True
    workspace.left[height] = 0
    while stones != NONE:
        origin = lowest(stones)
        stones, ends = rest(stones), targets(origin, mine, theirs, SIDE)
        stuck = stuck and ends == NONE
        while ends != NONE:
            to = bit(lowest(ends))
            ends = rest(ends)
            value = _add(workspace, height, (mine ^ bit(origin)) | to, theirs & ~to, attacking)
            if value != OPEN:
                return value
    if stuck:
        _list(workspace, height, mine, theirs)
    if workspace.left[height] == 0:  # every move loses, or draws at best
        return 1 - attacking
    return OPEN if plies > 1 else FAILED


@kernel
def _add(workspace: Workspace, height: int, mine: Mask, theirs: Mask, attacking: int) -> int:
    """List the position after a move if the game goes on there; return what its end decides.

    A move that wins reaches the mover's goal, or prevents the others'; a draw only prevents. What loses is no help.
    """
    if connected(mine):
        both = workspace.switches & BOTH_DRAW and connected(theirs)
        return OPEN if both and attacking else attacking
    if connected(theirs):
        return OPEN
    if workspace.switches & STUCK_LOSES and advances(theirs, mine, SIDE) == 0:
        return attacking
    _list(workspace, height, mine, theirs)
    return OPEN


@kernel
def _list(workspace: Workspace, height: int, mine: Mask, theirs: Mask) -> None:
    """List a position, seen by who is to move after it."""
    place = workspace.left[height]
    workspace.next_mine[height, place], workspace.next_theirs[height, place] = theirs, mine
    workspace.rank[height, place] = _reach(mine)
    workspace.left[height] = place + 1


@kernel
def _reach(mask: Mask) -> int:
    """Return on how many cells the stones stand or next to how many: few where they are close together."""
    return popcount(spread(mask) & BOARD)
