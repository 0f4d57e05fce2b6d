"""FENs read and written by kernels: the same as by way of python-chess, on real ones and on damaged ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.conftest import random_line, run_interpreted
from understudy.errors import NotationError
from understudy.games import find_game
from understudy.games.batches import gathered, parted, stacked, unstacked
from understudy.games.chess import notation as chess_notation
from understudy.games.chess.fen import read_fens, write_fen_texts, write_fens
from understudy.games.chess.position import START, Chess

CHESS = find_game("chess")

SPECIAL = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2",  # a capture there is legal
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",  # nobody can capture: dropped
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",  # the capture would open the rank: dropped
    "8/8/8/8/k2pP2R/8/8/7K b - e3 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    "  7k/5Q2/6K1/8/8/8/8/8   b -  - 12\t60 ",
    "4k3/8/8/8/8/8/8/4K2Q~ w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w Q - 0 0",
]

BAD = [
    "",
    "garbage",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/3KK3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w K - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - e6 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1 2",
    "4k3/8/8/8/8/8/8/4K3 w - - -1 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 12345 1",
    "4k3/44/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/9/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3/8 w - - 0 1",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/pppppppp/p7/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",  # the side that is not to move is in check
    "4r2k/8/8/8/r3K3/8/3n4/8 w - - 0 1",  # three checkers
    "4r3/8/8/8/4K3/8/4r3/7k w - - 0 1",  # two checkers on one line
    "4k3/8/8/8/8/8/8/4K3 w QK- - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w kQ - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkqKQ - 0 1",
]


def plain(fen: str) -> Chess | None:
    try:
        return chess_notation.read(fen, START)
    except NotationError:
        return None


def check(fens: list[str]) -> int:
    """Compare with the reader of single positions; return how many are good."""
    batch, good = read_fens(fens)
    rows = zip(*(field.tolist() for field in batch), strict=True)
    for fen, fine, row in zip(fens, good.tolist(), rows, strict=True):
        wanted = plain(fen)
        assert fine == (wanted is not None), fen
        assert Chess(*row) == (START if wanted is None else Chess(*(int(field) for field in wanted))), fen
    return int(good.sum())


def damaged(fen: str, rng: np.random.Generator) -> str:
    letters, alphabet = list(fen), "PNBRQKpnbrqk12345678/-wb KQkqAHah~e36"
    for _ in range(rng.integers(1, 4)):
        place = rng.integers(len(letters))
        letter = alphabet[rng.integers(len(alphabet))]
        kind = rng.integers(4)
        if kind == 0:
            letters[place] = letter
        elif kind == 1:
            letters.insert(place, letter)
        elif kind == 2 and len(letters) > 1:
            del letters[place]
        else:
            other = rng.integers(len(letters))
            letters[place], letters[other] = letters[other], letters[place]
    return "".join(letters)


def reached(count: int) -> list[str]:
    """FENs of random games, white and black to move."""
    return [
        CHESS.write(position) for seed in range(count) for position, _ in random_line(CHESS, 60, seed)[seed % 7 :: 7]
    ]


def test_special_positions_read_as_python_chess_reads_them() -> None:
    assert check(SPECIAL) == len(SPECIAL)


def test_bad_fens_are_marked_and_hold_the_start() -> None:
    assert check(BAD) == 0


def test_a_cell_of_passage_is_kept_only_where_a_capture_is_legal() -> None:
    batch, _ = read_fens(SPECIAL[2:6])
    assert np.asarray(batch.passant).tolist() == [44, 0, 0, 0]


def test_random_games_and_damaged_texts_read_alike() -> None:
    fens, rng = reached(30), np.random.default_rng(0)
    assert check(fens) == len(fens) > 200
    assert 0 < check([damaged(fen, rng) for fen in fens for _ in range(5)]) < len(fens) * 5
    assert check([fen.replace(" - ", f" {'abcdefgh'[rng.integers(8)]}{'36'[rng.integers(2)]} ", 1) for fen in fens]) > 0


def test_writing_gives_back_what_was_read() -> None:
    fens = reached(10)
    batch, _ = read_fens(fens)
    assert write_fens(batch) == fens
    assert write_fens(stacked(unstacked(batch))) == fens
    assert parted(write_fen_texts(batch)) == fens


def test_fields_have_the_types_of_stacked_positions() -> None:
    batch, good = read_fens(gathered(SPECIAL))
    assert [np.asarray(field).dtype for field in batch] == [field.dtype for field in stacked([CHESS.start()] * 2)]
    assert good.dtype == np.bool_
    empty, none = read_fens([])
    assert len(np.asarray(empty.ply)) == len(none) == 0
    assert write_fens(empty) == []


def test_real_positions_read_alike(shared: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = shared / "data" / "chess" / "labelled_depth8.parquet"
    if not path.exists():
        pytest.skip("no shared chess data beside the repository")
    fens = pq.read_table(path, columns=["fen"])["fen"].to_pylist()[:: 582340 // 2000]
    assert check(fens) == len(fens)
    assert write_fens(read_fens(fens)[0]) == fens


def describe() -> str:
    """What the kernels say, for a comparison with plain Python."""
    batch, good = read_fens(SPECIAL + BAD)
    return f"{good.tolist()} {[np.asarray(field).tolist() for field in batch]} {write_fens(batch)}"


def test_the_same_without_compiler() -> None:
    assert run_interpreted("tests.games.chess.test_fen_chess", "describe()") == describe()
