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
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.files import data_place
from understudy.games import CompiledGame
from understudy.games.chess.endings import LETTERS, Endings
from understudy.games.chess.notation import from_board, from_uci, to_board
from understudy.games.chess.position import Chess
from understudy.solve import Worth

DRAWN = (chess.QUEEN, chess.ROOK, chess.PAWN)
"""What one side has more in positions that are drawn by lot: all that can win against a bare king."""
MEN = 5
"""Pieces of the largest Syzygy tables that are asked."""
NEAREST = 2
"""The order of a move that takes a piece or moves a pawn and keeps a win: only a mate, one ply, comes before it."""
Worths = dict[int, Worth]
_making = threading.Lock()


def know(position: Chess) -> Worths:
    """Return what every legal move is truly worth; refused where nobody knows."""
    board = to_board(position)
    men = chess.popcount(board.occupied)
    if men <= 3 and not board.castling_rights:
        return _know_by_ending(board)
    folder = data_place() / "syzygy"
    if men > MEN or board.castling_rights:
        raise BadOption(f"the truth of chess is known up to {MEN} pieces, with nobody able to castle")
    if not any(folder.glob("*.rtbw")):
        raise BadOption(f"of {men} pieces the truth is in Syzygy's tables: `understudy fetch syzygy` brings them")
    return _know_by_tables(board, folder)


def knows(batch: Any) -> NDArray[np.bool_]:
    """Tell of which positions of a batch the truth may be known: few pieces, and nobody may castle."""
    men = np.bitwise_count(batch.mine | batch.theirs)
    most = MEN if any((data_place() / "syzygy").glob("*.rtbw")) else 3
    few: NDArray[np.bool_] = (men <= most) & (np.asarray(batch.castling) == 0)
    return few


def draw(game: CompiledGame, count: int, seed: int) -> list[Chess]:
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


def _know_by_ending(board: chess.Board) -> Worths:
    """Return worths with the plies to mate, by our own tables."""
    pieces = [piece.symbol().upper() for piece in board.piece_map().values() if piece.piece_type != chess.KING]
    tables = _solve(pieces[0]) if pieces else None
    worths: Worths = {}
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        plies = 0 if tables is None or after.is_insufficient_material() else tables.worth(from_board(after))
        worths[from_uci(from_board(board), move)] = _read_worth(plies)
    return worths


@lru_cache(maxsize=len(LETTERS))
def _make_tables(letter: str) -> Endings:
    ending = f"K{letter}vK"
    tables = Endings([ending])
    tables.solve(ending)
    return tables


def _solve(letter: str) -> Endings:
    with _making:
        return _make_tables(letter)


def _read_worth(worth: int) -> Worth:
    """Return the worth of a move after which the other side's is n if it mates in n, -(n + 1) if it is mated in n."""
    if worth == 0:
        return Worth(0, None)
    return Worth(-1, worth + 1) if worth > 0 else Worth(1, -worth)


def _know_by_tables(board: chess.Board, folder: Path) -> Worths:
    """Return worths by Syzygy's tables, which do not know the plies to mate."""
    worths: Worths = {}
    with chess.syzygy.open_tablebase(str(folder)) as tables:
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            worths[from_uci(from_board(board), move)] = _probe(tables, after, spends=board.is_zeroing(move))
    return worths


def _probe(tables: Any, after: chess.Board, *, spends: bool) -> Worth:
    """Return the worth of the move before *after*; *spends* tells whether it took a piece or moved a pawn."""
    if after.is_checkmate():
        return Worth(1, 1)
    if after.is_stalemate() or after.is_insufficient_material():
        return Worth(0, None)
    try:
        found = -tables.probe_wdl(after)
    except KeyError:
        raise BadOption(
            "a table of this ending is missing: `understudy fetch syzygy` brings those of 3 and 4 men"
        ) from None
    # A win that the fifty-move rule spoils is half a win: Syzygy counts 2, 1, 0, -1, -2.
    side = (found > 1) - (found < -1)
    note = "by the fifty-move rule" if abs(found) == 1 else ""
    return Worth(side, None, NEAREST if spends or not side else NEAREST + _measure(tables, after), note)


def _measure(tables: Any, after: chess.Board) -> int:
    """Return how many plies the next capture or move of a pawn is away; 0 where the table of it is missing.

    A side that always takes the least of it wins in the end, though not soonest.
    """
    distance = tables.get_dtz(after)
    return abs(distance) if distance is not None else 0
