"""Every mistake of chess by hand, for both colours, and pseudo-legal moves of python-chess."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from tests.conftest import random_line
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.notation import to_board
from understudy.games.mistakes import FINE, mistakes_of

GAME = find_game("chess")
KINDS = mistakes_of(GAME)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"


def name_mistake(fen: str, move: str) -> str:
    """Return the mistake of a move in UCI."""
    position = GAME.read(fen)
    turned = 0 if " w " in fen else 56
    promotion = " nbrq".index(move[4]) if len(move) > 4 else 0
    parts = [chess.parse_square(move[:2]) ^ turned, chess.parse_square(move[2:4]) ^ turned, promotion]
    kind = KINDS.classify(stacked([position]), np.array([parts]))[0]
    return "" if kind == FINE else list(KINDS.meanings)[kind]


@pytest.mark.parametrize(
    ("fen", "move", "mistake"),
    [
        (START, "e2e4", ""),
        (START, "e4e5", "from_empty"),
        (START, "e7e5", "from_theirs"),
        (START, "a1a2", "own_target"),
        (START, "a1a1", "own_target"),
        (START, "a1a3", "path_blocked"),
        (START, "c1a3", "path_blocked"),
        (START, "b1b3", "geometry"),
        (START, "e1e3", "geometry"),
        (START, "e2e5", "pawn_geometry"),
        (START, "e2d2", "own_target"),
        (START, "e2d3", "pawn_capture"),
        (START, "e2e4q", "promotion_wrong"),
        (START, "g1f3n", "promotion_wrong"),
        ("4k3/8/8/8/4p3/4P3/8/4K3 w - -", "e3e4", "pawn_blocked"),
        ("4k3/8/8/8/8/4p3/4P3/4K3 w - -", "e2e4", "pawn_blocked"),
        ("4k3/8/8/8/8/4P3/8/4K3 w - -", "e3e5", "pawn_geometry"),
        ("4k3/8/8/8/8/4P3/8/4K3 w - -", "e3e2", "pawn_geometry"),
        (CASTLES, "e1g1", ""),
        (CASTLES, "e1c1", ""),
        (CASTLES.replace("KQkq", "Qkq"), "e1g1", "castling_right"),
        (CASTLES.replace("KQkq", "Kkq"), "e1c1", "castling_right"),
        (CASTLES.replace("R3K2R", "RN2K2R"), "e1c1", "castling_blocked"),
        (CASTLES.replace("R3K2R", "R3K1nR"), "e1g1", "castling_blocked"),
        (CASTLES.replace("R3K2R", "R3K1NR"), "e1g1", "own_target"),
        ("r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq -", "e1g1", "castling_check"),
        ("r3k2r/8/8/8/6r1/8/8/R3K2R w KQkq -", "e1g1", "castling_check"),
        ("r3k2r/8/8/8/4r3/8/8/R3K2R w KQkq -", "e1g1", "castling_check"),
        ("1r2k2r/8/8/8/8/8/8/R3K2R w KQk -", "e1c1", ""),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", ""),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - -", "e5d6", "en_passant"),
        ("4k3/8/8/3nP3/8/8/8/4K3 w - -", "e5d6", "pawn_capture"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3", "d4e3", ""),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - -", "d4e3", "en_passant"),
        ("4k3/4r3/8/8/8/8/4N3/4K3 w - -", "e2c3", "pinned"),
        ("4k3/4r3/8/8/8/8/4R3/4K3 w - -", "e2e5", ""),
        ("4k3/4r3/8/8/8/8/N7/4K3 w - -", "a2c3", "check_unanswered"),
        ("4k3/4r3/8/8/8/8/N7/4K3 w - -", "e1e2", "king_into_check"),
        ("4k3/3r4/8/8/8/8/N7/4K3 w - -", "e1d1", "king_into_check"),
        ("4k3/4r3/8/8/8/8/N7/4K3 w - -", "e1d1", ""),
        ("8/8/8/K2pP2r/8/8/8/4k3 w - d6", "e5e6", ""),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8", "promotion_missing"),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a7a8n", ""),
        ("4k3/8/8/8/8/8/p7/4K3 b - -", "a2a1", "promotion_missing"),
        ("4k3/8/8/8/8/8/p7/4K3 b - -", "a2a1q", ""),
        ("4k3/8/8/8/8/8/p7/4K3 b - -", "a2b1q", "pawn_capture"),
    ],
)
def test_mistakes_of_chess(fen: str, move: str, mistake: str) -> None:
    assert name_mistake(fen, move) == mistake


def test_pseudo_legal_moves_of_another_program_are_wrong_for_the_king_alone() -> None:
    safety = {"king_into_check", "check_unanswered", "pinned"}
    names, met = list(KINDS.meanings), set()
    for seed in range(12):
        for position, _ in random_line(GAME, 80, seed):
            board, turned = to_board(position), 0 if position.ply % 2 == 0 else 56
            tried = [
                [move.from_square ^ turned, move.to_square ^ turned, (move.promotion or 1) - 1]
                for move in board.pseudo_legal_moves
                if not board.is_legal(move) and not board.is_castling(move) and not board.is_en_passant(move)
            ]
            if tried:
                made = KINDS.classify(stacked([position] * len(tried)), np.array(tried))
                met |= {names[kind] for kind in made}
    assert met == safety
