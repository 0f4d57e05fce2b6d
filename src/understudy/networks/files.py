"""Students that have learned, as files: weights (safetensors) to learn on from, ONNX to play with."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import save as write_tensors

from understudy.files import make_folder, save_file
from understudy.networks.compact import fold_ties
from understudy.networks.students import Playing, Unit, values_boards
from understudy.sums import BLANK, REMARK
from understudy.tensors import FACTS, write_facts

OPSET, VERSION = 18, 9
"""Of the operators and of the format: old enough for every ONNX Runtime of today."""

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def save_layers(path: Path, layers: Sequence[Layer], facts: Mapping[str, Any], *, units: str = "Sigmoid") -> None:
    """Write a network as ONNX; *facts* tell what a player must know, and how the student came about."""
    save_model(path, export_layers(layers, units=units), facts)


def save_model(path: Path, model: onnx.ModelProto, facts: Mapping[str, Any]) -> None:
    """Write a graph with *facts* and its sum beside it."""
    model.metadata_props.add(key=FACTS, value=json.dumps(dict(facts)))
    model.metadata_props.add(key=REMARK, value=BLANK)
    save_file(path, lambda partial: partial.write_bytes(model.SerializeToString()), sealed=True)


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


def save_student(folder: Path, name: str, units: Sequence[Unit], facts: Mapping[str, Any]) -> None:
    """Write NAME.safetensors and NAME.onnx; *facts* tell what a player must know, and how the student came about."""
    tensors = {
        f"{unit.name}.{key}": tensor.detach().contiguous()
        for unit in units
        for key, tensor in unit.state_dict().items()
    }
    metadata = write_facts(facts)
    make_folder(folder)
    save_file(
        folder / f"{name}.safetensors", lambda path: path.write_bytes(write_tensors(tensors, metadata)), sealed=True
    )
    save_playing(folder / f"{name}.onnx", units, facts)


def save_playing(path: Path, units: Sequence[Unit], facts: Mapping[str, Any]) -> None:
    """Write a student as an ONNX graph that says what a player must know."""
    save_model(path, export(units, columns=int(facts["columns"])), facts)


def export(units: Sequence[Unit], *, columns: int) -> onnx.ModelProto:
    """Return a student as an ONNX graph over any number of positions."""
    playing = Playing(units).eval()
    rows = torch.export.Dim("positions", min=1)
    places = sum(len(unit.places) for unit in units)
    example = torch.zeros(2, columns), torch.full((2, places - 1), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            playing,
            example,
            dynamo=True,
            verbose=False,
            input_names=["inputs", "given"],
            output_names=["scores", "choices", *(["worths"] if any(map(values_boards, units)) else [])],
            dynamic_shapes=({0: rows}, {0: rows}),
        )
    assert program is not None
    buffer = io.BytesIO()
    onnx.save(program.model_proto, buffer)
    return fold_ties(without_traces(onnx.load_from_string(buffer.getvalue())), units)


def without_traces(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return *model* without what PyTorch notes of the program that made it: whose disk it was is nobody's business."""
    for named in (model.graph, *model.graph.node, *model.graph.value_info):
        del named.metadata_props[:]
    return model
