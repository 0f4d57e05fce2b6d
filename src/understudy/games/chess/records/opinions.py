"""What an engine says of many chess positions, asked by as many engines as there are workers.

A worker asks an engine of its own, which it keeps from task to task. Every position is judged with cleared memory, so a
label depends on the position and the limit alone. Positions in which the game is over are not sent to an engine by
judges: what they are worth is known.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

import chess

from understudy.errors import BadOption, EngineError
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.games.chess.datasets import CLIP
from understudy.games.chess.fen import read_fens
from understudy.games.chess.notation import from_uci, is_legal
from understudy.games.chess.players.analyst import Analyst, Label, pawns
from understudy.games.chess.players.own_analyst import OwnAnalyst
from understudy.games.chess.position import Chess
from understudy.players.programs.starting import PATIENCE
from understudy.protocols import Backend

CHUNK = 16
"""Positions of a task: few, so that workers end together."""
MATED = Label("mate", 0, "")
USUAL_DEPTH = 9
"""Plies for a label if nobody says otherwise: the cheapest depth that flatters the mover by no more than a tenth of a
pawn, by `python -m benchmarks label_quality` (docs/labels.md)."""
TRIES = 2
"""How often a position is asked about before it is set aside: an engine that dies twice will die again."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Which engine labels positions, and how long it may think of each."""

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    hash: int = 1
    patience: float = PATIENCE
    fair: bool = False
    """Whether a label is the mean of what a position is worth before and after its best move (`balanced`)."""
    player: str = ""
    """A student that labels by its own search to this depth, 1 if none is said, instead of an engine."""


@dataclass(frozen=True, kw_only=True)
class LabelTask:
    """Some positions and who judges them: text and numbers only, so that any worker can do it."""

    judge: Judge
    fens: tuple[str, ...]


class LabelResult(NamedTuple):
    """What was said of one position: a label, or why there is none."""

    label: Label | None
    fault: str = ""


def label_task(task: LabelTask) -> list[LabelResult]:
    """Return what the worker's engine says of each position; one that answers to none of several is of no use."""
    analyst = _analyst(task.judge)
    if isinstance(analyst, OwnAnalyst):
        return [LabelResult(label, "" if label else "it is no position") for label in analyst.label_all(task.fens)]
    batch, good = read_fens(task.fens)
    positions = [position if sound else None for position, sound in zip(unstacked(batch), good.tolist(), strict=True)]
    results = [_ask(analyst, fen, position) for fen, position in zip(task.fens, positions, strict=True)]
    if len(results) > 1 and all(one.label is None for one in results):
        raise EngineError(f"{results[0].fault}, and so at the {len(results) - 1} positions after it")
    return results


def check_results(task: LabelTask, results: list[LabelResult]) -> str | None:
    """Return what is wrong with an answer to a task."""
    return None if len(results) == len(task.fens) else f"said {len(results)} things of {len(task.fens)} positions"


def make_analyst(judge: Judge) -> Analyst | OwnAnalyst:
    """Return the analyst that a judge describes."""
    options = asdict(judge)
    if player := options.pop("player"):
        return OwnAnalyst(player, 1 if judge.depth is None else judge.depth)
    return Analyst(options.pop("engine"), **options)


def close_analysts() -> None:
    """End the engines that workers of this process have kept."""
    with _LOCK:
        for analyst in _OPEN:
            analyst.close()
        _OPEN.clear()
        _OWN.__dict__.clear()


_OWN = threading.local()
_OPEN: list[Analyst | OwnAnalyst] = []
_LOCK = threading.Lock()


def _analyst(judge: Judge) -> Analyst | OwnAnalyst:
    """Return the engine of this worker: a thread of this process, or a process somewhere else."""
    kept: tuple[Judge, Analyst | OwnAnalyst] | None = getattr(_OWN, "kept", None)
    if kept is not None and kept[0] == judge and kept[1] in _OPEN:
        return kept[1]
    analyst = make_analyst(judge)
    with _LOCK:
        _OPEN.append(analyst)
    _OWN.kept = (judge, analyst)
    return analyst


def _ask(analyst: Analyst, fen: str, position: Chess | None) -> LabelResult:
    """Return a label, or after two tries why there is none."""
    fault = ""
    for _ in range(TRIES):
        try:
            return LabelResult(_judge_position(analyst, fen, position))
        except EngineError as error:
            fault = str(error)
    return LabelResult(None, fault)


def _judge_position(analyst: Analyst, fen: str, position: Chess | None) -> Label:
    """Return what an engine says of a position, if the rules allow it; if it is fair, of its best reply, too."""
    label = analyst.label(fen)
    if position is None:
        return label
    if not label.best:
        if find_game("chess").moves(position):  # some engines know draws by rule and name no move, and some go on
            raise EngineError(f"the engine {analyst.path!r} named no best move at {fen!r}")
        return label
    move = from_uci(position, chess.Move.from_uci(label.best))
    if not is_legal(position, move):
        named = f"named the best move {label.best!r}, which is not legal"
        raise EngineError(f"the engine {analyst.path!r} {named} at {fen!r}")
    game = find_game("chess")
    if not analyst.fair or label.kind == "mate" or not game.moves(game.play(position, move)):
        return label
    return balanced(label, analyst.label_reply(fen, label.best))


def balanced(label: Label, reply: Label) -> Label:
    """Return a label half way to what the position is worth after its best move, which the *reply* tells.

    An engine that looks few plies ahead flatters whoever is to move; after the best move that is the other side. A mate
    that the reply finds for the first side is a mate; one against it counts as so many pawns, for another move may
    avoid it.
    """
    if reply.kind == "mate" and reply.score < 0:
        return Label("mate", 1 - reply.score, label.best)
    theirs = reply.score if reply.kind == "cp" else round(100 * CLIP)
    return Label("cp", round((label.score - theirs) / 2), label.best)


class Analysis(NamedTuple):
    """Which engine judges, and how long it may think about each position."""

    engine: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None

    def words(self) -> str:
        """Return the limit in words."""
        limits = {name: value for name, value in self._asdict().items() if name != "engine" and value is not None}
        return " ".join(f"{name} {value:g}" for name, value in limits.items())


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
        for task, answers in zip(tasks, backend.map(label_task, tasks, check=check_results), strict=True):
            labels.update(zip(task.fens, map(_label_of, answers), strict=True))
            progress(len(answers))
    finally:
        close_analysts()
    return {fen: label for fen, label in labels.items() if label is not None}


def _label_of(result: LabelResult) -> Label:
    """Return a label; a judge has no use for positions that are set aside."""
    if result.label is None:
        raise EngineError(result.fault)
    return result.label


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
    return 1 / (1 + math.exp(-0.368208 * worth))  # Lichess's 0.00368208 for a centipawn


def _settled(fen: str) -> Label | None:
    """Return the label of a position in which the game is over, else None."""
    board = chess.Board(fen)
    if board.is_checkmate():
        return MATED
    return Label("cp", 0, "") if board.is_stalemate() or board.is_insufficient_material() else None


def _judge(analysis: Analysis) -> Judge:
    if analysis.depth is None and analysis.nodes is None and analysis.time is None:
        raise BadOption(f"the engine {analysis.engine!r} needs a limit: a depth, a number of nodes or a time")
    return Judge(**analysis._asdict())
