"""Any UCI engine as a player, through python-chess; what it does wrong costs it the game and nothing else.

python-chess is loaded by the first who needs it: others should not wait for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understudy.config import check_range
from understudy.errors import BadOption, EngineError, first_line
from understudy.games import CompiledGame
from understudy.players.basic import NO_MOVE
from understudy.players.looking import LINES, Halt
from understudy.players.names import PlayerKind
from understudy.protocols import Choice
from understudy.thoughts import Line, Thought, Weighed

if TYPE_CHECKING:
    import chess
    import chess.engine

FOLDERS = ("/usr/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where systems put engines without putting the folder on PATH."""

PLACE = "UNDERSTUDY_STOCKFISH"
"""The environment variable that may say where Stockfish is."""

STARTING = 60.0
"""Seconds that a program has, however short our patience, until it says for the first time that it is ready: to load
it, and the network of a modern engine, takes longer than any answer, above all where others keep the machine busy."""
PATIENCE = 60.0
"""Seconds beyond its time after which a silent engine is taken for hung, if not said otherwise."""

INSTALL = (
    "install it with 'apt install stockfish' on Debian, 'brew install stockfish' on macOS, "
    f"'winget install Stockfish.Stockfish' on Windows, or say where it is by engine:PATH or the variable {PLACE}"
)


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
    patience: float = PATIENCE
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
        self.name, self.game, self.options, self.path = name, game, options, find_engine(options.path)
        self.settings = wanted_settings(options)
        if self.settings:
            check_settings(self.path, tuple(self.settings.items()), name)
        self._engine: chess.engine.SimpleEngine | None = None

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Ask the engine in each position."""
        pasts = histories if histories is not None else [()] * len(positions)
        return [
            self._choose(board_of([*_recent(past, position), position]))
            for position, past in zip(positions, pasts, strict=True)
        ]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        """Return the engine's best lines, with what it expects of each."""
        return self.think_aloud(position, past)

    def think_aloud(
        self,
        position: Any,
        past: Sequence[Any] = (),
        *,
        halt: Halt | None = None,
        tell: Callable[[Thought], None] | None = None,
        lines: int = LINES,
    ) -> Thought:
        """Think until the engine's limit or until *halt* rings; *tell* hears of every depth."""
        import chess.engine

        began, board = time.perf_counter(), board_of([*_recent(past, position), position])
        reached = 0
        try:
            with self._started().analysis(board, self._limit(), multipv=min(lines, board.legal_moves.count())) as seen:
                for _ in seen:
                    infos: list[Any] = [dict(info) for info in seen.multipv]  # as it is now: another thread reads on
                    depth = infos[0].get("depth", 0)
                    if halt is not None and halt.rung:
                        seen.stop()
                    elif tell is not None and depth > reached and "score" in infos[0]:
                        reached = depth
                        tell(self._thought(position, board, infos, None, began))
                best = seen.wait().move
        except (chess.engine.EngineError, TimeoutError, OSError) as error:
            self._failed("engine failure")
            raise EngineError(f"player {self.name!r} could not think of {board.fen()!r}: {first_line(error)}") from None
        return self._thought(position, board, seen.multipv, best, began)

    def _thought(
        self, position: Any, board: chess.Board, infos: Sequence[Any], best: chess.Move | None, began: float
    ) -> Thought:
        """Return the lines of an engine as a thought; *best* is what it plays, the first of its best line if None."""
        lines = [_line(board, info) for info in infos if info.get("pv") and "score" in info]
        chosen = code_of(board, best) if best is not None else lines[0].moves[0] if lines else NO_MOVE
        value = next((line.value for line in lines if line.moves[0] == chosen), None)
        weighed = {line.moves[0]: Weighed(line.moves[0], line.value, note=_write_score(info, board.turn))
                   for line, info in zip(lines, infos, strict=False)}  # fmt: skip
        others = [Weighed(move, None) for move in self.game.moves(position) if move not in weighed]
        main = infos[0] if infos else {}
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", value=value,
            choice=Choice(chosen, value), moves=(*weighed.values(), *others), lines=tuple(lines),
            depth=main.get("depth"), nodes=main.get("nodes"), seconds=time.perf_counter() - began,
            note=f"only its best {len(lines)} moves have a number: an engine tells no more",
        )  # fmt: skip

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
            patience = self.options.patience + (self.options.time or 0.0)
            self._engine = chess.engine.SimpleEngine.popen_uci(self.path, timeout=max(patience, STARTING))
            self._engine.configure(self.settings)
            self._engine.ping()
            self._engine.timeout = patience
        return self._engine

    def _limit(self) -> chess.engine.Limit:
        import chess.engine

        depth, nodes, time = self.options.depth, self.options.nodes, self.options.time
        if depth is None and nodes is None and time is None:
            time = 0.1
        return chess.engine.Limit(depth=depth, nodes=nodes, time=time)


