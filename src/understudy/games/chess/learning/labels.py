"""Learning what an engine says of positions: classes and outcomes by likelihood, numbers by squared error.

After Sabatelli (2017), chapters 6 and 7. Positions stay packed as masks; each batch is encoded when its turn comes,
which costs less than fetching ready-made planes from memory. Who has learned becomes a file that players read: ONNX
written layer by layer, or rows and layers for the search.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from understudy.errors import BadOption, FileError
from understudy.games.chess.datasets import SPREAD, Dataset
from understudy.games.chess.inputs.planes import ChessInputs, encode_into
from understudy.games.chess.inputs.standings import MOST, encode_standings
from understudy.games.chess.learning.networks import MIDDLE, Block, StandingsNetwork
from understudy.games.chess.position import Chess
from understudy.networks.files import OPSET, VERSION, save_model
from understudy.tensors import load_arrays, save_arrays
from understudy.trainers.fitting import Epoch, Graded, Learning, Partial, TrainingOptions, fit

ROWS = 8192
"""Positions looked at together when nothing is learned: their planes take some 25 MB."""
SUFFIX = {True: "safetensors", False: "onnx"}
"""The ending of a student's file: networks of standings run inside the compiled search, all others by ONNX Runtime."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Positions and what a network should say of them."""

    positions: Chess
    targets: Tensor
    inputs: ChessInputs
    dataset: Dataset

    def __len__(self) -> int:
        return len(self.targets)


def shown(positions: Chess, rows: NDArray[np.int64], inputs: ChessInputs) -> Tensor:
    """Return some of the positions as a network sees them."""
    if inputs.kind == "standings":
        present = np.empty((len(rows), MOST), np.int32)
        encode_standings(positions, rows, present)
        return torch.from_numpy(present)
    planes = np.empty((len(rows), inputs.planes, 8, 8), np.float32)
    encode_into(positions, rows, inputs.plan, planes.reshape(len(rows), inputs.planes, 64))
    return torch.from_numpy(planes)


def train_labels(
    learning: Learning, lesson: Labelled, examination: Labelled, options: TrainingOptions
) -> Iterator[Partial | Epoch]:
    """Fit a network to labels; at the end it has the weights that were best on the examination."""
    return fit(learning, Labels(learning.unit, lesson, examination, options), options)


