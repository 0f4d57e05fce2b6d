"""`solve`, and `judge` against perfect play, as other programs script them."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from understudy.cli import commands, main
from understudy.games import find_game
from understudy.kernels import interpreted


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(commands, [*arguments, "--json"])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("size", "told", "winner", "openings"),
    [
        ("4", "4x4", "second", "a1 b2 c3 d4"),
        ("5", "5x5", "first", "a1 e1 c3 a5 e5"),
        ("6x6", "6x6", "second", "a1 c3 d4 f6"),
        ("4x6", "4x6", "second", "a1 d2 c3 f4"),
        ("5x6", "5x6", "second", "a1 c3 a5"),
        ("6x5", "6x5", "second", "a1 e1 c3"),
        ("5x7", "5x7", "first", "a1 g1 a5 g5"),
    ],
)
def test_solve(size: str, told: str, winner: str, openings: str) -> None:
    answer = call("solve", "konane", "--size", size)
    assert list(answer) == ["size", "winner", "openings", "positions", "seconds"]
    assert answer["size"] == told
    assert answer["winner"] == winner
    assert answer["openings"] == dict.fromkeys(openings.split(), winner)
    assert answer["positions"] > 10
    assert answer["seconds"] > 0


def test_a_solution_can_be_read() -> None:
    shown = CliRunner().invoke(commands, ["solve", "konane", "--size", "4"]).stdout.splitlines()
    assert shown[0] == "Konane 4x4: white, who moves second, wins"
    assert shown[1:5] == [
        "  a1   white wins by b1 or a2",
        "  b2   white wins by c2 or b3",
        "  c3   white wins by c2 or b3",
        "  d4   white wins by d3 or c4",
    ]
    assert "positions searched in" in shown[5]
    odd = CliRunner().invoke(commands, ["solve", "konane", "--size", "5"]).stdout
    assert "Konane 5x5: black, who moves first, wins" in odd
    assert "  c3   black wins whatever white removes" in odd


def test_lines_of_action_tells_the_plies_too() -> None:
    answer = call("solve", "lines_of_action", "--size", "4")
    keys = ["size", "winner", "plies", "openings", "opening_plies", "positions", "seconds"]
    assert list(answer) == keys and (answer["size"], answer["winner"], answer["plies"]) == ("4x4", "first", 3)
    assert (answer["openings"]["c1-c3"], answer["opening_plies"]["c1-c3"]) == ("first", 3)
    assert (answer["openings"]["c1xa3"], answer["opening_plies"]["c1xa3"]) == ("second", 2)
    shown = CliRunner().invoke(commands, ["solve", "lines_of_action", "--size", "4"]).stdout.splitlines()
    assert shown[0] == "Lines of Action 4x4: black, who moves first, wins in 3 plies"
    assert "  b1-b3 black wins in 3 plies" in shown and "  b1xd3 white wins in 2 plies" in shown
    assert len(shown) == 14 and "positions searched in" in shown[-1]


@pytest.mark.skipif(interpreted(), reason="slow without the compiler")
@pytest.mark.parametrize("setting", ["win", "draw"])
def test_what_a_first_move_leads_to_may_not_be_known(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from understudy.games.lines_of_action.solving import proving

    monkeypatch.setattr(proving, "DEEPEST", 12)  # all that is known takes a minute (`python -m benchmarks solve`)
    answer = call("solve", "lines_of_action", "--size", "5", "--rule", f"both_connected={setting}")
    assert (answer["winner"], answer["plies"]) == ("first", 11)
    told = {move: (winner, answer["opening_plies"][move]) for move, winner in answer["openings"].items()}
    assert set(told.values()) == {("first", 11), ("second", 8), ("second", 12), ("unknown", None)}
    assert told["b1-b3"] == ("unknown", None) and told["c5-c3"] == ("first", 11)
    shown = CliRunner().invoke(commands, ["solve", "lines_of_action", "--size", "5"]).stdout
    assert "black, who moves first, wins in 11 plies" in shown and "  b1-b3 who wins is not known" in shown


def test_judge_value_kept() -> None:
    arguments = ["judge", "perfect", "random", "--judge", "value_kept", "--size", "4"]
    answer = call(*arguments)
    assert list(answer) == ["perfect", "random"]
    assert answer["perfect"]["value_kept"]["value"] == 1.0
    assert answer["perfect"]["value_kept"]["sample"] == 3457
    assert 0.4 < answer["random"]["value_kept.critical"]["value"] < 0.6
    assert set(answer["random"]["value_kept.critical.second"]) == {"value", "low", "high", "sample"}
    shown = CliRunner().invoke(commands, arguments).stdout
    assert "value_kept.critical" in shown and "100.0000" in shown
    sampled = call("judge", "random", "--judge", "value_kept", "--size", "5", "--limit", "50", "--seed", "1")
    assert sampled["random"]["value_kept"]["sample"] == 50
    assert sampled == call("judge", "random", "--judge", "value_kept", "--size", "5", "--limit", "50", "--seed", "1")


KEPT = ["judge", "random", "--judge", "value_kept"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "chess"], "only konane and lines_of_action can be solved, not chess"),
        (["solve", "chess", "--json"], "only konane and lines_of_action can be solved, not chess"),
        (["solve", "morris", "--stones", "2v3"], "'2v3' is no endgame of morris"),
        (["solve", "konane"], "konane can be solved on boards of at most 36 cells, not on 8x8"),
        (["solve", "konane", "--size", "7"], "at most 36 cells, not on 7x7"),
        (["solve", "konane", "--size", "1"], "konane has no board of size 1x1"),
        (["solve", "konane", "--size", "six"], "--size 'six' is not a board size"),
        (["solve", "lines_of_action"], "lines_of_action can be solved on boards of 4x4 and 5x5, not on 8x8"),
        (["solve", "lines_of_action", "--size", "6"], "boards of 4x4 and 5x5, not on 6x6"),
        (["solve", "lines_of_action", "--size", "3"], "lines_of_action has no board of size 3x3"),
        (["match", "lines_of_action", "perfect", "random", "--games", "2"], "4x4 and 5x5, not on 8x8"),
        (["think", "chess", "perfect"], "the truth of chess is known up to 5 pieces"),
        (["solve", "konan"], "no game 'konan'; did you mean 'konane'?"),
        (["match", "konane", "perfect", "random", "--games", "2"], "at most 36 cells, not on 8x8"),
        (KEPT, "--judge value_kept needs --game"),
        ([*KEPT, "--size", "8"], "at most 36 cells, not on 8x8"),
        ([*KEPT, "--size", "4", "--judge", "accuracy"], "value_kept is about perfect play and accuracy about records"),
        ([*KEPT, "--size", "4", "--records", "x.txt"], "--size 4 goes with --judge value_kept without records"),
        ([*KEPT, "--size", "4", "--part", "test"], "--part test goes with other judges"),
        ([*KEPT, "--size", "4", "--limit", "0"], "Invalid value for '--limit'"),
        (["judge", "student:morris", "--judge", "value_kept", "--size", "4"], "konane"),
        (["judge", "nobody", "--judge", "value_kept", "--size", "4"], "no player 'nobody'"),
        (["judge", "random"], "--judge accuracy needs --records"),
        (["judge", "random", "--judge", "legality"], "--judge legality needs --records"),
        (["judge", "random", "--records", "x.txt", "--size", "4"], "--size 4 goes with --judge value_kept"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["understudy", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert message in said.err
    assert said.err.startswith("understudy: ") and said.err.count("\n") == 1
    assert said.out == ""


APART = "......../..BW..../......../......BW/......../BW....../......../BW...... "
"""Two stones of Black's with a move to spare each, one of White's, and one that whoever comes first jumps with."""


@pytest.mark.parametrize("mover", ["B", "W"])
def test_a_position_that_has_fallen_apart_is_solved_on_any_board(mover: str) -> None:
    answer = call("solve", "konane", "--size", "8", "--position", APART + mover)
    game = find_game("konane")
    position = game.read(APART + mover)
    assert answer["size"] == "8x8" and answer["winner"] == "first"
    assert sorted(region["value"] for region in answer["regions"]) == ["*", "-1", "1", "1"]
    assert {"cells": ["f5", "g5", "h5"], "value": "-1"} in answer["regions"]
    names = [game.write_move(position, move) for move in game.moves(position)]
    # Black must take what both want: after a move to spare 0 is left of these, and White is the last to jump.
    won = {name: "second" if name in ("a1-c1", "a3-c3") else "first" for name in names}
    assert answer["moves"] == won and len(won) == {"B": 3, "W": 2}[mover]


def test_what_is_said_of_a_position_that_has_fallen_apart() -> None:
    shown = CliRunner().invoke(commands, ["solve", "konane", "--position", APART + "W"]).stdout.splitlines()
    assert shown[0] == "white to move: black wins" and "region f5 g5 h5: worth -1" in shown
    assert shown[-1].endswith("values count moves to spare for black")


def test_positions_that_cannot_be_solved_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = find_game("konane").write(find_game("konane").start())
    for command, message in (
        (["konane", "--position", "nonsense"], "konane position 'nonsense': expected rows"),
        (["konane", "--position", start], "has regions once both sides have removed a stone"),
        (["lines_of_action", "--position", "x"], "--position goes with a game whose boards fall apart, such as konane"),
        (["chess", "--position", "x"], "--position goes with a game whose boards fall apart, such as konane"),
    ):
        monkeypatch.setattr(sys, "argv", ["understudy", "solve", *command])
        with pytest.raises(SystemExit) as caught:
            main()
        assert caught.value.code == 2 and message in capsys.readouterr().err
