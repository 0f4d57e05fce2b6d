"""The UCI door, with python-chess, a scripted program, and nonsense on the other side."""

from __future__ import annotations

import io
import os
import queue
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import LONG, patiently
from understudy.backends import Local
from understudy.errors import BadOption, IllegalMove, NotationError
from understudy.games import find_game
from understudy.games.chess.players.uci import centipawns, read_position, read_uci, score, serve, shares, write_uci
from understudy.judges.tournament import play_match
from understudy.players import make_player
from understudy.players.looking import ENDLESS, Limits
from understudy.players.programs.door import LONGEST_LINE
from understudy.players.programs.tasks import Go, limits_of, options_of, read_go, sentence
from understudy.players.searcher import DEEPEST
from understudy.protocols import Choice

CHESS = find_game("chess")
COMMAND = [sys.executable, "-m", "understudy", "uci"]
SPOKEN = re.compile("(id (name|author) |option name |uciok$|readyok$|info |bestmove )")


class Program:
    """The program on the other side of a door."""

    def __init__(self, heard: int, replies: int) -> None:
        self.mouth = os.fdopen(heard, "wb", buffering=0)
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(replies,), daemon=True).start()

    def _listen(self, replies: int) -> None:
        with os.fdopen(replies, encoding="utf-8") as ear:
            for line in ear:
                self.lines.put(line.rstrip("\n"))

    def say(self, *lines: str) -> None:
        for line in lines:
            self.mouth.write(line.encode() + b"\n")

    def until(self, start: str) -> list[str]:
        """Return all lines up to the first that begins so."""
        lines: list[str] = []
        while not lines or not lines[-1].startswith(start):
            lines.append(self.lines.get(timeout=LONG))
            assert SPOKEN.match(lines[-1]), lines[-1]
        return lines

    def silent(self, seconds: float) -> bool:
        """Tell whether nothing but remarks comes for a while."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            try:
                if not self.lines.get(timeout=left).startswith("info"):
                    return False
            except queue.Empty:
                return True
        return True


@contextmanager
def talking(player: Any) -> Iterator[Program]:
    """Yield a program that talks to a player; the door must close when the program hangs up."""
    made = make_player(player, CHESS, seed=3) if isinstance(player, str) else player
    (heard, mouth), (ear, replies) = os.pipe(), os.pipe()

    def attend() -> None:
        with os.fdopen(heard, "rb") as lines, os.fdopen(replies, "w", encoding="utf-8") as out:
            serve(CHESS, made, heard=lines, said=out, patience=LONG)

    thread = threading.Thread(target=attend)
    thread.start()
    program = Program(mouth, ear)
    program.say("isready")
    program.until("readyok")
    try:
        yield program
    finally:
        program.mouth.close()
        thread.join(LONG)
    assert not thread.is_alive()


class Recorder:
    """A player that plays the first move and remembers what it was asked."""

    name = "recorder"

    def __init__(self, fault: str | None = None) -> None:
        self.asked: list[tuple[Any, list[Any]]] = []
        self.fault = fault

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        assert histories is not None
        self.asked += [(position, list(past)) for position, past in zip(positions, histories, strict=True)]
        if self.fault == "raise":
            raise RuntimeError("lost\nmy head")
        return [Choice(CHESS.moves(position)[0], 0.25, fault=self.fault) for position in positions]


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    """The command itself, with python-chess on the other side."""
    with chess.engine.SimpleEngine.popen_uci([*COMMAND, "searcher"], timeout=LONG) as engine:
        engine.ping()
        yield engine


def test_python_chess_plays_a_whole_game(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].endswith("searcher") and "Depth" in engine.options and "Ponder" not in engine.options
    rng, board = np.random.default_rng(5), chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 300:
        if board.turn == chess.WHITE:
            move = engine.play(board, chess.engine.Limit(depth=2), game="first").move
            assert move is not None
        else:
            moves = list(board.legal_moves)
            move = moves[rng.integers(len(moves))]
        board.push(move)
    assert board.result() == "1-0" and board.is_checkmate()


def test_limits_are_kept(engine: chess.engine.SimpleEngine) -> None:
    board, limit = chess.Board(), chess.engine.Limit
    every = chess.engine.INFO_ALL
    assert engine.play(board, limit(depth=3), info=every).info["depth"] == 3
    assert engine.play(board, limit(nodes=2000), info=every).info["nodes"] < 4000
    for clock, shortest in (  # whoever looks at the wrong clock thinks for five minutes
        (limit(time=0.4), 0.3),
        (limit(white_clock=9, black_clock=9000), 0.2),
        (limit(white_clock=9000, black_clock=2, white_inc=0.4, black_inc=0.4, remaining_moves=1), 1.0),
        (limit(white_clock=0.05, black_clock=0.05), 0.0),
    ):
        turned = chess.Board()
        if clock.remaining_moves:
            turned.push_san("e4")
        began = time.perf_counter()
        assert engine.play(turned, clock).move in turned.legal_moves
        assert shortest <= time.perf_counter() - began <= 200, clock


def test_an_analysis_ends_when_it_is_stopped(engine: chess.engine.SimpleEngine) -> None:
    def attempt(seconds: float) -> None:
        with engine.analysis(chess.Board()) as analysis:
            time.sleep(seconds)
            analysis.stop()
            assert analysis.wait().move in chess.Board().legal_moves
        assert analysis.info["depth"] >= 3
        assert isinstance(analysis.info["score"], chess.engine.PovScore)

    patiently(attempt)


def test_python_chess_sets_options_and_chooses_root_moves(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/1R6 w - - 0 1")
    engine.configure({"Depth": 1, "Move Overhead": 50})
    info = engine.play(board, chess.engine.Limit(depth=6), info=chess.engine.INFO_ALL).info
    assert info["depth"] == 1 and info["score"].white() == chess.engine.Mate(1)
    engine.configure({"Depth": 0})
    allowed = [chess.Move.from_uci(text) for text in ("b1a1", "b1b7")]
    assert engine.play(board, chess.engine.Limit(depth=4), root_moves=allowed).move in allowed
    with pytest.raises(chess.engine.EngineError, match="Depth"):
        engine.configure({"Depth": 99})


def test_a_mate_is_told_in_moves() -> None:
    with talking("searcher:depth=4") as program:
        program.say("position fen 7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "go")
        *_, info, best = program.until("bestmove")
        assert " score mate 2 " in info and f" pv {best.split()[1]} " in info
        program.say("position fen 6k1/8/8/8/8/8/R7/1R4K1 b - - 0 1", "go depth 4")
        assert " score cp -" in program.until("bestmove")[-2]
        program.say("position fen k7/8/1K6/8/8/8/8/7R b - - 0 1", "go")
        assert " score mate -1 " in program.until("bestmove")[-2]


def test_lines_are_told_whole_and_as_they_deepen(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(chess.Board(), chess.engine.Limit(depth=6)) as analysis:
        told = [info for info in analysis if "depth" in info]
    depths = [info["depth"] for info in told]
    assert depths == [*sorted(set(depths[:-1])), 6]  # each once while it thinks, and the last at the end
    assert all(info["score"] and info["nodes"] and info["pv"] for info in told)
    assert len(told[-1]["pv"]) > 1  # python-chess has read every move of it in its own position


def test_several_lines_are_numbered_the_best_first(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    lines = engine.analyse(board, chess.engine.Limit(depth=3), multipv=4)
    firsts = [line["pv"][0] for line in lines]
    assert len(lines) == 4 and len(set(firsts)) == 4 and firsts[0] == chess.Move.from_uci("a1a8")
    scores = [line["score"].white().score(mate_score=100_000) for line in lines]
    assert scores == sorted(scores, reverse=True)


def test_wins_draws_and_losses_are_told_to_whom_they_matter(engine: chess.engine.SimpleEngine) -> None:
    board, limit = chess.Board("6k1/5ppp/8/8/8/8/5PPP/4Q1K1 b - - 0 1"), chess.engine.Limit(depth=2)
    assert "wdl" not in engine.analyse(board, limit)
    engine.configure({"UCI_ShowWDL": True})
    told = engine.analyse(board, limit)["wdl"].pov(chess.BLACK)
    engine.configure({"UCI_ShowWDL": False})
    assert told.wins + told.draws + told.losses == 1000 and told.losses > told.wins
    assert [shares(value) for value in (0.0, 1.0, -1.0, 0.5)] == ["250 500 250", "1000 0 0", "0 0 1000", "562 376 62"]


def test_a_person_can_choose_how_far_it_looks(engine: chess.engine.SimpleEngine) -> None:
    engine.configure({"UCI_LimitStrength": True, "Plies": 2})
    every = chess.engine.INFO_ALL
    assert engine.play(chess.Board(), chess.engine.Limit(time=60), info=every).info["depth"] == 2
    engine.configure({"UCI_LimitStrength": False})
    assert engine.play(chess.Board(), chess.engine.Limit(depth=3), info=every).info["depth"] == 3


def test_an_infinite_search_waits_for_stop() -> None:
    for player in ("random", "searcher:depth=1"):
        with talking(player) as program:
            program.say("go infinite")
            assert program.silent(0.3)
            program.say("isready")
            program.until("readyok")
            program.say("stop")
            assert re.fullmatch("bestmove [a-h][1-8][a-h][1-8]", program.until("bestmove")[-1])
            program.say("stop", "ponderhit", "isready")
            assert program.until("readyok") == ["readyok"]


def test_pondering_ends_with_a_hit_or_a_stop() -> None:
    with talking("searcher:depth=1") as program:
        for end in ("ponderhit", "stop"):
            program.say("position startpos moves e2e4", "go ponder wtime 1000 btime 1000")
            assert program.silent(0.2)
            program.say(end)
            assert program.until("bestmove")


def test_stop_is_heard_whenever_it_comes() -> None:
    with talking("searcher") as program:
        for _ in range(20):
            program.say("position startpos", "go infinite", "stop")
            assert program.until("bestmove")[-2].startswith("info depth ")
        program.say("go infinite", "stop", "go depth 1")
        program.until("bestmove")
        program.until("bestmove")
        program.say("go infinite", "go depth 1")
        assert "info string go: the player still thinks; say stop first" in program.until("info string")
        program.say("stop")
        program.until("bestmove")


def test_the_player_knows_what_came_before() -> None:
    player = Recorder()
    moves = "g1f3 g8f6 f3g1 f6g8"
    with talking(player) as program:
        program.say(f"position startpos moves {moves}", "go wtime 5 btime 5")
        *_, info, best = program.until("bestmove")
        assert re.fullmatch("info score cp 89 time [0-9]+ pv b1a3", info) and best == "bestmove b1a3"
        program.say("position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 3 9 moves e2e4 e8d7", "go")
        program.until("bestmove")
        program.say("ucinewgame", "go")
        program.until("bestmove")
    (first, past), (second, later), (third, none) = player.asked
    assert CHESS.key(first) == CHESS.key(past[0]) == CHESS.key(CHESS.start()) and first.ply == 4 == len(past)
    assert CHESS.write(second) == "8/3k4/8/8/4P3/8/8/4K3 w - - 1 10" and len(later) == 2
    assert third == CHESS.start() and none == []


NONSENSE = [
    ("", ""),
    ("xyzzy", "no UCI command 'xyzzy'"),
    ("Uci", "did you mean 'uci'"),
    ("\x00\x07\xff", "no UCI command"),
    ("position", "expected 'startpos' or 'fen'"),
    ("position startpos e2e4", "expected 'moves', not 'e2e4'"),
    ("position fen", "expected a FEN"),
    ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "there are no pieces"),
    ("position fen 4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling needs a king and a rook"),
    ("position startpos moves e2e5", "'e2e5' is not a legal move"),
    ("position startpos moves e2e4 Nf6", "'Nf6' is not a move as UCI writes it"),
    ("position startpos moves e2e4 0000", "'0000' is not a move"),
    ("setoption", "no option of this player ''"),
    ("setoption name Hash value 16", "no option of this player 'Hash'"),
    ("setoption name depth value many", "option Depth must be a whole number, not 'many'"),
    ("setoption name Depth value -1", "option Depth must be from 0 to 48, not -1"),
    ("setoption name UCI_ShowWDL value 1", "option UCI_ShowWDL must be true or false, not '1'"),
    ("setoption name MultiPV value 0", "option MultiPV must be from 1 to 10, not 0"),
    ("a" * (LONGEST_LINE + 5), f"a line of more than {LONGEST_LINE} bytes was left out"),
    ("b" * (3 * LONGEST_LINE), "a line of more than"),
]


def test_nonsense_costs_one_sentence() -> None:
    with talking("searcher:depth=1") as program:
        program.say("position startpos moves e2e4", "debug on", "register later")
        for line, complaint in NONSENSE:
            program.say(line, "isready")
            *notes, ready = program.until("readyok")
            assert ready == "readyok" and len(notes) == bool(complaint), line[:80]
            assert not notes or (notes[0].startswith("info string ") and complaint in notes[0]), notes
            assert all(len(note) < 500 for note in notes)
        program.say("go depth banana nodes")
        lines = program.until("bestmove")
        assert lines[0] == "info string go depth: 'banana' is not a whole number"
        assert lines[1] == "info string go nodes: '' is not a whole number"
        assert lines[-1][len("bestmove ") + 1] in "78"  # black moves: the position before all this still stands
        program.say("go mate 3 searchmoves a1a8 e7e5 depth 1 perft 5")
        lines = program.until("bestmove")
        assert [line for line in lines if "mate" in line and "left out" in line]
        assert [line for line in lines if "'a1a8' is not a legal move" in line]
        assert lines[-1] == "bestmove e7e5"


def test_a_player_without_a_move_says_so() -> None:
    for fault, reason in (("resignation", "resignation"), ("raise", "RuntimeError: lost my head")):
        with talking(Recorder(fault)) as program:
            for _ in range(2):
                program.say("go")
                assert program.until("bestmove") == [
                    f"info string the player has no move ({reason})",
                    "bestmove (none)",
                ]


def test_a_finished_game_has_no_move() -> None:
    with talking("random") as program:
        for fen in ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"):
            program.say(f"position fen {fen}", "go movetime 100")
            assert program.until("bestmove")[-1] == "bestmove (none)"


@pytest.mark.parametrize("player", ["random", "searcher:depth=2", Recorder()])
def test_only_some_moves_may_be_searched(player: Any) -> None:
    with talking(player) as program:
        program.say("position fen 7k/8/6K1/8/8/8/8/1R6 w - - 0 1", "go searchmoves b1b7 b1b8 b1b7 depth 3")
        move = program.until("bestmove")[-1]
        assert move == "bestmove b1b8" if player != "random" else move in ("bestmove b1b7", "bestmove b1b8")
        program.say("go searchmoves b1b7 movetime 50")
        assert program.until("bestmove")[-1] == "bestmove b1b7"


def test_what_go_asks_for() -> None:
    go = read_go("wtime 60000 btime -5 winc 1000 movestogo 0 searchmoves e2e4 d2d4 infinite ponder".split())
    assert (go.wtime, go.btime, go.winc, go.movestogo) == (60_000, 0, 1000, 0)
    assert go.searchmoves == ["e2e4", "d2d4"] and go.infinite and go.ponder and not go.complaints
    assert read_go(["depth", "0", "nodes", "9" * 30]) == Go(depth=1, nodes=1 << 53)
    assert read_go(["depth", "infinite"]).infinite


@pytest.mark.parametrize(
    ("go", "seconds"),
    [
        (Go(), None),
        (Go(movetime=1000), 0.97),
        (Go(movetime=40), 0.02),
        (Go(movetime=0), 0.001),
        (Go(wtime=60_000), 1.97),
        (Go(wtime=60_000, winc=1000), 2.72),
        (Go(wtime=60_000, movestogo=10), 5.97),
        (Go(wtime=1000, winc=5000), 0.77),
        (Go(wtime=1000, movestogo=1), 0.77),
        (Go(wtime=10), 0.001),
        (Go(btime=60_000), None),
    ],
)
def test_how_long_to_think(go: Go, seconds: float | None) -> None:
    assert go.seconds(white=True, overhead=30) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("player", "words", "limits"),
    [
        ("searcher", "", None),
        ("searcher", "mate 3", None),
        ("searcher", "depth 7", Limits(7)),
        ("searcher", "depth 500", Limits(DEEPEST)),
        ("searcher", "nodes 5 movetime 130", Limits(DEEPEST, 5, 0.1)),
        ("searcher", "infinite depth 3", Limits(DEEPEST, ENDLESS, 86_400.0)),
        ("searcher:depth=3", "", Limits(3)),
        ("searcher:depth=3", "depth 7", Limits(3)),
        ("searcher:depth=3", "infinite", Limits(3, ENDLESS, 86_400.0)),
        ("searcher:time=2,nodes=9", "depth 2", Limits(2, 9, 2.0)),
        ("searcher:time=2", "movetime 1030", Limits(DEEPEST, ENDLESS, 1.0)),
        ("random", "depth 7", None),
    ],
)
def test_the_narrowest_limit_counts(player: str, words: str, limits: Limits | None) -> None:
    options = {name: option.default for name, option in options_of(make_player(player, CHESS)).items()}
    assert limits_of(read_go(words.split()), options, white=True) == limits


def test_scores() -> None:
    assert [centipawns(value) for value in (0.0, np.tanh(1), -np.tanh(2), 1.0, -1.0)] == [0, 350, -700, 9999, -9999]
    assert centipawns(float("nan")) == 0
    assert [score(0.5, plies) for plies in (1, 3, -2, -4)] == [f"score mate {moves}" for moves in (1, 2, -1, -2)]
    assert score(None, None) == ""


def test_moves_and_positions_as_uci_writes_them() -> None:
    position, history = read_position(CHESS, ["startpos", "moves", "e2e4", "e7e5"])
    assert position.ply == 2 == len(history)
    assert write_uci(CHESS, position, read_uci(CHESS, position, "g1f3")) == "g1f3"
    pawn = CHESS.read("8/P6k/8/8/8/8/p6K/8 b - - 0 1")
    assert write_uci(CHESS, pawn, read_uci(CHESS, pawn, "a2a1Q")) == "a2a1q"
    with pytest.raises(IllegalMove, match="e1e3"):
        read_uci(CHESS, position, "e1e3")
    with pytest.raises(NotationError, match="startpos"):
        read_position(CHESS, ["moves", "e2e4"])


def test_sentences() -> None:
    assert sentence("a\nb\x00\tc") == "a b? c"
    assert len(sentence("x" * 1000)) == 400


WORDS = st.sampled_from(
    "uci isready ucinewgame position go stop ponderhit setoption debug startpos fen moves e2e4 e7e8q depth nodes "
    "movetime wtime searchmoves infinite name value Depth 3 -1 99999999999999999999 k7/8/8/8/8/8/8/K7 w \x00 é".split()
)


@settings(max_examples=200)
@given(st.lists(st.lists(WORDS, max_size=9) | st.lists(st.text(max_size=9), max_size=3), max_size=6))
def test_nothing_that_is_heard_breaks_the_door(lines: list[list[str]]) -> None:
    heard = io.BytesIO("\n".join(" ".join(words) for words in [*lines, ["isready"]]).encode("utf-8", "replace"))
    replies = io.StringIO()
    serve(CHESS, Recorder(), heard=heard, said=replies, patience=LONG)
    spoken = replies.getvalue().splitlines()
    assert all(SPOKEN.match(line) for line in spoken)
    assert not any("Error:" in line for line in spoken)
    assert "readyok" in spoken or any(words[:1] == ["quit"] for words in lines)


def test_games_and_players_that_cannot_speak_uci() -> None:
    with pytest.raises(BadOption, match="UCI speaks of chess, not of morris"):
        serve(find_game("morris"), Recorder(), heard=io.BytesIO(), said=io.StringIO())
    with pytest.raises(BadOption, match="a human cannot play through UCI"):
        serve(CHESS, make_player("human", CHESS), heard=io.BytesIO(), said=io.StringIO())


def run(player: str, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, player], input=text, capture_output=True, text=True, timeout=LONG, check=False)


@pytest.mark.parametrize(
    ("player", "text", "last"),
    [
        ("random", "uci\nposition startpos moves e2e4\ngo infinite\n", "bestmove [a-h][78]"),
        ("searcher", "go infinite\nquit\ngo depth 1\n", "bestmove "),
    ],
    ids=["its end", "quit"],
)
def test_the_command_ends_with_its_input(player: str, text: str, last: str) -> None:
    with subprocess.Popen([*COMMAND, player], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:  # fmt: skip
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write("isready\n")  # it may have to compile first, and nobody waits for that in the end
        process.stdin.flush()
        assert process.stdout.readline() == "readyok\n"
        output, complaints = process.communicate(text, timeout=LONG)
    assert process.returncode == 0
    assert re.match(last, output.splitlines()[-1]) and output.count("bestmove") == 1
    assert player != "random" or (complaints == "" and "option name Depth" not in output)


@pytest.mark.parametrize(
    ("player", "complaint"),
    [("rondom", "did you mean 'random'?"), ("human", "a human cannot play"), ("searcher:depth=99", "depth must be")],
)
def test_the_command_refuses_in_one_sentence(player: str, complaint: str) -> None:
    ended = run(player, "uci\n")
    assert ended.returncode == 2 and ended.stdout == ""
    assert complaint in ended.stderr and ended.stderr.count("\n") == 1


def test_only_the_protocol_reaches_standard_output() -> None:
    code = (
        "from understudy.cli.serving import _protocol_only; import os; said = _protocol_only();"
        "print('stray', flush=True); os.system('echo astray'); said.write('uciok\\n'); said.flush()"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=False)
    assert ended.stdout == "uciok\n"
    assert ended.stderr.split() == ["stray", "astray"]


@pytest.mark.skipif(os.name == "nt", reason="the engine is a shell script")
def test_our_own_players_play_through_the_door(tmp_path: Path) -> None:
    script = tmp_path / "student"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m understudy uci searcher:depth=2\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    names = f"engine:{script},depth=2,patience={LONG}", "random"
    meeting = play_match(CHESS, names, games=2, seed=4, backend=Local(1), opening_plies=2)
    assert meeting.score() == (2, 0, 0)
    assert {game.reason for game in meeting.games} == {"checkmate"}


class Stuck:
    """A player that nobody can interrupt, as one inside the compiler."""

    name = "stuck"

    def __init__(self) -> None:
        self.free = threading.Event()

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        self.free.wait(LONG)
        return [Choice(CHESS.moves(position)[0]) for position in positions]


def test_whoever_serves_is_told_that_a_player_still_thinks() -> None:
    """A process that ends meanwhile must not tidy up: the compiler would be taken down while it works."""
    player, replies = Stuck(), io.StringIO()
    assert not serve(CHESS, player, heard=io.BytesIO(b"go\nquit\n"), said=replies, patience=0.01)
    player.free.set()
    assert serve(CHESS, Recorder(), heard=io.BytesIO(b"go\nquit\n"), said=replies, patience=LONG)
