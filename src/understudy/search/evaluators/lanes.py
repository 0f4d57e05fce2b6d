"""The two steps of a layer that a search takes at every leaf, written for the processor's wide registers.

A compiler that meets these steps as loops cannot know that what is written overlaps nothing that is read, and goes unit
by unit: three to five times slower. Here it is told: whole pieces of a row are read before anything is written. Every
number is rounded as the plain loops round it, in the same order, so both say the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from understudy.kernels import kernel

UNIT = 1 << 18
"""What a weight of 1 is in the rows of the first layer: as fine as 32 bits allow, for sums may reach 8 191."""
INVERSE = np.float32(1 / UNIT)
NOTHING = np.float32(0.0)

# A quotient of polynomials of degree 9 and 8 for tanh on [-9, 9], by reweighted least squares; beyond, tanh is 1.
SATURATED = np.float32(9.0)
ABOVE = (0.9999999063519311, 0.13373196765456571, 0.003486580815553661, 2.0471813866385795e-05, 1.318420270302709e-08)
BELOW = (1.0, 0.46706493627584583, 0.02584197502082316, 0.0003271383671192699, 7.702654422024355e-07)
P0, P1, P2, P3, P4 = (np.float32(factor) for factor in ABOVE)
Q0, Q1, Q2, Q3, Q4 = (np.float32(factor) for factor in BELOW)

PIECE = 16
"""Numbers of 32 bits in the widest register there is, of 512; where registers are narrower, LLVM takes two or four."""
_WHOLE, _SINGLE = ir.IntType(32), ir.FloatType()


def shift(net: Any, after: NDArray[np.int32], before: NDArray[np.int32], more: Any, less: Any) -> None:
    """Write *before* with the row *more* added and the row *less* taken away; *after* may be *before*."""
    for unit in range(after.shape[0]):
        after[unit] = before[unit] + more[unit] - less[unit]


def fire(net: Any, sums: NDArray[np.int32]) -> np.float32:
    """Return what the output adds up of units of tanh, in four parts, for a single one would wait for each addition."""
    parts = [NOTHING] * 4
    for unit in range(sums.shape[0]):
        parts[unit % 4] += net.output[unit] * quick_tanh(np.float32(sums[unit]) * INVERSE)
    return (parts[0] + parts[1]) + (parts[2] + parts[3])


@kernel
def quick_tanh(x: np.float32) -> np.float32:
    """Return tanh(x) to within 4e-7: a quotient of polynomials, which runs on all units of a layer at once."""
    x = min(max(x, -SATURATED), SATURATED)
    y = x * x
    above = P0 + y * (P1 + y * (P2 + y * (P3 + y * P4)))
    below = Q0 + y * (Q1 + y * (Q2 + y * (Q3 + y * Q4)))
    return x * above / below


@overload(shift, inline="always", strict=False)
def _shift(net: Any, after: Any, before: Any, more: Any, less: Any) -> Any:
    wide: Any = _wide_shift
    return lambda net, after, before, more, less: wide(net, after, before, more, less)


@overload(fire, inline="always", strict=False)
def _fire(net: Any, sums: Any) -> Any:
    wide: Any = _wide_fire
    return lambda net, sums: wide(net, sums, net.output[:])


@intrinsic
def _wide_shift(typing: Any, net: Any, after: Any, before: Any, more: Any, less: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, *rows = _starts(context, builder, signature, arguments)
        for first, width in _pieces(net):
            old, come, gone = (_load(builder, row, first, ir.VectorType(_WHOLE, width)) for row in rows)
            builder.store(builder.sub(builder.add(old, come), gone), _place(builder, to, first, old.type), align=4)
        return context.get_dummy_value()

    return types.void(net, after, before, more, less), code


@intrinsic
def _wide_fire(typing: Any, net: Any, sums: Any, output: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole, weights = _starts(context, builder, signature, arguments)
        parts = ir.Constant(ir.VectorType(_SINGLE, 4), [0.0] * 4)
        for first, width in _pieces(net):
            kind = ir.VectorType(_SINGLE, width)
            sum_ = builder.sitofp(_load(builder, whole, first, ir.VectorType(_WHOLE, width)), kind)
            unit = _emit_tanh(builder, builder.fmul(sum_, _all(INVERSE, kind)))
            said = builder.fmul(_load(builder, weights, first, kind), unit)
            for four in range(0, width, 4):
                lanes = ir.Constant(ir.VectorType(_WHOLE, 4), list(range(four, four + 4)))
                parts = builder.fadd(parts, builder.shuffle_vector(said, said, lanes))
        one, two, three, four_ = (builder.extract_element(parts, _WHOLE(lane)) for lane in range(4))
        return builder.fadd(builder.fadd(one, two), builder.fadd(three, four_))

    return types.float32(net, sums, output), code


def _pieces(net: Any) -> Iterator[tuple[int, int]]:
    """Yield where each piece of a row begins and how wide it is: the type of a network knows its units."""
    units = net.typeof("output").shape[0]
    for first in range(0, units, PIECE):
        yield first, min(PIECE, units - first)


def _starts(context: Any, builder: Any, signature: Any, arguments: Any) -> list[Any]:
    """Return where each array begins; the network itself comes before them."""
    pairs = zip(signature.args[1:], arguments[1:], strict=True)
    return [context.make_array(kind)(context, builder, array).data for kind, array in pairs]


def _place(builder: Any, start: Any, first: int, kind: Any) -> Any:
    return builder.bitcast(builder.gep(start, [ir.IntType(64)(first)]), kind.as_pointer())


def _load(builder: Any, start: Any, first: int, kind: Any) -> Any:
    return builder.load(_place(builder, start, first, kind), align=4)


def _all(number: float | np.float32, kind: Any) -> Any:
    return ir.Constant(kind, [float(np.float32(number))] * kind.count)


def _emit_tanh(builder: Any, x: Any) -> Any:
    low, high = _all(-SATURATED, x.type), _all(SATURATED, x.type)
    x = builder.select(builder.fcmp_ordered(">", x, low), x, low)
    x = builder.select(builder.fcmp_ordered("<", x, high), x, high)
    y = builder.fmul(x, x)
    return builder.fdiv(builder.fmul(x, _emit_polynomial(builder, y, ABOVE)), _emit_polynomial(builder, y, BELOW))


def _emit_polynomial(builder: Any, y: Any, factors: tuple[float, ...]) -> Any:
    total = _all(factors[-1], y.type)
    for factor in factors[-2::-1]:
        total = builder.fadd(_all(factor, y.type), builder.fmul(y, total))
    return total
