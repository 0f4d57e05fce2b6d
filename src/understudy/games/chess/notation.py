"""Chess positions and moves as text, by way of python-chess: FEN, SAN and UCI.

Rules are in `chess.py`. A position is seen by the side to move, so for black every mask is turned upside down on its
way to and from python-chess, which takes a tenth of a second to load: only those who read or write chess load it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import chess
import numpy as np
from numpy.typing import NDArray

from understudy.errors import NotationError
from understudy.games.bits import NONE, flipped, sent
from understudy.games.chess.attacks import DARK, in_check
from understudy.games.chess.position import KING_SIDE, QUEEN_SIDE, THEIR_KING_SIDE, THEIR_QUEEN_SIDE, Chess
from understudy.games.chess.rules import MOST_MOVES, moves
from understudy.protocols import Extra, Move

SIDES = ("king's", "queen's")
PROMOTIONS = (None, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
"""What the promotion part of a move means."""


def to_board(position: Chess) -> chess.Board:
    """Return the same position as a board of python-chess."""
    white = position.ply % 2 == 0
    masks = [int(mask if white else flipped(mask)) for mask in position[:7]]
    board = chess.Board(None)
    board.pawns, board.knights, board.bishops, board.rooks, board.queens = masks[2:]
    board.occupied_co[white], board.occupied_co[not white] = masks[:2]
    board.occupied = masks[0] | masks[1]
    board.kings = board.occupied & ~(board.pawns | board.knights | board.bishops | board.rooks | board.queens)
    board.turn = white
    board.castling_rights = _rook_cells(position.castling, white)
    board.ep_square = _turned(position.passant, white) if position.passant else None
    board.halfmove_clock = position.clock
    board.fullmove_number = position.ply // 2 + 1
    return board


def from_board(board: chess.Board) -> Chess:
    """Return a board of python-chess as a position; rights to castle as only Chess960 has them are left out."""
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens)
    masks = [np.uint64(mask) for mask in (board.occupied_co[board.turn], board.occupied_co[not board.turn], *pieces)]
    if not board.turn:
        masks = [flipped(mask) for mask in masks]
    passant = _turned(board.ep_square, board.turn) if board.ep_square and board.has_legal_en_passant() else 0
    return Chess._make([*masks, _castling(board), passant, board.halfmove_clock, board.ply()])


def _turned(cell: int, white: bool) -> int:
    """Return a cell of the board as the mover sees it, or the other way round."""
    return cell if white else cell ^ 56


def _rook_cells(castling: int, white: bool) -> int:
    cells = ((KING_SIDE, 7), (QUEEN_SIDE, 0), (THEIR_KING_SIDE, 63), (THEIR_QUEEN_SIDE, 56))
    return sum(1 << _turned(cell, white) for right, cell in cells if castling & right)


def _castling(board: chess.Board) -> int:
    rights = 0
    for colour, shift in ((board.turn, 0), (not board.turn, 2)):
        row = 0 if colour else 56
        own = board.occupied_co[colour]
        rooks = board.castling_rights & board.rooks & own if board.kings & own & chess.BB_E1 << row else 0
        rights |= ((rooks >> row + 7 & 1) * KING_SIDE | (rooks >> row & 1) * QUEEN_SIDE) << shift
    return rights


FAULTS = {
    chess.STATUS_EMPTY: "there are no pieces",
    chess.STATUS_NO_WHITE_KING: "white has no king",
    chess.STATUS_NO_BLACK_KING: "black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "white has more than eight pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "black has more than eight pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or the last rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "white has more than sixteen pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "black has more than sixteen pieces",
    chess.STATUS_BAD_CASTLING_RIGHTS: "castling needs a king and a rook that stand where a game begins",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn can just have passed the en passant cell",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.STATUS_TOO_MANY_CHECKERS: "more than two pieces give check",
    chess.STATUS_IMPOSSIBLE_CHECK: "no last move can have given this check",
}
"""What python-chess finds wrong with a position, in words."""


def write(position: Chess) -> str:
    """Return the FEN; it names an en passant cell only where such a capture is legal."""
    return to_board(position).fen()


def read(text: str, start: Chess) -> Chess:
    """Return the position of a FEN with six fields, or with four: then the clock is 0 and the move the first."""
    fields = text.split()
    if len(fields) not in (4, 6) or not all(re.fullmatch("[0-9]{1,4}", number) for number in fields[4:]):
        raise NotationError(f"chess position {text!r}: expected a FEN of six fields, or its first four")
    try:
        board = chess.Board(" ".join(fields))
    except ValueError as error:
        raise NotationError(f"chess position {text!r}: {str(error).partition(': ')[0]}") from None
    if status := board.status():
        fault = next(words for flag, words in FAULTS.items() if status & flag)
        raise NotationError(f"chess position {text!r}: {fault}")
    return from_board(board)


def write_move(position: Chess, move: Move) -> str:
    """Return a legal move in SAN: `Nf3`, `exd5`, `O-O`, `e8=Q+`; one that the rules forbid in UCI, such as `e2e5`."""
    uci = to_uci(position, move)
    return to_board(position).san(uci) if is_legal(position, move) else uci.uci()


def is_legal(position: Chess, move: Move) -> bool:
    """Tell whether the rules of movement allow a move, wherever the game could be over."""
    codes = np.empty(MOST_MOVES, np.int32)
    return move in codes[: moves(position, codes)]


def read_move(position: Chess, text: str) -> Move:
    """Return the code of a move in SAN or UCI; SAN that fits no legal move gives 0, which is never legal."""
    try:
        if re.fullmatch("([a-h][1-8]){2}[nbrq]?", text.strip()):
            return from_uci(position, chess.Move.from_uci(text.strip()))
        parsed = to_board(position).parse_san(text.strip())
    except chess.AmbiguousMoveError:
        raise NotationError(f"chess move {text!r}: more than one piece can do this; name the cell it leaves") from None
    except chess.IllegalMoveError:
        return 0
    except ValueError:
        raise NotationError(f"chess move {text!r}: expected SAN such as 'Nf3' or UCI such as 'g1f3'") from None
    if not parsed:
        raise NotationError(f"chess move {text!r}: a side may not pass")
    return from_uci(position, parsed)


def to_uci(position: Chess, move: Move) -> chess.Move:
    """Return a move of *position* as python-chess has it, which writes itself in UCI."""
    white = position.ply % 2 == 0
    origin, to, promotion = parts(move)
    return chess.Move(_turned(origin, white), _turned(to, white), PROMOTIONS[promotion])


def from_uci(position: Chess, move: chess.Move) -> Move:
    """Return the code of a move of python-chess in *position*, legal or not."""
    white = position.ply % 2 == 0
    promotion = PROMOTIONS.index(move.promotion)
    return joined((_turned(move.from_square, white), _turned(move.to_square, white), promotion))


def parts(move: Move) -> tuple[int, int, int]:
    """Return FROM, TO and PROMOTION (0 none, then knight, bishop, rook, queen); cells as the mover sees them."""
    return move >> 9, move >> 3 & 63, move & 7


def joined(numbers: tuple[int, ...]) -> Move:
    """Return the code of the move with these parts."""
    origin, to, promotion = numbers
    return (origin << 6 | to) << 3 | promotion


def path(position: Chess, move: Move) -> tuple[tuple[int, ...], str]:
    """Return where a piece stands and where it goes, as White sees the board, and what a pawn becomes."""
    uci = to_uci(position, move)
    return (uci.from_square, uci.to_square), chess.piece_name(uci.promotion) if uci.promotion else ""


LACKING = ("promotion",)
"""Parts that a move may lack."""


def class_cells(position: Chess, part: int) -> list[int | None]:
    """Return the cell of the board that each class of a part stands for: parts are seen by the mover."""
    if part == 2:
        return [None] * len(PROMOTIONS)
    return [_turned(cell, position.ply % 2 == 0) for cell in range(64)]


def name_class(part: int, number: int) -> str:
    """Return what a pawn becomes."""
    return chess.piece_name(PROMOTIONS[number] or chess.PAWN)


EXTRAS = tuple(Extra(f"{colour} may castle {side} side", 0, 1, 0) for colour in ("white", "black") for side in SIDES)
SETUP = tuple("KQRBNPkqrbnp")
SPOKEN = {
    letter: f"{'white' if letter.isupper() else 'black'} {chess.piece_name(chess.Piece.from_symbol(letter).piece_type)}"
    for letter in SETUP
}
"""What each piece is called."""


def read_extras(position: Chess) -> dict[str, int]:
    """Return who may castle where, 1 or 0."""
    rights = to_board(position).castling_xfen()
    return {extra.name: int(letter in rights) for letter, extra in zip("KQkq", EXTRAS, strict=True)}


def arrange(stones: Sequence[str], turn: int, extras: Mapping[str, int], start: Chess) -> str:
    """Return the FEN of the position with these pieces."""
    board = chess.BaseBoard(None)
    for cell, letter in enumerate(stones):
        if letter:
            board.set_piece_at(cell, chess.Piece.from_symbol(letter))
    rights = "".join(letter for letter, extra in zip("KQkq", EXTRAS, strict=True) if extras.get(extra.name))
    return f"{board.board_fen()} {'wb'[turn]} {rights or '-'} - 0 1"


def drawn(position: Chess) -> str | None:
    """Return why a match calls this position a draw without looking at the history, or None."""
    if position.clock >= 100:
        return "fifty moves"
    return "insufficient material" if _insufficient(position) else None


def _insufficient(position: Chess) -> bool:
    """Tell whether neither side could mate even with the other's help: a lone knight, or bishops of one shade."""
    if position.pawns | position.rooks | position.queens != NONE:
        return False
    knights, bishops = int(position.knights), int(position.bishops)
    if knights:
        return knights.bit_count() == 1 and not bishops
    return not bishops & int(DARK) or not bishops & ~int(DARK)


