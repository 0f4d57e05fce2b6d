"""The Universal Chess Interface: any player of chess as an engine for chess programs; docs/uci.md tells all of it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, BinaryIO, TextIO

from understudy.errors import BadOption, IllegalMove, NotationError
from understudy.games import CompiledGame
from understudy.players.programs.door import PATIENCE, Door, attend
from understudy.players.programs.tasks import Check, Option, Standing, Task
from understudy.protocols import Move, Player

SCALE = 350.0
"""Centipawns at which the expected outcome is tanh(1): the scale of our evaluators of chess."""

SHARES = "UCI_ShowWDL"
"""The option by which programs ask for wins, draws and losses."""
MOST_CENTIPAWNS = 9999
"""Programs show scores in little room; beyond, they expect a mate."""


def serve(
    game: CompiledGame, player: Player, *, heard: BinaryIO, said: TextIO, patience: float | None = PATIENCE
) -> bool:
    """Speak UCI for *player* until `quit` or the end of what is *heard*; tell whether its thread has ended."""
    if game.name != "chess":
        raise BadOption(f"UCI speaks of chess, not of {game.name}")
    return attend(ChessDoor(game, player, replies=said), heard, patience)


class ChessDoor(Door):
    """A conversation about chess."""

    def read_position(self, words: Sequence[str]) -> Standing:
        """Return where a game stands that the words after `position` describe."""
        return Standing(*read_position(self.game, words))

    def read_moves(self, text: str) -> list[Move]:
        """Return the code of a legal move."""
        return [read_uci(self.game, self.stands.position, text)]

    def write_move(self, task: Task, move: Move) -> str:
        """Return a move as UCI writes it."""
        return write_uci(self.game, task.position, move)

    def write_line(self, task: Task, moves: Sequence[Move]) -> str:
        """Return all moves of a line of play, each as it is written in its position."""
        words, position = [], task.position
        for move in moves:
            words.append(write_uci(self.game, position, move))
            position = self.game.play(position, move)
        return " ".join(words)

    def write_score(self, value: float | None, plies: int | None) -> str:
        """Return what is expected as UCI writes scores, and as shares of games if the program wants to know."""
        wanted = self.options[SHARES] and value is not None
        return score(value, plies) + (f" wdl {shares(value)}" if wanted and value is not None else "")

    def offer(self) -> dict[str, Option]:
        """Return the options of the player, and whether shares of games are told."""
        return {**super().offer(), SHARES: Check(0)}


def read_position(game: CompiledGame, words: Sequence[str]) -> tuple[Any, list[Any]]:
    """Return the position that the words after `position` describe, and those before it, oldest first."""
    kind = words[0] if words else ""
    if kind not in ("startpos", "fen"):
        raise NotationError("position: expected 'startpos' or 'fen' and a FEN, then 'moves' and moves if there are any")
    end = words.index("moves") if "moves" in words else len(words)
    if kind == "startpos" and end > 1:
        raise NotationError(f"position startpos: expected 'moves', not {words[1]!r}")
    position, history = game.start() if kind == "startpos" else game.read(" ".join(words[1:end])), []
    for text in words[end + 1 :]:
        history.append(position)
        position = game.play(position, read_uci(game, position, text))
    return position, history


def read_uci(game: CompiledGame, position: Any, text: str) -> Move:
    """Return the code of a legal move written as UCI does, such as `e2e4` or `e7e8q`."""
    if not re.fullmatch("([a-h][1-8]){2}[nbrq]?", text.lower()):
        raise IllegalMove(f"chess: {text!r} is not a move as UCI writes it, such as 'e2e4' or 'e7e8q'")
    return game.read_move(position, text.lower())


def write_uci(game: CompiledGame, position: Any, move: Move) -> str:
    """Return a move as UCI writes it."""
    return str(game.notation.to_uci(position, move).uci())


def score(value: float | None, plies: int | None) -> str:
    """Return an expected outcome, or a game's end in so many plies (negative: lost), as UCI writes scores."""
    if plies is not None:
        return f"score mate {(plies + 1) // 2 if plies > 0 else -(-plies // 2)}"
    return "" if value is None else f"score cp {centipawns(value)}"


def shares(value: float) -> str:
    """Return of a thousand games those won, drawn and lost, as an expected outcome alone can tell.

    As if a game were two halves, each won with the same chance, and half a game each were a draw: won less lost is then
    the expected outcome, which is all that players say. Between equals that makes half of all games drawn.
    """
    won, lost = (round(1000 * ((1 + side) / 2) ** 2) for side in (value, -value))
    return f"{won} {1000 - won - lost} {lost}"


def centipawns(value: float) -> int:
    """Return 350 atanh(value), at most 9999 either way: what our evaluators must see to expect this outcome."""
    edge = math.tanh(MOST_CENTIPAWNS / SCALE)
    if abs(value) >= edge or math.isnan(value):
        return 0 if math.isnan(value) else int(math.copysign(MOST_CENTIPAWNS, value))
    return max(-MOST_CENTIPAWNS, min(MOST_CENTIPAWNS, round(SCALE * math.atanh(value))))
