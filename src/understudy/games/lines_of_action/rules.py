"""Lines of Action on boards of 4 x 4 to 8 x 8 cells: the rules as kernels; text is in `notation.py`.

Rules after Sackson and Winands, as told by Miller (2010); doubtful points as in docs/games/lines_of_action.md. Every
board is laid out with eight cells a row (cell = 8 * row + column, a1 = 0, row 0 at the bottom), a smaller one in the
corner at a1, so the same shifts and rays serve all sizes. To count moves all stones of a side advance together; the
two kinds of diagonals are first tilted into rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import NONE, Mask, bit, listed, lowest, mixed, popcount, rest
from understudy.games.kind import ONGOING, Variant, check_rules
from understudy.games.lines_of_action.notation import PASS, SIZES, LinesOfAction, board
from understudy.kernels import kernel
from understudy.protocols import Conventions

MOST_MOVES = 96
"""Twelve stones, eight directions, one distance each."""
FEATURES = 128
"""My 64 cells, their 64 cells."""

BOTH_DRAW = 1
"""Switch: a move that connects both sides is a draw, not a win for the mover."""
STUCK_LOSES = 2
"""Switch: a side without a move has lost, it does not pass."""

SWITCHES = {"both_connected": ("win", "draw"), "no_move": ("pass", "loss")}
"""Doubtful points of the rules that can be set, the usual setting first (docs/games/lines_of_action.md)."""

_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_8 = np.uint64(8)
_16 = np.uint64(16)
_32 = np.uint64(32)
_48 = np.uint64(48)
_56 = np.uint64(56)
_255 = np.uint64(255)
# Masks of alternate bits, pairs and bytes, to add up all rows at once (the usual way to count bits in a word), and the
# columns that the three steps of tilting turn: every second, two of four, four of eight.
_LOW_BITS = np.uint64(0x0101010101010101)
_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_ODD = np.uint64(0xAAAAAAAAAAAAAAAA)
_HALF = np.uint64(0xCCCCCCCCCCCCCCCC)
_HIGH = np.uint64(0xF0F0F0F0F0F0F0F0)
_NOT_A = np.uint64(0xFEFEFEFEFEFEFEFE)
_NOT_H = np.uint64(0x7F7F7F7F7F7F7F7F)

# Tilting turns column c by c rows, up or down around the board, so that each diagonal falls into one row. A row then
# holds a long and a short diagonal, which _NEAR_UP and _NEAR_DOWN tell apart.


def _mask(cells: list[tuple[int, int]]) -> int:
    return sum(1 << 8 * (row % 8) + column for row, column in cells)


def _walks(size: int) -> list[int]:
    """Return the board, then the cells that a step east and a step west may enter: in rows, tilted up, tilted down."""
    cells = [(row, column) for row in range(size) for column in range(size)]
    masks = [_mask(cells)]
    for slope in (0, 1, -1):
        for step in (1, -1):
            entered = [(r, c) for r, c in cells if 0 <= c - step < size and 0 <= r + slope * step < size]
            masks.append(_mask([(r + slope * c, c) for r, c in entered]))
    return masks


WALKS = np.array([_walks(size) for size in range(9)], np.uint64)
"""[size, walk]: see _walks."""
_NEAR_UP = np.uint64(_mask([(row, column) for row in range(8) for column in range(row + 1)]))
_NEAR_DOWN = np.uint64(_mask([(row, column) for row in range(8) for column in range(8 - row)]))

STEPS = np.array([1, 8, 9, 7], np.int64)
"""From a cell to the next one in each direction; the opposite directions are four further on in the rays."""


def _ray(cell: int, direction: int) -> int:
    columns, rows = (1, 0, 1, -1, -1, 0, -1, 1)[direction], (0, 1, 1, 1, 0, -1, -1, -1)[direction]
    ways = [(cell // 8 + rows * far, cell % 8 + columns * far) for far in range(1, 8)]
    return _mask([(row, column) for row, column in ways if 0 <= row < 8 and 0 <= column < 8])


RAYS = np.array([[_ray(cell, direction) for cell in range(64)] for direction in range(8)], np.uint64)
"""[direction, cell]: the cells of the large board that lie ahead."""


@kernel
def tilted_up(mask: Mask) -> Mask:
    """Return *mask* with column c turned c rows upward: cells of equal row + column come to one row."""
    mask ^= _ODD & (mask ^ ((mask << _8) | (mask >> _56)))
    mask ^= _HALF & (mask ^ ((mask << _16) | (mask >> _48)))
    return mask ^ (_HIGH & (mask ^ ((mask << _32) | (mask >> _32))))


@kernel
def tilted_down(mask: Mask) -> Mask:
    """Return *mask* with column c turned c rows downward: cells of equal row - column come to one row."""
    mask ^= _ODD & (mask ^ ((mask >> _8) | (mask << _56)))
    mask ^= _HALF & (mask ^ ((mask >> _16) | (mask << _48)))
    return mask ^ (_HIGH & (mask ^ ((mask >> _32) | (mask << _32))))


@kernel
def row_counts(mask: Mask) -> Mask:
    """Return how many cells of *mask* each row has, a byte a row."""
    mask = mask - ((mask >> _1) & _PAIRS)
    mask = (mask & _NIBBLES) + ((mask >> _2) & _NIBBLES)
    return (mask + (mask >> _4)) & _BYTES


@kernel
def _row_planes(occupied: Mask) -> tuple[Mask, Mask, Mask]:
    """Return the cells whose row's count has bit 0, bit 1, bit 2 set."""
    counts = row_counts(occupied)
    return (
        (counts & _LOW_BITS) * _255,
        ((counts >> _1) & _LOW_BITS) * _255,
        ((counts >> _2) & _LOW_BITS) * _255,
    )


