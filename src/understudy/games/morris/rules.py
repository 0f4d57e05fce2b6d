"""Nine Men's Morris: the rules as kernels; text is in morris_notation.

Rules after Galassi (2017) and Chesani et al. (2018), doubtful points as in docs/games/morris.md. A removal is part of
the move that closes the mill. Inside, a cell is a bit: eight cells of each ring, clockwise from the upper left
corner, outer ring first. So a ring is a byte, corners are even bits, mid-sides odd ones, and mills of all rings are
found at once by rotating bytes. Outside, cells have the papers' numbers 1 to 24 (0: no cell).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games.bits import NONE, ONE, Mask, bit, listed, lowest, mixed, popcount, rest
from understudy.games.kind import ONGOING, Variant, check_rules
from understudy.games.morris.notation import START, STONES, Morris, board
from understudy.kernels import kernel
from understudy.protocols import Conventions

SWITCHES = {"repetition": ("second", "third", "course"), "no_capture": ("off", "50", "100", "200")}
"""How matches end games that do not end (docs/games/morris.md): at the second or third time that a position is there,
or as the referee of the course did; after so many plies without a capture."""
COURSE_WINDOW = 16
"""Positions that the referee of the papers' course remembers; it does not look whose turn it is (R11)."""

MOST_MOVES = 512
"""Three stones fly to at most 18 cells, and each may remove one of nine stones: 486, more than any other phase has."""
FEATURES = 66
"""My 24 cells, their 24 cells, nine stones in my hand, nine in theirs."""

# A ring is a byte, from a corner round: even bits are corners, odd ones the middles of sides, which spokes connect.
BOARD_MASK = np.uint64(0xFFFFFF)
CORNERS = np.uint64(0x555555)
MIDDLES = np.uint64(0xAAAAAA)
OUTER_MIDDLES = np.uint64(0x0000AA)
_FIRST = np.uint64(0x010101)
_LAST = np.uint64(0x808080)
_NOT_FIRST = np.uint64(0xFEFEFE)
_NOT_LAST = np.uint64(0x7F7F7F)
_1 = np.uint64(1)
_7 = np.uint64(7)
_8 = np.uint64(8)
_16 = np.uint64(16)
_24 = np.uint64(24)
_48 = np.uint64(48)
_52 = np.uint64(52)


@kernel
def onward(mask: Mask) -> Mask:
    """Return every cell of *mask* moved one cell clockwise along its ring."""
    return ((mask << _1) & _NOT_FIRST) | ((mask >> _7) & _FIRST)


@kernel
def backward(mask: Mask) -> Mask:
    """Return every cell of *mask* moved one cell counter-clockwise along its ring."""
    return ((mask >> _1) & _NOT_LAST) | ((mask << _7) & _LAST)


@kernel
def spokes(mask: Mask) -> Mask:
    """Return the cells one step inward or outward of *mask*, along the four spokes."""
    middles = mask & MIDDLES
    return ((middles << _8) | (middles >> _8)) & BOARD_MASK


@kernel
def neighbours(mask: Mask) -> Mask:
    """Return the cells next to any cell of *mask*."""
    return onward(mask) | backward(mask) | spokes(mask)


@kernel
def in_mills(stones: Mask) -> Mask:
    """Return the stones that stand in a mill."""
    sides = stones & onward(stones) & backward(stones) & MIDDLES
    spoke = stones & (stones >> _8) & (stones >> _16) & OUTER_MIDDLES
    return sides | onward(sides) | backward(sides) | spoke | (spoke << _8) | (spoke << _16)


@kernel
def closers(stones: Mask) -> Mask:
    """Return the cells whose two companions in some line are both in *stones*."""
    before, after = onward(stones), backward(stones)
    sides = (before & after & MIDDLES) | (((before & onward(before)) | (after & backward(after))) & CORNERS)
    middles = stones & MIDDLES
    spoke = ((middles >> _8) & (middles >> _16)) | ((middles << _8) & (middles << _16))
    return (sides | spoke | ((middles << _8) & (middles >> _8))) & BOARD_MASK


@kernel
def removable(stones: Mask) -> Mask:
    """Return the stones that a mill of the other side may take: those outside mills, or all if there are none."""
    free = stones & ~in_mills(stones)
    return free if free != NONE else stones


@kernel
def moves(position: Morris, out: NDArray[np.int32]) -> int:
    """Write the codes of all legal moves, ascending; return how many."""
    mine, theirs = position.mine, position.theirs
    empty = BOARD_MASK & ~(mine | theirs)
    prey = removable(theirs)
    placing, flying = position.hand > 0, popcount(mine) == 3
    closing = closers(mine)
    total = 0
    while empty != NONE:
        to = lowest(empty)
        target = bit(to)
        empty = rest(empty)
        if placing:
            total = _write(out, total, (to + 1) * 625, prey if closing & target else NONE)
            continue
        origins = mine if flying else mine & neighbours(target)
        while origins != NONE:
            origin = lowest(origins)
            origins = rest(origins)
            closed = closing & target and closers(mine & ~bit(origin)) & target
            total = _write(out, total, ((to + 1) * 25 + origin + 1) * 25, prey if closed else NONE)
    return total


@kernel
def _write(out: NDArray[np.int32], total: int, code: int, prey: Mask) -> int:
    """Write one move, or one for each stone it may remove."""
    if prey == NONE:
        out[total] = code
        return total + 1
    while prey != NONE:
        out[total] = code + lowest(prey) + 1
        prey = rest(prey)
        total += 1
    return total


