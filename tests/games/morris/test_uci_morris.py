"""Players of Morris served to other programs, in Sanmill's words: with our own engine player, and nonsense, outside."""

from __future__ import annotations

import io
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import LONG, wait_until
from understudy.cli.serving import uci
from understudy.errors import BadOption, UnderstudyError
from understudy.games import CompiledGame, find_game
from understudy.games.morris.uci import serve
from understudy.games.morris.words import write_words
from understudy.match import Opening, Played, play_games
from understudy.players import close, make_player
from understudy.players.programs.door import LONGEST_LINE
from understudy.protocols import Choice, Player

MORRIS = find_game("morris")
MILL = "position startpos moves a1 b2 a4 b4"
"""White may close a mill on a7."""


class Scripted:
    """A player that plays what it was told to, and counts how often it is asked."""

    name = "scripted"

    def __init__(self, *moves: str, fault: str | None = None) -> None:
        self.moves, self.fault, self.asked = list(moves), fault, list[tuple[Any, list[Any]]]()

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        assert histories is not None and len(positions) == 1
        self.asked.append((positions[0], list(histories[0])))
        text = self.moves[min(len(self.asked), len(self.moves)) - 1] if self.moves else ""
        move = MORRIS.read_move(positions[0], text) if text else MORRIS.moves(positions[0])[0]
        return [Choice(move, fault=self.fault)]


def talk(player: Player | str, *lines: str) -> list[str]:
    """Return what a player's door says to these lines, each said when the one before has been answered."""
    made = make_player(player, MORRIS, seed=3) if isinstance(player, str) else player
    replies = io.StringIO()
    heard = _Patient(lines, replies)
    assert serve(MORRIS, made, heard=heard, said=replies, patience=LONG)
    return replies.getvalue().splitlines()


class _Patient(io.BytesIO):
    """Lines that are said one by one; after `go` nothing is said until the answer has come."""

    def __init__(self, lines: Sequence[str], replies: io.StringIO) -> None:
        super().__init__("\n".join([*lines, ""]).encode("utf-8", "replace"))
        self.replies, self.asked = replies, 0

    def readline(self, size: int | None = -1, /) -> bytes:
        wait_until(lambda: self.replies.getvalue().count("bestmove") >= self.asked)
        line = super().readline(size)
        self.asked += line.startswith(b"go")
        return line


def bests(lines: Sequence[str]) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith("bestmove")]


def write_server(folder: Path, player: str) -> str:
    """Return the path of a program that is our own command."""
    path = folder / "served"
    path.write_text(f"#!/bin/sh\nexec {sys.executable} -m understudy uci {player} --game morris\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_it_introduces_itself_with_options_that_mean_something() -> None:
    plain, thinking = talk("random", "uci", "isready"), talk("searcher:depth=2,time=1.5", "uci")
    assert plain[0].endswith("random") and plain[-2:] == ["uciok", "readyok"]
    assert not any(line.startswith("option") for line in plain)
    assert [line for line in thinking if line.startswith("option")] == [
        "option name SkillLevel type spin default 2 min 0 max 30",
        "option name MoveTime type spin default 2 min 0 max 60",
    ]


def test_a_mill_is_told_in_two_words_of_one_choice() -> None:
    player = Scripted("a7b4", "a7b2")
    lines = talk(player, MILL, "go", f"{MILL} a7", "go", f"{MILL} a7 xb4 b4", "d", f"{MILL} a7", "d")
    assert bests(lines) == ["a7", "xb4"] and len(player.asked) == 1
    position, past = player.asked[0]
    assert len(past) == 4 and past[0] == MORRIS.start() and position.ply == 4
    assert lines[-2] == "info string MOOOOOOOOMEOOOOOOOEOOMOO6632" and lines[-1].endswith("7722 a7")


def test_a_removal_of_another_move_is_chosen_among_those_that_are_left() -> None:
    player = Scripted("g1")
    assert bests(talk(player, MILL, "go", f"{MILL} a7", "go"))[0] == "g1"
    assert bests(talk(player, f"{MILL} a7", "go", "go searchmoves xb4"))[1] == "xb4"
    assert bests(talk("searcher:depth=2", f"{MILL} a7", "go"))[0] in ("xb2", "xb4")
    assert bests(talk("random", MILL, "go searchmoves a7", "go searchmoves d6 banana")) == ["a7", "d6"]


def test_skill_and_time_limit_those_who_think() -> None:
    lines = talk("searcher", "setoption name SkillLevel value 1", "go", "setoption name skilllevel value 2", "go",
                 "setoption name SkillLevel value 0", "setoption name MoveTime value 0", "go depth 3")  # fmt: skip
    assert [line.split()[2] for line in lines if line.startswith("info depth")] == ["1", "2", "3"]
    assert talk("random", "setoption name SkillLevel value 5", "setoption name MoveTime value 1",
                "setoption name NMoveRule value 200", "setoption", "ucinewgame", "isready") == ["readyok"]  # fmt: skip


NONSENSE = [
    ("xyzzy", "no UCI command 'xyzzy'"),
    ("position", "expected 'startpos'"),
    ("position fen ********/********/******** w p p 0 9 0 9 0 0 1", "no FEN is read"),
    ("position startpos a1", "expected 'startpos', then 'moves'"),
    ("position startpos moves a1 a1", "'a1' is not a legal move"),
    ("position startpos moves xa1", "'xa1' is not a legal move"),
    ("position startpos moves a1 b2 a4 b4 a7 c3", "'c3' is not a removal after a7, such as 'xb"),
    ("position startpos moves " + "z" * 5000, "zzz...' is not a legal move"),
    ("setoption name SkillLevel value many", "option SkillLevel must be a whole number, not 'many'"),
    ("setoption name SkillLevel value 31", "option SkillLevel must be from 0 to 30, not 31"),
    ("setoption name MoveTime value 1e9", "option MoveTime must be a whole number"),
    ("a" * (LONGEST_LINE + 5), f"a line of more than {LONGEST_LINE} bytes was left out"),
]


@pytest.mark.parametrize(("line", "complaint"), NONSENSE)
def test_nonsense_costs_one_sentence(line: str, complaint: str) -> None:
    note, stands = talk("searcher:depth=1", MILL, line, "d")
    assert note.startswith("info string ") and complaint in note and len(note) < 500
    assert stands.rstrip().endswith("7722")  # what was told before still stands


def test_a_player_without_a_move_and_a_finished_game_say_so() -> None:
    assert talk(Scripted(fault="resignation"), "go")[-2:] == [
        "info string the player has no move (resignation)",
        "bestmove (none)",
    ]
    over = play_games(MORRIS, (make_player("random", MORRIS), make_player("random", MORRIS)), [(Opening(), False)])[0]
    words = " ".join(word for move in over.moves for word in write_words(move))
    assert over.reason in ("removing", "suffocating")
    assert talk("random", f"position startpos moves {words}", "go") == [
        "info string the game is over",
        "bestmove (none)",
    ]


WORDS = st.sampled_from(
    "uci isready ucinewgame position go stop ponderhit setoption debug d startpos fen moves a1 a4 a7 b2 b4 xb2 xb4 "
    "a1-a4 depth searchmoves name value SkillLevel 3 -1 99999999999999999999 \x00 é".split()
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(WORDS, max_size=9) | st.lists(st.text(max_size=9), max_size=3), max_size=6))
def test_nothing_that_is_heard_breaks_the_door(lines: list[list[str]]) -> None:
    heard = io.BytesIO(
        "\n".join(" ".join(words) for words in [MILL.split(), *lines, ["isready"]]).encode("utf-8", "replace")
    )
    replies = io.StringIO()
    serve(MORRIS, Scripted(), heard=heard, said=replies, patience=LONG)
    spoken = replies.getvalue().splitlines()
    assert not any("Error:" in line for line in spoken)
    assert "readyok" in spoken or any(words[:1] == ["quit"] for words in lines)


