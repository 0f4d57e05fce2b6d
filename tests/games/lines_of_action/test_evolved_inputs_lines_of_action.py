"""What networks see of Lines of Action against plain lists of cells, and their values against a dense product."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from tests.games.lines_of_action.test_evaluators_lines_of_action import (
    CASES,
    Cells,
    mask,
    placed,
    plain_distance,
    plain_edge,
    plain_quads,
    plain_solid,
)
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.lines_of_action.inputs import LINEAR, NUMBERS, counted, groups, threats, turns
from understudy.games.lines_of_action.notation import SIZES, SYMMETRIES, LinesOfAction, permuted
from understudy.games.lines_of_action.rules import connected
from understudy.search.evaluators import value
from understudy.search.evaluators.chromosome import (
    ORDERS,
    READINGS,
    NetworkOptions,
    Plan,
    express,
    make_inputs,
    make_plan,
)

ALL = (*LINEAR, *NUMBERS)
WEIGHTS = ((0.75, 0.8, 0.75), (0.8, 1.0, 0.8), (0.75, 0.8, 0.75))


# A plain reading of the thesis: cells are (row, column), row 0 at the bottom.


def page(size: int) -> Cells:
    return [(row, column) for row in range(size - 1, -1, -1) for column in range(size)]


def plain_lines(size: int) -> list[Cells]:
    across = [[(row, column) for column in range(size)] for row in reversed(range(size))]
    return across + [[(row, column) for row in reversed(range(size))] for column in range(size)]


def plain_diagonals(size: int) -> list[Cells]:
    """Walk from every cell that has none before it: south-east, then south-west."""
    walks = []
    for step in (1, -1):
        for row, column in page(size):
            if row + 1 < size and 0 <= column - step < size:
                continue
            cells = [(row - far, column + step * far) for far in range(size)]
            walks.append([(r, c) for r, c in cells if r >= 0 and 0 <= c < size])
    return walks


def shown(cells: Cells, mine: Cells, theirs: Cells, reading: str) -> list[float]:
    own, enemy, empty = READINGS[reading]
    return [own if cell in mine else enemy if cell in theirs else empty for cell in cells]


def plain_nonads(stones: Cells, size: int) -> list[float]:
    return [
        sum(WEIGHTS[r - top + 2][c - left] for r, c in stones if top - 2 <= r <= top and left <= c <= left + 2)
        for top in range(size - 1, 1, -1)
        for left in range(size - 2)
    ]


def plain_targets(stone: tuple[int, int], mine: Cells, theirs: Cells, size: int) -> Cells:
    ends = []
    for rows, columns in product((-1, 0, 1), repeat=2):
        if (rows, columns) == (0, 0):
            continue
        line = [(stone[0] + rows * far, stone[1] + columns * far) for far in range(-8, 9)]
        count = sum(cell in mine or cell in theirs for cell in line)
        path = line[9 : 8 + count]
        end = line[8 + count]
        inside = 0 <= end[0] < size and 0 <= end[1] < size
        if inside and end not in mine and not any(cell in theirs for cell in path):
            ends.append(end)
    return ends


def plain_groups(stones: Cells) -> int:
    left, total = set(stones), 0
    while left:
        reached = [left.pop()]
        total += 1
        while reached:
            row, column = reached.pop()
            near = {(row + r, column + c) for r, c in product((-1, 0, 1), repeat=2)} & left
            left -= near
            reached += near
    return total


def plain_moves(mine: Cells, theirs: Cells, size: int) -> list[Cells]:
    """Return the stones after every move."""
    return [
        [stone for stone in mine if stone != origin] + [end]
        for origin in mine
        for end in plain_targets(origin, mine, theirs, size)
    ]


def plain_threats(mine: Cells, theirs: Cells, size: int) -> int:
    if plain_groups(mine) > 4:
        return 0
    return sum(plain_groups(after) == 1 for after in plain_moves(mine, theirs, size))


def plain_number(name: str, mine: Cells, theirs: Cells, size: int, *, moving: bool) -> list[float]:
    if name == "quads":
        return [count / 10 for count in plain_quads(mine, size)]
    if name == "shape":
        counts = plain_edge(mine, size) / 10, plain_solid(mine, size) / 10, len(mine) / 10
        return [plain_distance(mine) / 4, *counts]
    if name == "mobility":
        return [len(plain_moves(mine, theirs, size)) / 40]
    if name == "threats":
        connecting = plain_threats(mine, theirs, size)
        return [float(moving and connecting > 0), 0.0 if moving else min(connecting, 4) / 4]
    return [float(moving)]


def plain_inputs(names: tuple[str, ...], mine: Cells, theirs: Cells, size: int, reading: str, moving: bool) -> Any:
    """Return the inputs of a network as one side sees the board; *moving*: it is this side's turn."""
    occupied = [*mine, *theirs]
    sets: dict[str, Any] = {
        "board": lambda: shown(page(size), mine, theirs, reading),
        "lines": lambda: [x for line in plain_lines(size) for x in shown(line, mine, theirs, reading)],
        "line_counts": lambda: [sum(cell in occupied for cell in line) for line in plain_lines(size)],
        "diagonals": lambda: [x for line in plain_diagonals(size) for x in shown(line, mine, theirs, reading)],
        "diagonal_counts": lambda: [sum(cell in occupied for cell in line) for line in plain_diagonals(size)],
        "nonads": lambda: plain_nonads(mine, size),
        "enemy_nonads": lambda: plain_nonads(theirs, size),
        "sides": lambda: [float(cell in side) for side in (mine, theirs) for cell in page(size)],
        "quads": lambda: plain_number("quads", mine, theirs, size, moving=moving),
        "enemy_quads": lambda: plain_number("quads", theirs, mine, size, moving=not moving),
        "turn": lambda: [float(moving)],
    }
    for name in ("shape", "mobility", "threats"):
        sets[name] = lambda name=name: [
            *plain_number(name, mine, theirs, size, moving=moving),
            *plain_number(name, theirs, mine, size, moving=not moving),
        ]
    ordered = [name for name in names if name in LINEAR] + [name for name in names if name in NUMBERS]
    return np.array([x for name in ordered for x in sets[name]()], float)


