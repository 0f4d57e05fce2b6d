"""Positions that a player reaches by itself, so that an engine can tell a student what its own choices are worth.

A student that takes the best of thirty moves takes the one that it overrates most. Other people's games hold few such
positions; a few plies of its own from theirs hold nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.games import CompiledGame, find_game
from understudy.games.batches import stacked, taken, unstacked
from understudy.games.chess.inputs.planes import typed
from understudy.games.chess.position import Chess
from understudy.players import make_player
from understudy.protocols import Player


class Way(NamedTuple):
    """Where a game has gone on: the row that it began at, and its positions since."""

    row: int
    positions: tuple[Any, ...]


class PlayingOn:
    """A player that goes on from positions, moving for both sides."""

    def __init__(self, player: str, *, plies: int, seed: int) -> None:
        self.game: CompiledGame = find_game("chess")
        self.player: Player = make_player(player, self.game, seed=seed)
        self.plies = plies

    def reached(self, positions: Chess) -> tuple[Chess, NDArray[np.int64]]:
        """Return all positions of the next plies in which somebody can move, and the row each began at."""
        ways = [Way(row, (position,)) for row, position in enumerate(unstacked(positions))]
        found: list[Way] = []
        for _ in range(self.plies):
            ways = self._onward(ways)
            found += ways
        rows = np.array([way.row for way in found], np.int64)
        return typed(stacked([way.positions[-1] for way in found]) if found else taken(positions, rows)), rows

    def _onward(self, ways: list[Way]) -> list[Way]:
        """Return the games one ply later, but for those that have ended."""
        if not ways:
            return []
        histories = [way.positions[:-1] for way in ways]
        choices = self.player.choose([way.positions[-1] for way in ways], histories)
        later = []
        for way, choice in zip(ways, choices, strict=True):
            after = self.game.play(way.positions[-1], choice.move)
            if self.game.outcome(after) is None and not self.game.drawn(after):
                later.append(Way(way.row, (*way.positions, after)))
        return later
