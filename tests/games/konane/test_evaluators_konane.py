"""The eighteen evaluators of Konane against a plain computation."""

from __future__ import annotations

import random
from typing import Any

import pytest

from understudy.games import find_game, rules
from understudy.games.game import CompiledGame
from understudy.games.konane.evaluators import EVALUATORS, TWINS, tally_value

LETTERS = "abcdefghijklmnopqr"
NAMES = [
    name
    for noun in ("pieces", "moves", "movable")
    for name in (
        noun,
        f"opponent_{noun}",
        f"{noun}_difference",
        f"{noun}_weighted_difference",
        f"{noun}_ratio",
        f"{noun}_weighted_ratio",
    )
]


def counts(game: CompiledGame, position: Any, side: int, *, template: bool) -> tuple[int, int, int]:
    """Return stones, moves and movable stones of a side, from the game's own text and lists of moves."""
    seen = position if side == 0 else rules.turn(position)
    colour = game.colours[(position.ply + side) % 2]
    stones = game.stones(position)
    own, holes = stones.count(colour), stones.count("")
    if holes > 1:
        moves = game.moves(seen)
        return own, len(moves), len({move >> 8 for move in moves})
    removals = template_count(game, stones, colour) if template else 0
    if template or holes == 0 or colour == "white":
        return own, removals, removals
    rows, columns = game.size  # with one hole Black alone could jump into it, from two cells away
    row, column = divmod(stones.index(""), columns)
    jumpers = [(row - 2, column), (row + 2, column), (row, column - 2), (row, column + 2)]
    jumps = sum(0 <= r < rows and 0 <= c < columns for r, c in jumpers)
    return own, jumps, jumps


def template_count(game: CompiledGame, stones: tuple[str, ...], colour: str) -> int:
    """Return what the source's generator gives on an even square: four for Black, the hole's neighbours for White."""
    if colour == "black" or "" not in stones:
        return 4
    rows, columns = game.size
    row, column = divmod(stones.index(""), columns)
    return 4 - (row in (0, rows - 1)) - (column in (0, columns - 1))


def plain(letter: str, judge: tuple[int, int, int], rival: tuple[int, int, int]) -> float:
    counter, form = divmod(LETTERS.index(letter), 6)
    x, y = judge[counter], rival[counter]
    if form >= 4:
        return 1e6 + x if y == 0 else x / y if form == 4 else x / (3 * y)
    return (x, -y, x - y, x - 3 * y)[form]


def positions(game: CompiledGame, games: int) -> list[Any]:
    dice, visited = random.Random(5), []
    for _ in range(games):
        position = game.start()
        visited.append(position)
        while moves := game.moves(position):
            position = game.play(position, dice.choice(moves))
            visited.append(position)
    return visited


@pytest.mark.parametrize("size", [4, 8, 10])
def test_every_evaluator_is_what_the_source_says(size: int) -> None:
    game = find_game("konane", (size, size))
    for position in positions(game, 4 if size < 10 else 1):
        for template in (True, False):
            mine, theirs = (counts(game, position, side, template=template) for side in (0, 1))
            for letter in LETTERS:
                evaluator = EVALUATORS[letter if template else f"{letter}_jumps"]
                assert tally_value(evaluator, position, True) == pytest.approx(plain(letter, mine, theirs))
                assert tally_value(evaluator, position, False) == pytest.approx(-plain(letter, theirs, mine))


def test_letters_and_names_are_the_same_values() -> None:
    assert len(EVALUATORS) == 2 * 2 * 18
    for letter, name in zip(LETTERS, NAMES, strict=True):
        assert EVALUATORS[letter] == EVALUATORS[name]
        assert EVALUATORS[f"{letter}_jumps"] == EVALUATORS[f"{name}_jumps"]
        assert EVALUATORS[letter]._replace(template=0) == EVALUATORS[f"{letter}_jumps"]
    assert EVALUATORS["q"] == EVALUATORS["movable_ratio"] and EVALUATORS["r"] == EVALUATORS["movable_weighted_ratio"]


@pytest.mark.parametrize("pair", TWINS, ids="".join)
def test_weighted_ratios_rank_moves_as_ratios_do(pair: tuple[str, str]) -> None:
    game = find_game("konane", (6, 6))
    for position in positions(game, 5):
        successors = [game.play(position, move) for move in game.moves(position)]
        one, three = ([-tally_value(EVALUATORS[letter], after, False) for after in successors] for letter in pair)
        assert [[a < b for b in one] for a in one] == [[a < b for b in three] for a in three]


def test_nobody_to_move_on_the_other_side_beats_any_ratio() -> None:
    game = find_game("konane", (4, 4))
    stuck = [position for position in positions(game, 20) if not game.moves(position)]
    for position in stuck:
        assert tally_value(EVALUATORS["q"], position, False) <= -1e6
