"""Chess evaluators against a plain computation on python-chess boards."""

from __future__ import annotations

import chess as other
import numpy as np
import pytest

from understudy.games import find_game, rules
from understudy.games.chess import notation as chess_notation
from understudy.games.chess.evaluators import EVALUATORS, Material, material_value, phase
from understudy.games.chess.position import START, Chess

GAME = find_game("chess")
WEIGHTS = {other.KNIGHT: 1, other.BISHOP: 1, other.ROOK: 2, other.QUEEN: 4}
MODELS = {name: evaluator for name, evaluator in EVALUATORS.items() if isinstance(evaluator, Material)}
PIECE_SQUARE, MATERIAL = MODELS["piece_square"], MODELS["material"]


def sampled(seed: int) -> list[Chess]:
    random, positions = np.random.default_rng(seed), []
    for _ in range(6):
        position = START
        while len(codes := GAME.moves(position)) and position.ply < 200:
            positions.append(position)
            position = rules.play(position, codes[random.integers(len(codes))])
    return positions


def plainly(evaluator: Material, board: other.Board) -> float:
    """Return the value for the side to move, piece by piece."""
    pieces = board.piece_map().values()
    share = min(24, sum(WEIGHTS.get(piece.piece_type, 0) for piece in pieces)) / 24
    total = 0.0
    for late, part in ((0, share), (1, 1 - share)):
        for cell, piece in board.piece_map().items():
            seen = cell if piece.color == other.WHITE else other.square_mirror(cell)
            worth = float(evaluator.tables[late, piece.piece_type - 1, seen])
            total += part * (worth if piece.color == board.turn else -worth)
        for colour in other.COLORS:
            shades = {(cell % 8 + cell // 8) % 2 for cell in board.pieces(other.BISHOP, colour)}
            total += part * float(evaluator.pair[late]) * (len(shades) == 2) * (1 if colour == board.turn else -1)
    return total


@pytest.mark.parametrize("name", MODELS)
def test_values_equal_a_plain_computation(name: str) -> None:
    evaluator = MODELS[name]
    for position in sampled(1):
        board = chess_notation.to_board(position)
        assert material_value(evaluator, position, True) == pytest.approx(plainly(evaluator, board), abs=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_values_change_sign_with_the_side_and_not_in_the_mirror(name: str) -> None:
    evaluator = MODELS[name]
    assert material_value(evaluator, START, True) == 0
    for position in sampled(2):
        value = material_value(evaluator, position, True)
        assert material_value(evaluator, position, False) == value
        assert material_value(evaluator, rules.turn(position), True) == pytest.approx(-value, abs=1e-6)
        mirrored = chess_notation.permuted(position, np.arange(64) ^ 7)
        assert material_value(evaluator, mirrored, True) == pytest.approx(value, abs=1e-6)


def test_the_phase_falls_with_the_pieces() -> None:
    assert phase(START) == 1 and phase(GAME.read("4k3/4p3/8/8/8/8/4P3/4K3 w - -")) == 0
    assert phase(GAME.read("4k3/8/8/8/8/8/8/Q3K3 w - -")) == pytest.approx(4 / 24)


def test_material_counts_pieces_alone() -> None:
    text = "4k3/p7/8/8/8/8/8/QRBNK3 w - -"
    assert material_value(MATERIAL, GAME.read(text), True) == 900 + 500 + 300 + 300 - 100
    assert material_value(MATERIAL, GAME.read(text.replace(" w ", " b ")), True) == -1900


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (
            "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/R1BQKBNR w KQkq -",
        ),
        ("4k3/R7/8/8/8/8/8/4K3 w - -", "4k3/8/R7/8/8/8/8/4K3 w - -"),
        ("rnbq1rk1/8/8/8/8/8/8/RNBQ1RK1 w - -", "rnbq1rk1/8/8/8/8/8/4K3/RNBQ1R2 w - -"),
        ("8/4p2k/8/8/4K3/8/4P3/8 w - -", "8/4p2k/8/8/8/8/4P3/K7 w - -"),
        ("4k3/8/4P3/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/4P3/4K3 w - -"),
        ("4k3/8/8/8/8/8/8/2B1KB2 w - -", "4k3/8/8/8/8/8/8/2B1KN2 w - -"),
    ],
)
def test_piece_square_knows_where_pieces_belong(better: str, worse: str) -> None:
    values = [material_value(PIECE_SQUARE, GAME.read(text), True) for text in (better, worse)]
    assert values[0] > values[1]


def test_new_weights_compile_nothing() -> None:
    material_value(MATERIAL, START, True)
    compiled = len(getattr(material_value, "signatures", ()))
    changed = MATERIAL._replace(tables=MATERIAL.tables * np.float32(2), scale=10.0)
    assert material_value(changed, GAME.read("4k3/8/8/8/8/8/8/Q3K3 w - -"), True) == 1800
    assert len(getattr(material_value, "signatures", ())) == compiled
