"""How each piece of a chess position stands: what it is, where, who attacks it and who defends it, as rows to add up.

This is what `standings`, our own input of chess networks, sees. A board of pieces alone hides what matters to someone
who may look only one ply ahead: which piece can be taken. So every piece brings a row for its kind, cell and standing,
and one for its kind and a finer standing whatever the cell; kings bring what is attacked around them; pieces bring how
far they reach; and threats bring rows of their own (`threats.py`). A network adds up one row of weights for each,
as it would for the pieces alone.

The board is mirrored so that the mover's king stands on the files e to h: left and right are alike but for castling,
and a king on the other half has lost the right to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.chess.attacks import KING, KNIGHT, diagonal, kings, straight
from understudy.games.chess.batches import row_of
from understudy.games.chess.inputs.attacks_seen import (
    GUARDED,
    MASKS,
    MOST_PINS,
    PINS,
    SIDE,
    TWICE,
    Attacks,
    attacked_by,
    least,
    pawn_reach,
    write_attacks,
)
from understudy.games.chess.inputs.attacks_seen import REACH as REACH_FROM
from understudy.games.chess.inputs.threats import (
    MOST_RELATIONS,
    MOST_THREATS,
    RELATIONS,
    THREATS,
    checkers,
    winnings,
    worthwhile,
    write_few_pieces,
    write_threats,
)
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

ATTACKS = 6
"""The least piece that attacks: none, pawn, knight or bishop, rook, queen, king."""
STANDINGS = 3 * ATTACKS
"""With: not defended, defended by a pawn, defended by others."""
FINE = 2 * 4 * ATTACKS
"""Attackers: fewer than two or more; defenders: none, a pawn, one other, more."""
REACH = 28
"""Cells that a piece may go to, those that pawns guard and its own side holds left out: none to a queen's 27."""
AROUND, NEAR = 9, 2 * 3 * 2
"""Cells beside a king: held by its own side or not; attacked by none, one, more of the others; defended or not."""
GAINS = 10
"""Pawns that the best capture, or the second best, would bring: from none to a queen; in check, also what another
capture than that of the checking piece would bring later."""
ESCAPES = 9
"""Cells beside a king that are neither its own side's nor attacked (those in its own shadow count as free)."""
ESCAPE_LEVELS = 3
"""Of those: none, one, more."""
CHECKS = 3 * ESCAPE_LEVELS
"""Whether a kind of piece can give check at once: no; only where it may be taken; safely; with how few escapes.
Knights and bishops share the cells that they attack, so one may count for the other."""
CONTACTS = 2 * ESCAPE_LEVELS
"""Whether a queen can give check beside the king, helped by another piece where only the king defends."""
PREY = 3
"""Pieces that one piece could take with gain: one, two, more; two are a fork."""
WAYS = 3
"""The cell before a passed pawn: free, attacked, held."""
BARE, APART = 3, 8
"""Whether one side has but its king: neither, the other, the mover; how far the kings are apart."""

# Where the rows of each kind begin, one kind after the other: those before it by sides, kinds of pieces and cells. The
# order is that of the shipped student's weights and cannot change.
KINDS_AT = 12 * 64 * STANDINGS
REACH_AT = KINDS_AT + 12 * FINE
KINGS_AT = REACH_AT + 2 * 4 * REACH
GAINS_AT = KINGS_AT + 2 * AROUND * NEAR
CHECKS_AT = GAINS_AT + 4 * GAINS
CONTACTS_AT = CHECKS_AT + 2 * 4 * CHECKS
ESCAPES_AT = CONTACTS_AT + 2 * CONTACTS
PINS_AT = ESCAPES_AT + 2 * ESCAPES
PASSED_AT = PINS_AT + 2 * 6
PREY_AT = PASSED_AT + 2 * 8 * WAYS
PIECES_AT = PREY_AT + 12 * PREY
RIGHTS_AT = PIECES_AT + 33
CHECKED_AT = RIGHTS_AT + 16
PASSANT_AT = CHECKED_AT + 2
THREATS_AT = PASSANT_AT + 2
APART_AT = THREATS_AT + THREATS
LATER_AT = APART_AT + BARE * APART
FEW_PIECES_AT = LATER_AT + 2 * GAINS
ROWS = FEW_PIECES_AT + RELATIONS
"""How many rows there are; `ROWS` itself stands for nothing."""

