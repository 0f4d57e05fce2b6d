"""Nine Men's Morris: position, kernels, notation and board.

Rules after Galassi (2017) and Chesani et al. (2018), doubtful points as in docs/games/morris.md. A removal is part of
the move that closes the mill. Inside, a cell is a bit: eight cells of each ring, clockwise from the upper left
corner, outer ring first. So a ring is a byte, corners are even bits, mid-sides odd ones, and mills of all rings are
found at once by rotating bytes. Outside, cells have the papers' numbers 1 to 24 (0: no cell).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, NotationError
from understudy.games.bits import NONE, Mask, bit, lowest, mixed, popcount, rest, sent
from understudy.games.variant import ONGOING, Variant, check_rules
from understudy.kernels import kernel
from understudy.protocols import Board, Conventions, Move

STONES = 9
MOST_MOVES = 512
FEATURES = 66
"""My 24 cells, their 24 cells, nine stones in my hand, nine in theirs."""


class Morris(NamedTuple):
    """A position seen by the side to move: stones on the board, stones in hand."""

    mine: Mask
    theirs: Mask
    hand: int
    their_hand: int
    ply: int


START = Morris(np.uint64(0), np.uint64(0), STONES, STONES, 0)

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
    total = 0
    for side in range(2):
        stones = position.mine if side == 0 else position.theirs
        while stones != NONE:
            out[total] = side * 24 + lowest(stones)
            stones = rest(stones)
            total += 1
        for stone in range(position.hand if side == 0 else position.their_hand):
            out[total] = 48 + side * STONES + stone
            total += 1
    return total


@kernel
def promise(position: Morris, move: int) -> int:
    """Return how early a search should try *move*: removals first."""
    return 1 if move % 25 > 0 else 0


# Notation: the papers' 24 letters and four digits; moves as FROM, TO, REMOVE without what is absent.

CELLS = [
    "a7",
    "d7",
    "g7",
    "b6",
    "d6",
    "f6",
    "c5",
    "d5",
    "e5",
    "a4",
    "b4",
    "c4",
    "e4",
    "f4",
    "g4",
    "c3",
    "d3",
    "e3",
    "b2",
    "d2",
    "f2",
    "a1",
    "d1",
    "g1",
]
"""The papers' cells 1 to 24."""

RINGS = [
    "a7",
    "d7",
    "g7",
    "g4",
    "g1",
    "d1",
    "a1",
    "a4",
    "b6",
    "d6",
    "f6",
    "f4",
    "f2",
    "d2",
    "b2",
    "b4",
    "c5",
    "d5",
    "e5",
    "e4",
    "e3",
    "d3",
    "c3",
    "c4",
]
"""Our bits 0 to 23."""

NUMBER = (0, *(CELLS.index(name) + 1 for name in RINGS))
"""From a bit plus one to the papers' number."""

BIT = (0, *(RINGS.index(name) + 1 for name in CELLS))
"""From the papers' number to a bit plus one."""


def write(position: Morris) -> str:
    """Return the papers' 28 characters: cell by cell Mine, Enemy or O for empty, then hands and stones on board."""
    mine, theirs = int(position.mine), int(position.theirs)
    letters = ("M" if mine >> cell & 1 else "E" if theirs >> cell & 1 else "O" for cell in (b - 1 for b in BIT[1:]))
    counts = (position.hand, position.their_hand, mine.bit_count(), theirs.bit_count())
    return "".join(letters) + "".join(map(str, counts))


def read(text: str, start: Morris) -> Morris:
    """Return the position written in *text*; stones in hand tell who is to move, else it is the first player."""
    text = text.strip()
    if not re.fullmatch(r"[OME]{24}[0-9]{4}", text):
        raise NotationError(f"morris position {text!r}: expected 24 letters O, M or E and four digits")
    mine = sum(1 << BIT[i + 1] - 1 for i in range(24) if text[i] == "M")
    theirs = sum(1 << BIT[i + 1] - 1 for i in range(24) if text[i] == "E")
    hand, their_hand, board, their_board = map(int, text[24:])
    if (mine.bit_count(), theirs.bit_count()) != (board, their_board):
        found = f"{mine.bit_count()} and {theirs.bit_count()} stones on the board"
        raise NotationError(
            f"morris position {text!r}: the letters have {found}, the digits say {board} and {their_board}"
        )
    if hand + board > STONES or their_hand + their_board > STONES:
        raise NotationError(f"morris position {text!r}: a side owns more than {STONES} stones")
    if hand - their_hand not in (0, 1):
        raise NotationError(
            f"morris position {text!r}: {hand} stones in hand to move against {their_hand} cannot occur"
        )
    return Morris(np.uint64(mine), np.uint64(theirs), hand, their_hand, 2 * STONES - hand - their_hand)


