"""Analysts: what an engine says of positions, and what becomes of engines that die, hang or babble."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from tests.conftest import LONG, patiently
from understudy.errors import BadOption, EngineError
from understudy.games.chess.players.analyst import Analyst, Label, pawns

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATE = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"

FAKE = """#!{python}
import os, sys, time
sys.path[:0] = {path!r}
import chess
mood, deaths = {mood!r}, {deaths!r}
fen = ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        if mood == "mute":
            time.sleep({hanging})
        print("id name Fake 1\\noption name Hash type spin default 16 min 1 max 99\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        fen, _, moves = line.partition(" moves ")
        board = chess.Board(fen[13:])
        for move in moves.split():
            board.push_uci(move)
        best = max((move.uci() for move in board.legal_moves), key=lambda move: move == "d2d4")
    elif words[0] == "go":
        if mood == "die once" and not os.path.exists(deaths):
            open(deaths, "w").close()
            os._exit(3)
        if mood == "die" or (mood == "die of queens" and "Q" in fen.split()[2]):
            os._exit(3)
        if mood == "hang":
            time.sleep({hanging})
        if mood == "scoreless":
            print("bestmove e2e4", flush=True)
        elif mood == "wordless":
            print("info score cp 1\\nbestmove", flush=True)
        elif mood == "bounds":
            print("info depth 1 score cp 7 nodes 1\\ninfo depth 2 score cp 90 lowerbound\\nbestmove e2e4", flush=True)
        else:
            print("info string score cp 5\\ninfo depth 1 score cp 11 pv e2e4", flush=True)
            print("info depth 2 score cp 13 pv d2d4", flush=True)
            print(f"info string done\\nbestmove {{best}} ponder d7d5", flush=True)
"""


def fake(folder: Path, mood: str) -> str:
    path = folder / f"fake-{mood.replace(' ', '-')}"
    path.write_text(
        FAKE.format(python=sys.executable, mood=mood, deaths=str(folder / "deaths"), hanging=LONG, path=sys.path)
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


scripts = pytest.mark.skipif(os.name == "nt", reason="fake engines are scripts")


@scripts
def test_only_the_last_score_counts(tmp_path: Path) -> None:
    analyst = Analyst(fake(tmp_path, "well"), depth=2)
    assert analyst.name == "Fake 1"
    assert analyst.label(START) == Label("cp", 13, "d2d4")
    assert analyst.label(START, ["e2e4"]) == Label("cp", 13, "g8h6")
    analyst.close()
    assert analyst.label(START) == Label("cp", 13, "d2d4")
    analyst.close()


@scripts
def test_a_bound_is_no_score(tmp_path: Path) -> None:
    analyst = Analyst(fake(tmp_path, "bounds"), depth=2)
    assert analyst.label(START).score == 7
    analyst.close()


@scripts
@pytest.mark.parametrize(
    ("mood", "message"),
    [
        ("die", "died"),
        ("hang", "gave no answer in time at"),
        ("scoreless", "gave no score"),
        ("wordless", "named no best move"),
        ("mute", "gave no answer in time when it was started"),
    ],
)
def test_trouble_is_one_sentence(tmp_path: Path, mood: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.games.chess.players.analyst.STARTING", 0.4 if mood == "mute" else LONG)
    analyst = Analyst(fake(tmp_path, mood), depth=2, patience=0.4 if mood in ("hang", "mute") else LONG)
    with pytest.raises(EngineError, match=message) as caught:
        analyst.label(START)
    assert f"fake-{mood}" in str(caught.value) and "\n" not in str(caught.value)
    analyst.close()


@scripts
def test_a_slow_start_is_no_hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("understudy.games.chess.players.analyst.STARTING", LONG)

    def attempt(seconds: float) -> None:
        path = Path(fake(tmp_path, "well"))
        path.write_text(path.read_text().replace('fen = ""', f"time.sleep({seconds + 1})"))
        analyst = Analyst(str(path), depth=2, patience=seconds)
        assert analyst.label(START).score == 13
        analyst.close()

    patiently(attempt)


@scripts
def test_a_dead_engine_is_started_again(tmp_path: Path) -> None:
    analyst = Analyst(fake(tmp_path, "die once"), depth=2)
    with pytest.raises(EngineError, match="died"):
        analyst.label(START)
    assert analyst.label(START).score == 13
    analyst.close()


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="no engine 'nobody'"):
        Analyst("nobody")
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    with pytest.raises(EngineError, match=r"cannot be run|when it was started"):
        Analyst(str(text)).label(START)
    for options in ({"depth": 0}, {"nodes": 0}, {"time": -1.0}, {"hash": 0}, {"patience": 0.0}):
        with pytest.raises(BadOption, match=next(iter(options))):
            Analyst(sys.executable, **options)  # type: ignore[arg-type]
    with pytest.raises(EngineError, match="one line"):
        Analyst(sys.executable, depth=1).label(f"{START}\nquit")


def test_pawns() -> None:
    scores = [("cp", 150), ("cp", -9000), ("mate", 3), ("mate", -2), ("mate", 0)]
    labels = [Label(kind, score, "") for kind, score in scores]
    assert [pawns(label) for label in labels] == [1.5, -20.0, 20.0, -20.0, -20.0]
    assert pawns(labels[1], clip=5.0) == -5.0


def test_stockfish_judges(stockfish: str) -> None:
    analyst = Analyst(stockfish, depth=8)
    assert analyst.name.startswith("Stockfish") and "depth 8" in analyst.limit
    first = analyst.label(START)
    assert first.kind == "cp" and abs(first.score) < 150 and len(first.best) == 4
    assert analyst.label(START, ["f2f3", "e7e5", "g2g4"]) == Label("mate", 1, "d8h4")
    assert analyst.label(MATED) == Label("mate", 0, "")
    assert analyst.label(STALEMATE) == Label("cp", 0, "")
    assert analyst.label(START) == first  # whatever came between
    analyst.close()


def test_stockfish_may_be_limited_otherwise(stockfish: str) -> None:
    for limit, words in (({"nodes": 500}, "nodes 500"), ({"time": 0.01}, "milliseconds 10"), ({}, "milliseconds 100")):
        analyst = Analyst(stockfish, **limit)  # type: ignore[arg-type]
        assert analyst.limit.startswith(words)
        assert analyst.label(START).kind == "cp"
        analyst.close()
