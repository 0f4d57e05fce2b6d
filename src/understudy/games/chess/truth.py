"""What every move of an ending is truly worth: three pieces by our own tables, more by Syzygy's where they are.

Our tables of three pieces are made when first asked, in a second or two. Those of four take half a minute each, so
there the user's Syzygy tables are asked (`understudy fetch syzygy`), and without them nobody knows.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np

from understudy.errors import BadOption
from understudy.files import data_folder
from understudy.games.chess.endings import LETTERS, Endings
from understudy.games.chess.notation import from_board, from_uci, to_board
from understudy.games.chess.position import Chess

DRAWN = (chess.QUEEN, chess.ROOK, chess.PAWN)
"""What one side has more in positions that are drawn by lot: all that can win against a bare king."""
MEN = 5
"""Pieces of the largest Syzygy tables that are asked."""
WORDS = {1: "wins", 0: "draws", -1: "loses"}
Values = dict[int, tuple[float, str]]
_making = threading.Lock()


def know(position: Chess) -> Values:
    """Return the true value of every legal move from -1 to 1, with a word for it; refused where nobody knows."""
    board = to_board(position)
    men = chess.popcount(board.occupied)
    if men <= 3 and not board.castling_rights:
        return _know_by_ending(board)
    folder = data_folder() / "syzygy"
    if men > MEN or board.castling_rights:
        raise BadOption(f"the truth of chess is known up to {MEN} pieces, with nobody able to castle")
    if not any(folder.glob("*.rtbw")):
        raise BadOption(f"of {men} pieces the truth is in Syzygy's tables: `understudy fetch syzygy` brings them")
    return _know_by_tables(board, folder)


def draw(count: int, seed: int) -> list[Chess]:
    """Return positions that `know` knows by our own tables: a queen, a rook or a pawn more, either side to move."""
    rng, positions = np.random.default_rng(seed), list[Chess]()
    while len(positions) < count:
        board = chess.Board(None)
        squares = rng.permutation(64)[:3].tolist()
        pieces = [chess.KING, chess.KING, DRAWN[len(positions) % len(DRAWN)]]
        strong = bool(rng.integers(2))
        for square, piece, colour in zip(squares, pieces, (strong, not strong, strong), strict=True):
            board.set_piece_at(square, chess.Piece(piece, colour))
        board.turn = bool(rng.integers(2))
        if board.is_valid() and any(board.legal_moves):
            positions.append(from_board(board))
    return positions


def _know_by_ending(board: chess.Board) -> Values:
    """Return values with the plies to mate, by our own tables."""
    pieces = [piece.symbol().upper() for piece in board.piece_map().values() if piece.piece_type != chess.KING]
    tables = _solve(pieces[0]) if pieces else None
    values: Values = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        plies = 0 if tables is None or after.is_insufficient_material() else tables.worth(from_board(after))
        values[from_uci(from_board(board), move)] = _read_worth(plies)
    return values


@lru_cache(maxsize=len(LETTERS))
def _make_tables(letter: str) -> Endings:
    ending = f"K{letter}vK"
    tables = Endings([ending])
    tables.solve(ending)
    return tables


def _solve(letter: str) -> Endings:
    with _making:
        return _make_tables(letter)


def _read_worth(worth: int) -> tuple[float, str]:
    """Return the value of a move after which the other side's worth is n if it mates in n, -(n + 1) if mated in n."""
    if worth == 0:
        return 0.0, WORDS[0]
    plies = worth + 1 if worth > 0 else -worth
    return (-1.0, f"is mated in {plies} plies") if worth > 0 else (1.0, f"mates in {plies} plies")


def _know_by_tables(board: chess.Board, folder: Path) -> Values:
    values: Values = {}
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            values[from_uci(from_board(board), move)] = _probe(tables, after)
    return values


def _probe(tables: Any, after: chess.Board) -> tuple[float, str]:
    if after.is_checkmate():
        return 1.0, "mates"
    if after.is_stalemate() or after.is_insufficient_material():
        return 0.0, WORDS[0]
    try:
        found = -tables.probe_wdl(after)
    except KeyError:
        raise BadOption(
            "a table of this ending is missing: `understudy fetch syzygy` brings those of 3 and 4 men"
        ) from None
    # A win that the fifty-move rule spoils is half a win: Syzygy counts 2, 1, 0, -1, -2.
    side = (found > 1) - (found < -1)
    return float(side), WORDS[side] if abs(found) != 1 else "draws by the fifty-move rule"
