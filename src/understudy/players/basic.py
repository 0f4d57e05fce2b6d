"""Players that do not think: `random`, the `human` at the terminal, and `perfect`, who knows who wins."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.errors import BadOption, UnderstudyError, UnknownName
from understudy.games import CompiledGame
from understudy.games.batches import stacked
from understudy.games.drawing import draw_text
from understudy.players.names import PlayerKind
from understudy.protocols import Choice, Move
from understudy.solve import Worth, best_moves, check_known, is_decidable, know, know_all, shared_decider
from understudy.thoughts import Thought, Weighed

NO_MOVE = -1
"""A move's code when there is none."""
LEAVING = ("resign", "quit", "exit")
"""What a person says who gives a game up."""


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

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return that every legal move is as likely as any other."""
        moves = self.game.moves(position)
        return Thought(
            player=self.name, game=self.game, position=position, kind="probability", choice=Choice(self._draw(moves)),
            moves=tuple(Weighed(move, 1 / len(moves)) for move in moves),
        )  # fmt: skip

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
        pasts = histories if histories is not None else [()] * len(positions)
        return [self._choose(position, past) for position, past in zip(positions, pasts, strict=True)]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Refuse: nobody can look into a person's head."""
        raise BadOption(f"player {self.name!r} is a person at the terminal, and nobody can tell what a person thinks")

    def _choose(self, position: Any, past: Sequence[Any]) -> Choice:
        self._show(position, past)
        question = f"{self.game.colours[position.ply % 2]} to move (a move, 'moves' or 'resign'): "
        while True:
            try:
                answer = self.ask(question).strip()
                if answer in LEAVING and self.ask("resign? (y/n) ").strip().lower() in ("y", "yes", *LEAVING):
                    return Choice(NO_MOVE, fault="resignation")
            except EOFError:
                return Choice(NO_MOVE, fault="resignation")
            if answer in ("moves", "help", "?"):
                self._say(" ".join(self.game.write_move(position, move) for move in self.game.moves(position)))
            elif answer and answer not in LEAVING:
                try:
                    return Choice(self.game.read_move(position, answer))
                except UnderstudyError as error:
                    self._say(str(error))

    def _show(self, position: Any, past: Sequence[Any]) -> None:
        """Draw the position, the last move marked, and below it what the board does not show."""
        stones = self.game.stones(position)
        before = self.game.stones(past[-1]) if past else stones
        marked = [cell for cell, (was, stone) in enumerate(zip(before, stones, strict=True)) if was != stone]
        self._say("\n" + draw_text(self.game.board, stones, marked=marked))
        if status := self.game.status(position):
            self._say(status)

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


RANDOM = PlayerKind(Random, NoOptions)
HUMAN = PlayerKind(Human, NoOptions)


TIES = ("first", "random")
COUNTED = "true values: known to the end, with best play of both sides"
UNCOUNTED = "true values: solved to the end; how many moves it takes is not known"


@dataclass(frozen=True, kw_only=True)
class PerfectOptions:
    """How to choose between moves that are equally good."""

    ties: str = "random"
    tables: str = ""
    """A folder of solved positions, where a game has them; the usual one if not said."""


class Perfect:
    """A player that knows what every move is worth: it wins as soon as it can, and loses as late.

    Where nobody knows how soon, it keeps every win, and if all is lost leaves the fewest ways to win.
    """

    def __init__(self, game: CompiledGame, options: PerfectOptions, *, name: str, rng: np.random.Generator) -> None:
        if options.ties not in TIES:
            raise UnknownName("ties of perfect", options.ties, TIES)
        check_known(game, options.tables)
        self.name, self.game, self.options, self.rng = name, game, options, rng

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask what the moves of each position are worth; raise where nobody knows."""
        return [
            self._choice(position, worths)
            for position, worths in zip(
                positions, know_all(self.game, positions, tables=self.options.tables), strict=True
            )
        ]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return what every move is truly worth, and in how many plies it wins or loses where that is known."""
        worths = know(self.game, position, only_best=True, tables=self.options.tables)
        choice = self._choice(position, worths)
        ranked = sorted(worths, key=lambda move: (move == choice.move, worths[move].rank), reverse=True)
        known = tuple(Weighed(move, float(worths[move].value), note=str(worths[move])) for move in ranked)
        others = (Weighed(move, None, note="not known") for move in self.game.moves(position) if move not in worths)
        counted = any(worth.plies is not None for worth in worths.values())
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", choice=choice, value=choice.value,
            moves=(*known, *others), note=COUNTED if counted else UNCOUNTED,
        )  # fmt: skip

    def prepare(self) -> None:
        """Solve the first move, the longest of all, before any clock runs."""
        if self.game.kind.solver is not None:
            know(self.game, self.game.start(), only_best=True)

    def _choice(self, position: Any, worths: Mapping[Move, Worth]) -> Choice:
        if not worths:
            return Choice(NO_MOVE, fault="no move")
        best = best_moves(worths)
        worth = worths[best[0]]
        if worth.value < 0 and is_decidable(self.game):
            best = self._hardest(position, best)
        move = best[self.rng.integers(len(best))] if self.options.ties == "random" else best[0]
        return Choice(move, float(worth.value), {move: float(worth.value) for move, worth in worths.items()})

    def _hardest(self, position: Any, moves: Sequence[Move]) -> list[Move]:
        """Return the moves after which the smallest share of the replies wins."""
        after = stacked([self.game.play(position, move) for move in moves])
        replies = shared_decider(self.game).solve_moves(after)
        shares = replies.winning / replies.counts  # every move loses, so each has a reply
        return [move for move, share in zip(moves, shares, strict=True) if share == shares.min()]


PERFECT = PlayerKind(Perfect, PerfectOptions)
