"""Konane on boards of 65 to 196 cells: position and kernels, stone by stone and direction by direction.

The rules are those of `rules.py`; masks are four words, the lowest cells first. Written another way than the kernels
for small boards, so that each can be tried against the other on a board that both can hold.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, ONE, Mask, bit, listed, lowest, mixed, popcount, rest
from understudy.games.kind import ONGOING
from understudy.games.konane.notation import colour_masks, packed
from understudy.kernels import kernel

CELLS = 196
"""14 x 14: the largest board, as a cell's number must fit eight bits of a move's code."""
MOST_MOVES = 400
"""Into an empty cell at most one stone can jump from each side, and at most 98 cells are of its colour."""

FEATURES = 2 * CELLS
"""My cells, their cells."""

Words: TypeAlias = tuple[Mask, Mask, Mask, Mask]


class KonaneLarge(NamedTuple):
    """A position seen by the side to move; how many cells are empty tells whether stones are removed or jump."""

    mine: tuple[Mask, Mask, Mask, Mask]
    theirs: tuple[Mask, Mask, Mask, Mask]
    rows: int
    columns: int
    ply: int


NO_WORDS: Words = (NONE, NONE, NONE, NONE)


def start(rows: int, columns: int) -> KonaneLarge:
    """Return the full board."""
    black, white = (packed(mask, NO_WORDS) for mask in colour_masks(rows, columns))
    return KonaneLarge(black, white, rows, columns, 0)


@kernel
def has(words: Words, cell: int) -> bool:
    """Tell whether *cell* is in a mask of four words."""
    low = words[0] if cell < 64 else words[1]
    high = words[2] if cell < 192 else words[3]
    return bool(((low if cell < 128 else high) >> np.uint64(cell & 63)) & ONE != NONE)


@kernel
def toggled(words: Words, cell: int) -> Words:
    """Return the mask with *cell* put in or taken out."""
    word, spot = cell >> 6, bit(cell & 63)
    return (
        words[0] ^ (spot if word == 0 else NONE),
        words[1] ^ (spot if word == 1 else NONE),
        words[2] ^ (spot if word == 2 else NONE),
        words[3] ^ (spot if word == 3 else NONE),
    )


@kernel
def size_of(words: Words) -> int:
    """Return how many cells are in a mask of four words."""
    return popcount(words[0]) + popcount(words[1]) + popcount(words[2]) + popcount(words[3])


@kernel
def occupied(position: KonaneLarge) -> Words:
    """Return the cells with a stone: next to a stone it is always an enemy."""
    mine, theirs = position.mine, position.theirs
    return mine[0] | theirs[0], mine[1] | theirs[1], mine[2] | theirs[2], mine[3] | theirs[3]


@kernel
def holes(position: KonaneLarge) -> int:
    """Return how many cells are empty."""
    return position.rows * position.columns - size_of(position.mine) - size_of(position.theirs)


@kernel
def chain(taken: Words, origin: int, step: int, room: int) -> int:
    """Return how many jumps in a row lead from *origin* by steps of *step* cells, where the board ends after *room*."""
    cell, jumped = origin, 0
    while room >= 2 and has(taken, cell + step) and not has(taken, cell + 2 * step):
        cell += 2 * step
        room -= 2
        jumped += 1
    return jumped


@kernel
def chains(position: KonaneLarge, taken: Words, origin: int) -> tuple[int, int, int, int]:
    """Return how many jumps in a row the stone on *origin* has down, left, right and up."""
    rows, columns = position.rows, position.columns
    row = origin // columns
    column = origin - row * columns
    return (
        chain(taken, origin, -columns, row),
        chain(taken, origin, -1, column),
        chain(taken, origin, 1, columns - 1 - column),
        chain(taken, origin, columns, rows - 1 - row),
    )


@kernel
def moves(position: KonaneLarge, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves, ascending; return how many."""
    empty, taken = holes(position), occupied(position)
    total = 0
    for word in range(4):
        left = position.mine[word]
        while left != NONE:
            origin = word * 64 + lowest(left)
            left = rest(left)
            if empty > 1:
                total = _write_jumps(position, taken, origin, out, total)
            elif _removable(position, taken, origin):
                out[total] = origin * 257
                total += 1
    return total


