"""An analyst: a UCI engine in a process of its own that judges one position after another.

It is driven through its pipes and not through python-chess, which parses every line of thought in a loop of events:
2.4 ms of our processor for a position at depth 8, a quarter of what the engine takes, against 0.4 here. A question is
one write, and of the answer only the last score and the best move are read; whoever knows the position checks that the
rules allow it (`records/opinions.py`, for many at once).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from understudy.config import check_range
from understudy.errors import EngineError
from understudy.games.chess.players.answers import read_best, read_score
from understudy.games.chess.players.engine import find_engine
from understudy.players.programs.process import Process, write_setting
from understudy.players.programs.starting import PATIENCE, STARTING

CLIP = 20.0
"""Pawns that a mate is worth, and the most that anything is."""


class Label(NamedTuple):
    """What an engine said of a position, for the side to move."""

    kind: str
    """"cp" or "mate"."""
    score: int
    """Centipawns, or moves to mate: positive if the side to move mates, 0 if it is mated."""
    best: str
    """The best move in UCI; nothing if the game is over."""


def pawns(label: Label, clip: float = CLIP) -> float:
    """Return a label in pawns for the side to move; a mate is worth *clip*, and nothing is worth more."""
    if label.kind == "mate":
        return clip if label.score > 0 else -clip
    return max(-clip, min(clip, label.score / 100))


class Analyst:
    """One engine process that judges positions, started when first asked and again after it died.

    With *fresh* it forgets what it knows before each position, so that a label does not depend on the ones before.
    With *fair* whoever labels asks about the best reply to a position, too: see `label_reply`.
    """

    def __init__(
        self,
        path: str = "stockfish",
        *,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        hash: int = 1,
        fresh: bool = True,
        fair: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        limits = (("depth", depth, 1, 245), ("nodes", nodes, 1, 1 << 60), ("time", time, 0.001, 86_400),
                  ("hash", hash, 1, 1 << 20), ("patience", patience, 0.1, 86_400))  # fmt: skip
        for kind, value, low, high in limits:
            check_range(f"analyst {path}: {kind}", value, low, high)
        if depth is None and nodes is None and time is None:
            time = 0.1
        self.path, self.hash, self.fresh, self.fair = find_engine(path), hash, fresh, fair
        self.patience = patience + (time or 0.0)
        self.before, self.go = "ucinewgame\n" if fresh else "", _go(depth, nodes, time)
        self.go_on = _go(depth and max(1, depth - 1), nodes and max(1, nodes // 2), time and max(0.001, time / 2))
        self._process: Process | None = None
        self._name = ""

    @property
    def name(self) -> str:
        """What the engine calls itself."""
        if not self._name:
            self._name = self._started().name
        return self._name

    @property
    def limit(self) -> str:
        """What the engine is allowed, in words, for those who keep labels."""
        words = self.go[3:].replace("movetime", "milliseconds") + (" fair" if self.fair else "")
        return f"{words}, Hash {self.hash}, one thread{', ucinewgame before each' if self.fresh else ''}"

    def label(self, fen: str, moves: Sequence[str] = ()) -> Label:
        """Return what the engine says of the position that *moves* (UCI) lead to from *fen*."""
        return self._ask(fen, moves, self.before, self.go)

    def label_reply(self, fen: str, best: str) -> Label:
        """Return what the engine, asked about *fen* just before, says after its *best* move, for the other side.

        It remembers what it has just seen and looks a ply less far (at half the nodes, or in half the time), which is
        as far into the game.
        """
        return self._ask(fen, (best,), "", self.go_on)

    def _ask(self, fen: str, moves: Sequence[str], before: str, go: str) -> Label:
        played = f" moves {' '.join(moves)}" if moves else ""
        if "\n" in fen + played:
            raise EngineError(f"the engine {self.path!r} cannot judge {fen!r}: a position is one line")
        process, until = self._started(), time.monotonic() + self.patience
        try:
            # What comes before readyok belongs to another position.
            process.say(f"{before}isready\nposition fen {fen}{played}\n{go}\n")
            for _ in process.hear("readyok", self.patience):
                pass
            return _read(process.hear("bestmove", until - time.monotonic()))
        except EngineError as error:
            self.close()
            raise EngineError(f"the engine {self.path!r} {error} at {fen!r}{played}") from None

    def close(self) -> None:
        """End the engine's process; who asks again gets another."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _started(self) -> Process:
        if self._process is None:
            try:
                self._process = Process(self.path)
                self._settle(self._process, max(self.patience, STARTING))
            except EngineError as error:
                self.close()
                raise EngineError(f"the engine {self.path!r} {error} when it was started") from None
        return self._process

    def _settle(self, process: Process, patience: float) -> None:
        """Make the engine small and single."""
        process.settle(patience)
        wanted = {"Threads": 1, "Hash": self.hash}
        orders = [write_setting(name, value) for name, value in wanted.items() if name in process.options]
        process.ready("".join(orders), patience)


def _go(depth: int | None, nodes: int | None, seconds: float | None) -> str:
    limits = (("depth", depth), ("nodes", nodes), ("movetime", None if seconds is None else round(1000 * seconds)))
    return "go " + " ".join(f"{kind} {value}" for kind, value in limits if value is not None)


def _read(lines: Iterable[bytes]) -> Label:
    """Return the last score before the best move; a bound, which is no score yet, only where there is nothing else."""
    exact, bound, last = b"", b"", b""
    for last in lines:
        if b" score " in last and not last.startswith(b"info string"):
            exact, bound = (exact, last) if b"bound" in last else (last, bound)
    best, score = read_best(last), read_score(exact or bound)
    if score is None:
        raise EngineError("gave no score")
    return Label(score.kind, score.number, best)
