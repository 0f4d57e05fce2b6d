"""A student that judges positions as an engine does, by its own search.

What it sees a ply or two later, or after all captures, teaches the next student to see it at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.batches import unstacked
from understudy.games.chess.batches import matrices, position_at
from understudy.games.chess.datasets import expand_pawns
from understudy.games.chess.fen import read_fens
from understudy.games.chess.notation import to_uci
from understudy.games.chess.players.analyst import Label
from understudy.games.chess.players.students import StandingStudent
from understudy.games.chess.position import Chess
from understudy.kernels import kernel
from understudy.players import make_player
from understudy.players.looking import Limits, plies_of, search
from understudy.search.evaluators import Quiescent, quiescent
from understudy.search.leaves import horizon
from understudy.search.workspace import INFINITY, Workspace, clear, make_workspace

DEEPEST = 8
"""Plies: beyond it an engine says more in the same time."""
ENDLESS = 1 << 60
"""More nodes than any search visits."""


class OwnAnalyst:
    """A student that looks so many plies ahead, plays captures out, and says what positions are worth."""

    def __init__(self, player: str, depth: int) -> None:
        check_range(f"the depth at which {player!r} labels", depth, 0, DEEPEST)
        self.path, self.depth, self.game = player, depth, find_game("chess")
        self.student = _student(player, self.game)
        own = self.student.evaluator
        self.evaluator = own if isinstance(own, Quiescent) else quiescent(own)
        self.workspace = make_workspace(self.game.most_moves)

    @property
    def name(self) -> str:
        """The student, and by which training it came about: another that is kept under this name is not the same."""
        return f"{self.path} ({self.student.fingerprint})"

    @property
    def limit(self) -> str:
        """How far it looks, in words."""
        return f"depth {self.depth}, captures played out"

    def label_all(self, fens: Sequence[str]) -> list[Label | None]:
        """Return what the student says of each position; nothing of what is none."""
        batch, good = read_fens(fens)
        labels = self._played_out(batch) if self.depth == 0 else [self._searched(at) for at in unstacked(batch)]
        return [label if sound else None for label, sound in zip(labels, good.tolist(), strict=True)]

    def close(self) -> None:
        """Let go of nothing: there is no process."""

    def _played_out(self, batch: Chess) -> list[Label]:
        """Return labels without looking at quiet moves, so without a best one."""
        values = np.zeros(len(batch.ply))  # type: ignore[arg-type]
        clear(self.workspace, drawn=(), nodes=ENDLESS, deeper=False)
        _play_out(self.evaluator, *matrices(batch), -INFINITY, INFINITY, self.workspace, values)
        return [self._label(value, "") for value in values.tolist()]

    def _searched(self, position: Chess) -> Label:
        if (result := self.game.outcome(position)) is not None:
            return Label("mate" if result else "cp", 0, "")
        opinion = search(self.game, position, self.evaluator, limits=Limits(self.depth))
        return self._label(opinion.value, to_uci(position, opinion.move).uci())

    def _label(self, value: float, best: str) -> Label:
        plies = plies_of(value)
        if plies is not None:
            return Label("mate", (abs(plies) + 1) // 2 * (1 if plies > 0 else -1), best)
        pawns = value / 100
        if self.student.dataset.mate_distance:  # what it says is drawn together, and labels are not
            pawns = float(expand_pawns(np.array(pawns)))
        return Label("cp", round(100 * pawns), best)


@kernel
def _play_out(
    evaluator: Quiescent,
    masks: NDArray[np.uint64],
    numbers: NDArray[np.int64],
    least: float,
    most: float,
    workspace: Workspace,
    values: NDArray[np.float64],
) -> None:
    """Write what each position is worth when its captures are played out, or what the rules say."""
    height = int(np.int64(0))  # a bare 0 is a literal type, and recursion on one cannot be cached
    for row in range(len(values)):
        values[row] = horizon(evaluator, position_at(masks, numbers, row), least, most, height, workspace)


def _student(player: str, game: CompiledGame) -> StandingStudent:
    """Return the player called so, if it can label."""
    student = make_player(player, game)
    if not isinstance(student, StandingStudent):
        raise BadOption(
            f"the player {player!r} cannot label: only students of chess that see standings say what a position is "
            "worth in pawns and search by themselves"
        )
    return student
