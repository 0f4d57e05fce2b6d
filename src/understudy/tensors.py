"""Arrays as safetensors files, with facts beside them: never unpickled, written whole or not at all, and checked."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as write_tensors

from understudy.errors import FileError
from understudy.files import save_file
from understudy.sums import BLANK, REMARK, check_sum

FACTS = "understudy"
"""The key of the metadata."""


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays with facts beside them: in memory first, for the library's own temporary files outlive a kill."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    save_file(path, lambda partial: partial.write_bytes(write_tensors(whole, write_facts(facts))), sealed=True)


def write_facts(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return facts as the metadata of a file, with room for its sum at the beginning."""
    return {FACTS: json.dumps({REMARK: BLANK, **facts})}


def load_arrays(path: Path, what: str = "weights") -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and facts of a file; *what* it should hold is named in errors."""
    with _opened(path, what) as (file, facts):
        return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118 (it is no dict)


def map_bytes(path: Path, name: str, what: str = "weights") -> tuple[NDArray[np.uint8], dict[str, Any]]:
    """Return an array of bytes as it lies in a file, read only where it is looked at, and the facts of the file."""
    with _opened(path, what) as (file, facts):
        piece = file.get_slice(name)
        if piece.get_dtype() != "U8" or len(piece.get_shape()) != 1:
            raise ValueError(f"{name!r} in it is no row of bytes")
        length = piece.get_shape()[0]
    with open(path, "rb") as raw:
        (head,) = struct.unpack("<Q", raw.read(8))
        start = 8 + head + json.loads(raw.read(head))[name]["data_offsets"][0]
    return np.asarray(np.memmap(path, np.uint8, "r", start, (length,))), facts


def load_facts(path: Path, what: str = "weights") -> dict[str, Any]:
    """Return the facts of a file without its arrays."""
    with _opened(path, what) as (_, facts):
        return facts


@contextmanager
def _opened(path: Path, what: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a file and read its facts; whatever is wrong with it is told in one sentence."""
    check_sum(path, what)
    try:
        with safe_open(path, framework="numpy") as file:
            yield file, read_facts(file.metadata())
    except (OSError, SafetensorError, ValueError) as error:
        raise FileError(f"cannot read the {what} {str(path)!r}: {' '.join(str(error).split())}") from None


def read_facts(metadata: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the facts in the metadata of a file, without its sum."""
    facts = json.loads((metadata or {}).get(FACTS, "{}"))
    if not isinstance(facts, dict):
        raise ValueError(f"its {FACTS} facts are no table")
    return {name: fact for name, fact in facts.items() if name != REMARK}
