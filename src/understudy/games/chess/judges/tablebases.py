"""Syzygy tablebases: won positions of an ending, and a defender who makes the win take as long as it can."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from understudy.errors import BadOption, FileError
from understudy.protocols import Choice, Move

if TYPE_CHECKING:
    import chess
    import chess.syzygy

WHERE = "https://tablebase.lichess.ovh/tables/standard/"
WON = 2
"""A win that the fifty-move rule does not spoil, as Syzygy counts."""
TRIES = 20_000
"""Random placements, for each position wanted, after which an ending is taken to have no won ones. Chosen by hand."""


@contextlib.contextmanager
def opened_tables(folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    """Open the tables of a folder; a table that turns out to be missing is named."""
    import chess.syzygy

    if not any(folder.glob("*.rtbw")):
        raise FileError(
            f"there are no Syzygy tables in {str(folder)!r}: the endings need pairs of files such as KQvK.rtbw and "
            f"KQvK.rtbz, which {WHERE} has"
        )
    try:
        with chess.syzygy.open_tablebase(str(folder)) as tables:
            yield tables
    except chess.syzygy.MissingTableError as error:
        raise FileError(f"the table {_named(error)} is missing in {str(folder)!r}; {WHERE} has it") from None
    except (OSError, AssertionError, IndexError, ValueError) as error:
        if isinstance(error, FileError | BadOption):
            raise
        raise FileError(f"a table in {str(folder)!r} cannot be read: {error or type(error).__name__}") from None


def _named(error: Exception) -> str:
    """Return the name of a missing table as its file has it, the larger side first."""
    sides = str(error.args[0]).split()[-1].split("v")
    return "v".join(sorted(sides, key=len, reverse=True))


def check_table(folder: Path, ending: str) -> None:
    """Raise unless a folder has both files of an ending."""
    pieces(ending)
    for suffix in ("rtbw", "rtbz"):
        if not (folder / f"{ending}.{suffix}").exists():
            raise FileError(f"there is no table {ending}.{suffix} in {str(folder)!r}; {WHERE} has it")


def pieces(ending: str) -> tuple[str, str]:
    """Return the pieces of both sides of an ending such as KRvKB, kings first."""
    strong, _, weak = ending.partition("v")
    sound = all(side[:1] == "K" and set(side[1:]) <= set("QRBNP") for side in (strong, weak))
    if not sound or not 3 <= len(strong + weak) <= 7:
        raise BadOption(f"{ending!r} is no ending; endings are written like KQvKR, with three to seven pieces")
    return strong, weak


def won_positions(
    tables: chess.syzygy.Tablebase, ending: str, count: int, rng: np.random.Generator
) -> list[chess.Board]:
    """Return random positions that the first side of an ending wins, with it to move; it is White as often as Black."""
    boards: list[chess.Board] = []
    for _ in range(TRIES * max(count, 1)):
        if len(boards) == count:
            return boards
        board = _placed(ending, rng)
        if board is not None and tables.probe_wdl(board) == WON:
            boards.append(board)
    raise BadOption(f"no won position of {ending} was found among {TRIES * count} random ones")


def _placed(ending: str, rng: np.random.Generator) -> chess.Board | None:
    """Return a random placement with the first side to move, or None if the rules forbid it."""
    import chess

    strong, weak = pieces(ending)
    cells = rng.permutation(64)[: len(strong + weak)].tolist()
    colour = bool(rng.integers(2))
    board = chess.Board(None)
    for place, (letter, cell) in enumerate(zip(strong + weak, cells, strict=True)):
        kind = chess.PIECE_SYMBOLS.index(letter.lower())
        board.set_piece_at(cell, chess.Piece(kind, colour if place < len(strong) else not colour))
    board.turn = colour
    return board if board.is_valid() and any(board.legal_moves) else None


class Defender:
    """A player that knows the tables: it saves what can be saved, and otherwise loses as late as possible."""

    name = "tablebase"

    def __init__(self, tables: chess.syzygy.Tablebase, rng: np.random.Generator) -> None:
        self.tables, self.rng = tables, rng

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        """Choose a move in each position."""
        return [Choice(self._choose(position)) for position in positions]

    def _choose(self, position: Any) -> Move:
        from understudy.games.chess.notation import from_uci, to_board

        board = to_board(position)
        moves = list(board.legal_moves)
        worst = [self._after(board, move) for move in moves]
        best = min(worst)
        equal = [move for move, worth in zip(moves, worst, strict=True) if worth == best]
        if best == WON and len(equal) > 1:
            lengths = [self._length(board, move) for move in equal]
            equal = [move for move, length in zip(equal, lengths, strict=True) if length == max(lengths)]
        return from_uci(position, equal[self.rng.integers(len(equal))])

    def _after(self, board: chess.Board, move: chess.Move) -> int:
        """Return what the other side has after a move: 2 a win, 0 a draw, -2 a loss."""
        board.push(move)
        worth = self.tables.probe_wdl(board)
        board.pop()
        return int(worth)

    def _length(self, board: chess.Board, move: chess.Move) -> int:
        """Return how near the fifty-move rule comes after a move, before the other side makes progress."""
        board.push(move)
        length = self.tables.probe_dtz(board) + board.halfmove_clock
        board.pop()
        return int(length)
