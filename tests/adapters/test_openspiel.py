"""Our games as games of OpenSpiel, by its own tests and algorithms; and its bots in our matches."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from understudy.cli import commands
from understudy.errors import BadOption, IllegalMove, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.match import Opening, play_games, random_openings
from understudy.players import make_player
from understudy.solve import shared_solver

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'understudy-games[openspiel]'")

import pyspiel
from open_spiel.python.algorithms import evaluate_bots, mcts, minimax

from benchmarks.bench_adapters import compare, play_openspiel
from understudy.adapters.openspiel import load_game

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
FOUR = find_game("konane", (4, 4))


def test_its_own_test_passes(any_game: CompiledGame) -> None:
    """It plays random games, copies, writes and reads states, and looks at every one of them."""
    pyspiel.random_sim_test(load_game(any_game), num_sims=2, serialize=True, verbose=False)


def test_random_games_are_those_of_a_match(any_game: CompiledGame) -> None:
    _, _, plies = compare(any_game, load_game(any_game), play_openspiel, 24)
    assert plies > 24


def test_a_game_is_loaded_by_its_text_with_size_and_rules() -> None:
    rules = {"both_connected": "draw", "no_move": "loss"}
    spiel = load_game("lines_of_action", 5, **rules)
    assert str(spiel) == "python_understudy(game=lines_of_action,rules=both_connected:draw;no_move:loss,size=5x5)"
    for same in (pyspiel.load_game(str(spiel)), pickle.loads(pickle.dumps(spiel))):
        assert same.actions.game is find_game("lines_of_action", (5, 5), rules)
    assert pyspiel.load_game("python_understudy(game=konane,size=6x6)").actions.game is find_game("konane", (6, 6))


@pytest.mark.parametrize("size", [(2, 5), (3, 3), (3, 4), (4, 3), (4, 4)])
def test_its_minimax_finds_the_value_that_our_solver_finds(size: tuple[int, int]) -> None:
    game = find_game("konane", size)
    value, action = minimax.alpha_beta_search(load_game(game))
    won = shared_solver(game).values(game.start())
    assert value == (1.0 if any(won.values()) else -1.0)
    assert value < 0 or won[load_game(game).actions.move(action)]


def test_its_minimax_agrees_wherever_a_game_has_come_to() -> None:
    spiel, rng = load_game(FOUR), np.random.default_rng(1)
    values = set()
    for _ in range(12):
        state = spiel.new_initial_state()
        for _ in range(int(rng.integers(2, 7))):
            state.apply_action(int(rng.choice(state.legal_actions())))
            if state.is_terminal():
                break
        else:
            value, _ = minimax.alpha_beta_search(spiel, state=state)
            won = any(shared_solver(FOUR).values(state.course.position).values())
            assert value == (1.0 if won else -1.0)
            values.add(value)
    assert values == {-1.0, 1.0}


def test_its_tree_search_plays_and_beats_chance() -> None:
    spiel, points = load_game(FOUR), 0.0
    for seed in range(10):
        rng = np.random.RandomState(seed)
        tree = mcts.MCTSBot(spiel, 2.0, 30, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
        bots = [tree, pyspiel.make_uniform_random_bot(1, seed)]
        points += evaluate_bots.evaluate_bots(spiel.new_initial_state(), bots, rng)[0]
    assert points > 0


def test_what_a_state_tells() -> None:
    game = find_game("chess")
    spiel = load_game(game)
    state, move = spiel.new_initial_state(), game.read_move(game.start(), "e4")
    action = spiel.actions.action(move)
    assert state.action_to_string(0, action) == game.write_move(game.start(), move)
    assert state.action_to_string(0, 0) == "0-0-0"  # no piece goes from a1 to a1, and OpenSpiel may ask all the same
    state.apply_action(action)
    assert state.current_player() == 1 and str(state).endswith("black")
    assert len(state.observation_tensor(0)) == spiel.actions.game.feature_count
    assert state.observation_tensor(0) != state.observation_tensor(1)
    assert state.observation_string(0) == str(state) and state.information_state_string(0) == str(action)


def test_a_copy_goes_its_own_way() -> None:
    state = load_game(FOUR).new_initial_state()
    other = state.clone()
    other.apply_action(other.legal_actions()[0])
    assert state.course.position == FOUR.start() and other.course.position.ply == 1
    assert other.course.seen != state.course.seen


def test_repetition_counts_in_a_state_that_has_a_history() -> None:
    game = find_game("morris")
    player = make_player("random", game, seed=3)
    games = play_games(game, (player, player), [(Opening(), False)] * 50)
    drawn = next(played for played in games if played.reason == "repetition")
    line = [game.start()]
    for move in drawn.moves:
        line.append(game.play(line[-1], move))
    spiel = load_game(game)
    known, unknown = spiel.state_at(line[-2], line[:-2]), spiel.state_at(line[-2])
    for state in (known, unknown):
        state.apply_action(spiel.actions.action(drawn.moves[-1]))
    assert known.is_terminal() and known.returns() == [0.0, 0.0] and not unknown.is_terminal()


def test_a_finished_game_takes_no_action() -> None:
    spiel = load_game("chess")
    state = spiel.state_at(find_game("chess").read(MATED))
    assert state.is_terminal() and state.legal_actions() == [] and state.returns() == [-1.0, 1.0]
    with pytest.raises(IllegalMove, match=r"chess: the game is over \(checkmate\)"):
        state.apply_action(1)
    with pytest.raises(IllegalMove, match="is not legal in"):
        spiel.new_initial_state().apply_action(1)


def test_bad_parameters_are_one_sentence() -> None:
    with pytest.raises(UnknownName, match="no game 'konan'; did you mean 'konane'"):
        load_game("konan")
    with pytest.raises(BadOption, match="99x99"):
        pyspiel.load_game("python_understudy(game=konane,size=99x99)")
    with pytest.raises(UnknownName, match="no game ''"):
        pyspiel.load_game("python_understudy")
    with pytest.raises(BadOption, match="chess has no rule 'bold'"):
        pyspiel.load_game("python_understudy(game=chess,rules=bold:yes)")


@pytest.mark.parametrize(
    "bot", ["openspiel:mcts,simulations=10", "openspiel:uniform_random", "openspiel:simulations=4"]
)
def test_a_bot_plays_whole_matches_and_the_same_ones_from_a_seed(bot: str) -> None:
    game = find_game("konane", (6, 6))

    def play() -> list[tuple[int, ...]]:
        players = make_player(bot, game, seed=1), make_player("random", game, seed=2)
        openings = random_openings(game, 3, plies=2, rng=np.random.default_rng(0))
        games = play_games(game, players, [(opening, swapped) for opening in openings for swapped in (False, True)])
        assert {played.reason for played in games} == {"no move"}
        return [played.moves for played in games]

    assert play() == play()


def test_a_bot_plays_every_game(any_game: CompiledGame) -> None:
    players = make_player("openspiel:uniform_random", any_game, seed=1), make_player("random", any_game, seed=2)
    for played in play_games(any_game, players, [(Opening(), False), (Opening(), True)]):
        assert played.reason != "illegal move" and len(played.moves) > 2


def test_a_bot_takes_the_win_that_it_sees() -> None:
    game = find_game("chess")
    position = game.read("7k/R7/1R6/8/8/8/8/K7 w - - 0 1")
    choice = make_player("openspiel:mcts,simulations=200", game, seed=1).choose([position])[0]
    assert choice.move == game.read_move(position, "Rb8")


def test_a_bot_has_no_move_where_the_game_is_over() -> None:
    game = find_game("chess")
    choice = make_player("openspiel:uniform_random", game).choose([game.read(MATED)])[0]
    assert choice.fault == "no move"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("openspiel:alphago", "no bot of OpenSpiel that can play here 'alphago'; there are: mcts, uniform_random"),
        ("openspiel:mcts,simulations=1", "simulations must be from 2 to"),
        ("openspiel:mcts,rollouts=0", "rollouts must be from 1 to"),
        ("openspiel:mcts,exploration=-1", "exploration must be from 0 to"),
        ("openspiel:uniform_random,simulations=9", "does not think; bot can be chosen, not simulations"),
        ("openspiel:mcts,depth=3", "no option of player 'openspiel' 'depth'"),
    ],
)
def test_bots_that_there_are_not(text: str, match: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=match):
        make_player(text, FOUR)


def test_a_match_on_the_command_line() -> None:
    words = "match konane openspiel:mcts,simulations=4 random --size 4 --games 2".split()
    result = CliRunner().invoke(commands, words)
    assert result.exit_code == 0, result.output
    assert "openspiel:mcts,simulations=4" in result.output


def test_without_the_package_a_sentence_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['pyspiel'] = None; sys.argv = 'understudy match konane openspiel random'.split();"
        "from understudy.cli import main; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and run.stderr.strip().endswith("pip install 'understudy-games[openspiel]'")
    assert "Traceback" not in run.stderr