@kernel
def _column_planes(occupied: Mask) -> tuple[Mask, Mask, Mask]:
    """Return the cells whose column's count has bit 0, bit 1, bit 2 set: all columns are added up at once."""
    other = (occupied << _8) | (occupied >> _56)
    ones, twos = occupied ^ other, occupied & other
    more_ones, more_twos = (ones << _16) | (ones >> _48), (twos << _16) | (twos >> _48)
    carry, either = ones & more_ones, twos ^ more_twos
    ones, fours, twos = ones ^ more_ones, (twos & more_twos) | (carry & either), either ^ carry
    more_ones, more_twos = (ones << _32) | (ones >> _32), (twos << _32) | (twos >> _32)
    carry, either = ones & more_ones, twos ^ more_twos
    fours ^= ((fours << _32) | (fours >> _32)) ^ ((twos & more_twos) | (carry & either))
    return ones ^ more_ones, either ^ carry, fours


@kernel
def _tilted_planes(occupied: Mask, near: Mask) -> tuple[Mask, Mask, Mask]:
    """Return, on a tilted board, the cells whose diagonal's count has bit 0, bit 1, bit 2 set."""
    near0, near1, near2 = _row_planes(occupied & near)
    far0, far1, far2 = _row_planes(occupied & ~near)
    return far0 ^ ((far0 ^ near0) & near), far1 ^ ((far1 ^ near1) & near), far2 ^ ((far2 ^ near2) & near)


