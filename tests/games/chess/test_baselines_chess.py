"""What chance and a count of pieces get in a suite, against a count by hand and by python-chess."""

from __future__ import annotations

import json
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner

from tests.games.chess.test_suites_chess import QUEEN_HANGS, read
from understudy.cli import commands
from understudy.games.chess.judges.baselines import baselines
from understudy.games.chess.judges.epd import load_suite

WORTH = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 0}


def test_the_numbers_by_hand() -> None:
    """Six moves: five of the king or the pawn, and the queen may be taken."""
    items = [
        read(f"{QUEEN_HANGS} bm exd5;"),
        read(f"{QUEEN_HANGS} bm e5 exd5; am Kf1;"),
        read(f'{QUEEN_HANGS} c0 "exd5=7, e5=10";'),
    ]
    moves = len(list(chess.Board(f"{QUEEN_HANGS} 0 1").legal_moves))
    chance, material = (baselines(items)[name] for name in ("chance", "material"))
    assert chance.solved == pytest.approx((1 + 2 + 1) / moves)
    assert (chance.best_moves, chance.avoided) == pytest.approx((4 / moves, (moves - 1) / moves))
    assert chance.points == pytest.approx(17 / moves)
    assert (material.solved, material.best_moves, material.avoided, material.points) == (2, 2, 1, 7)


@pytest.mark.parametrize("name", ["ccr25", "kaufman25"])
def test_the_suites_that_ship_against_python_chess(name: str) -> None:
    items, chance, material = load_suite(name).items, 0.0, 0.0
    for item in items:
        board = chess.Board(item.fen)
        solved, left = list[bool](), list[int]()
        for move in board.legal_moves:
            san = board.san(move)
            solved.append(_solves(item.fen, san, name))
            board.push(move)
            left.append(sum(WORTH[piece.piece_type] * (1 if piece.color == board.turn else -1)
                            for piece in board.piece_map().values()))  # fmt: skip
            board.pop()
        chance += sum(solved) / len(solved)
        greedy = [right for right, worth in zip(solved, left, strict=True) if worth == min(left)]
        material += sum(greedy) / len(greedy)
    found = baselines(items)
    assert (found["chance"].solved, found["material"].solved) == pytest.approx((chance, material))
    assert found["chance"].points is None and 0 < found["chance"].best_moves < found["material"].best_moves


def _solves(fen: str, san: str, name: str) -> bool:
    """Tell whether a move is what the line of the suite asks for, read by python-chess."""
    board = chess.Board(fen)
    _, operations = next(
        (other, read)
        for other, read in (chess.Board.from_epd(line) for line in _lines(name))
        if other.epd() == board.epd()
    )
    move = board.parse_san(san)
    return ("bm" not in operations or move in operations["bm"]) and move not in operations.get("am", [])


def _lines(name: str) -> list[str]:
    from understudy.games.chess.judges.epd import SUITES

    return SUITES[name].splitlines()


STS = (
    '1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "Undermine.001"; '
    'c0 "f5=10, Be5+=2, Bf2=3, Bg4=2"; c7 "f5 Be5+ Bf2 Bg4"; c8 "10 2 3 2"; c9 "f4f5 d4e5 d4f2 f3g4";'
)


@pytest.mark.parametrize("kept", [("bm", "c0", "c7", "c8", "c9"), ("bm", "c0"), ("bm", "c8", "c9"), ("bm", "c7", "c8")])
def test_a_file_with_points_in_any_of_its_forms(tmp_path: Path, kept: tuple[str, ...]) -> None:
    """Grades stand in a remark, or as two lists; all forms earn the same, and chance and material stand beside it."""
    fen, *operations = STS.split(" - - ")[0] + " - -", *STS.split(" - - ")[1].split("; ")
    line = f"{fen} {'; '.join(one.rstrip(';') for one in operations if one.startswith((*kept, 'id')))};"
    (tmp_path / "sts.epd").write_text(line)
    words = ["suite", "random", str(tmp_path / "sts.epd"), "--seed", "3"]
    done = CliRunner().invoke(commands, [*words, "--json"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    grades, (row,) = {"f5": 10, "Be5+": 2, "Bf2": 3, "Bg4": 2}, facts["positions"]
    assert facts["points"] == {"earned": grades.get(row["move"], 0), "most": 10, "positions": 1}
    moves = chess.Board(f"{fen} 0 1").legal_moves.count()
    assert facts["baselines"]["chance"]["points"] == pytest.approx(17 / moves)
    assert facts["baselines"]["chance"]["solved"] == pytest.approx(1 / moves)
    text = CliRunner().invoke(commands, words).stdout
    assert f"of 10; by comparison a random mover {17 / moves:.1f}, most material in one ply " in text
