"""The terminal game and `export`, through pipes, and once through a terminal."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from click.testing import CliRunner, Result

from tests.conftest import LONG
from understudy.cli import commands, main
from understudy.cli.wording import OPINIONS, word_loss, word_value
from understudy.games import find_game
from understudy.players.names import PlayerKind
from understudy.protocols import Choice


def play(*arguments: str, says: Sequence[str] = ()) -> str:
    """Return what a game tells a person who says these lines."""
    result = CliRunner().invoke(commands, ["play", *arguments], input="".join(f"{line}\n" for line in says))
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def export(*arguments: str) -> Result:
    return CliRunner().invoke(commands, ["export", *arguments])


KONANE = ("konane", "--size", "4", "--opponent", "searcher:depth=2")


@pytest.mark.parametrize(
    "arguments",
    [
        ("morris", "--opponent", "random"),
        ("konane", "--size", "6", "--opponent", "random"),
        ("lines_of_action", "--opponent", "random"),
        ("chess", "--opponent", "random"),
    ],
)
def test_a_whole_game_of_each_kind_by_hints(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who only follows hints plays to the end and beats random play."""
    monkeypatch.setattr("understudy.cli.sayings.ADVISER", "searcher:depth=2")
    asked: list[str] = []

    def answer(prompt: str) -> str:
        heard.append(prompt)
        if "Enter leaves" in prompt:
            return ""
        asked.append("hint" if not asked or asked[-1] != "hint" else _hinted(heard))
        return asked[-1]

    heard: list[str] = []
    monkeypatch.setattr("understudy.cli.terminal.click.echo", lambda text="", **_: heard.append(str(text)))
    monkeypatch.setattr("builtins.input", answer)
    commands.main(["play", *arguments], standalone_mode=False)
    assert any(line.startswith("You win: ") for line in heard)
    assert any("random plays " in line for line in heard)


def _hinted(heard: list[str]) -> str:
    hint = next(line for line in reversed(heard) if "would play" in line).replace("\n", " ")
    return hint.split("would play ")[1].split(". ")[0].rstrip(".")


def test_the_welcome_tells_who_plays_whom_and_how() -> None:
    told = play("morris", "--opponent", "random")
    assert "Nine Men's Morris: you play white (O) against random." in told
    assert "'help' tells what else you can say" in told
    assert "a position that occurs twice is a draw" in told
    assert "in hand: white 9, black 9" in told
    assert "you play white (capital letters) against random" in play("chess", "--opponent", "random")
    assert "As in a match" not in play(*KONANE)


def test_who_moves_first() -> None:
    assert "you play white (O)" in play("konane", "--size", "4", "--opponent", "random", "--second")
    told = play("konane", "--size", "4", "--opponent", "random", "--second")
    assert told.index("random plays") < told.index("White to move:")
    black = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    assert "you play black (small letters)" in play("chess", "--opponent", "random", "--position", black)
    assert "you play white" in play("chess", "--opponent", "random", "--position", black, "--second")


def test_the_usual_opponents() -> None:
    for arguments, opponent in (
        (("morris",), "student:morris,check=legal,best=3"),
        (("konane", "--size", "4"), "student:konane_4"),
        (("konane", "--size", "4x6"), "searcher:time=1"),
        (("chess",), "student:chess"),
    ):
        assert f"against {opponent}." in play(*arguments)


def test_help_lists_everything_that_can_be_said() -> None:
    told = play(*KONANE, says=["help", "?"])
    for word in ("moves", "undo", "hint", "thoughts", "board", "position", "save", "resign", "quit", "help"):
        assert told.count(f"\n  {word} ") == 2


def test_moves_position_and_board() -> None:
    told = play(*KONANE, says=["moves", "position", "board"])
    assert "a1 b2 c3 d4" in told
    assert "WBWB/BWBW/WBWB/BWBW B" in told
    assert told.count("4 O X O X") == 2


def test_what_cannot_be_understood_is_said_in_words() -> None:
    told = play(*KONANE, says=["rubbish", "hlep", "a2", ""]).replace("\n", " ")
    assert "konane move 'rubbish': expected a removal" in told and "'help' tells what else you can say" in told
    assert "did you mean 'help'?" in told
    assert "a2 is not a legal move here; 'moves' lists those that are." in told


