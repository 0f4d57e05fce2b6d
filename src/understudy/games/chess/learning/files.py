"""Networks over boards as files that players read: ONNX written layer by layer, or rows and layers for the search."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from understudy.errors import BadOption
from understudy.files import save_file
from understudy.games.chess.learning.networks import MIDDLE, Block, StandingsNetwork
from understudy.networks.files import FACTS, OPSET, VERSION
from understudy.tensors import save_arrays

SUFFIX = {True: "safetensors", False: "onnx"}
"""The ending of a student's file: networks of standings run inside the compiled search, all others by ONNX Runtime."""


def suffix_of(network: nn.Module) -> str:
    """Return the ending of the file in which a network is kept."""
    return SUFFIX[isinstance(network, StandingsNetwork)]


def save_board_student(path: Path, network: nn.Module, facts: Mapping[str, Any], *, planes: int, outputs: int) -> None:
    """Write a student whole or not at all; *facts* tell what a player must know, and how the student came about."""
    if isinstance(network, StandingsNetwork):
        save_arrays(path, standing_arrays(network), facts)
        return
    model = export_board(network, planes=planes, outputs=outputs)
    model.metadata_props.add(key=FACTS, value=json.dumps(dict(facts)))
    save_file(path, lambda partial: partial.write_bytes(model.SerializeToString()))


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


def export_board(network: nn.Module, *, planes: int, outputs: int) -> onnx.ModelProto:
    """Return a graph from `inputs` [boards, planes, 8, 8] to `said` [boards, outputs]."""
    drawing = _Drawing()
    last = drawing.follow(network.eval(), "inputs")
    drawing.nodes.append(helper.make_node("Identity", [last], ["said"]))
    inputs = helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["boards", planes, 8, 8])
    said = helper.make_tensor_value_info("said", TensorProto.FLOAT, ["boards", outputs])
    graph = helper.make_graph(drawing.nodes, "student", [inputs], [said], drawing.tensors)
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
        return self._add({nn.ReLU: "Relu", nn.ELU: "Elu"}[type(module)], [below])

    def _add(self, kind: str, inputs: list[str], **options: Any) -> str:
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **options))
        return name

    def _kept(self, *weights: Any) -> list[str]:
        names = [f"weights_{len(self.tensors) + place}" for place in range(len(weights))]
        arrays = [np.ascontiguousarray(weight.detach().numpy()) for weight in weights]
        self.tensors += [numpy_helper.from_array(array, name) for array, name in zip(arrays, names, strict=True)]
        return names
