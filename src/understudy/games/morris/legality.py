"""Which parts of a Nine Men's Morris move are legal, for many positions at once.

Students choose a move part by part and may choose nonsense, so a judge asks more than whether a move is on the list:
each part by itself, the relations between parts (`grade`), and which classes may come next (`allowed`). Parts are TO,
FROM, REMOVE in the papers' numbers. `legacy` asks by the authors' own checker, which never lets a stone be taken from
a mill, not even where all enemy stones stand in mills.

Of many records it can be counted how often their positions allow each move, and which moves can never be legal;
`authors` counts by the authors' checker, which so has no move for a mill closed where all enemy stones stand in mills.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import OPEN, size
from understudy.games.bits import NONE, ONE, Mask, bit, lowest, popcount, rest
from understudy.games.game import CompiledGame
from understudy.games.legality import Classes as Sets
from understudy.games.legality import PartRules
from understudy.games.morris.notation import BIT, NUMBER, Morris
from understudy.games.morris.rules import BOARD_MASK, MOST_MOVES, closers, in_mills, moves, neighbours, removable
from understudy.kernels import kernel

CLASSES = 25
"""What a part can be: none, or one of 24 cells."""
ABSENT = 0
"""The class of a part that a move does not have."""
CODES = CLASSES**3
"""Codes of moves are below this."""
FIRST_CODE = CLASSES**2
"""Codes below have no TO and are no moves."""

PARTS = ("to", "from", "remove")
TO, FROM, REMOVE = 0, 1, 2

FLAGS = ("to", "from", "remove", "from_to", "remove_from_to")
"""What `grade` tells of a move: each part by itself, FROM with TO, REMOVE with both."""

_BIT = np.array(BIT)
_NUMBER = np.array(NUMBER)


def grade(mine: Any, theirs: Any, hand: Any, parts: Any, *, legacy: bool = False) -> NDArray[np.bool_]:
    """Return for each move [n, 3] which of FLAGS hold [n, 5]."""
    flags = np.zeros((len(mine), len(FLAGS)), np.bool_)
    _grade(*_typed(mine, theirs, hand), np.ascontiguousarray(parts, np.int64), legacy, flags)
    return flags


def allowed(batch: Morris, *, order: tuple[int, ...], given: Any, legacy: bool = False) -> NDArray[np.uint32]:
    """Return for each position the classes of the next part, bit k for class k, that still lead to a legal move.

    *given* [n, 0 to 2] holds the parts chosen so far, in the order in which *order* names them; after two parts the
    classes are those of whole legal moves. No bit is set where the given parts already lead nowhere.
    """
    given = np.asarray(given, np.int64)
    chosen = np.full((size(batch), 3), OPEN, np.int64)
    chosen[:, list(order[: given.shape[1]])] = given
    masks = np.zeros(size(batch), np.uint32)
    _allowed(*_typed(batch.mine, batch.theirs, batch.hand), chosen, order[given.shape[1]], legacy, masks)
    return masks


def unpacked(masks: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return sets of classes as flags [n, 25]."""
    return (masks[:, None] >> np.arange(CLASSES, dtype=np.uint32) & np.uint32(1)).astype(np.bool_)


