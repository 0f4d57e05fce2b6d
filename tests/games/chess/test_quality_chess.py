"""Quality of games: losses counted by hand, won positions let go, and games from every kind of file."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from tests.games.chess.chess_engines import counter
from understudy.backends import Local
from understudy.errors import FileError
from understudy.games import find_game
from understudy.games.chess.judges.openings import BOOKS, play_openings
from understudy.games.chess.judges.quality import judge_games, load_games, of_meeting, quality_json
from understudy.games.chess.judges.tables import quality_text
from understudy.games.chess.records.opinions import Analysis
from understudy.records.store import save
from understudy.records.watch import keep_choices, records_of

CHESS = find_game("chess")
FIGURE = (
    "1. e4 e6 2. d4 d5 3. Nc3 Bb4 4. Bd3 Bxc3+ 5. bxc3 h6 6. Ba3 Nd7 7. Qe2 dxe4 8. Bxe4 Ngf6 9. Bd3 b6 "
    "10. Qxe6+ fxe6 11. Bg6# 1-0"
)
HEAD = '[Event "?"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n{more}\n'


def pgn(moves: str, more: str = "", white: str = "Canal", black: str = "NN", result: str = "1-0") -> str:
    return HEAD.format(white=white, black=black, result=result, more=more) + moves + "\n\n"


def test_losses_and_lost_chances_of_a_game(tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    # White, a rook up, gives it for a pawn and is level; Black then gives its last pawn away.
    more = '[FEN "4k3/2p5/1p6/8/8/8/2P5/1R2K3 w - - 0 1"]\n[SetUp "1"]\n'
    file.write_text(pgn("1. Rxb6 cxb6 2. c4 b5 3. cxb5 *", more))
    games, faults = load_games(file, most=5)
    assert not faults
    name, judged = judge_games(games, Analysis(counter(tmp_path), depth=1), backend=Local(1))
    assert name == "Counter 1, depth 1"
    # Material: 4 before, then 5, 0, 0, 0, 1.
    assert judged[0].pawns == (5, 0, 0, 0, 1)
    assert judged[0].plies == (1, 2, 3, 4, 5)
    assert (judged[0].white.lost, judged[0].white.moves) == (0, 3)
    assert judged[0].white.missed_wins == 0
    facts = quality_json(name, judged)
    assert facts["games"][0]["white_moves"]["average_centipawn_loss"] == 0
    assert (facts["players"]["NN"]["moves"], facts["players"]["NN"]["missed_wins"]) == (2, 0)
    assert "Canal" in quality_text(facts)


def test_a_win_is_missed_by_its_own_side_only() -> None:
    from understudy.games.chess.judges.quality import GameRecord, Step, _judge

    fens = ["a", "b", "c", "d", "e"]
    # For White: 2.0, 0.3 after its own move, -3.0 after Black's, -15.0, and -1.0 after Black's.
    mover = dict(zip(fens, (2.0, -0.3, -3.0, 15.0, -1.0), strict=True))
    steps = tuple(Step(ply, fens[ply - 1], fens[ply]) for ply in range(1, 5))
    judged = _judge(GameRecord("g", "w", "b", "*", steps), mover)
    assert judged.pawns == (0.3, -3.0, -15.0, -1.0)
    assert (judged.white.missed_wins, judged.black.missed_wins) == (1, 1)
    # Beyond ten pawns nothing more is lost: 1.7 and 7 for White, 9 for Black, whose gain of 3.3 is none.
    assert judged.white.lost == pytest.approx(1.7 + 7.0)
    assert judged.black.lost == pytest.approx(9.0)


def test_pgn_plain_and_packed_broken_games_skipped(tmp_path: Path) -> None:
    text = pgn(FIGURE) + pgn("1. e4 e5 2. Qxf7 *") + pgn("*") + pgn("1. e4 *", '[Variant "Atomic"]\n') + pgn(FIGURE)
    (tmp_path / "games.pgn").write_text(text)
    (tmp_path / "games.pgn.bz2").write_bytes(bz2.compress(text.encode()))
    games, faults = load_games(tmp_path / "games.pgn", most=10)
    assert (games, [fault.replace(".bz2", "") for fault in faults]) == (
        load_games(tmp_path / "games.pgn.bz2", most=10)[0],
        faults,
    )
    assert [len(game.steps) for game in games] == [21, 21]
    assert [game.name for game in games] == ["game 1", "game 5"]
    assert ["game 2" in faults[0], "no moves" in faults[1], "Atomic" in faults[2]] == [True] * 3
    assert len(load_games(tmp_path / "games.pgn", most=1)[0]) == 1


def test_files_without_games(tmp_path: Path) -> None:
    (tmp_path / "bad.pgn").write_text(pgn("1. e4 e5 2. Qxf7 *"))
    with pytest.raises(FileError, match=r"holds no game of chess that can be played through; .*game 1: illegal san"):
        load_games(tmp_path / "bad.pgn", most=3)
    with pytest.raises(FileError, match="No such file"):
        load_games(tmp_path / "none.pgn", most=3)
    (tmp_path / "bad.pgn.bz2").write_bytes(b"BZh rubbish")
    with pytest.raises(FileError, match="cannot be read"):
        load_games(tmp_path / "bad.pgn.bz2", most=3)


def test_games_just_played_and_their_records_are_the_same(tmp_path: Path) -> None:
    meeting = play_openings(("searcher:depth=1", "random"), BOOKS["sabatelli"], games=3, seed=1, backend=Local(1))
    games = of_meeting(meeting)
    assert [(game.white, game.black) for game in games[:2]] == [
        ("searcher:depth=1", "random"), ("random", "searcher:depth=1"),
    ]  # fmt: skip
    assert [len(game.steps) for game in games] == [len(game.moves) for game in meeting.games]
    rows = [
        row for number, game in enumerate(meeting.games) for row in keep_choices(CHESS, game, number=number, side=None)
    ]
    save(records_of(CHESS, rows, "both"), tmp_path / "records.parquet")
    loaded, _ = load_games(tmp_path / "records.parquet", most=10)
    assert [game.steps for game in loaded] == [game.steps for game in games]
    assert [game.result for game in loaded] == [game.result for game in games]


def test_records_of_other_games_are_refused(tmp_path: Path) -> None:
    from understudy.match import Opening, play_games
    from understudy.players import make_player

    game = find_game("konane", (6, 6))
    players = (make_player("random", game), make_player("random", game, seed=1))
    played = play_games(game, players, [(Opening(), False)])[0]
    save(records_of(game, keep_choices(game, played, number=0, side=None), "x"), tmp_path / "konane.parquet")
    with pytest.raises(FileError, match="holds games of konane, not chess"):
        load_games(tmp_path / "konane.parquet", most=1)


def test_stockfish_sees_the_mate_of_the_thesis(tmp_path: Path, stockfish: str) -> None:
    (tmp_path / "figure.pgn").write_text(pgn(FIGURE))
    games, _ = load_games(tmp_path / "figure.pgn", most=1)
    _, judged = judge_games(games, Analysis(stockfish, depth=6), backend=Local(1))
    assert judged[0].pawns[-3:] == (20, 20, 20)
    assert judged[0].black.average is not None and judged[0].white.average is not None
    assert judged[0].black.average > judged[0].white.average
