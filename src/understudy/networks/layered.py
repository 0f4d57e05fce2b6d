"""Networks of plain layers as ONNX files, written node by node: what a student has learned, to play with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from understudy.files import save_file

FACTS = "understudy"
"""The key of the metadata."""
OPSET, VERSION = 18, 9
"""Of the operators and of the format: old enough for every ONNX Runtime of today."""

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def save_layers(path: Path, layers: Sequence[Layer], facts: Mapping[str, Any], *, units: str = "Sigmoid") -> None:
    """Write a network as ONNX; *facts* tell what a player must know, and how the student came about."""
    model = export_layers(layers, units=units)
    model.metadata_props.add(key=FACTS, value=json.dumps(dict(facts)))
    save_file(path, lambda partial: partial.write_bytes(model.SerializeToString()))


def export_layers(layers: Sequence[Layer], *, units: str = "Sigmoid") -> onnx.ModelProto:
    """Return a graph from `inputs` [boards, inputs] to `values` [boards, 1], from 0 to 1; hidden ones are *units*."""
    nodes, tensors, below = [], [], "inputs"
    for place, (weights, biases) in enumerate(layers):
        names = f"weights_{place}", f"biases_{place}", f"sums_{place}"
        last = place == len(layers) - 1
        above = "values" if last else f"units_{place}"
        tensors += [numpy_helper.from_array(np.ascontiguousarray(weights), names[0])]
        tensors += [numpy_helper.from_array(np.ascontiguousarray(biases), names[1])]
        nodes.append(helper.make_node("Gemm", [below, names[0], names[1]], [names[2]]))
        nodes.append(helper.make_node("Sigmoid" if last else units, [names[2]], [above]))
        below = above
    inputs = helper.make_tensor_value_info("inputs", TensorProto.FLOAT, ["boards", layers[0][0].shape[0]])
    values = helper.make_tensor_value_info("values", TensorProto.FLOAT, ["boards", 1])
    graph = helper.make_graph(nodes, "student", [inputs], [values], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = VERSION
    onnx.checker.check_model(model)
    return model