def play_through(player: Player, openings: Sequence[Opening], swapped: bool) -> list[Played]:
    return [play_games(MORRIS, (player, make_player("random", MORRIS, seed=number)), [(opening, swapped)])[0]
            for number, opening in enumerate(openings)]  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
@pytest.mark.parametrize("name", ["student:morris", "searcher:depth=2"])
def test_our_own_command_as_an_engine_plays_as_the_player_itself(tmp_path: Path, name: str) -> None:
    served = make_player(f"engine:{write_server(tmp_path, name)},patience={LONG}", MORRIS)
    opening = Opening(tuple(MORRIS.read_move(MORRIS.start(), text) for text in ("d6", "f4")))
    try:
        for swapped in (False, True):
            ours = play_through(make_player(name, MORRIS), [Opening(), opening], swapped)
            theirs = play_through(served, [Opening(), opening], swapped)
            assert [game.moves for game in theirs] == [game.moves for game in ours]
            assert [(game.result, game.reason) for game in theirs] == [(game.result, game.reason) for game in ours]
            assert any(move % 25 for game in ours for move in game.moves)
    finally:
        close(served)


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        ("konane", "konane cannot be served to other programs: no protocol is known in which they play it"),
        ("moris", "no game 'moris'; did you mean 'morris'?"),
    ],
)
def test_games_without_a_protocol_are_refused(game: str, complaint: str) -> None:
    words = [sys.executable, "-m", "understudy", "uci", "random", "--game", game]
    done = subprocess.run(words, input="", capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 2 and done.stdout == "" and complaint in done.stderr and done.stderr.count("\n") == 1


def test_rules_of_draws_may_be_told(monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[CompiledGame] = []

    def attend(game: CompiledGame, player: Player, **streams: Any) -> bool:
        served.append(game)
        return True

    monkeypatch.setattr("understudy.games.morris.uci.serve", attend)
    monkeypatch.setattr("understudy.cli.serving._protocol_only", io.StringIO)
    words = ["random", "--game", "morris", "--rule", "repetition=third", "--rule", "no_capture=100"]
    assert CliRunner().invoke(uci, words, standalone_mode=False).exception is None
    assert dict(served[0].switches) == {"repetition": "third", "no_capture": "100"}


@pytest.mark.parametrize(
    ("game", "rule", "complaint"),
    [
        ("morris", "repetition=fourth", "'fourth'"),
        ("morris", "repitition=third", "did you mean 'repetition'"),
        ("chess", "repetition=third", "chess has no rule 'repetition': its rules have no switches"),
    ],
)
def test_rules_that_there_are_not_are_refused(
    game: str, rule: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("understudy.cli.serving._protocol_only", io.StringIO)
    error = CliRunner().invoke(uci, ["random", "--game", game, "--rule", rule], standalone_mode=False).exception
    assert isinstance(error, UnderstudyError) and complaint in str(error) and "\n" not in str(error)


def test_a_person_cannot_be_served() -> None:
    with pytest.raises(BadOption, match="a human cannot play through UCI"):
        talk("human", "go")
