"""Students that value boards, inside the search: against ONNX Runtime, fresh sums, and plain minimax."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game, rules
from understudy.games.batches import stacked
from understudy.games.boards import SCRATCH, find_boards, tells_marks
from understudy.networks.files import save_layers
from understudy.players.looking import outcome_value
from understudy.search.evaluators import begin, follow, follow_pass, judge, value
from understudy.search.evaluators.layered import Layered, layered
from understudy.search.evaluators.perceptron import private
from understudy.search.workspace import HEIGHTS

NEAR = 3e-6
"""By how much the share of a win may differ that ONNX Runtime and the search find: single floats, added in another
order, and a tanh that is right to 4e-7."""

SIZES = [(4, 4), (5, 5), (4, 6), (6, 6), (5, 7), (8, 8), (2, 32), (10, 10), (14, 14)]
EVEN = ("D", "E")
"""Representations for an even number of columns."""
WAYS = [
    (size, name)
    for size in SIZES
    for name in ("A", "B", "C", "D", "E", "features")
    if not (name in EVEN and size[1] % 2)
]
HIDDEN = (13, 6)
"""Units of most networks here: each shape is compiled anew."""


def make_layers(game: CompiledGame, name: str, hidden: tuple[int, ...], seed: int, wide: float = 0.4) -> list[Any]:
    boards, rng = find_boards(game.name), np.random.default_rng(seed)
    inputs = boards.input_count(boards.find_representation(name, *game.size), *game.size)
    sizes = [inputs, *hidden, 1]
    return [
        (rng.normal(0, wide, pair).astype(np.float32), rng.normal(0, wide, pair[1]).astype(np.float32))
        for pair in pairwise(sizes)
    ]


def inputs_of(game: CompiledGame, name: str, positions: list[Any]) -> NDArray[np.float32]:
    """Return how who has just moved sees each position."""
    boards = find_boards(game.name)
    number = boards.find_representation(name, *game.size)
    rows = np.zeros((len(positions), boards.input_count(number, *game.size)), np.float32)
    own = boards.own
    for row, position in zip(rows, positions, strict=True):
        if name == "features" or own is None:
            boards.encode_boards(number, stacked([position]), np.zeros(SCRATCH, np.int32), row[None])
        else:
            own.encode(number, position, 1, np.zeros(SCRATCH, np.int32), row)
    return rows


def ask_onnx(path: Path, layers: list[Any], units: str, rows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return what the file of a network says of boards, from -1 lost to 1 won for who has just moved."""
    import onnxruntime

    save_layers(path, layers, {"game": "any"}, units=units)
    session = onnxruntime.InferenceSession(path)
    assert json.loads(session.get_modelmeta().custom_metadata_map["understudy"]) == {"game": "any"}
    shares: NDArray[np.float64] = session.run(None, {"inputs": rows})[0].reshape(-1).astype(np.float64)
    return 2.0 * shares - 1.0


def some_lines(game: CompiledGame, lines: int, plies: int = 200) -> list[list[tuple[Any, int]]]:
    return [random_line(game, plies, seed)[: HEIGHTS - 2] for seed in range(lines)]


@pytest.mark.parametrize("units", ["Relu", "Sigmoid", "Tanh"])
@pytest.mark.parametrize(("size", "name"), WAYS)
def test_it_says_what_the_file_says(tmp_path: Path, size: tuple[int, int], name: str, units: str) -> None:
    """In positions of both colours, at the opening and later; whoever judges."""
    game = find_game("konane", size)
    layers = make_layers(game, name, HIDDEN, seed=size[0])
    network = layered(game, layers, representation=name, units=units)
    positions = [position for line in some_lines(game, 2 if size[0] > 8 else 4) for position, _ in line]
    assert {position.ply % 2 for position in positions} == {0, 1} and min(p.ply for p in positions) == 0
    expected = ask_onnx(tmp_path / "student.onnx", layers, units, inputs_of(game, name, positions))
    for position, one in zip(positions, expected, strict=True):
        own, other = value(network, position, True), value(network, position, False)
        assert own == other
        assert outcome_value(-own, network.scale) == pytest.approx(one, abs=2 * NEAR)


@pytest.mark.parametrize("hidden", [(9,), (24, 16, 8)])
def test_any_number_of_layers_does(tmp_path: Path, hidden: tuple[int, ...]) -> None:
    game = find_game("konane", (6, 6))
    layers = make_layers(game, "E", hidden, seed=8)
    network = layered(game, layers, representation="E", units="Relu")
    positions = [position for position, _ in random_line(game, 40, 3)]
    expected = ask_onnx(tmp_path / "student.onnx", layers, "Relu", inputs_of(game, "E", positions))
    found = [outcome_value(-value(network, position, True), network.scale) for position in positions]
    assert np.allclose(found, expected, atol=2 * NEAR)