def test_the_last_move_is_marked_and_the_opponent_tells_what_it_expects() -> None:
    told = play(*KONANE, says=["c3"])
    assert "searcher:depth=2 plays " in told and " for itself" in told
    assert told.count("The number is the result that is expected: -1 lost, 0 even, +1 won.") == 1
    assert "[.]" in told


def test_undo_takes_back_both_moves() -> None:
    told = play(*KONANE, says=["undo", "c3", "undo", "position", "back"])
    assert told.count("There is nothing to take back.") == 2
    assert "WBWB/BWBW/WBWB/BWBW B" in told


def test_thoughts_once_and_with_every_move() -> None:
    told = play(*KONANE, says=["thoughts"])
    assert "searcher:depth=2 chooses " in told
    told = play(*KONANE, says=["thoughts on", "c3", "thoughts off", "thoughts loud"])
    assert "will tell its thoughts with each of its moves" in told
    assert told.index("searcher:depth=2 chooses ") < told.index("searcher:depth=2 plays ")
    assert "will keep its thoughts to itself" in told
    assert "'thoughts loud' is not" in told


def test_a_student_tells_how_likely_its_move_was() -> None:
    told = play("morris", "--opponent", "student:morris", says=["d2"])
    assert "student:morris plays " in told and "It gave this move " in told


def test_resigning_is_asked_for_and_can_be_undone() -> None:
    told = play(*KONANE, says=["resign", "n", "resign", "maybe", "y", "hint", "moves", "thoughts", "resign", "undo"])
    assert told.count("Resign? (y/n)") == 3
    assert told.count("You lose: resignation.") == 1
    assert told.count("The game is over.") == 4
    assert told.rindex("Black to move:") > told.index("You lose")
    assert "Black to move:" in play(*KONANE, says=["resign"])


def test_two_people_may_share_a_terminal() -> None:
    says = ["thoughts", "f3", "e5", "undo", "e5", "g4", "Qh4"]
    told = play("chess", "--opponent", "human", says=says)
    assert "two people share this terminal, white (capital letters) and black (small letters)" in told.replace(
        "\n", " "
    )
    assert "nobody can tell what a person thinks" in told
    assert "Black wins: checkmate." in told


def test_a_game_ends_by_repetition_as_in_a_match() -> None:
    says = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"]
    assert "A draw: repetition, because this position has occurred 3 times." in play(
        "chess", "--opponent", "human", says=says
    )


def test_saving_and_going_on(tmp_path: Path) -> None:
    file = tmp_path / "a game.json"
    told = play(*KONANE, says=["save", "c3", f"save {file}", "quit"])
    assert "Say where: 'save FILE'." in told and f"Saved in {file}." in told
    assert f"Go on with: understudy play --continue '{file}'" in told
    saved = json.loads(file.read_text())
    assert saved["players"] == {"black": "human", "white": "searcher:depth=2"}
    assert saved["moves"][0] == "c3" and len(saved["moves"]) == 2
    assert isinstance(saved["values"][1], float) and saved["values"][0] is None
    told = play("--continue", str(file), says=["undo", "d4", "save"])
    assert "you play black (X) against searcher:depth=2" in told
    assert json.loads(file.read_text())["moves"][0] == "d4"
    told = play("--continue", str(file), "--opponent", "random", says=["quit"])
    assert "against random" in told and "Go on with" in told