MOST = 3 * 32 + 30 + 2 * AROUND + 4 + 8 + 2 + 2 + 16 + 16 + 5 + MOST_THREATS + 2 + MOST_RELATIONS
"""A position brings no more rows than this. In order: two rows of each piece and its prey; reach of 30; around both
kings; gains; checks; contacts; escapes; pins; passed pawns; what is told once; threats; gains later; relations."""

# Masks and shifts that mirror all ranks at once: bits, pairs and halves of each byte change places.
_ODD = np.uint64(0x5555_5555_5555_5555)
_PAIRS = np.uint64(0x3333_3333_3333_3333)
_FOURS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_1 = np.uint64(1)
_2 = np.uint64(2)
_4 = np.uint64(4)


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
def standings(position: Chess, out: NDArray[np.int32], attacks: Attacks) -> int:
    """Write the rows that a position brings; return how many. *attacks* is scratch room."""
    position = facing(position)
    write_attacks(position, attacks)
    total = _pieces(position, 0, attacks, out, 0)
    total = _pieces(position, 1, attacks, out, total)
    total = _king(position, 0, attacks, out, total)
    total = _king(position, 1, attacks, out, total)
    out[total] = RIGHTS_AT + position.castling
    out[total + 1] = CHECKED_AT + (1 if attacks[SIDE + GUARDED] & kings(position) & position.mine else 0)
    out[total + 2] = PASSANT_AT + (1 if position.passant else 0)
    out[total + 3] = PIECES_AT + popcount(position.mine | position.theirs)
    out[total + 4] = APART_AT + _apart(position)
    total = write_threats(position, attacks, THREATS_AT, out, total + 5)
    return write_few_pieces(position, FEW_PIECES_AT, out, total)


@kernel
def _apart(position: Chess) -> int:
    """Return how far the kings are apart, and whether one of them is all that its side has."""
    royal = kings(position)
    one, other = lowest(royal & position.mine), lowest(royal & position.theirs)
    bare = 1 if position.theirs & ~royal == NONE else 2 if position.mine & ~royal == NONE else 0
    return bare * APART + max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@kernel
