"""What kind of mistake an illegal choice is, in any game and for many choices at once.

A game names its own mistakes in the module that it names for `mistakes`: `MISTAKES` has a word for each with what it
means, and `blame` tells which one a choice makes, the first that applies in the order of that table. So each illegal
choice makes exactly one, and shares of all mistakes add up to the share of illegal choices. Where a game names none
they follow from its moves and parts alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.games.batches import taken
from understudy.games.game import CompiledGame
from understudy.games.legality import PartRules, part_rules

FINE = -1
"""What `blame` returns for a choice in which it finds no mistake."""
FINISHED = "finished"
"""The last mistake of every game: nothing is wrong with the move, but the game is over."""


class Mistakes:
    """The kinds of mistakes of a game; this class knows them from moves and parts alone."""

    def __init__(self, game: CompiledGame) -> None:
        self.game = game
        self.rules = PartRules(game)
        self.meanings: Mapping[str, str] = _name_mistakes(game.part_names) | FINISHED_MEANING
        """What each kind means, by its name, in the order in which they are looked for."""

    def classify(self, batch: Any, parts: Any, legal: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Return the kind of each choice [n, parts] by its place in `meanings`, FINE for those that are *legal*.

        Which are legal is asked of the rules where the caller does not know.
        """
        fine = part_rules(self.game).judge_choices(batch, parts)["whole"] if legal is None else legal
        kinds, wrong = np.full(len(parts), FINE, np.int64), np.flatnonzero(~fine)
        if len(wrong):
            blamed = self.blame(taken(batch, wrong), np.ascontiguousarray(np.asarray(parts)[wrong], np.int64))
            kinds[wrong] = np.where(blamed == FINE, len(self.meanings) - 1, blamed)
        return kinds

    def blame(self, batch: Any, parts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first part, or relation of parts, that no legal move has."""
        held = self.rules.judge_choices(batch, parts)
        flags = np.stack([held[name] for name in list(self.meanings)[:-1]], axis=1)
        return np.where(flags.all(axis=1), FINE, flags.argmin(axis=1))


class OwnMistakes(Mistakes):
    """The kinds of mistakes that a game names itself."""

    def __init__(self, game: CompiledGame) -> None:
        super().__init__(game)
        self.module = game.kind.load("mistakes")
        self.meanings = {**self.module.MISTAKES, **FINISHED_MEANING}

    def blame(self, batch: Any, parts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what the game says."""
        blamed: NDArray[np.int64] = self.module.blame(batch, parts)
        return blamed


FINISHED_MEANING = {FINISHED: "the game is over: nobody may move"}


@cache
def mistakes_of(game: CompiledGame) -> Mistakes:
    """Return the kinds of mistakes of a game."""
    return OwnMistakes(game) if game.kind.mistakes else Mistakes(game)


def _name_mistakes(parts: tuple[str, ...]) -> dict[str, str]:
    """Return the mistakes that parts alone allow: a part that fits nowhere, one that does not fit those before it.

    They have the names that the measures of legality have, part after part.
    """
    named = {}
    for place, part in enumerate(parts):
        named[part] = f"no legal move has this {part.upper()}"
        if place:
            name = "_".join(reversed(parts[: place + 1]))
            earlier = " and ".join(before.upper() for before in parts[:place])
            named[name] = f"legal moves have this {part.upper()}, but none with this {earlier}"
    return named
