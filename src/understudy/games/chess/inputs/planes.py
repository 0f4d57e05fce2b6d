"""Chess positions as planes of 8 x 8 numbers: bitmap, algebraic and features, as Sabatelli (2017) draws them.

Every plane runs row by row from a1. One side is "own" and counts positive, the other negative: with the perspective
"mover" own is the side to move and the board is turned for Black, with "white" own is White and nothing is turned.
A training encodes each minibatch by row numbers straight into its own array, so nothing is kept or copied.

Four planes tell what is going on: check, pins, the centre, and the way to f2 and f7. The words of the thesis (section
7.1.1) leave room; its figures 7.3, 7.5 and 7.7 do not, so we follow the figures. In them the side that goes up counts
positive, the other negative, whoever is to move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, UnknownName
from understudy.games.bits import NONE, Mask, bit, flipped, highest, lowest, popcount, rest
from understudy.games.chess.attacks import KING, KNIGHT, PAWN, RAYS, diagonal, kind_on, kings, straight
from understudy.games.chess.batches import row_of
from understudy.games.chess.inputs.coordinates import SIDES, write_coordinates
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import KINDS, moves, play, turn
from understudy.kernels import kernel

KIND_NAMES = ("bitmap", "algebraic", "features", "standings", "coordinates")
"""bitmap: a piece is 1 or -1. algebraic: its worth. features: bitmap, then check, pins, centre, ways to f2 and f7.
standings: no planes but rows to add up, see `standings.py`. coordinates: lists of pieces, see `coordinates.py`."""
PERSPECTIVES = ("mover", "white")
PIECES = 2 * KINDS
"""Planes of pieces: own pawns, knights, bishops, rooks, queens, king, then the other side's."""
RIGHTS = 5
"""Planes of rights: own king side, own queen side, the other's two (-1), and the cell of a capture in passing."""
ALGEBRAIC, WITH_FEATURES, COORDINATES = 1, 2, 4

FEATURES = 4
"""Planes: check, pins, centre, f2 and f7."""

WORTHS = np.array([1, 3, 3, 5, 9, 10], np.int64)
"""The thesis's worths of pawn, knight, bishop, rook, queen and king; exchanges of `threats.py` count by them, too."""

CENTRE = np.array([26, 27, 28, 34, 35, 36], np.int64)
"""c4 d4 e4 c5 d5 e5: the centre as the thesis's figures mark it."""

F2, F7 = 13, 53
"""The cells whose attackers the thesis's fourth plane shows."""

PAWN_BELOW = np.array([flipped(PAWN[cell ^ 56]) for cell in range(64)], np.uint64)
"""The cells from which a pawn that goes up attacks each cell."""


@dataclass(frozen=True, kw_only=True)
class ChessInputs:
    """Which planes a network sees."""

    kind: str = "bitmap"
    perspective: str = "mover"
    side: bool = False
    """A plane of 1 when White is to move and of -1 when Black is; only White's perspective lacks that."""
    rights: bool = False
    """Five planes of castling rights and of the cell of passage."""
    sign_only: bool = False
    """Of the features: who has more attackers on a cell of the centre, not by how many."""

    def __post_init__(self) -> None:
        if self.kind not in KIND_NAMES:
            raise UnknownName("kind of chess inputs", self.kind, KIND_NAMES)
        if self.perspective not in PERSPECTIVES:
            raise UnknownName("perspective of chess inputs", self.perspective, PERSPECTIVES)
        if self.side and self.perspective == "mover":
            raise BadOption(
                "chess inputs: side=true needs perspective=white, because the mover always sees its own side"
            )
        if self.kind == "standings" and (self.perspective != "mover" or self.rights):
            raise BadOption(
                "chess inputs: standings are seen by the mover, castling rights among them: no other options"
            )
        if self.sign_only and self.kind != "features":
            raise BadOption(f"chess inputs: sign_only=true needs kind=features, not {self.kind!r}")

    @property
    def planes(self) -> int:
        """How many planes there are."""
        pieces = SIDES if self.kind == "coordinates" else PIECES
        return pieces + FEATURES * (self.kind == "features") + self.side + RIGHTS * self.rights

    @property
    def plan(self) -> Plan:
        """The same for kernels."""
        kind, white = KIND_NAMES.index(self.kind), self.perspective == "white"
        return Plan(kind=kind, white=white, side=self.side, rights=self.rights, sign_only=self.sign_only)


