"""The network inside the search against a dense product in NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import random_line
from understudy.errors import BadOption, FileError, UnderstudyError
from understudy.games import find_game, rules
from understudy.games.lines_of_action.inputs import nonad_matrix
from understudy.kernels import kernel
from understudy.players import make_player
from understudy.search.evaluators import begin, follow, follow_pass, judge, value
from understudy.search.evaluators.chromosome import NetworkOptions, express, make_plan
from understudy.search.evaluators.lanes import UNIT, fire, shift
from understudy.search.evaluators.perceptron import (
    Perceptron,
    folded,
    load_perceptron,
    perceptron,
    private,
    random_perceptron,
    save_perceptron,
)
from understudy.search.workspace import HEIGHTS


def dense(network: Perceptron, inputs: np.ndarray, activation: str) -> float:
    """Return what the last unit adds up: tanh of it is the opinion, or of half of it with sigmoid units."""
    squash = np.tanh if activation == "tanh" else lambda x: 1 / (1 + np.exp(-x))
    hidden = squash((inputs @ network.net["first"] + network.net["bias"]) / UNIT)
    out = hidden @ network.net["output"].astype(float) + network.output_bias
    return float(out if activation == "tanh" else 0.5 * out)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
@pytest.mark.parametrize("name", ["morris", "konane", "lines_of_action", "chess"])
def test_it_equals_a_dense_network(name: str, activation: str) -> None:
    game = find_game(name)
    rng = np.random.default_rng(0)
    network = perceptron(
        rng.normal(0, 0.3, (game.feature_count, 20)),
        rng.normal(size=20),
        rng.normal(size=20),
        output_bias=0.1,
        activation=activation,
    )
    out = np.zeros(512, np.int32)
    for position, _ in random_line(game, 40, 2):
        for own, seen in ((True, position), (False, rules.turn(position))):
            inputs = np.zeros(game.feature_count)
            inputs[out[: rules.features(seen, out)]] = 1
            expected = dense(network, inputs, activation)
            assert value(network, position, own) == pytest.approx(expected if own else -expected, abs=1e-5)


def test_inputs_that_are_sums_over_stones_fold_into_the_first_layer() -> None:
    game = find_game("lines_of_action")
    cells = np.hstack([np.eye(64), -np.eye(64)])
    nonads = np.hstack([nonad_matrix(8), np.zeros((36, 64))])
    inputs = np.vstack([cells, nonads])
    assert inputs.shape == (100, 128)
    rng = np.random.default_rng(4)
    weights, bias, output = rng.uniform(-0.2, 0.2, (100, 20)), rng.uniform(-1, 1, 20), rng.uniform(-1, 1, 20)
    network = perceptron(folded(weights, inputs), bias, output)
    out = np.zeros(512, np.int32)
    for position, _ in random_line(game, 30, 1):
        stones = np.zeros(128)
        stones[out[: rules.features(position, out)]] = 1
        expected = np.tanh(inputs @ stones @ weights + bias) @ output
        assert value(network, position, True) == pytest.approx(float(expected), abs=1e-4)


def test_weights_survive_a_file(tmp_path: Path) -> None:
    game = find_game("morris")
    network = random_perceptron(game.feature_count, 8, rng=np.random.default_rng(1))
    path = tmp_path / "network.safetensors"
    save_perceptron(network, path)
    again = load_perceptron(path, game.feature_count)
    assert np.array_equal(network.net["first"], again.net["first"])
    assert value(again, game.start(), True) == value(network, game.start(), True)
    player = make_player(f"searcher:evaluator=perceptron,weights={path},depth=2", game)
    assert player.choose([game.start()])[0].move in game.moves(game.start())
    assert list(tmp_path.iterdir()) == [path]


def test_bad_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.safetensors"
    with pytest.raises(FileError, match="cannot be read"):
        load_perceptron(path, 66)
    path.write_bytes(b"garbage")
    with pytest.raises(FileError, match="cannot be read"):
        load_perceptron(path, 66)
    save_perceptron(random_perceptron(10, 4, rng=np.random.default_rng(0)), path)
    with pytest.raises(FileError, match="this game needs"):
        load_perceptron(path, 66)
    with pytest.raises(BadOption, match="do not fit"):
        perceptron(np.zeros((5, 3)), np.zeros(2), np.zeros(3))
    with pytest.raises(BadOption, match="relu"):
        perceptron(np.zeros((5, 3)), np.zeros(3), np.zeros(3), activation="relu")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(edits=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6), cut=st.integers(0, 2000))
def test_no_bytes_break_the_reader_of_weights(tmp_path: Path, edits: list[tuple[int, int]], cut: int) -> None:
    path = tmp_path / "network.safetensors"
    save_perceptron(random_perceptron(12, 3, rng=np.random.default_rng(0)), path)
    content = bytearray(path.read_bytes())
    for place, byte in edits:
        content[place % len(content)] = byte
    path.write_bytes(content[: len(content) - cut % 50])
    try:
        network = load_perceptron(path, 12)
    except UnderstudyError as error:
        assert "\n" not in str(error)
    else:
        assert network.net["first"].shape == (12, 8)  # padded


def test_sums_of_weights_beyond_single_floats_are_cut() -> None:
    plan = make_plan(find_game("lines_of_action"), NetworkOptions(inputs=("sides", "turn"), hidden=2))
    alleles = np.full(plan.length, np.finfo(np.float32).max, np.float64)
    network = express(plan, alleles * 10)
    assert all(np.isfinite(network.net[name]).all() for name in ("first", "bias", "output", "counted"))


def test_a_private_copy_has_scratch_of_its_own() -> None:
    network = random_perceptron(10, 4, rng=np.random.default_rng(0))
    copy = private(network)
    assert np.array_equal(copy.net["first"], network.net["first"])
    copy.net["sums"][:] = 7
    assert not network.net["sums"].any()


@pytest.mark.parametrize("size", [4, 5, 8])
@pytest.mark.parametrize("both", [False, True])
def test_sums_kept_along_a_line_of_play_equal_fresh_ones(size: int, both: bool) -> None:
    game = find_game("lines_of_action", (size, size))
    inputs = ("sides", "nonads", "quads", "shape", "mobility", "threats", "turn")
    plan = make_plan(game, NetworkOptions(inputs=inputs, hidden=7, both=both))
    network = express(plan, np.random.default_rng(size).normal(0, 0.3, plan.length))
    for seed in range(4):
        line = random_line(game, 30, seed)
        begin(network, line[0][0])
        for height, (position, move) in enumerate(line):
            own = height % 2 == 0
            assert judge(network, position, own, height) == value(network, position, own)
            follow(network, position, move, height)


EVERY = [
    ("morris", None),
    ("konane", (4, 6)),
    ("konane", None),
    ("konane", (2, 32)),
    ("konane", (12, 12)),
    ("chess", None),
]


@pytest.mark.parametrize(("name", "size"), EVERY)
@pytest.mark.parametrize("both", [False, True])
def test_sums_are_kept_in_every_game(name: str, size: tuple[int, int] | None, both: bool) -> None:
    game = find_game(name, size)
    plan = make_plan(game, NetworkOptions(inputs=("features", "turn"), hidden=7, both=both))
    network = express(plan, np.random.default_rng(5).normal(0, 0.3, plan.length))
    for seed in range(12):
        line = random_line(game, 120, seed)[: HEIGHTS - 2]
        begin(network, line[0][0])
        for height, (position, move) in enumerate(line):
            own = height % 2 == 0
            assert judge(network, position, own, height) == value(network, position, own)
            follow_pass(network, position, height)
            assert judge(network, rules.turn(position), not own, height + 1) == value(
                network, rules.turn(position), not own
            )
            follow(network, position, move, height)


@pytest.mark.parametrize(
    ("fen", "moves"),
    [
        ("r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1", ("e1g1", "e8c8")),
        ("r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1", ("e1c1", "e8g8")),
        ("4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1", ("a2a4", "b4a3")),
        ("3nk3/2P5/8/8/8/8/2p5/3NK3 w - - 0 1", ("c7d8q", "e8d8")),
        ("4k3/2P5/8/8/8/8/2p5/3NK3 w - - 0 1", ("c7c8n", "c2d1r")),
    ],
)
def test_sums_follow_castling_passing_and_promotion(fen: str, moves: tuple[str, str]) -> None:
    game = find_game("chess")
    plan = make_plan(game, NetworkOptions(inputs=("features",), hidden=5, both=True))
    network = express(plan, np.random.default_rng(1).normal(0, 0.3, plan.length))
    position = game.read(fen)
    begin(network, position)
    for height, text in enumerate(moves):
        move = game.read_move(position, text)
        follow(network, position, move, height)
        position = game.play(position, move)
        own = height % 2 == 1
        assert judge(network, position, own, height + 1) == value(network, position, own)


@pytest.mark.parametrize("name", ["morris", "konane", "lines_of_action", "chess"])
def test_every_game_tells_a_network_whose_turn_it_is(name: str) -> None:
    game = find_game(name)
    plan = make_plan(game, NetworkOptions(inputs=("turn",), hidden=1))
    alleles = np.zeros(plan.length)
    alleles[0], alleles[1] = 2.0, 1.0  # from the input to the unit, from there to the output
    network = express(plan, alleles)
    assert value(network, game.start(), True) == pytest.approx(np.tanh(2.0), abs=1e-5)
    assert value(network, game.start(), False) == 0.0  # who looks on has no turn
    plan = make_plan(game, NetworkOptions(inputs=("features", "turn"), hidden=6, both=True))
    network = express(plan, np.random.default_rng(0).normal(0, 0.3, plan.length))
    for position, _ in random_line(game, 20, 1):
        assert value(network, position, True) == value(network, position, False)


def test_both_views_make_what_is_good_for_one_bad_for_the_other() -> None:
    game = find_game("lines_of_action")
    plan = make_plan(game, NetworkOptions(inputs=("sides", "nonads", "quads", "shape", "mobility"), both=True))
    network = express(plan, np.random.default_rng(0).normal(0, 0.3, plan.length))
    for position, _ in random_line(game, 30, 1):
        assert value(network, position, True) == -value(network, rules.turn(position), True)
        assert value(network, position, True) == value(network, position, False)


@kernel
def _fired(net: Any, sums: Any) -> Any:
    return fire(net, sums)


@kernel
def _shifted(net: Any, after: Any, before: Any, more: Any, less: Any) -> None:
    shift(net, after, before, more, less)


@pytest.mark.parametrize("hidden", [1, 8, 20, 31])
def test_wide_registers_say_the_same_as_plain_loops_to_the_last_bit(hidden: int) -> None:
    rng = np.random.default_rng(hidden)
    net = random_perceptron(5, hidden, rng=rng).net
    for spread in (0.1, 1.0, 30.0):  # far beyond where tanh is 1
        before, more, less = (rng.normal(0, spread * UNIT, (3, len(net["bias"])))).astype(np.int32)
        wide, plain = np.zeros_like(before), np.zeros_like(before)
        _shifted(net, wide, before, more, less)
        shift(net, plain, before, more, less)
        assert np.array_equal(wide, plain) and np.array_equal(plain, before + more - less)
        assert np.float32(_fired(net, wide)) == fire(net, plain)
        _shifted(net, wide, wide, less, more)
        assert np.array_equal(wide, before)
