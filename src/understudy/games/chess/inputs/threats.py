"""Relations between the pieces of a chess position: threats in the air, and in endings how each stands to both kings.

Threats are what a capture wins, forks to come, trapped pieces, what screens hide. All of it is read off the board as it
stands; no move is played. It is what a player who looks one ply ahead needs to be told most: what the other side will
do next.

To mate with a rook is a matter of relations, too, which sums over single pieces tell badly; with four pieces there are
few enough of them to have a row each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from understudy.games.bits import NONE, Mask, bit, lowest, popcount, rest
from understudy.games.chess.attacks import KNIGHT, diagonal, kind_on, kings, least_attacker, straight
from understudy.games.chess.inputs.attacks_seen import REACH, SIDE, TWICE, Attacks, attacked_by, movable_to, pawn_reach
from understudy.games.chess.inputs.planes import WORTHS
from understudy.games.chess.position import Chess
from understudy.kernels import kernel

MOST_GAIN = 9
"""Pawns: a queen for nothing; more is no more worth knowing."""
LONGEST = 16
"""Captures of an exchange that are counted: more pieces hardly ever see one cell."""
LEVELS = 4
"""What the lesser of two forked pieces is: a pawn, a knight or bishop, a rook, a queen or the king."""
FORKS = 5 * LEVELS
"""Kinds that can fork with their next move, and what they would win."""
TRAPPED = 2 * 4 * 2 * 3
"""Sides; knight to queen; whether it is threatened; safe cells to go to: none, one, more."""
BEHIND = 2 * 2 * 4
"""Sides of a slider; whose piece screens; what stands behind: loose, a rook, a queen, the king."""
THREATS = FORKS + TRAPPED + BEHIND
MOST_THREATS = 5 + 2 * 15 + 2 * 20
"""A position brings no more rows of threats than this: a fork for each kind, of each side fifteen trapped pieces and
twenty hidden ones (`_behind` stops there)."""

FEW_PIECES = 4
"""Up to so many pieces these rows are there: the endings that are solved (`endings.py`)."""
PAIRS = 32 * 64
"""The cells of both kings; the mover's stands on the files e to h."""
STEPS = 15 * 15
"""Where a piece stands from a king: -7 to 7 ranks up, -7 to 7 files to the right."""
RELATIONS = PAIRS + 2 * 10 * STEPS
"""How many rows there are."""
MOST_RELATIONS = 1 + 2 * (FEW_PIECES - 2)
"""A position brings no more of them than this."""

_EIGHT = np.uint64(8)


@kernel
def write_threats(position: Chess, attacks: Attacks, at: int, out: Any, total: int) -> int:
    """Write the rows of threats, of which there are THREATS from *at* on; return how many rows there are now."""
    total = _forks(position, attacks, at, out, total)
    for side in range(2):
        total = _trapped(position, side, attacks, at + FORKS, out, total)
    for side in range(2):
        total = _behind(position, side, attacks, at + FORKS + TRAPPED, out, total)
    return total


@kernel
def winnings(position: Chess, cell: int, mine: bool, attacks: Attacks, gains: Any) -> int:
    """Return the pawns that a side (*mine*: the mover) wins by capturing on a cell, each going on while it pays.

    *gains* is scratch room. Pinned pieces take part only along their pin.
    """
    target, occupied = bit(cell), position.mine | position.theirs
    able = movable_to(position.mine, target, 0, attacks) | movable_to(position.theirs, target, 1, attacks)
    depth = 0
    gains[0] = WORTHS[kind_on(position, cell)]
    hunter, kind = least_attacker(position, cell, occupied & able, occupied, mine)
    while kind >= 0 and depth < LONGEST:
        occupied &= ~bit(hunter)
        if kind == 5 and least_attacker(position, cell, occupied, occupied, not mine)[1] >= 0:
            break  # a king cannot take what is guarded
        depth += 1
        gains[depth] = WORTHS[kind] - gains[depth - 1]
        mine = not mine
        hunter, kind = least_attacker(position, cell, occupied & able, occupied, mine)
    if depth == 0:
        return 0
    while depth > 1:
        depth -= 1
        gains[depth - 1] = -max(-gains[depth - 1], gains[depth])
    return max(0, min(int(gains[0]), MOST_GAIN))


