"""Weights to go on from: an earlier student's of the same shape, from the file that learns on or the one that plays.

The file that plays is a graph of plain matrices. Where weights are tied by symmetry it keeps the few numbers that a
matrix is made of, or, of small layers, the matrix itself; then each number is read off one of the places where it
stands. So whatever ships can be taught further, though the file that learns on never left its maker's disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from safetensors import SafetensorError
from safetensors.torch import load_file as load_tensors
from torch import Tensor, nn

from understudy.errors import FileError
from understudy.networks.architectures import Tied
from understudy.networks.students import Unit
from understudy.sums import check_sum


def load_weights(path: Path, units: Sequence[Unit]) -> None:
    """Give *units* the weights of an earlier student of the same shape."""
    check_sum(path, "weights")
    held = _read_graph(path, units) if path.suffix == ".onnx" else _read_tensors(path)
    for unit in units:
        own = {key: held.get(f"{unit.name}.{key}") for key in unit.state_dict()}
        wrong = [key for key, weight in unit.state_dict().items() if own[key] is None or own[key].shape != weight.shape]  # type: ignore[union-attr]
        if wrong:
            fault = "is missing" if own[wrong[0]] is None else f"has shape {tuple(own[wrong[0]].shape)}"  # type: ignore[union-attr]
            raise FileError(f"the weights {str(path)!r} do not fit this student: {unit.name}.{wrong[0]} {fault}")
        unit.load_state_dict(own)


def _read_tensors(path: Path) -> dict[str, Tensor]:
    try:
        return load_tensors(path)
    except (OSError, SafetensorError) as error:
        raise FileError(f"cannot read the weights {str(path)!r}: {error}") from None


def _read_graph(path: Path, units: Sequence[Unit]) -> dict[str, Tensor]:
    """Return what a graph of a student holds by the names of *units*' weights; what is missing is left out."""
    try:
        graph = onnx.load(path).graph
        held = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    except Exception as error:  # protobuf raises classes of its own for every way a file can be broken
        raise FileError(f"cannot read the weights {str(path)!r}: {' '.join(str(error).split())}") from None
    return {
        f"{unit.name}.{key}": weight
        for place, unit in enumerate(units)
        for key, weight in _unit_weights(unit, f"units.{place}.", held).items()
    }


def _unit_weights(unit: nn.Module, prefix: str, held: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of one network, those of tied layers as the numbers that they are made of."""
    tied = {name: layer for name, layer in unit.named_modules() if isinstance(layer, Tied)}
    found = {}
    for key in unit.state_dict():
        layer, _, kind = key.rpartition(".")
        whole = held.get(prefix + key)
        if (folded := held.get(f"{prefix}{key}.tied")) is not None:
            found[key] = folded
        elif whole is not None:
            found[key] = _untie(tied[layer], kind, whole) if layer in tied else whole
    return found


def _untie(layer: Tied, kind: str, whole: Tensor) -> Tensor:
    """Return what a tied layer's matrix or bias is made of; one of another shape comes back as it is, and fits nothing.

    The layer writes out the numbers of its places instead of weights: that tells which place stands where. Some stand
    nowhere, of layers that have no output for some cells.
    """
    places = {name: torch.arange(part.numel()).view(part.shape) for name, part in layer.named_parameters()}
    written = dict(zip(("weight", "bias"), layer.write_out(places["weight"], places["bias"]), strict=True))[kind]
    if written.shape != whole.shape:
        return whole
    numbers = torch.zeros(places[kind].numel(), dtype=whole.dtype)
    numbers[written.flatten()] = whole.flatten()
    return numbers.view(places[kind].shape)
