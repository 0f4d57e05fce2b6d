"""Networks that learn labels of chess positions: perceptrons, convolutions, residual convolutions, and standings.

After Sabatelli (2017), chapters 6 and 7: no pooling, borders padded so that planes keep their 8 x 8 cells. The planes
are a real picture of the board here, [planes, ranks, files]; the source's published code folds them into a shape in
which neighbours on the board are no neighbours in the tensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from understudy.config import check_range
from understudy.encoders.chess_standings import KINDS_AT, ROWS, STANDINGS
from understudy.errors import BadOption, UnknownName

DESIGNS = ("perceptron", "convolutional", "residual", "standings")
UNITS: dict[str, Any] = {"relu": nn.ReLU, "elu": nn.ELU}
DROPPED = ("every", "last")
CELLS = 64
PIECES = 12 * CELLS
MIDDLE = 32
"""Units of the small layers of a standings network, as the compiled search has them."""


@dataclass(frozen=True, kw_only=True)
class BoardNetworkOptions:
    """The `[network]` section of a labels experiment; the defaults are the source's first perceptron."""

    design: str = "perceptron"
    hidden: tuple[int, ...] = (1048, 500, 50)
    """Units of each layer that sees the whole board."""
    filters: tuple[int, ...] = ()
    """Filters of each convolution; of a residual network the first number, and how many blocks the others say."""
    widths: tuple[int, ...] = ()
    """Cells along the side of each convolution's window."""
    units: str = "relu"
    dropout: float = 0.0
    dropped: str = "every"
    """After which layers units are dropped: `every` one, or the `last` convolution and the layers after it."""
    normalised: bool = False
    """Batch normalisation between layers."""


def check_network(options: BoardNetworkOptions) -> None:
    """Raise unless every option has a value it can take."""
    for key, known in (("design", DESIGNS), ("units", UNITS), ("dropped", DROPPED)):
        if getattr(options, key) not in known:
            raise UnknownName(f"network.{key}", getattr(options, key), known)
    check_range("network.dropout", options.dropout, 0, 0.95)
    for key, high in (("hidden", 100_000), ("filters", 10_000), ("widths", 15)):
        for number in getattr(options, key):
            check_range(f"network.{key}", number, 1, high)
    convolving = options.design in ("convolutional", "residual")
    if convolving != bool(options.filters):
        needed = "needs" if convolving else "has no"
        raise BadOption(f"network.filters: a {options.design} network {needed} filters")
    if options.design == "convolutional" and len(options.widths) != len(options.filters):
        raise BadOption(
            f"network.widths: {len(options.filters)} convolutions need as many widths, not {len(options.widths)}"
        )
    if any(width % 2 == 0 for width in options.widths):
        raise BadOption(f"network.widths: windows of odd width keep the board's shape, not {list(options.widths)}")
    if options.design == "standings" and options.hidden[1:] != (MIDDLE, MIDDLE):
        raise BadOption(
            f"network.hidden: a standings network has any first layer, then {MIDDLE} and {MIDDLE} units, "
            f"not {list(options.hidden)}"
        )
    if not options.hidden:
        raise BadOption("network.hidden: at least one layer of units is needed")


def make_network(options: BoardNetworkOptions, *, planes: int, outputs: int) -> nn.Module:
    """Return a network from planes [positions, planes, 8, 8], or from rows of standings, to [positions, outputs]."""
    check_network(options)
    if options.design == "standings":
        return StandingsNetwork(options, outputs)
    if options.design == "perceptron":
        return nn.Sequential(nn.Flatten(), *_dense(options, planes * CELLS, outputs))
    trunk = _convolutions(options, planes) if options.design == "convolutional" else _residual(options, planes)
    return nn.Sequential(*trunk, nn.Flatten(), *_dense(options, options.filters[-1] * CELLS, outputs))


def _dense(options: BoardNetworkOptions, inputs: int, outputs: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for below, above in pairwise((inputs, *options.hidden)):
        layers.append(nn.Linear(below, above))
        if options.normalised:
            layers.append(nn.BatchNorm1d(above))
        layers += [UNITS[options.units](), nn.Dropout(options.dropout)]
    return [*layers, nn.Linear(options.hidden[-1], outputs)]


def _convolutions(options: BoardNetworkOptions, planes: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    shapes = zip(pairwise((planes, *options.filters)), options.widths, strict=True)
    for place, ((below, above), width) in enumerate(shapes):
        layers.append(nn.Conv2d(below, above, width, padding=width // 2))
        if options.normalised:
            layers.append(nn.BatchNorm2d(above))
        layers.append(UNITS[options.units]())
        if options.dropped == "every" or place == len(options.filters) - 1:
            layers.append(nn.Dropout(options.dropout))
    return layers


def _residual(options: BoardNetworkOptions, planes: int) -> list[nn.Module]:
    width, last = options.filters[0], options.filters[-1]
    blocks = [Block(width, options.units) for _ in options.filters[1:-1]]
    stem = [nn.Conv2d(planes, width, 3, padding=1), nn.BatchNorm2d(width), UNITS[options.units]()]
    return [*stem, *blocks, nn.Conv2d(width, last, 1), nn.BatchNorm2d(last), UNITS[options.units]()]


class Block(nn.Module):
    """Two convolutions whose result is added to what came in."""

    def __init__(self, width: int, units: str) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.one, self.two, self.units = nn.BatchNorm2d(width), nn.BatchNorm2d(width), UNITS[units]()

    def forward(self, planes: Tensor) -> Tensor:
        """Return planes of the same shape."""
        inner = self.units(self.one(self.first(planes)))
        result: Tensor = self.units(planes + self.two(self.second(inner)))
        return result


class StandingsNetwork(nn.Module):
    """Rows added up for what is present, then rectified layers; see `encoders/chess_standings.py`.

    While it learns, a piece on a cell has a row of its own besides the row for how it stands there, so that what is
    seldom seen starts from what is known of the piece; `first_rows` gives the sums of both.
    """

    def __init__(self, options: BoardNetworkOptions, outputs: int) -> None:
        super().__init__()
        width = options.hidden[0]
        self.rows = nn.EmbeddingBag(ROWS + 1, width, mode="sum", padding_idx=ROWS)
        self.pieces = nn.EmbeddingBag(PIECES + 1, width, mode="sum", padding_idx=PIECES)
        self.bias = nn.Parameter(torch.full((width,), 0.1))
        self.dropout = nn.Dropout(options.dropout)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise((*options.hidden, outputs)))
        with torch.no_grad():
            for table in (self.rows, self.pieces):
                table.weight.normal_(std=0.02)
                table.weight[-1].zero_()

    def forward(self, present: Tensor) -> Tensor:
        """Return what it says [positions, outputs] of rows [positions, MOST]."""
        pieces = torch.where(present < KINDS_AT, present // STANDINGS, PIECES)
        units = self.dropout(torch.relu(self.rows(present) + self.pieces(pieces) + self.bias))
        for layer in self.layers[:-1]:
            units = torch.relu(layer(units))
        said: Tensor = self.layers[-1](units)
        return said

    def first_rows(self) -> Tensor:
        """Return the weights of the first layer [ROWS, units] as a player adds them up."""
        whole = self.rows.weight.detach()[:ROWS].clone()
        whole[:KINDS_AT] += self.pieces.weight.detach()[:PIECES].repeat_interleave(STANDINGS, dim=0)
        return whole