@kernel
def checkers(position: Chess, king: int, side: int) -> Mask:
    """Return the pieces of both sides that attack the cell of *side*'s king."""
    occupied = position.mine | position.theirs
    attackers: Mask = (pawn_reach(bit(king), side) & position.pawns) | (KNIGHT[king] & position.knights)
    attackers |= diagonal(king, occupied) & (position.bishops | position.queens)
    attackers |= straight(king, occupied) & (position.rooks | position.queens)
    return attackers


@kernel
def worthwhile(kinds: Any, hunter: int, guarded: Mask, pieces: Mask) -> Mask:
    """Return which of *pieces* a piece of kind *hunter* would gladly take: worth more, or not *guarded*."""
    more: Mask = NONE
    for kind in range(6):
        if WORTHS[kind] > WORTHS[hunter]:
            more |= kinds[kind]
    gladly: Mask = pieces & (more | ~guarded)
    return gladly


@kernel
def _safe(kind: int, side: int, attacks: Attacks) -> Mask:
    """Return where a piece of a kind can go: no lesser or equal one attacks it, and another defends it if any does."""
    attacked, others = attacked_by(1 - side, attacks), SIDE * (1 - side)
    if kind == 0:
        return ~attacked | attacked_by(side, attacks)
    lesser = attacks[others] | attacks[others + 1]
    if kind > 2:
        lesser |= attacks[others + 2]
    if kind > 3:
        lesser |= attacks[others + 3]
    safe: Mask = ~lesser & (~attacked | attacks[SIDE * side + TWICE])
    return safe


@kernel
def _forks(position: Chess, attacks: Attacks, at: int, out: Any, total: int) -> int:
    """Write for each kind whether the mover can go where it attacks two pieces at once, and what the lesser is."""
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, kings(position))
    occupied, guarded = position.mine | position.theirs, attacked_by(1, attacks)
    for kind in range(5):
        prey = worthwhile(kinds, kind, guarded, position.theirs) | (kinds[5] & position.theirs)
        if kind == 0:
            prey &= ~position.pawns
        if prey == NONE or rest(prey) == NONE:
            continue
        best, pieces = 0, kinds[kind] & position.mine
        safe = _safe(kind, 0, attacks) & ~position.mine
        while pieces != NONE:
            cell = lowest(pieces)
            pieces = rest(pieces)
            goals = safe & (attacks[REACH + cell] if kind > 0 else (bit(cell) << _EIGHT) & ~occupied)
            while goals != NONE:
                caught = prey & _sees(kind, lowest(goals), occupied & ~bit(cell))
                goals = rest(goals)
                if caught != NONE and rest(caught) != NONE:
                    best = max(best, _lesser(kinds, caught))
        if best > 0:
            out[total] = at + kind * LEVELS + best - 1
            total += 1
    return total


@kernel
def _sees(kind: int, cell: int, occupied: Mask) -> Mask:
    """Return what a piece of the mover would attack from a cell."""
    if kind == 0:
        return pawn_reach(bit(cell), 0)
    seen: Mask = KNIGHT[cell] if kind == 1 else NONE
    if kind in (2, 4):
        seen |= diagonal(cell, occupied)
    if kind > 2:
        seen |= straight(cell, occupied)
    return seen


@kernel
def _lesser(kinds: Any, caught: Mask) -> int:
    """Return the level of the second best piece of those *caught*, from 1."""
    levels = (kinds[0], kinds[1] | kinds[2], kinds[3], kinds[4] | kinds[5])
    count = 0
    for level in range(LEVELS, 0, -1):
        count += popcount(caught & levels[level - 1])
        if count >= 2:
            return level
    return 0


