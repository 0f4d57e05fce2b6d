"""What a student learned from, small enough for its file: a mark of 40 bits for each class of symmetric positions.

A mark is the beginning of the class's name, mixed. So a position that was learned from is never missed, and one that
was not is taken for one with a chance of classes / 2^40: 85 000 classes mistake one position in 13 million. Sorted,
compressed and written as text a mark takes about four bytes.
"""

from __future__ import annotations

import binascii
import zlib
from base64 import b85decode, b85encode
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

BITS = 40

Names: TypeAlias = NDArray[np.uint64]
"""Of classes, as `orbit_names` gives them."""

Sketch: TypeAlias = Mapping[str, Any]
"""As it stands in a student's file: `bits` of a mark, all `marks` as text, and whether this is the `whole` truth."""


def sketch_of(names: Names) -> dict[str, Any]:
    """Return what is kept of the classes that a student learned from."""
    return _sketch(marks_of(names), whole=True)


def together(sketch: Sketch, earlier: Any) -> dict[str, Any]:
    """Return the sketch of a student that went on from an *earlier* one; not the whole truth if that has none."""
    own, before = read_marks(sketch), read_marks(earlier)
    assert own is not None
    if before is None:
        return _sketch(own, whole=False)
    return _sketch(np.union1d(own, before), whole=bool(earlier.get("whole")))


def marks_of(names: Names) -> Names:
    """Return the marks of classes, sorted, each once."""
    return np.unique(mark(names))


def mark(names: Names) -> Names:
    """Return the mark of each class: its name mixed (by splitmix64, one to one), and the first bits of that."""
    mixed = (names ^ (names >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(64 - BITS), np.uint64)


def _sketch(marks: Names, *, whole: bool) -> dict[str, Any]:
    # Byte by byte, the first bytes of all marks first: sorted as they are, they hardly take any room.
    planes = marks.astype(">u8").view(np.uint8).reshape(-1, 8)[:, -(BITS // 8) :]
    return {"bits": BITS, "marks": b85encode(zlib.compress(planes.T.tobytes(), 9)).decode(), "whole": whole}


def read_marks(sketch: Any) -> Names | None:
    """Return the marks of a sketch; None where there is none, or none that can be read."""
    if not isinstance(sketch, Mapping) or sketch.get("bits") != BITS or not isinstance(sketch.get("marks"), str):
        return None
    try:
        planes = np.frombuffer(zlib.decompress(b85decode(sketch["marks"])), np.uint8).reshape(BITS // 8, -1)
    except (ValueError, zlib.error, binascii.Error):
        return None
    marks = np.zeros((planes.shape[1], 8), np.uint8)
    marks[:, -(BITS // 8) :] = planes.T
    return marks.view(">u8").ravel().astype(np.uint64)