@dataclass(frozen=True)
class Labels:
    """The objective of students that learn what an engine says."""

    network: nn.Module
    lesson: Labelled
    examination: Labelled
    options: TrainingOptions

    def batches(self, epoch: int) -> tuple[int, Iterator[NDArray[np.int64]]]:
        """Return the rows of an epoch in an order that it alone has; what fills no batch waits for another epoch.

        Short epochs share an order until every row was shown once.
        """
        batch, rows = self.options.batch, len(self.lesson)
        parts = math.ceil(rows / (self.options.epoch_rows or rows))
        turn, part = divmod(epoch, parts)
        whole = np.random.default_rng([self.options.seed, turn, 0x1A]).permutation(rows)
        order = np.array_split(whole, parts)[part]
        steps = max(1, len(order) // batch)
        return steps, (order[step * batch : (step + 1) * batch] for step in range(steps))

    def grade(self, rows: NDArray[np.int64]) -> Graded:
        """Return the loss of some positions, and how near the network is."""
        dataset, targets = self.lesson.dataset, self.lesson.targets[rows]
        outputs = self.network(shown(self.lesson.positions, rows, self.lesson.inputs))
        loss = _loss(dataset, outputs, targets)
        return Graded(loss, loss.item() * len(rows), _hits(dataset, outputs.detach(), targets), len(rows))

    def examine(self) -> tuple[float, float]:
        """Return loss and accuracy on the examination."""
        return examine_labels(self.network, self.examination, self.options.validation_rows)


def _loss(dataset: Dataset, outputs: Tensor, targets: Tensor) -> Tensor:
    if dataset.classes:
        return nn.functional.cross_entropy(outputs, targets)
    if dataset.bins:
        return nn.functional.cross_entropy(outputs, histogram(dataset, targets))
    if dataset.logistic:
        likely = nn.functional.binary_cross_entropy_with_logits(outputs[:, 0], targets)
        return likely + dataset.apart * _apart(outputs[:, 0], targets) if dataset.apart else likely
    return nn.functional.mse_loss(outputs[:, 0], targets)


def histogram(dataset: Dataset, targets: Tensor) -> Tensor:
    """Return how much of a bell around each target falls into each bin [targets, bins], one in all (HL-Gauss).

    After Imani and White (2018) and Farebrother et al. (2024): a bin off by one is nearly right, as numbers are, and
    the gradients are those of classes.
    """
    edges = torch.from_numpy(dataset.edges_of_bins)
    deviation = SPREAD * float(edges[1] - edges[0])
    shares = torch.special.ndtr((edges - targets[:, None].double()) / deviation).diff(dim=1)
    whole: Tensor = (shares / shares.sum(dim=1, keepdim=True)).float()
    return whole


def _apart(logits: Tensor, targets: Tensor) -> Tensor:
    """Return how far logits are from those of the targets, the more the surer an outcome is."""
    sure = 1 - 4 * targets * (1 - targets)  # 0 for an even game, 1 for a decided one
    return (sure * nn.functional.smooth_l1_loss(logits, torch.logit(targets, eps=1e-6), reduction="none")).mean()


def _hits(dataset: Dataset, outputs: Tensor, targets: Tensor) -> float:
    """Return how many classes are right, or how near numbers are: one for each, less their squared errors."""
    if dataset.classes:
        return float((outputs.argmax(dim=1) == targets).sum())
    return len(targets) - float((_numbers(dataset, outputs) - targets).square().sum())


def _numbers(dataset: Dataset, outputs: Tensor) -> Tensor:
    """Return the numbers that outputs stand for."""
    if dataset.bins:
        means: Tensor = outputs.softmax(dim=1) @ torch.from_numpy(dataset.middles_of_bins).float()
        return means
    return torch.sigmoid(outputs[:, 0]) if dataset.logistic else outputs[:, 0]


def examine_labels(network: nn.Module, examination: Labelled, most: int) -> tuple[float, float]:
    """Return the mean loss and the accuracy (of numbers: one less their mean squared error), on at most *most* rows.

    They are spread evenly, because files stand one after another.
    """
    loss = hits = 0.0
    rows = min(len(examination), most)
    chosen = np.linspace(0, len(examination) - 1, rows).astype(np.int64)
    for first in range(0, rows, ROWS):
        part = chosen[first : first + ROWS]
        outputs, targets = torch.from_numpy(say(network, examination, part)), examination.targets[part]
        loss += float(_loss(examination.dataset, outputs, targets)) * len(part)
        hits += _hits(examination.dataset, outputs, targets)
    return loss / max(rows, 1), hits / max(rows, 1)


def say(network: nn.Module, lesson: Labelled, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what a network says of some positions [rows, outputs]: logits of classes or of outcomes, else numbers."""
    network.eval()
    with torch.no_grad():
        outputs = [
            network(shown(lesson.positions, rows[first : first + ROWS], lesson.inputs)).numpy()
            for first in range(0, len(rows), ROWS)
        ]
    network.train()
    return np.concatenate(outputs) if outputs else np.zeros((0, lesson.dataset.outputs), np.float32)


def parameters(network: nn.Module) -> int:
    """Return how many weights a network has."""
    return sum(weight.numel() for weight in network.parameters())


def suffix_of(network: nn.Module) -> str:
    """Return the ending of the file in which a network is kept."""
    return SUFFIX[isinstance(network, StandingsNetwork)]


def save_board_student(path: Path, network: nn.Module, facts: Mapping[str, Any], *, planes: int, outputs: int) -> None:
    """Write a student whole or not at all; *facts* tell what a player must know, and how the student came about."""
    if isinstance(network, StandingsNetwork):
        save_arrays(path, standing_arrays(network), facts)
        return
    save_model(path, export_board(network, planes=planes, outputs=outputs), facts)


def standing_arrays(network: StandingsNetwork) -> dict[str, Any]:
    """Return the weights under the names that the evaluator `Standing` knows."""
    heads: list[Any] = [[layer for layer in head.children() if isinstance(layer, nn.Linear)]
                        for head in network.heads]  # fmt: skip
    shape = [layer.out_features for layer in heads[0]]
    if shape != [MIDDLE, MIDDLE, 1]:
        raise BadOption(
            f"network.hidden: a standings network ends in two layers of {MIDDLE} units and says one number, "
            f"so its data set has no classes; this one has {shape}"
        )
    arrays = {"first": network.first_rows().numpy(), "bias": network.bias.detach().numpy()}
    for name, layers in zip(("second", "third", "output"), zip(*heads, strict=True), strict=True):
        arrays[name] = np.stack([layer.weight.detach().numpy().T for layer in layers])
        arrays[f"{name}_bias"] = np.stack([layer.bias.detach().numpy() for layer in layers])
    halved = {"first": np.asarray(arrays.pop("first"), np.float16)}  # by far the largest, and sums forgive
    single = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    return halved | single | {"stages": network.get_buffer("stages").numpy()}


def load_standings(network: StandingsNetwork, path: Path) -> None:
    """Give a network the weights of a student of the same shape; its file holds rows and pieces added up."""
    held, own = load_arrays(path, "student")[0], standing_arrays(network)
    for name, array in own.items():
        if name not in held or held[name].shape != array.shape or (name == "stages" and (held[name] != array).any()):
            raise FileError(f"network.start: the student {str(path)!r} has another {name!r} than this network")
    with torch.no_grad():
        network.rows.copy_(torch.from_numpy(held["first"].astype(np.float32)))
        network.pieces.zero_()
        network.bias.copy_(torch.from_numpy(held["bias"]))
        for place, head in enumerate(network.heads):
            layers = [layer for layer in head.children() if isinstance(layer, nn.Linear)]
            for layer, name in zip(layers, ("second", "third", "output"), strict=True):
                layer.weight.copy_(torch.from_numpy(np.ascontiguousarray(held[name][place].T)))
                layer.bias.copy_(torch.from_numpy(held[f"{name}_bias"][place]))


def export_board(network: nn.Module, *, planes: int, outputs: int) -> onnx.ModelProto:
    """Return a graph from `inputs` [boards, planes, 8, 8] to `said` [boards, outputs]."""
    drawing = _Drawing()
    last = drawing.follow(network.eval(), "inputs")
    drawing.nodes.append(helper.make_node("Identity", [last], ["said"]))
    inputs = helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["boards", planes, 8, 8])
    output = helper.make_tensor_value_info("said", TensorProto.FLOAT, ["boards", outputs])
    graph = helper.make_graph(drawing.nodes, "student", [inputs], [output], drawing.tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = VERSION
    onnx.checker.check_model(model)
    network.train()
    return model


class _Drawing:
    """A graph under construction."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []

    def follow(self, module: nn.Module, below: str) -> str:
        """Add the nodes of a module and return what its result is called."""
        if isinstance(module, nn.Sequential):
            for layer in module:
                below = self.follow(layer, below)
            return below
        if isinstance(module, Block):
            inner = self.follow(module.units, self.follow(module.one, self.follow(module.first, below)))
            added = self._add("Add", [below, self.follow(module.two, self.follow(module.second, inner))])
            return self.follow(module.units, added)
        return below if isinstance(module, nn.Dropout) else self._layer(module, below)

    def _layer(self, module: Any, below: str) -> str:
        if isinstance(module, nn.Flatten):
            return self._add("Flatten", [below], axis=1)
        if isinstance(module, nn.Linear):
            return self._add("Gemm", [below, *self._kept(module.weight, module.bias)], transB=1)
        if isinstance(module, nn.Conv2d):
            around = module.kernel_size[0] // 2
            weights = [module.weight] if module.bias is None else [module.weight, module.bias]
            return self._add("Conv", [below, *self._kept(*weights)], pads=[around] * 4)
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            kept = self._kept(module.weight, module.bias, module.running_mean, module.running_var)
            return self._add("BatchNormalization", [below, *kept], epsilon=module.eps)
        return self._add({nn.ReLU: "Relu", nn.ELU: "Elu", nn.Sigmoid: "Sigmoid"}[type(module)], [below])

    def _add(self, kind: str, inputs: list[str], **options: Any) -> str:
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **options))
        return name

    def _kept(self, *weights: Any) -> list[str]:
        names = [f"weights_{len(self.tensors) + place}" for place in range(len(weights))]
        arrays = [np.ascontiguousarray(weight.detach().numpy()) for weight in weights]
        self.tensors += [numpy_helper.from_array(array, name) for array, name in zip(arrays, names, strict=True)]
        return names
