"""The network that sees how pieces stand as an ONNX graph, for other programs.

Inputs: `standings`, the rows that are present by number, filled up with the number of a row of zeros; `pieces`, how
many are on the board, which decides the layers after the first.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto

from understudy.games.chess.evaluators import Standing
from understudy.networks.exports import Drawing


def export_standing(network: Standing) -> onnx.ModelProto:
    """Return the graph of a network: the result that is expected for the side to move."""
    drawing, net = Drawing(), network.net
    # The rows come from a file that keeps them in half precision: so nothing is lost, and the graph is half as large.
    rows = drawing.keep_rows(net["first"].astype(np.float16))
    head = drawing.add("Gather", drawing.keep(net["head"]), "pieces")
    sums = drawing.add_up(rows, "standings", drawing.keep(net["bias"]))
    one = drawing.keep(np.array([1]))
    units = drawing.add("Unsqueeze", sums, one)  # [positions, 1, units]: each position is multiplied by its own layers

    def layer(below: str, weights: str, bias: str) -> str:
        """Add a layer above rectified units, with the weights of each position's head."""
        taken = drawing.add("Gather", drawing.keep(net[weights]), head)
        shift = drawing.add("Unsqueeze", drawing.add("Gather", drawing.keep(net[bias]), head), one)
        return drawing.add("Add", drawing.add("MatMul", drawing.add("Relu", below), taken), shift)

    upper = layer(layer(units, "second", "second_bias"), "third", "third_bias")
    output = drawing.add("Unsqueeze", drawing.add("Gather", drawing.keep(net["output"]), head), one)
    weighed = drawing.add("Mul", drawing.add("Relu", upper), output)
    total = drawing.add("ReduceSum", weighed, drawing.keep(np.array([1, 2])), keepdims=0)
    last = drawing.add("Gather", drawing.keep(net["output_bias"][:, 0]), head)
    scale = drawing.keep(np.array(1.0 / network.scale, np.float32))
    value = drawing.add("Tanh", drawing.add("Mul", drawing.add("Add", total, last), scale))
    inputs = {"standings": (TensorProto.INT64, ("present",)), "pieces": (TensorProto.INT64, ())}
    return drawing.finish(value, inputs)
