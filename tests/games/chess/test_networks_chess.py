"""Networks over boards: the catalogue's counts of weights, real geometry, and the same numbers from their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch
from torch import nn

from tests.conftest import random_line
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.chess.inputs.planes import ChessInputs, encode
from understudy.games.chess.inputs.standings import FEW_PIECES_AT, PIECES_AT, ROWS
from understudy.games.chess.learning.labels import export_board, parameters, save_board_student, suffix_of
from understudy.games.chess.learning.networks import (
    BoardNetworkOptions,
    StandingsNetwork,
    Sums,
    check_network,
    make_network,
)
from understudy.lab.experiments import load_experiment, shipped
from understudy.players.graphs import check_graph, find_most, read_graph

CHESS = find_game("chess")
SABATELLI = {lesson.name: lesson for lesson in load_experiment(shipped()["chess_sabatelli"]).lessons}
PUBLISHED = {
    "mlp_bitmap_1": 1_355_615,
    "mlp_bitmap_2": 7_938_479,
    "mlp_bitmap_3": 7_943_734,
    "mlp_bitmap_4": 9_969_665,
    "cnn_bitmap_1": 1_617_073,
    "cnn_bitmap_2": 1_623_085,
    "cnn_bitmap_3": 1_625_590,
    "cnn_bitmap_4": 1_616_071,
}
"""Weights and biases as the catalogue counts them, those of batch normalisation left out."""


def network_of(name: str) -> nn.Module:
    lesson = SABATELLI[name]
    return make_network(lesson.network, planes=lesson.inputs.planes, outputs=lesson.dataset.outputs)


def normalising(network: nn.Module) -> list[Any]:
    return [module for module in network.modules() if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d))]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_networks_have_their_counts_of_weights(name: str) -> None:
    network = network_of(name)
    added = sum(parameters(module) for module in normalising(network))
    assert parameters(network) - added == PUBLISHED[name]
    same = network_of(name.replace("bitmap", "algebraic"))
    assert parameters(same) == parameters(network)


def test_what_batch_normalisation_adds() -> None:
    """The catalogue's 24 576 are four numbers for each of 3 x 2048 units; half of them learn, half are statistics."""
    layers = normalising(network_of("mlp_bitmap_4"))
    learned = sum(parameters(layer) for layer in layers)
    kept = sum(layer.running_mean.numel() + layer.running_var.numel() for layer in layers)
    assert (learned, kept, learned + kept) == (12_288, 12_288, 24_576)
    assert sum(parameters(layer) for layer in normalising(network_of("cnn_bitmap_1"))) == 2 * (20 + 50 + 500)
    assert not normalising(network_of("mlp_bitmap_1")) and not normalising(network_of("cnn_features_1"))


def test_the_feature_network_is_item_20() -> None:
    network: Any = network_of("cnn_features_1")
    windows = [layer for layer in network if isinstance(layer, nn.Conv2d)]
    assert [(layer.in_channels, layer.out_channels, layer.kernel_size[0]) for layer in windows] == [
        (16, 20, 7), (20, 30, 5), (30, 50, 3)
    ]  # fmt: skip
    kinds = [type(layer).__name__ for layer in network]
    assert kinds == ["Conv2d", "ELU", "Conv2d", "ELU", "Conv2d", "ELU", "Dropout", "Flatten", "Linear", "ELU",
                     "Dropout", "Linear"]  # fmt: skip
    assert {layer.p for layer in network if isinstance(layer, nn.Dropout)} == {0.25}
    assert [layer.out_features for layer in network if isinstance(layer, nn.Linear)] == [250, 3]


def test_optimisers_are_those_of_the_catalogue() -> None:
    trainings = {name: lesson.training for name, lesson in SABATELLI.items()}
    for name in ("mlp_bitmap_1", "mlp_algebraic_2", "mlp_features_3"):
        one = trainings[name]
        assert (one.optimiser, one.learning_rate, one.beta1, one.beta2, one.batch) == ("adam", 0.001, 0.9, 0.99, 128)
    four = trainings["mlp_bitmap_4"]
    assert (four.optimiser, four.learning_rate, four.momentum, four.batch) == ("sgd", 0.001, 0.7, 248)
    for name in ("cnn_bitmap_1", "cnn_algebraic_4", "cnn_features_3"):
        assert (trainings[name].optimiser, trainings[name].learning_rate, trainings[name].momentum) == (
            "sgd",
            0.01,
            0.0,
        )
        assert (trainings[name].schedule, trainings[name].batch) == ("constant", 128)


