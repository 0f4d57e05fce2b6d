"""An analyst: a UCI engine in a process of its own that judges one position after another.

It is driven through its pipes and not through python-chess, which parses every line of thought in a loop of events:
2.4 ms of our processor for a position at depth 8, a quarter of what the engine takes, against 0.4 here. A question is
one write, and of the answer only the last score and the best move are read. A silent engine is ended by a watchman.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from understudy.config import check_range
from understudy.errors import EngineError
from understudy.games.chess.players.engine import PATIENCE, STARTING, find_engine

CLIP = 20.0
"""Pawns that a mate is worth, and the most that anything is."""

_SCORE = re.compile(rb"^info (?!string).*?\bscore (cp|mate) (-?\d+)( lowerbound| upperbound)?")
_ROUNDS = 4
"""How often the watchman looks within the patience."""


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
        patience: float = PATIENCE,
    ) -> None:
        limits = (("depth", depth, 1, 245), ("nodes", nodes, 1, 1 << 60), ("time", time, 0.001, 86_400),
                  ("hash", hash, 1, 1 << 20), ("patience", patience, 0.1, 86_400))  # fmt: skip
        for kind, value, low, high in limits:
            check_range(f"analyst {path}: {kind}", value, low, high)
        if depth is None and nodes is None and time is None:
            time = 0.1
        self.path, self.hash, self.fresh = find_engine(path), hash, fresh
        self.patience = patience + (time or 0.0)
        self.go = _go(depth, nodes, time)
        self._process: _Process | None = None
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
        words = self.go[3:].replace("movetime", "milliseconds")
        return f"{words}, Hash {self.hash}, one thread{', ucinewgame before each' if self.fresh else ''}"

    def label(self, fen: str, moves: Sequence[str] = ()) -> Label:
        """Return what the engine says of the position that *moves* (UCI) lead to from *fen*."""
        played = f" moves {' '.join(moves)}" if moves else ""
        question = f"position fen {fen}{played}\n{self.go}\n"
        if question.count("\n") != 2:
            raise EngineError(f"the engine {self.path!r} cannot judge {fen!r}: a position is one line")
        try:
            answer = self._started().ask(("ucinewgame\n" if self.fresh else "") + question, "bestmove", self.patience)
            return _read(answer)
        except EngineError as error:
            self.close()
            raise EngineError(f"the engine {self.path!r} {error} at {fen!r}{played}") from None

    def close(self) -> None:
        """End the engine's process; who asks again gets another."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    def _started(self) -> _Process:
        if self._process is None:
            try:
                self._process = _Process(self.path, self.patience)
                self._process.settle(self.hash, max(self.patience, STARTING))
            except EngineError as error:
                self.close()
                raise EngineError(f"the engine {self.path!r} {error} when it was started") from None
        return self._process


def _go(depth: int | None, nodes: int | None, seconds: float | None) -> str:
    limits = (("depth", depth), ("nodes", nodes), ("movetime", None if seconds is None else round(1000 * seconds)))
    return "go " + " ".join(f"{kind} {value}" for kind, value in limits if value is not None)


def _read(answer: bytes) -> Label:
    """Return the last score before the best move; a bound, which is no score yet, only where there is nothing else."""
    lines = answer.splitlines()
    words = lines[-1].split()
    if len(words) < 2:
        raise EngineError("named no best move")
    best = words[1].decode("ascii", "replace")
    bound = None
    for line in reversed(lines[:-1]):
        if (match := _SCORE.match(line)) is not None:
            label = Label(match[1].decode(), int(match[2]), "" if best in ("(none)", "0000") else best)
            if match[3] is None:
                return label
            bound = bound or label
    if bound is None:
        raise EngineError("gave no score")
    return bound


class _Process:
    """A running engine and its watchman, a thread that ends it when it is silent beyond its deadline."""

    def __init__(self, path: str, patience: float) -> None:
        self.name, self.deadline, self.late = "", float("inf"), False
        try:
            # A group of its own: Ctrl-C is for us, and an engine ends by itself when its input does. A session of its
            # own would do as well, but Linux shares out the processor by sessions: it cost a tenth of the speed.
            self.process = subprocess.Popen(
                [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                process_group=0,
            )  # fmt: skip
        except OSError as error:
            raise EngineError(f"cannot be run ({error.strerror or error})") from None
        self.ended = threading.Event()
        threading.Thread(target=self._watch, args=(patience / _ROUNDS,), daemon=True).start()

    def settle(self, hash: int, patience: float) -> None:
        """Learn the engine's name and make it small and single."""
        answer = self.ask("uci\n", "uciok", patience).decode("utf-8", "replace")
        named = re.search(r"^id name (.+)$", answer, re.MULTILINE)
        self.name = named[1].strip() if named else "an engine without a name"
        wanted = {"Threads": 1, "Hash": hash}
        settable = {name: value for name, value in wanted.items() if f"option name {name} type" in answer}
        orders = "".join(f"setoption name {name} value {value}\n" for name, value in settable.items())
        self.ask(f"{orders}isready\n", "readyok", patience)

    def ask(self, question: str, last: str, patience: float) -> bytes:
        """Return what the engine says up to the line that begins with the word *last*."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        self.deadline = time.monotonic() + patience
        try:
            stdin.write(question.encode())
            return self._heard(stdout.fileno(), last.encode())
        except OSError:
            raise EngineError("died") from None
        finally:
            self.deadline = float("inf")

    def _heard(self, file: int, last: bytes) -> bytes:
        heard, mark = b"", b"\n" + last
        while True:
            piece = os.read(file, 1 << 16)
            if not piece:
                raise EngineError("said nothing for too long" if self.late else "died")
            heard += piece
            start = 0 if heard.startswith(last) else heard.find(mark) + 1 or -1
            if start >= 0 and (end := heard.find(b"\n", start)) >= 0:
                return heard[:end]

    def end(self) -> None:
        """End the process, at once if it does not go by itself."""
        self.ended.set()
        with contextlib.suppress(OSError):
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _watch(self, pause: float) -> None:
        while not self.ended.wait(pause):
            if time.monotonic() > self.deadline:
                self.late = True
                self.process.kill()
                return