def seen_inputs(plan: Plan, position: LinesOfAction) -> Any:
    """Return the inputs as the plan has them: rows times stones, and what the kernel counts."""
    inputs = plan.inputs
    stones = np.array([int(side) >> cell & 1 for side in (position.mine, position.theirs) for cell in range(64)])
    numbers = np.zeros(32, np.float32)
    if inputs.kinds:
        assert counted(position, inputs.kinds, numbers) == inputs.width
    return np.concatenate([inputs.linear @ stones + inputs.empty, numbers[list(inputs.counted)]])


@pytest.mark.parametrize("size", SIZES)
def test_how_many_inputs_there_are(size: int) -> None:
    wanted = {
        "board": size**2, "lines": 2 * size**2, "line_counts": 2 * size, "diagonals": 2 * size**2,
        "diagonal_counts": 2 * (2 * size - 1), "nonads": (size - 2) ** 2, "enemy_nonads": (size - 2) ** 2,
        "sides": 2 * size**2, "quads": 6, "enemy_quads": 6, "shape": 8, "mobility": 2, "threats": 4, "turn": 1,
    }  # fmt: skip
    assert set(wanted) == set(ALL)
    game = find_game("lines_of_action", (size, size))
    for name, total in wanted.items():
        assert make_inputs(game, [name]).total == total, name
    assert make_inputs(game, ALL).total == sum(wanted.values())


@pytest.mark.parametrize(
    ("name", "reading"),
    [*((name, "signed") for name in ALL), *product(("board", "lines", "diagonals"), ("presumed", "as_printed"))],
)
def test_inputs_are_what_the_thesis_says(name: str, reading: str) -> None:
    for size, seed in CASES[::7]:
        mine, theirs, position = placed(size, seed)
        plan = make_plan(find_game("lines_of_action", (size, size)), NetworkOptions(inputs=(name,), reading=reading))
        expected = plain_inputs((name,), mine, theirs, size, reading, True)
        assert seen_inputs(plan, position) == pytest.approx(expected, abs=1e-6), (size, seed)


def test_the_board_is_read_like_a_page() -> None:
    game = find_game("lines_of_action", (4, 4))
    position = game.read("BW../..../..../...B B")  # from the upper left
    assert seen_inputs(make_plan(game, NetworkOptions(inputs=("board",))), position).tolist() == [1, -1] + [0] * 13 + [
        1
    ]
    nonads = seen_inputs(make_plan(game, NetworkOptions(inputs=("nonads",))), position)
    assert nonads.tolist() == [0.75, 0, 0, 0.75]


