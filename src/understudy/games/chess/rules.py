"""Chess: the kernels. Its position type is in `position.py`, text in `notation.py`, attacks and pins in `attacks.py`.

FIDE's rules, doubtful points as in docs/games/chess.md. The board turns with each ply: the side to move always goes up
and its king starts on e1. A cell is 8 * rank + file, a1 = 0. Moves are legal as they are generated: a mask of cells
that answer a check, my pinned pieces with their rays, and a test for each step of the king.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import NONE, ONE, Mask, bit, flipped, lowest, mixed, popcount, rest
from understudy.games.chess.attacks import (
    ALL,
    KING,
    KNIGHT,
    PAWN,
    along,
    attacked,
    diagonal,
    guard,
    in_check,
    kind_on,
    kings,
    straight,
)
from understudy.games.chess.attacks import exchange as exchange
from understudy.games.chess.attacks import lifeless as lifeless
from understudy.games.chess.attacks import may_pass as may_pass
from understudy.games.chess.position import HOME, KING_SIDE, QUEEN_SIDE, START, Chess, board
from understudy.games.kind import ONGOING, Variant, check_rules
from understudy.kernels import kernel
from understudy.protocols import Conventions

MOST_MOVES = 416
"""Fifteen queens of 27 moves each, a king of eight, two castlings: real games stay below 219."""

KINDS = 6
"""Pawn, knight, bishop, rook, queen, king, in this order wherever kinds have numbers."""

FEATURES = 2 * KINDS * 64
"""My pieces by kind and cell, then theirs."""

KEPT = np.full(64, 15, np.int64)
"""The castling rights that outlive a move from or to each cell."""
KEPT[[0, HOME, 7, 56, 63]] = 13, 12, 14, 7, 11  # all but the right of that rook, or both of a king that leaves its home

# Ranks and files as masks; what must be empty for castling, and the two cells between which its rook moves.
RANK_3 = np.uint64(0xFF << 16)
RANK_7 = np.uint64(0xFF << 48)
RANK_8 = np.uint64(0xFF << 56)
NOT_A = ~np.uint64(0x0101_0101_0101_0101)
NOT_H = ~np.uint64(0x8080_8080_8080_8080)
KING_GAP = bit(5) | bit(6)
QUEEN_GAP = bit(1) | bit(2) | bit(3)
KING_ROOK = bit(5) | bit(7)
QUEEN_ROOK = bit(0) | bit(3)
_6 = np.uint64(6)
_7 = np.uint64(7)
_8 = np.uint64(8)
_9 = np.uint64(9)


@kernel
def _steps(position: Chess, king: int, safe: bool) -> Mask:
    """Return where the king may go, by castling too if it is *safe* where it stands."""
    without = (position.mine | position.theirs) & ~bit(king)
    steps, legal = KING[king] & ~position.mine, NONE
    while steps != NONE:
        cell = lowest(steps)
        steps = rest(steps)
        if not attacked(position, cell, without, position.theirs):
            legal |= bit(cell)
    if safe and _castles(position, KING_SIDE, KING_GAP, legal & bit(5), 6):
        legal |= bit(6)
    if safe and _castles(position, QUEEN_SIDE, QUEEN_GAP, legal & bit(3), 2):
        legal |= bit(2)
    return legal


@kernel
def _castles(position: Chess, right: int, gap: Mask, way: Mask, to: int) -> bool:
    """Tell whether the king may castle: it has the *right*, the *gap* is empty, its *way* and its goal are safe."""
    occupied = position.mine | position.theirs
    if position.castling & right == 0 or occupied & gap != NONE or way == NONE:
        return False
    return not attacked(position, to, occupied, position.theirs)


@kernel
def _passers(position: Chess, king: int) -> Mask:
    """Return my pawns that may capture in passing: two pawns leave the board's lines at once, so look at the king."""
    if position.passant == 0:
        return NONE
    target, captured = bit(position.passant), bit(position.passant - 8)
    pawns = (((target & NOT_A) >> _9) | ((target & NOT_H) >> _7)) & position.pawns & position.mine
    legal = NONE
    while pawns != NONE:
        pawn = bit(lowest(pawns))
        pawns = rest(pawns)
        occupied = ((position.mine | position.theirs) & ~(pawn | captured)) | target
        if not attacked(position, king, occupied, position.theirs & ~captured):
            legal |= pawn
    return legal


