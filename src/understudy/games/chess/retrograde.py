"""Chess endings of three and four pieces solved by looking back from the mates: the kernels.

A table holds a worth for every placement of two kings and one or two more pieces, seen by the side to move. Worths
count plies: n if the mover mates in n, -(n + 1) if it is mated in n, 0 for a draw. Tables stand one behind the other in
one array; `starts` tells where the table of each material begins. Other pieces have numbers: the mover's pawn, knight,
bishop, rook and queen are 0 to 4, the others' 5 to 9; a material is two numbers, ascending, `NOBODY` filling up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.chess.attacks import KING, KNIGHT, diagonal, in_check, kings, straight
from understudy.games.chess.batches import batch_of, put_row
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import MOST_MOVES, moves, play, turn
from understudy.kernels import kernel

NOBODY = 10
"""Stands where a material has one piece less; below it are five kinds of the mover, then five of the others."""
MATERIALS = (NOBODY + 1) ** 2
FORBIDDEN = -128
"""The worth of a placement that cannot occur: the least of eight bits, out of reach of any mate of four pieces."""
SAFE = 255
"""Stands for the number of moves that are left where one leads to a draw, so that nothing can be lost."""
JUMP = 4
"""The rank on which a pawn of the others may have arrived by two steps."""
ENDS = np.uint64(0xFF000000000000FF)
"""The first and the last rank, where no pawn stands."""

Cells = tuple[int, int, int, int]
"""The mover's king, the others' king, and the other pieces in the order of the material; 0 for nobody."""


class Table(NamedTuple):
    """One material while it is being solved; arrays over all placements."""

    first: int
    second: int
    """The numbers of its pieces."""
    worths: NDArray[np.int8]
    due: NDArray[np.int8]
    """The worth that a placement will have by what is known so far."""
    left: NDArray[np.uint8]
    """How many of its moves may still turn out well."""


class Drawn(NamedTuple):
    """Positions drawn from solved endings, as columns."""

    masks: NDArray[np.uint64]
    numbers: NDArray[np.int64]
    """With the masks the matrices of a batch (`games/chess/batches.py`)."""
    worths: NDArray[np.int8]
    """Plies: n if the mover mates in n, -(n + 1) if it is mated in n, 0 for a draw."""
    best: NDArray[np.int32]
    """A move that keeps the worth."""

    @property
    def positions(self) -> Chess:
        """The positions as a batch."""
        return batch_of(self.masks, self.numbers)

    def cut(self, count: int) -> Drawn:
        """Return the first so many."""
        return Drawn(self.masks[:, :count], self.numbers[:, :count], self.worths[:count], self.best[:count])


@kernel
def _spread(place: int, four: bool) -> Cells:
    """Return the cells of a place of a table."""
    last = place & 63 if four else 0
    place = place >> 6 if four else place
    return place >> 12, (place >> 6) & 63, place & 63, last


@kernel
def _place(cells: Cells, four: bool) -> int:
    """Return the place of cells in a table."""
    place = ((cells[0] << 12) | (cells[1] << 6)) | cells[2]
    return (place << 6) | cells[3] if four else place


@kernel
def placed(cells: Cells, first: int, second: int, ply: int) -> Chess:
    """Return the position with pieces of a material on cells."""
    one = bit(cells[2])
    other = bit(cells[3]) if second < NOBODY else NONE
    mine = bit(cells[0]) | (one if first < 5 else NONE) | (other if second < 5 else NONE)
    theirs = bit(cells[1]) | (one if first >= 5 else NONE) | (other if second >= 5 else NONE)
    pawns = _of_kind(0, first, one, second, other)
    knights, bishops = _of_kind(1, first, one, second, other), _of_kind(2, first, one, second, other)
    rooks, queens = _of_kind(3, first, one, second, other), _of_kind(4, first, one, second, other)
    return Chess(mine, theirs, pawns, knights, bishops, rooks, queens, 0, 0, 0, ply)


@kernel
def _of_kind(kind: int, first: int, one: Mask, second: int, other: Mask) -> Mask:
    return (one if first % 5 == kind else NONE) | (other if second % 5 == kind else NONE)


@kernel
def _possible(position: Chess, pieces: int) -> bool:
    """Tell whether a placement can occur: all pieces there, no pawn at an end, the side that moved not in check."""
    occupied = position.mine | position.theirs
    if popcount(occupied) != pieces or position.pawns & ENDS:
        return False
    royal = kings(position)
    return KING[lowest(royal)] & royal == NONE and not in_check(turn(position))


@kernel
def worth(position: Chess, values: NDArray[np.int8], starts: NDArray[np.int64]) -> int:
    """Return the worth of a position that the tables hold, or of two kings."""
    numbers, cells, total = np.full(2, NOBODY, np.int64), np.zeros(2, np.int64), 0
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    for side in range(2):
        own = position.mine if side == 0 else position.theirs
        for kind in range(5):
            pieces = kinds[kind] & own
            while pieces != NONE:
                numbers[total], cells[total] = 5 * side + kind, lowest(pieces)
                pieces, total = rest(pieces), total + 1
    if total == 0:
        return 0
    royal = kings(position)
    at = (lowest(royal & position.mine), lowest(royal & position.theirs), cells[0], cells[1])
    return int(values[starts[numbers[0] * (NOBODY + 1) + numbers[1]] + _place(at, total == 2)])


@kernel
def begin(table: Table, values: NDArray[np.int8], starts: NDArray[np.int64]) -> int:
    """Look once at all placements, and at moves that leave the table; return the longest way to mate known so far."""
    four = table.second < NOBODY
    legal, longest = np.zeros(MOST_MOVES, np.int32), 0
    for place in range(len(table.worths)):
        position = placed(_spread(place, four), table.first, table.second, 0)
        if not _possible(position, 4 if four else 3):
            table.worths[place] = FORBIDDEN
            continue
        count = moves(position, legal)
        if count == 0:
            table.due[place], table.left[place] = (-1, 0) if in_check(position) else (0, SAFE)
            continue
        due, left = _leaving(position, legal[:count], values, starts)
        table.due[place], table.left[place] = due, left
        longest = max(longest, abs(due))
    return longest


@kernel
def _leaving(
    position: Chess, legal: NDArray[np.int32], values: NDArray[np.int8], starts: NDArray[np.int64]
) -> tuple[int, int]:
    """Return the best that moves out of the table bring, and how many moves stay in it."""
    before, pawns = popcount(position.mine | position.theirs), popcount(position.pawns)
    win, loss, left, safe = 0, 0, 0, False
    for move in legal:
        after = play(position, move)
        if popcount(after.mine | after.theirs) == before and popcount(after.pawns) == pawns:
            left += 1
            continue
        theirs = worth(after, values, starts)
        if theirs < 0:
            win = -theirs if win == 0 else min(win, -theirs)
        elif theirs == 0:
            safe = True
        else:
            loss = min(loss, -(theirs + 2))
    return (win if win else loss), (SAFE if safe else left)


@kernel
def settle(plies: int, table: Table, earlier: Table) -> int:
    """Give their worth to placements that end *plies* from now, and tell those before them, of the table *earlier*.

    Return the longest way to mate that has come up.
    """
    four, longest = table.second < NOBODY, 0
    for place in range(len(table.worths)):
        due = table.due[place]
        if table.worths[place] != 0 or due == 0:
            continue
        won = due == plies
        if won or (due == -(plies + 1) and table.left[place] == 0):
            table.worths[place] = due
            longest = max(longest, _tell(_spread(place, four), table, plies, won, earlier))
    return longest


@kernel
def _tell(cells: Cells, table: Table, plies: int, won: bool, earlier: Table) -> int:
    """Tell all placements from which the others could have come here that this one is won or lost for its mover."""
    occupied = bit(cells[0]) | bit(cells[1]) | bit(cells[2])
    if table.second < NOBODY:
        occupied |= bit(cells[3])
    kinds = (0, 5, table.first - 5, table.second - 5 if table.second < NOBODY else -1)
    longest = 0
    for piece in range(1, 4):
        if kinds[piece] < 0:
            continue
        origins = _origins(kinds[piece], cells[piece], occupied)
        while origins != NONE:
            origin = lowest(origins)
            origins = rest(origins)
            before = (
                cells[0],
                origin if piece == 1 else cells[1],
                origin if piece == 2 else cells[2],
                origin if piece == 3 else cells[3],
            )
            place = _turned(before, table.first, table.second)
            longest = max(longest, _hear(earlier, place, plies, won))
    return longest


@kernel
def _origins(kind: int, cell: int, occupied: Mask) -> Mask:
    """Return where a piece of the side that has moved may have come from without a capture or promotion."""
    reach = NONE
    if kind == 0:
        up = bit(cell + 8) & ~occupied if cell < 48 else NONE
        reach = up
        if up and cell >> 3 == JUMP:
            reach |= bit(cell + 16)
    elif kind == 1:
        reach = KNIGHT[cell]
    elif kind == 5:
        reach = KING[cell]
    if kind == 2 or kind == 4:
        reach |= diagonal(cell, occupied)
    if kind == 3 or kind == 4:
        reach |= straight(cell, occupied)
    return reach & ~occupied


@kernel
def _turned(cells: Cells, first: int, second: int) -> int:
    """Return the place of cells in the table of the same pieces seen by the other side."""
    if second == NOBODY:
        return _place((cells[1] ^ 56, cells[0] ^ 56, cells[2] ^ 56, 0), False)
    if first < 5 <= second:
        return _place((cells[1] ^ 56, cells[0] ^ 56, cells[3] ^ 56, cells[2] ^ 56), True)
    return _place((cells[1] ^ 56, cells[0] ^ 56, cells[2] ^ 56, cells[3] ^ 56), True)


@kernel
def _hear(table: Table, place: int, plies: int, won: bool) -> int:
    """Let a placement know that a move of it leads to one that is won, or else lost, for the others in *plies*."""
    due, left = table.due[place], table.left[place]
    if table.worths[place] != 0:
        return 0
    if not won:
        if due <= 0 or due > plies + 1:
            table.due[place] = plies + 1
        return plies + 1
    if left == SAFE or due > 0:
        return 0
    table.left[place] = left - 1
    if left > 1:
        return 0
    table.due[place] = min(due, -(plies + 2))
    return int(max(-due, plies + 2))


@kernel
def sample(
    first: int, second: int, chosen: NDArray[np.int64], plies: NDArray[np.int64],
    values: NDArray[np.int8], starts: NDArray[np.int64], out: Drawn,
) -> int:  # fmt: skip
    """Write the positions at *chosen* places in which somebody can move, their worth and a best move; return how many.

    What cannot occur is passed over, so fewer may come out; *plies* tells who is White.
    """
    four, start, total = second < NOBODY, starts[first * (NOBODY + 1) + second], 0
    legal = np.zeros(MOST_MOVES, np.int32)
    for i in range(len(chosen)):
        position = placed(_spread(chosen[i], four), first, second, plies[i])
        value = values[start + chosen[i]]
        count = 0 if value == FORBIDDEN else moves(position, legal)
        if count > 0:
            put_row(position, out.masks, out.numbers, total)
            out.worths[total] = value
            out.best[total] = _best(position, legal[:count], value, values, starts)
            total += 1
    return total


@kernel
def _best(
    position: Chess, legal: NDArray[np.int32], value: int, values: NDArray[np.int8], starts: NDArray[np.int64]
) -> int:
    """Return the first move that keeps the worth of a position."""
    wanted = -value if value >= 0 else -value - 2
    for move in legal:
        if worth(play(position, move), values, starts) == wanted:
            return int(move)
    return -1