def wanted_settings(options: EngineOptions) -> dict[str, Any]:
    """Return what the engine is told with UCI's setoption."""
    wanted = {"Threads": options.threads, "Hash": options.hash, "UCI_Elo": options.elo}
    settings: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    return settings | {"UCI_LimitStrength": True} if options.elo is not None else settings


@cache
def check_settings(path: str, settings: tuple[tuple[str, Any], ...], name: str) -> None:
    """Raise if the engine lacks an option or refuses its value: ask it once, before it could lose games by it."""
    import chess.engine

    try:
        with chess.engine.SimpleEngine.popen_uci(path, timeout=STARTING) as engine:
            title, offered = engine.id.get("name", path), dict(engine.options)
    except (chess.engine.EngineError, TimeoutError, OSError):
        raise EngineError(f"player {name!r}: the program {path!r} does not answer as a UCI engine") from None
    for option, value in settings:
        if option not in offered:
            raise BadOption(f"player {name!r}: {title} has no option {option}, so it cannot be set to {value}")
        low, high = offered[option].min, offered[option].max
        if low is not None and high is not None:
            check_range(f"player {name!r}: {option} of {title}", value, low, high)


def find_engine(path: str) -> str:
    """Return the full path of an engine given by path or by name; where Stockfish is, the environment may say."""
    if path == "stockfish" and (place := os.environ.get(PLACE)):
        if (program := shutil.which(place)) is None:
            raise EngineError(f"no engine {place!r}, where {PLACE} says it is: there is no such file that can be run")
        return program
    program = shutil.which(path) or shutil.which(path, path=os.pathsep.join(FOLDERS))
    if program is None:
        kind = "file" if Path(path).name != path else "program"
        hint = f"; {INSTALL}" if Path(path).stem == "stockfish" else ""
        raise EngineError(f"no engine {path!r}: there is no such {kind} that can be run{hint}")
    return program


def _recent(past: Sequence[Any], position: Any) -> Sequence[Any]:
    """Return the positions that may come again: those since the last capture or move of a pawn."""
    return past[max(0, len(past) - position.clock) :]


def board_of(past: Sequence[Any]) -> chess.Board:
    """Return python-chess's board of the last position, with the moves that led there where they can be told."""
    from understudy.games.chess.notation import to_board

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


def _line(board: chess.Board, info: Any) -> Line:
    """Return a line of an engine in our codes, with what it expects for the side to move."""
    score, moves, ahead = info["score"].pov(board.turn), [], board.copy(stack=False)
    for move in info["pv"]:
        moves.append(code_of(ahead, move))
        ahead.push(move)
    mate = score.mate()
    # Moves to mate are plies of both sides but the last: the side that mates has one ply more than the other.
    plies = None if mate is None else 2 * mate - 1 if mate > 0 else 2 * mate
    return Line(tuple(moves), 2.0 * score.wdl(model="sf").expectation() - 1.0, info.get("depth", 0), plies)


def _write_score(info: Any, turn: chess.Color) -> str:
    score = info["score"].pov(turn)
    return f"mate in {score.mate()}" if score.is_mate() else f"{score.score() / 100:+.2f} pawns"


ENGINE = PlayerKind(Engine, EngineOptions, "path")
