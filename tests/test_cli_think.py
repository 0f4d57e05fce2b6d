"""`think` as people and programs call it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner
from test_cli_play import Screen

from understudy.cli import commands, main


def think(*arguments: str) -> str:
    result = CliRunner().invoke(commands, ["think", *arguments])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def call(*arguments: str) -> Any:
    told = think(*arguments, "--json")
    assert told.count("\n") == 1
    return json.loads(told)


def test_programs_get_one_line_of_json() -> None:
    told = call("konane", "searcher:depth=3", "--size", "6")
    assert list(told)[:9] == ["player", "kind", "choice", "value", "moves", "parts", "line", "depth", "nodes"]
    assert told["player"] == "searcher:depth=3" and told["kind"] == "value" and told["depth"] == 3
    assert told["choice"] == told["line"][0] == told["moves"][0]["move"]
    assert {one["move"] for one in told["moves"]} == {"a1", "c3", "d4", "f6"}


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (("morris", "random"), "probability"),
        (("morris", "student:morris"), "probability"),
        (("morris", "stochastic:depth=2"), "order"),
        (("konane", "perfect", "--size", "4"), "value"),
        (("konane", "student:konane_4", "--size", "4"), "value"),
        (("lines_of_action", "searcher:depth=2"), "value"),
        (("chess", "searcher:depth=2,method=minimax"), "value"),
    ],
)
def test_players_of_every_kind_think(arguments: tuple[str, ...], kind: str) -> None:
    told = call(*arguments)
    assert told["kind"] == kind and told["player"] == arguments[1]
    assert told["choice"] in [one["move"] for one in told["moves"]]
    assert f"{arguments[1]} chooses " in think(*arguments)


def test_people_get_the_board_above() -> None:
    told = think("chess", "searcher:depth=2", "--after", "e4 e5")
    assert told.startswith("8 r n b q k b n r\n7 p p p p[.]p p p\n")
    assert told.index("white to move") < told.index("searcher:depth=2 chooses ")
    assert "in hand: white 9, black 9" in think("morris", "random")


def test_a_position_and_moves_from_there() -> None:
    mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    told = call("chess", "searcher:depth=3", "--position", mate)
    assert told["choice"] == "Ra8#" and told["value"] == 1.0
    told = call("chess", "searcher:depth=3", "--position", mate, "--after", "Kf1 Kf8")
    assert told["position"].endswith(" w - - 2 2")


def test_repetitions_on_the_way_are_known() -> None:
    """Black, a queen down, goes for the third time to a square: a draw, and so the best there is."""
    start, there_and_back = "7k/8/8/8/8/Q7/8/7K w - - 0 1", "Kg1 Kg8 Kh1 Kh8 Kg1 Kg8 Kh1 Kh8"
    fresh = call("chess", "searcher:depth=1,evaluator=material_static", "--position", start, "--after", "Kg1 Kg8 Kh1")
    with pytest.raises(AssertionError, match="repetition"):
        think("chess", "random", "--position", start, "--after", there_and_back)
    again = call("chess", "searcher:depth=1,evaluator=material_static", "--position", start, "--after",
                 there_and_back.removesuffix(" Kh8"))  # fmt: skip
    assert fresh["value"] < -0.1
    assert again["choice"] == "Kh8" and again["value"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "Missing argument 'PLAYER'"),
        (["ches", "random"], "no game 'ches'; did you mean 'chess'?"),
        (["chess", "searchr"], "no player 'searchr'; did you mean 'searcher'?"),
        (["chess", "student:morris"], "'student:morris' has learned morris, not chess"),
        (["konane", "student:konane_4", "--size", "6"], "konane"),
        (["konane", "random", "--size", "6", "--position", "WBWB/BWBW/WBWB/BWBW B"], "expected 6 rows of 6 cells"),
        (["morris", "random", "--position", "banana"], "morris position 'banana'"),
        (["chess", "random", "--position", "k7/8/1QK5/8/8/8/8/8 b - - 0 1"], "the game is over"),
        (["chess", "random", "--after", "f3 e5 g4 Qh4"], "--after 'f3 e5 g4 Qh4': the game is over: checkmate"),
        (["chess", "random", "--after", "f3 e5 g4 Qh4 a3"], "the game is over before 'a3': checkmate"),
        (["chess", "random", "--after", "e4 e4"], "--after 'e4 e4': chess: 'e4' is not a legal move"),
        (["chess", "random", "--after", "banana"], "--after 'banana': chess move 'banana'"),
        (["morris", "human"], "nobody can tell what a person thinks"),
        (["morris", "socket:port=1"], "player 'socket:port=1' cannot tell what it thinks"),
        (["chess", "random", "--rule", "x=y"], "chess has no rule 'x'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["understudy", "think", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    said = capsys.readouterr()
    assert caught.value.code == 2
    assert message in said.err
    assert said.err.startswith("understudy: ") and said.err.count("\n") == 1
    assert said.out == ""


def test_a_terminal_shows_how_far_a_search_is() -> None:
    screen = Screen("think", "chess", "searcher:time=2")
    assert screen.finish() == 0
    assert "searcher:time=2 thinks: depth " in screen.shown
    assert "searcher:time=2 chooses " in screen.shown
