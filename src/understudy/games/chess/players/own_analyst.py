"""A student that judges positions as an engine does, by its own search.

What it sees one or two plies later, or with captures played out, teaches the next student to see it at once.
"""

from __future__ import annotations

import numpy as np

from understudy.errors import BadOption, EngineError
from understudy.games import CompiledGame, find_game
from understudy.games.batches import unstacked
from understudy.games.chess.datasets import expand_pawns
from understudy.games.chess.fen import read_fens
from understudy.games.chess.notation import to_uci
from understudy.games.chess.players.analyst import Label
from understudy.games.chess.players.students import StandingStudent
from understudy.games.chess.position import Chess
from understudy.players import make_player
from understudy.players.looking import plies_of


class OwnAnalyst:
    """A student that searches, asked what positions are worth."""

    def __init__(self, player: str) -> None:
        self.path, self.game = player, find_game("chess")
        self.student = _student(player, self.game)

    @property
    def name(self) -> str:
        """The student, and by which training it came about: another that is kept under this name is not the same."""
        return f"{self.path} ({self.student.fingerprint})"

    @property
    def limit(self) -> str:
        """How far it looks, in words."""
        return "its own search"

    def label(self, fen: str) -> Label:
        """Return what the student says of a position."""
        batch, good = read_fens([fen])
        if not good[0]:
            raise EngineError(f"the player {self.path!r} cannot judge {fen!r}: it is no position")
        [position] = unstacked(batch)
        if (ended := self.game.outcome(position)) is not None:
            return Label("mate" if ended else "cp", 0, "")
        return self._judged(position)

    def close(self) -> None:
        """There is nothing to let go of."""

    def _judged(self, position: Chess) -> Label:
        opinion = self.student.look(position)
        best, plies = to_uci(position, opinion.move).uci(), plies_of(opinion.value)
        if plies is not None:
            return Label("mate", (abs(plies) + 1) // 2 * (1 if plies > 0 else -1), best)
        pawns = opinion.value / 100
        if self.student.dataset.mate_distance:  # what it says is drawn together, and labels are not
            pawns = float(expand_pawns(np.array(pawns)))
        return Label("cp", round(100 * pawns), best)


def _student(player: str, game: CompiledGame) -> StandingStudent:
    """Return the player called so, if it can label."""
    student = make_player(player, game)
    if not isinstance(student, StandingStudent):
        raise BadOption(
            f"the player {player!r} cannot label: only students of chess that see standings say what a position is "
            "worth in pawns and search by themselves"
        )
    return student
