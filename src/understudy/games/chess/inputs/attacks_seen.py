"""Who attacks what in a chess position, by the kind of the attacker; pinned pieces and batteries are seen.

A piece pinned to its king attacks only along the pin. Where sliders stand behind each other, both count for whether a
cell is attacked twice. All masks are of one board, seen by the mover: its pawns go up.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.bits import NONE, Mask, bit, highest, lowest, rest
from understudy.games.chess.attacks import KING, KNIGHT, RAYS, diagonal, kings, straight
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

SIDE = 7
"""Masks of a side, the mover's first: attacked by pawns, knights and bishops, rooks, queens, king; by two; guarded."""
REACH = 2 * SIDE
"""Where it is told what the piece on each cell attacks; pawns are left out."""
PINS = REACH + 64
"""Where the pins of a side are told: a pinned piece, the line on which it may go, the next one; NONE ends them."""
MOST_PINS = 16
"""Room for the pins of a side: eight directions, a piece and a line each."""
MASKS = PINS + 2 * MOST_PINS
"""Masks of all attacks in all: one array, so that one pointer is all that kernels hand on."""
TWICE = 5
"""Where a side has what two or more of its pieces attack, after what each kind does."""
GUARDED = 6
"""Where a side has what no king of the others may enter: a pinned piece guards as any other."""

Attacks: TypeAlias = NDArray[np.uint64]
"""MASKS masks that tell what both sides attack."""

_A = np.uint64(0x0101_0101_0101_0101)
_H = np.uint64(0x8080_8080_8080_8080)
_7 = np.uint64(7)
_9 = np.uint64(9)


@kernel
def write_attacks(position: Chess, attacks: Attacks) -> None:
    """Write what both sides attack."""
    _attack(position, position.mine, 0, attacks)
    _attack(position, position.theirs, 1, attacks)


@kernel
def _pin(position: Chess, own: Mask, side: int, attacks: Attacks) -> None:
    """Write which of *own* pieces are pinned to their king, and on which line."""
    occupied = position.mine | position.theirs
    king, place = lowest(kings(position) & own), PINS + MOST_PINS * side
    last = place + MOST_PINS
    for direction in range(8):
        ray = RAYS[direction, king]
        kind = position.bishops if direction & 2 else position.rooks
        snipers = ray & occupied & ~own & (kind | position.queens)
        if snipers == NONE:
            continue
        sniper = lowest(snipers) if direction < 4 else highest(snipers)
        between = (ray ^ RAYS[direction, sniper]) & occupied & ~bit(sniper)
        if between != NONE and rest(between) == NONE and between & own:
            attacks[place], attacks[place + 1] = between, ray
            place += 2
    if place < last:
        attacks[place] = NONE


@kernel
def _attack(position: Chess, own: Mask, side: int, attacks: Attacks) -> None:
    """Write what *own* pieces attack by kind, what two or more do, and what each does."""
    _pin(position, own, side, attacks)
    base, pinned = SIDE * side, attacks[PINS + MOST_PINS * side] != NONE
    pawns = position.pawns & own
    once, twice = _attack_by_pawns(pawns, side, attacks)
    guarded = _by_pawns(pawns, side)[0]
    attacks[base] = once
    for place in range(1, 5):
        attacks[base + place] = NONE
    pieces = own & ~pawns
    while pieces != NONE:
        cell = lowest(pieces)
        pieces = rest(pieces)
        place, seen, behind = _seen(position, own, cell)
        guarded |= seen
        if pinned:
            seen, behind = _along(side, attacks, bit(cell), seen), _along(side, attacks, bit(cell), behind)
        attacks[REACH + cell] = seen
        attacks[base + place] |= seen
        seen |= behind
        twice |= once & seen
        once |= seen
    attacks[base + TWICE], attacks[base + GUARDED] = twice, guarded


@kernel
def _attack_by_pawns(pawns: Mask, side: int, attacks: Attacks) -> tuple[Mask, Mask]:
    """Return what pawns attack, and what two of them do."""
    free, first = pawns, PINS + MOST_PINS * side
    for place in range(first, first + MOST_PINS, 2):
        if attacks[place] == NONE:
            break
        free &= ~attacks[place]
    once, twice = _by_pawns(free, side)
    pinned = pawns & ~free
    while pinned != NONE:
        pawn = bit(lowest(pinned))
        pinned = rest(pinned)
        seen = _along(side, attacks, pawn, pawn_reach(pawn, side))
        twice |= once & seen
        once |= seen
    return once, twice


@kernel
def _by_pawns(pawns: Mask, side: int) -> tuple[Mask, Mask]:
    """Return what pawns attack that are not pinned, and what two of them do."""
    if side == 0:
        left, right = (pawns & ~_A) << _7, (pawns & ~_H) << _9
    else:
        left, right = (pawns & ~_H) >> _7, (pawns & ~_A) >> _9
    return left | right, left & right


@kernel
def _seen(position: Chess, own: Mask, cell: int) -> tuple[int, Mask, Mask]:
    """Return where the attacks of a piece belong, what it attacks, and what besides through others of its own kind."""
    piece, occupied = bit(cell), position.mine | position.theirs
    if position.knights & piece:
        return 1, KNIGHT[cell], NONE
    slanted, upright = own & (position.bishops | position.queens), own & (position.rooks | position.queens)
    if position.bishops & piece:
        across = diagonal(cell, occupied)
        return 1, across, diagonal(cell, occupied & ~slanted) if across & slanted else NONE
    if position.rooks & piece:
        along = straight(cell, occupied)
        return 2, along, straight(cell, occupied & ~upright) if along & upright else NONE
    if position.queens & piece:
        across, along = diagonal(cell, occupied), straight(cell, occupied)
        behind = diagonal(cell, occupied & ~slanted) if across & slanted else NONE
        if along & upright:
            behind |= straight(cell, occupied & ~upright)
        return 3, across | along, behind
    return 4, KING[cell], NONE


@kernel
def _along(side: int, attacks: Attacks, piece: Mask, seen: Mask) -> Mask:
    """Return what is left of *seen* to a piece that may be pinned."""
    first = PINS + MOST_PINS * side
    for place in range(first, first + MOST_PINS, 2):
        if attacks[place] == NONE:
            break
        if attacks[place] == piece:
            seen &= attacks[place + 1]
    return seen


@kernel
def movable_to(own: Mask, target: Mask, side: int, attacks: Attacks) -> Mask:
    """Return *own* pieces but for those whose pin keeps them from *target*."""
    first = PINS + MOST_PINS * side
    for place in range(first, first + MOST_PINS, 2):
        if attacks[place] == NONE:
            break
        if attacks[place + 1] & target == NONE:
            own &= ~attacks[place]
    return own


@kernel
def pawn_reach(pawn: Mask, side: int) -> Mask:
    """Return what a single pawn attacks; those of side 0 go up."""
    return _by_pawns(pawn, side)[0]


@kernel
def attacked_by(side: int, attacks: Attacks) -> Mask:
    """Return all cells that a side attacks."""
    base = SIDE * side
    cells: Mask = attacks[base] | attacks[base + 1] | attacks[base + 2] | attacks[base + 3] | attacks[base + 4]
    return cells


@kernel
def least(side: int, attacks: Attacks, piece: Mask) -> int:
    """Return the least piece of a side that attacks: 0 none, 1 pawn, 2 knight or bishop, 3 rook, 4 queen, 5 king."""
    for place in range(5):
        if attacks[SIDE * side + place] & piece:
            return place + 1
    return 0
