"""Players that do not think: `random`, and the `human` at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.errors import UnderstudyError
from understudy.games import CompiledGame
from understudy.games.drawing import draw_text
from understudy.players.names import PlayerKind
from understudy.protocols import Choice, Move

NO_MOVE = -1
"""A move's code when there is none."""


@dataclass(frozen=True, kw_only=True)
class NoOptions:
    """For players that take none."""


class Random:
    """A player that takes every legal move with the same chance."""

    def __init__(self, game: CompiledGame, options: NoOptions, *, name: str, rng: np.random.Generator) -> None:
        self.name, self.game, self.rng = name, game, rng

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Draw a move in each position."""
        return [Choice(self._draw(self.game.moves(position))) for position in positions]

    def _draw(self, moves: list[Move]) -> Move:
        return moves[self.rng.integers(len(moves))]


class Human:
    """A person at the terminal."""

    def __init__(
        self,
        game: CompiledGame,
        options: NoOptions,
        *,
        name: str,
        rng: np.random.Generator,
        ask: Callable[[str], str] = input,
    ) -> None:
        self.name, self.game, self.ask = name, game, ask

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Show each position and ask until the answer is a legal move."""
        return [self._choose(position) for position in positions]

    def _choose(self, position: Any) -> Choice:
        colour = self.game.colours[position.ply % 2]
        self._say("\n" + draw_text(self.game.board, self.game.stones(position)))
        while True:
            try:
                answer = self.ask(f"{colour} to move (a move, 'moves' or 'resign'): ").strip()
            except EOFError:
                return Choice(NO_MOVE, fault="resignation")
            if answer in ("resign", "quit", "exit"):
                return Choice(NO_MOVE, fault="resignation")
            if answer in ("moves", "help", "?"):
                self._say(" ".join(self.game.write_move(position, move) for move in self.game.moves(position)))
                continue
            try:
                return Choice(self.game.read_move(position, answer))
            except UnderstudyError as error:
                self._say(str(error))

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


RANDOM = PlayerKind(Random, NoOptions)
HUMAN = PlayerKind(Human, NoOptions)