@kernel
def _trapped(position: Chess, side: int, attacks: Attacks, at: int, out: Any, total: int) -> int:
    """Write the pieces of a side that are threatened or have hardly a safe cell to go to."""
    own = position.mine if side == 0 else position.theirs
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    loose, others = attacked_by(1 - side, attacks) & ~attacked_by(side, attacks), SIDE * (1 - side)
    for kind in range(1, 5):
        pieces = kinds[kind] & own
        if pieces == NONE:
            continue
        safe, threats = _safe(kind, side, attacks) & ~own, loose | attacks[others]
        if kind > 2:
            threats |= attacks[others + 1]
        if kind > 3:
            threats |= attacks[others + 2]
        while pieces != NONE:
            cell = lowest(pieces)
            pieces = rest(pieces)
            threatened, free = 1 if bit(cell) & threats else 0, min(popcount(attacks[REACH + cell] & safe), 2)
            if threatened or free < 2:
                out[total] = at + ((side * 4 + kind - 1) * 2 + threatened) * 3 + free
                total += 1
    return total


@kernel
def _behind(position: Chess, side: int, attacks: Attacks, at: int, out: Any, total: int) -> int:
    """Write what a side's sliders would attack if what screens it were gone: its own, or the others'."""
    own, enemy = (position.mine, position.theirs) if side == 0 else (position.theirs, position.mine)
    guarded = attacked_by(1 - side, attacks)
    royal = kings(position) & enemy
    pieces = own & (position.bishops | position.rooks | position.queens)
    last = total + 18  # a slider may still bring two rows: twenty in all, as MOST_THREATS has it
    while pieces != NONE and total <= last:
        cell = lowest(pieces)
        pieces = rest(pieces)
        seen = _through(position, cell, NONE)
        for owner in range(2):
            screen = seen & (own if owner == 0 else enemy & ~royal)
            if screen != NONE:
                hidden = _through(position, cell, screen) & ~seen & enemy
                level = _level(position, bit(cell), hidden, royal, guarded)
                if level >= 0:
                    out[total] = at + (side * 2 + owner) * 4 + level
                    total += 1
    return total


@kernel
def _through(position: Chess, cell: int, screen: Mask) -> Mask:
    """Return what a slider attacks if the pieces of *screen* are gone."""
    clear = (position.mine | position.theirs) & ~screen
    through: Mask = NONE
    if bit(cell) & ~position.rooks:
        through |= diagonal(cell, clear)
    if bit(cell) & ~position.bishops:
        through |= straight(cell, clear)
    return through


@kernel
def _level(position: Chess, slider: Mask, hidden: Mask, royal: Mask, guarded: Mask) -> int:
    """Return what a slider could gain behind a screen: 3 king, 2 queen, 1 rook, 0 something loose, -1 nothing."""
    if hidden & royal:
        return 3
    if hidden & position.queens and slider & ~position.queens:
        return 2
    if hidden & position.rooks and slider & position.bishops:
        return 1
    return 0 if hidden & ~guarded else -1


@kernel
def write_few_pieces(position: Chess, first: int, out: Any, total: int) -> int:
    """Write these rows, numbered from *first* on, if few pieces are left; the mover's king stands on the right."""
    if popcount(position.mine | position.theirs) > FEW_PIECES:
        return total
    royal = kings(position)
    one, other = lowest(royal & position.mine), lowest(royal & position.theirs)
    out[total] = first + ((one >> 3) * 4 + (one & 3)) * 64 + other
    kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens)
    total += 1
    for number in range(10):
        pieces = kinds[number % 5] & (position.mine if number < 5 else position.theirs)
        while pieces != NONE:
            cell = lowest(pieces)
            pieces = rest(pieces)
            out[total] = first + PAIRS + number * STEPS + _step(cell, one)
            out[total + 1] = first + PAIRS + (10 + number) * STEPS + _step(cell, other)
            total += 2
    return total


@kernel
def _step(cell: int, king: int) -> int:
    """Return where a cell lies as seen from a king."""
    return ((cell >> 3) - (king >> 3) + 7) * 15 + (cell & 7) - (king & 7) + 7