def whole(flags: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """Return what the authors make of the flags: legal up to FROM, legal up to REMOVE, and the move as a whole.

    Their second one does not ask whether FROM and TO fit together.
    """
    to, origin, removed, from_to, remove_from_to = flags.T
    whole_from = to & origin & from_to
    whole_remove = to & origin & removed & remove_from_to
    return {"whole_from": whole_from, "whole_remove": whole_remove, "whole": whole_from & whole_remove}


def phases(mine: Any, hand: Any) -> NDArray[np.int64]:
    """Return the phase of each side to move: 1 placing, 2 sliding, 3 flying, 4 with fewer than three stones left."""
    stones = np.bitwise_count(mine)
    return np.where(np.asarray(hand) > 0, 1, np.where(stones > 3, 2, np.where(stones == 3, 3, 4)))


def possible() -> NDArray[np.bool_]:
    """Return which moves [25, 25, 25] by TO, FROM, REMOVE are legal in some position: 13 080 of them."""
    legal = np.zeros((CLASSES, CLASSES, CLASSES), np.bool_)
    for to, origin, removed in np.ndindex(24, CLASSES, CLASSES):
        legal[to + 1, origin, removed] = _possible(BIT[to + 1], BIT[origin], BIT[removed])
    return legal


def _possible(to: int, origin: int, removed: int) -> bool:
    """Tell whether some line through *to* is left for a mill, if there must be one."""
    if to == origin or (removed in (to, origin) and removed):
        return False
    taken = sum(1 << cell - 1 for cell in (origin, removed) if cell)
    return not removed or bool(int(closers(np.uint64(int(BOARD_MASK) & ~taken))) >> to - 1 & 1)


def impossible() -> NDArray[np.bool_]:
    """Tell which codes can be legal in no position at all [CODES]; codes without TO are no moves and not counted."""
    never: NDArray[np.bool_] = ~possible()[np.ix_(_NUMBER, _NUMBER, _NUMBER)].reshape(CODES)
    never[:FIRST_CODE] = False
    return never


def by_phase(batch: Morris, counted: NDArray[np.bool_]) -> dict[str, int]:
    """Return how many of the counted rows each phase of the mover has: placing, sliding, flying."""
    counts = np.bincount(phases(batch.mine, batch.hand)[counted], minlength=4)
    return {str(phase): int(counts[phase]) for phase in (1, 2, 3)}


def removing(moves: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Tell which moves remove a stone."""
    return moves % CLASSES > 0


def legal_counts(batch: Morris, *, authors: bool = False) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return how many moves each position has [positions], and how many positions each code has [CODES]."""
    per_position, per_move = np.zeros(size(batch), np.int32), np.zeros(CODES, np.int64)
    their_hand = np.ascontiguousarray(batch.their_hand, np.int64)
    _count(*_typed(batch.mine, batch.theirs, batch.hand), their_hand, authors, per_position, per_move)
    return per_position, per_move


class Rules(PartRules):
    """What the rules say of the parts of moves, and beside it the checker behind the published figures."""

    def __init__(self, game: CompiledGame) -> None:
        super().__init__(game)
        self.checkers = {"": False, "authors.": True}
        self.lacking = (FROM, REMOVE)  # every move goes somewhere, though a student may say that it does not

    def look(
        self, batch: Morris, *, order: tuple[int, ...], parts: Any, legacy: bool = False
    ) -> tuple[Sets, dict[str, NDArray[np.bool_]]]:
        """Return what may follow the chosen parts at each place, and what holds of them."""
        chosen = np.asarray(parts)[:, list(order)]
        sets = self.follow(batch, order=order, chosen=chosen, legacy=legacy)
        return sets, self.judge_choices(batch, parts, legacy=legacy)

    def follow(self, batch: Morris, *, order: tuple[int, ...], chosen: Any, legacy: bool = False) -> Sets:
        """Return the classes [n, places, 1] that may come at each place after the choices before it."""
        places = range(min(np.shape(chosen)[1] + 1, len(order)))
        sets = [self.allowed(batch, order=order, given=chosen[:, :place], legacy=legacy) for place in places]
        return np.stack(sets, axis=1)

    def allowed(self, batch: Morris, *, order: tuple[int, ...], given: Any, legacy: bool = False) -> Sets:
        """Return the classes [n, 1] of the next part that still lead to a legal move."""
        return allowed(batch, order=order, given=given, legacy=legacy).astype(np.uint64)[:, None]

    def judge_choices(self, batch: Morris, parts: Any, *, legacy: bool = False) -> dict[str, NDArray[np.bool_]]:
        """Return what holds of the chosen parts: the authors' measures, and the whole move by phases."""
        flags = grade(batch.mine, batch.theirs, batch.hand, parts, legacy=legacy)
        wholes, phases = whole(flags), self.phases(batch)
        removing = np.asarray(parts)[:, REMOVE] != 0
        return {
            **{name: flags[:, i] for i, name in enumerate(FLAGS)}, **wholes,
            "whole_from_phase2": wholes["whole_from"][phases["phase2"]],
            "chosen_remove": wholes["whole_remove"][removing], "whole_chosen_remove": wholes["whole"][removing],
            **{phase: wholes["whole"][rows] for phase, rows in phases.items()},
        }  # fmt: skip

    def phases(self, batch: Morris) -> dict[str, NDArray[np.bool_]]:
        """Return which rows are of a side that places, slides or flies."""
        numbers = phases(batch.mine, batch.hand)
        return {f"phase{number}": numbers == number for number in (1, 2, 3)}


def _typed(mine: Any, theirs: Any, hand: Any) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]:
    """Return the fields as the kernels take them, so that none is compiled twice."""
    return (
        np.ascontiguousarray(mine, np.uint64),
        np.ascontiguousarray(theirs, np.uint64),
        np.ascontiguousarray(hand, np.int64),
    )


# Kernels. Cells are bits plus one here; 0 is none.


@kernel
def _grade(
    mine: NDArray[np.uint64],
    theirs: NDArray[np.uint64],
    hand: NDArray[np.int64],
    parts: NDArray[np.int64],
    legacy: bool,
    out: NDArray[np.bool_],
) -> None:
    for row in range(len(mine)):
        own, enemy, placing = mine[row], theirs[row], hand[row] > 0
        to, origin, removed = _BIT[parts[row, 0]], _BIT[parts[row, 1]], _BIT[parts[row, 2]]
        flying = popcount(own) == 3
        out[row, 0] = _good_to(own, enemy, to, not placing and not flying)
        out[row, 1] = origin == 0 if placing else _holds(own, origin)
        out[row, 2] = removed == 0 or _holds(_prey(enemy, legacy), removed)
        out[row, 3] = origin == 0 or (flying and not placing) or (to > 0 and _holds(neighbours(bit(to - 1)), origin))
        stays = own if origin == 0 else own & ~bit(origin - 1)
        must_remove = _holds(closers(stays), to) and (legacy or enemy != NONE)
        out[row, 4] = must_remove == (removed > 0)


@kernel
def _good_to(own: Mask, enemy: Mask, to: int, sliding: bool) -> bool:
    """Tell whether a stone can come to *to* from somewhere."""
    if to == 0 or _holds(own | enemy, to):
        return False
    return bool(not sliding or neighbours(bit(to - 1)) & own != NONE)


@kernel
def _holds(mask: Mask, cell: int) -> bool:
    """Tell whether *cell* is in *mask*; none is not."""
    return bool(cell > 0 and mask & bit(cell - 1) != NONE)


@kernel
def _prey(enemy: Mask, legacy: bool) -> Mask:
    """Return the stones that may be removed."""
    return enemy & ~in_mills(enemy) if legacy else removable(enemy)


@kernel
def _allowed(
    mine: NDArray[np.uint64],
    theirs: NDArray[np.uint64],
    hand: NDArray[np.int64],
    chosen: NDArray[np.int64],
    part: int,
    legacy: bool,
    out: NDArray[np.uint32],
) -> None:
    for row in range(len(mine)):
        to, origin, removed = _cell(chosen[row, 0]), _cell(chosen[row, 1]), _cell(chosen[row, 2])
        if hand[row] > 0:
            cells = _placing(mine[row], theirs[row], to, origin, removed, part, legacy)
        else:
            cells = _moving(mine[row], theirs[row], to, origin, removed, part, legacy)
        out[row] = _classes(cells)


@kernel
def _placing(own: Mask, enemy: Mask, to: int, origin: int, removed: int, part: int, legacy: bool) -> Mask:
    """Return what the next part can be while stones are placed: bit 0 for none, bit c for cell c."""
    if origin > 0:
        return NONE
    return _coming(_targets(own, enemy, to), closers(own), _taken(enemy, legacy), removed, part, ONE)


@kernel
def _moving(own: Mask, enemy: Mask, to: int, origin: int, removed: int, part: int, legacy: bool) -> Mask:
    """Return what the next part can be while stones slide or fly: bit 0 for none, bit c for cell c."""
    cells, taken, flying = NONE, _taken(enemy, legacy), popcount(own) == 3
    if origin == 0:
        return cells
    stones = own if origin < 0 else own & bit(origin - 1)
    while stones != NONE:
        stone = bit(lowest(stones))
        stones = rest(stones)
        targets = _targets(own, enemy, to)
        if not flying:
            targets &= neighbours(stone)
        cells |= _coming(targets, closers(own & ~stone), taken, removed, part, stone << ONE)
    return cells


@kernel
def _coming(targets: Mask, closing: Mask, taken: Mask, removed: int, part: int, origin: Mask) -> Mask:
    """Return what the next part can be of a stone that comes from *origin* to one of *targets*."""
    cells = NONE
    while targets != NONE:
        target = bit(lowest(targets))
        targets = rest(targets)
        removals = taken if closing & target != NONE else ONE
        if removed >= 0:
            removals &= bit(removed)
        if removals != NONE:
            cells |= target << ONE if part == TO else origin if part == FROM else removals
    return cells


@kernel
def _targets(own: Mask, enemy: Mask, to: int) -> Mask:
    """Return the empty cells among those still open: all, or the one chosen."""
    empty = BOARD_MASK & ~(own | enemy)
    if to < 0:
        return empty
    return empty & bit(to - 1) if to > 0 else NONE


@kernel
def _taken(enemy: Mask, legacy: bool) -> Mask:
    """Return what REMOVE can be when a mill closes: bit 0 for none, bit c for cell c."""
    if enemy == NONE and not legacy:
        return ONE
    return _prey(enemy, legacy) << ONE


@kernel
def _cell(number: int) -> int:
    """Return a bit plus one for the papers' number; what is open stays open."""
    return number if number < 0 else _BIT[number]


@kernel
def _classes(cells: Mask) -> np.uint32:
    """Return a set of cells as classes of the papers' numbers."""
    classes = NONE
    while cells != NONE:
        classes |= bit(_NUMBER[lowest(cells)])
        cells = rest(cells)
    return np.uint32(classes)


@kernel
def _count(
    mine: NDArray[np.uint64],
    theirs: NDArray[np.uint64],
    hand: NDArray[np.int64],
    their_hand: NDArray[np.int64],
    authors: bool,
    per_position: NDArray[np.int32],
    per_move: NDArray[np.int64],
) -> None:
    out = np.empty(MOST_MOVES, np.int32)
    for row in range(len(mine)):
        position = Morris(mine[row], theirs[row], hand[row], their_hand[row], 0)
        safe = authors and (theirs[row] & ~in_mills(theirs[row])) == NONE
        for place in range(moves(position, out)):
            if safe and out[place] % CLASSES > 0:
                continue
            per_move[out[place]] += 1
            per_position[row] += 1
