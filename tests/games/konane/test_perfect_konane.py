"""The perfect player: it never lets go of a win, and makes losing hard for the other side."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.conftest import random_line
from understudy.backends import Local
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game, rules
from understudy.games.konane.solving import Solver
from understudy.judges.tournament import play_match
from understudy.match import Opening, play_games
from understudy.players import make_player, prepare

SMALL = find_game("konane", (4, 4))
LARGE = find_game("konane", (6, 6))


@cache
def wins(position: Any) -> bool:
    return any(not wins(rules.play(position, move)) for move in SMALL.moves(position))


def some_positions(game: CompiledGame, *, ply: int, games: int) -> list[Any]:
    lines = (random_line(game, 99, seed) for seed in range(games))
    return [position for line in lines for position, _ in line if position.ply >= ply]


def test_it_wins_every_game_as_white_on_4x4() -> None:
    players = make_player("random", SMALL, seed=1), make_player("perfect", SMALL, seed=2)
    played = play_games(SMALL, players, [(Opening(), False)] * 60)
    assert {game.result for game in played} == {-1}
    assert len({game.moves for game in played}) > 5


def test_it_wins_every_won_position_of_6x6() -> None:
    positions = some_positions(LARGE, ply=11, games=4)
    solver = Solver(LARGE)
    won = [position for position in positions if solver.wins(position)]
    assert 10 < len(won) < len(positions)
    players = make_player("perfect", LARGE, seed=1), make_player("random", LARGE, seed=2)
    for position in won:
        swapped = position.ply % 2 == 1
        (game,) = play_games(LARGE, players, [(Opening(start=position), swapped)])
        assert game.result == (-1 if swapped else 1)


def test_what_it_says_is_so() -> None:
    for ties in ("first", "random"):
        player = make_player(f"perfect:ties={ties}", SMALL, seed=3)
        positions = some_positions(SMALL, ply=0, games=12)
        for position, choice in zip(positions, player.choose(positions), strict=True):
            assert choice.value == (1.0 if wins(position) else -1.0)
            expected = {move: -1.0 if wins(rules.play(position, move)) else 1.0 for move in SMALL.moves(position)}
            assert choice.scores == expected
            assert expected[choice.move] == choice.value
            if ties == "first" and choice.value > 0:
                assert choice.move == next(move for move, score in expected.items() if score > 0)


def test_a_lost_position_is_made_hard() -> None:
    lost = [position for position in some_positions(SMALL, ply=0, games=30) if not wins(position)]
    chosen = make_player("perfect", SMALL, seed=4).choose(lost)
    differing = 0
    for position, choice in zip(lost, chosen, strict=True):
        shares = {move: winning_share(rules.play(position, move)) for move in SMALL.moves(position)}
        assert shares[choice.move] == min(shares.values())
        differing += len(set(shares.values())) > 1
    assert differing > 5


def winning_share(position: Any) -> float:
    replies = SMALL.moves(position)
    return sum(not wins(rules.play(position, move)) for move in replies) / len(replies)


def test_ties_are_broken_by_the_seed_or_by_the_order_of_moves() -> None:
    after = SMALL.play(SMALL.start(), 0)
    assert all(not wins(rules.play(after, move)) for move in SMALL.moves(after))
    drawn = Counter(choice.move for choice in make_player("perfect", SMALL, seed=5).choose([after] * 400))
    assert set(drawn) == set(SMALL.moves(after)) and all(150 < times < 250 for times in drawn.values())
    first = make_player("perfect:ties=first", SMALL, seed=5).choose([after] * 20)
    assert {choice.move for choice in first} == {SMALL.moves(after)[0]}


def test_a_match_is_the_same_for_any_number_of_workers() -> None:
    settings = {"games": 40, "seed": 3, "opening_plies": 2}
    one, two = (
        play_match(SMALL, ("perfect", "perfect:ties=first"), backend=Local(workers), **settings) for workers in (1, 2)
    )
    assert one == two


def test_edges() -> None:
    player = make_player("perfect", SMALL)
    prepare(player)
    assert player.choose([]) == []
    ended = random_line(SMALL, 99, 1)[-1]
    assert player.choose([rules.play(*ended)])[0].fault == "no move"


@pytest.mark.parametrize(
    ("text", "game", "error", "message"),
    [
        ("perfect", find_game("konane"), BadOption, "at most 36 cells, not on 8x8"),
        ("perfect:tables=x", find_game("konane", (4, 4)), BadOption, "tables=x goes with a game that has tables"),
        ("perfect:ties=none", SMALL, UnknownName, "no ties of perfect 'none'; there are: first, random"),
        ("perfect:depth=3", SMALL, UnknownName, "option of player 'perfect' 'depth'"),
    ],
)
def test_bad_players_are_refused(text: str, game: CompiledGame, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make_player(text, game)
    assert message in str(caught.value)
