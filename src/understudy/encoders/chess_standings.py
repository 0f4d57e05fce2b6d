"""How each piece of a chess position stands: what it is, where, who attacks it and who defends it, as rows to add up.

This is what `standings`, our own input of chess networks, sees. A board of pieces alone hides what matters to someone
who may look only one ply ahead: which piece can be taken. So every piece brings a row for its kind, cell and standing,
and one for its kind and a finer standing whatever the cell; kings bring what is attacked around them; pieces bring how
far they reach. A network adds up one row of weights for each, as it would for the pieces alone.

The board is mirrored so that the mover's king stands on the files e to h: left and right are alike but for castling,
and a king on the other half has lost the right to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, highest, lowest, popcount, rest
from understudy.games.chess_attacks import KING, KNIGHT, RAYS, diagonal, kings, straight
from understudy.games.chess_matrices import row_of
from understudy.games.chess_position import Chess
from understudy.kernels import kernel

ATTACKS = 6
"""The least piece that attacks: none, pawn, knight or bishop, rook, queen, king."""
STANDINGS = 3 * ATTACKS
"""With: not defended, defended by a pawn, defended by others."""
FINE = 2 * 4 * ATTACKS
"""Attackers: fewer than two or more; defenders: none, a pawn, one other, more."""
REACH = 28
"""Cells that a piece may go to, those that pawns guard and its own side holds left out."""
AROUND, NEAR = 9, 2 * 3 * 2
"""Cells beside a king: held by its own side or not; attacked by none, one, more of the others; defended or not."""
GAINS = 10
"""Pawns that the best capture, or the second best, would bring: from none to a queen."""
ESCAPES = 9
"""Cells beside a king that are neither its own side's nor attacked (those in its own shadow count as free)."""
FEW = 3
"""Of those: none, one, more."""
CHECKS = 3 * FEW
"""Whether a kind of piece can give check at once: no; only where it may be taken; safely; with how few escapes.
Knights and bishops share the cells that they attack, so one may count for the other."""
CONTACTS = 2 * FEW
"""Whether a queen can give check beside the king, helped by another piece where only the king defends."""
PREY = 3
"""Pieces that one piece could take with gain: one, two, more; two are a fork."""

KINDS_AT = 12 * 64 * STANDINGS
REACH_AT = KINDS_AT + 12 * FINE
KINGS_AT = REACH_AT + 2 * 4 * REACH
GAINS_AT = KINGS_AT + 2 * AROUND * NEAR
CHECKS_AT = GAINS_AT + 4 * GAINS
CONTACTS_AT = CHECKS_AT + 2 * 4 * CHECKS
ESCAPES_AT = CONTACTS_AT + 2 * CONTACTS
PINS_AT = ESCAPES_AT + 2 * ESCAPES
PASSED_AT = PINS_AT + 2 * 6
PREY_AT = PASSED_AT + 2 * 8
PIECES_AT = PREY_AT + 12 * PREY
RIGHTS_AT = PIECES_AT + 33
CHECKED_AT = RIGHTS_AT + 16
PASSANT_AT = CHECKED_AT + 2
ROWS = PASSANT_AT + 2
"""How many rows there are; `ROWS` itself stands for nothing."""

MOST = 3 * 32 + 30 + 2 * AROUND + 4 + 8 + 2 + 2 + 16 + 16 + 4
"""A position brings no more rows than this."""

MASKS = 80
"""Masks of scratch room."""

TWICE = 5
WORTHS = np.array([1, 3, 3, 5, 9, 10], np.int64)
LEAST = np.array([0, 1, 3, 5, 9, 10], np.int64)
"""What the least attacker is worth."""

_ODD = np.uint64(0x5555_5555_5555_5555)
_PAIRS = np.uint64(0x3333_3333_3333_3333)
_FOURS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_A = np.uint64(0x0101_0101_0101_0101)
_H = np.uint64(0x8080_8080_8080_8080)
_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)
_7 = np.uint64(7)
_9 = np.uint64(9)


def _ahead() -> NDArray[np.uint64]:
    """Return for each side and cell the cells where a pawn of the others would stop a pawn from being passed."""
    table = np.zeros((2, 64), np.uint64)
    for cell in range(64):
        for other in range(64):
            near = abs(cell % 8 - other % 8) <= 1
            table[0, cell] |= bit(other) if near and other // 8 > cell // 8 else NONE
            table[1, cell] |= bit(other) if near and other // 8 < cell // 8 else NONE
    return table


AHEAD = _ahead()


@kernel
def _mirrored(mask: Mask) -> Mask:
    """Return a mask with left and right exchanged."""
    mask = ((mask >> _1) & _ODD) | ((mask & _ODD) << _1)
    mask = ((mask >> _2) & _PAIRS) | ((mask & _PAIRS) << _2)
    return ((mask >> _4) & _FOURS) | ((mask & _FOURS) << _4)


