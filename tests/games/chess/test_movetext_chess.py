"""Movetext read by kernels: the same moves as python-chess reads, and a fault where it objects."""

from __future__ import annotations

import io

import chess
import chess.pgn
import numpy as np
import pytest

from tests.conftest import random_line, run_interpreted
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess import notation as chess_notation
from understudy.games.chess.pgn_text import RESULTS, UNSAID, read_movetexts, split_games
from understudy.games.chess.san import FAULTS

CHESS = find_game("chess")


def read(text: str, fen: str = chess.STARTING_FEN) -> tuple[list[int], str, str]:
    """Return the codes of a movetext, its fault and its result."""
    start = stacked([CHESS.read(fen)])
    letters = np.frombuffer(text.encode() or b" ", np.uint8)
    codes, outcomes = np.zeros(len(letters) + 1, np.int32), np.zeros((1, 4), np.int64)
    spans = np.array([[0, len(letters)]])
    read_movetexts(letters, spans, np.stack(start[:7]), np.stack(start[7:]), codes, outcomes)
    total, fault, _, result = outcomes[0].tolist()
    return codes[:total].tolist(), FAULTS[fault], "" if result == UNSAID else RESULTS[result]


def uci(codes: list[int], fen: str = chess.STARTING_FEN) -> list[str]:
    position, words = CHESS.read(fen), []
    for code in codes:
        words.append(chess_notation.to_uci(position, code).uci())
        position = CHESS.play(position, code)
    return words


