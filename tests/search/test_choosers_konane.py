"""Choosers and duels against minimax written again in plain Python, and against exact figures on 4x4."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.games.konane.test_evaluators_konane import counts, plain, positions
from understudy.games import CompiledGame, find_game
from understudy.games.konane.evaluators import EVALUATORS
from understudy.judges.duels import count_marks
from understudy.search.choosers import LOST, WON, Anyone, Minimax, choose, duel, make_room, name_moves
from understudy.search.minimax import minimax
from understudy.search.workspace import BLIND, clear, make_workspace

SMALL = find_game("konane", (4, 4))
WIN = 1e9


def searched(game: CompiledGame, position: Any, depth: int, letter: str, *, blind: bool, template: bool) -> list[float]:
    """Return what the side to move thinks of each of its moves."""

    def judged(position: Any, *, judge_moves: bool) -> float:
        mine, theirs = (counts(game, position, side, template=template) for side in (0, 1))
        return plain(letter, mine, theirs) if judge_moves else plain(letter, theirs, mine)

    def worth(position: Any, depth: int, plies: int) -> float:
        judge_moves = plies % 2 == 0
        if depth == 0 and blind:
            return judged(position, judge_moves=judge_moves)
        moves = game.moves(position)
        if not moves:
            return (plies - WIN) if judge_moves else (WIN - plies)
        if depth == 0:
            return judged(position, judge_moves=judge_moves)
        below = [worth(game.play(position, move), depth - 1, plies + 1) for move in moves]
        return max(below) if judge_moves else min(below)

    return [worth(game.play(position, move), depth - 1, 1) for move in game.moves(position)]


@pytest.mark.parametrize("blind", [False, True])
@pytest.mark.parametrize(("size", "depth"), [(4, 1), (4, 2), (4, 4), (6, 1), (6, 2), (6, 3)])
def test_minimax_is_what_plain_python_finds(size: int, depth: int, blind: bool) -> None:
    game = find_game("konane", (size, size))
    workspace, values = make_workspace(game.most_moves), np.zeros(game.most_moves)
    clear(workspace)
    workspace["tally"][BLIND] = blind
    chosen = [position for position in positions(game, 2) if game.moves(position)]
    if depth > 2:
        chosen = chosen[:3] + chosen[3::5]
    for place, position in enumerate(chosen):
        letter, template = "gjkqcnp"[place % 7], place % 2 == 0
        evaluator = EVALUATORS[letter if template else f"{letter}_jumps"]
        minimax(position, evaluator, depth, values, workspace)
        expected = searched(game, position, depth, letter, blind=blind, template=template)
        assert values[: len(expected)].tolist() == pytest.approx(expected)


def test_a_blind_horizon_leaves_the_end_of_a_game_to_the_evaluator() -> None:
    game = SMALL
    room = make_room(game.most_moves, np.random.default_rng(0))
    different = 0
    for position in positions(game, 40):
        winning = {i for i, move in enumerate(game.moves(position)) if not game.moves(game.play(position, move))}
        if winning:
            assert choose(Minimax(EVALUATORS["g"], 1), position, room) in winning
            different += choose(Minimax(EVALUATORS["g"], 1, 1), position, room) not in winning
    assert different > 0


@pytest.mark.parametrize("pair", ["ef", "kl", "qr"])
@pytest.mark.parametrize("blind", [0, 1])
def test_functions_that_differ_by_a_factor_are_one_player(pair: str, blind: int) -> None:
    game = find_game("konane", (6, 6))
    rooms = [make_room(game.most_moves, np.random.default_rng(3)) for _ in pair]
    chosen = [position for position in positions(game, 4) if game.moves(position)]
    for suffix in ("", "_jumps"):
        for depth in (1, 2, 3):
            choosers = [Minimax(EVALUATORS[letter + suffix], depth, blind) for letter in pair]
            for position in chosen:
                one, other = (choose(chooser, position, room) for chooser, room in zip(choosers, rooms, strict=True))
                assert one == other
            assert rooms[0].random_state[0] == rooms[1].random_state[0]


@pytest.mark.parametrize("pair", ["ef", "kl", "qr"])
def test_and_play_the_same_games(pair: str) -> None:
    start = find_game("konane").start()
    for other in (Anyone(), Minimax(EVALUATORS["p"], 2, 1)):
        both = [played(start, Minimax(EVALUATORS[letter], 2, 1), other, games=60, seed=8) for letter in pair]
        assert np.array_equal(*both)


def played(start: Any, one: Any, other: Any, *, games: int, seed: int) -> Any:
    marks = np.zeros(games, np.int64)
    duel(start, name_moves(()), one, other, games, 64, make_room(128, np.random.default_rng(seed)), marks)
    return np.array(count_marks(marks)[:2])


Choices = Callable[[Any], list[int]]


def anyone(position: Any) -> list[int]:
    """Return the moves of a player that chooses at random."""
    return SMALL.moves(position)


@cache
def depth_one(letter: str, *, template: bool = True) -> Choices:
    """Return who takes any of the best moves by its evaluation of the next position."""

    @cache
    def best(position: Any) -> list[int]:
        values = searched(SMALL, position, 1, letter, blind=True, template=template)
        return [move for move, value in zip(SMALL.moves(position), values, strict=True) if value == max(values)]

    return best


@cache
def won_by_black(black: Choices, white: Choices) -> Fraction:
    """Return how often Black wins 4x4, exactly."""

    @cache
    def won(position: Any) -> Fraction:
        """Return how often the side to move wins."""
        if not SMALL.moves(position):
            return Fraction(0)
        chosen = (black, white)[position.ply % 2](position)
        return sum((1 - won(SMALL.play(position, move)) for move in chosen), Fraction(0)) / len(chosen)

    return won(SMALL.start())


def test_exact_figures_of_4x4() -> None:
    assert float(won_by_black(anyone, anyone)) == pytest.approx(0.4276, abs=5e-5)
    q, jumping = depth_one("q"), depth_one("q", template=False)
    assert float(won_by_black(q, anyone)) == pytest.approx(0.645, abs=5e-4) and won_by_black(anyone, q) == 0
    assert float(won_by_black(jumping, anyone)) == pytest.approx(0.720, abs=5e-4)
    assert won_by_black(jumping, jumping) == won_by_black(q, q) == 0
    for letter in "abcdef":
        one = depth_one(letter)
        assert won_by_black(one, anyone) + 1 - won_by_black(anyone, one) == 1


@pytest.mark.parametrize("letter", ["a", "f", "g", "o", "q"])
def test_duels_come_near_the_exact_figures(letter: str) -> None:
    games = 20_000
    results = played(SMALL.start(), Minimax(EVALUATORS[letter], 1, 1), Anyone(), games=games, seed=5)
    one = depth_one(letter)
    exact = [won_by_black(one, anyone), 1 - won_by_black(anyone, one)]
    assert results.sum(axis=1).tolist() == [games // 2, games // 2] and results[:, 1].sum() == 0
    for side in (0, 1):
        share, error = float(exact[side]), 4 * (0.25 / (games / 2)) ** 0.5
        assert results[side, WON] / (games / 2) == pytest.approx(share, abs=error)
        assert results[side, LOST] == games // 2 - results[side, WON]


def test_equal_moves_are_equally_likely() -> None:
    game = find_game("konane")
    room = make_room(game.most_moves, np.random.default_rng(1))
    chosen = [choose(Minimax(EVALUATORS["a"], 1, 1), game.start(), room) for _ in range(4000)]
    assert np.bincount(chosen, minlength=4).tolist() == pytest.approx([1000] * 4, abs=120)