class Plan(NamedTuple):
    """Inputs as kernels take them; *kind* is a number of KIND_NAMES."""

    kind: int
    white: bool
    side: bool
    rights: bool
    sign_only: bool


def encode(
    batch: Chess, inputs: ChessInputs, *, rows: NDArray[np.int64] | None = None, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Return the planes [positions, planes, 8, 8] of a batch, or of its *rows*, in *out* if it is given.

    The result is int8; *out* may be of any type of numbers, must be contiguous and is written whole.
    """
    fields: Any = batch
    checked = rows is None or len(rows) == 0 or (rows.min() >= 0 and rows.max() < len(fields.mine))
    if not checked:
        raise BadOption(f"chess inputs: rows must be from 0 to {len(fields.mine) - 1}")
    numbers = np.arange(len(fields.mine)) if rows is None else np.asarray(rows, np.int64)
    shape = (len(numbers), inputs.planes, 8, 8)
    planes = np.empty(shape, np.int8) if out is None else out
    if planes.shape != shape or not planes.flags.c_contiguous:
        raise BadOption(f"chess inputs: out must be a contiguous array of shape {shape}, not {planes.shape}")
    encode_into(typed(batch), numbers, inputs.plan, planes.reshape(len(numbers), inputs.planes, 64))
    return planes


def flat(planes: NDArray[Any]) -> NDArray[Any]:
    """Return planes [positions, planes, 8, 8] as rows [positions, inputs] for perceptrons, without a copy."""
    return planes.reshape(len(planes), planes.shape[1] * 64)


def typed(batch: Chess) -> Chess:
    """Return the batch with masks of 64 bits and whole numbers of 64 bits, copying only what is neither."""
    fields: Any = batch
    masks = [np.ascontiguousarray(field, np.uint64) for field in fields[:7]]
    return Chess._make([*masks, *(np.ascontiguousarray(field, np.int64) for field in fields[7:])])


@kernel
def encode_into(batch: Any, rows: NDArray[np.int64], plan: Plan, out: NDArray[Any]) -> None:
    """Write the planes of the *rows* of a `typed` batch [rows, planes, 64]; nothing is checked."""
    for place in range(len(rows)):
        encode_position(row_of(batch, rows[place]), plan, out[place])


@kernel
def encode_successors(position: Chess, codes: NDArray[np.int32], plan: Plan, out: NDArray[Any]) -> int:
    """Write the planes of every successor [moves, planes, 64] as its own mover or White sees it; return how many."""
    width = moves(position, codes)
    for i in range(width):
        encode_position(play(position, codes[i]), plan, out[i])
    return width


@kernel
def encode_position(position: Chess, plan: Plan, out: NDArray[Any]) -> None:
    """Write the planes of one position [planes, 64]."""
    out[:] = 0
    sign = -1 if plan.white and position.ply & 1 else 1
    seen = turned(position) if sign < 0 else position
    plane = PIECES
    if plan.kind == COORDINATES:
        plane = SIDES
        write_coordinates(seen, out)
    else:
        _write_pieces(seen, plan.kind == ALGEBRAIC, out)
    if plan.kind == WITH_FEATURES:
        write_features(seen, plan.sign_only, out[plane : plane + FEATURES])
        plane += FEATURES
    if plan.side:
        out[plane] = sign
        plane += 1
    if plan.rights:
        _write_rights(seen, sign, out[plane : plane + RIGHTS])


@kernel
def turned(position: Chess) -> Chess:
    """Return the position as the other side sees it, though it is not its turn; ply and cell of passage are kept."""
    mine, theirs, pawns, knights, bishops, rooks, queens, castling, _, _, _ = turn(position)
    passant = position.passant ^ 56 if position.passant > 0 else position.passant
    return Chess(mine, theirs, pawns, knights, bishops, rooks, queens, castling, passant, position.clock, position.ply)


@kernel
def _write_pieces(seen: Chess, algebraic: bool, out: NDArray[Any]) -> None:
    kinds = (seen.pawns, seen.knights, seen.bishops, seen.rooks, seen.queens, kings(seen))
    for kind in range(KINDS):
        worth = WORTHS[kind] if algebraic else 1
        pieces = kinds[kind]
        while pieces != NONE:
            cell = lowest(pieces)
            pieces = rest(pieces)
            if seen.mine & bit(cell):
                out[kind, cell] = worth
            else:
                out[KINDS + kind, cell] = -worth


@kernel
def _write_rights(seen: Chess, sign: int, out: NDArray[Any]) -> None:
    """Write rights to castle as whole planes, and the cell of passage with the *sign* of who may capture there."""
    for right in range(4):
        if seen.castling >> right & 1:
            out[right] = 1 if right < 2 else -1
    if seen.passant > 0:
        out[4, seen.passant] = sign


@kernel
def write_features(seen: Chess, sign_only: bool, out: NDArray[Any]) -> None:
    """Write the four planes [planes, 64]; *out* holds zeros before."""
    out[0] = check(seen)
    _mark(pin_lines(seen, seen.theirs, seen.mine), 1, out[1])
    _mark(pin_lines(seen, seen.mine, seen.theirs), -1, out[1])
    for cell in CENTRE:
        out[2, cell] = control(seen, cell, sign_only)
    _write_ways(seen, F7, seen.mine, 1, out[3])
    _write_ways(seen, F2, seen.theirs, -1, out[3])


@kernel
def check(seen: Chess) -> int:
    """Return 1 if the upper side's king is in check, -1 if the lower side's is, else 0."""
    both = kings(seen)
    for side in range(2):
        king = both & (seen.theirs if side == 0 else seen.mine)
        if king != NONE and attackers(seen, lowest(king)) & (seen.mine if side == 0 else seen.theirs):
            return 1 - 2 * side
    return 0


@kernel
def attackers(seen: Chess, cell: int) -> Mask:
    """Return the pieces of both sides that attack *cell*, pinned or not."""
    occupied = seen.mine | seen.theirs
    pawns = ((PAWN[cell] & seen.theirs) | (PAWN_BELOW[cell] & seen.mine)) & seen.pawns
    leapers = (KNIGHT[cell] & seen.knights) | (KING[cell] & kings(seen)) | pawns
    sliders = straight(cell, occupied) & (seen.rooks | seen.queens)
    pieces: Mask = leapers | sliders | (diagonal(cell, occupied) & (seen.bishops | seen.queens))
    return pieces


@kernel
def control(seen: Chess, cell: int, sign_only: bool) -> int:
    """Return how many more attackers of *cell* the lower side has, or only the sign of that."""
    pieces = attackers(seen, cell)
    more = popcount(pieces & seen.mine) - popcount(pieces & seen.theirs)
    return (more > 0) - (more < 0) if sign_only else more


@kernel
def pin_lines(seen: Chess, pinned: Mask, pinning: Mask) -> Mask:
    """Return the lines, from edge to edge, on which a piece of *pinning* pins one of *pinned* to its king."""
    lines, occupied, own = NONE, seen.mine | seen.theirs, kings(seen) & pinned
    if own == NONE:
        return lines
    king = lowest(own)
    for direction in range(8):
        ray = RAYS[direction, king]
        kind = seen.bishops if direction & 2 else seen.rooks
        snipers = ray & pinning & (kind | seen.queens)
        if snipers == NONE:
            continue
        sniper = lowest(snipers) if direction < 4 else highest(snipers)
        between = (ray ^ RAYS[direction, sniper]) & occupied & ~bit(sniper)
        if between & pinned and rest(between) == NONE:
            lines |= ray | RAYS[(direction + 4) & 7, king] | own
    return lines


@kernel
def _write_ways(seen: Chess, target: int, hunters: Mask, sign: int, out: NDArray[Any]) -> None:
    """Add each hunter's worth to the target, to the hunter's cell and to the cells between."""
    hunting = attackers(seen, target) & hunters
    while hunting != NONE:
        hunter = lowest(hunting)
        hunting = rest(hunting)
        worth = sign * WORTHS[kind_on(seen, hunter)]
        out[target] += worth
        way = bit(hunter)
        for direction in range(8):
            if RAYS[direction, target] & bit(hunter):
                way = RAYS[direction, target] ^ RAYS[direction, hunter]
        _mark(way, worth, out)


@kernel
def _mark(cells: Mask, number: int, out: NDArray[Any]) -> None:
    """Add *number* to every cell."""
    while cells != NONE:
        out[lowest(cells)] += number
        cells = rest(cells)