@kernel
def advances(mine: Mask, theirs: Mask, size: int) -> int:
    """Return how many moves the stones *mine* have against *theirs*.

    Each stone walks in all eight directions at once. It arrives after k steps where its line holds k stones, and goes
    on unless it stands on an enemy. No stone can walk eight steps, so three bits of the count are enough.
    """
    up, their_up, down, their_down = tilted_up(mine), tilted_up(theirs), tilted_down(mine), tilted_down(theirs)
    board, to_east, to_west = WALKS[size, 0], WALKS[size, 1], WALKS[size, 2]
    to_up_east, to_up_west, to_down_east, to_down_west = WALKS[size, 3], WALKS[size, 4], WALKS[size, 5], WALKS[size, 6]
    r0, r1, r2 = _row_planes(mine | theirs)
    c0, c1, c2 = _column_planes(mine | theirs)
    u0, u1, u2 = _tilted_planes(up | their_up, _NEAR_UP)
    d0, d1, d2 = _tilted_planes(down | their_down, _NEAR_DOWN)
    east, west, north, south = mine, mine, mine, mine
    up_east, up_west, down_east, down_west = up, up, down, down
    far = r2 | c2 | u2 | d2
    furthest = 3
    if far != NONE:
        furthest = 7 if (r2 & r1) | (c2 & c1) | (u2 & u1) | (d2 & d1) else 5
    bit0, bit1, bit2 = ~NONE, NONE, NONE
    total = 0
    for _ in range(furthest):
        arriving = ~((r0 ^ bit0) | (r1 ^ bit1) | (r2 ^ bit2) | mine)
        east, west = (east << _1) & to_east, (west >> _1) & to_west
        total += popcount(east & arriving) + popcount(west & arriving)
        east, west = east & ~theirs, west & ~theirs
        arriving = ~((c0 ^ bit0) | (c1 ^ bit1) | (c2 ^ bit2) | mine)
        north, south = (north << _8) & board, (south >> _8) & board
        total += popcount(north & arriving) + popcount(south & arriving)
        north, south = north & ~theirs, south & ~theirs
        arriving = ~((u0 ^ bit0) | (u1 ^ bit1) | (u2 ^ bit2) | up)
        up_east, up_west = (up_east << _1) & to_up_east, (up_west >> _1) & to_up_west
        total += popcount(up_east & arriving) + popcount(up_west & arriving)
        up_east, up_west = up_east & ~their_up, up_west & ~their_up
        arriving = ~((d0 ^ bit0) | (d1 ^ bit1) | (d2 ^ bit2) | down)
        down_east, down_west = (down_east << _1) & to_down_east, (down_west >> _1) & to_down_west
        total += popcount(down_east & arriving) + popcount(down_west & arriving)
        down_east, down_west = down_east & ~their_down, down_west & ~their_down
        bit0, bit1, bit2 = ~bit0, bit1 ^ bit0, bit2 ^ (bit0 & bit1)
    return total


@kernel
def targets(cell: int, mine: Mask, theirs: Mask, size: int) -> Mask:
    """Return where the stone on *cell* may go.

    A step over the edge, taken modulo 64, never comes to a cell on the same ray, so the rays alone tell what is on the
    board; the cells between are those ahead of one end and behind the other.
    """
    room, occupied, ends = WALKS[size, 0] & ~mine, mine | theirs, NONE
    for line in range(4):
        ahead, behind = RAYS[line, cell], RAYS[line + 4, cell]
        far = (popcount((ahead | behind) & occupied) + 1) * STEPS[line]
        to = (cell + far) & 63
        ends |= bit(to) & ahead & room if ahead & RAYS[line + 4, to] & theirs == NONE else NONE
        to = (cell - far) & 63
        ends |= bit(to) & behind & room if behind & RAYS[line, to] & theirs == NONE else NONE
    return ends


