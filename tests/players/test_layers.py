"""Layers read from ONNX files: what was written comes out, and what is no row of layers is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from understudy.networks.files import export_layers
from understudy.players.layers import NotInside, read_layers
from understudy.players.student_files import SHIPPED


def three_layers() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    return [
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in ((6, 5), (5, 4), (4, 1))
    ]


@pytest.mark.parametrize("units", ["Relu", "Sigmoid", "Tanh"])
@pytest.mark.parametrize("raw", [True, False])
def test_layers_are_read_as_they_were_written(tmp_path: Path, units: str, raw: bool) -> None:
    layers, path = three_layers(), tmp_path / "x.onnx"
    model = export_layers(layers, units=units)
    if not raw:  # ONNX may also write numbers one by one
        for tensor in model.graph.initializer:
            numbers = numpy_helper.to_array(tensor)
            tensor.CopyFrom(helper.make_tensor(tensor.name, 1, numbers.shape, numbers.ravel().tolist()))
    onnx.save(model, path)
    plain = read_layers(path)
    assert plain.units == units and len(plain.layers) == 3
    for (weights, biases), (expected, shift) in zip(plain.layers, layers, strict=True):
        assert np.array_equal(weights, expected) and np.array_equal(biases, shift)


@pytest.mark.parametrize("name", ["konane_4", "konane_6", "konane_8"])
def test_students_that_ship_are_rows_of_layers(name: str) -> None:
    model, plain = onnx.load(SHIPPED / f"{name}.onnx"), read_layers(SHIPPED / f"{name}.onnx")
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for place, (weights, biases) in enumerate(plain.layers):
        assert np.array_equal(weights, tensors[f"weights_{place}"])
        assert np.array_equal(biases, tensors[f"biases_{place}"])


def scale(model: onnx.ModelProto) -> None:
    model.graph.node[2].attribute.append(helper.make_attribute("alpha", 0.5))


def skip(model: onnx.ModelProto) -> None:
    model.graph.node[4].input[0] = "units_0"


def mix(model: onnx.ModelProto) -> None:
    model.graph.node[3].op_type = "Tanh"


def end_in_tanh(model: onnx.ModelProto) -> None:
    model.graph.node[5].op_type = "Tanh"


def soften(model: onnx.ModelProto) -> None:
    model.graph.node[1].op_type = "Elu"


def convolve(model: onnx.ModelProto) -> None:
    model.graph.node[0].op_type = "Conv"


def compute_weights(model: onnx.ModelProto) -> None:
    del model.graph.initializer[2]


def cut(model: onnx.ModelProto) -> None:
    del model.graph.node[2:]


def stop_early(model: onnx.ModelProto) -> None:
    del model.graph.node[5:]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (scale, "Gemm where a layer adds up its inputs"),
        (skip, "layers that do not follow each other"),
        (mix, "units of Relu and Tanh and Sigmoid, layer by layer"),
        (end_in_tanh, "units of Relu and Tanh, layer by layer"),
        (soften, "Elu where units are squashed"),
        (convolve, "Conv where a layer adds up its inputs"),
        (compute_weights, "Gemm where a layer adds up its inputs"),
        (cut, "units of Relu, layer by layer"),
        (stop_early, "units of Relu, layer by layer"),
    ],
)
def test_what_is_no_row_of_layers_is_named(
    tmp_path: Path, change: Callable[[onnx.ModelProto], None], fault: str
) -> None:
    model, path = export_layers(three_layers(), units="Relu"), tmp_path / "x.onnx"
    change(model)
    onnx.save(model, path)
    with pytest.raises(NotInside) as told:
        read_layers(path)
    assert str(told.value) == f"its network is no row of layers such as runs inside a search: it has {fault}"