def planes(fen: str) -> torch.Tensor:
    return torch.from_numpy(encode(stacked([CHESS.read(fen)]), ChessInputs())).float()


@pytest.mark.parametrize(
    ("one", "other", "shift"),
    [
        ("k7/8/8/8/3N4/8/8/K7 w - - 0 1", "k7/8/8/8/4N3/8/8/K7 w - - 0 1", (0, 1)),
        ("k7/8/8/8/3N4/8/8/K7 w - - 0 1", "k7/8/8/3N4/8/8/8/K7 w - - 0 1", (1, 0)),
        ("k7/8/8/8/3q4/8/8/K7 w - - 0 1", "k7/8/8/8/8/4q3/8/K7 w - - 0 1", (-1, 1)),
    ],
)
def test_a_convolution_sees_the_boards_geometry(one: str, other: str, shift: tuple[int, int]) -> None:
    """A piece moved by one cell moves the first layer's response by one cell, in ranks and files."""
    network: Any = network_of("cnn_bitmap_1").eval()
    nothing = planes("k7/8/8/8/8/8/8/K7 w - - 0 1")
    with torch.no_grad():
        changes = [network[0](planes(fen)) - network[0](nothing) for fen in (one, other)]
    assert changes[0].abs().sum() > 0
    assert torch.allclose(torch.roll(changes[0], shift, dims=(2, 3)), changes[1], atol=1e-6)
    touched = changes[0][0].abs().sum(dim=0) > 1e-7
    assert torch.equal(touched.nonzero().amin(dim=0), torch.tensor([1, 1]))
    assert torch.equal(touched.nonzero().amax(dim=0), torch.tensor([5, 5]))


DESIGNS: dict[str, dict[str, Any]] = {
    "relu": {"hidden": (32, 16), "dropout": 0.5},
    "elu_normalised": {"hidden": (32, 16), "units": "elu", "normalised": True},
    "convolutional": {
        "design": "convolutional", "filters": (6, 5), "widths": (5, 3), "hidden": (16,), "units": "elu",
        "dropout": 0.3, "normalised": True,
    },
    "last_dropped": {
        "design": "convolutional", "filters": (4, 5, 6), "widths": (7, 5, 3), "hidden": (16,), "dropout": 0.3,
        "dropped": "last",
    },
    "sigmoid": {"hidden": (16,), "output": "sigmoid"},
    "residual": {"design": "residual", "filters": (8, 8, 8, 4), "hidden": (16,), "units": "elu"},
}  # fmt: skip


def seasoned(network: nn.Module, boards: torch.Tensor) -> nn.Module:
    """Return a network whose normalising layers have seen something."""
    with torch.no_grad():
        for _ in range(5):
            network(boards)
        for layer in normalising(network):
            layer.weight.add_(torch.randn_like(layer.weight) * 0.2)
    return network


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("outputs", [1, 15])
def test_a_file_says_what_the_network_says(name: str, outputs: int, tmp_path: Path) -> None:
    line = [position for seed in range(3) for position, _ in random_line(CHESS, 60, seed)]
    inputs = ChessInputs(kind="features", rights=True)
    boards = torch.from_numpy(encode(stacked(line), inputs)).float()
    with torch.random.fork_rng():
        torch.manual_seed(4)
        network = make_network(BoardNetworkOptions(**DESIGNS[name]), planes=inputs.planes, outputs=outputs)
        seasoned(network, boards)
    path = tmp_path / f"student.{suffix_of(network)}"
    save_board_student(path, network, {"kind": "labels"}, planes=inputs.planes, outputs=outputs)
    assert network.training and path.suffix == ".onnx"
    check_graph(path)
    answers = onnxruntime.InferenceSession(path).run(None, {"inputs": boards.numpy()})[0]
    with torch.no_grad():
        expected = network.eval()(boards).numpy()
    assert answers.shape == (len(line), outputs) and np.ptp(expected) > 0.01
    assert answers == pytest.approx(expected, abs=2e-5)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_published_convolution_goes_into_its_file() -> None:
    network = network_of("cnn_bitmap_3")
    model = export_board(network, planes=12, outputs=20)
    assert find_most(read_graph(memoryview(model.SerializeToString())), 256) < 1 << 25
    session = onnxruntime.InferenceSession(model.SerializeToString())
    boards = np.zeros((3, 12, 8, 8), np.float32)
    boards[1, 4, 3, 3] = 1
    with torch.no_grad():
        expected = network.eval()(torch.from_numpy(boards)).numpy()
    assert session.run(None, {"inputs": boards})[0] == pytest.approx(expected, abs=1e-5)


