"""PGN as a stream: the games that python-chess reads, filters, packed files, and broken games."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import chess.pgn
import numpy as np
import pyarrow as pa
import pytest

from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.chess.notation import from_uci
from understudy.games.chess.position import START
from understudy.games.chess.records.pgn import PgnReader, read_games
from understudy.games.chess.records.wanted import Wanted

CHESS = find_game("chess")

GAMES = r"""[Event "One"]
[White "Adams, \"Mick\""]
[Black "Baker"]
[Result "1-0"]
[WhiteElo "2500"]
[BlackElo "2400"]
[ECO "C20"]

1. e4 e5 2. Qh5 {early} Nc6 3. Bc4 Nf6 $4 4. Qxf7# 1-0

[Event "Two"]
[White "Clark"]
[Black "Dale"]
[Result "1/2-1/2"]
[WhiteElo "2300"]
[BlackElo "2600"]
[ECO "B90"]

1. e4 c5 2. Nf3 Nf6 1/2-1/2

[Event "Three"]
[White "Evans"]
[Black "Fox"]
[Result "*"]
[ECO "B33"]

1. e4 c5 (1... e5 2. Nf3 Nc6) 2. Nc3 0-1

[Event "Four"]
[White "Gray"]
[Black "Hill"]
[Result "0-1"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4p3/K7 b - - 4 30"]

30... e1=Q+ 31. Kb2 0-1
"""

BROKEN = """[Event "a"]
[White "Ill"]
[Black "Egal"]

1. e4 e5
2. Ke3 1-0

[Event "b"]
[White "No"]
[Black "End"]

1. e4 {never closed

[Event "c"]
[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]

1. e4 *

[Event "d"]
[Variant "Atomic"]

1. e4 *

[Event "e"]
[White "Good"]

1. d4 *
"""


def saved(folder: Path, text: str | bytes, name: str = "games.pgn") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_games_are_read_with_tags_moves_and_results(tmp_path: Path) -> None:
    games = list(read_games(saved(tmp_path, GAMES)))
    assert [game.number for game in games] == [1, 2, 3, 4]
    assert [len(game.moves) for game in games] == [7, 4, 3, 2]
    assert [game.result for game in games] == ["1-0", "1/2-1/2", "0-1", "0-1"]
    assert games[0].tags["White"] == 'Adams, "Mick"'
    assert games[3].start == CHESS.read("4k3/8/8/8/8/8/4p3/K7 b - - 4 30")


@pytest.mark.parametrize("block", [7, 64, 300, 1 << 20])
def test_the_size_of_blocks_makes_no_difference(tmp_path: Path, block: int) -> None:
    reader = PgnReader(saved(tmp_path, GAMES.replace("\n", "\r\n")), block=block)
    blocks = list(reader)
    assert [number for games in blocks for number in games.numbers.tolist()] == [1, 2, 3, 4]
    assert sum(len(games.moves) for games in blocks) == 16
    assert (reader.met, reader.unwanted, reader.broken) == (4, 0, [])


def packed_zstd(content: bytes) -> bytes:
    """Pack in two frames, as large collections are."""
    middle = len(content) // 2
    halves = (content[:middle], content[middle:])
    return b"".join(pa.compress(half, codec="zstd", asbytes=True) for half in halves)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, packed_zstd, lambda content: b"\xef\xbb\xbf" + content])
def test_packed_files_are_unpacked_whatever_their_name(tmp_path: Path, pack: object) -> None:
    path = saved(tmp_path, pack(GAMES.encode()), "games.bin")  # type: ignore[operator]
    assert [(game.number, len(game.moves)) for game in read_games(path)] == [(1, 7), (2, 4), (3, 3), (4, 2)]


def test_a_file_that_is_cut_off_gives_what_is_left_and_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = "".join(GAMES.replace("Adams", f"A{number}") for number in rng.integers(1 << 40, size=3000).tolist())
    content = gzip.compress(noise.encode())
    reader = PgnReader(saved(tmp_path, content[: len(content) // 2]), block=1 << 16)
    read = sum(len(games) for games in reader)
    assert 1000 < read < 12_000
    assert "damaged or cut off" in str(reader.broken[-1]) and "line" in str(reader.broken[-1])
    with pytest.raises(FileError, match="damaged or cut off"):
        list(PgnReader(saved(tmp_path, gzip.compress(b"[Event")[:12])))


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Wanted(rating_from=2400), [1]),
        (Wanted(rating_to=2500), [1]),
        (Wanted(rating_from=2300, rating_to=2600), [1, 2]),
        (Wanted(results=("0-1",)), [3, 4]),
        (Wanted(results=("1-0", "1/2-1/2")), [1, 2]),
        (Wanted(plies_from=4), [1, 2]),
        (Wanted(plies_to=3), [3, 4]),
        (Wanted(openings=("B",)), [2, 3]),
        (Wanted(openings=("B9",)), [2]),
        (Wanted(openings=("e4 c5",)), [2, 3]),
        (Wanted(openings=("1. e4 c5 2. Nc3", "C20")), [1, 3]),
    ],
)
def test_games_are_filtered(tmp_path: Path, wanted: Wanted, numbers: list[int]) -> None:
    reader = PgnReader(saved(tmp_path, GAMES), wanted)
    assert [number for games in reader for number in games.numbers.tolist()] == numbers
    assert reader.unwanted == 4 - len(numbers)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (Wanted(results=("2-0",)), "no game ends with '2-0'"),
        (Wanted(openings=("e4 e4",)), "'e4' is not legal"),
        (Wanted(openings=("",)), "it names no move"),
        (Wanted(openings=("Sicilian",)), "'Sicilian' is no move in SAN"),
    ],
)
def test_filters_that_make_no_sense(tmp_path: Path, wanted: Wanted, message: str) -> None:
    with pytest.raises(BadOption, match=message):
        PgnReader(saved(tmp_path, GAMES), wanted)


def test_broken_games_are_skipped_counted_and_named(tmp_path: Path) -> None:
    path = saved(tmp_path, BROKEN)
    reader = PgnReader(path)
    assert [games.tags for games in reader if len(games)] == [[{"Event": "e", "White": "Good"}]]
    assert reader.met == 5
    assert [str(broken) for broken in reader.broken[:2]] == [
        f"{path}, game 1 (line 6, Ill - Egal): move 2. 'Ke3' is not legal",
        f"{path}, game 2 (line 12, No - End): move 1... '{{' begins a comment that does not end",
    ]
    assert "black has no king" in reader.broken[2].reason or "white has no king" in reader.broken[2].reason
    assert "Atomic" in reader.broken[3].reason


def test_files_without_games(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no games"):
        list(PgnReader(saved(tmp_path, "\n\n")))
    with pytest.raises(FileError, match="No such file"):
        list(PgnReader(tmp_path / "nothing.pgn"))
    reader = PgnReader(saved(tmp_path, "hello world\n" * 5))
    assert sum(len(games) for games in reader) == 0 and "'hello' is no move" in str(reader.broken[0])


def test_real_games_read_as_python_chess_reads_them(shared: Path) -> None:
    folder = shared / "data" / "chess"
    if not folder.exists():
        pytest.skip("no shared chess data beside the repository")
    for name, last in (("human_elo2400plus_starter_20000.pgn.bz2", 150), ("tcec_engine_games.pgn.bz2", 30)):
        with bz2.open(folder / name, "rt", encoding="utf-8", errors="replace") as text:
            for ours in read_games(folder / name):
                theirs = chess.pgn.read_game(text)
                assert theirs is not None and theirs.headers["White"] == ours.tags["White"]
                sides = (START, START._replace(ply=1))
                moves = [from_uci(sides[ply % 2], move) for ply, move in enumerate(theirs.mainline_moves())]
                assert (moves, theirs.headers["Result"]) == (ours.moves, ours.result)
                if ours.number == last:
                    break