@kernel
def _reach(position: Chess, cell: int) -> Mask:
    """Return where my piece on *cell*, not a king, could go if no king could be attacked, captures in passing apart."""
    occupied, piece, reach = position.mine | position.theirs, bit(cell), NONE
    if position.pawns & piece:
        push = (piece << _8) & ~occupied
        reach = push | (((push & RANK_3) << _8) & ~occupied) | (PAWN[cell] & position.theirs)
    if position.knights & piece:
        reach = KNIGHT[cell]
    if (position.bishops | position.queens) & piece:
        reach = diagonal(cell, occupied)
    if (position.rooks | position.queens) & piece:
        reach |= straight(cell, occupied)
    return reach & ~position.mine


@kernel
def moves(position: Chess, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves, ascending; return how many."""
    return _write(position, ALL, out)


@kernel
def captures(position: Chess, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal captures and promotions, ascending; return how many."""
    return _write(position, position.theirs, out)


@kernel
def _write(position: Chess, wanted: Mask, out: NDArray[np.int32]) -> int:
    """Write the moves to *wanted* cells, and all promotions and captures in passing."""
    king = lowest(kings(position) & position.mine)
    answers, pinned = guard(position, king)
    passers = _passers(position, king)
    pieces, total = position.mine, 0
    while pieces != NONE:
        cell = lowest(pieces)
        piece = bit(cell)
        pieces = rest(pieces)
        promoting = piece & position.pawns & RANK_7 != NONE
        if cell == king:
            targets = _steps(position, king, answers == ALL) & wanted
        else:
            targets = _reach(position, cell) & answers & (wanted | (RANK_8 if promoting else NONE))
        if pinned & piece:
            targets &= along(king, cell)
        if passers & piece:
            targets |= bit(position.passant)
        while targets != NONE:
            code = ((cell << 6) | lowest(targets)) << 3
            targets = rest(targets)
            if promoting:
                for kind in range(1, 5):
                    out[total] = code + kind
                    total += 1
            else:
                out[total] = code
                total += 1
    return total


@kernel
def count(position: Chess) -> int:
    """Return how many moves are legal, without listing them."""
    mine, occupied = position.mine, position.mine | position.theirs
    king = lowest(kings(position) & mine)
    answers, pinned = guard(position, king)
    total = popcount(_steps(position, king, answers == ALL)) + popcount(_passers(position, king))
    free, targets = mine & ~pinned, answers & ~mine
    total += _pawn_moves(position, position.pawns & free, answers)
    knights = position.knights & free
    while knights != NONE:
        total += popcount(KNIGHT[lowest(knights)] & targets)
        knights = rest(knights)
    pieces = (position.bishops | position.queens) & free
    while pieces != NONE:
        total += popcount(diagonal(lowest(pieces), occupied) & targets)
        pieces = rest(pieces)
    pieces = (position.rooks | position.queens) & free
    while pieces != NONE:
        total += popcount(straight(lowest(pieces), occupied) & targets)
        pieces = rest(pieces)
    while pinned != NONE:
        cell = lowest(pinned)
        reach = _reach(position, cell) & answers & along(king, cell)
        total += popcount(reach) + 3 * popcount(reach & RANK_8 if bit(cell) & position.pawns else NONE)
        pinned = rest(pinned)
    return total


@kernel
def _pawn_moves(position: Chess, pawns: Mask, answers: Mask) -> int:
    """Return how many moves *pawns* have into *answers*, captures in passing apart; a promotion counts four times."""
    empty, prey = ~(position.mine | position.theirs), position.theirs & answers
    push = (pawns << _8) & empty
    double = ((push & RANK_3) << _8) & empty & answers
    push &= answers
    left, right = ((pawns & NOT_A) << _7) & prey, ((pawns & NOT_H) << _9) & prey
    total = popcount(push) + popcount(double) + popcount(left) + popcount(right)
    if pawns & RANK_7:
        total += 3 * (popcount(push & RANK_8) + popcount(left & RANK_8) + popcount(right & RANK_8))
    return total


@kernel
def movable(position: Chess) -> bool:
    """Tell whether the side to move has a move."""
    return count(position) > 0


@kernel
def play(position: Chess, move: int) -> Chess:
    """Return the position after a legal move, seen by the other side."""
    cell, to, promotion = move >> 9, (move >> 3) & 63, move & 7
    origin, target = bit(cell), bit(to)
    captured, castled = position.theirs & target, NONE
    pawn = position.pawns & origin != NONE
    if pawn and position.passant > 0 and to == position.passant:
        captured = target >> _8
    if cell == HOME and kings(position) & origin:
        castled = KING_ROOK if to == HOME + 2 else QUEEN_ROOK if to == HOME - 2 else NONE
    gone = origin | captured
    pawns = _moved(position.pawns, origin, gone, target if promotion == 0 else NONE)
    knights = _moved(position.knights, origin, gone, target) | (target if promotion == 1 else NONE)
    bishops = _moved(position.bishops, origin, gone, target) | (target if promotion == 2 else NONE)
    rooks = _moved(position.rooks, origin, gone, target) | (target if promotion == 3 else NONE)
    queens = _moved(position.queens, origin, gone, target) | (target if promotion == 4 else NONE)
    castling = position.castling & KEPT[cell] & KEPT[to]
    after = Chess(
        flipped(position.theirs & ~captured),
        flipped(((position.mine & ~origin) | target) ^ castled),
        flipped(pawns),
        flipped(knights),
        flipped(bishops),
        flipped(rooks ^ castled),
        flipped(queens),
        (castling >> 2) | ((castling & 3) << 2),
        0,
        0 if pawn or captured != NONE else position.clock + 1,
        position.ply + 1,
    )
    return passing(after, to ^ 56) if pawn and to - cell == 16 else after


@kernel
def _moved(pieces: Mask, origin: Mask, gone: Mask, target: Mask) -> Mask:
    """Return *pieces* without what is *gone*, and on *target* if *origin* was one of them."""
    return (pieces & ~gone) | (target if pieces & origin else NONE)


@kernel
def passing(after: Chess, pawn: int) -> Chess:
    """Return the position after the double step of a *pawn*, with its cell of passage if a capture there is legal."""
    beside = (((bit(pawn) & NOT_A) >> ONE) | ((bit(pawn) & NOT_H) << ONE)) & after.pawns & after.mine
    if beside == NONE:
        return after
    marked = _marked(after, pawn + 8)
    return marked if _passers(marked, lowest(kings(marked) & marked.mine)) else after


@kernel
def _marked(position: Chess, passant: int) -> Chess:
    """Return the position with another cell of passage."""
    mine, theirs, pawns, knights, bishops, rooks, queens, castling, _, clock, ply = position
    return Chess(mine, theirs, pawns, knights, bishops, rooks, queens, castling, passant, clock, ply)


@kernel
def outcome(position: Chess, count: int) -> int:
    """Return -1 for checkmate and 0 for stalemate, else ONGOING; *count* tells how many moves there are."""
    if count > 0:
        return ONGOING
    return -1 if in_check(position) else 0


@kernel
def turn(position: Chess) -> Chess:
    """Return the same pieces seen by the other side, as if the side to move, not in check, had passed."""
    return Chess(
        flipped(position.theirs),
        flipped(position.mine),
        flipped(position.pawns),
        flipped(position.knights),
        flipped(position.bishops),
        flipped(position.rooks),
        flipped(position.queens),
        (position.castling >> 2) | ((position.castling & 3) << 2),
        0,
        position.clock + 1,
        position.ply + 1,
    )


@kernel
def key(position: Chess) -> Mask:
    """Return a key of the pieces, castling rights and cell of passage, whatever the clock and the ply."""
    both = kings(position)
    odd = position.pawns | position.bishops | position.queens
    middle = position.knights | position.bishops | both
    high = position.rooks | position.queens | both
    rights = (np.uint64(position.castling) << _6) | np.uint64(position.passant)
    return mixed(mixed(position.mine ^ mixed(odd)) ^ mixed(middle ^ mixed(high ^ mixed(rights))))


@kernel
def features(position: Chess, out: NDArray[np.int32]) -> int:
    """Write which of the binary features hold: my pieces by kind and cell, then theirs."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    total = 0
    for side in range(2):
        own = position.mine if side == 0 else position.theirs
        for kind in range(KINDS):
            pieces = kinds[kind] & own
            while pieces != NONE:
                out[total] = (side * KINDS + kind) * 64 + lowest(pieces)
                pieces = rest(pieces)
                total += 1
    return total


@kernel
def changes(position: Chess, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write which features a move takes away and which it brings, both seen by who moves; return how many."""
    cell, to, promotion = move >> 9, (move >> 3) & 63, move & 7
    kind, left = kind_on(position, cell), 1
    gone[0], come[0] = kind * 64 + cell, (promotion if promotion > 0 else kind) * 64 + to
    if position.theirs & bit(to) != NONE:
        gone[1], left = (KINDS + kind_on(position, to)) * 64 + to, 2
    elif kind == 0 and position.passant > 0 and to == position.passant:
        gone[1], left = KINDS * 64 + to - 8, 2
    if kind == KINDS - 1 and cell == HOME and abs(to - cell) == 2:  # the rook jumps over the king
        gone[1], come[1] = 3 * 64 + (HOME + 3 if to > cell else HOME - 4), 3 * 64 + (cell + to) // 2
        return 2, 2
    return left, 1


@kernel
def mirrored(feature: int) -> int:
    """Return under which number the other side sees a feature."""
    side, kind, cell = feature // (64 * KINDS), feature // 64 % KINDS, feature % 64
    return ((1 - side) * KINDS + kind) * 64 + (cell ^ 56)  # the other side sees the board from its own end


@kernel
def promise(position: Chess, move: int) -> int:
    """Return how early a search should try *move*: great prey of small pieces first, and new queens.

    Times 8, the prey comes before the hunter; with 40 a new queen stands where the capture of a queen does.
    """
    cell, to, promotion = move >> 9, (move >> 3) & 63, move & 7
    if promotion == 0 and position.theirs & bit(to) == NONE and (position.passant == 0 or to != position.passant):
        return 0
    prey, hunter = kind_on(position, to) + 1, kind_on(position, cell) + 1
    if hunter == 1 and position.passant > 0 and to == position.passant:
        prey = 1
    return (prey * 8 - hunter if prey > 0 else 0) + (40 if promotion == 4 else 0)


def reason(position: Chess) -> str:
    """Return why a finished game ended."""
    return "checkmate" if in_check(position) else "stalemate"


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    """Return chess; it has one size and no switches."""
    if size is not None and size != (8, 8):
        raise BadOption(f"chess has no board of size {size[0]}x{size[1]}; its board of 8x8 cells is the only one")
    check_rules("chess", rules, {})
    return Variant(
        title="Chess",
        first=START,
        board=board(),
        size=(8, 8),
        colours=("white", "black"),
        part_names=("from", "to", "promotion"),
        part_sizes=(64, 64, 5),
        conventions=Conventions(repetition=3, ply_limit=600),
        sizes="8x8",
    )
