"""Choosers that search inside kernels choose as the players they stand for; contests are games played by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.games import CompiledGame, find_game, rules
from understudy.players import make_player
from understudy.search.choosers import Guessing, Looking, choose, contest, make_room, name_moves
from understudy.search.evaluators import find_evaluator, value
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_plan

NO_MOVES = name_moves(())
FIVE = find_game("lines_of_action", (5, 5))
ALOA = find_evaluator("lines_of_action", "aloa")
SEEN = ("sides", "quads", "shape", "threats", "turn")


def room(seed: int = 0) -> Any:
    return make_room(FIVE.most_moves, np.random.default_rng(seed))


def network(game: CompiledGame, seed: int, *, both: bool) -> Any:
    plan = make_plan(game, NetworkOptions(inputs=SEEN, hidden=5, both=both))
    return express(plan, np.random.default_rng(seed).normal(0, 0.3, plan.length))


def positions(game: CompiledGame, seeds: int, step: int) -> list[Any]:
    return [
        position
        for seed in range(seeds)
        for position, _ in random_line(game, 40, seed)[seed % step :: step]
        if game.moves(position)
    ]


def chosen(chooser: Any, position: Any, room: Any) -> int:
    place = choose(chooser, position, room)
    return int(room.codes[place])


@pytest.mark.parametrize("size", [4, 5, 8])
def test_looking_is_the_searcher(size: int) -> None:
    game = find_game("lines_of_action", (size, size))
    scratch = room()
    for depth in (1, 2, 3):
        player = make_player(f"searcher:depth={depth},evaluator=aloa", game)
        asked = positions(game, 3, 7)
        moves = [choice.move for choice in player.choose(asked)]
        assert [chosen(Looking(ALOA, depth), position, scratch) for position in asked] == moves


@pytest.mark.parametrize("both", [False, True])
def test_looking_with_a_network_is_minimax(both: bool) -> None:
    scratch, evaluator = room(), network(FIVE, 1, both=both)
    different = 0
    for place, position in enumerate(positions(FIVE, 4, 9)):
        depth = 1 + place % 3
        player = make_player(f"searcher:depth={depth},method=minimax", FIVE)
        player.evaluator = evaluator  # type: ignore[attr-defined]
        choice = player.choose([position])[0]
        move = chosen(Looking(evaluator, depth), position, scratch)
        assert move == choice.move
        different += move != chosen(Looking(ALOA, depth), position, scratch)
    assert different > 0


def test_an_unaware_search_takes_a_finished_game_for_any_other() -> None:
    evaluator, scratch, overlooked = network(FIVE, 3, both=False), room(), 0
    for position in positions(FIVE, 12, 3):
        worth = {move: -value(evaluator, rules.play(position, move), False) for move in FIVE.moves(position)}
        move = chosen(Looking(evaluator, 1, 0, 1), position, scratch)
        assert worth[move] == max(worth.values())
        overlooked += bool(wins(position)) and move not in wins(position)
    assert overlooked, "it must pass by a win somewhere"


def test_equal_moves_are_shuffled_if_asked() -> None:
    flat = ALOA._replace(centrality=0.0, edge=0.0, quads=0.0)
    first = chosen(Looking(flat, 1), FIVE.start(), room())
    assert first == FIVE.moves(FIVE.start())[0]
    scratch = room(3)
    moves = {chosen(Looking(flat, 1, 1), FIVE.start(), scratch) for _ in range(300)}
    assert moves == set(FIVE.moves(FIVE.start()))


def wins(position: Any) -> list[int]:
    """Return the moves that end the game with a win."""
    return [move for move in FIVE.moves(position) if FIVE.outcome(FIVE.play(position, move)) == -1]


def test_guessing_sees_wins_and_losses_and_nothing_else() -> None:
    scratch, won, saved = room(), 0, 0
    for position in positions(FIVE, 40, 3):
        moves = FIVE.moves(position)
        winning = wins(position)
        safe = [
            move
            for move in moves
            if FIVE.outcome(FIVE.play(position, move)) != 1 and not wins(FIVE.play(position, move))
        ]
        if winning:
            won += 1
            assert chosen(Guessing(1), position, scratch) in winning
            assert chosen(Guessing(2), position, scratch) in winning
        elif 0 < len(safe) < len(moves):
            saved += 1
            assert chosen(Guessing(2), position, scratch) in safe
    assert won > 10 and saved > 10
    start = FIVE.start()
    assert len({chosen(Guessing(1), start, scratch) for _ in range(200)}) > len(FIVE.moves(start)) / 2
    again = [[chosen(Guessing(2), start, again) for _ in range(5)] for again in (room(7), room(7))]
    assert again[0] == again[1]


def replayed(start: Any, one: Any, other: Any, second: int, limit: int) -> tuple[int, int]:
    """Play the game of two choosers that leave nothing to chance, move by move."""
    scratch, position, plies = room(), start, 0
    while FIVE.moves(position) and plies < limit:
        mover = one if position.ply % 2 == second else other
        position = FIVE.play(position, chosen(mover, position, scratch))
        plies += 1
    outcome = FIVE.outcome(position)
    if outcome is None:
        return 0, plies
    return int(outcome) if position.ply % 2 == second else -int(outcome), plies


def test_a_contest_is_the_game_of_its_choosers() -> None:
    scratch = room()
    one, other = Looking(ALOA, 2), Looking(network(FIVE, 2, both=True), 1)
    results = []
    for seed in range(6):
        start = random_line(FIVE, 6, seed)[seed % 3][0]
        for second in (0, 1):
            result = contest(start, NO_MOVES, one, other, second, 60, scratch)
            assert result[:2] == replayed(start, one, other, second, 60)
            back = contest(start, NO_MOVES, other, one, 1 - second, 60, scratch)
            assert back[:2] == (-result[0], result[1]), "the other side sees the opposite"
            results.append(result[0])
    assert results.count(1) > 6, "aloa at two plies is better than a network of random weights at one"


def test_a_contest_ends_at_its_limit_and_is_then_a_draw() -> None:
    scratch, one = room(), Looking(ALOA, 1)
    whole = contest(FIVE.start(), NO_MOVES, one, one, 0, 1 << 40, scratch)
    assert whole[1] > 4 and whole[0] != 0
    for limit in range(whole[1]):
        assert contest(FIVE.start(), NO_MOVES, one, one, 0, limit, scratch)[:2] == (0, limit)
    assert contest(FIVE.start(), NO_MOVES, one, one, 0, whole[1], scratch) == whole


def test_a_game_that_is_over_is_not_played() -> None:
    over = FIVE.read("BB.../...../...W./...../W.... W")
    assert rules.outcome(over, 1) == -1
    scratch, one = room(), Looking(ALOA, 1)
    assert contest(over, NO_MOVES, one, one, over.ply & 1, 50, scratch)[:2] == (-1, 0), "the side to move has lost"
    assert contest(over, NO_MOVES, one, one, 1 - (over.ply & 1), 50, scratch)[:2] == (1, 0)