def _pieces(position: Chess, side: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write the rows of a side's pieces, and what the others could win by taking one of them."""
    own = position.mine if side == 0 else position.theirs
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    checking = own & checkers(position, lowest(kinds[5] & ~own), 1 - side)
    best, second, later = 0, 0, 0
    for kind in range(6):
        pieces = kinds[kind] & own
        while pieces != NONE:
            cell = lowest(pieces)
            piece = bit(cell)
            pieces = rest(pieces)
            attacker = _standing(side, kind, cell, attacks, out, total)
            total = _outlook(position, side, kind, cell, attacks, out, total + 2)
            if attacker and kind < 5:
                gain = winnings(position, cell, side == 1, attacks, out[total:])
                if checking & ~piece != NONE:  # a check is answered first
                    later = max(later, gain)
                elif gain > best:
                    best, second = gain, best
                elif gain > second:
                    second = gain
    out[total] = GAINS_AT + (2 * side) * GAINS + best
    out[total + 1] = GAINS_AT + (2 * side + 1) * GAINS + second
    if checking == NONE:
        return total + 2
    out[total + 2] = LATER_AT + side * GAINS + later
    return total + 3


@kernel
def _standing(side: int, kind: int, cell: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write how a piece stands on its cell, and finer whatever the cell; return its least attacker."""
    piece, number = bit(cell), 6 * side + kind
    attacker = least(1 - side, attacks, piece)
    guarded = min(least(side, attacks, piece), 2)
    out[total] = (number * 64 + cell) * STANDINGS + guarded * ATTACKS + attacker
    if guarded == 2 and attacks[SIDE * side + TWICE] & piece:
        guarded = 3
    more = 1 if attacks[SIDE * (1 - side) + TWICE] & piece else 0
    out[total + 1] = KINDS_AT + number * FINE + (guarded * 2 + more) * ATTACKS + attacker
    return attacker


@kernel
def _outlook(position: Chess, side: int, kind: int, cell: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write how far a piece reaches, what it would gladly take, and how a passed pawn can go on."""
    own = position.mine if side == 0 else position.theirs
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    if 1 <= kind <= 4:
        out[total] = (
            REACH_AT
            + (side * 4 + kind - 1) * REACH
            + popcount(attacks[REACH_FROM + cell] & ~own & ~attacks[SIDE * (1 - side)])
        )
        total += 1
    seen = attacks[REACH_FROM + cell] if kind > 0 else pawn_reach(bit(cell), side)
    enemy = (position.mine | position.theirs) & ~own
    prey = popcount(seen & worthwhile(kinds, kind, attacked_by(1 - side, attacks), enemy))
    if prey > 0:
        out[total] = PREY_AT + (6 * side + kind) * PREY + min(prey, PREY) - 1
        total += 1
    if kind == 0 and AHEAD[side, cell] & position.pawns & ~own == NONE:
        stop = bit(cell + 8 if side == 0 else cell - 8)
        way = 2 if stop & (position.mine | position.theirs) else 1 if least(1 - side, attacks, stop) else 0
        out[total] = PASSED_AT + (side * 8 + (cell >> 3)) * WAYS + way
        total += 1
    return total


@kernel
def _king(position: Chess, side: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write the rows about a side's king: the cells around it, where it could go, checks in the air, pinned pieces."""
    own = position.mine if side == 0 else position.theirs
    ours, others = SIDE * side, SIDE * (1 - side)
    king, attacked = lowest(kings(position) & own), attacks[others + GUARDED]
    defended = attacks[ours] | attacks[ours + 1] | attacks[ours + 2] | attacks[ours + 3]
    for across in range(-1, 2):
        for along in range(-1, 2):
            file, rank = (king & 7) + across, (king >> 3) + along
            if 0 <= file < 8 and 0 <= rank < 8:
                near = bit(8 * rank + file)
                held, safe = 1 if own & near else 0, 1 if defended & near else 0
                count = 0 if attacked & near == NONE else 2 if attacks[others + TWICE] & near else 1
                place = (along + 1 if side == 0 else 1 - along) * 3 + across + 1
                out[total] = KINGS_AT + (side * AROUND + place) * NEAR + (held * 3 + count) * 2 + safe
                total += 1
    escapes = popcount(KING[king] & ~own & ~attacked)
    helped = attacks[others + 3] & attacks[others + TWICE]
    contact = 1 if KING[king] & helped & ~defended & ~_others(position, side) else 0
    out[total] = ESCAPES_AT + side * ESCAPES + escapes
    escape_level = min(escapes, ESCAPE_LEVELS - 1)
    out[total + 1] = CONTACTS_AT + side * CONTACTS + contact * ESCAPE_LEVELS + escape_level
    total = _checks(position, side, king, escape_level, attacks, out, total + 2)
    return _pins(position, side, attacks, out, total)


@kernel
def _others(position: Chess, side: int) -> Mask:
    return position.theirs if side == 0 else position.mine


@kernel
def _checks(position: Chess, side: int, king: int, escape_level: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write for each kind of the others' pieces whether it could give check to this side's king at once."""
    occupied, theirs = position.mine | position.theirs, _others(position, side)
    guarded, others = attacked_by(side, attacks), SIDE * (1 - side)
    slanted, upright = diagonal(king, occupied), straight(king, occupied)
    for kind in range(4):
        if kind == 0:
            cells, pieces = KNIGHT[king] & attacks[others + 1], position.knights
        elif kind == 1:
            cells, pieces = slanted & attacks[others + 1], position.bishops
        elif kind == 2:
            cells, pieces = upright & attacks[others + 2], position.rooks
        else:
            cells, pieces = (slanted | upright) & attacks[others + 3], position.queens
        cells = cells & ~theirs if pieces & theirs else NONE
        danger = 0 if cells == NONE else 1 if cells & ~guarded == NONE else 2
        out[total] = CHECKS_AT + (side * 4 + kind) * CHECKS + danger * ESCAPE_LEVELS + escape_level
        total += 1
    return total


@kernel
def _pins(position: Chess, side: int, attacks: Attacks, out: Any, total: int) -> int:
    """Write a row for each piece of a side that is pinned to its king."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    first = PINS + MOST_PINS * side
    for place in range(first, first + MOST_PINS, 2):
        if attacks[place] == NONE:
            break
        for kind in range(5):
            if kinds[kind] & attacks[place]:
                out[total] = PINS_AT + side * 6 + kind
                total += 1
    return total


@kernel
def encode_standings(batch: Any, rows: NDArray[np.int64], out: NDArray[np.int32]) -> None:
    """Write the rows of the positions *rows* of a batch [len(rows), MOST], filled up with ROWS."""
    attacks = np.zeros(MASKS, np.uint64)
    for i in range(len(rows)):
        total = standings(row_of(batch, rows[i]), out[i], attacks)
        for place in range(total, out.shape[1]):
            out[i, place] = ROWS
