"""What an engine says of many chess positions, asked by as many engines as there are workers.

Every position is judged with cleared memory, so a label depends on the position and the limit alone. Positions in which
the game is over are not sent to an engine: what they are worth is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from understudy.errors import BadOption, EngineError
from understudy.games.chess.datasets import CLIP
from understudy.games.chess.players.analyst import Label, pawns
from understudy.games.chess.records.label_tasks import (
    Judge,
    LabelTask,
    Said,
    check_said,
    close_analysts,
    label_task,
    make_analyst,
)
from understudy.protocols import Backend

CHUNK = 16
"""Positions of a task."""


class Analysis(NamedTuple):
    """Which engine judges, and how long it may think about each position."""

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None

    def words(self) -> str:
        """Return the limit in words."""
        told = [f"{name} {value:g}" for name, value in self._asdict().items() if name != "engine" and value is not None]
        return " ".join(told)


def labelled(
    fens: Iterable[str],
    analysis: Analysis,
    *,
    backend: Backend,
    progress: Callable[[int], None] = lambda positions: None,
) -> dict[str, Label]:
    """Return a label for each position, mover's view; *progress* hears of positions that are done."""
    labels = {fen: _settled(fen) for fen in dict.fromkeys(fens)}
    open_fens = [fen for fen, label in labels.items() if label is None]
    progress(len(labels) - len(open_fens))
    judge = _judge(analysis)
    tasks = [LabelTask(judge=judge, fens=tuple(open_fens[k : k + CHUNK])) for k in range(0, len(open_fens), CHUNK)]
    try:
        for task, answers in zip(tasks, backend.map(label_task, tasks, check=check_said), strict=True):
            labels.update(zip(task.fens, map(_told, answers), strict=True))
            progress(len(answers))
    finally:
        close_analysts()
    return {fen: label for fen, label in labels.items() if label is not None}


def _told(said: Said) -> Label:
    """Return a label; a judge has no use for positions that are set aside."""
    if said.label is None:
        raise EngineError(said.fault)
    return said.label


def engine_name(analysis: Analysis) -> str:
    """Return what the engine calls itself; it fails here before anything else is done if there is none."""
    analyst = make_analyst(_judge(analysis))
    try:
        return analyst.name
    finally:
        analyst.close()


def in_pawns(labels: Mapping[str, Label]) -> dict[str, float]:
    """Return what each position is worth for its mover, in pawns; who is mated has -20."""
    return {fen: -CLIP if label == MATED else pawns(label, CLIP) for fen, label in labels.items()}


def expectation(worth: float) -> float:
    """Return the share of the points that a player expects who is *worth* pawns ahead (Lichess's curve)."""
    if abs(worth) >= CLIP:
        return 1.0 if worth > 0 else 0.0
    return 1 / (1 + math.exp(-0.368208 * worth))


MATED = Label("mate", 0, "")


def _settled(fen: str) -> Label | None:
    """Return the label of a position in which the game is over, else None."""
    import chess

    board = chess.Board(fen)
    if board.is_checkmate():
        return MATED
    return Label("cp", 0, "") if board.is_stalemate() or board.is_insufficient_material() else None


def _judge(analysis: Analysis) -> Judge:
    if analysis.depth is None and analysis.nodes is None and analysis.time is None:
        raise BadOption(f"the engine {analysis.engine!r} needs a limit: a depth, a number of nodes or a time")
    return Judge(**analysis._asdict())
