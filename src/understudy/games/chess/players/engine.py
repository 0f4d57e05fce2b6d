"""Any UCI engine as a player; what it does wrong costs it the game and nothing else.

python-chess, whose boards check its moves, is loaded by the first who needs it: others should not wait for it.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understudy.config import check_range
from understudy.errors import EngineError
from understudy.games import CompiledGame
from understudy.games.chess.players.answers import Info, Score, read_info, read_legal_best, read_score
from understudy.players.basic import NO_MOVE
from understudy.players.looking import LINES, Halt
from understudy.players.names import PlayerKind
from understudy.players.programs.process import write_setting
from understudy.players.programs.starting import PATIENCE, Program, check_settings, find_program, name_fault
from understudy.protocols import Choice
from understudy.thoughts import Line, Thought, Weighed

if TYPE_CHECKING:
    import chess

PLACE = "UNDERSTUDY_STOCKFISH"
"""The environment variable that may say where Stockfish is."""

PLAYING: dict[str, object] = {"MultiPV": 1, "UCI_AnalyseMode": False}
"""How the options are that every engine begins with, and that thinking aloud changes."""

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
    """Seconds beyond its time after which an engine is taken for hung; without a time, seconds in which it says
    nothing."""


class Engine:
    """A UCI engine in a process of its own, started when first asked and again after it failed."""

    def __init__(self, game: CompiledGame, options: EngineOptions, *, name: str, rng: np.random.Generator) -> None:
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
        self.go = _write_limit(options)
        self._program = Program(self.path, self.settings, options.patience + (options.time or 0.0))

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
        began, board = time.perf_counter(), board_of([*_recent(past, position), position])
        infos, reached, best = dict[int, Info](), 0, None
        lines = min(lines, board.legal_moves.count())
        modes = {"MultiPV": lines, "UCI_AnalyseMode": True}
        try:
            for line in self._ask(board, modes, None if halt is None else lambda: halt.rung):
                if line.startswith(b"bestmove"):
                    best = read_legal_best(line, board)
                elif (info := read_info(line, board)) is not None and 1 <= info.rank <= lines:
                    infos[info.rank] = info
                    if tell is not None and infos.get(1, info).depth > reached:
                        reached = infos.get(1, info).depth
                        tell(self._thought(position, board, infos, None, began))
        except EngineError as error:
            self.close()
            raise EngineError(f"player {self.name!r} could not think of {board.fen()!r}: it {error}") from None
        return self._thought(position, board, infos, best, began)

    def _thought(
        self, position: Any, board: chess.Board, infos: Mapping[int, Info], best: chess.Move | None, began: float
    ) -> Thought:
        """Return the lines of an engine as a thought; *best* is what it plays, the first of its best line if None."""
        told = [infos[rank] for rank in sorted(infos) if infos[rank].moves]
        lines = [_line(board, info) for info in told]
        chosen = code_of(board, best) if best is not None else lines[0].moves[0] if lines else NO_MOVE
        value = next((line.value for line in lines if line.moves[0] == chosen), None)
        weighed = {line.moves[0]: Weighed(line.moves[0], line.value, note=_write_score(info.score))
                   for line, info in zip(lines, told, strict=True)}  # fmt: skip
        others = [Weighed(move, None) for move in self.game.moves(position) if move not in weighed]
        return Thought(
            player=self.name, game=self.game, position=position, kind="value", value=value,
            choice=Choice(chosen, value), moves=(*weighed.values(), *others), lines=tuple(lines),
            depth=told[0].depth if told else None, nodes=told[0].nodes if told else None,
            seconds=time.perf_counter() - began,
            note=f"only its best {len(lines)} moves have a number: an engine tells no more",
        )  # fmt: skip

    def close(self) -> None:
        """End the engine's process; who asks again gets another."""
        self._program.close()

    def _choose(self, board: chess.Board) -> Choice:
        try:
            return self._read_choice(board)
        except EngineError as error:
            self.close()  # it gives the game up, and is started anew for the next one
            return Choice(NO_MOVE, fault=name_fault(error))

    def _read_choice(self, board: chess.Board) -> Choice:
        score: Score | None = None
        for line in self._ask(board, PLAYING):
            score = read_score(line) or score
        return Choice(code_of(board, read_legal_best(line, board)), None if score is None else _expect(score))

    def _ask(
        self, board: chess.Board, modes: Mapping[str, object], halted: Callable[[], bool] | None = None
    ) -> Iterator[bytes]:
        """Ask about a position; return the lines of the answer as they come."""
        process, patience = self._program.start(), self._program.patience
        known = PLAYING | self._program.modes
        changed = {name: value for name, value in modes.items()
                   if name in process.options and value != known[name]}  # fmt: skip
        self._program.modes |= changed
        orders = "".join(write_setting(name, value) for name, value in changed.items())
        # What comes before readyok belongs to another position.
        process.say(f"{orders}isready\n{_write_position(board)}\n{self.go}\n")
        for _ in process.hear("readyok", patience):
            pass
        return process.hear("bestmove", patience, anew="movetime" not in self.go, halted=halted)


def _write_limit(options: EngineOptions) -> str:
    """Return what the engine is told of how long it may think."""
    limits = {"depth": options.depth, "nodes": options.nodes, "movetime": options.time and round(1000 * options.time)}
    given = [f"{name} {value}" for name, value in limits.items() if value is not None]
    return f"go {' '.join(given or ['movetime 100'])}"


def _write_position(board: chess.Board) -> str:
    moves = " ".join(move.uci() for move in board.move_stack)
    return f"position fen {board.root().fen(en_passant='fen')}" + (f" moves {moves}" if moves else "")


def wanted_settings(options: EngineOptions) -> dict[str, Any]:
    """Return what the engine is told with UCI's setoption."""
    wanted = {"Threads": options.threads, "Hash": options.hash, "UCI_Elo": options.elo}
    settings: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    return settings | {"UCI_LimitStrength": True} if options.elo is not None else settings


def find_engine(path: str) -> str:
    """Return the full path of an engine given by path or by name; where Stockfish is, the environment may say."""
    if path == "stockfish" and (place := os.environ.get(PLACE)):
        if (program := shutil.which(place)) is None:
            raise EngineError(f"no engine {place!r}, where {PLACE} says it is: there is no such file that can be run")
        return program
    return find_program(path, f"; {INSTALL}" if Path(path).stem == "stockfish" else "")


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


def _expect(score: Score) -> float:
    """Return what an engine expects for the side to move, from -1 to 1, by Stockfish's own curve."""
    from chess.engine import Cp, Mate

    made = Mate(score.number) if score.kind == "mate" else Cp(score.number)
    return 2.0 * made.wdl(model="sf").expectation() - 1.0


def _line(board: chess.Board, info: Info) -> Line:
    """Return a line of an engine in our codes, with what it expects for the side to move."""
    moves, ahead = [], board.copy(stack=False)
    for move in info.moves:
        moves.append(code_of(ahead, move))
        ahead.push(move)
    mate = info.score.number
    # Moves to mate are plies of both sides but the last: the side that mates has one ply more than the other.
    plies = None if info.score.kind == "cp" else 2 * mate - 1 if mate > 0 else 2 * mate
    return Line(tuple(moves), _expect(info.score), info.depth, plies)


def _write_score(score: Score) -> str:
    return f"mate in {score.number}" if score.kind == "mate" else f"{score.number / 100:+.2f} pawns"


ENGINE = PlayerKind(Engine, EngineOptions, "path")
