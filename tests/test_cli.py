"""The commands as other programs script them, and what bad input gets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from understudy import __version__
from understudy.cli import commands, main
from understudy.errors import BadOption
from understudy.games.kind import read_size as _size


def run(*arguments: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "understudy", *arguments], capture_output=True, text=True, input=text, check=False
    )


def call(*arguments: str) -> Any:
    result = CliRunner().invoke(commands, [*arguments, "--json"])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("arguments", "nodes"),
    [
        (["morris", "--depth", "4"], [24, 552, 12144, 255024]),
        (["konane", "--depth", "7", "--size", "6"], [4, 12, 28, 156, 668, 4192, 22676]),
        (["konane", "--depth", "5", "--size", "4x4"], [4, 12, 16, 52, 120]),
        (["lines_of_action", "--depth", "4", "--size", "8"], [36, 1244, 44952, 1563208]),
        (["lines_of_action", "--depth", "6", "--size", "4"], [12, 120, 1012, 7460, 54700, 389872]),
        (["chess", "--depth", "4"], [20, 400, 8902, 197281]),
        (
            ["chess", "--depth", "3", "--position", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"],
            [48, 2039, 97862],
        ),
    ],
)
def test_perft(arguments: list[str], nodes: list[int]) -> None:
    answer = call("perft", *arguments)
    assert answer["nodes"] == nodes
    assert answer["game"] == arguments[0]
    assert answer["depth"] == len(nodes)
    assert answer["seconds"] > 0


def test_moves_and_outcome() -> None:
    assert call("moves", "chess")["outcome"] is None
    assert {"e4", "Nf3"} <= set(call("moves", "chess")["moves"])
    assert len(call("moves", "konane", "--size", "6")["moves"]) == 4
    mated = call("moves", "chess", "--position", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert mated == {"moves": [], "outcome": -1}


def test_match() -> None:
    answer = call("match", "konane", "searcher:depth=2", "random", "--games", "6", "--size", "6", "--seed", "3")
    assert answer["wins"] + answer["draws"] + answer["losses"] == 6 == len(answer["games"])
    assert answer["wins"] >= 4
    for game in answer["games"]:
        assert game["reason"] == "no move"
        assert game["result"] in (-1, 0, 1)
        assert all(isinstance(move, str) for move in game["moves"])
    again = call(
        "match", "konane", "searcher:depth=2", "random", "--games", "6", "--size", "6", "--seed", "3", "--workers", "2"
    )
    assert again == answer


def test_tournament(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    arguments = [
        "tournament",
        "konane",
        "random",
        "stochastic:depth=1",
        "searcher:depth=1",
        "--size",
        "4",
        "--games",
        "4",
    ]
    answer = call(*arguments, "--csv", str(table))
    assert [len(meeting["games"]) for meeting in answer["meetings"]] == [4, 4, 4]
    assert {row["player"] for row in answer["table"]} == {"random", "stochastic:depth=1", "searcher:depth=1"}
    assert len(table.read_text().splitlines()) == 4
    printed = CliRunner().invoke(commands, arguments)
    assert "searcher:depth=1" in printed.stdout
    assert "95 %" in printed.stdout


def test_show_draws_text_and_pictures(tmp_path: Path) -> None:
    shown = CliRunner().invoke(commands, ["show", "chess"]).stdout
    assert "8 r n b q k b n r" in shown
    assert "white to move" in shown
    for game in ("morris", "konane", "lines_of_action", "chess"):
        file = tmp_path / f"{game}.svg"
        assert CliRunner().invoke(commands, ["show", game, "--svg", "--output", str(file)]).exit_code == 0
        ElementTree.fromstring(file.read_text())
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".svg"] * 4


def test_games_lists_every_game() -> None:
    listed = {row["game"]: row for row in call("games")["games"]}
    assert set(listed) == {"morris", "konane", "lines_of_action", "chess"}
    assert [row["size"] for row in listed.values()] == ["7x7", "8x8", "8x8", "8x8"]
    assert listed["lines_of_action"]["rules"]["both_connected"] == ["win", "draw"]
    assert "konane" in CliRunner().invoke(commands, ["games"]).stdout


def test_rules_can_be_switched() -> None:
    both = ["moves", "lines_of_action", "--size", "4", "--position", "..../..../BBWW/.... W"]
    assert call(*both) == {"moves": [], "outcome": -1}
    assert call(*both, "--rule", "both_connected=draw") == {"moves": [], "outcome": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["perft", "moris", "--depth", "2"], "no game 'moris'; did you mean 'morris'?"),
        (["pertf", "morris"], "no command 'pertf'; did you mean 'perft'?"),
        (["perft", "morris"], "Missing option '--depth'"),
        (["perft", "morris", "--depth", "x"], "Invalid value for '--depth'"),
        (["perft", "konane", "--depth", "1", "--size", "9"], "9x9"),
        (["perft", "konane", "--depth", "1", "--size", "6by5"], "--size '6by5' is not a board size"),
        (["moves", "morris", "--position", "OOO"], "morris position 'OOO'"),
        (["moves", "morris", "--position", "M" * 24 + "0000"], "stones on the board"),
        (["moves", "chess", "--position", "banana"], "banana"),
        (
            ["moves", "lines_of_action", "--rule", "both_connected"],
            "--rule 'both_connected' is not of the form name=value",
        ),
        (["match", "morris", "random", "searchr", "--games", "1"], "no player 'searchr'; did you mean 'searcher'?"),
        (["match", "morris", "random"], "Missing argument 'PLAYER'"),
        (["match", "chess", "random", "engine:/no/such/engine", "--games", "1"], "no engine '/no/such/engine'"),
        (["tournament", "morris", "random"], "at least two players"),
        (["match", "morris", "random", "random", "--games", "0"], "Invalid value for '--games'"),
        (["show", "morris", "--svg", "--output", "/no/such/folder/x.svg"], "cannot write '/no/such/folder/x.svg'"),
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
    assert said.err.startswith("understudy: ")
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_the_program_itself_exits_with_2_and_no_traceback() -> None:
    result = run("moves", "moris")
    assert result.returncode == 2
    assert result.stderr == "understudy: no game 'moris'; did you mean 'morris'?\n"
    assert run("--version").stdout.strip() == f"understudy, version {__version__}"


@given(st.text(max_size=8))
def test_no_text_breaks_the_reader_of_sizes(text: str) -> None:
    try:
        rows, columns = _size(text)
    except BadOption as error:
        assert repr(text) in str(error)
    else:
        assert rows >= 0 and columns >= 0


HELP_AND_PACKAGES = """
import sys
before = set(sys.modules)
sys.argv = ["understudy", "--help"]
from understudy.cli import main
main()
packages = {name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names
print(*sorted(packages), file=sys.stderr)
"""


def test_help_imports_nothing_heavy() -> None:
    """That is what makes it quick: Numba, NumPy or PyTorch alone take longer than all the rest."""
    told = subprocess.run([sys.executable, "-c", HELP_AND_PACKAGES], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("Usage: ")
    assert told.stderr == "click understudy\n"


def test_no_command_of_ours_imports_torch() -> None:
    code = "import sys, understudy.cli, understudy.judges.tournament, understudy.players; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
