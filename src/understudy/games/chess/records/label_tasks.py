"""What a worker does who labels positions: it asks an engine of its own, which it keeps from task to task."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from typing import NamedTuple

from understudy.errors import EngineError
from understudy.games.chess.players.analyst import Analyst, Label
from understudy.games.chess.players.engine import PATIENCE

TRIES = 2
"""How often a position is asked about before it is set aside."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Which engine labels positions, and how long it may think of each."""

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    hash: int = 1
    patience: float = PATIENCE


@dataclass(frozen=True, kw_only=True)
class LabelTask:
    """Some positions and who judges them: text and numbers only, so that any worker can do it."""

    judge: Judge
    fens: tuple[str, ...]


class Said(NamedTuple):
    """What was said of one position: a label, or why there is none."""

    label: Label | None
    fault: str = ""


def label_task(task: LabelTask) -> list[Said]:
    """Return what the worker's engine says of each position; one that answers to none of several is of no use."""
    analyst = _analyst(task.judge)
    said = [_said(analyst, fen) for fen in task.fens]
    if len(said) > 1 and all(one.label is None for one in said):
        raise EngineError(f"{said[0].fault}, and so at the {len(said) - 1} positions after it")
    return said


def check_said(task: LabelTask, said: list[Said]) -> str | None:
    """Return what is wrong with an answer to a task."""
    return None if len(said) == len(task.fens) else f"said {len(said)} things of {len(task.fens)} positions"


def make_analyst(judge: Judge) -> Analyst:
    """Return the analyst that a judge describes."""
    options = asdict(judge)
    return Analyst(options.pop("engine"), **options)


def close_analysts() -> None:
    """End the engines that workers of this process have kept."""
    with _LOCK:
        for analyst in _OPEN:
            analyst.close()
        _OPEN.clear()
        _OWN.__dict__.clear()


_OWN = threading.local()
_OPEN: list[Analyst] = []
_LOCK = threading.Lock()


def _analyst(judge: Judge) -> Analyst:
    """Return the engine of this worker: a thread of this process, or a process somewhere else."""
    kept: tuple[Judge, Analyst] | None = getattr(_OWN, "kept", None)
    if kept is not None and kept[0] == judge and kept[1] in _OPEN:
        return kept[1]
    analyst = make_analyst(judge)
    with _LOCK:
        _OPEN.append(analyst)
    _OWN.kept = (judge, analyst)
    return analyst


def _said(analyst: Analyst, fen: str) -> Said:
    """Return a label, or after two tries why there is none."""
    fault = ""
    for _ in range(TRIES):
        try:
            return Said(analyst.label(fen))
        except EngineError as error:
            fault = str(error)
    return Said(None, fault)
