"""Who attacks what on chess boards, against python-chess: pins hold pieces, batteries count twice."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import chess
import numpy as np
import pytest

from tests.conftest import random_line
from tests.games.chess.test_planes_chess import SHARP
from understudy.games import find_game
from understudy.games.chess.inputs.attacks_seen import (
    GUARDED,
    MASKS,
    MOST_PINS,
    PINS,
    REACH,
    SIDE,
    TWICE,
    Attacks,
    write_attacks,
)
from understudy.games.chess.notation import from_board, to_board

GAME = find_game("chess")
ODD = (
    "4k3/4r3/8/8/1b6/2N1B3/8/4K2q w - - 0 1",
    "rk6/8/8/8/8/8/8/RK6 b - - 0 1",
    "r3k2r/8/8/8/8/8/8/2K5 w kq - 0 1",
    "2kr4/8/8/3pP3/8/8/8/3K4 w - d6 0 2",
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 w - - 0 1",
    "k3r2b/8/4q3/2P1p3/1q1NR3/2R3P1/1B2QP1r/4K3 w - - 0 1",
    "3rk3/3q4/1b1r1n2/2B5/3R4/B2R2N1/3Q1PP1/b2K2q1 b - - 0 1",
    "4q1k1/5p2/3b2p1/8/2B1N2Q/1P3R2/B4R2/4K1N1 b - - 0 1",
    "8/8/4k3/8/8/8/6q1/4K3 w - - 0 1",
    "8/8/4k3/8/8/8/8/4K3 b - - 0 1",
    "7k/8/8/3n4/8/2Q1K3/2q5/8 w - - 0 1",
    "4k3/8/8/1b3r2/8/3N1P2/4R3/rB1K1Q1n w - - 0 1",
    "2r2rk1/pp1q1ppp/2n1pn2/3p4/1b1P4/2NBPN2/PP1Q1PPP/2RR2K1 w - - 0 1",
    "bRrq2N1/n1bR3B/b2RR3/B4B1q/rRRn4/R2r1r2/Rq1b1RQq/qk2K2R w - - 0 1",
)
CLASSES = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4, chess.KING: 5}


class View(NamedTuple):
    """A board seen by the mover, and who attacks what on it."""

    board: chess.Board
    reach: dict[int, chess.SquareSet]
    """What the piece on a cell attacks; if it is pinned, only on the line of its pin, without its king."""
    attackers: dict[chess.Color, list[list[int]]]
    """Of each side, for each cell: the classes of the pieces that attack it, the least first."""
    times: dict[chess.Color, list[int]]
    """Of each side, for each cell: how many attack it, with those behind others of their line."""


@cache
def boards(count: int = 360) -> tuple[chess.Board, ...]:
    """Return chosen boards with pins, batteries and rights, then strewn ones, then those of random games."""
    chosen = [chess.Board(fen) for fen in (*SHARP, *ODD)]
    chosen += [strewn(seed, 6 + seed % 24) for seed in range(count // 2)]
    for seed in range(count):
        if len(chosen) >= count:
            break
        chosen += [to_board(position) for position, _ in random_line(GAME, 160, seed)][:: 2 + seed % 3]
    return tuple(chosen[:count])


def strewn(seed: int, pieces: int) -> chess.Board:
    """Return a board with pieces strewn over it, often many of one kind; nobody asks how they came there."""
    rng, board = np.random.default_rng(seed), chess.Board(None)
    share, cells = rng.dirichlet([0.5, 0.5, 1, 1, 1]), rng.permutation(64)[:pieces].tolist()
    if chess.square_distance(cells[0], cells[1]) == 1:
        return strewn(seed + 1000, pieces)
    for place, cell in enumerate(cells):
        kind = int(rng.choice(5, p=share)) + 1
        if kind == chess.PAWN and not 8 <= cell < 56:
            kind = chess.KNIGHT
        board.set_piece_at(cell, chess.Piece(chess.KING if place < 2 else kind, place % 2 == 0))
    return board


@cache
def views(count: int = 360) -> tuple[View, ...]:
    return tuple(view_of(board) for board in boards(count))


def seen_by_mover(board: chess.Board) -> chess.Board:
    """Return the board with the mover as White, its king on the files e to h."""
    board = board.copy() if board.turn else board.mirror()
    if chess.square_file(king_of(board, chess.WHITE)) < 4:
        rights, passant = board.castling_rights, board.ep_square
        board = board.transform(chess.flip_horizontal)
        # python-chess drops rights with the flip; here those of the other side stay, left and right exchanged
        board.castling_rights = chess.flip_horizontal(rights)
        board.ep_square = None if passant is None else passant ^ 7
    return board


def king_of(board: chess.Board, colour: chess.Color) -> int:
    king = board.king(colour)
    assert king is not None
    return king


def view_of(original: chess.Board) -> View:
    board, reach = seen_by_mover(original), {}
    attackers: dict[chess.Color, list[list[int]]] = {colour: [[] for _ in chess.SQUARES] for colour in chess.COLORS}
    times = {colour: [0] * 64 for colour in chess.COLORS}
    for cell, piece in board.piece_map().items():
        line = pin_of(board, cell, piece.color)
        reach[cell] = board.attacks(cell) & line
        for goal in reach[cell]:
            attackers[piece.color][goal].append(CLASSES[piece.piece_type])
        for goal in reach[cell] | (behind_own(board, cell, piece) & line):
            times[piece.color][goal] += 1
    for side in attackers.values():
        for kinds in side:
            kinds.sort()
    return View(board, reach, attackers, times)


def pin_of(board: chess.Board, cell: int, colour: chess.Color) -> chess.SquareSet:
    """Return the cells to which its pin leaves a piece; every cell, if it is not pinned."""
    line = board.pin(colour, cell)
    return line - {king_of(board, colour)} if board.is_pinned(colour, cell) else line


def behind_own(board: chess.Board, cell: int, slider: chess.Piece) -> chess.SquareSet:
    """Return what a slider attacks if all of its own side that slide in the same way step aside; else nothing."""
    squares = chess.SquareSet()
    for way in (chess.BISHOP, chess.ROOK):
        if slider.piece_type in (way, chess.QUEEN):
            alone = board.copy(stack=False)
            for friend in board.pieces(way, slider.color) | board.pieces(chess.QUEEN, slider.color):
                alone.remove_piece_at(friend)
            alone.set_piece_at(cell, chess.Piece(way, slider.color))
            squares |= alone.attacks(cell)
    return squares


def attacks_of(view: View) -> Attacks:
    attacks = np.full(MASKS, 0xABCD, np.uint64)  # what was there before must not matter
    write_attacks(from_board(view.board), attacks)
    return attacks


def cells_of(mask: np.uint64) -> set[int]:
    return set(chess.SquareSet(int(mask)))


def test_attacks_are_what_python_chess_tells() -> None:
    for view in views():
        attacks = attacks_of(view)
        for side, colour in enumerate((chess.WHITE, chess.BLACK)):
            attackers = view.attackers[colour]
            for place in range(5):
                hit = {cell for cell in chess.SQUARES if place + 1 in attackers[cell]}
                assert cells_of(attacks[SIDE * side + place]) == hit, (view.board.fen(), side, place)
            twice = {cell for cell in chess.SQUARES if view.times[colour][cell] > 1}
            assert cells_of(attacks[SIDE * side + TWICE]) == twice, (view.board.fen(), side)
            guarded = {cell for cell in chess.SQUARES if view.board.is_attacked_by(colour, cell)}
            assert cells_of(attacks[SIDE * side + GUARDED]) == guarded, (view.board.fen(), side)
        for cell, reach in view.reach.items():
            if view.board.piece_type_at(cell) != chess.PAWN:
                assert cells_of(attacks[REACH + cell]) == set(reach), (view.board.fen(), cell)


def test_pins_are_what_python_chess_tells() -> None:
    many = 0
    for view in views():
        board, attacks = view.board, attacks_of(view)
        for side, colour in enumerate((chess.WHITE, chess.BLACK)):
            pins = pins_of(attacks, side)
            assert set(pins) == {
                cell for cell in view.reach if board.color_at(cell) == colour and is_pinned(board, cell)
            }
            for cell, line in pins.items():
                assert king_of(board, colour) not in line and line <= set(board.pin(colour, cell))
                assert cell in line and any(board.color_at(goal) == (not colour) for goal in line)
            many += len(pins)
    assert many > 60


def pins_of(attacks: Attacks, side: int) -> dict[int, set[int]]:
    """Return the pinned pieces of a side with their lines, as the masks tell them."""
    lines: dict[int, set[int]] = {}
    first = PINS + MOST_PINS * side
    for place in range(first, first + MOST_PINS, 2):
        if attacks[place] == 0:
            break
        (cell,) = cells_of(attacks[place])
        lines[cell] = cells_of(attacks[place + 1])
    return lines


def is_pinned(board: chess.Board, cell: int) -> bool:
    piece = board.piece_at(cell)
    return piece is not None and piece.piece_type != chess.KING and board.is_pinned(piece.color, cell)


def test_eight_pins_at_once_fit() -> None:
    view = view_of(chess.Board("1b2q2b/8/3PPP2/r2PKP1r/3PPP2/8/1b2q2b/6k1 w - - 0 1"))
    assert len(pins_of(attacks_of(view), 0)) == sum(is_pinned(view.board, cell) for cell in view.reach) == 8


@pytest.mark.parametrize(
    ("fen", "cell", "least", "times"),
    [
        ("4k3/8/8/8/4r3/8/4N3/4K3 w - - 0 1", "d4", 0, 0),  # a pinned knight attacks nothing
        ("4k3/8/8/8/8/8/4N3/4K3 w - - 0 1", "d4", 2, 1),
        ("4k3/8/8/8/6bn/5P2/8/3RK3 w - - 0 1", "g4", 1, 1),
        ("4k3/8/8/8/3r2b1/5P2/4K3/8 w - - 0 1", "g4", 1, 1),  # a pawn attacks who pins it, nobody else
        ("4k3/8/8/8/4n1b1/5P2/4K3/8 w - - 0 1", "e4", 0, 0),
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", "e7", 3, 1),
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - - 0 1", "d2", 5, 1),
        ("7k/8/8/8/4p3/8/4R3/4R1K1 w - - 0 1", "e4", 3, 2),  # rooks one behind the other
        ("7k/8/8/8/4p3/8/4B3/4R1K1 w - - 0 1", "e4", 0, 0),  # a bishop stands in the way
        ("7k/8/8/8/4p3/3Q4/2B5/6K1 w - - 0 1", "e4", 4, 2),  # the bishop is behind, so the queen comes first
        ("7k/8/8/8/4p3/4R3/4Q3/4R1K1 w - - 0 1", "e4", 3, 3),
        ("7k/8/8/5p2/8/3P4/2B5/6K1 w - - 0 1", "f5", 0, 0),  # not through pawns
    ],
)
def test_what_attacks_a_cell(fen: str, cell: str, least: int, times: int) -> None:
    view, goal = view_of(chess.Board(fen)), chess.parse_square(cell)
    assert view.board.fen() == fen, "the case must not be mirrored"
    assert (view.attackers[chess.WHITE][goal] or [0])[0] == least
    assert view.times[chess.WHITE][goal] == times
    attacks = attacks_of(view)
    hit = [place + 1 for place in range(5) if goal in cells_of(attacks[place])]
    assert (hit or [0])[0] == least and (goal in cells_of(attacks[TWICE])) == (times > 1)
