"""Combinatorial values and regions: by the book, against the exhaustive solver, and against plain search on 8x8."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game
from understudy.games.konane.solving import Solver
from understudy.games.konane.solving.regions import EMPTY, Regions, cells_of, moves_in, split_cells
from understudy.games.konane.solving.values import ZERO, TooLarge, Values


def integer(values: Values, number: int) -> int:
    value = ZERO
    for _ in range(abs(number)):
        value = values.make([value], []) if number > 0 else values.make([], [value])
    return value


def test_values_by_the_book() -> None:
    values = Values()
    star, one, two = values.make([ZERO], [ZERO]), integer(values, 1), integer(values, 2)
    half = values.make([ZERO], [one])
    assert values.number(half) == Fraction(1, 2) and values.number(star) is None
    assert values.add(half, half) == one and values.add(one, integer(values, -1)) == ZERO
    assert values.add(star, star) == ZERO and values.write(star) == "*"
    assert values.make([integer(values, -3)], [two]) == ZERO, "the simplest number between"
    assert values.make([one], [two]) != one and values.number(values.make([one], [two])) == Fraction(3, 2)
    assert values.make([ZERO, one], []) == two, "the worse option is dominated"
    up = values.make([ZERO], [star])
    assert values.is_at_most(ZERO, up) and not values.is_at_most(up, ZERO)
    up_star = values.add(up, star)
    assert up_star == values.make([ZERO, star], [ZERO]) and not values.is_at_most(ZERO, up_star)
    assert values.add(up, up) == values.make([ZERO], [up_star]), "double up"
    assert values.make([ZERO, star], [ZERO, star]) not in (ZERO, star), "*2"
    assert values.make([up], [ZERO]) == star, "up is answered by *, and what Left has there is 0"
    switch = values.make([two], [integer(values, -1)])
    assert values.wins(switch, 0) and values.wins(switch, 1) and values.write(switch) == "{2 | -1}"
    assert not values.wins(ZERO, 0) and not values.wins(ZERO, 1) and values.wins(one, 0) and not values.wins(one, 1)


def negative(values: Values, value: int) -> int:
    left, right = values.options[value]
    return values.make([negative(values, one) for one in right], [negative(values, one) for one in left])


def test_every_value_born_by_day_two_is_canonical() -> None:
    """22 values are born by day 2 (Winning Ways); the 256 games with those options come to just these."""
    values = Values()
    first = [ZERO, integer(values, 1), integer(values, -1), values.make([ZERO], [ZERO])]
    subsets = [[one for place, one in enumerate(first) if bits >> place & 1] for bits in range(16)]
    born = {values.make(left, right) for left, right in product(subsets, subsets)}
    assert len(born) == 22
    for a, b in product(born, born):
        difference = values.add(a, negative(values, b))
        assert values.is_at_most(a, b) == values.is_at_most(difference, ZERO)
        assert (difference == ZERO) == (a == b)


def test_more_values_than_there_is_room_for() -> None:
    values = Values(most=3)
    with pytest.raises(TooLarge, match="more than 3 values"):
        integer(values, 5)


def endgame(game: CompiledGame, left: int, seed: int) -> Any:
    """Return a position of a random game in which at most so many stones are left, or its last one."""
    rng, position = np.random.default_rng(seed), game.start()
    while moves := game.moves(position):
        if position.ply > 2 and game.write(position).count(".") >= game.size[0] * game.size[1] - left:
            break
        position = game.play(position, moves[rng.integers(len(moves))])
    return position


@pytest.mark.parametrize(("size", "left", "least"), [((4, 4), 9, 0), ((5, 5), 11, 0), ((6, 6), 14, 1)])
def test_regions_know_what_the_solver_knows(size: tuple[int, int], left: int, least: int) -> None:
    """On boards that can be searched whole: who wins, and which moves win."""
    game, regions, several = find_game("konane", size), Regions(), 0
    solver = Solver(game)
    for seed in range(14):
        position = endgame(game, left, seed)
        several += len(regions.split(cells_of(position))) > 1
        assert regions.moves(game, position) == solver.values(position)
        assert regions.wins(position) == any(solver.values(position).values())
    assert several >= least, "boards of 4x4 do not fall apart, those of 6x6 do"


def test_regions_of_8x8_against_plain_search() -> None:
    game, regions = find_game("konane"), Regions()

    @cache
    def wins(position: Any) -> bool:
        return any(not wins(game.play(position, move)) for move in game.moves(position))

    for seed in range(12):
        position = endgame(game, 18, seed)
        assert regions.wins(position) == wins(position)


def test_a_region_is_beyond_the_reach_of_all_others() -> None:
    """Whatever is played on the whole board, a jump touches the cells of one region alone."""
    game, rng = find_game("konane", (6, 6)), np.random.default_rng(2)
    for seed in range(30):
        position = endgame(game, 22, seed)
        owner = {cell: place for place, region in enumerate(split_cells(cells_of(position))) for cell in region}
        while moves := game.moves(position):
            after = game.play(position, moves[rng.integers(len(moves))])
            before, now = cells_of(position), cells_of(after)
            assert len({owner[cell] for cell in before if before[cell] != now[cell]}) == 1
            position = after


def test_moves_of_cells_are_those_of_the_rules() -> None:
    for size in ((6, 6), (10, 10)):
        game = find_game("konane", size)
        for seed in range(10):
            position = endgame(game, size[0] * size[1] * 2 // 3, seed)
            found = list(moves_in(cells_of(position), position.ply & 1))
            expected = [cells_of(game.play(position, move)) for move in game.moves(position)]
            assert len(found) == len(expected) and all(one in expected for one in found)


def written(regions: Regions, row: str) -> list[str | None]:
    cells = {(0, place): {"B": 0, "W": 1, ".": EMPTY}[letter] for place, letter in enumerate(row)}
    return [None if part.value is None else regions.values.write(part.value) for part in regions.split(cells)]


def test_rows_by_hand() -> None:
    regions = Regions()
    assert written(regions, "BW.") == ["1"] and written(regions, "WB.") == ["-1"]
    assert written(regions, ".BW.") == ["*"] and written(regions, "BW...WB") == ["1", "1"]
    assert written(regions, "BWB") == [] and written(regions, "B.W.B") == []
    # Over one stone Black leaves White an answer, over both none: {0, {0 | 0} | } is 1.
    assert written(regions, "BW.W.") == ["1"]
    assert written(regions, 6 * "BW..") == [None], "twelve stones are too many for a value"


def test_where_there_are_no_regions() -> None:
    game = find_game("konane")
    with pytest.raises(BadOption, match="has regions once both sides have removed a stone"):
        cells_of(game.start())
    position = game.play(game.start(), game.moves(game.start())[0])
    position = game.play(position, game.moves(position)[0])
    with pytest.raises(TooLarge, match="more than 50 boards"):
        Regions(most=50).wins(position)
