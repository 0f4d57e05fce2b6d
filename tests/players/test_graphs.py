"""The sizes of what an ONNX graph makes are those that ONNX Runtime makes, for students of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from understudy.players.graphs import apply, find_most, read_graph
from understudy.players.operators import RULES, Value
from understudy.players.student_files import SHIPPED

onnx = pytest.importorskip("onnx")
ROWS = 3


@pytest.mark.parametrize("name", sorted(path.name for path in SHIPPED.glob("*.onnx")))
def test_shapes_are_those_of_onnx_runtime(name: str) -> None:
    import onnxruntime

    content = (SHIPPED / name).read_bytes()
    graph, model = read_graph(memoryview(content)), onnx.load_from_string(content)
    own = [output.name for output in model.graph.output]
    every = [name for node in model.graph.node for name in node.output]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in every if name not in own)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    sizes = {one: tuple(ROWS if size is None else size for size in shape) for one, shape in graph.inputs.items()}
    kinds = {"tensor(float)": np.float32, "tensor(int64)": np.int64}
    given = {one.name: np.zeros(sizes[one.name.encode()], kinds[one.type]) for one in session.get_inputs()}
    made = dict(zip(every, session.run(every, given), strict=True))
    values: dict[bytes, Value] = {b"": Value(()), **graph.weights, **{one: Value(sizes[one]) for one in sizes}}
    for node in graph.nodes:
        for output, value in zip(node.outputs, apply(node, [values[one] for one in node.inputs]), strict=True):
            assert value.shape == made[output.decode()].shape, (node.kind, output)
            values[output] = value
    assert find_most(graph, 1) <= max(sum(one.size for one in made.values()), 1)


def one_node(kind: str, shapes: list[Any], **options: Any) -> Any:
    """Return a graph of one operator over inputs of these shapes; lists of numbers stand in it."""
    names = [f"in_{place}" for place in range(len(shapes))]
    helper, kinds = onnx.helper, onnx.TensorProto
    known = [
        helper.make_tensor(name, kinds.INT64, [len(shape)], shape)
        for name, shape in zip(names, shapes, strict=True)
        if isinstance(shape, list)
    ]
    given = [
        helper.make_tensor_value_info(name, kinds.FLOAT, shape)
        for name, shape in zip(names, shapes, strict=True)
        if isinstance(shape, tuple)
    ]
    node = helper.make_node(kind, names, ["out"], **options)
    return helper.make_model(helper.make_graph([node], "g", given, [onnx.ValueInfoProto(name="out")], known),
                             opset_imports=[helper.make_opsetid("", 18)], ir_version=9)  # fmt: skip


CASES: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Gemm", [(2, 3), (5, 2)], {"transA": 1, "transB": 1}),
    ("MatMul", [(4, 1, 2, 3), (5, 3, 6)], {}),
    ("Conv", [(2, 3, 9, 8), (4, 3, 3, 2)], {"pads": [1, 0, 2, 1], "strides": [2, 3], "dilations": [2, 1]}),
    ("Reshape", [(2, 3, 4), [0, -1]], {}),
    ("Flatten", [(2, 3, 4)], {"axis": 2}),
    ("Unsqueeze", [(2, 3), [0, -1]], {}),
    ("Squeeze", [(2, 1, 3, 1), [1]], {}),
    ("Concat", [(2, 3), (2, 4)], {"axis": -1}),
    ("Gather", [(2, 3), [1, 0, 1, 1]], {"axis": 1}),
    ("GatherND", [(2, 3, 4), [1, 2]], {}),
    ("ArgMax", [(2, 3)], {"axis": -1, "keepdims": 0}),
    ("ReduceSum", [(2, 3, 4), [0, 2]], {"keepdims": 0}),
    ("ReduceMean", [(2, 3, 4)], {}),
    ("Pad", [(2, 3), [1, 0, 2, 4]], {}),
    ("Expand", [(2, 1), [3, 1, 4]], {}),
    ("ConstantOfShape", [[3, 4]], {}),
    ("Slice", [(9, 8), [1, -3], [9, 100], [0, 1], [3, 1]], {}),
    ("Transpose", [(2, 3, 4)], {"perm": [2, 0, 1]}),
]


@pytest.mark.parametrize(("kind", "shapes", "options"), CASES, ids=[kind for kind, _, _ in CASES])
def test_each_rule_is_that_of_onnx_runtime(kind: str, shapes: list[Any], options: dict[str, Any]) -> None:
    import onnxruntime

    model = one_node(kind, shapes, **options)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    given = {one.name: np.zeros(one.shape, np.float32) for one in session.get_inputs()}
    (made,) = session.run(None, given)
    graph = read_graph(memoryview(model.SerializeToString()))
    values = {**graph.weights, **{name: Value(tuple(map(int, shape))) for name, shape in graph.inputs.items()}}  # type: ignore[arg-type]
    (value,) = apply(graph.nodes[0], [values[name] for name in graph.nodes[0].inputs])
    assert value.shape == made.shape


def test_every_rule_is_tried_or_keeps_shapes() -> None:
    tried = {kind for kind, _, _ in CASES} | {"Constant", "Shape", "Split"}
    assert {kind for kind, rule in RULES.items() if rule.__name__ not in ("keep", "spread", "reduce")} <= tried
