"""Standings of chess pieces against a slow computation on python-chess boards."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import chess
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line, run_interpreted
from tests.encoders.test_chess_encoders import SHARP
from understudy.encoders import chess_standings as layout
from understudy.encoders.chess import typed
from understudy.encoders.chess_standings import KINDS_AT, MOST, ROWS, encode_standings
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess_notation import from_board, to_board

GAME = find_game("chess")
ODD = (
    "4k3/4r3/8/8/1b6/2N1B3/8/4K2q w - - 0 1",
    "rk6/8/8/8/8/8/8/RK6 b - - 0 1",
    "r3k2r/8/8/8/8/8/8/2K5 w kq - 0 1",
    "2kr4/8/8/3pP3/8/8/8/3K4 w - d6 0 2",
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 w - - 0 1",
)
CLASSES = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4, chess.KING: 5}
WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
LEAST = (0, 1, 3, 5, 9, 10)


@cache
def boards(count: int = 300) -> tuple[chess.Board, ...]:
    """Return boards of random games, and some with pins, checks, rights, captures in passing and many pieces."""
    found = [chess.Board(fen) for fen in (*SHARP, *ODD)]
    for seed in range(count):
        if len(found) >= count:
            break
        found += [to_board(position) for position, _ in random_line(GAME, 160, seed)][:: 2 + seed % 3]
    return tuple(found[:count])


def encoded(some: list[chess.Board]) -> NDArray[np.int32]:
    out = np.full((len(some), MOST), -1, np.int32)
    encode_standings(typed(stacked([from_board(board) for board in some])), np.arange(len(some)), out)
    return out


def rows_of(row: NDArray[np.int32]) -> Counter[int]:
    return Counter(row[row < ROWS].tolist())


def seen_by_mover(board: chess.Board) -> chess.Board:
    """Return the board with the mover as White, its king on the files e to h."""
    board = board.copy() if board.turn else board.mirror()
    king = board.king(chess.WHITE)
    assert king is not None
    if chess.square_file(king) < 4:
        rights, passant = board.castling_rights, board.ep_square
        board = board.transform(chess.flip_horizontal)
        # python-chess drops rights with the flip; here those of the other side stay, left and right exchanged
        board.castling_rights = chess.flip_horizontal(rights)
        board.ep_square = None if passant is None else passant ^ 7
    return board


def slow(original: chess.Board) -> Counter[int]:
    board, found = seen_by_mover(original), Counter[int]()
    for side, colour in enumerate((chess.WHITE, chess.BLACK)):
        found += slow_pieces(board, side, colour)
        found += slow_king(board, side, colour)
    original = original if original.turn else original.mirror()
    rights = sum(
        1 << place
        for place, (colour, wing) in enumerate((c, w) for c in (chess.WHITE, chess.BLACK) for w in ("king", "queen"))
        if castles(board, colour, wing)
    )
    king = board.king(chess.WHITE)
    assert king is not None
    found[layout.RIGHTS_AT + rights] += 1
    found[layout.CHECKED_AT + bool(board.attackers(chess.BLACK, king))] += 1
    found[layout.PASSANT_AT + original.has_legal_en_passant()] += 1
    found[layout.PIECES_AT + len(board.piece_map())] += 1
    return found


def castles(board: chess.Board, colour: chess.Color, wing: str) -> bool:
    """Tell of a right by the rook's corner, as the board is seen now."""
    corner = chess.square(7 if wing == "king" else 0, 0 if colour else 7)
    return bool(board.castling_rights & chess.BB_SQUARES[corner])


def attackers(board: chess.Board, colour: chess.Color, cell: int) -> list[int]:
    """Return the classes of what attacks a cell, the least first; who is pinned attacks, too."""
    found = [board.piece_type_at(hunter) for hunter in board.attackers(colour, cell)]
    return sorted(CLASSES[kind] for kind in found if kind is not None)


