"""Arrays as safetensors files, with facts beside them: never unpickled, written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file as save_tensors

from understudy.errors import FileError
from understudy.files import save_file

FACTS = "understudy"
"""The key of the metadata."""


def save_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write arrays with facts beside them."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    save_file(path, lambda partial: save_tensors(whole, partial, metadata={FACTS: json.dumps(dict(facts))}))


def load_arrays(path: Path, what: str = "weights") -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and facts of a file; *what* it should hold is named in errors."""
    with _opened(path, what) as (file, facts):
        return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118 (it is no dict)


def load_facts(path: Path, what: str = "weights") -> dict[str, Any]:
    """Return the facts of a file without its arrays."""
    with _opened(path, what) as (_, facts):
        return facts


@contextmanager
def _opened(path: Path, what: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a file and read its facts; whatever is wrong with it is told in one sentence."""
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {}).get(FACTS, "{}"))
            if not isinstance(facts, dict):
                raise ValueError(f"its {FACTS} facts are no table")
            yield file, facts
    except (OSError, SafetensorError, ValueError) as error:
        raise FileError(f"cannot read the {what} {str(path)!r}: {' '.join(str(error).split())}") from None
