"""Networks that learn labels of chess positions: perceptrons, convolutions, residual convolutions, and standings.

After Sabatelli (2017), chapters 6 and 7: no pooling, borders padded so that planes keep their 8 x 8 cells. The planes
are a real picture of the board here, [planes, ranks, files]; the source's published code folds them into a shape in
which neighbours on the board are no neighbours in the tensor.

The first layer of a standings network adds up a row of weights for each row that is present and gives gradients back to
them. Kernels do that in about a third of the time of PyTorch's bag of embeddings.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games.chess.inputs.standings import FEW_PIECES_AT, KINDS_AT, PIECES_AT, RIGHTS_AT, ROWS, STANDINGS
from understudy.games.chess.inputs.threats import FEW_PIECES
from understudy.kernels import kernel

DESIGNS = ("perceptron", "convolutional", "residual", "standings")
UNITS: dict[str, Any] = {"relu": nn.ReLU, "elu": nn.ELU}
ENDS = ("linear", "sigmoid")
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
    output: str = "linear"
    """The unit that says a number from 0 to 1 (data set 4): `linear`, or `sigmoid`; the source does not tell."""
    stages: tuple[int, ...] = ()
    """Of a standings network: the most pieces of each stage of the game but the fullest; a stage has layers of its own
    after the first."""
    start: str = ""
    """Of a standings network: a student of the same shape whose weights it begins with."""


def check_network(options: BoardNetworkOptions) -> None:
    """Raise unless every option has a value it can take."""
    for key, allowed in (("design", DESIGNS), ("units", UNITS), ("dropped", DROPPED), ("output", ENDS)):
        if getattr(options, key) not in allowed:
            raise UnknownName(f"network.{key}", getattr(options, key), allowed)
    check_range("network.dropout", options.dropout, 0, 0.95)
    for key, high in (("hidden", 100_000), ("filters", 10_000), ("widths", 15), ("stages", 31)):
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
    if options.stages and (options.design != "standings" or list(options.stages) != sorted(set(options.stages))):
        raise BadOption(f"network.stages: a standings network may have some, ascending, not {list(options.stages)}")
    if options.start and options.design != "standings":
        raise BadOption(
            f"network.start: only a standings network begins with a student's weights, not {options.start!r}"
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
    last = [nn.Sigmoid()] if options.output == "sigmoid" else []
    return [*layers, nn.Linear(options.hidden[-1], outputs), *last]


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


class Sums(torch.autograd.Function):
    """Rows of weights added up for what is present."""

    @staticmethod
    def forward(context: Any, present: Tensor, weights: Tensor, own: int) -> Tensor:
        """Return the sums [positions, units]; those with rows from *own* on teach these rows alone."""
        context.save_for_backward(present)
        context.rows, context.own = len(weights), own
        sums = torch.zeros(len(present), weights.shape[1])
        add_rows(present.numpy(), weights.detach().numpy(), sums.numpy())
        return sums

    @staticmethod
    def backward(context: Any, gradients: Tensor) -> tuple[None, Tensor, None]:
        """Return the gradients of the weights."""
        weights = torch.zeros(context.rows, gradients.shape[1])
        present = context.saved_tensors[0].numpy()
        spread_rows(present, gradients.contiguous().numpy(), context.own, weights.numpy())
        return None, weights, None


class StandingsNetwork(nn.Module):
    """Rows added up for what is present, then rectified layers; see `games/chess/inputs/standings.py`.

    While it learns, a piece on a cell has a row of its own besides the row for how it stands there, so that what is
    seldom seen starts from what is known of the piece; `first_rows` gives the sums of both. The layers after the sums
    may be others in each stage of the game, told by the number of pieces. Endings have rows of their own besides, and
    teach those alone: there are as many of them as anybody likes, and they would crowd out the rest of the game.
    """

    def __init__(self, options: BoardNetworkOptions, outputs: int) -> None:
        super().__init__()
        # Some hundred rows are added up: with 0.02 the sums start at about a fifth, with a bias of 0.1 most units
        # answer. Both were chosen by hand.
        width = options.hidden[0]
        self.rows = nn.Parameter(torch.empty(ROWS, width).normal_(std=0.02))
        self.pieces = nn.Parameter(torch.empty(PIECES, width).normal_(std=0.02))
        self.bias = nn.Parameter(torch.full((width,), 0.1))
        self.dropout = nn.Dropout(options.dropout)
        self.register_buffer("stages", torch.tensor(options.stages, dtype=torch.int32))
        self.heads = nn.ModuleList(_head((*options.hidden, outputs)) for _ in range(len(options.stages) + 1))

    def forward(self, present: Tensor) -> Tensor:
        """Return what it says [positions, outputs] of rows [positions, MOST]."""
        sums: Any = Sums.apply(present, self._whole(), FEW_PIECES_AT)  # type: ignore[no-untyped-call]
        counts = _counts(present)
        bias = torch.where(counts[:, None] <= FEW_PIECES, self.bias.detach(), self.bias)
        units = self.dropout(torch.relu(sums + bias))
        outputs = torch.stack([head(units) for head in self.heads], dim=1)
        return outputs[torch.arange(len(outputs)), torch.bucketize(counts, self.get_buffer("stages"))]

    def _whole(self) -> Tensor:
        """Return the rows with what is known of their pieces."""
        shared = self.rows[:KINDS_AT].view(PIECES, STANDINGS, -1) + self.pieces[:, None]
        return torch.cat([shared.reshape(KINDS_AT, -1), self.rows[KINDS_AT:]])

    def first_rows(self) -> Tensor:
        """Return the weights of the first layer [ROWS, units] as a player adds them up."""
        return self._whole().detach()


def _counts(present: Tensor) -> Tensor:
    """Return how many pieces each position has: one of its rows tells."""
    return torch.where((present >= PIECES_AT) & (present < RIGHTS_AT), present - PIECES_AT, 0).amax(dim=1)


def _head(widths: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for below, above in pairwise(widths):
        layers += [nn.Linear(below, above), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@kernel
def add_rows(present: NDArray[np.int32], weights: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Add to each row of *out* the weights of what is *present* in it."""
    for i in range(len(present)):
        units = out[i]
        for row in present[i]:
            if row >= len(weights):
                break
            strength = weights[row]
            for unit in range(len(units)):
                units[unit] += strength[unit]


@kernel
def spread_rows(present: NDArray[np.int32], gradients: NDArray[np.float32], own: int, out: NDArray[np.float32]) -> None:
    """Add to each weight in *out* the gradients of the sums in which its row was present.

    Sums whose last row is *own* or beyond give theirs to such rows alone.
    """
    for i in range(len(present)):
        gradient, count = gradients[i], _count(present[i], len(out))
        apart = count > 0 and present[i, count - 1] >= own
        for row in present[i, :count]:
            if row >= own or not apart:
                weights = out[row]
                for unit in range(len(weights)):
                    weights[unit] += gradient[unit]


@kernel
def _count(present: NDArray[np.int32], rows: int) -> int:
    """Return how many rows a list has."""
    for place in range(len(present)):
        if present[place] >= rows:
            return place
    return len(present)
