"""Networks of plain layers, read from the ONNX files of students: what runs inside a search."""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.players.graphs import Graph, read_graph
from understudy.players.messages import Message, many, one, table
from understudy.players.operators import read_tensor
from understudy.search.evaluators.layered import UNITS, Layer

FLOAT = 1
"""What ONNX calls single floats."""


class NotInside(BadOption):
    """A network of a shape that no search can ask."""


class Plain(NamedTuple):
    """A network of layers, the last of which is a sigmoid."""

    layers: list[Layer]
    units: str
    """What hidden units are, by their name in ONNX."""


def read_layers(path: Path) -> Plain:
    """Return the layers of a student, whose file has been checked; a graph that is something else is refused."""
    data = memoryview(path.read_bytes())
    graph = read_graph(data)
    if fault := _find_fault(graph):
        raise NotInside(f"its network is no row of layers such as runs inside a search: it has {fault}")
    weights = _read_floats(data)
    layers = [(weights[node.inputs[1]], weights[node.inputs[2]]) for node in graph.nodes[::2]]
    return Plain(layers, graph.nodes[1].kind)


def _find_fault(graph: Graph) -> str:
    """Return what a graph has that a row of layers, as our exporters write it, has not; nothing if it is one."""
    sums, squashes = graph.nodes[::2], graph.nodes[1::2]
    for node in sums:
        if node.kind != "Gemm" or node.options or not set(node.inputs[1:]) <= set(graph.weights):
            return f"{node.kind} where a layer adds up its inputs"
    for node in squashes:
        if node.kind not in UNITS:
            return f"{node.kind} where units are squashed"
    below = [*graph.inputs, *(node.outputs[0] for node in graph.nodes)]
    if len(graph.inputs) != 1 or [node.inputs[0] for node in graph.nodes] != below[:-1]:
        return "layers that do not follow each other"
    kinds = [node.kind for node in squashes]
    if len(sums) < 2 or len(kinds) != len(sums) or len(set(kinds[:-1])) != 1 or kinds[-1] != "Sigmoid":
        return f"units of {' and '.join(dict.fromkeys(kinds)) or 'no kind'}, layer by layer"
    return ""


def _read_floats(data: memoryview) -> dict[bytes, NDArray[np.float32]]:
    """Return the weights of a graph that are single floats, by name."""
    tensors = [table(tensor) for tensor in table(one(table(data), 7)).get(5, ())]
    return {read_tensor(tensor)[0]: _read_array(tensor) for tensor in tensors if one(tensor, 2, 0) == FLOAT}


def _read_array(tensor: Message) -> NDArray[np.float32]:
    """Return the numbers of weights, one piece of the file or several."""
    shape = many(tensor, 1)
    numbers = np.frombuffer(b"".join(tensor.get(9, tensor.get(4, ()))), "<f4").astype(np.float32)
    if len(numbers) != math.prod(shape):
        raise ValueError("its weights are not as many as they say")
    return numbers.reshape(shape)