TRICKY = [
    # what, position, movetext, moves
    ("disambiguation by file", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rad1", "a1d1"),
    ("disambiguation by rank", "4k3/R7/8/8/8/8/8/R3K3 w - - 0 1", "R1a4", "a1a4"),
    ("disambiguation by both", "4k3/8/8/Q7/8/8/8/Q3K2Q w - - 0 1", "Qa1d4", "a1d4"),
    ("a pinned piece needs none", "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "Ne2", "g1e2"),
    ("castling with letters", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O O-O-O+", "e1g1 e8c8"),
    ("castling with zeros", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "0-0-0 0-0", "e8c8 e1g1"),
    ("castling as a step", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Kg1", "e1g1"),
    ("promotion with =", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=Q+", "a7a8q"),
    ("promotion without =", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a8N", "a7a8n"),
    ("promotion by capture", "1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "axb8=r#", "a7b8r"),
    ("black promotes", "7k/8/8/8/8/8/p7/7K b - - 0 1", "a1=B", "a2a1b"),
    ("in passing", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
    ("in passing, black", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "dxe3!?", "d4e3"),
    ("long forms", chess.STARTING_FEN, "e2-e4 e7e5 Ng1-f3 b8c6", "e2e4 e7e5 g1f3 b8c6"),
    ("no space after numbers", chess.STARTING_FEN, "1.e4 e5 2.Nf3 Nc6 3.Bb5+? 3...a6", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"),
    ("b is a file, B a bishop", "4k3/8/8/2p5/1P6/B7/8/4K3 w - - 0 1", "bxc5", "b4c5"),
]


@pytest.mark.parametrize(("fen", "text", "moves"), [row[1:] for row in TRICKY], ids=[row[0] for row in TRICKY])
def test_tricky_san(fen: str, text: str, moves: str) -> None:
    codes, fault, _ = read(text, fen)
    assert (uci(codes, fen), fault) == (moves.split(), "")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("e4 e5 Ke3", "is not legal"),
        ("e4 e5 Bb5 a6 Bxb7", "is not legal"),
        ("Nf3 Nf6 Nc3 Nc6 Nd5 Nd4 Nfxd4 Nb8", "is not legal"),
        ("e4 d5 exd6", "is not legal"),
        ("O-O", "is not legal"),
        ("Nd2 Nd7 Ngf3 Ngf6 Ne4 Ne4 Nd2", "is not legal"),
        ("d4 d5 Nd2 Nd7 e4", ""),
        ("e4 e5 Nf3 Nc6 Nc3 Nf6 Nb5 a6 Nd4", "fits more than one legal move"),
        ("e4 hello", "is no move in SAN"),
        ("e9", "is no move in SAN"),
        ("e4 -- d4", "lets a side pass"),
        ("e4 Z0", "lets a side pass"),
        ("e4 {what now", "begins a comment that does not end"),
        ("e4 (d4 (c4) Nf6", "begins a variation that does not end"),
        ("e4 e5) d4", "ends a variation that did not begin"),
        ("a4 b5 axb5 a6 bxa6 Ba6 Ra6 Nxa6 a8", "is not legal"),
    ],
)
def test_faults(text: str, fault: str) -> None:
    assert read(text)[1] == fault


def test_comments_variations_and_glyphs_are_passed_over() -> None:
    text = """1. e4 $1 {the best (by test) 1-0} e5 ; Nf3 is next 0-1
% an escape: Qh5
2. Nf3 (2. f4 exf4 (2... d5 {no) }) 3. Nf3 ; ) gambit
) 2... Nc6!? +- 3. Bb5 +/= a6 = -+ 1/2-1/2 4. Ba4"""
    codes, fault, result = read(text)
    assert uci(codes) == "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6".split()
    assert (fault, result) == ("", "1/2-1/2")


@pytest.mark.parametrize(
    ("text", "result"), [("1-0", "1-0"), ("0-1", "0-1"), ("1/2-1/2", "1/2-1/2"), ("*", "*"), ("", "")]
)
def test_results(text: str, result: str) -> None:
    assert read(f"1. e4 e5 {text}")[2] == result
    assert read(f"1. e4 e5 2. Nf3{{}} {text}\n")[2] == result


def test_random_games_read_as_python_chess_wrote_them() -> None:
    for seed in range(40):
        line = random_line(CHESS, 120, seed)
        board = chess.Board()
        for position, move in line:
            board.push(chess_notation.to_uci(position, move))
        game = chess.pgn.Game.from_board(board)
        codes, fault, _ = read(str(game.mainline()))
        assert (codes, fault) == ([move for _, move in line], "")


def split(text: str, *, whole: bool = True) -> tuple[list[str], list[int], str]:
    letters, spans = np.frombuffer(text.encode(), np.uint8), np.zeros((100, 4), np.int64)
    count, used, _ = split_games(letters, 1, whole, spans)
    cut = [text[start:end].strip() for start, _, end, _ in spans[:count].tolist()]
    return cut, spans[:count, 3].tolist(), text[used:]


TAGGED = '[Event "a"]\n[White "x"]\n\n1. e4 e5\n2. Nf3 1-0\n\n'


def test_games_are_told_apart() -> None:
    games, lines, rest = split(TAGGED + "\n" + TAGGED.replace('"a"', '"b"'))
    assert ([game[8:9] for game in games], lines, rest) == (["a", "b"], [1, 8], "")


def test_games_without_tags_end_with_their_results() -> None:
    assert split("1. e4 e5 1-0\n1. d4 *\n\n1. c4 c5 0-1 {resigns}\n\n1. a4")[1] == [1, 2, 4, 6]


def test_comments_may_hold_what_looks_like_a_tag_or_a_result() -> None:
    text = '[Event "a"]\n\n1. e4 {so\n[%clk 1:2]\n1-0\n\n[Site "no"]\n} e5 (1... c5\n1-0) 1-0\n\n' + TAGGED
    assert split(text)[1] == [1, 11]


def test_an_open_comment_costs_one_game() -> None:
    assert split('[Event "a"]\n\n1. e4 {oh\n\n' + TAGGED)[1] == [1, 5]


def test_a_game_that_goes_on_is_left_for_later() -> None:
    games, _, rest = split(TAGGED + '[Event "b"]\n\n1. e4', whole=False)
    assert (len(games), rest) == (1, '[Event "b"]\n\n1. e4')
    assert split("\n\n", whole=True) == ([], [], "")


def test_python_chess_agrees_on_the_split() -> None:
    text = TAGGED * 3
    stream, count = io.StringIO(text), 0
    while chess.pgn.read_game(stream) is not None:
        count += 1
    assert len(split(text)[0]) == count == 3


def describe() -> str:
    """What the kernels say, for a comparison with plain Python."""
    return f"{[read(row[2], row[1]) for row in TRICKY]} {split(TAGGED * 2)}"


def test_the_same_without_compiler() -> None:
    assert run_interpreted("tests.games.chess.test_movetext_chess", "describe()") == describe()