def write_move(position: Morris, move: Move) -> str:
    """Return a move as `d2`, `a1a4` or `b6d6d3`: from, to, removed."""
    to, origin, removed = parts(move)
    return "".join(CELLS[cell - 1] for cell in (origin, to, removed) if cell)


def read_move(position: Morris, text: str) -> Move:
    """Return the code of a written move, legal or not; what two cells mean depends on whether stones are in hand."""
    names = re.findall(r"[a-g][1-7]", text.strip().lower())
    if "".join(names) != text.strip().lower() or not 1 <= len(names) <= 3 or not set(names) <= set(CELLS):
        raise NotationError(f"morris move {text!r}: expected cells such as 'd2', 'a1a4' or 'b6d6d3'")
    cells = [CELLS.index(name) + 1 for name in names]
    if position.hand > 0:
        cells = [0, *cells]
    if not 2 <= len(cells) <= 3:
        phase = (
            "placing: write the cell and the stone removed" if position.hand else "moving: write from, to and removed"
        )
        raise NotationError(f"morris move {text!r}: the side to move is {phase}")
    origin, to, removed = [*cells, 0][:3]
    return joined((to, origin, removed))


def parts(move: Move) -> tuple[int, int, int]:
    """Return TO, FROM and REMOVE as the papers number them; 0 is none."""
    return NUMBER[move // 625], NUMBER[move // 25 % 25], NUMBER[move % 25]


def joined(numbers: tuple[int, ...]) -> Move:
    """Return the code of the move with these parts."""
    to, origin, removed = (BIT[number] for number in numbers)
    return (to * 25 + origin) * 25 + removed


def reason(position: Morris) -> str:
    """Return why a finished game ended."""
    fewest = min(position.hand + popcount(position.mine), position.their_hand + popcount(position.theirs))
    return "removing" if fewest < 3 else "suffocating"


def drawn(position: Morris) -> str | None:
    """Return why a match would call this position a draw without looking at the history: never."""
    return None


def stones(position: Morris) -> tuple[str, ...]:
    """Return the colour of the stone on each cell, in the order of the board's cells."""
    first, second = (position.mine, position.theirs) if position.ply % 2 == 0 else (position.theirs, position.mine)
    return tuple(
        "white" if int(first) >> cell & 1 else "black" if int(second) >> cell & 1 else ""
        for cell in (b - 1 for b in BIT[1:])
    )


# Symmetries, as permutations of bits: where each cell goes.


def _symmetries(rings: list[tuple[int, int, int]]) -> NDArray[np.int64]:
    turns = [[(turn + sign * cell) % 8 for cell in range(8)] for sign in (1, -1) for turn in range(0, 8, 2)]
    return np.array([[ring * 8 + cell for ring in order for cell in walk] for order in rings for walk in turns])


SYMMETRIES = _symmetries([(0, 1, 2), (2, 1, 0)])
RING_SYMMETRIES = _symmetries([(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)])


def symmetries(position: Morris) -> NDArray[np.int64]:
    """Return the symmetries of a position [symmetries, cells], identity first: 48 where all stones fly, else 16."""
    flying = position.hand == position.their_hand == 0 and popcount(position.mine) == popcount(position.theirs) == 3
    return RING_SYMMETRIES if flying else SYMMETRIES


def permuted(position: Morris, permutation: NDArray[np.int64]) -> Morris:
    """Return the position with the stone of each cell moved to where *permutation* sends it."""
    return position._replace(
        mine=np.uint64(sent(position.mine, permutation)), theirs=np.uint64(sent(position.theirs, permutation))
    )


def permuted_move(move: Move, permutation: NDArray[np.int64]) -> Move:
    """Return the same move after *permutation*."""
    to, origin, removed = (int(permutation[p - 1]) + 1 if p else 0 for p in (move // 625, move // 25 % 25, move % 25))
    return (to * 25 + origin) * 25 + removed


def board() -> Board:
    """Return the board as a person draws it."""
    places = tuple((float(ord(name[0]) - ord("a")), float(name[1]) - 1) for name in CELLS)
    pairs = [(cell, int(to)) for cell in range(24) for to in range(cell) if neighbours(bit(cell)) & bit(to)]
    return Board(tuple(CELLS), places, tuple((NUMBER[a + 1] - 1, NUMBER[b + 1] - 1) for a, b in pairs))


def variant(size: tuple[int, int] | None, rules: Mapping[str, str]) -> Variant:
    """Return Nine Men's Morris; it has one size and no switches."""
    if size is not None and size != (7, 7):
        raise BadOption(f"morris has no board of size {size[0]}x{size[1]}; its board of 24 cells is the only one")
    check_rules("morris", rules, {})
    return Variant(
        title="Nine Men's Morris",
        first=START,
        board=board(),
        size=(7, 7),
        colours=("white", "black"),
        part_names=("to", "from", "remove"),
        part_sizes=(25, 25, 25),
        conventions=Conventions(repetition=2, ply_limit=300, opening_plies=2),
        sizes="24 cells",
    )
