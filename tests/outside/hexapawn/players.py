"""A player of a package of its own: it takes the last legal move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from understudy.games import CompiledGame
from understudy.players.basic import NoOptions
from understudy.players.names import PlayerKind
from understudy.protocols import Choice


class Last:
    def __init__(self, game: CompiledGame, options: NoOptions, *, name: str, rng: np.random.Generator) -> None:
        self.name, self.game = name, game

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        return [Choice(self.game.moves(position)[-1]) for position in positions]


LAST = PlayerKind(Last, NoOptions)
