"""Whether a chess position can have come about by its last move, as far as python-chess asks this too."""

from __future__ import annotations

from understudy.games.bits import NONE, Mask, bit, highest, lowest, popcount
from understudy.games.chess.attacks import KNIGHT, PAWN, RAYS, attacked, diagonal, in_check, kings, straight
from understudy.games.chess.position import Chess
from understudy.games.chess.rules import turn
from understudy.kernels import kernel


@kernel
def passed(position: Chess, behind: int) -> bool:
    """Tell whether a pawn of theirs can just have passed the cell *behind* it."""
    occupied = position.mine | position.theirs
    if not 40 <= behind < 48 or occupied & (bit(behind) | bit(behind + 8)) != NONE:
        return False
    return bool(position.pawns & position.theirs & bit(behind - 8) != NONE)


@kernel
def possible(position: Chess, behind: int) -> bool:
    """Tell whether the last move can have been one: nobody left in check, no check that none gives."""
    if in_check(turn(position)):
        return False
    king = lowest(kings(position) & position.mine)
    checkers = _checkers(position, king)
    if checkers == NONE:
        return True
    count = popcount(checkers)
    if behind == 0:
        return count == 1 or (count == 2 and not _aligned(lowest(checkers), highest(checkers), king))
    before = ((position.mine | position.theirs) & ~bit(behind - 8)) | bit(behind + 8)
    pushed = highest(checkers) == behind - 8
    return count == 1 and (pushed or not attacked(position, king, before, position.theirs))


@kernel
def _checkers(position: Chess, king: int) -> Mask:
    """Return their pieces that attack my king."""
    occupied = position.mine | position.theirs
    leapers = (KNIGHT[king] & position.knights) | (PAWN[king] & position.pawns)
    lines = straight(king, occupied) & (position.rooks | position.queens)
    lines |= diagonal(king, occupied) & (position.bishops | position.queens)
    checkers: Mask = (leapers | lines) & position.theirs
    return checkers


@kernel
def _aligned(one: int, other: int, cell: int) -> bool:
    """Tell whether *cell* lies on the line through two others."""
    for direction in range(4):
        line = RAYS[direction, one] | RAYS[direction + 4, one]
        if line & bit(other):
            return bool(line & bit(cell) != NONE)
    return False
