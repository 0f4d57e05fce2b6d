"""Engines that lie, babble, hang, and hide behind others: a position is set aside, a game is lost, nothing more."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conftest import LONG, patiently, wait_until
from tests.faults.effort import times
from understudy.backends import Local
from understudy.cli import commands
from understudy.games import find_game
from understudy.games.chess.judges.ladder import strengths
from understudy.games.chess.players.analyst import Analyst
from understudy.games.chess.records.labelling import Labelled, label_positions
from understudy.games.chess.records.opinions import Judge
from understudy.games.chess.records.positions import load_positions
from understudy.games.chess.records.sources import gather
from understudy.players import close, make_player
from understudy.players.programs.process import LONGEST_LINE

CHESS = find_game("chess")
KING = "4k3/8/8/8/8/8/{}7/4K3 w - - 0 1"
BOOK = [KING.format(piece) for piece in "RQNB"]

ENGINE = """#!{python}
import fcntl, os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
lock = open({lock!r}, "w")
fcntl.flock(lock, fcntl.LOCK_EX)
fen = ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name Liar\\noption name UCI_Elo type spin default 1 min 1 max 9\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        fen = line
    elif words[0] == "go" and "Q" not in fen.split()[2]:
        print("info depth 1 score cp 13 pv e1d1\\nbestmove e1d1", flush=True)
    elif words[0] == "go":
{answer}
"""
WRAPPER = """#!/bin/sh
{python} {engine}
"""
GOOD = "info depth 1 score cp 13 pv e1d1"
SAY = "        print({!r}, flush=True)"
HANG = f"        time.sleep({LONG})"
BABBLE = "        while True: print('info depth 1 score cp 1 nodes 5 pv e1d1')"
ENDLESS = "        while True: sys.stdout.write('info string ' + 'x' * 100_000)"

SETTLED = {
    "a mate in ten thousand": (SAY.format("info score mate 10000\nbestmove e1d1"), "'mate 10000', which no"),
    "ten million pawns": (SAY.format("info score cp 1000000000\nbestmove e1d1"), "'cp 1000000000', which no"),
    "no number": (SAY.format(f"{GOOD}\ninfo depth 2 score cp nan\nbestmove e1d1"), "'cp nan', which no"),
    "another scale": (SAY.format("info score pawns 3\nbestmove e1d1"), "'pawns 3', which no"),
    "an illegal move": (SAY.format(f"{GOOD}\nbestmove e1e5"), "'e1e5', which is not legal"),
    "a move of the other side": (SAY.format(f"{GOOD}\nbestmove e8e7"), "'e8e7', which is not legal"),
    "no word of chess": (SAY.format(f"{GOOD}\nbestmove castle"), "'castle', which is none"),
    "no move": (SAY.format(f"{GOOD}\nbestmove (none)"), "named no best move"),
    "no score": (SAY.format("bestmove e1d1"), "gave no score"),
    "a variation without end": (SAY.format(f"{GOOD}{' d1e1 e1d1' * LONGEST_LINE}\nbestmove e1d1"), "bytes"),
    "a line of 4 000 letters": (SAY.format(f"{GOOD}{' e1d1' * 800}\nbestmove e1d1"), "bytes"),
    "a line without end": (ENDLESS, "bytes without an end of the line"),
}  # fmt: skip

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the engines here are scripts")


def write_program(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def make_engine(folder: Path, answer: str, *, wrapped: bool = False) -> str:
    """Return the path of an engine that does *answer* where a queen stands, and holds a lock while it lives."""
    text = ENGINE.format(python=sys.executable, lock=str(folder / "lock"), answer=answer)
    engine = write_program(folder / "liar", text)
    wrapper = WRAPPER.format(python=sys.executable, engine=engine)
    return write_program(folder / "wrapper", wrapper) if wrapped else engine


def is_gone(folder: Path) -> bool:
    """Tell whether the engine has ended: nobody else holds its lock."""
    with (folder / "lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def label_book(folder: Path, engine: str, patience: float = LONG) -> Labelled:
    book, target = folder / "book.fen", folder / "labelled.parquet"
    book.write_text("\n".join(BOOK))
    target.unlink(missing_ok=True)
    judge = Judge(engine=engine, depth=1, patience=patience)
    return label_positions(lambda table: gather(book, table) and None, target, judge, identify=dict, backend=Local(1))


@pytest.mark.parametrize("lie", SETTLED)
def test_an_answer_that_cannot_be_is_set_aside(tmp_path: Path, lie: str) -> None:
    answer, reason = SETTLED[lie]
    done = label_book(tmp_path, make_engine(tmp_path, answer))
    assert [one.fen for one in done.aside] == BOOK[1:2] and reason in done.aside[0].reason
    assert len(str(done.aside[0])) < 400
    assert done.rows == 3 and is_gone(tmp_path)


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("answer", [HANG, BABBLE], ids=["silent", "babbling"])
def test_no_answer_is_set_aside_in_time_whoever_wraps_the_engine(tmp_path: Path, answer: str, wrapped: bool) -> None:
    def attempt(seconds: float) -> None:
        done = label_book(tmp_path, make_engine(tmp_path, answer, wrapped=wrapped), patience=seconds)
        assert [one.fen for one in done.aside] == BOOK[1:2] and "no answer in time" in done.aside[0].reason

    patiently(attempt)
    wait_until(lambda: is_gone(tmp_path))


def test_the_command_tells_what_it_set_aside(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, SETTLED["an illegal move"][0])
    (tmp_path / "book.fen").write_text("\n".join(BOOK))
    words = ["label", str(tmp_path / "book.fen"), str(tmp_path / "t.parquet"), "--engine", engine, "--depth", "1"]
    done = CliRunner().invoke(commands, words)
    assert done.exit_code == 0 and "1 set aside" in done.output, done.output
    assert len(load_positions(tmp_path / "t.parquet")) == 3


def test_an_answer_to_another_position_is_not_taken(tmp_path: Path) -> None:
    twice = SAY.format(f"{GOOD}\nbestmove e1d1\ninfo score cp -77\nbestmove a2a8")
    done = label_book(tmp_path, make_engine(tmp_path, twice))
    table = load_positions(tmp_path / "labelled.parquet")
    assert done.aside == () and table.score is not None and table.best is not None
    assert table.score.tolist() == [13] * 4 and table.best.tolist() == ["e1d1"] * 4


def test_memory_does_not_grow_with_what_an_engine_says(tmp_path: Path) -> None:
    lines = times(50_000, 2_000_000)
    babble = f"        sys.stdout.write('info depth 1 score cp 1 nodes 5 pv e1d1\\n' * {lines}); "
    analyst = Analyst(make_engine(tmp_path, f"{babble}print('bestmove e1d1', flush=True)"), depth=1, patience=LONG)
    analyst.label(BOOK[0])
    tracemalloc.start()
    try:
        assert analyst.label(BOOK[1]).best == "e1d1"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
        analyst.close()


@pytest.mark.parametrize(
    ("lie", "fault"),
    [
        ("ten million pawns", "engine failure"),
        ("an illegal move", "illegal move"),
        ("no word of chess", "engine failure"),
        ("a line without end", "engine failure"),
    ],
)
def test_a_player_loses_by_it(tmp_path: Path, lie: str, fault: str) -> None:
    player = make_player(f"engine:{make_engine(tmp_path, SETTLED[lie][0])},depth=1,patience={LONG}", CHESS)
    queen, rook = player.choose([CHESS.read(BOOK[1]), CHESS.read(BOOK[0])])
    close(player)
    assert queen.fault == fault and rook.fault is None and is_gone(tmp_path)


@pytest.mark.parametrize(("answer", "limit"), [(HANG, "depth=1"), (HANG, "time=0.1"), (BABBLE, "time=0.1")])
def test_a_player_that_never_answers_is_out_of_time(tmp_path: Path, answer: str, limit: str) -> None:
    engine = make_engine(tmp_path, answer, wrapped=True)

    def attempt(seconds: float) -> None:
        player = make_player(f"engine:{engine},{limit},patience={seconds}", CHESS)
        queen, rook = player.choose([CHESS.read(BOOK[1]), CHESS.read(BOOK[0])])
        close(player)
        assert queen.fault == "time" and rook.fault is None

    patiently(attempt)
    wait_until(lambda: is_gone(tmp_path))


def test_whoever_only_asks_what_an_engine_can_ends_all_of_it(tmp_path: Path) -> None:
    assert strengths(make_engine(tmp_path, HANG, wrapped=True)) == (1, 9)
    wait_until(lambda: is_gone(tmp_path))


def test_thinking_aloud_keeps_to_what_was_asked(tmp_path: Path) -> None:
    lie = "info depth 3 multipv 1000000000 score cp 5 pv e1d1\ninfo depth 3 score cp 7 pv e1d1 e8e1 e1e1\nbestmove e1d1"
    player = make_player(f"engine:{make_engine(tmp_path, SAY.format(lie))},depth=1", CHESS)
    thought = player.think(CHESS.read(BOOK[1]))  # type: ignore[attr-defined]
    close(player)
    assert [len(line.moves) for line in thought.lines] == [1] and thought.depth == 3