@kernel
def facing(position: Chess) -> Chess:
    """Return the position, mirrored if the mover's king stands on the files a to d."""
    king = lowest(kings(position) & position.mine)
    if king & 7 >= 4:
        return position
    rights = position.castling
    return Chess(
        _mirrored(position.mine), _mirrored(position.theirs), _mirrored(position.pawns), _mirrored(position.knights),
        _mirrored(position.bishops), _mirrored(position.rooks), _mirrored(position.queens),
        ((rights & 5) << 1) | ((rights >> 1) & 5),
        position.passant ^ 7 if position.passant else 0,
        position.clock, position.ply,
    )  # fmt: skip


@kernel
def standings(position: Chess, out: NDArray[np.int32], masks: NDArray[np.uint64]) -> int:
    """Write the rows that a position brings; return how many. *masks* is scratch room."""
    position = facing(position)
    mine, theirs, reach = masks[:6], masks[6:12], masks[12:76]
    _attack(position, position.mine, True, mine, reach)
    _attack(position, position.theirs, False, theirs, reach)
    total = _pieces(position, 0, mine, theirs, reach, out, 0)
    total = _pieces(position, 1, theirs, mine, reach, out, total)
    total = _king(position, 0, mine, theirs, out, total)
    total = _king(position, 1, theirs, mine, out, total)
    out[total] = RIGHTS_AT + position.castling
    out[total + 1] = CHECKED_AT + (1 if _least(theirs, kings(position) & position.mine) else 0)
    out[total + 2] = PASSANT_AT + (1 if position.passant else 0)
    out[total + 3] = PIECES_AT + popcount(position.mine | position.theirs)
    return total + 4


@kernel
def _attack(position: Chess, own: Mask, up: bool, out: Any, reach: Any) -> None:
    """Write what *own* pieces attack: pawns, knights and bishops, rooks, queens, king; what two or more do; each."""
    occupied = position.mine | position.theirs
    pawns = position.pawns & own
    if up:
        left, right = (pawns & ~_A) << _7, (pawns & ~_H) << _9
    else:
        left, right = (pawns & ~_H) >> _7, (pawns & ~_A) >> _9
    once, twice = left | right, left & right
    out[0] = once
    for place in range(1, 5):
        out[place] = NONE
    pieces = own & ~pawns
    while pieces != NONE:
        cell = lowest(pieces)
        piece = bit(cell)
        pieces = rest(pieces)
        if position.knights & piece:
            seen, place = KNIGHT[cell], 1
        elif position.bishops & piece:
            seen, place = diagonal(cell, occupied), 1
        elif position.rooks & piece:
            seen, place = straight(cell, occupied), 2
        elif position.queens & piece:
            seen, place = diagonal(cell, occupied) | straight(cell, occupied), 3
        else:
            seen, place = KING[cell], 4
        reach[cell] = seen
        out[place] |= seen
        twice |= once & seen
        once |= seen
    out[TWICE] = twice


@kernel
def _least(attacks: Any, piece: Mask) -> int:
    """Return the least attacker: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen, 5 king."""
    for place in range(5):
        if attacks[place] & piece:
            return place + 1
    return 0


@kernel
def _pieces(position: Chess, side: int, ours: Any, others: Any, reach: Any, out: Any, total: int) -> int:
    """Write the rows of a side's pieces, and what the others could win by taking one of them."""
    own = position.mine if side == 0 else position.theirs
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    best, second = 0, 0
    for kind in range(6):
        pieces = kinds[kind] & own
        while pieces != NONE:
            cell = lowest(pieces)
            piece = bit(cell)
            pieces = rest(pieces)
            attacker, defender = _least(others, piece), _least(ours, piece)
            number, guarded = 6 * side + kind, min(defender, 2)
            out[total] = (number * 64 + cell) * STANDINGS + guarded * ATTACKS + attacker
            if guarded == 2 and ours[TWICE] & piece:
                guarded = 3
            more = 1 if others[TWICE] & piece else 0
            out[total + 1] = KINDS_AT + number * FINE + (guarded * 2 + more) * ATTACKS + attacker
            total += 2
            if 1 <= kind <= 4:
                free = reach[cell] & ~own & ~others[0]
                out[total] = REACH_AT + (side * 4 + kind - 1) * REACH + popcount(free)
                total += 1
            seen = reach[cell] if kind > 0 else _pawn_reach(piece, side)
            prey = popcount(seen & _worthwhile(kinds, kind, others, ~own & (position.mine | position.theirs)))
            if prey > 0:
                out[total] = PREY_AT + number * PREY + min(prey, PREY) - 1
                total += 1
            if kind == 0 and AHEAD[side, cell] & position.pawns & ~own == NONE:
                out[total] = PASSED_AT + side * 8 + (cell >> 3)
                total += 1
            if attacker and kind < 5:
                gain = WORTHS[kind] - (LEAST[attacker] if defender else 0)
                if gain > best:
                    best, second = gain, best
                elif gain > second:
                    second = gain
    out[total] = GAINS_AT + (2 * side) * GAINS + best
    out[total + 1] = GAINS_AT + (2 * side + 1) * GAINS + second
    return total + 2


