"""PGN as records: every position with the move played in it, results for the mover, and what is refused."""

from __future__ import annotations

import bz2
from pathlib import Path

import numpy as np
import pytest

from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.batches import unstacked
from understudy.lab.experiments import make_experiment
from understudy.lab.kinds.imitation import prepare_records
from understudy.lab.run import Run
from understudy.records.store import UNKNOWN, load, load_any

GAME = find_game("chess")
TWO = """[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[White "C"]
[Black "D"]
[Result "*"]

1. d4 d5 *
"""
ATOMIC = (
    TWO
    + """
[White "E"]
[Black "F"]
[Variant "Atomic"]

1. e4 e5 1-0
"""
)


def write(path: Path, text: str = TWO) -> Path:
    path.write_bytes(bz2.compress(text.encode()) if path.suffix == ".bz2" else text.encode())
    return path


@pytest.mark.parametrize("name", ["games.pgn", "games.pgn.bz2", "games"])
def test_every_move_of_every_game_is_a_record(name: str, tmp_path: Path) -> None:
    records, complaints = load_any(write(tmp_path / name), GAME)
    assert not complaints and records.games.tolist() == [0] * 7 + [1] * 2
    assert records.plies.tolist() == [0, 1, 2, 3, 4, 5, 6, 0, 1]
    assert records.results.tolist() == [1, -1, 1, -1, 1, -1, 1, UNKNOWN, UNKNOWN]
    texts = [GAME.write_move(*pair) for pair in zip(unstacked(records.positions), records.moves.tolist(), strict=True)]
    assert texts == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#", "d4", "d5"]
    assert set(records.sources.tolist()) == {name} and np.isnan(records.values).all()


def test_no_more_is_read_than_is_wanted(tmp_path: Path) -> None:
    assert len(load_any(write(tmp_path / "games.pgn"), limit=3)[0]) == 3


def test_a_variant_is_refused_or_skipped(tmp_path: Path) -> None:
    path = write(tmp_path / "games.pgn", ATOMIC)
    with pytest.raises(
        FileError, match=r"games.pgn, line \d+: game 3 \(E - F\): it is a game of 'Atomic', not of chess$"
    ):
        load_any(path)
    records, complaints = load_any(path, on_error="skip")
    assert len(records) == 9 and "Atomic" in str(complaints[0])


def test_what_holds_no_moves_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="holds no games"):
        load_any(write(tmp_path / "games.pgn", ""))
    with pytest.raises(FileError, match="has no game with a move in it that can be read"):
        load_any(write(tmp_path / "games.pgn", '[White "A"]\n\n*\n'))
    with pytest.raises(FileError, match="neither Parquet nor NNMM text nor PGN"):
        load_any(write(tmp_path / "games.bin", "\0"))


def test_an_experiment_learns_from_pgn_of_its_own_game(tmp_path: Path) -> None:
    write(tmp_path / "games.pgn")
    for game, limit, rows in (("chess", 4, 4), ("konane", 4, 0), ("chess", 12, 12)):
        files = ["games.pgn", "games.pgn"] if limit == 12 else ["games.pgn"]
        settings = {"experiment": {"game": game}, "records": {"files": files, "limit": limit}}
        folder = tmp_path / f"{game}{limit}"
        folder.mkdir()
        run = Run(make_experiment("test", settings, folder=tmp_path), folder)
        if rows:
            prepare_records(run)
            assert len(load(folder / "records.parquet")) == rows
        else:
            with pytest.raises(FileError, match=r"games.pgn holds records of chess 8x8, not of konane 8x8"):
                prepare_records(run)