@kernel
def _write_jumps(position: KonaneLarge, taken: Words, origin: int, out: NDArray[np.int32], total: int) -> int:
    """Write the jumps of one stone by where they end: far below first, far above last."""
    down, left, right, up = chains(position, taken, origin)
    for jumped in range(-down, up + 1):
        if jumped != 0:
            out[total] = origin << 8 | (origin + 2 * jumped * position.columns)
            total += 1
            continue
        for across in range(-left, right + 1):
            if across != 0:
                out[total] = origin << 8 | (origin + 2 * across)
                total += 1
    return total


@kernel
def _removable(position: KonaneLarge, taken: Words, cell: int) -> bool:
    """Tell whether the stone on *cell* may be removed in the opening."""
    rows, columns = position.rows, position.columns
    row, column = cell // columns, cell % columns
    if holes(position) == 0:
        return is_first(row, column, rows, columns)
    return (
        (row > 0 and not has(taken, cell - columns))
        or (column > 0 and not has(taken, cell - 1))
        or (column < columns - 1 and not has(taken, cell + 1))
        or (row < rows - 1 and not has(taken, cell + columns))
    )


@kernel
def is_first(row: int, column: int, rows: int, columns: int) -> bool:
    """Tell whether a cell is a corner or one of the middle cells."""
    if row == 0 or row == rows - 1:
        return column == 0 or column == columns - 1
    return abs(2 * row - rows + 1) <= 1 and abs(2 * column - columns + 1) <= 1


@kernel
def count(position: KonaneLarge) -> int:
    """Return how many moves are legal, without listing them."""
    if holes(position) > 1:
        return jumps(position, 0)
    taken, total = occupied(position), 0
    for word in range(4):
        left = position.mine[word]
        while left != NONE:
            total += 1 if _removable(position, taken, word * 64 + lowest(left)) else 0
            left = rest(left)
    return total


@kernel
def movable(position: KonaneLarge) -> bool:
    """Tell whether the side to move has a move; in the opening there always is one."""
    if holes(position) <= 1:
        return True
    taken = occupied(position)
    for word in range(4):
        left = position.mine[word]
        while left != NONE:
            down, across, back, up = chains(position, taken, word * 64 + lowest(left))
            if down + across + back + up > 0:
                return True
            left = rest(left)
    return False


@kernel
def play(position: KonaneLarge, move: int) -> KonaneLarge:
    """Return the position after a legal move, seen by the other side."""
    origin, to = move >> 8, move & 255
    mine, theirs = toggled(position.mine, origin), position.theirs
    if to != origin:
        mine = toggled(mine, to)
        step = position.columns if abs(to - origin) >= position.columns else 1
        for cell in range(min(origin, to) + step, max(origin, to), 2 * step):
            theirs = toggled(theirs, cell)
    return KonaneLarge(theirs, mine, position.rows, position.columns, position.ply + 1)


@kernel
def outcome(position: KonaneLarge, count: int) -> int:
    """Return -1 if the side to move has lost, else ONGOING; *count* tells how many moves there are."""
    return -1 if count == 0 else ONGOING


@kernel
def turn(position: KonaneLarge) -> KonaneLarge:
    """Return the same stones seen by the other side, as if the side to move had passed."""
    return KonaneLarge(position.theirs, position.mine, position.rows, position.columns, position.ply + 1)


@kernel
def key(position: KonaneLarge) -> Mask:
    """Return a key equal for equal placements with the same side to move, on boards of one size."""
    result = np.uint64(position.ply & 1)
    for word in range(4):
        result = mixed(result) ^ position.mine[word] ^ position.theirs[word]
    return mixed(result)


@kernel
def features(position: KonaneLarge, out: NDArray[np.int32]) -> int:
    """Write which of the binary features hold: my cells, then their cells."""
    total = 0
    for word in range(4):
        total = listed(position.mine[word], word * 64, out, total)
    for word in range(4):
        total = listed(position.theirs[word], CELLS + word * 64, out, total)
    return total