def test_quitting_offers_to_save(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    told = play(*KONANE, says=["c3", "quit", str(tmp_path / "no" / "where.json"), "exit", str(file)])
    assert told.count("Save the game first?") == 2
    assert "cannot write" in told
    assert file.exists()
    assert "The game was not saved." in play(*KONANE, says=["c3", "quit", ""])
    assert "saved" not in play(*KONANE, says=["quit"])


def test_the_end_of_the_input_ends_the_game(tmp_path: Path) -> None:
    assert play(*KONANE, says=["c3"]).endswith("\nThe game was not saved.\n")
    file = tmp_path / "game.json"
    assert play(*KONANE, says=["c3", f"save {file}"]).endswith(f"Go on with: understudy play --continue {file}\n")


class Wrong:
    """A player that does what it is told, however wrong."""

    def __init__(self, game: Any, options: Any, *, name: str, rng: Any) -> None:
        self.name = name

    def choose(self, positions: Sequence[Any], histories: Any = None) -> list[Choice]:
        return [Choice(-1, fault=None if self.name == "illegal" else "engine crash") for _ in positions]


@pytest.mark.parametrize(
    ("name", "reason", "sentence"),
    [
        ("illegal", "illegal move", "illegal chose a move that the rules do not allow, and loses for it."),
        ("crashing", "engine crash", "crashing could not move (engine crash), and loses for it."),
    ],
)
def test_an_opponent_that_cannot_move_loses(
    name: str, reason: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from understudy.players import PLAYERS
    from understudy.players.basic import NoOptions

    monkeypatch.setattr("understudy.players.basic.WRONG", PlayerKind(Wrong, NoOptions), raising=False)
    monkeypatch.setitem(PLAYERS, name, "understudy.players.basic:WRONG")
    for says in (["c3"], ["thoughts", "thoughts on", "c3"]):
        told = play("konane", "--size", "4", "--opponent", name, says=says)
        assert sentence in told.replace("\n", " ")
        assert f"You win: {reason}." in told


def test_a_student_that_broke_the_rules_is_advised() -> None:
    assert "student:x,check=legal" in word_loss(Choice(-1), name="student:x")
    assert "keep to them" not in word_loss(Choice(-1), name="student:x,check=legal")


def test_every_value_has_words() -> None:
    told = [word_value(value, "you") for value in (1.0, 0.6, 0.3, 0.0, -0.3, -0.7, -1.0)]
    assert [text.rpartition(" for you (")[0] for text in told] == [words for _, words in OPINIONS]
    assert told[0] == "a won game for you (+1.00)"


def finished(tmp_path: Path) -> Path:
    file = tmp_path / "over.json"
    play("chess", "--opponent", "human", says=["f3", "e5", "g4", "Qh4", f"save {file}"])
    return file


def test_export_of_chess_is_pgn(tmp_path: Path) -> None:
    file = finished(tmp_path)
    for arguments in ((), ("--pgn",)):
        read = chess.pgn.read_game(io.StringIO(export(str(file), *arguments).stdout))
        assert read is not None and read.headers["Result"] == "0-1"
        assert [move.uci() for move in read.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    target = tmp_path / "game.pgn"
    assert export(str(file), "--output", str(target)).exit_code == 0
    assert target.read_text() == export(str(file)).stdout
    assert json.loads(export(str(file), "--json").stdout) == json.loads(file.read_text())
    copied = tmp_path / "copy.json"
    export(str(file), "--json", "--output", str(copied))
    assert json.loads(copied.read_text()) == json.loads(file.read_text())


def test_export_of_other_games_is_a_list(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    play(*KONANE, says=["c3", f"save {file}"])
    told = export(str(file)).stdout
    assert told.startswith("Konane 4x4\nblack: human, white: searcher:depth=2\n1. c3 ")
    assert told.endswith("\nnot finished\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play"], "play needs a GAME, or --continue FILE"),
        (["play", "ches"], "no game 'ches'; did you mean 'chess'?"),
        (["play", "chess", "--opponent", "nobody"], "no player 'nobody'"),
        (["play", "chess", "--opponent", "student:morris"], "has learned morris, not chess"),
        (["play", "chess", "--position", "banana"], "banana"),
        (["play", "konane", "--size", "4", "--position", "..../..../..../...B B"], "..../...B B"),
        (["play", "--continue", "none.json"], "cannot read 'none.json'"),
        (["play", "chess", "--continue", "{over}"], "tells GAME itself: leave it out"),
        (["play", "--size", "8", "--continue", "{over}"], "tells --size itself"),
        (["play", "--rule", "a=b", "--continue", "{over}"], "tells --rule itself"),
        (["play", "--second", "--continue", "{over}"], "tells --second itself"),
        (["play", "--position", "x", "--continue", "{over}"], "tells --position itself"),
        (["play", "--continue", "{over}"], "is over: checkmate"),
        (["play", "--continue", "{machines}"], "is a person: one of its players must be 'human'"),
        (["export", "none.json"], "cannot read 'none.json'"),
        (["export", "{over}", "--pgn", "--json"], "--pgn and --json exclude each other"),
        (["export", "{konane}", "--pgn"], "konane has no format for saved games but JSON"),
        (["export", "{over}", "--output", "/no/such/folder/x.pgn"], "cannot write '/no/such/folder/x.pgn'"),
        (["export"], "Missing argument 'FILE'"),
        (["export", "student:chess"], "add --output FILE.onnx"),
        (["export", "student:chess", "--pgn", "--output", "x.onnx"], "--pgn is for saved games"),
        (["export", "student:nobody", "--output", "x.onnx"], "there is no student 'nobody'"),
        (["export", "student:chess,depth=2", "--output", "x.onnx"], "path, order and generation can be chosen"),
        (["export", "student:morris_td", "--output", "/no/such/folder/x"], "cannot write '/no/such/folder/x'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"over": finished(tmp_path), "machines": tmp_path / "machines.json", "konane": tmp_path / "konane.json"}
    play(*KONANE, says=["c3", f"save {files['konane']}"])
    told = json.loads(files["konane"].read_text())
    files["machines"].write_text(json.dumps(told | {"players": {"black": "random", "white": "random"}}))
    monkeypatch.setattr(sys, "argv", ["understudy", *(argument.format(**files) for argument in arguments)])
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert message in said.err
    assert said.err.startswith("understudy: ") and said.err.count("\n") == 1
    assert said.out == ""


class Screen:
    """A program at a terminal, and what it has shown."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.master, slave = pty.openpty()
        variables = {"TERM": "xterm", "COLUMNS": "100", "LINES": "40", **variables}
        kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "understudy", *arguments], stdin=slave, stdout=slave, stderr=slave,
            env=kept | variables, start_new_session=True, preexec_fn=_take_terminal,
        )  # fmt: skip
        os.close(slave)
        self.shown = ""

    def wait_for(self, text: str, *, times: int = 1) -> None:
        ends = time.monotonic() + LONG
        while self.shown.count(text) < times:
            assert time.monotonic() < ends, self.shown
            assert self._read(), self.shown

    def say(self, text: str) -> None:
        os.write(self.master, text.encode())

    def finish(self) -> int:
        while self._read():
            pass
        os.close(self.master)
        return self.process.wait(LONG)

    def _read(self) -> bool:
        if not select.select([self.master], [], [], LONG)[0]:
            return False
        try:
            got = os.read(self.master, 65536)
        except OSError:  # how a terminal tells that nobody is at its other end
            return False
        self.shown += got.decode(errors="replace").replace("\r\n", "\n")
        return bool(got)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that a control letter becomes a signal
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # which whoever started the tests in the background has switched off


def test_at_a_terminal_there_is_colour_and_control_c_says_how_to_go_on(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    screen = Screen("play", *KONANE)
    screen.wait_for("Black to move:")
    screen.say("c3\n")
    screen.wait_for("Black to move:", times=2)
    screen.say(f"save {file}\n")
    screen.wait_for("Black to move:", times=3)
    screen.say("\x03")
    assert screen.finish() == 130
    assert "\x1b[" in screen.shown
    assert f"Go on with: understudy play --continue {file}" in screen.shown
    assert "Traceback" not in screen.shown


def test_control_d_ends_a_game_and_no_color_is_obeyed() -> None:
    screen = Screen("play", *KONANE, NO_COLOR="1", TERM="dumb")
    screen.wait_for("Black to move:")
    screen.say("c3\n")
    screen.wait_for("Black to move:", times=2)
    screen.say("\x04")
    assert screen.finish() == 0
    assert "The game was not saved." in screen.shown
    assert "\x1b[7m" not in screen.shown and "\x1b[1;38" not in screen.shown


def test_control_c_is_heard_while_the_opponent_thinks() -> None:
    screen = Screen("play", "chess", "--opponent", "searcher:time=600", "--second")
    screen.wait_for("searcher:time=600 thinks")
    screen.say("\x03")
    assert screen.finish() == 130
    assert "understudy: stopped" in screen.shown


def test_find_game_is_what_a_saved_game_names(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    play("lines_of_action", "--size", "6", "--rule", "both_connected=draw", "--opponent", "random",
         says=[f"save {file}"])  # fmt: skip
    told = json.loads(file.read_text())
    assert (told["size"], told["rules"]) == ("6x6", {"both_connected": "draw"})
    from understudy.saved import load_saved

    assert load_saved(file).game is find_game("lines_of_action", (6, 6), {"both_connected": "draw"})