def test_the_network_of_the_thesis_has_2041_alleles() -> None:
    plan = make_plan(find_game("lines_of_action"), NetworkOptions())
    assert (plan.inputs.total, plan.hidden, plan.length) == (100, 20, 2041)
    assert plan.units()[:21].tolist() == [*range(20), 0] and plan.units()[-1] == -1
    assert (plan.units() == 7).sum() == 102, "100 inputs, a bias, a weight to the output"


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("reading", READINGS)
def test_a_value_is_what_a_dense_network_says(reading: str, symmetric: bool, both: bool) -> None:
    options = NetworkOptions(inputs=ALL, reading=reading, hidden=6, symmetric=symmetric, both=both)
    for size, seed in CASES[::41]:
        mine, theirs, position = placed(size, seed)
        plan = make_plan(find_game("lines_of_action", (size, size)), options)
        alleles = np.random.default_rng(seed).normal(0, 0.08, plan.length)
        network = express(plan, alleles)
        one = dense(plan, alleles, plain_inputs(ALL, mine, theirs, size, reading, True))
        other = dense(plan, alleles, plain_inputs(ALL, theirs, mine, size, reading, False))
        assert value(network, position, True) == pytest.approx(one - other if both else one, abs=3e-4)
        assert value(network, position, False) == pytest.approx(one - other if both else -other, abs=3e-4)


def dense(plan: Plan, alleles: Any, inputs: Any) -> float:
    """Read alleles in their order: input by input the weights to all units; to the output; biases; the output's."""
    hidden = plan.hidden
    first = alleles[: plan.rows * hidden].reshape(plan.rows, hidden)[plan.classes]
    output, bias = alleles[plan.rows * hidden :][:hidden], alleles[-hidden - 1 : -1]
    return float(np.tanh(inputs @ first + bias) @ output + alleles[-1])


@pytest.mark.parametrize("size", [4, 5, 8])
def test_symmetric_networks_value_all_images_alike(size: int) -> None:
    game = find_game("lines_of_action", (size, size))
    differ = 0
    for inputs in (ALL, tuple(name for name in ALL if name != "turn")):
        plain, tied = (make_plan(game, NetworkOptions(inputs=inputs, hidden=5, symmetric=tied)) for tied in (0, 1))
        assert tied.length < plain.length
        rng = np.random.default_rng(size)
        network, other = (express(plan, rng.normal(0, 0.1, plan.length)) for plan in (tied, plain))
        for position, _ in [step for seed in range(4) for step in random_line(game, 12, seed)]:
            images = [permuted(position, symmetry) for symmetry in SYMMETRIES[size]]
            values = [value(network, image, True) for image in images]
            assert values == pytest.approx([values[0]] * 8, abs=1e-5)
            differ += np.ptp([value(other, image, True) for image in images]) > 1e-3
    assert differ > 10, "a network without symmetry sees a difference"


@pytest.mark.parametrize("size", SIZES)
def test_turns_are_the_symmetries_of_the_board(size: int) -> None:
    rearranged = {tuple(turn[:64]) for turn in turns(size)}
    assert rearranged == {tuple(np.argsort(symmetry)) for symmetry in SYMMETRIES[size]} and len(rearranged) == 8
    assert all((turn[64:] == turn[:64] + 64).all() for turn in turns(size))


def test_groups_and_threats() -> None:
    dangerous = 0
    for size, seed in CASES:
        mine, theirs, position = placed(size, seed)
        assert groups(position.mine) == min(plain_groups(mine), 5)
        count = threats(position.mine, position.theirs, size)
        assert count == plain_threats(mine, theirs, size)
        assert connected(position.mine) == (plain_groups(mine) == 1)
        dangerous += count > 0
    assert dangerous > 50
    assert groups(mask([])) == 0


