"""Won endings: positions that are won, a defender that loses as late as it can, and failures with their reasons."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import numpy as np
import pytest

from understudy.backends import Local
from understudy.errors import BadOption, FileError
from understudy.games import find_game
from understudy.games.chess.judges.endgames import (
    ENDINGS,
    WON,
    Defender,
    _ending,
    check_table,
    endgames_json,
    known_endings,
    opened_tables,
    pieces,
    play_endgames,
    won_positions,
)
from understudy.games.chess.judges.tables import endgames_text
from understudy.games.chess.notation import from_board, from_uci, to_board
from understudy.match import Opening, play_games
from understudy.protocols import Choice

CHESS = find_game("chess")


@pytest.fixture
def folder(shared: Path) -> Path:
    syzygy = shared / "data/chess/syzygy"
    if not syzygy.exists():
        pytest.skip("no tablebases among the shared data")
    return syzygy


@pytest.fixture
def tables(folder: Path) -> Iterator[chess.syzygy.Tablebase]:
    with opened_tables(folder) as opened:
        yield opened


class Attacker:
    """A player that wins as the tables say."""

    name = "attacker"

    def __init__(self, tables: chess.syzygy.Tablebase) -> None:
        self.tables = tables

    def choose(self, positions: Any, histories: Any = None) -> list[Choice]:
        return [Choice(from_uci(position, self._best(to_board(position)))) for position in positions]

    def _best(self, board: chess.Board) -> chess.Move:
        def cost(move: chess.Move) -> tuple[bool, bool, bool, int]:
            zeroing = board.is_zeroing(move)
            board.push(move)
            lost, mate = self.tables.probe_wdl(board) == -WON, board.is_checkmate()
            length = -self.tables.probe_dtz(board) if lost else 0
            board.pop()
            return not mate, not lost, not zeroing, length

        return min(board.legal_moves, key=cost)


def test_positions_are_won_and_of_both_colours(tables: chess.syzygy.Tablebase) -> None:
    for ending in ("KQvK", "KRvKB", "KPvK"):
        boards = won_positions(tables, ending, 20, np.random.default_rng(3))
        assert {board.turn for board in boards} == {True, False}
        assert all(board.is_valid() and tables.probe_wdl(board) == WON for board in boards)
        strong, weak = pieces(ending)
        for board in boards:
            mine = sum(piece.color == board.turn for piece in board.piece_map().values())
            assert (mine, len(board.piece_map())) == (len(strong), len(strong + weak))


def test_the_defender_loses_as_late_as_it_can(tables: chess.syzygy.Tablebase) -> None:
    defender = Defender(tables, np.random.default_rng(0))
    for board in won_positions(tables, "KRvK", 5, np.random.default_rng(1)):
        board.push(next(move for move in board.legal_moves if _after(tables, board, move) == -WON))
        if board.is_checkmate():
            continue
        position = from_board(board)
        chosen = CHESS.notation.to_uci(position, defender.choose([position])[0].move)
        lengths = {move: _length(tables, board, move) for move in board.legal_moves}
        assert lengths[chosen] == max(lengths.values())


def test_the_defender_takes_what_it_is_given(tables: chess.syzygy.Tablebase) -> None:
    board = chess.Board("8/8/8/8/8/3k4/4Q3/6K1 b - - 0 1")
    chosen = Defender(tables, np.random.default_rng(0)).choose([from_board(board)])[0].move
    assert CHESS.write_move(from_board(board), chosen) == "Kxe2"


def test_perfect_play_wins_everything_in_the_tables_time(tables: chess.syzygy.Tablebase) -> None:
    for ending in ("KQvK", "KRvK", "KBNvK"):
        boards = won_positions(tables, ending, 2, np.random.default_rng(2))
        starts = [(Opening(start=from_board(board)), not board.turn) for board in boards]
        games = play_games(CHESS, (Attacker(tables), Defender(tables, np.random.default_rng(0))), starts)
        for played in games:
            one = _ending(CHESS, tables, ending, played)
            assert (one.won, one.reason, one.thrown) == (True, "checkmate", None)
            assert one.plies_to_progress == len(played.moves) == 2 * one.moves - 1
            assert abs(one.plies_to_progress - one.dtz) <= 1


def test_failures_tell_where_the_win_went(folder: Path) -> None:
    arguments: dict[str, Any] = {"sample": 3, "endings": ["KQvK", "KRvK"], "seed": 1}
    played = play_endgames("random", folder, backend=Local(1), **arguments)
    assert played == play_endgames("random", folder, backend=Local(2), **arguments)
    facts = endgames_json("random", played)
    assert facts["converted"]["sample"] == 6 == len(facts["positions"])
    assert len(facts["failures"]) == 6 - sum(one.won for one in played) > 0
    reasons = {"fifty moves", "stalemate", "repetition", "lost its piece"}
    for one in played:
        if one.won:
            continue
        assert one.reason in reasons
        if one.reason in ("stalemate", "lost its piece"):
            assert one.thrown is not None
            board = chess.Board(one.thrown.fen)
            board.push_san(one.thrown.move)
    text = endgames_text(facts)
    assert "not won:" in text and "KRvK" in text


def test_a_search_wins_the_easy_ones(folder: Path) -> None:
    played = play_endgames("searcher:depth=2", folder, backend=Local(1), sample=2, endings=["KQPvK"], seed=4)
    assert [one.ending for one in played] == ["KQPvK"] * 2
    assert all(one.dtz > 0 for one in played)


def test_what_the_folder_has_is_played(folder: Path, tmp_path: Path) -> None:
    assert known_endings(folder) == list(ENDINGS)
    for suffix in ("rtbw", "rtbz"):
        shutil.copy(folder / f"KRvK.{suffix}", tmp_path)
    assert known_endings(tmp_path) == ["KRvK"]


def test_folders_without_tables(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(
        FileError, match=r"there are no Syzygy tables in .* such as KQvK.rtbw and KQvK.rtbz, which https"
    ):
        known_endings(tmp_path)
    for suffix in ("rtbw", "rtbz"):
        shutil.copy(folder / f"KPvK.{suffix}", tmp_path)
    with pytest.raises(FileError, match=r"there is no table KQvK.rtbw"):
        known_endings(tmp_path, ["KQvK"])
    with pytest.raises(FileError, match=r"the table K[QRBN]vK is missing in .*; https"):
        play_endgames("searcher:depth=2", tmp_path, backend=Local(1), sample=6)


@pytest.mark.parametrize("name", ["", "KQ", "QvK", "KQvKX", "KQvKRRRRR", "kqvk"])
def test_names_that_are_no_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadOption, match="is no ending; endings are written like KQvKR"):
        check_table(tmp_path, name)


def test_endings_that_nobody_wins(tables: chess.syzygy.Tablebase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.games.chess.judges.endgames.TRIES", 50)
    with pytest.raises(BadOption, match="no won position of KBvK was found among 100 random ones"):
        won_positions(tables, "KBvK", 2, np.random.default_rng(0))


def _after(tables: chess.syzygy.Tablebase, board: chess.Board, move: chess.Move) -> int:
    board.push(move)
    worth = tables.probe_wdl(board)
    board.pop()
    return worth


def _length(tables: chess.syzygy.Tablebase, board: chess.Board, move: chess.Move) -> int:
    board.push(move)
    length = tables.probe_dtz(board) if tables.probe_wdl(board) == WON else 1000
    board.pop()
    return length