@kernel
def count(position: Morris) -> int:
    """Return how many moves are legal, without listing them."""
    mine, theirs = position.mine, position.theirs
    empty = BOARD_MASK & ~(mine | theirs)
    closing = closers(mine) & empty
    if position.hand > 0:
        if closing == NONE:
            return popcount(empty)
        captures = max(popcount(removable(theirs)), 1)
        return popcount(empty) + popcount(closing) * (captures - 1)
    flying = popcount(mine) == 3
    total = 3 * popcount(empty) if flying else mobility(mine, empty)
    extra = max(popcount(removable(theirs)), 1) - 1
    while closing != NONE:
        target = bit(lowest(closing))
        closing = rest(closing)
        origins = mine if flying else mine & neighbours(target)
        while origins != NONE:
            if closers(mine & ~bit(lowest(origins))) & target:
                total += extra
            origins = rest(origins)
    return total


@kernel
def mobility(stones: Mask, empty: Mask) -> int:
    """Return how many slides *stones* have into *empty*."""
    middles = stones & MIDDLES
    ring = popcount(onward(stones) & empty) + popcount(backward(stones) & empty)
    return ring + popcount((middles << _8) & empty) + popcount((middles >> _8) & empty)


@kernel
def movable(position: Morris) -> bool:
    """Tell whether the side to move has a move."""
    empty = BOARD_MASK & ~(position.mine | position.theirs)
    if position.hand > 0 or popcount(position.mine) == 3:
        return bool(empty != NONE)
    return bool(neighbours(position.mine) & empty != NONE)


@kernel
def play(position: Morris, move: int) -> Morris:
    """Return the position after a legal move, seen by the other side."""
    to, origin, removed = move // 625, move // 25 % 25, move % 25
    mine, theirs, hand = position.mine | bit(to - 1), position.theirs, position.hand
    if origin > 0:
        mine &= ~bit(origin - 1)
    else:
        hand -= 1
    if removed > 0:
        theirs &= ~bit(removed - 1)
    return Morris(theirs, mine, position.their_hand, hand, position.ply + 1)


@kernel
def outcome(position: Morris, count: int) -> int:
    """Return -1 or 1 if the side to move has lost or won, else ONGOING; *count* tells how many moves there are."""
    if position.hand + popcount(position.mine) < 3 or count == 0:
        return -1
    if position.their_hand + popcount(position.theirs) < 3:
        return 1
    return ONGOING


@kernel
def turn(position: Morris) -> Morris:
    """Return the same stones seen by the other side, as if the side to move had passed."""
    return Morris(position.theirs, position.mine, position.their_hand, position.hand, position.ply + 1)


@kernel
def key(position: Morris) -> Mask:
    """Return a key equal for equal placements, whatever the ply; no two placements share one."""
    hands = (np.uint64(position.hand) << _48) | (np.uint64(position.their_hand) << _52)
    return mixed(position.mine | (position.theirs << _24) | hands)


@kernel
def features(position: Morris, out: NDArray[np.int32]) -> int:
    """Write which of the binary features hold: my cells, their cells, stones in my hand and in theirs (unary)."""
    total = listed(position.theirs, 24, out, listed(position.mine, 0, out, 0))
    total = listed(bit(position.hand) - ONE, 48, out, total)
    return listed(bit(position.their_hand) - ONE, 48 + STONES, out, total)


@kernel
def changes(position: Morris, move: int, gone: NDArray[np.int32], come: NDArray[np.int32]) -> tuple[int, int]:
    """Write which features a move takes away and which it brings, both seen by who moves; return how many."""
    to, origin, removed = move // 625, move // 25 % 25, move % 25
    come[0] = to - 1
    gone[0] = origin - 1 if origin > 0 else 47 + position.hand  # hands are unary: the last stone of mine goes
    gone[1] = 23 + removed
    return (2 if removed > 0 else 1), 1


@kernel
def mirrored(feature: int) -> int:
    """Return under which number the other side sees a feature."""
    if feature < 48:
        return feature + 24 if feature < 24 else feature - 24
    return feature + STONES if feature < 48 + STONES else feature - STONES


@kernel
def promise(position: Morris, move: int) -> int:
    """Return how early a search should try *move*: removals first."""
    return 1 if move % 25 > 0 else 0


def material(position: Morris) -> int:
    """Return how many stones both sides own, on the board or in hand: only a capture changes it."""
    return int(popcount(position.mine | position.theirs)) + position.hand + position.their_hand


def reason(position: Morris) -> str:
    """Return why a finished game ended."""
    fewest = min(position.hand + popcount(position.mine), position.their_hand + popcount(position.theirs))
    return "removing" if fewest < 3 else "suffocating"


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    """Return Nine Men's Morris; it has one size, and its switches are about draws alone."""
    if size is not None and size != (7, 7):
        raise BadOption(f"morris has no board of size {size[0]}x{size[1]}; its board of 24 cells is the only one")
    check_rules("morris", rules, SWITCHES)
    return Variant(
        title="Nine Men's Morris",
        first=START,
        board=board(),
        size=(7, 7),
        colours=("white", "black"),
        part_names=("to", "from", "remove"),
        part_sizes=(25, 25, 25),
        conventions=_agree(rules),
        sizes="24 cells",
        switches=SWITCHES,
    )


def _agree(rules: Mapping[str, str]) -> Conventions:
    """Return what a match adds to the rules: when a game is drawn."""
    repetition, quiet = rules.get("repetition"), rules.get("no_capture", "off")
    return Conventions(
        repetition=3 if repetition == "third" else 2,
        ply_limit=300,
        opening_plies=2,
        window=COURSE_WINDOW if repetition == "course" else None,
        turn_counts=repetition != "course",
        quiet_limit=None if quiet == "off" else int(quiet),
    )