def test_threats_are_moves_that_connect() -> None:
    for size in (4, 5, 6):
        game = find_game("lines_of_action", (size, size))
        for seed in range(12):
            for position, _ in random_line(game, 30, seed):
                winning = [move for move in game.moves(position) if connected(game.play(position, move).theirs)]
                if groups(position.mine) <= 4:
                    assert threats(position.mine, position.theirs, size) == len(winning)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"inputs": ("bord",)}, UnknownName, "no input of lines_of_action 'bord'; did you mean 'board'"),
        ({"inputs": ()}, BadOption, "must name one or more inputs, each once"),
        ({"inputs": ("board", "board")}, BadOption, "must name one or more inputs, each once"),
        ({"order": "snail"}, UnknownName, "no network.order 'snail'"),
        (
            {"order": "spiral", "inputs": ("quads",)},
            BadOption,
            "'spiral' is for inputs that lie on a grid; those of line",
        ),
        ({"reading": "sign"}, UnknownName, "no network.reading 'sign'; did you mean 'signed'"),
        ({"hidden": 0}, BadOption, "network.hidden must be from 1 to 1000, not 0"),
    ],
)
def test_bad_networks_are_refused(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        make_plan(find_game("lines_of_action"), NetworkOptions(**options))
    assert message in str(caught.value)


def test_bad_chromosomes_are_refused() -> None:
    plan = make_plan(find_game("lines_of_action", (4, 4)), NetworkOptions(hidden=2))
    with pytest.raises(BadOption, match="a chromosome of 7 alleles does not fit a network of 45 weights"):
        express(plan, np.zeros(7))
    with pytest.raises(BadOption, match="does not fit a network of 45 weights"):
        express(plan, np.zeros((45, 1)))
    with pytest.raises(BadOption, match="numbers that are not finite"):
        express(plan, np.full(45, np.nan))


def test_other_games_have_their_features_alone() -> None:
    game = find_game("konane", (6, 6))
    plan = make_plan(game, NetworkOptions(inputs=("features",), hidden=3))
    assert plan.length == (game.feature_count + 2) * 3 + 1
    with pytest.raises(BadOption, match="'spiral' is for inputs that lie on a grid; konane has none that do"):
        make_plan(find_game("konane"), NetworkOptions(inputs=("features",), order="spiral"))
    with pytest.raises(UnknownName, match="no input of konane 'board'"):
        make_plan(game, NetworkOptions(inputs=("board",)))


@pytest.mark.parametrize("side", [1, 2, 3, 6, 8])
def test_spirals_and_salamanders_go_from_neighbour_to_neighbour(side: int) -> None:
    """Through every cell once, from the upper left; words on a page jump at the end of each row."""
    for name, order in ORDERS.items():
        path = order(side)
        assert sorted(path) == list(range(side * side)) and path[0] == 0
        steps = [abs(a // side - b // side) + abs(a % side - b % side) for a, b in pairwise(path)]
        assert steps.count(1) == len(steps) - (side - 1 if name == "rows" else 0)
    assert ORDERS["spiral"](3) == [0, 1, 2, 5, 8, 7, 6, 3, 4]
    assert ORDERS["salamander"](3) == [0, 1, 2, 5, 4, 3, 6, 7, 8]


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("order", ["spiral", "salamander"])
def test_an_order_of_weights_changes_where_they_stand_and_nothing_else(order: str, symmetric: bool) -> None:
    """The same network, its rows of alleles in the order of the path: board, then nonads, counted inputs as before."""
    game = find_game("lines_of_action")
    names = ("board", "mobility", "nonads", "line_counts")
    usual, ordered = (
        make_plan(game, NetworkOptions(inputs=names, hidden=2, symmetric=symmetric, order=way))
        for way in ("rows", order)
    )
    assert usual.length == ordered.length
    alleles = np.random.default_rng(1).normal(size=usual.length)
    table = alleles[:-1].reshape(-1, 2)
    moved = np.zeros_like(table)
    moved[ordered.classes] = table[usual.classes]
    moved[-2:] = table[-2:]
    one, other = express(usual, alleles), express(ordered, np.append(moved, alleles[-1]))
    position = game.start()
    for ply in range(20):
        assert value(one, position, ply % 2 == 0) == value(other, position, ply % 2 == 0)
        position = game.play(position, game.moves(position)[ply % len(game.moves(position))])
    if not symmetric:
        path = ORDERS[order](8)
        nonads = [64 + place for place in ORDERS[order](6)]
        assert np.argsort(ordered.classes).tolist() == [*path, *nonads, *range(100, ordered.inputs.total)]
    else:
        first = np.unique(ordered.classes[np.array(ORDERS[order](8))], return_index=True)[1]
        assert (np.diff(first) > 0).all(), "classes are numbered as the path meets them"
