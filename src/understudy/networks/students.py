"""Students learning: networks in cascade, one network for the whole move, or one that values boards.

A cascade decides the parts of a move one after another in a chosen order; each network sees the position and the
parts before its own. A whole-move network sees the position once, in a shared trunk, and has a head for each, all
conditioned on the parts before its own. Both learn with the teacher's earlier parts and play with their own. What
values a board is plain layers with one output.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Protocol, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.config import check_range
from understudy.errors import UnknownName
from understudy.games.layout import Encoder, facts, joined
from understudy.networks.architectures import Block, ResidualOptions, Stem, Tied, plain, written_out
from understudy.networks.convolutions import ConvolutionOptions, Entry, Exit, Spreading
from understudy.networks.dropout import Dropout

UNITS = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
"""What hidden units make of their sums."""
SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": lambda outputs: (outputs > 0).to(outputs.dtype),
    "sigmoid": lambda outputs: outputs * (1 - outputs),
    "tanh": lambda outputs: 1 - outputs * outputs,
}
"""The derivatives of hidden units, from their outputs: plain back-propagation has nothing else at hand."""
ONNX = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh"}
"""The operators that do the same."""


class Unit(nn.Module, ABC):
    """What is trained at once: one network of a cascade, or a whole student; it decides some places of the order."""

    name: str
    places: tuple[int, ...]

    @abstractmethod
    def hidden(self, inputs: Tensor) -> Tensor:
        """Return what the places share."""

    @abstractmethod
    def logits(self, place: int, hidden: Tensor, before: Sequence[Tensor]) -> Tensor:
        """Return the scores of the classes at *place*, given the classes chosen at the places before it."""


class Single(Unit):
    """One network of a cascade; it is told the parts before its own, which have so many classes each."""

    def __init__(self, network: nn.Module, before: Sequence[int], name: str, *, one_hot: bool) -> None:
        super().__init__()
        self.network, self.places, self.name = network, (len(before),), name
        self.before, self.one_hot = tuple(before), one_hot

    def hidden(self, inputs: Tensor) -> Tensor:
        return inputs

    def logits(self, place: int, hidden: Tensor, before: Sequence[Tensor]) -> Tensor:
        shown = [
            _one_hot(part, classes) if self.one_hot else part[:, None].float()
            for part, classes in zip(before, self.before, strict=True)
        ]
        logits: Tensor = self.network(torch.cat([hidden, *shown], dim=1) if shown else hidden)
        return logits


class Separated(nn.Module):
    """Two networks for a part that a move may lack: whether there is one, and which one it is if there is.

    What they say together are the logarithms of probabilities of all classes, none before the others, so that whoever
    asks need not know. Each is fitted as if it were alone: the likelihood of both is the product of theirs.
    """

    def __init__(self, presence: nn.Module, position: nn.Module) -> None:
        super().__init__()
        self.presence, self.position = presence, position

    def forward(self, inputs: Tensor) -> Tensor:
        there: Tensor = self.presence(inputs).log_softmax(dim=1)
        which: Tensor = self.position(inputs).log_softmax(dim=1)
        return torch.cat([there[:, :1], there[:, 1:] + which], dim=1)


class Valuing(Protocol):
    """A unit that also says what a position is worth."""

    def hidden(self, inputs: Tensor) -> Tensor: ...
    def value(self, hidden: Tensor) -> Tensor: ...


class Pieces(NamedTuple):
    """What a network for the whole move is made of."""

    trunk: nn.Module
    conditions: Sequence[nn.Module]
    """For each place but the first: from the parts before it, as columns with a single one each, to what is added."""
    heads: Sequence[nn.Module]
    """For each place: from what the trunk says, and what was added, to scores."""
    value: nn.Module | None = None
    """From what the trunk says to one number: how sure the side to move may be to win."""


class Whole(Unit):
    """One network for the whole move: a shared trunk, and a head for each place of the order."""

    name = "whole"

    def __init__(self, pieces: Pieces, sizes: Sequence[int]) -> None:
        super().__init__()
        self.sizes, self.places = tuple(sizes), tuple(range(len(sizes)))
        self.trunk = pieces.trunk
        self.conditions, self.heads = nn.ModuleList(pieces.conditions), nn.ModuleList(pieces.heads)
        self.value = pieces.value

    def hidden(self, inputs: Tensor) -> Tensor:
        hidden: Tensor = self.trunk(inputs)
        return hidden

    def logits(self, place: int, hidden: Tensor, before: Sequence[Tensor]) -> Tensor:
        if place:
            shown = [_one_hot(part, classes) for part, classes in zip(before, self.sizes, strict=False)]
            hidden = hidden + self.conditions[place - 1](torch.cat(shown, dim=1))
        logits: Tensor = self.heads[place](hidden)
        return logits


def whole_residual(options: ResidualOptions, encoder: Encoder, sizes: Sequence[int], student: StudentOptions) -> Whole:
    """Return a residual network for the whole move, plain or tied by symmetry."""
    affine = Tied if options.symmetric else plain
    parts = [encoder.part(size) for size in sizes]
    trunk = Stem(options, encoder.layout)
    conditions = [affine(joined(parts[:place]), trunk.layout) for place in range(1, len(parts))]
    heads = [
        nn.Sequential(
            *(Block(options, trunk.layout, trunk.inner) for _ in range(student.head_blocks)),
            affine(trunk.layout, part),
        )
        for part in parts
    ]
    value = None
    if student.value:
        layers = (
            Block(options, trunk.layout, trunk.inner),
            nn.ReLU(),
            affine(trunk.layout, facts(trunk.layout.classes, 1)),
        )
        value = nn.Sequential(*layers)
    return Whole(Pieces(trunk, conditions, heads, value), sizes)


def whole_convolution(
    options: ConvolutionOptions, encoder: Encoder, sizes: Sequence[int], student: StudentOptions
) -> Whole:
    """Return a convolution for the whole move; the first part is read off the trunk, which learns for it most."""
    parts, classes = [encoder.part(size) for size in sizes], encoder.layout.classes
    blocks = [Spreading(options, classes) for _ in range(options.blocks)]
    conditions = [Entry(options, joined(parts[:place]), placed=False) for place in range(1, len(parts))]
    heads = [
        nn.Sequential(
            *(Spreading(options, classes) for _ in range(student.head_blocks if place else 0)), Exit(options, part)
        )
        for place, part in enumerate(parts)
    ]
    return Whole(Pieces(nn.Sequential(Entry(options, encoder.layout), *blocks), conditions, heads), sizes)


class Playing(nn.Module):
    """A student that has learned, as one function: inputs and parts already given -> scores and choices."""

    def __init__(self, units: Sequence[Unit]) -> None:
        super().__init__()
        self.units = nn.ModuleList(written_out(copy.deepcopy(unit)).eval() for unit in units)

    def forward(self, inputs: Tensor, given: Tensor) -> tuple[Tensor, ...]:
        """Return log-probabilities [positions, parts, classes] and choices [positions, parts] in the cascade's order.

        A student with a value adds what each position is worth to the side to move [positions], from -1 to 1.

        *given* [positions, parts - 1] holds the choices that count as made at all places but the last, -1 where they
        are free. Where parts have fewer classes than others, those that they lack have no chance at all.
        """
        scores: list[Tensor] = []
        choices: list[Tensor] = []
        before: list[Tensor] = []
        for unit in self.units:
            assert isinstance(unit, Unit)
            hidden = unit.hidden(inputs)
            for place in unit.places:
                scores.append(unit.logits(place, hidden, before).log_softmax(dim=1))
                choices.append(scores[-1].argmax(dim=1))
                if place < given.shape[1]:
                    before.append(torch.where(given[:, place] < 0, choices[-1], given[:, place]))
        most = max(part.shape[1] for part in scores)
        alike = [_fill_up(part, most) for part in scores]
        told = torch.stack(alike, dim=1), torch.stack(choices, dim=1)
        valuing = [cast(Valuing, unit) for unit in self.units if values_boards(unit)]
        # A logit as an expected result: half of it is the hyperbolic arc of the same share of points.
        return (*told, *(torch.tanh(unit.value(unit.hidden(inputs))[:, 0] / 2) for unit in valuing))


def values_boards(unit: nn.Module) -> bool:
    """Tell whether a unit says what positions are worth."""
    return getattr(unit, "value", None) is not None


def _fill_up(scores: Tensor, classes: int) -> Tensor:
    """Return scores with as many classes as others have; nothing is done where they have."""
    missing = classes - scores.shape[1]
    return nn.functional.pad(scores, (0, missing), value=-torch.inf) if missing else scores


@dataclass(frozen=True, kw_only=True)
class StudentOptions:
    """The `[student]` section: how a student decides a move."""

    design: str = "cascade"
    """`cascade`: a network for each part; `whole`: one trunk with a head for each."""
    order: str = ""
    """In which order the parts are decided, by their initials: `FTR` of Morris; if not said, that of the game."""
    encoder: str = ""
    """How positions are seen; if not said, the first way that the game has."""
    start: str = ""
    """An earlier student of the same shape to go on from, instead of random weights: one that ships, a run folder, or a
    file, the one that plays (ONNX) or the one that learns on (safetensors)."""
    head_blocks: int = 1
    """Blocks in each head of a whole-move network."""
    value: bool = False
    """Whether a whole-move network also says what positions are worth, which it learns from weighed moves."""
    presence: tuple[str, ...] = ()
    """Parts of a cascade that a move may lack, for which one network decides whether there is one, another which: with
    from and remove of Morris a cascade of five networks (the thesis's section 7.1)."""
    only: str = ""
    """The one part of a cascade that is learned and asked, given the teacher's earlier parts; if not said, all are."""


def _one_hot(part: Tensor, classes: int) -> Tensor:
    return nn.functional.one_hot(part, classes).float()


@dataclass(frozen=True, kw_only=True)
class ValueOptions:
    """The `[network]` section of a values experiment."""

    hidden: tuple[int, ...] = (256, 128)
    """Units of each hidden layer."""
    dropout: float = 0.0
    units: str = "relu"
    """What hidden units make of their sums: `relu`, `sigmoid` or `tanh`."""


def check_values(options: ValueOptions) -> None:
    """Raise unless every option has a value it can take."""
    check_range("network.dropout", options.dropout, 0, 0.95)
    for units in options.hidden:
        check_range("network.hidden", units, 1, 100_000)
    if options.units not in UNITS:
        raise UnknownName("network.units", options.units, UNITS)


class ValueNetwork(nn.Module):
    """From inputs [boards, inputs] to logits [boards]: how sure it is that a board is won."""

    def __init__(self, inputs: int, options: ValueOptions) -> None:
        super().__init__()
        check_values(options)
        self.units, self.slope = UNITS[options.units], SLOPES[options.units]
        sizes = [inputs, *options.hidden, 1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.dropout = Dropout(options.dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logits."""
        units = inputs
        for layer in self.layers[:-1]:
            units = self.dropout(self.units(layer(units)))
        logits: Tensor = self.layers[-1](units)[:, 0]
        return logits

    def plain_layers(self) -> Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return the weights [inputs, outputs] and biases of each layer."""
        return [
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())  # type: ignore[operator]
            for layer in self.layers
        ]
