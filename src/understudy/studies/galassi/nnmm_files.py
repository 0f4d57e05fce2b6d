"""The files of a published cascade: three of weights and, where they are kept, the authors' text beside each.

With the texts (`sidecar.py`) order, input format and widths are what they say, and weights that do not fit them are
refused; the name of the files need not tell the order then. Without them the name ends in the order, and the networks
are as published: 90 inputs, 200 and 300 units.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption, FileError
from understudy.games.layout import Encoder
from understudy.games.morris.inputs import ENCODERS, RAWEST
from understudy.games.morris.legality import CLASSES, PARTS
from understudy.studies.galassi.sidecar import LETTERS, Sidecar, load_sidecar
from understudy.unpacking import check_unpacked

LARGEST = 1e6
"""A weight beyond this is taken for damage; below it nothing overflows."""
PUBLISHED = 200, 300
"""Units of the first layer and inside the block, of all nine networks that are published."""

Array = NDArray[Any]


class Cascade(NamedTuple):
    """What is known of three networks before their weights are read."""

    path: str
    order: tuple[int, ...]
    """Which part each network decides."""
    encoder: Encoder
    sidecars: dict[int, Sidecar]
    """By part; of those parts whose file has one."""

    def file(self, part: int, ending: str = "npz") -> Path:
        """Return where the weights of a part are, or what is told of them."""
        return _file(self.path, part, ending)


def find_cascade(path: str, name: str) -> Cascade:
    """Return the cascade that *path* names, by its sidecars or else by its last three letters."""
    sidecars = _load_sidecars(path)
    letters = Path(path).name[-3:]
    named = letters if sorted(letters) == sorted(LETTERS) else ""
    order = _agree(path, sidecars, "order") or named
    if not order:
        raise BadOption(f"{name}: weights are named by an order of T, F and R, such as folder/TFR, not {path!r}")
    if named not in ("", order):
        raise FileError(f"weights {path!r} are named by the order {named}, and their sidecars say {order}")
    encoder = ENCODERS[_agree(path, sidecars, "encoder") or RAWEST.name]
    return Cascade(path, tuple(LETTERS.index(letter) for letter in order), encoder, sidecars)


def _load_sidecars(path: str) -> dict[int, Sidecar]:
    places = {part: _file(path, part, "txt") for part in range(len(PARTS))}
    # `Path.exists` raises where a name is too long; the weights then say what is wrong with it.
    sidecars = {part: load_sidecar(place) for part, place in places.items() if os.path.exists(place)}
    for part, sidecar in sidecars.items():
        where = f"sidecar {str(places[part])!r}"
        if sidecar.part != PARTS[part]:
            raise FileError(f"{where} is of a network that decides {sidecar.part.upper()}, by what it says")
        if sidecar.kind != "resnet" or sidecar.batch_norm:
            kind = sidecar.kind + (" with batch normalization" if sidecar.batch_norm else "")
            raise FileError(f"{where} describes a {kind}; this player knows a resnet without batch normalization")
    return sidecars


def _file(path: str, part: int, ending: str) -> Path:
    return Path(f"{path}_{PARTS[part].upper()}.{ending}")


def _agree(path: str, sidecars: dict[int, Sidecar], field: str) -> str:
    """Return what all sidecars say of a *field*; nothing where there are none."""
    said = sorted({getattr(sidecar, field) for sidecar in sidecars.values()})
    if len(said) > 1:
        raise FileError(f"the sidecars of {path!r} do not belong together: their {field} is {' and '.join(said)}")
    return said[0] if said else ""


def load_layers(cascade: Cascade, part: int) -> list[Array]:
    """Return the eight arrays of a part's file, weights and biases in turn, or raise what is wrong with it."""
    sidecar = cascade.sidecars.get(part)
    first, hidden = PUBLISHED if sidecar is None else sidecar.layers
    width = cascade.encoder.layout.width + CLASSES * cascade.order.index(part)
    shapes = [(width, first), (first,), (first, hidden), (hidden,), (hidden, first), (first,), (first, CLASSES)]
    told = "" if sidecar is None else f", as {str(cascade.file(part, 'txt'))!r} says"
    return _check_layers(str(cascade.file(part)), [*shapes, (CLASSES,)], told)


def _check_layers(path: str, shapes: Sequence[tuple[int, ...]], told: str) -> list[Array]:
    place, names = f"weights {path!r}", [f"arr_{i}" for i in range(len(shapes))]
    arrays = _load_arrays(path, place)
    if sorted(arrays) != names:
        raise FileError(f"{place} hold {_listed(sorted(arrays))}; expected {_listed(names)}")
    for name, shape in zip(names, shapes, strict=True):
        array = arrays[name]
        if array.shape != shape or array.dtype.kind not in "fiu":
            kind = f"{array.dtype} of shape {array.shape}"
            raise FileError(f"{place}: {name} is {kind}; expected numbers of shape {shape}{told}")
        if not (np.abs(array.astype(np.float64)) < LARGEST).all():
            raise FileError(f"{place}: {name} holds numbers that are not finite or beyond {LARGEST:g}")
    return [np.ascontiguousarray(arrays[name], np.float64) for name in names]


def _load_arrays(path: str, place: str) -> dict[str, Array]:
    try:
        with open(path, "rb") as file:
            archive = np.load(file, allow_pickle=False)
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise FileError(f"{place} are a single array; expected an archive of eight")
            with zipfile.ZipFile(path) as parts:
                check_unpacked(Path(path), sum(part.file_size for part in parts.infolist()))
            return {name: archive[name] for name in archive.files}
    except FileError:
        raise
    except Exception as error:  # damaged archives raise nearly anything, up to errors of Python's own tokenizer
        why = getattr(error, "strerror", None) or " ".join(str(error).split()) or type(error).__name__
        raise FileError(f"{place} cannot be read: {why}") from None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(map(repr, names[:10])) or "nothing"
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")
