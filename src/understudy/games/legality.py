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

    def follow(self, batch: Any, *, order: tuple[int, ...], chosen: Any, legacy: bool = False) -> Classes:
        """Return the classes [n, places, words] that may come at each place of *order* after the choices before it.

        *chosen* [n, parts or one less] holds the choices in the order of the cascade. No bit is set where the earlier
        choices already lead nowhere.
        """
        chosen = np.ascontiguousarray(chosen, np.int64)
        masks = np.zeros((size(batch), min(chosen.shape[1] + 1, len(order)), self.words), np.uint64)
        scratch = np.empty(self.game.most_moves, np.int32)
        _follow(typed(batch), part_table(self.game).parts, np.array(order), chosen, scratch, masks)
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
        names, count = self.game.part_names, len(self.game.part_names)
        flags = np.zeros((size(batch), 2 * count - 1), np.bool_)
        scratch = np.empty(self.game.most_moves, np.int32)
        chosen = np.ascontiguousarray(parts, np.int64)
        _judge(typed(batch), part_table(self.game).parts, chosen, scratch, flags)
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
def _follow(
    batch: Any,
    parts: NDArray[np.int64],
    order: NDArray[np.int64],
    chosen: NDArray[np.int64],
    codes: NDArray[np.int32],
    out: NDArray[np.uint64],
) -> None:
    for row in range(len(out)):
        for move in range(_list(row_of(batch, row), codes)):
            for place in range(out.shape[1]):
                number = parts[codes[move], order[place]]
                out[row, place, number >> 6] |= ONE << np.uint64(number & 63)
                if place < chosen.shape[1] and chosen[row, place] != number and chosen[row, place] != OPEN:
                    break


@kernel
def _judge(
    batch: Any, parts: NDArray[np.int64], chosen: NDArray[np.int64], codes: NDArray[np.int32], out: NDArray[np.bool_]
) -> None:
    """Write of each part whether a legal move has it, then of each from the second on, whether with all before."""
    count = chosen.shape[1]
    for row in range(len(out)):
        for move in range(_list(row_of(batch, row), codes)):
            together = True
            for part in range(count):
                same = parts[codes[move], part] == chosen[row, part]
                out[row, part] |= same
                together &= same
                if part > 0:
                    out[row, count + part - 1] |= together
