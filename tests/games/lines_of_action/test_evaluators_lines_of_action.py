"""Evaluators of Lines of Action against plain computations over lists of cells."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from understudy.games import find_game, rules
from understudy.games.lines_of_action import evaluators
from understudy.games.lines_of_action import notation as lines_of_action_notation
from understudy.games.lines_of_action import rules as lines_of_action
from understudy.games.lines_of_action.evaluators import Aloa, Quads, aloa_value, quads_value
from understudy.games.lines_of_action.inputs import nonad_matrix
from understudy.games.lines_of_action.notation import LinesOfAction

Cells = list[tuple[int, int]]
CASES = [(size, seed) for size in lines_of_action_notation.SIZES for seed in range(120)]


def placed(size: int, seed: int) -> tuple[Cells, Cells, LinesOfAction]:
    chance = random.Random(100 * seed + size)
    counts = chance.randint(1, 2 * size - 4), chance.randint(1, 2 * size - 4)
    chosen = chance.sample([(row, column) for row in range(size) for column in range(size)], sum(counts))
    mine, theirs = chosen[: counts[0]], chosen[counts[0] :]
    return mine, theirs, LinesOfAction(mask(mine), mask(theirs), size, 0, seed % 2)


def mask(cells: Cells) -> np.uint64:
    return np.uint64(sum(1 << 8 * row + column for row, column in cells))


def plain_quads(stones: Cells, size: int) -> tuple[int, ...]:
    counts = [0] * 6
    for row in range(-1, size):
        for column in range(-1, size):
            inside = [(r, c) for r in (row, row + 1) for c in (column, column + 1) if (r, c) in stones]
            across = len(inside) == 2 and inside[0][0] != inside[1][0] and inside[0][1] != inside[1][1]
            counts[5 if across else len(inside)] += 1
    return tuple(counts)


def plain_distance(stones: Cells) -> float:
    steps = [max(abs(a - c), abs(b - d)) for (a, b), (c, d) in combinations(stones, 2)]
    return sum(steps) / len(steps) if steps else 0.0


def plain_solid(stones: Cells, size: int) -> int:
    middle = [sum(cell[axis] for cell in stones) / len(stones) - 0.5 for axis in (0, 1)]
    near = [
        (row, column)
        for row in range(size - 1)
        for column in range(size - 1)
        if max(abs(row - middle[0]), abs(column - middle[1])) <= 2 + 1e-9
    ]
    return sum(len({(r, c), (r + 1, c), (r, c + 1), (r + 1, c + 1)} & set(stones)) >= 3 for r, c in near)


def plain_edge(stones: Cells, size: int) -> int:
    return sum(row in (0, size - 1) or column in (0, size - 1) for row, column in stones)


def test_quad_counts() -> None:
    for size, seed in CASES:
        for stones in placed(size, seed)[:2]:
            assert evaluators.quad_counts(mask(stones), size) == plain_quads(stones, size)


def test_quad_counts_of_full_edges() -> None:
    for size in lines_of_action_notation.SIZES:
        ring = [(r, c) for r in range(size) for c in range(size) if r in (0, size - 1) or c in (0, size - 1)]
        full = [(r, c) for r in range(size) for c in range(size)]
        for stones in (ring, full, [(0, 0)], [(size - 1, size - 1)], [(0, size - 1)], [(size - 1, 0)], []):
            assert evaluators.quad_counts(mask(stones), size) == plain_quads(stones, size)


def test_quads_value_is_the_difference_of_components_less_holes() -> None:
    quads = evaluators.EVALUATORS["quads"]
    assert isinstance(quads, Quads)
    game = find_game("lines_of_action")
    assert quads_value(quads, game.start(), True) == 0.0
    position = game.read("......../.B....B./......../......../.W.B..../..W...../......../.....B.. B")
    assert quads_value(quads, position, True) == 1.0 - 4.0, "one group of White, four of Black"


def test_quads_value() -> None:
    quads = Quads(np.array([0.5, -1.0, 2.0, 3.0, -4.0, 5.0]), 1.0)
    for size, seed in CASES:
        mine, theirs, position = placed(size, seed)
        pairs = zip(plain_quads(mine, size), plain_quads(theirs, size), strict=True)
        expected = sum(w * (a - b) for w, (a, b) in zip(quads.weights, pairs, strict=True))
        assert quads_value(quads, position, True) == pytest.approx(expected)


def test_aloa_value() -> None:
    aloa = Aloa(1.5, 0.25, 0.75, 0.125, 1.0)
    for size, seed in CASES:
        mine, theirs, position = placed(size, seed)
        turned = rules.turn(position)
        loss = (
            position._replace(switches=lines_of_action.STUCK_LOSES),
            turned._replace(switches=lines_of_action.STUCK_LOSES),
        )
        expected = (
            1.5 * (plain_distance(theirs) - plain_distance(mine))
            + 0.25 * (plain_edge(theirs, size) - plain_edge(mine, size))
            + 0.75 * (plain_solid(mine, size) - plain_solid(theirs, size))
            + 0.125 * (rules.count(loss[0]) - rules.count(loss[1]))
        )
        assert aloa_value(aloa, position, True) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["aloa", "quads"])
def test_antisymmetry_and_symmetry(name: str) -> None:
    evaluator: Any = evaluators.EVALUATORS[name]
    value: Any = aloa_value if name == "aloa" else quads_value
    for size, seed in CASES[::4]:
        position = placed(size, seed)[2]
        worth = value(evaluator, position, True)
        assert value(evaluator, position, False) == worth
        assert value(evaluator, rules.turn(position), True) == pytest.approx(-worth)
        for permutation in lines_of_action_notation.symmetries(position):
            assert value(evaluator, lines_of_action_notation.permuted(position, permutation), True) == pytest.approx(
                worth
            )


def test_aloa_prefers_stones_together() -> None:
    game, aloa = find_game("lines_of_action"), evaluators.EVALUATORS["aloa"]
    assert isinstance(aloa, Aloa)
    together = game.read("B......./......../...B.B../..BB..../......../W..W...W/......../...W...W B")
    assert aloa_value(aloa, together, True) > 0


def test_nonads() -> None:
    for size in lines_of_action_notation.SIZES:
        matrix = nonad_matrix(size)
        assert matrix.shape == ((size - 2) ** 2, 64)
        board = np.array([1.0 if max(cell // 8, cell % 8) < size else 0.0 for cell in range(64)])
        assert matrix @ board == pytest.approx(np.full((size - 2) ** 2, 7.2))
    one = np.zeros(64)
    one[8 * 1 + 2] = 1.0
    assert (nonad_matrix(8) @ one)[:4].tolist() == [0.8, 1.0, 0.8, 0.0]
    assert (nonad_matrix(8) @ one)[6:10].tolist() == [0.75, 0.8, 0.75, 0.0]


def test_evaluators_are_values_with_a_scale() -> None:
    for evaluator in evaluators.EVALUATORS.values():
        assert evaluator._asdict()["scale"] > 0