def stones(position: Chess) -> tuple[str, ...]:
    """Return the letter of the piece on each cell from a1 to h8, as in FEN: capitals are white."""
    pieces = to_board(position).piece_map()
    return tuple(pieces[cell].symbol() if cell in pieces else "" for cell in range(64))


QUIET = 40
"""Plies without a capture or a pawn's move from which on players begin to count them: 20 moves of the fifty."""


def status(position: Chess) -> str:
    """Return whether the side to move is in check, and how near a draw by fifty moves is."""
    words = ["check"] if in_check(position) else []
    if position.clock >= QUIET:
        words.append(f"{position.clock // 2} of fifty moves without a capture or a pawn's move")
    return ", ".join(words)


IDENTITY = np.arange(64, dtype=np.int64)
MIRROR = IDENTITY ^ 7


def symmetries(position: Chess) -> NDArray[np.int64]:
    """Return the symmetries of a position [symmetries, cells], identity first; a mirror too once nobody can castle."""
    return np.stack([IDENTITY] if position.castling else [IDENTITY, MIRROR])


def permuted(position: Chess, permutation: NDArray[np.int64]) -> Chess:
    """Return the position with the piece of each cell moved to where *permutation* sends it."""
    masks = [np.uint64(sent(mask, permutation)) for mask in position[:7]]
    passant = int(permutation[position.passant]) if position.passant else 0
    return Chess._make([*masks, position.castling, passant, position.clock, position.ply])


def permuted_move(move: Move, permutation: NDArray[np.int64]) -> Move:
    """Return the same move after *permutation*."""
    origin, to, promotion = parts(move)
    return joined((int(permutation[origin]), int(permutation[to]), promotion))
