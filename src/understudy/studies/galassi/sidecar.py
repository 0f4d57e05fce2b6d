"""The text beside each of the authors' weight files: what the network is, how it was trained, what came of it (M-19).

`TFR_TO.txt` stands beside `TFR_TO.npz`. It names the sizes of the sets, the architecture, the input with its format and
the order of deciding, the part that is decided, the settings of the training; then one line for each epoch, and at the
end the time and the final losses and accuracies. A training that was stopped has no end, which is no fault; a training
that was taken up again has a second heading and goes on. Every other line is refused, so that nothing is read that was
not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import FileError
from understudy.games.morris.inputs import ENCODERS
from understudy.games.morris.legality import CLASSES, PARTS

MOST = 1 << 22
"""Bytes that are read: the longest training of the authors, 10 000 epochs, takes half a megabyte."""
LETTERS = "TFR"
"""How an order of deciding is written: the first letters of TO, FROM and REMOVE."""

_N, _X = r"([0-9]{1,9})", r"([0-9]{1,9}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,2})?)"
"""A whole number and a number as Python 2 writes them; with so few digits that each can be computed with."""
_HEADER = {
    "trainset": re.compile(rf"trainset: {_N}\tbatch_size: {_N}\tvalset: {_N}\ttestset: {_N}"),
    "net": re.compile(r"(resnet|densenet|ffnet)\t(.{1,200})"),
    "input": re.compile(rf"input\t{_N}\tbinary (raw|rawer|rawest)\t([TFR]{{3}})"),
    "output": re.compile(rf"output\t(TO|FROM|REMOVE)\t{_N}"),
    "dropout": re.compile(rf"dropout\t{_X}\t{_X}"),
    "batch normalization": re.compile(r"batch normalization\t(yes|no)"),
    "regularization": re.compile(rf"regularization\t(l1|l2)\t{_X}"),
    "Lr": re.compile(rf"Lr\t{_X}(?:\tkappa\t{_X})?"),
    "b1": re.compile(rf"b1\t{_X}"),
    "b2": re.compile(rf"b2\t{_X}"),
    "ep": re.compile(rf"ep:\t{_N}\tpat:\t{_N}"),
}
"""The lines before the epochs, in the order of the file."""
_OPTIONAL = ("regularization",)
_NETS = {
    "resnet": re.compile(rf"{_N}, {_N} x {_N} \(x2\)"),
    "densenet": re.compile(rf"{_N}, {_N} x {_N}"),
    "ffnet": re.compile(r"\[([0-9]{1,9}(?:, [0-9]{1,9})*)\]"),
}
_EPOCH = re.compile(rf"{_N}\t{_X}\t{_X}\t{_X}\t{_X}(\tBetter!)?")
_SECONDS = re.compile(rf"TIME OCCURRED: {_X} seconds")
_FINAL = re.compile(rf"(Test|Validation|Training):\t {_X}\t{_X}")
_IGNORED = re.compile(r"TRAINED ON: .*|Epoch\tTrain_e\tVal_e\tTrain_a\tVal_a\tBetter\?|masked training|")
"""Headings of later versions of their program, written again where a training is taken up; empty lines."""


class Epoch(NamedTuple):
    """One line of the training; accuracies are shares."""

    number: int
    training_loss: float
    """With dropout and penalty."""
    validation_loss: float
    training_accuracy: float
    validation_accuracy: float
    better: bool
    """Whether the weights of this epoch were kept."""


class Sidecar(NamedTuple):
    """What one of these files says."""

    kind: str
    """resnet, densenet or ffnet"""
    layers: tuple[int, ...]
    """Units: of the first layer and inside a block or a later layer; all of them for ffnet."""
    blocks: int
    """As asked for: of a resnet one was ever wired."""
    inputs: int
    encoder: str
    order: str
    part: str
    batch_norm: bool
    settings: dict[str, Any]
    """How it was trained, by the name of the setting."""
    epochs: tuple[Epoch, ...]
    seconds: float | None
    final: dict[str, tuple[float, float]]
    """Loss and accuracy on test, validation and training rows; empty where the training was stopped."""


def load_sidecar(path: Path) -> Sidecar:
    """Return what the text file *path* says, or raise what is wrong with it."""
    place = f"sidecar {str(path)!r}"
    try:
        with path.open("rb") as file:
            content = file.read(MOST + 1)
    except OSError as error:
        raise FileError(f"{place} cannot be read: {error.strerror}") from None
    if len(content) > MOST:
        raise FileError(f"{place} is longer than {MOST >> 20} MB, which no training's log is")
    lines = content.decode("ascii", "replace").replace("\r\n", "\n").split("\n")
    if lines.pop():
        raise FileError(f"{place} ends within a line: it was cut off")
    return read_sidecar(lines, place)


def read_sidecar(lines: Sequence[str], place: str) -> Sidecar:
    """Return what the *lines* of a sidecar say; *place* names it for errors."""
    told: dict[str, Any] = {}
    epochs: list[Epoch] = []
    final: dict[str, tuple[float, float]] = {}
    seconds = None
    for number, line in enumerate(lines, 1):
        where = f"{place}, line {number}"
        if found := _EPOCH.fullmatch(line):
            _add_epoch(epochs, found, where)
        elif found := _SECONDS.fullmatch(line):
            seconds = float(found[1])
        elif found := _FINAL.fullmatch(line):
            final[found[1].lower()] = float(found[2]), _share(found[3], where)
        elif not _IGNORED.fullmatch(line):
            _add_header(told, line, where)
    return _make_sidecar(told, place)._replace(epochs=tuple(epochs), seconds=seconds, final=final)


def _add_epoch(epochs: list[Epoch], found: re.Match[str], where: str) -> None:
    """Add an epoch; one that came before is trained again, where a training was taken up earlier than it had ended."""
    number = int(found[1])
    if not 1 <= number <= len(epochs) + 1:
        raise FileError(f"{where}: epoch {number} comes after {len(epochs)} epochs: lines are missing")
    accuracies = _share(found[4], where), _share(found[5], where)
    epochs[number - 1 :] = [Epoch(number, float(found[2]), float(found[3]), *accuracies, found[6] is not None)]


def _share(percent: str, where: str) -> float:
    if not float(percent) <= 100:
        raise FileError(f"{where}: an accuracy of {percent} % cannot be")
    return float(percent) / 100


def _add_header(told: dict[str, Any], line: str, where: str) -> None:
    for name, form in _HEADER.items():
        if found := form.fullmatch(line):
            if name in told:
                raise FileError(f"{where} says {name!r} for a second time")
            told[name] = found.groups()
            return
    raise FileError(f"{where} is none that the authors' program writes: {line[:60]!r}")


def _make_sidecar(told: dict[str, Any], place: str) -> Sidecar:
    missing = [name for name in _HEADER if name not in told and name not in _OPTIONAL]
    if missing:
        raise FileError(f"{place} has no line {missing[0]!r}: it was cut off, or is of something else")
    kind, text = told["net"]
    layers, blocks = _read_net(kind, text, place)
    sidecar = Sidecar(
        kind=kind, layers=layers, blocks=blocks, inputs=int(told["input"][0]), encoder=told["input"][1],
        order=told["input"][2], part=told["output"][0].lower(), batch_norm=told["batch normalization"][0] == "yes",
        settings=_read_settings(told), epochs=(), seconds=None, final={},
    )  # fmt: skip
    _check_sizes(sidecar, int(told["output"][1]), place)
    return sidecar


def _read_net(kind: str, text: str, place: str) -> tuple[tuple[int, ...], int]:
    found = _NETS[kind].fullmatch(text)
    if not found:
        raise FileError(f"{place}: {text[:60]!r} is no {kind} as the authors' program writes it")
    if kind == "ffnet":
        layers = tuple(map(int, found[1].split(", ")))
        return layers, len(layers)
    return (int(found[1]), int(found[3])), int(found[2])


def _read_settings(told: dict[str, Any]) -> dict[str, Any]:
    train, batch, validation, test = map(int, told["trainset"])
    rate, decay = told["Lr"]
    penalty, weight = told.get("regularization", ("none", "0"))
    return {
        "train_rows": train, "validation_rows": validation, "test_rows": test, "batch": batch,
        "input_dropout": float(told["dropout"][0]), "dropout": float(told["dropout"][1]),
        "penalty": penalty, "penalty_weight": float(weight),
        "rate": float(rate), "decay": None if decay is None else float(decay),
        "beta1": float(told["b1"][0]), "beta2": float(told["b2"][0]),
        "most_epochs": int(told["ep"][0]), "patience": int(told["ep"][1]),
    }  # fmt: skip


def _check_sizes(sidecar: Sidecar, classes: int, place: str) -> None:
    """Raise unless input and output are as wide as format, order and part make them."""
    if sorted(sidecar.order) != sorted(LETTERS):
        raise FileError(f"{place}: {sidecar.order!r} is no order of T, F and R")
    width = width_of(sidecar)
    if sidecar.inputs != width:
        seen = f"format {sidecar.encoder!r}, order {sidecar.order} and part {sidecar.part.upper()}"
        raise FileError(f"{place}: {seen} make {width} inputs, not {sidecar.inputs}")
    if classes != CLASSES:
        raise FileError(f"{place}: a part has {CLASSES} classes, not {classes}")


def width_of(sidecar: Sidecar) -> int:
    """Return how many inputs a network has: those of its format, and the classes of the parts decided before."""
    earlier = sidecar.order.index(LETTERS[PARTS.index(sidecar.part)])
    return ENCODERS[sidecar.encoder].layout.width + CLASSES * earlier


def tell_training(sidecar: Sidecar) -> dict[str, Any]:
    """Return how a training went as plain data, ready for JSON and plots: settings, curve, final losses, accuracies."""
    return {
        "order": sidecar.order,
        "part": sidecar.part,
        "network": {"kind": sidecar.kind, "layers": list(sidecar.layers), "blocks": sidecar.blocks},
        "settings": dict(sidecar.settings),
        "curve": {name: [getattr(epoch, name) for epoch in sidecar.epochs] for name in Epoch._fields},
        "seconds": sidecar.seconds,
        "final": {side: {"loss": loss, "accuracy": share} for side, (loss, share) in sidecar.final.items()},
    }