@kernel
def _pawn_reach(pawn: Mask, side: int) -> Mask:
    """Return what a single pawn attacks; those of side 0 go up."""
    if side == 0:
        return ((pawn & ~_A) << _7) | ((pawn & ~_H) << _9)
    return ((pawn & ~_H) >> _7) | ((pawn & ~_A) >> _9)


@kernel
def _worthwhile(kinds: Any, hunter: int, guards: Any, pieces: Mask) -> Mask:
    """Return which of *pieces* a piece of kind *hunter* would gladly take: worth more, or not defended by *guards*."""
    guarded = guards[0] | guards[1] | guards[2] | guards[3] | guards[4]
    more: Mask = NONE
    for kind in range(6):
        if WORTHS[kind] > WORTHS[hunter]:
            more |= kinds[kind]
    worthwhile: Mask = pieces & (more | ~guarded)
    return worthwhile


@kernel
def _king(position: Chess, side: int, ours: Any, others: Any, out: Any, total: int) -> int:
    """Write the rows about a side's king: the cells around it, where it could go, checks in the air, pinned pieces."""
    own = position.mine if side == 0 else position.theirs
    king = lowest(kings(position) & own)
    attacked = others[0] | others[1] | others[2] | others[3] | others[4]
    defended = ours[0] | ours[1] | ours[2] | ours[3]
    for across in range(-1, 2):
        for along in range(-1, 2):
            file, rank = (king & 7) + across, (king >> 3) + along
            if 0 <= file < 8 and 0 <= rank < 8:
                near = bit(8 * rank + file)
                held, safe = 1 if own & near else 0, 1 if defended & near else 0
                count = 0 if attacked & near == NONE else 2 if others[TWICE] & near else 1
                place = (along + 1 if side == 0 else 1 - along) * 3 + across + 1
                out[total] = KINGS_AT + (side * AROUND + place) * NEAR + (held * 3 + count) * 2 + safe
                total += 1
    escapes = popcount(KING[king] & ~own & ~attacked)
    contact = 1 if KING[king] & others[3] & others[TWICE] & ~defended & ~_others(position, side) else 0
    out[total] = ESCAPES_AT + side * ESCAPES + escapes
    few = min(escapes, FEW - 1)
    out[total + 1] = CONTACTS_AT + side * CONTACTS + contact * FEW + few
    total = _checks(position, side, king, few, ours, others, out, total + 2)
    return _pins(position, side, king, out, total)


@kernel
def _others(position: Chess, side: int) -> Mask:
    return position.theirs if side == 0 else position.mine


@kernel
def _checks(position: Chess, side: int, king: int, few: int, ours: Any, others: Any, out: Any, total: int) -> int:
    """Write for each kind of the others' pieces whether it could give check to this side's king at once."""
    occupied, theirs = position.mine | position.theirs, _others(position, side)
    guarded = ours[0] | ours[1] | ours[2] | ours[3] | ours[4]
    slanted, upright = diagonal(king, occupied), straight(king, occupied)
    for kind in range(4):
        if kind == 0:
            cells, pieces = KNIGHT[king] & others[1], position.knights
        elif kind == 1:
            cells, pieces = slanted & others[1], position.bishops
        elif kind == 2:
            cells, pieces = upright & others[2], position.rooks
        else:
            cells, pieces = (slanted | upright) & others[3], position.queens
        cells = cells & ~theirs if pieces & theirs else NONE
        found = 0 if cells == NONE else 1 if cells & ~guarded == NONE else 2
        out[total] = CHECKS_AT + (side * 4 + kind) * CHECKS + found * FEW + few
        total += 1
    return total


@kernel
def _pins(position: Chess, side: int, king: int, out: Any, total: int) -> int:
    """Write a row for each piece of a side that is pinned to its king."""
    own = position.mine if side == 0 else position.theirs
    occupied = position.mine | position.theirs
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    for direction in range(8):
        ray = RAYS[direction, king]
        kind = position.bishops if direction & 2 else position.rooks
        snipers = ray & occupied & ~own & (kind | position.queens)
        if snipers == NONE:
            continue
        sniper = lowest(snipers) if direction < 4 else highest(snipers)
        between = (ray ^ RAYS[direction, sniper]) & occupied & ~bit(sniper)
        if between != NONE and rest(between) == NONE and between & own:
            for number in range(5):
                if kinds[number] & between:
                    out[total] = PINS_AT + side * 6 + number
                    total += 1
    return total


@kernel
def encode_standings(batch: Any, rows: NDArray[np.int64], out: NDArray[np.int32]) -> None:
    """Write the rows of the positions *rows* of a batch [len(rows), MOST], filled up with ROWS."""
    masks = np.zeros(MASKS, np.uint64)
    for i in range(len(rows)):
        total = standings(row_of(batch, rows[i]), out[i], masks)
        for place in range(total, out.shape[1]):
            out[i, place] = ROWS
