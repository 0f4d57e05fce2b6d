"""Random games through each adapter: the same games as played directly, move by move, and how much slower.

Directly means in a match between two random players. Both sides draw from one generator, so a game through an adapter
is the same game only if it has the same legal moves in the same positions and ends at the same time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.table import Line
from understudy.games import CompiledGame, find_game
from understudy.match import Opening, play_games
from understudy.players.basic import NoOptions, Random

GAMES: dict[str, tuple[int, int] | None] = {"morris": None, "konane": (6, 6), "lines_of_action": None, "chess": None}
PLAYED = 1000
LEAST = {"PettingZoo": 0.25, "OpenSpiel": 0.4}
"""What is left of the speed, at least: PettingZoo has masks as long as all moves there are, and three wrappers."""


class Told(NamedTuple):
    """A game as an adapter told it: each ply's legal moves and the move played, and the result for the first side."""

    legal: list[list[int]]
    moves: list[int]
    result: int


def lines() -> Iterator[Line | str]:
    for name, size in GAMES.items():
        game = find_game(name, size)
        for world, (make, play) in WORLDS.items():
            direct, adapted, plies = compare(game, make(game), play, PLAYED)
            yield f"{PLAYED} games of {name} through {world} agree, {plies} plies"
            yield Line(f"{name} through {world}", plies / adapted, "plies/s", "a match", plies / direct, LEAST[world])


def compare(game: CompiledGame, world: Any, play: Callable[..., Told], count: int) -> tuple[float, float, int]:
    """Return the seconds of *count* games directly and through an adapter, and their plies; raise if they differ."""
    play_directly(game, 0), play(world, 0)  # compiles what is compiled at all
    direct = adapted = 0.0
    plies = 0
    for seed in range(count):
        began = time.perf_counter()
        played = play_directly(game, seed)
        middle = time.perf_counter()
        told = play(world, seed)
        direct, adapted = direct + middle - began, adapted + time.perf_counter() - middle
        check(game, played, told, seed)
        plies += len(told.moves)
    return direct, adapted, plies


def play_directly(game: CompiledGame, seed: int) -> Any:
    player = Random(game, NoOptions(), name="random", rng=np.random.default_rng(seed))
    return play_games(game, (player, player), [(Opening(), False)])[0]


def check(game: CompiledGame, played: Any, told: Told, seed: int) -> None:
    """Raise if an adapter told another game than was played."""
    place = f"{game.name}, game {seed}"
    position = game.start()
    for ply, (legal, move) in enumerate(zip(told.legal, played.moves, strict=False)):
        if legal != game.moves(position):
            raise AssertionError(f"{place}, ply {ply}: legal moves {legal} instead of {game.moves(position)}")
        position = game.play(position, move)
    if told.moves != list(played.moves):
        raise AssertionError(f"{place}: moves {told.moves} instead of {list(played.moves)}")
    if told.result != played.result:
        raise AssertionError(f"{place}: result {told.result} instead of {played.result}")


def play_pettingzoo(env: Any, seed: int) -> Told:
    """Play a random game as users of PettingZoo do."""
    rng, told, actions = np.random.default_rng(seed), Told([], [], 0), env.unwrapped.actions
    env.reset(seed=seed)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        legal = np.flatnonzero(observation["action_mask"] == 1)
        env.step(None if terminated or truncated else _draw(actions, legal, told, rng))
    first, second = rewards.values()
    if first != -second:
        raise AssertionError(f"{env}, game {seed}: rewards {rewards} do not sum to nothing")
    return told._replace(result=int(first))


def play_openspiel(spiel: Any, seed: int) -> Told:
    """Play a random game as users of OpenSpiel do."""
    rng, told = np.random.default_rng(seed), Told([], [], 0)
    state = spiel.new_initial_state()
    while not state.is_terminal():
        state.apply_action(_draw(spiel.actions, np.array(state.legal_actions()), told, rng))
    first, second = state.returns()
    if first != -second:
        raise AssertionError(f"{spiel}, game {seed}: returns {state.returns()} do not sum to nothing")
    return told._replace(result=int(first))


def _draw(actions: Any, legal: Any, told: Told, rng: np.random.Generator) -> int:
    """Draw one of the legal actions as our random player does, in the order of codes, and note what was seen."""
    codes = np.sort(actions.codes[legal])
    move = int(codes[rng.integers(len(codes))])
    told.legal.append(codes.tolist())
    told.moves.append(move)
    return int(actions.numbers[move])


def _make_env(game: CompiledGame) -> Any:
    from understudy.adapters import pettingzoo  # here, because other benchmarks do without it

    return pettingzoo.env(game)


def _make_spiel(game: CompiledGame) -> Any:
    from understudy.adapters import openspiel

    return openspiel.load_game(game)


WORLDS: dict[str, tuple[Callable[..., Any], Callable[..., Told]]] = {
    "PettingZoo": (_make_env, play_pettingzoo),
    "OpenSpiel": (_make_spiel, play_openspiel),
}
