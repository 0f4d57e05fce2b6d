"""A game and a player of another package do all that ours do, without a word changed here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import random_line
from understudy.cli import commands
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game, find_kind, game_names, rules
from understudy.games.drawing import draw_svg, draw_text
from understudy.games.game import CompiledGame
from understudy.players import make_player

pytestmark = pytest.mark.usefixtures("outside")

EVOLUTION = """
[experiment]
kind = "evolution"
game = "hexapawn"
size = "4x4"

[network]
inputs = ["features"]
hidden = 4

[trainer]
kind = "steady"
generations = 2
population = 4
depth = 2

[judging]
monitors = []
benchmarks = ["random"]
baselines = []
measured = 2
opponents = ["random"]
matches = 2
"""


@pytest.fixture
def hexapawn() -> CompiledGame:
    return find_game("hexapawn")


@pytest.fixture
def run() -> Callable[..., Result]:
    return lambda *words: CliRunner().invoke(commands, [str(word) for word in words])


def test_it_is_listed_and_a_broken_one_is_named_and_left_out(run: Callable[..., Result]) -> None:
    assert game_names()[-1] == "hexapawn"
    result = run("games", "--json")
    assert result.exit_code == 0
    assert [game["game"] for game in json.loads(result.stdout)["games"]][-1] == "hexapawn"
    assert "'broken'" in result.stderr and "nobody has written this game yet" in result.stderr
    with pytest.raises(BadOption, match="nobody has written"):
        find_kind("broken")
    with pytest.raises(BadOption, match="is no GameKind of a new name"):
        find_kind("odd")
    with pytest.raises(UnknownName, match="hexapawn"):
        find_game("hexapawm")


def test_players_that_cannot_be_made_are_one_sentence(hexapawn: CompiledGame) -> None:
    with pytest.raises(BadOption, match=r"player 'broken' of .* cannot be loaded: nobody has written this game yet"):
        make_player("broken", hexapawn)
    with pytest.raises(BadOption, match=r"player 'odd' of .* is no PlayerKind"):
        make_player("odd", hexapawn)
    with pytest.raises(UnknownName, match="did you mean 'last'"):
        make_player("lats", hexapawn)


def test_its_rules_and_text_hold_together(hexapawn: CompiledGame) -> None:
    for seed in range(20):
        for position, move in random_line(hexapawn, 60, seed):
            assert hexapawn.moves(position) == sorted(set(hexapawn.moves(position)))
            assert hexapawn.read(hexapawn.write(position))[:3] == position[:3]
            assert hexapawn.read_move(position, hexapawn.write_move(position, move)) == move
            assert rules.turn(rules.turn(position))[:3] == position[:3]
            for image, turned in hexapawn.symmetries(position, move):
                assert turned in hexapawn.moves(image)


def test_it_is_drawn(hexapawn: CompiledGame) -> None:
    stones = hexapawn.stones(hexapawn.start())
    assert draw_text(hexapawn.board, stones).splitlines()[0] == "5 X X X X X"
    assert draw_svg(hexapawn.board, stones).startswith("<svg")


def test_it_is_searched_as_by_minimax(hexapawn: CompiledGame) -> None:
    small = find_game("hexapawn", (3, 3))
    # Gardner (1962): with best play the second player wins on 3 x 3.
    assert make_player("searcher:depth=12", small).choose([small.start()])[0].value == -1.0
    position = random_line(hexapawn, 6, 1)[-1][0]
    fast, plain = (
        make_player(f"searcher:depth=4,method={method}", hexapawn).choose([position])[0].value
        for method in ("negascout", "minimax")
    )
    assert fast == plain


def test_it_is_played_and_a_player_from_outside_plays_it(run: Callable[..., Result]) -> None:
    result = run("match", "hexapawn", "searcher:depth=5", "random", "--games", 10, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["wins"] >= 8
    table = run("tournament", "hexapawn", "random", "last", "stochastic", "--games", 4)
    assert table.exit_code == 0, table.output


def test_it_is_watched(run: Callable[..., Result], tmp_path: Path) -> None:
    words = ("--teacher", "searcher:depth=2", "--opponent", "random", "--games", 4, "--run", tmp_path / "run")
    result = run("watch", "hexapawn", *words)
    assert result.exit_code == 0, result.output
    told = run("data", tmp_path / "run" / "records.parquet")
    assert told.exit_code == 0 and "hexapawn" in told.output


def test_its_networks_evolve(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(EVOLUTION)
    result = run("run", tmp_path / "it.toml", "--run", tmp_path / "run")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "run" / "report.html").exists()
    assert run("match", "hexapawn", f"student:{tmp_path / 'run'}", "random", "--size", "4", "--games", 2).exit_code == 0


IMITATION = """
[experiment]
game = "hexapawn"
size = "4x4"

[watch]
teacher = "searcher:depth=1"
opponents = ["random"]
regular = 12

[network]
width = 20
hidden = 20
blocks = 1

[training]
epochs = 1

[judging]
games = 2
"""


def test_its_moves_are_imitated(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "hexapawn.toml").write_text(IMITATION)
    folder = tmp_path / "run"
    result = run("run", tmp_path / "hexapawn.toml", "--run", folder)
    assert result.exit_code == 0, result.output
    judged = run("judge", f"student:{folder}", "--records", folder / "records.parquet", "--json")
    verdict = json.loads(judged.stdout)[f"student:{folder}"]
    assert verdict["accuracy.whole"]["sample"] > 10 and "legality.to_from" in verdict