@pytest.mark.parametrize(
    ("game", "name"),
    [("lines_of_action", "board"), ("lines_of_action", "features"), ("morris", "features"), ("chess", "features")],
)
def test_games_without_marks_multiply_the_first_layer_out(tmp_path: Path, game: str, name: str) -> None:
    board = find_game(game)
    assert not tells_marks(type(board.start()))
    layers = make_layers(board, name, HIDDEN, seed=3)
    network = layered(board, layers, representation=name, units="Tanh")
    line = random_line(board, 40, 1)
    expected = ask_onnx(tmp_path / "x.onnx", layers, "Tanh", inputs_of(board, name, [position for position, _ in line]))
    begin(network, line[0][0])
    for height, ((position, move), one) in enumerate(zip(line, expected, strict=True)):
        worth = value(network, position, True)
        assert outcome_value(-worth, network.scale) == pytest.approx(one, abs=2 * NEAR)
        assert judge(network, position, height % 2 == 0, height) == worth
        follow(network, position, move, height)


@pytest.mark.parametrize(("size", "name"), WAYS)
def test_kept_sums_equal_fresh_ones_to_the_last_bit(size: tuple[int, int], name: str) -> None:
    """Whichever plies are judged on the way: sums are brought up to date from the nearest ones."""
    game, rng = find_game("konane", size), np.random.default_rng(7)
    network = layered(game, make_layers(game, name, HIDDEN, seed=1), representation=name)
    for line in some_lines(game, 6):
        begin(network, line[0][0])
        for height, (position, move) in enumerate(line):
            if rng.random() < 0.4:
                assert judge(network, position, height % 2 == 0, height) == value(network, position, True)
            if rng.random() < 0.3:
                follow_pass(network, position, height)
                turned = rules.turn(position)
                assert judge(network, turned, True, height + 1) == value(network, turned, True)
            follow(network, position, move, height)
            after = game.play(position, move)
            if rng.random() < 0.4:
                assert judge(network, after, True, height + 1) == value(network, after, True)


def test_a_line_may_be_left_for_another() -> None:
    """As a search does: sums of the line before must not be taken for those of the one that is judged."""
    game, rng = find_game("konane", (6, 6)), np.random.default_rng(2)
    network = layered(game, make_layers(game, "E", HIDDEN, seed=2), representation="E")
    begin(network, game.start())
    path = [game.start()]
    for _ in range(3000):
        moves = game.moves(path[-1])
        if not moves or rng.random() < 0.4:
            del path[max(1, rng.integers(len(path) + 1)) :]
            continue
        move = moves[rng.integers(len(moves))]
        follow(network, path[-1], move, len(path) - 1)
        path.append(game.play(path[-1], move))
        if rng.random() < 0.5:
            assert judge(network, path[-1], True, len(path) - 1) == value(network, path[-1], True)


@pytest.mark.parametrize("wide", [1e-3, 1.0, 300.0, 1e6])
def test_no_weight_is_cut_and_no_sum_overflows(tmp_path: Path, wide: float) -> None:
    """Whole numbers are as fine as the weights of the first layer leave room for."""
    game = find_game("konane", (6, 6))
    (first, _), *later = make_layers(game, "E", HIDDEN, seed=4)
    first = np.abs(first) * np.float32(wide)  # all of one sign: sums are as large as they can be
    bias = -first.sum(axis=0) / 3
    layers = [(first, bias), *later]
    network = layered(game, layers, representation="E", units="Tanh")
    positions = [position for line in some_lines(game, 4) for position, _ in line]
    expected = ask_onnx(tmp_path / "x.onnx", layers, "Tanh", inputs_of(game, "E", positions))
    found = [outcome_value(-value(network, position, True), network.scale) for position in positions]
    assert np.allclose(found, expected, atol=2 * NEAR * max(1.0, wide / 10))  # sums of 1e6 have few digits left


def test_what_fits_no_search_is_refused() -> None:
    game = find_game("konane", (4, 4))
    layers = make_layers(game, "C", (5,), seed=0)
    with pytest.raises(BadOption, match="do not fit 16 inputs"):
        layered(game, layers, representation="A")
    with pytest.raises(BadOption, match="do not fit 32 inputs"):
        layered(game, layers[:1], representation="C")
    with pytest.raises(BadOption, match="no units 'Elu' run inside the search; there are: Relu, Sigmoid, Tanh"):
        layered(game, layers, representation="C", units="Elu")
    for fault in (np.nan, np.inf, 3e38):
        (first, bias), last = layers
        with pytest.raises(BadOption, match="not finite, or so large that their sums are not"):
            layered(game, [(np.full_like(first, fault), bias), last], representation="C")


def test_a_private_copy_has_scratch_of_its_own() -> None:
    game = find_game("konane", (4, 4))
    network = layered(game, make_layers(game, "D", (5,), seed=0), representation="D")
    copy = private(network)
    copy.net["sums"][:] = 7
    assert isinstance(copy, Layered) and not network.net["sums"].any()
