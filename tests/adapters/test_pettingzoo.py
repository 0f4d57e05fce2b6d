"""Our games as environments of PettingZoo, by its own tests and against our matches."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from understudy.errors import BadOption, IllegalMove, NotationError, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.drawing import draw_text

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'understudy-games[pettingzoo]'")

from pettingzoo.test import api_test, seed_test

from benchmarks.bench_adapters import Told, check, compare, play_directly, play_pettingzoo
from understudy.adapters.pettingzoo import GameEnv, env, raw_env

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"


@pytest.mark.filterwarnings(
    "ignore:We recommend agents to be named",  # ours are named by colours
    "ignore:Observation space for each agent probably should be",  # PettingZoo's own games have
    "ignore:Observation is not a NumPy array",  # a mask beside the observation, too
)
def test_its_own_tests_pass(any_game: CompiledGame) -> None:
    api_test(env(any_game), num_cycles=400)
    api_test(raw_env(any_game), num_cycles=400)
    seed_test(lambda: env(any_game), num_cycles=50)


def test_random_games_are_those_of_a_match(any_game: CompiledGame) -> None:
    _, _, plies = compare(any_game, env(any_game), play_pettingzoo, 24)
    assert plies > 24


def test_the_comparison_can_fail() -> None:
    game = find_game("konane", (4, 4))
    played, told = play_directly(game, 0), play_pettingzoo(env(game), 0)
    check(game, played, told, 0)
    for wrong, match in (
        (told._replace(result=-told.result), "result"),
        (told._replace(moves=told.moves[:-1]), "moves"),
        (told._replace(legal=[[0], *told.legal[1:]]), "legal moves"),
        (Told([], [], 0), "moves"),
    ):
        with pytest.raises(AssertionError, match=match):
            check(game, played, wrong, 0)


def test_both_agents_see_the_board_and_only_the_mover_has_actions() -> None:
    world = env("chess")
    world.reset()
    white, black = world.observe("white"), world.observe("black")
    assert white["action_mask"].sum() == 20 and black["action_mask"].sum() == 0
    assert (white["observation"] == black["observation"]).all()  # the start looks the same from both sides
    world.step(int(np.flatnonzero(white["action_mask"])[0]))
    assert world.agent_selection == "black" and world.observe("white")["action_mask"].sum() == 0
    assert (world.observe("white")["observation"] != world.observe("black")["observation"]).any()


def test_a_limit_of_plies_truncates_and_all_other_ends_terminate() -> None:
    ends = set()
    for name, size, first, second in (("lines_of_action", 8, "black", "white"), ("morris", None, "white", "black")):
        world = raw_env(name, size)
        for seed in range(20):
            play_to_the_end(world, seed)
            reason, cut = world.infos[first]["reason"], world.truncations[first]
            assert cut == (reason == "ply limit") and world.terminations[second] != cut
            assert world.rewards[first] == -world.rewards[second] == world.course.played.result
            ends.add(reason)
    assert {"ply limit", "repetition", "removing"} <= ends


def play_to_the_end(world: GameEnv, seed: int) -> None:
    rng = np.random.default_rng(seed)
    world.reset()
    while world.course.played is None:
        legal = world.actions.legal(world.course.position)
        world.step(legal[rng.integers(len(legal))])


def test_an_illegal_action_ends_the_game_or_raises() -> None:
    world = env("konane", 6)
    world.reset()
    world.step(1)
    assert world.terminations == {"black": True, "white": True} and world.rewards == {"black": -1.0, "white": 0}
    bare = raw_env("konane", 6)
    bare.reset()
    before = bare.course.position
    for action, match in (
        (1, "is not legal in"),
        (9999, "no action 9999"),
        (None, "black is to move and gave no action"),
    ):
        with pytest.raises(IllegalMove, match=match):
            bare.step(action)
    assert bare.course.position is before and bare.course.moves == []


def test_positions_to_begin_from() -> None:
    world = raw_env("chess")
    world.reset(options={"position": "8/8/8/8/8/1k6/1r6/K7 b - - 0 1"})
    assert world.agent_selection == "black"
    with pytest.raises(BadOption, match=r"chess: the game is over in .* \(checkmate\)"):
        world.reset(options={"position": MATED})
    with pytest.raises(NotationError):
        world.reset(options={"position": "nonsense"})


def test_the_board_as_text() -> None:
    game = find_game("konane", (4, 4))
    world = env(game, render_mode="ansi")
    world.reset()
    assert world.render() == draw_text(game.board, game.stones(game.start()))
    with pytest.raises(UnknownName, match="no render mode 'human'"):
        env(game, render_mode="human")


def test_without_the_package_a_sentence_names_the_extra() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import understudy.adapters.pettingzoo"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1].endswith("pip install 'understudy-games[pettingzoo]'")
