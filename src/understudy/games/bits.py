"""Bits of a mask: the few machine instructions that Python has no name for.

Each function has a plain Python body and an overload with the machine's own instruction, so that kernels give the
same answers compiled and interpreted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from understudy.kernels import kernel

Mask = np.uint64
"""A set of cells, one bit a cell."""

NONE = np.uint64(0)
ONE = np.uint64(1)
WORD = (1 << 64) - 1


def bit(cell: int) -> Mask:
    """Return the mask of one cell."""
    return np.uint64(1 << int(cell))


def popcount(mask: Mask) -> int:
    """Return how many cells are in *mask*."""
    return int(mask).bit_count()


def lowest(mask: Mask) -> int:
    """Return the lowest cell of a mask that is not empty."""
    value = int(mask)
    return (value & -value).bit_length() - 1


def highest(mask: Mask) -> int:
    """Return the highest cell of a mask that is not empty."""
    return int(mask).bit_length() - 1


def rest(mask: Mask) -> Mask:
    """Return *mask* without its lowest cell."""
    value = int(mask)
    return np.uint64(value & (value - 1))


def flipped(mask: Mask) -> Mask:
    """Return *mask*, an 8 x 8 board of eight bytes, with its rows in reverse order."""
    return np.uint64(int.from_bytes(int(mask).to_bytes(8, "little"), "big"))


def mixed(value: Mask) -> Mask:
    """Return the 64 bits of *value* well stirred (the finaliser of splitmix64): the hash behind every key."""
    word = int(value)
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & WORD
    return np.uint64(word ^ (word >> 31))


def sent(mask: int | Mask, permutation: NDArray[np.int64]) -> int:
    """Return *mask*, of any length, with each cell moved to where *permutation* sends it."""
    return sum(1 << int(to) for cell, to in enumerate(permutation) if int(mask) >> cell & 1)


def _unary(emit: Callable[[Any, Any], Any], result: Any) -> Any:
    """Return an intrinsic of one uint64 whose code *emit* writes."""

    @intrinsic
    def instruction(typing: Any, mask: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit(builder, arguments[0])

        return result(types.uint64), code

    return instruction


def _zeros(name: str) -> Callable[[Any, Any], Any]:
    def emit(builder: Any, mask: Any) -> Any:
        counter = cgutils.true_bit  # a mask is never empty here, so the case of zero may stay undefined
        return getattr(builder, name)(mask, counter)

    return emit


_popcount = _unary(lambda builder, mask: builder.ctpop(mask), types.int64)
_cttz = _unary(_zeros("cttz"), types.int64)
_ctlz = _unary(_zeros("ctlz"), types.int64)
_bswap = _unary(lambda builder, mask: builder.bswap(mask), types.uint64)


@overload(bit, inline="always", strict=False)
def _bit(cell: Any) -> Any:
    return lambda cell: np.uint64(1) << np.uint64(cell)


@overload(popcount, inline="always", strict=False)
def _popcount_overload(mask: Any) -> Any:
    return lambda mask: _popcount(np.uint64(mask))


@overload(lowest, inline="always", strict=False)
def _lowest(mask: Any) -> Any:
    return lambda mask: _cttz(np.uint64(mask))


@overload(highest, inline="always", strict=False)
def _highest(mask: Any) -> Any:
    return lambda mask: 63 - _ctlz(np.uint64(mask))


@overload(rest, inline="always", strict=False)
def _rest(mask: Any) -> Any:
    return lambda mask: np.uint64(mask) & (np.uint64(mask) - np.uint64(1))


@overload(flipped, inline="always", strict=False)
def _flipped(mask: Any) -> Any:
    return lambda mask: _bswap(np.uint64(mask))


@overload(mixed, strict=False)
def _mixed(value: Any) -> Any:
    def mix(value: Any) -> Any:
        word = np.uint64(value)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return word ^ (word >> np.uint64(31))

    return mix


@kernel
def listed(mask: Mask, first: int, out: NDArray[np.int32], total: int) -> int:
    """Write *first* plus each cell of *mask* after the *total* numbers in *out*; return how many there are now."""
    while mask != NONE:
        out[total] = first + lowest(mask)
        mask = rest(mask)
        total += 1
    return total
