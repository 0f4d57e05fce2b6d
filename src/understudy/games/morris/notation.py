"""Nine Men's Morris as text, with the board's shape and symmetries: the papers' 24 letters and four digits.

Here is also the position type, because both the text and the kernels need it. Rules are in `rules.py`. Moves are
written FROM, TO, REMOVE without what is absent, such as `d2`, `a1a4` or `b6d6d3`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import NotationError
from understudy.games.bits import Mask, popcount, sent
from understudy.protocols import Board, Extra, Move

STONES = 9
FLYING = 3
"""Whoever has so few stones left may move one to any empty cell."""


class Morris(NamedTuple):
    """A position seen by the side to move: stones on the board, stones in hand."""

    mine: Mask
    theirs: Mask
    hand: int
    their_hand: int
    ply: int


START = Morris(np.uint64(0), np.uint64(0), STONES, STONES, 0)


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
        stones = f"{mine.bit_count()} and {theirs.bit_count()} stones on the board"
        raise NotationError(
            f"morris position {text!r}: the letters have {stones}, the digits say {board} and {their_board}"
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


def path(position: Morris, move: Move) -> tuple[tuple[int, ...]]:
    """Return the cells that a person points at: the stone that moves, where it goes, the stone that is taken."""
    to, origin, removed = parts(move)
    return (tuple(cell - 1 for cell in (origin, to, removed) if cell),)


EXTRAS = (Extra("white in hand", 0, STONES, 0), Extra("black in hand", 0, STONES, 0))
SETUP = ("white", "black")


def read_extras(position: Morris) -> dict[str, int]:
    """Return the stones that each colour has in hand."""
    hands = (position.hand, position.their_hand)
    return {f"{SETUP[side]} in hand": hands[side != position.ply % 2] for side in range(2)}


def arrange(stones: Sequence[str], turn: int, extras: Mapping[str, int], start: Morris) -> str:
    """Return the text of the position with these stones; stones in hand tell who is to move."""
    mine, theirs = (SETUP[turn], SETUP[1 - turn])
    letters = "".join({mine: "M", theirs: "E", "": "O"}[stone] for stone in stones)
    hands = [extras.get(f"{colour} in hand", 0) for colour in (mine, theirs)]
    return letters + "".join(str(number) for number in (*hands, letters.count("M"), letters.count("E")))


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


REASONS = {
    "removing": "only two stones are left",
    "suffocating": "no move is left",
    "no capture": "nobody took a stone for too long",
}
"""What the reasons for which a game ends mean, for people."""


def status(position: Morris) -> str:
    """Return the stones in hand, and later who may fly."""
    first, second = (0, 1) if position.ply % 2 == 0 else (1, 0)
    hands = position.hand, position.their_hand
    if any(hands):
        return f"in hand: white {hands[first]}, black {hands[second]}"
    owned = int(position.mine).bit_count(), int(position.theirs).bit_count()
    flying = [colour for colour, side in (("white", first), ("black", second)) if owned[side] == FLYING]
    return f"three stones left, may fly: {' and '.join(flying)}" if flying else ""


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
    around = [(ring * 8 + cell, ring * 8 + (cell + 1) % 8) for ring in range(3) for cell in range(8)]
    inward = [(ring * 8 + cell, ring * 8 + cell + 8) for ring in range(2) for cell in range(1, 8, 2)]
    return Board(tuple(CELLS), places, tuple((NUMBER[a + 1] - 1, NUMBER[b + 1] - 1) for a, b in around + inward))
