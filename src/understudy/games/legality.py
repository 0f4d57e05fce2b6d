"""Which parts of a move are legal, in any game and in many positions at once, from its moves and parts alone.

Students choose a move part by part and may choose nonsense, so a judge asks more than whether a move is on the list:
each part by itself, parts together with those before them, and which classes may come next. Sets of classes are words
of 64 bits, bit k of all of them for class k. A game that has more to say (other checkers, phases) names a module for
`legality` in its record, with a `PartRules` of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import OPEN, size
from understudy.games.bits import ONE
from understudy.games.game import CompiledGame
from understudy.games.kind import ONGOING
from understudy.games.parts import may_lack, part_table
from understudy.games.rows import row_of, typed
from understudy.games.rules import moves, outcome
from understudy.kernels import kernel

WORD = 64
"""Classes that one word holds."""

Classes: TypeAlias = NDArray[np.uint64]
"""Sets of classes [..., words]."""


class PartRules:
    """What the rules of a game say of the parts of its moves."""

    checkers: Mapping[str, bool] = {"": False}
    """How choices are checked: the prefix of a measure's name, and whether it goes by a `legacy` checker instead."""

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        self.classes = max(game.part_sizes)
        self.words = -(-self.classes // WORD)
        self.lacking = tuple(part for part in range(len(game.part_names)) if may_lack(game, part))
        """The parts that a legal move may lack."""

    def look(
        self, batch: Any, *, order: tuple[int, ...], parts: Any, legacy: bool = False
    ) -> tuple[Classes, dict[str, NDArray[np.bool_]]]:
        """Return what `follow` and `judge_choices` say of the chosen *parts*, for one list of the legal moves."""
        count = len(order)
        masks = np.zeros((size(batch), count, self.words), np.uint64)
        flags = np.zeros((size(batch), 2 * count - 1), np.bool_)
        self._list(batch, order, np.asarray(parts)[:, list(order)], masks, parts, flags)
        return masks, self._name_flags(flags)

    def follow(self, batch: Any, *, order: tuple[int, ...], chosen: Any, legacy: bool = False) -> Classes:
        """Return the classes [n, places, words] that may come at each place of *order* after the choices before it.

        *chosen* [n, up to all parts] holds the choices in the order of the cascade. No bit is set where the earlier
        choices already lead nowhere.
        """
        masks = np.zeros((size(batch), min(np.shape(chosen)[1] + 1, len(order)), self.words), np.uint64)
        self._list(batch, order, chosen, masks, np.zeros((0, 0)), np.zeros((0, 0), np.bool_))
        return masks

    def allowed(self, batch: Any, *, order: tuple[int, ...], given: Any, legacy: bool = False) -> Classes:
        """Return the classes [n, words] of the next part that still lead to a legal move after the *given* ones."""
        return self.follow(batch, order=order, chosen=given, legacy=legacy)[:, np.shape(given)[1]]

    def unpacked(self, masks: Classes) -> NDArray[np.bool_]:
        """Return sets of classes as flags [..., classes]."""
        octets = np.ascontiguousarray(masks, "<u8").view(np.uint8)
        return np.unpackbits(octets, axis=-1, bitorder="little", count=self.classes).view(np.bool_)

    def judge_choices(self, batch: Any, parts: Any, *, legacy: bool = False) -> dict[str, NDArray[np.bool_]]:
        """Return what holds of the chosen *parts* [n, parts], by the name of the measure; of some rows or of all.

        A part is legal by itself if some legal move has it; `to_from` asks whether one has TO and FROM as chosen.
        """
        count = len(self.game.part_names)
        masks, flags = np.zeros((size(batch), 0, 0), np.uint64), np.zeros((size(batch), 2 * count - 1), np.bool_)
        self._list(batch, tuple(range(count)), parts, masks, parts, flags)
        return self._name_flags(flags)

    def _list(
        self, batch: Any, order: tuple[int, ...], chosen: Any, masks: Classes, parts: Any, flags: NDArray[np.bool_]
    ) -> None:
        """List the legal moves of each row; write which classes may follow what is chosen, and what holds of parts."""
        scratch = np.empty(self.game.most_moves, np.int32)
        first, second = (np.ascontiguousarray(numbers, np.int64) for numbers in (chosen, parts))
        _look(typed(batch), part_table(self.game).parts, np.array(order), scratch, first, masks, second, flags)

    def _name_flags(self, flags: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
        names, count = self.game.part_names, len(self.game.part_names)
        held = {name: flags[:, part] for part, name in enumerate(names)}
        for part in range(1, count):
            held["_".join(reversed(names[: part + 1]))] = flags[:, count + part - 1]
        return held | {"whole": flags[:, -1]}

    def phases(self, batch: Any) -> dict[str, NDArray[np.bool_]]:
        """Return which rows belong to each phase of the game, by name; none in most games."""
        return {}


@cache
def part_rules(game: CompiledGame) -> PartRules:
    """Return what a game says of the parts of its moves."""
    rules: type[PartRules] = game.kind.load("legality").Rules if game.kind.legality else PartRules
    return rules(game)


@kernel
def _list(position: Any, out: NDArray[np.int32]) -> int:
    """Write the legal moves; none where the game is over."""
    count = moves(position, out)
    return count if outcome(position, count) == ONGOING else 0


@kernel
def _look(
    batch: Any,
    table: NDArray[np.int64],
    order: NDArray[np.int64],
    codes: NDArray[np.int32],
    chosen: NDArray[np.int64],
    masks: NDArray[np.uint64],
    parts: NDArray[np.int64],
    flags: NDArray[np.bool_],
) -> None:
    """Write masks and flags of every row; either has nothing to write to where it is not wanted."""
    for row in range(len(masks)):
        for move in range(_list(row_of(batch, row), codes)):
            _open_classes(table, codes[move], order, chosen, row, masks)
            if len(flags) > 0:
                _judge_parts(table, codes[move], parts, row, flags)


# Whole arrays and the number of a row: a view of each row would take as long as all else.


@kernel
def _open_classes(
    table: NDArray[np.int64],
    code: int,
    order: NDArray[np.int64],
    chosen: NDArray[np.int64],
    row: int,
    out: NDArray[np.uint64],
) -> None:
    """Add the parts of a legal move to the classes at each place, up to where it differs from what is chosen."""
    for place in range(out.shape[1]):
        number = table[code, order[place]]
        out[row, place, number >> 6] |= ONE << np.uint64(number & 63)
        if place < chosen.shape[1] and chosen[row, place] != number and chosen[row, place] != OPEN:
            break


@kernel
def _judge_parts(
    table: NDArray[np.int64], code: int, parts: NDArray[np.int64], row: int, out: NDArray[np.bool_]
) -> None:
    """Write of each part whether a legal move has it, then of each from the second on, whether with all before."""
    count, together = parts.shape[1], True
    for part in range(count):
        same = table[code, part] == parts[row, part]
        out[row, part] |= same
        together &= same
        if part > 0:
            out[row, count + part - 1] |= together