@kernel
def moves(position: LinesOfAction, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves, ascending; return how many."""
    origins = position.mine
    total = 0
    while origins != NONE:
        origin = lowest(origins)
        origins = rest(origins)
        ends = targets(origin, position.mine, position.theirs, position.size)
        while ends != NONE:
            out[total] = origin << 6 | lowest(ends)
            ends = rest(ends)
            total += 1
    if total == 0 and position.switches & STUCK_LOSES == 0:
        out[0] = PASS
        return 1
    return total


@kernel
def count(position: LinesOfAction) -> int:
    """Return how many moves are legal, without listing them."""
    total = advances(position.mine, position.theirs, position.size)
    return 1 if total == 0 and position.switches & STUCK_LOSES == 0 else total


@kernel
def movable(position: LinesOfAction) -> bool:
    """Tell whether the side to move has a move, be it a pass."""
    return position.switches & STUCK_LOSES == 0 or advances(position.mine, position.theirs, position.size) > 0


@kernel
def play(position: LinesOfAction, move: int) -> LinesOfAction:
    """Return the position after a legal move, seen by the other side."""
    mine, theirs = position.mine, position.theirs
    if move != PASS:
        target = bit(move & 63)
        mine, theirs = (mine & ~bit(move >> 6)) | target, theirs & ~target
    return LinesOfAction(theirs, mine, position.size, position.switches, position.ply + 1)


@kernel
def spread(mask: Mask) -> Mask:
    """Return *mask* and the cells next to it in eight directions; above a small board there may be cells too many."""
    mask |= ((mask << _1) & _NOT_A) | ((mask >> _1) & _NOT_H)
    return mask | (mask << _8) | (mask >> _8)


@kernel
def connected(mask: Mask) -> bool:
    """Tell whether the stones of *mask* form one group; a single stone does."""
    sideways = ((mask << _1) & _NOT_A) | ((mask >> _1) & _NOT_H)
    rows = mask | sideways
    if mask & ~(sideways | (rows << _8) | (rows >> _8)) != NONE:  # a lonely stone, as in most positions of a search
        return bool(rest(mask) == NONE)
    unreached = rest(mask)
    group = mask ^ unreached
    while unreached != NONE:
        grown = spread(group) & mask
        if grown == group:
            return False
        group = grown
        unreached = mask & ~group
    return True


@kernel
def outcome(position: LinesOfAction, count: int) -> int:
    """Return -1, 0 or 1 if the side to move has lost, drawn or won, else ONGOING; *count* is the number of moves."""
    if connected(position.theirs):
        return 0 if position.switches & BOTH_DRAW and connected(position.mine) else -1
    if connected(position.mine):
        return 1
    return -1 if count == 0 else ONGOING


@kernel
def turn(position: LinesOfAction) -> LinesOfAction:
    """Return the same stones seen by the other side, as if the side to move had passed."""
    return LinesOfAction(position.theirs, position.mine, position.size, position.switches, position.ply + 1)


@kernel
def key(position: LinesOfAction) -> Mask:
    """Return a key equal for equal placements, whatever the ply."""
    return mixed(mixed(position.mine) ^ position.theirs)


@kernel
def features(position: LinesOfAction, out: NDArray[np.int32]) -> int:
    """Write which of the binary features hold: my cells, their cells."""
    return listed(position.theirs, 64, out, listed(position.mine, 0, out, 0))


@kernel
def changes(position: LinesOfAction, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write which features a move takes away and which it brings, both seen by who moves; return how many."""
    if move == PASS:
        return 0, 0
    gone[0], come[0] = move >> 6, move & 63
    gone[1] = 64 + (move & 63)
    return (2 if position.theirs & bit(move & 63) else 1), 1


@kernel
def mirrored(feature: int) -> int:
    """Return under which number the other side sees a feature."""
    return feature ^ 64


@kernel
def promise(position: LinesOfAction, move: int) -> int:
    """Return how early a search should try *move*: captures first."""
    return 1 if move != PASS and position.theirs & bit(move & 63) else 0


def reason(position: LinesOfAction) -> str:
    """Return why a finished game ended."""
    return "connection" if connected(position.mine) or connected(position.theirs) else "no move"


def start(size: int, switches: int = 0) -> LinesOfAction:
    """Return the first position: Black on the bottom and top rows, White on the outer columns, corners empty."""
    inner, last = range(1, size - 1), size - 1
    black = _mask([(row, column) for row in (0, last) for column in inner])
    white = _mask([(row, column) for row in inner for column in (0, last)])
    return LinesOfAction(np.uint64(black), np.uint64(white), size, switches, 0)


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    """Return Lines of Action on a board of *size*, 8 x 8 if not told, with its rule switches set."""
    rows, columns = size or (8, 8)
    if rows != columns or rows not in SIZES:
        raise BadOption(f"lines_of_action has no board of size {rows}x{columns}; there are 4x4 to 8x8")
    check_rules("lines_of_action", rules, SWITCHES)
    switches = BOTH_DRAW * (rules.get("both_connected") == "draw") + STUCK_LOSES * (rules.get("no_move") == "loss")
    return Variant(
        title="Lines of Action",
        first=start(rows, switches),
        board=board(rows),
        size=(rows, rows),
        colours=("black", "white"),
        part_names=("from", "to"),
        part_sizes=(64, 64),
        conventions=Conventions(repetition=3, ply_limit=100, opening_plies=2),
        sizes="4x4 to 8x8",
        switches=SWITCHES,
    )
