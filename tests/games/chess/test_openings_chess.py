"""Openings: the thesis's twenty as they are meant and as they are printed, files, and matches from them."""

from __future__ import annotations

import zipfile
from collections import Counter
from pathlib import Path

import chess
import numpy as np
import pytest

from understudy.backends import Local
from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.chess.judges.openings import (
    BOOKS,
    SETS,
    book_json,
    load_book,
    play_openings,
    random_book,
    read_openings,
)
from understudy.games.chess.judges.tables import book_text

CHESS = find_game("chess")
FENS = [
    "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
    'r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - bm O-O; id "Berlin";',
]
PGN = '[Event "a"]\n\n1. e4 e5 2. Nf3 *\n\n[Event "b"]\n\n1. d4 d5 *\n'


def test_the_thesis_has_twenty_openings_in_six_sets() -> None:
    book = BOOKS["sabatelli"]
    assert list(Counter(line.group for line in book).items()) == list(zip(SETS, (5, 6, 2, 2, 2, 3), strict=True))
    boards = [chess.Board(line.fen) for line in book]
    assert all(board.is_valid() for board in boards)
    assert [place for place, board in enumerate(boards, 1) if board.turn] == [5, 6, 8, 9, 12, 13]


def test_as_printed_white_moves_everywhere() -> None:
    meant, printed = (BOOKS[name] for name in ("sabatelli", "sabatelli_as_printed"))
    boards = [chess.Board(line.fen) for line in printed]
    assert all(board.is_valid() and board.turn for board in boards)
    differ = [place for place, (a, b) in enumerate(zip(meant, printed, strict=True), 1)
              if a.fen.split()[0] != b.fen.split()[0]]  # fmt: skip
    assert differ == [4]
    assert printed[3].fen.startswith("rnbqkbnr/pppp1p1p/8/6p1/")


@pytest.mark.parametrize(
    ("number", "moves"),
    [
        (4, "e4 e5 f4 exf4 Nf3 d6 d4 g5 h4"),
        (9, "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5 Ng3 Bg6 h4 h6 h5 Bh7"),
        (14, "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3"),
        (17, "e4 d5 exd5 Nf6 d4 e6 dxe6 Bxe6 Nc3"),
        (20, "d4 Nf6 Bg5"),
    ],
)
def test_openings_are_reached_by_their_moves(number: int, moves: str) -> None:
    board = chess.Board()
    for move in moves.split():
        board.push_san(move)
    assert BOOKS["sabatelli"][number - 1].fen == board.fen()


def test_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "book.epd").write_text("\n".join(["# two", *FENS, ""]))
    (tmp_path / "book.pgn").write_text(PGN)
    with zipfile.ZipFile(tmp_path / "book.pgn.zip", "w") as archive:
        archive.writestr("book.pgn", PGN)
    lines = {line.name: line.fen for line in load_book(str(tmp_path / "book.epd"), most=5)}
    assert set(lines) == {"line 2", "line 3"}
    assert lines["line 3"].startswith("r1bqkb1r/pppp1ppp/2n2n2/")
    games = {line.name: line.fen for line in load_book(str(tmp_path / "book.pgn"), most=5)}
    assert games["game 1"] == "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"
    assert {line.name: line.fen for line in load_book(str(tmp_path / "book.pgn.zip"), most=5)} == games
    assert len(load_book(str(tmp_path / "book.pgn"), most=1)) == 1


def test_games_of_a_book_begin_with_any_tag_or_none(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text(
        '1. e4 {a remark\n[%clk 0:01]\n} e5 *\n\n[White "X"]\n[Black "Y"]\n\n1. d4 *\n\n[Event "Z"]\n1. c4 *\n'
    )
    openings = read_openings(book, most=9, rng=np.random.default_rng(0))
    assert {place: fen.split()[0] for place, fen in openings} == {
        "game 1": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "game 2": "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR",
        "game 3": "rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR",
    }


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="nor ones that ship \\(sabatelli, sabatelli_as_printed\\)"):
        load_book("sabatellli", most=1)
    bad = tmp_path / "bad.epd"
    bad.write_text("\n8/8/8/8/8/8/8/K7 w - -\n")
    with pytest.raises(FileError, match=r"bad.epd', line 2: .*black has no king"):
        load_book(str(bad), most=1)
    bad.write_text("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    with pytest.raises(FileError, match="line 1: the game is over there"):
        load_book(str(bad), most=1)
    (tmp_path / "bad.pgn").write_text('[Event "a"]\n\n1. e4 e5 2. Qxf7 *\n')
    with pytest.raises(FileError, match="game 1: its moves cannot be played"):
        load_book(str(tmp_path / "bad.pgn"), most=1)
    bad.write_text("\n")
    with pytest.raises(FileError, match="holds no openings"):
        load_book(str(bad), most=1)
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="it is not text"):
        load_book(str(bad), most=1)


def test_large_books_are_drawn_from(shared: Path) -> None:
    book = shared / "data/chess/openings/noob_3moves.epd.zip"
    if not book.exists():
        pytest.skip("no books of openings among the shared data")
    lines = load_book(str(book), most=20, seed=1)
    assert len({line.fen for line in lines}) == 20
    assert load_book(str(book), most=20, seed=1) == lines != load_book(str(book), most=20, seed=2)
    games = read_openings(book.with_name("8moves_v3.pgn.zip"), most=3, rng=np.random.default_rng(0))
    assert all(chess.Board(fen).ply() == 16 for _, fen in games)


def test_both_colours_of_each_opening_are_played() -> None:
    book = BOOKS["sabatelli"]
    meetings = [
        play_openings(("searcher:depth=1", "random"), book, games=40, seed=2, backend=Local(workers))
        for workers in (1, 3)
    ]
    assert meetings[0] == meetings[1]
    facts = book_json(meetings[0], book)
    assert [game["white"] for game in facts["games"]] == ["searcher:depth=1", "random"] * 20
    assert [game["fen"] for game in facts["games"][0::2]] == [line.fen for line in book]
    assert facts["wins"] + facts["draws"] + facts["losses"] == 40
    assert facts["wins"] == sum(game["result"] == 1 for game in facts["games"]) >= 30
    assert [group["shares"]["wins"]["sample"] for group in facts["sets"]] == [10, 12, 4, 4, 4, 6]
    for shares in (facts["shares"], *(group["shares"] for group in facts["sets"])):
        assert sum(measure["value"] for measure in shares.values()) == pytest.approx(1)
    text = book_text(facts)
    assert all(name in text for name in SETS)


def test_a_random_book_begins_with_the_start() -> None:
    book = random_book(CHESS, most=4, plies=3, seed=1)
    assert book[0].fen == chess.STARTING_FEN
    assert [chess.Board(line.fen).ply() for line in book[1:]] == [3] * 3
