"""Smaller files: matrices that are tied by symmetry are kept as the few numbers that they are made of.

A student plays with plain matrices. Where weights are tied, a matrix of Morris holds each of its numbers some ten
times over; the file keeps each once, and which stands where, and the graph writes the matrix out. ONNX Runtime does
that once, when it loads the file: nothing is slower, and the matrix is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from torch import nn

from understudy.networks.architectures import Tied

SMALL = 4096
"""Matrices of fewer numbers stay as they are: the nodes that write one out take a kilobyte."""


def fold_ties(model: onnx.ModelProto, units: Sequence[nn.Module]) -> onnx.ModelProto:
    """Return *model* with the matrices of tied layers of *units* kept as what they are made of."""
    held = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes: list[onnx.NodeProto] = []
    for name, layer in _tied_layers(units):
        if name in held and _fits(held[name], layer):
            model.graph.initializer.remove(held[name])
            nodes += _write_out(model.graph, name, layer)
    rest = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes, *rest])
    return model


def _tied_layers(units: Sequence[nn.Module]) -> Iterator[tuple[str, Tied]]:
    """Yield the tied layers by the names that their matrices have in a graph of a student."""
    for place, unit in enumerate(units):
        for name, layer in unit.named_modules():
            if isinstance(layer, Tied):
                yield f"units.{place}.{name}.weight", layer


def _fits(tensor: onnx.TensorProto, layer: Tied) -> bool:
    """Tell whether a tensor is the layer's matrix, and worth the trouble."""
    matrix = layer.written_out()[0].detach().numpy()
    return matrix.size >= SMALL and bool(np.array_equal(numpy_helper.to_array(tensor), matrix))


def _write_out(graph: onnx.GraphProto, name: str, layer: Tied) -> Iterator[onnx.NodeProto]:
    """Add what a matrix is made of to a graph, and yield the nodes that make it, as `Tied.written_out` does."""
    weight, classes = layer.weight.detach().numpy(), len(layer.relation)
    _, outputs, inputs = weight.shape

    def keep(kind: str, array: NDArray[np.float32] | NDArray[np.int64]) -> str:
        graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(array), f"{name}.{kind}"))
        return f"{name}.{kind}"

    steps: list[tuple[str, str, dict[str, Any]]] = [
        ("Gather", keep("relation", layer.relation.numpy().astype(np.int64)), {"axis": 0}),
        ("Transpose", "", {"perm": [0, 2, 1, 3]}),
        ("Reshape", keep("shape", np.array([classes * outputs, classes * inputs])), {}),
    ]
    for axis, places in ((1, layer.columns), (0, layer.rows)):
        if places is not None:
            steps.append(("Gather", keep(f"places_{axis}", places.numpy().astype(np.int64)), {"axis": axis}))
    below = keep("tied", weight)
    for number, (kind, other, options) in enumerate(steps):
        above = name if number == len(steps) - 1 else f"{name}.step_{number}"
        yield helper.make_node(kind, [below, other] if other else [below], [above], **options)
        below = above
