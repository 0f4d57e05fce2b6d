"""A student that has learned, as files: weights (safetensors) to learn on from, and ONNX to play with.

The ONNX file is all a player needs: it holds game, encoder, order and provenance beside the network. It has two inputs,
the position's columns and the parts that count as already chosen (-1: the student's own), and gives log-probabilities
and choices at the three places of the order. Whoever only plays needs no PyTorch.
"""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnx
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file as load_tensors
from safetensors.torch import save_file as save_tensors

from understudy.errors import FileError
from understudy.files import make_folder, save_file
from understudy.networks.students import Playing, Unit

FACTS = "understudy"
"""The key of the metadata, in both files."""


def save_student(folder: Path, name: str, units: Sequence[Unit], facts: Mapping[str, Any]) -> None:
    """Write NAME.safetensors and NAME.onnx; *facts* tell what a player must know, and how the student came about."""
    tensors = {
        f"{unit.name}.{key}": tensor.detach().contiguous()
        for unit in units
        for key, tensor in unit.state_dict().items()
    }
    written = json.dumps(dict(facts))
    make_folder(folder)
    save_file(folder / f"{name}.safetensors", lambda path: save_tensors(tensors, path, metadata={FACTS: written}))
    model = export(units, columns=int(facts["columns"]))
    model.metadata_props.add(key=FACTS, value=written)
    save_file(folder / f"{name}.onnx", lambda path: path.write_bytes(model.SerializeToString()))


def load_weights(path: Path, units: Sequence[Unit]) -> None:
    """Give *units* the weights of an earlier student of the same shape."""
    try:
        tensors = load_tensors(path)
    except (OSError, SafetensorError) as error:
        raise FileError(f"cannot read the weights {str(path)!r}: {error}") from None
    for unit in units:
        own = {key: tensors.get(f"{unit.name}.{key}") for key in unit.state_dict()}
        wrong = [key for key, weight in unit.state_dict().items() if own[key] is None or own[key].shape != weight.shape]  # type: ignore[union-attr]
        if wrong:
            found = "is missing" if own[wrong[0]] is None else f"has shape {tuple(own[wrong[0]].shape)}"  # type: ignore[union-attr]
            raise FileError(f"the weights {str(path)!r} do not fit this student: {unit.name}.{wrong[0]} {found}")
        unit.load_state_dict(own)


def export(units: Sequence[Unit], *, columns: int) -> onnx.ModelProto:
    """Return a student as an ONNX graph over any number of positions."""
    playing = Playing(units).eval()
    rows = torch.export.Dim("positions", min=1)
    example = torch.zeros(2, columns), torch.full((2, 2), -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.getLogger("torch.onnx").setLevel(logging.ERROR)
        program = torch.onnx.export(
            playing,
            example,
            dynamo=True,
            verbose=False,
            input_names=["inputs", "given"],
            output_names=["scores", "choices"],
            dynamic_shapes=({0: rows}, {0: rows}),
        )
    assert program is not None
    buffer = io.BytesIO()
    onnx.save(program.model_proto, buffer)
    return onnx.load_from_string(buffer.getvalue())
