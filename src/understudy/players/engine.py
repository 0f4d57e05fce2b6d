"""Any UCI engine as a player, through python-chess; what it does wrong costs it the game and nothing else.

python-chess is loaded by the first who needs it: others should not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, EngineError
from understudy.games import CompiledGame
from understudy.players.basic import NO_MOVE
from understudy.protocols import Choice

if TYPE_CHECKING:
    import chess
    import chess.engine

FOLDERS = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where systems put engines without putting the folder on PATH."""

INSTALL = "Debian: apt install stockfish; macOS: brew install stockfish; Windows: winget install stockfish"


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Which engine, how long it may think, and how strong it may be."""

    path: str = "stockfish"
    depth: int | None = None
    nodes: int | None = None
    time: float | None = None
    """Seconds for a move; 0.1 if nothing limits the engine."""
    elo: int | None = None
    """Play at this strength, if the engine can limit itself."""
    threads: int | None = None
    hash: int | None = None
    patience: float = 10.0
    """Seconds beyond its time after which a silent engine is taken for hung."""


class Engine:
    """A UCI engine in a process of its own, started when first asked and again after it failed."""

    def __init__(self, game: CompiledGame, options: EngineOptions, *, name: str, rng: np.random.Generator) -> None:
        if game.name != "chess":
            raise BadOption(f"{name}: engines play chess, not {game.name}")
        for kind, low, high in (
            ("depth", 1, 245),
            ("nodes", 1, 1 << 60),
            ("time", 0.001, 86_400),
            ("patience", 0.1, 86_400),
        ):
            check_range(f"{name}: {kind}", getattr(options, kind), low, high)
        self.name, self.options, self.path = name, options, find_engine(options.path)
        self._engine: chess.engine.SimpleEngine | None = None

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask the engine in each position."""
        pasts = histories if histories is not None else [()] * len(positions)
        return [self._choose(board_of([*past, position])) for position, past in zip(positions, pasts, strict=True)]

    def close(self) -> None:
        """End the engine's process."""
        import chess.engine

        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(chess.engine.EngineError, asyncio.TimeoutError, OSError):
                engine.quit()
            engine.close()

    def _choose(self, board: chess.Board) -> Choice:
        import chess.engine

        try:
            engine = self._started()
            played = engine.play(board, self._limit(), info=chess.engine.INFO_SCORE)
        except TimeoutError:
            return self._failed("time")
        except chess.engine.EngineTerminatedError:
            return self._failed("engine crash")
        except chess.engine.EngineError as error:
            return self._failed("illegal move" if "illegal" in str(error) else "engine failure")
        except OSError:
            return self._failed("engine failure")
        if played.move is None:
            return self._failed("engine failure")
        return Choice(code_of(board, played.move), _value(played, board.turn))

    def _failed(self, fault: str) -> Choice:
        """Give the game up and leave the engine to be started anew for the next one."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(Exception):
                engine.transport.kill()
            engine.close()
        return Choice(NO_MOVE, fault=fault)

    def _started(self) -> chess.engine.SimpleEngine:
        import chess.engine

        if self._engine is None:
            patience = self.options.patience
            self._engine = chess.engine.SimpleEngine.popen_uci(self.path, timeout=patience)
            self._engine.timeout = patience + (self.options.time or 0.0)
            self._engine.configure(self._settings(self._engine))
        return self._engine

    def _settings(self, engine: chess.engine.SimpleEngine) -> dict[str, Any]:
        wanted = {"Threads": self.options.threads, "Hash": self.options.hash, "UCI_Elo": self.options.elo}
        if self.options.elo is not None:
            wanted["UCI_LimitStrength"] = True
        import chess.engine

        settings = {name: value for name, value in wanted.items() if value is not None}
        if missing := [name for name in settings if name not in engine.options]:
            raise chess.engine.EngineError(f"the engine has no option {missing[0]}")
        return settings

    def _limit(self) -> chess.engine.Limit:
        import chess.engine

        depth, nodes, time = self.options.depth, self.options.nodes, self.options.time
        if depth is None and nodes is None and time is None:
            time = 0.1
        return chess.engine.Limit(depth=depth, nodes=nodes, time=time)


def find_engine(path: str) -> str:
    """Return the full path of an engine given by path or by name."""
    found = shutil.which(path) or shutil.which(path, path=os.pathsep.join(FOLDERS))
    if found is None:
        kind = "file" if Path(path).name != path else "program"
        hint = f" ({INSTALL})" if path == "stockfish" else ""
        raise EngineError(f"no engine {path!r}: there is no such {kind} that can be run{hint}")
    return found


def board_of(past: Sequence[Any]) -> chess.Board:
    """Return python-chess's board of the last position, with the moves that led there where they can be told."""
    from understudy.games.chess_notation import to_board

    board = to_board(past[0])
    for position in past[1:]:
        target = to_board(position)
        move = next((move for move in board.legal_moves if _leads(board, move, target)), None)
        if move is None:
            return to_board(past[-1])
        board.push(move)
    return board


def _leads(board: chess.Board, move: chess.Move, target: chess.Board) -> bool:
    if target.piece_at(move.to_square) is None or board.piece_at(move.from_square) == target.piece_at(move.from_square):
        return False
    board.push(move)
    same = board.board_fen() == target.board_fen()
    board.pop()
    return same


def code_of(board: chess.Board, move: chess.Move) -> int:
    """Return our code of python-chess's *move*."""
    turned = 0 if board.turn else 56
    return ((move.from_square ^ turned) << 6 | (move.to_square ^ turned)) << 3 | ((move.promotion or 1) - 1)


def _value(played: chess.engine.PlayResult, turn: chess.Color) -> float | None:
    score = played.info.get("score")
    return None if score is None else 2.0 * score.pov(turn).wdl(model="sf").expectation() - 1.0
