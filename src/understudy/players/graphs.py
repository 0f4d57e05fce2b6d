"""What an ONNX graph would take of the memory, found before anything of it is run: 200 bytes can ask for gigabytes.

Players do without the package `onnx`, so what matters of the format is read here: the nodes, the shapes, and the whole
numbers that shapes are made of. The shape of every value is worked out by the rules of its operator, and what would be
held at once is added up. Only operators with a rule (`operators.py`) may stand in a student.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from understudy.errors import FileError, first_line
from understudy.players.messages import Message, one, piece, signed, table
from understudy.players.operators import RULES, Node, Value, read_tensor

ROOMS = {1: 1 << 24, 8192: 1 << 29}
"""How many numbers may be held at once for so many positions; four bytes each. Those that ship take a sixth."""
EXPORTED = b"exported"
"""The key in the metadata of a graph for other programs, which says of which student it was made."""


class Graph(NamedTuple):
    """What is needed of a graph."""

    nodes: tuple[Node, ...]
    weights: Mapping[bytes, Value]
    inputs: Mapping[bytes, tuple[int | None, ...]]
    """The shapes of what is given; None is for as many as there are positions."""


def check_graph(path: Path) -> None:
    """Raise if the student in a file does what no student of ours does, or would take more memory than any."""
    try:
        graph = read_graph(memoryview(path.read_bytes()))
        for rows, room in ROOMS.items():
            if (held := find_most(graph, rows)) > room + 2 * sum(value.total for value in graph.weights.values()):
                raise ValueError(
                    f"for {rows} positions its graph holds {held:.1e} numbers at once, which fill the memory"
                )
    except OSError as error:
        raise FileError(f"cannot read the student {str(path)!r}: {error.strerror or error}") from None
    except ValueError as error:
        raise FileError(f"cannot read the student {str(path)!r}: {first_line(error)}") from None
    except (ArithmeticError, LookupError, TypeError) as error:  # names, axes and inputs that there are not
        raise FileError(f"cannot read the student {str(path)!r}: its graph is not sound: {first_line(error)}") from None


def find_most(graph: Graph, rows: int) -> int:
    """Return how many numbers a graph holds at once for so many positions, weights aside."""
    given = {
        name: Value(tuple(rows if size is None else size for size in shape)) for name, shape in graph.inputs.items()
    }
    values, held, most = {b"": Value(()), **given, **graph.weights}, 0, 0
    last = {name: place for place, node in enumerate(graph.nodes) for name in node.inputs}
    made = dict[bytes, int]()
    for place, node in enumerate(graph.nodes):
        for name, value in zip(node.outputs, apply(node, [values[name] for name in node.inputs]), strict=True):
            values[name], made[name] = value, value.total
            held += value.total
        most = max(most, held + find_workspace(node, values))
        for name in {name for name in node.inputs if last[name] == place}:
            held -= made.pop(name, 0)
    return most


def apply(node: Node, values: Sequence[Value]) -> tuple[Value, ...]:
    """Return what an operator makes, by its rule."""
    found = RULES[node.kind](node, *values)
    made = (found,) if isinstance(found, Value) else tuple(found)
    if len(made) != len(node.outputs) or any(size < 0 for value in made for size in value.shape):
        raise ValueError(f"{node.kind} in its graph makes something else than it says")
    return made


def find_workspace(node: Node, values: Mapping[bytes, Value]) -> int:
    """Return how many numbers an operator needs beside what it makes: a convolution lays out what each window sees."""
    if node.kind != "Conv":
        return 0
    weights, made = values[node.inputs[1]].shape, values[node.outputs[0]].shape
    return math.prod(weights[1:]) * math.prod(made[2:])


def read_graph(data: memoryview) -> Graph:
    """Return what is needed of the graph in a file."""
    model = table(data)
    for entry in map(table, model.get(14, ())):
        if one(entry, 1, b"") == EXPORTED:
            source = piece(one(entry, 2, b"")).decode()
            raise ValueError(f"it was written for other programs; play {source!r}, of which it was made")
    graph = table(one(model, 7))
    if model.get(25) or graph.get(15):
        raise ValueError("its graph has functions or sparse weights, which no student of ours has")
    return Graph(
        nodes=tuple(read_node(table(node)) for node in graph.get(1, ())),
        weights=dict(read_tensor(table(tensor)) for tensor in graph.get(5, ())),
        inputs=dict(read_input(table(given)) for given in graph.get(11, ())),
    )


def read_node(node: Message) -> Node:
    """Return an operator at work; one that has no rule is refused."""
    kind, outputs = piece(one(node, 4, b"")).decode(), node.get(2, [])
    if kind not in RULES or piece(one(node, 7, b"")) not in (b"", b"ai.onnx") or not outputs:
        raise ValueError(f"its graph has {kind!r} in it, which no student of ours does")
    options = [table(option) for option in node.get(5, ())]
    named = {piece(one(option, 1)).decode(): option for option in options}
    return Node(kind, tuple(piece(name) for name in node.get(1, ())), tuple(piece(name) for name in outputs), named)


def read_input(given: Message) -> tuple[bytes, tuple[int | None, ...]]:
    """Return the name and shape of what is given; only how many positions there are may be open."""
    dimensions = [table(size) for size in table(one(table(one(table(one(given, 2)), 1)), 2)).get(1, ())]
    sizes = [signed(one(size, 1)) if size.get(1) else None for size in dimensions]
    if None in sizes[1:]:
        raise ValueError("it does not say how many inputs it has")
    return piece(one(given, 1)), tuple(sizes)