def slow_pieces(board: chess.Board, side: int, colour: chess.Color) -> Counter[int]:
    found, gains = Counter[int](), [0, 0]
    for cell, piece in board.piece_map().items():
        if piece.color != colour:
            continue
        against, behind = attackers(board, not colour, cell), attackers(board, colour, cell)
        number, attack = 6 * side + piece.piece_type - 1, against[0] if against else 0
        guard = 0 if not behind else 1 if behind[0] == 1 else 2
        found[(number * 64 + cell) * 18 + guard * 6 + attack] += 1
        fine = 3 if guard == 2 and len(behind) > 1 else guard
        found[KINDS_AT + number * 48 + (fine * 2 + (len(against) > 1)) * 6 + attack] += 1
        if piece.piece_type not in (chess.PAWN, chess.KING):
            found[layout.REACH_AT + (side * 4 + piece.piece_type - 2) * 28 + reach(board, cell, colour)] += 1
        if prey := hunted(board, cell, piece):
            found[layout.PREY_AT + number * 3 + min(prey, 3) - 1] += 1
        if piece.piece_type == chess.PAWN and passed(board, cell, colour):
            found[layout.PASSED_AT + side * 8 + chess.square_rank(cell)] += 1
        if against and piece.piece_type != chess.KING:
            gains.append(max(0, WORTH[piece.piece_type] - (LEAST[attack] if behind else 0)))
    second, best = sorted(gains)[-2:]
    found[layout.GAINS_AT + 2 * side * 10 + best] += 1
    found[layout.GAINS_AT + (2 * side + 1) * 10 + second] += 1
    return found


def hunted(board: chess.Board, cell: int, hunter: chess.Piece) -> int:
    """Count the pieces that a piece would gladly take: worth more, or defended by nobody."""
    worth = {**WORTH, chess.KING: 10}
    return sum(
        1
        for goal in board.attacks(cell)
        if board.color_at(goal) == (not hunter.color)
        and (
            worth[board.piece_type_at(goal) or chess.PAWN] > worth[hunter.piece_type]
            or not board.attackers(not hunter.color, goal)
        )
    )


def reach(board: chess.Board, cell: int, colour: chess.Color) -> int:
    """Count where a piece may go, whatever is pinned: not on its own side, not where pawns of the others take."""
    pawns = [other for other, piece in board.piece_map().items() if piece == chess.Piece(chess.PAWN, not colour)]
    taken = {goal for pawn in pawns for goal in board.attacks(pawn)}
    return sum(1 for goal in board.attacks(cell) if goal not in taken and board.color_at(goal) != colour)


def passed(board: chess.Board, cell: int, colour: chess.Color) -> bool:
    ahead = 1 if colour else -1
    return not any(
        piece == chess.Piece(chess.PAWN, not colour)
        and abs(chess.square_file(other) - chess.square_file(cell)) <= 1
        and (chess.square_rank(other) - chess.square_rank(cell)) * ahead > 0
        for other, piece in board.piece_map().items()
    )


def slow_king(board: chess.Board, side: int, colour: chess.Color) -> Counter[int]:
    king, found = board.king(colour), Counter[int]()
    assert king is not None
    free = 0
    for cell in chess.SQUARES:
        if chess.square_distance(cell, king) > 1:
            continue
        across = chess.square_file(cell) - chess.square_file(king)
        up = (chess.square_rank(cell) - chess.square_rank(king)) * (1 if side == 0 else -1)
        held, count = board.color_at(cell) == colour, min(len(attackers(board, not colour, cell)), 2)
        safe = any(guard < 5 for guard in attackers(board, colour, cell))
        place = (up + 1) * 3 + across + 1
        found[layout.KINGS_AT + (side * 9 + place) * 12 + (held * 3 + count) * 2 + safe] += 1
        free += cell != king and not held and count == 0
    found[layout.ESCAPES_AT + side * 9 + free] += 1
    few = min(free, 2)
    for kind, checks in enumerate(slow_checks(board, king, colour)):
        found[layout.CHECKS_AT + (side * 4 + kind) * 9 + checks * 3 + few] += 1
    found[layout.CONTACTS_AT + side * 6 + contact(board, king, colour) * 3 + few] += 1
    for cell in chess.SquareSet(board.occupied_co[colour]):
        kind_there = board.piece_type_at(cell)
        if kind_there != chess.KING and kind_there is not None and board.is_pinned(colour, cell):
            found[layout.PINS_AT + side * 6 + kind_there - 1] += 1
    return found


def contact(board: chess.Board, king: int, colour: chess.Color) -> bool:
    """Tell whether a queen of the others, helped by another piece, can go beside a king that defends there alone."""
    return any(
        4 in attackers(board, not colour, cell)
        and len(attackers(board, not colour, cell)) > 1
        and not any(guard < 5 for guard in attackers(board, colour, cell))
        and board.color_at(cell) != (not colour)
        for cell in chess.SQUARES
        if chess.square_distance(cell, king) == 1
    )