def standings_network(**options: Any) -> StandingsNetwork:
    network = make_network(BoardNetworkOptions(design="standings", **options), planes=12, outputs=1).eval()
    assert isinstance(network, StandingsNetwork) and suffix_of(network) == "safetensors"
    return network


def test_standings_ignore_what_is_not_there() -> None:
    network = standings_network(hidden=(8, 32, 32))
    rows = torch.tensor([[5, 700, 14000], [5, 700, 14000]], dtype=torch.int32)
    filled = torch.cat([rows, torch.full((2, 4), ROWS, dtype=torch.int32)], dim=1)
    assert torch.allclose(network(rows), network(filled), atol=1e-6)


def test_sums_of_rows_are_those_of_a_bag_of_embeddings() -> None:
    present = torch.randint(0, 30, (7, 12), dtype=torch.int32)
    present[:, 9:] = 30
    rows, expected = (torch.randn(30, 5).requires_grad_() for _ in range(2))
    expected.data.copy_(rows.data)
    padded = torch.cat([expected, torch.zeros(1, 5)])
    ours = Sums.apply(present, rows, 30)  # type: ignore[no-untyped-call]
    theirs = torch.nn.functional.embedding_bag(present, padded, mode="sum", padding_idx=30)
    assert torch.allclose(ours, theirs, atol=1e-5)
    weights = torch.randn(7, 5)
    (ours * weights).sum().backward()
    (theirs * weights).sum().backward()
    assert rows.grad is not None and expected.grad is not None
    assert torch.allclose(rows.grad, expected.grad, atol=1e-5)


def test_endings_teach_their_own_rows_alone() -> None:
    network = standings_network(hidden=(8, 32, 32), stages=(4,))
    rows = torch.tensor(
        [[5, PIECES_AT + 4, FEW_PIECES_AT + 7, ROWS], [5, PIECES_AT + 9, ROWS, ROWS]], dtype=torch.int32
    )
    for place, taught in enumerate(([FEW_PIECES_AT + 7], [5, PIECES_AT + 9])):
        network.zero_grad()
        network(rows[place : place + 1]).sum().backward()
        assert network.rows.grad is not None and network.pieces.grad is not None and network.bias.grad is not None
        assert network.rows.grad.abs().sum(dim=1).nonzero()[:, 0].tolist() == taught
        assert bool(network.pieces.grad.any()) == bool(network.bias.grad.any()) == (place == 1)


def test_the_number_of_pieces_tells_the_stage() -> None:
    network = standings_network(hidden=(8, 32, 32), stages=(4, 12))
    rows = torch.tensor([[5, PIECES_AT + count, ROWS] for count in (3, 4, 5, 12, 13, 32)], dtype=torch.int32)
    before = network(rows)[:, 0]
    with torch.no_grad():
        for step, head in enumerate(network.heads):
            head[-1].bias.add_(10.0 * (step + 1))  # type: ignore[index, operator, union-attr]
    assert (network(rows)[:, 0] - before).round().tolist() == [10, 10, 20, 20, 30, 30]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"design": "convolution"}, "did you mean 'convolutional'"),
        ({"units": "tanh"}, "no network.units 'tanh'"),
        ({"dropped": "first"}, "no network.dropped 'first'"),
        ({"dropout": 1.0}, "network.dropout must be from 0 to 0.95"),
        ({"stages": (4,)}, "a standings network may have some"),
        ({"start": "chess"}, "network.start: only a standings network begins with a student's weights, not 'chess'"),
        ({"design": "standings", "hidden": (8, 32, 32), "stages": (12, 4)}, "ascending, not"),
        ({"design": "standings", "hidden": (8, 32, 32), "stages": (32,)}, "network.stages must be from 1 to 31"),
        ({"hidden": ()}, "at least one layer of units"),
        ({"hidden": (0,)}, "network.hidden must be from 1"),
        ({"filters": (3,)}, "a perceptron network has no filters"),
        ({"design": "residual"}, "a residual network needs filters"),
        ({"design": "convolutional", "filters": (3, 3), "widths": (3,)}, "2 convolutions need as many widths, not 1"),
        ({"design": "convolutional", "filters": (3,), "widths": (4,)}, "windows of odd width"),
        ({"design": "standings", "hidden": (64, 32)}, "then 32 and 32 units, not"),
        ({"design": "standings", "hidden": ()}, "then 32 and 32 units, not"),
    ],
)
def test_networks_that_cannot_be(change: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        check_network(BoardNetworkOptions(**change))
