"""The operators that a student in an ONNX file may have, with rules that tell the shape of what each makes.

They are those that our exporters write, whatever version of PyTorch they do it by, and some kin of theirs.
Loops, functions, strings, random numbers and whatever else ONNX Runtime can do have no rule here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from understudy.players.messages import Message, many, one, piece, signed, table

SHORT = 64
"""Whole numbers that a shape may be made of; longer lists are weights."""

INT64 = 7
"""What ONNX calls whole numbers."""

Shape = tuple[int, ...]


class Value(NamedTuple):
    """What flows in a graph."""

    shape: Shape
    whole: Shape | None = None
    """The numbers themselves, where a shape may be made of them."""

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)


class Node(NamedTuple):
    """An operator at work."""

    kind: str
    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]
    options: Mapping[str, Message]

    def number(self, name: str, usual: int) -> int:
        """Return an option that is a whole number."""
        return signed(one(self.options[name], 3, 0)) if name in self.options else usual

    def numbers(self, name: str, usual: Sequence[int]) -> Shape:
        """Return an option that is a list of whole numbers."""
        return many(self.options[name], 8) if name in self.options else tuple(usual)


def keep(node: Node, value: Value, *others: Value) -> Value:
    """Another number for each."""
    return value if node.kind in ("Identity", "Cast") else Value(value.shape)


def spread(node: Node, *values: Value) -> Value:
    """Numbers in pairs or threes; what is smaller is repeated."""
    return Value(np.broadcast_shapes(*(value.shape for value in values)))


def constant(node: Node) -> Value:
    """What stands in the graph itself."""
    if "value" not in node.options:
        raise ValueError("Constant in its graph is none of ours")
    return read_tensor(table(one(node.options["value"], 5)))[1]


def gemm(node: Node, left: Value, right: Value, bias: Value = Value(())) -> Value:
    """A product of matrices, either of them turned."""
    rows, columns = (
        left.shape[:: -1 if node.number("transA", 0) else 1][0],
        right.shape[:: -1 if node.number("transB", 0) else 1][1],
    )
    if len(left.shape) != 2 or len(right.shape) != 2:
        raise ValueError("Gemm multiplies what is no matrix")
    return Value((rows, columns))


def matmul(node: Node, left: Value, right: Value) -> Value:
    """Products of matrices, as many as there are."""
    (*first, rows, _), (*second, _, columns) = left.shape, right.shape
    return Value((*np.broadcast_shapes(tuple(first), tuple(second)), rows, columns))


def convolve(node: Node, seen: Value, weights: Value, bias: Value | None = None) -> Value:
    """What windows see that move over planes."""
    if (padding := node.options.get("auto_pad")) is not None and piece(one(padding, 4, b"")) not in (b"", b"NOTSET"):
        raise ValueError("Conv pads by itself, which no student of ours does")
    size, window = seen.shape[2:], weights.shape[2:]
    pads = node.numbers("pads", [0] * (2 * len(size)))
    strides, dilations = (node.numbers(name, [1] * len(size)) for name in ("strides", "dilations"))
    around = [before + after for before, after in zip(pads[: len(size)], pads[len(size) :], strict=True)]
    made = [
        (length + more - step * (width - 1) - 1) // stride + 1
        for length, more, width, step, stride in zip(size, around, window, dilations, strides, strict=True)
    ]
    return Value((seen.shape[0], weights.shape[0], *made))


def transpose(node: Node, value: Value) -> Value:
    """The same with its axes in another order."""
    order = node.numbers("perm", range(len(value.shape))[::-1])
    if sorted(order) != list(range(len(value.shape))):
        raise ValueError("Transpose names other axes than there are")
    return Value(tuple(value.shape[axis] for axis in order))


def reshape(node: Node, value: Value, wanted: Value) -> Value:
    """The same numbers in another shape."""
    sizes = list(told(wanted))
    if not node.number("allowzero", 0):
        sizes = [value.shape[place] if size == 0 else size for place, size in enumerate(sizes)]
    if -1 in sizes:
        sizes[sizes.index(-1)] = value.total // math.prod(size for size in sizes if size != -1)
    return Value(tuple(sizes), value.whole if len(sizes) < 2 else None)


def flatten(node: Node, value: Value) -> Value:
    """The same numbers in two axes."""
    axis = node.number("axis", 1)
    return Value((math.prod(value.shape[:axis]), math.prod(value.shape[axis:])))


def unsqueeze(node: Node, value: Value, axes: Value) -> Value:
    """The same with axes of one number more."""
    rank = len(value.shape) + len(told(axes))
    new, sizes = {place % rank for place in told(axes)}, iter(value.shape)
    return Value(tuple(1 if place in new else next(sizes) for place in range(rank)), value.whole if rank < 2 else None)


def squeeze(node: Node, value: Value, axes: Value | None = None) -> Value:
    """The same without axes of one number."""
    rank = len(value.shape)
    gone = (
        {place % rank for place in told(axes)} if axes else {place for place in range(rank) if value.shape[place] == 1}
    )
    return Value(tuple(size for place, size in enumerate(value.shape) if place not in gone), value.whole)


def concatenate(node: Node, *values: Value) -> Value:
    """One behind the other."""
    shape = list(values[0].shape)
    axis = range(len(shape))[node.number("axis", 0)]
    shape[axis] = sum(value.shape[axis] for value in values)
    known = [value.whole for value in values if value.whole is not None]
    whole = tuple(number for part in known for number in part)
    return Value(tuple(shape), whole if len(shape) == 1 and len(known) == len(values) and len(whole) <= SHORT else None)


def gather(node: Node, value: Value, places: Value) -> Value:
    """What stands at some places of an axis."""
    axis = range(len(value.shape))[node.number("axis", 0)]
    shape = value.shape[:axis] + places.shape + value.shape[axis + 1 :]
    plain = value.whole is not None and places.whole is not None and len(shape) < 2
    return Value(shape, tuple(told(value)[place] for place in told(places)) if plain else None)


def gather_deeply(node: Node, value: Value, places: Value) -> Value:
    """What stands at some places of several axes."""
    return Value(places.shape[:-1] + value.shape[node.number("batch_dims", 0) + places.shape[-1] :])


def reduce_one(node: Node, value: Value) -> Value:
    """One number for all of an axis."""
    return without(value, [node.number("axis", 0)], kept=bool(node.number("keepdims", 1)))


def reduce(node: Node, value: Value, axes: Value | None = None) -> Value:
    """One number for all of some axes."""
    rank = len(value.shape)
    alone = [] if node.number("noop_with_empty_axes", 0) else range(rank)
    named = told(axes) if axes is not None and axes.shape else node.numbers("axes", alone)
    return without(value, named, kept=bool(node.number("keepdims", 1)))


def without(value: Value, axes: Sequence[int], *, kept: bool) -> Value:
    """Return what is left of a shape where some axes are one number each."""
    gone = {range(len(value.shape))[axis] for axis in axes}
    sizes = [1 if place in gone else size for place, size in enumerate(value.shape) if kept or place not in gone]
    return Value(tuple(sizes))


def pad(node: Node, value: Value, pads: Value, filling: Value | None = None, axes: Value | None = None) -> Value:
    """The same with something around it."""
    rank = len(value.shape)
    if axes is not None and axes.whole is not None:
        raise ValueError("Pad names its axes, which no student of ours does")
    before, after = told(pads)[:rank], told(pads)[rank:]
    return Value(tuple(size + one + two for size, one, two in zip(value.shape, before, after, strict=True)))


def expand(node: Node, value: Value, wanted: Value) -> Value:
    """The same, repeated."""
    return Value(np.broadcast_shapes(value.shape, told(wanted)))


def fill(node: Node, wanted: Value) -> Value:
    """One number, repeated."""
    return Value(told(wanted))


def measure(node: Node, value: Value) -> Value:
    """A shape, as numbers."""
    shape = value.shape[slice(node.number("start", 0), node.number("end", len(value.shape)))]
    return Value((len(shape),), shape)


def cut(
    node: Node, value: Value, starts: Value, ends: Value, axes: Value | None = None, steps: Value | None = None
) -> Value:
    """A part of each axis."""
    sizes, firsts = list(value.shape), told(starts)
    places = told(axes) if axes is not None else tuple(range(len(firsts)))
    strides = told(steps) if steps is not None else (1,) * len(firsts)
    whole = value.whole
    for first, end, axis, step in zip(firsts, told(ends), places, strides, strict=True):
        kept = range(sizes[axis])[first:end:step]
        sizes[axis], whole = len(kept), None if whole is None else tuple(whole[place] for place in kept)
    return Value(tuple(sizes), whole)


def part(node: Node, value: Value, sizes: Value | None = None) -> Sequence[Value]:
    """Parts of an axis, one behind the other."""
    axis, count = range(len(value.shape))[node.number("axis", 0)], len(node.outputs)
    each = -(-value.shape[axis] // count)
    lengths = told(sizes) if sizes is not None else (each,) * count
    return [Value((*value.shape[:axis], length, *value.shape[axis + 1 :])) for length in lengths]


def told(value: Value) -> Shape:
    """Return numbers that a shape is made of; where they depend on what is given, nobody can tell what it takes."""
    if value.whole is None:
        raise ValueError("the size of something in its graph depends on what is played")
    return value.whole


Rule = Callable[..., Value | Sequence[Value]]
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(("Identity", "Cast", "Relu", "Elu", "LeakyRelu", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Neg",
                     "Abs", "Exp", "Log", "Sqrt", "Not", "Erf", "BatchNormalization", "Clip"), keep),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal", "Where",
                     "And", "Or", "Max", "Min", "Pow"), spread),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), reduce),
    "ArgMax": reduce_one, "Concat": concatenate, "Constant": constant, "ConstantOfShape": fill, "Conv": convolve,
    "Expand": expand, "Flatten": flatten, "Gather": gather, "GatherND": gather_deeply, "Gemm": gemm, "MatMul": matmul,
    "Pad": pad, "Reshape": reshape, "Shape": measure, "Slice": cut, "Split": part, "Squeeze": squeeze,
    "Transpose": transpose, "Unsqueeze": unsqueeze,
}  # fmt: skip
"""The operators that a student may have, with what each makes."""


def read_tensor(tensor: Message) -> tuple[bytes, Value]:
    """Return the name of weights, their shape, and the numbers of those that shapes may be made of."""
    if tensor.get(13) or one(tensor, 14, 0):
        raise ValueError("its weights are in another file")
    shape, raw = many(tensor, 1), one(tensor, 9, None)
    if any(size < 0 for size in shape):
        raise ValueError("its weights have a size below zero")
    whole: Shape | None = None
    if one(tensor, 2, 0) == INT64 and len(shape) < 2 and math.prod(shape) <= SHORT:
        whole = many(tensor, 7) if raw is None else tuple(np.frombuffer(raw, "<i8").tolist())
        if len(whole) != math.prod(shape):
            raise ValueError("its weights are not as many as they say")
    return piece(one(tensor, 8, b"")), Value(shape, whole)