def slow_checks(board: chess.Board, king: int, colour: chess.Color) -> list[int]:
    """Return for knights, bishops, rooks and queens of the others: no check, one that may be taken, a safe one."""
    found = []
    for kind in (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        best, theirs = 0, board.pieces(kind, not colour)
        for cell in chess.SQUARES:
            if not theirs or board.color_at(cell) == (not colour) or cell == king:
                continue
            if CLASSES[kind] not in attackers(board, not colour, cell):  # knights and bishops are one class
                continue
            if gives_check(board, kind, cell, king, colour):
                best = max(best, 1 if attackers(board, colour, cell) else 2)
        found.append(best)
    return found


def gives_check(board: chess.Board, kind: chess.PieceType, cell: int, king: int, colour: chess.Color) -> bool:
    """Tell whether a piece put on a cell would see the king; lines are those of now, whoever moves there."""
    trial = board.copy(stack=False)
    trial.set_piece_at(cell, chess.Piece(kind, not colour))
    return king in trial.attacks(cell)


def test_rows_are_what_python_chess_tells() -> None:
    found = encoded(list(boards()))
    for board, row in zip(boards(), found, strict=True):
        told, expected = rows_of(row), slow(board)
        assert told == expected, (board.fen(), told - expected, expected - told)


def test_the_boards_bring_rows_of_every_sort() -> None:
    found = Counter(encoded(list(boards())).reshape(-1).tolist())
    starts = (KINDS_AT, layout.REACH_AT, layout.KINGS_AT, layout.GAINS_AT, layout.CHECKS_AT, layout.CONTACTS_AT,
              layout.ESCAPES_AT, layout.PINS_AT, layout.PASSED_AT, layout.PREY_AT,
              layout.PIECES_AT, layout.RIGHTS_AT, layout.CHECKED_AT,
              layout.PASSANT_AT, ROWS)  # fmt: skip
    for low, high in pairwise(starts):
        assert sum(low <= row < high for row in found) > 1, low
    assert len([row for row in range(layout.CHECKS_AT, layout.CONTACTS_AT) if found[row]]) >= 50
    assert len([row for row in range(layout.PINS_AT, layout.PASSED_AT) if found[row]]) >= 8


def test_rows_are_few_enough_and_distinct_where_they_should_be() -> None:
    for row in encoded(list(boards())):
        total = int((row < ROWS).sum())
        assert row.min() >= 0 and total <= MOST and (row[total:] == ROWS).all()
        told = rows_of(row)
        alone = [number for number in told if number < KINDS_AT or layout.KINGS_AT <= number < layout.PINS_AT]
        assert all(told[number] == 1 for number in alone)
        assert sum(told[number] for number in told if number < KINDS_AT) == sum(
            told[number] for number in told if KINDS_AT <= number < layout.REACH_AT
        )


def test_a_crowded_board_still_fits() -> None:
    crowded = chess.Board("qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1")
    assert sum(rows_of(encoded([crowded])[0]).values()) > 100


def test_mirrored_boards_bring_the_same_rows() -> None:
    """Left and right are alike where nobody may castle, and colours always are."""
    bare = [board for board in boards() if not board.castling_rights]
    turned = [board.transform(chess.flip_horizontal) for board in bare]
    assert len(bare) > 50
    assert np.array_equal(np.sort(encoded(bare)), np.sort(encoded(turned)))
    assert np.array_equal(encoded(list(boards())), encoded([board.mirror() for board in boards()]))


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", layout.GAINS_AT + 21),
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "4k3/8/8/8/3r4/8/4N3/4K3 w - - 0 1", layout.PINS_AT + 1),
        ("4k3/8/8/4P3/8/8/8/4K3 w - - 0 1", "4k3/8/3p4/4P3/8/8/8/4K3 w - - 0 1", layout.PASSED_AT + 4),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", layout.RIGHTS_AT + 1),
        ("4k3/8/8/8/8/8/3n4/6K1 w - - 0 1", "4k3/8/8/8/8/3n4/8/6K1 w - - 0 1", layout.CHECKS_AT + 8),
    ],
)
def test_what_a_row_means(one: str, other: str, difference: int) -> None:
    present = [rows_of(row)[difference] for row in encoded([chess.Board(one), chess.Board(other)])]
    assert present == [1, 0]


def test_rows_are_those_of_the_positions_asked_for() -> None:
    some = list(boards())[:20]
    out = np.full((3, MOST), -1, np.int32)
    encode_standings(typed(stacked([from_board(board) for board in some])), np.array([7, 0, 7]), out)
    assert np.array_equal(out, encoded(some)[[7, 0, 7]])


def digest(count: int = 20) -> str:
    """Return a hash of the rows of some positions; the same interpreted."""
    some: Any = list(boards(count))
    return hashlib.sha256(encoded(some).tobytes()).hexdigest()


def test_interpreted_kernels_say_the_same() -> None:
    assert run_interpreted("tests.encoders.test_chess_standings", "digest()") == digest()
