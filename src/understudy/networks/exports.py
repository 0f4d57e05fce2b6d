"""Networks that run inside the search as ONNX graphs, for other programs: what they are shown is counted by kernels.

The search adds up one row of weights for each feature that holds; a graph is given the numbers of these features, one
list for each position, filled up with the number of a row of zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from understudy.networks.files import OPSET, VERSION
from understudy.search.evaluators.lanes import UNIT
from understudy.search.evaluators.perceptron import Perceptron

POSITIONS = "positions"
"""The one size of inputs and outputs that is open."""
VALUE = "value"
"""The name of the output: the result that is expected for the side to move, from -1 to 1 [positions]."""


class Drawing:
    """A graph under construction: each call adds an operator and returns the name of what it makes."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []

    def add(self, kind: str, *inputs: str, **options: Any) -> str:
        """Add an operator over named values."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **options))
        return name

    def keep(self, array: NDArray[Any]) -> str:
        """Keep an array in the graph."""
        name = f"kept_{len(self.tensors)}"
        self.tensors.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def keep_rows(self, rows: NDArray[Any]) -> str:
        """Keep rows of weights, and after them one of zeros, whose number fills up lists of features."""
        return self.keep(np.concatenate([rows, np.zeros((1, rows.shape[1]), rows.dtype)]))

    def add_up(self, rows: str, numbers: str, bias: str) -> str:
        """Add up the *rows* whose *numbers* are given for each position, and a bias [positions, units]."""
        taken = self.add("Cast", self.add("Gather", rows, numbers), to=TensorProto.FLOAT)
        return self.add("Add", self.add("ReduceSum", taken, self.keep(np.array([1])), keepdims=0), bias)

    def finish(self, value: str, inputs: Mapping[str, tuple[int, tuple[int | str, ...]]]) -> onnx.ModelProto:
        """Return the graph that gives *value*; of each input the type, and what a position has of it."""
        self.nodes.append(helper.make_node("Identity", [value], [VALUE]))
        takes = [
            helper.make_tensor_value_info(name, kind, [POSITIONS, *shape]) for name, (kind, shape) in inputs.items()
        ]
        gives = helper.make_tensor_value_info(VALUE, TensorProto.FLOAT, [POSITIONS])
        graph = helper.make_graph(self.nodes, "student", takes, [gives], self.tensors)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = VERSION
        onnx.checker.check_model(model)
        return model


def export_perceptron(network: Perceptron, width: int) -> onnx.ModelProto:
    """Return the graph of a network inside the search, whose game counts *width* numbers for each side.

    Inputs: `mine` and, of a network of both views, `theirs`, features by number as the side to move and as the other
    side sees the position; `numbers`, what is counted about the side to move and then about the other.
    """
    drawing, net = Drawing(), network.net
    rows, bias = drawing.keep_rows(_weights(net["first"])), drawing.keep(_weights(net["bias"]))
    output = drawing.keep(net["output"])
    mine, theirs = list(range(width)), list(range(width, 2 * width))

    def view(features: str, order: list[int]) -> str:
        """Add what the last unit adds up; *order* tells which row of weights each of the counted numbers has."""
        sums = drawing.add_up(rows, features, bias)
        if width:
            sums = drawing.add("Add", sums, drawing.add("MatMul", "numbers", drawing.keep(net["counted"][order])))
        return drawing.add("MatMul", drawing.add("Tanh", sums), output)

    inputs: dict[str, tuple[int, tuple[int | str, ...]]] = {"mine": (TensorProto.INT64, ("present",))}
    total = view("mine", mine + theirs)
    if network.both:  # the other view has the same last bias, so nothing of it is left
        total = drawing.add("Sub", total, view("theirs", theirs + mine))
        inputs["theirs"] = (TensorProto.INT64, ("present_there",))
    else:
        total = drawing.add("Add", total, drawing.keep(np.array(network.output_bias, np.float32)))
    if width:
        inputs["numbers"] = (TensorProto.FLOAT, (2 * width,))
    scale = drawing.keep(np.array(1.0 / network.scale, np.float32))
    return drawing.finish(drawing.add("Tanh", drawing.add("Mul", total, scale)), inputs)


def _weights(whole: NDArray[np.int32]) -> NDArray[np.float32]:
    weights: NDArray[np.float32] = (whole / UNIT).astype(np.float32)
    return weights