@kernel
def changes(position: KonaneLarge, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write which features a move takes away and which it brings, both seen by who moves; return how many."""
    origin, to = move >> 8, move & 255
    gone[0], come[0] = origin, to
    if to == origin:  # a removal
        return 1, 0
    left, step = 1, position.columns if abs(to - origin) >= position.columns else 1
    for cell in range(min(origin, to) + step, max(origin, to), 2 * step):
        gone[left] = CELLS + cell
        left += 1
    return left, 1


@kernel
def mirrored(feature: int) -> int:
    """Return under which number the other side sees a feature."""
    return feature + CELLS if feature < CELLS else feature - CELLS


@kernel
def mark(position: KonaneLarge, kinds: int, out: NDArray[Mask]) -> None:
    """Write masks of what the board shows to both sides alike, as many *kinds* as are asked for, four words each.

    The cells that hold a stone; those whose stone can move; those whose stone can jump down, left, right and up.
    """
    taken = occupied(position)
    for word in range(4):
        out[word] = taken[word]
    for word in range(4, 4 * kinds):
        out[word] = NONE
    opening = holes(position) <= 1
    for word in range(4 if kinds > 1 else 0):
        left = taken[word]
        while left != NONE:
            cell = word * 64 + lowest(left)
            left = rest(left)
            if opening:
                out[4 + word] |= bit(cell & 63) if _removable(position, taken, cell) else NONE
            else:
                _mark_jumps(position, taken, cell, kinds, out)


@kernel
def _mark_jumps(position: KonaneLarge, taken: Words, cell: int, kinds: int, out: NDArray[Mask]) -> None:
    """Write whether the stone on *cell* can jump, and in which directions."""
    word, spot = cell >> 6, bit(cell & 63)
    jumped = chains(position, taken, cell)
    for direction in range(4):
        if jumped[direction] > 0:
            out[4 + word] |= spot
            if kinds > 2:
                out[8 + 4 * direction + word] |= spot


@kernel
def promise(position: KonaneLarge, move: int) -> int:
    """Return how early a search should try *move*: no kind of move stands out."""
    return 0


# Counters for evaluators; *side* 0 is the side to move, 1 the other.


@kernel
def pieces(position: KonaneLarge, side: int) -> int:
    """Return how many stones a side has."""
    return size_of(position.mine if side == 0 else position.theirs)


@kernel
def jumps(position: KonaneLarge, side: int) -> int:
    """Return how many jumps a side would have, were it to move; removals of the opening do not count."""
    taken, total = occupied(position), 0
    for word in range(4):
        unseen = position.mine[word] if side == 0 else position.theirs[word]
        while unseen != NONE:
            down, left, right, up = chains(position, taken, word * 64 + lowest(unseen))
            total += down + left + right + up
            unseen = rest(unseen)
    return total


@kernel
def movable_stones(position: KonaneLarge, side: int) -> int:
    """Return how many stones of a side can jump."""
    taken, total = occupied(position), 0
    for word in range(4):
        unseen = position.mine[word] if side == 0 else position.theirs[word]
        while unseen != NONE:
            down, left, right, up = chains(position, taken, word * 64 + lowest(unseen))
            total += 1 if down + left + right + up > 0 else 0
            unseen = rest(unseen)
    return total


@kernel
def template_removals(position: KonaneLarge, side: int) -> int:
    """Return the removals the source's program sees for a side while at most one cell is empty, later -1.

    For Black all first removals, even after one is made; for White the neighbours of the hole, or of the upper centre.
    """
    empty, rows, columns = holes(position), position.rows, position.columns
    if empty > 1:
        return -1
    black = (position.ply + side) & 1 == 0
    taken, total = occupied(position), 0
    hole = rows // 2 * columns + columns // 2
    for cell in range(rows * columns):
        row, column = cell // columns, cell % columns
        if not has(taken, cell):
            hole = cell
        if black and (row + column) & 1 == 0 and is_first(row, column, rows, columns):
            total += 1
    if black:
        return total
    row, column = hole // columns, hole % columns
    return 4 - (row == 0) - (row == rows - 1) - (column == 0) - (column == columns - 1)


def reason(position: KonaneLarge) -> str:
    """Return why a finished game ended."""
    return "no move"
