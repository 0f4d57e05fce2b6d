"""Feed-forward, residual and dense networks after Galassi (2017), chapter 5, and the layers that they are made of.

The authors' released networks are one residual block deep whatever was asked: their loop never advanced the input of
a block. `blocks=1` is the faithful reproduction, more blocks are what they meant.

With `symmetric` two weights of a layer are one number wherever a symmetry of the board carries one onto the other. The
layer then commutes with every symmetry, exactly: what is learned in one corner is known in all, one image of a position
teaches all others. Hidden units stand at cells too: of 25 classes a width of 400 is 16 channels each. After learning
such a layer is written out as a plain matrix, so that playing costs nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from understudy.config import check_range
from understudy.errors import BadOption
from understudy.games.layout import Classes, Layout, facts, joined, uniform
from understudy.networks.dropout import Dropout
from understudy.networks.modes import WORTH_IT, Modes, find_modes

Affine: TypeAlias = nn.Module
"""A layer that multiplies by a matrix and adds a bias: plain or tied."""

MakeAffine: TypeAlias = Callable[[Layout, Layout], Affine]


def plain(inputs: Layout, outputs: Layout) -> nn.Linear:
    """Return a layer in which every weight is its own, initialised after He."""
    layer = nn.Linear(inputs.width, outputs.width)
    nn.init.normal_(layer.weight, std=math.sqrt(2 / inputs.width))
    nn.init.zeros_(layer.bias)
    return layer


class Tied(nn.Module):
    """A layer that commutes with the symmetries of the board."""

    def __init__(self, inputs: Layout, outputs: Layout) -> None:
        super().__init__()
        relation = inputs.classes.relation
        places = relation.diagonal()
        kinds = sorted(set(places.tolist()))
        self.weight = nn.Parameter(torch.empty(int(relation.max()) + 1, outputs.depth, inputs.depth))
        self.bias = nn.Parameter(torch.zeros(len(kinds), outputs.depth))
        nn.init.normal_(self.weight, std=math.sqrt(2 / inputs.width))
        self.relation = torch.tensor(relation)
        self.kinds = torch.tensor([kinds.index(place) for place in places.tolist()])
        self.rows, self.columns = _selection(outputs), _selection(inputs)
        self.modes = self._find_modes(inputs.classes)

    def _find_modes(self, classes: Classes) -> Modes | None:
        """Return the faster way through this layer, where it has all places on both sides and there is one."""
        whole = self.rows is None and self.columns is None
        modes = find_modes(classes) if whole else None
        return modes if modes is not None and modes.cost(*self.weight.shape[1:]) < WORTH_IT else None

    def forward(self, inputs: Tensor) -> Tensor:
        if self.modes is None:
            return nn.functional.linear(inputs, *self.written_out())
        product = self.modes.multiply(inputs, self.weight)
        return product + self.bias[self.kinds].flatten().to(product.dtype)

    def written_out(self) -> tuple[Tensor, Tensor]:
        """Return the whole matrix and bias that this layer stands for."""
        return self.write_out(self.weight, self.bias)

    def write_out(self, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return the matrix and bias that numbers shaped as this layer's own stand for."""
        _, outputs, inputs = weight.shape
        classes = len(self.relation)
        matrix = weight[self.relation].permute(0, 2, 1, 3).reshape(classes * outputs, classes * inputs)
        bias = bias[self.kinds].flatten()
        if self.columns is not None:
            matrix = matrix[:, self.columns]
        if self.rows is not None:
            matrix, bias = matrix[self.rows], bias[self.rows]
        return matrix, bias


def written_out(module: nn.Module) -> nn.Module:
    """Replace every tied layer inside *module* by the plain one it stands for; return the module."""
    for name, child in module.named_children():
        if isinstance(child, Tied):
            matrix, bias = child.written_out()
            layer = nn.Linear(matrix.shape[1], matrix.shape[0])
            layer.weight, layer.bias = nn.Parameter(matrix.detach().clone()), nn.Parameter(bias.detach().clone())
            setattr(module, name, layer)
        else:
            written_out(child)
    return module


def hidden_layout(classes: Classes, width: int, *, symmetric: bool, place: str) -> Layout:
    """Return the layout of *width* hidden units; *place* names the option for errors."""
    if not symmetric:
        return facts(classes, width)
    if width % classes.count:
        raise BadOption(f"{place} must be a multiple of {classes.count} in a symmetric network, not {width}")
    return uniform(classes, width // classes.count)


def _selection(layout: Layout) -> Tensor | None:
    """Return which columns of the uniform layout a layout uses; None if it is the uniform one."""
    places = layout.about * layout.depth + layout.channels
    return None if np.array_equal(places, np.arange(layout.classes.count * layout.depth)) else torch.tensor(places)


@dataclass(frozen=True, kw_only=True)
class FeedForwardOptions:
    """Layers one after another (thesis: 200, 200, 100, 50)."""

    layers: tuple[int, ...] = (200, 200, 100, 50)
    batch_norm: bool = False
    input_dropout: float = 0.0
    dropout: float = 0.0
    symmetric: bool = False


@dataclass(frozen=True, kw_only=True)
class ResidualOptions:
    """A first layer and blocks that add to it (papers: 200, ten blocks of 300)."""

    width: int = 200
    hidden: int = 300
    blocks: int = 10
    batch_norm: bool = False
    input_dropout: float = 0.0
    dropout: float = 0.0
    symmetric: bool = False
    zero_start: bool = True
    """Let each block start by adding nothing; without it a deep stack without normalisation starts by exploding."""
    drop_blocks: float = 0.0
    """While learning, how often the last block is left out, those before it in proportion to their depth (stochastic
    depth, Huang et al. 2016); blocks of heads are always there."""


@dataclass(frozen=True, kw_only=True)
class DenseOptions:
    """A first layer, then layers that see all before them (thesis: 200, three of 100)."""

    width: int = 200
    growth: int = 100
    layers: int = 3
    head_sees: str = "all"
    """What the output sees: all layers, or the last alone as in the authors' code."""
    batch_norm: bool = False
    input_dropout: float = 0.0
    dropout: float = 0.0
    symmetric: bool = False


class FeedForward(nn.Module):
    """Affine, normalise, rectify, drop; again and again."""

    def __init__(self, options: FeedForwardOptions, inputs: Layout, outputs: Layout) -> None:
        super().__init__()
        affine = _affine(options.symmetric, options.batch_norm)
        steps: list[nn.Module] = [Dropout(options.input_dropout)]
        for width in options.layers:
            check_range("network.layers", width, 1, 100_000)
            layout = hidden_layout(inputs.classes, width, symmetric=options.symmetric, place="network.layers")
            steps += [
                affine(inputs, layout),
                *_normal(options.batch_norm, width),
                nn.ReLU(),
                Dropout(options.dropout),
            ]
            inputs = layout
        self.steps = nn.Sequential(*steps, affine(inputs, outputs))

    def forward(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.steps(inputs)
        return logits


class Block(nn.Module):
    """What a residual block adds to its input (pre-activation); while learning nothing for a share *drop* of rows."""

    def __init__(self, options: ResidualOptions, outer: Layout, inner: Layout, drop: float = 0.0) -> None:
        super().__init__()
        self.drop = drop
        affine = _affine(options.symmetric, options.batch_norm)
        last = affine(inner, outer)
        if options.zero_start:
            nn.init.zeros_(last.get_parameter("weight"))
        self.steps = nn.Sequential(
            *_normal(options.batch_norm, outer.width), nn.ReLU(), Dropout(options.dropout), affine(outer, inner),
            *_normal(options.batch_norm, inner.width), nn.ReLU(), Dropout(options.dropout), last,
        )  # fmt: skip

    def forward(self, inputs: Tensor) -> Tensor:
        added: Tensor = self.steps(inputs)
        if self.training and self.drop:  # nothing is drawn where no block is left out: older trainings stay the same
            added = added * _draw_kept(inputs, 1 - self.drop)
        return inputs + added


class Residual(nn.Module):
    """A first layer, blocks, and an output without a non-linearity before it."""

    def __init__(self, options: ResidualOptions, inputs: Layout, outputs: Layout) -> None:
        super().__init__()
        self.stem = Stem(options, inputs)
        self.output = _affine(options.symmetric, options.batch_norm)(self.stem.layout, outputs)

    def forward(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.output(self.stem(inputs))
        return logits


class Stem(nn.Module):
    """The part of a residual network before its output."""

    def __init__(self, options: ResidualOptions, inputs: Layout) -> None:
        super().__init__()
        self.layout, self.inner = (
            hidden_layout(inputs.classes, getattr(options, name), symmetric=options.symmetric, place=f"network.{name}")
            for name in ("width", "hidden")
        )
        first = _affine(options.symmetric, options.batch_norm)(inputs, self.layout)
        blocks = (Block(options, self.layout, self.inner, drop) for drop in _share_out(options))
        self.steps = nn.Sequential(Dropout(options.input_dropout), first, *blocks)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden: Tensor = self.steps(inputs)
        return hidden


def _share_out(options: ResidualOptions) -> list[float]:
    """Return how often each block is left out: the deeper, the more often, up to the last."""
    return [options.drop_blocks * place / options.blocks for place in range(1, options.blocks + 1)]


def _draw_kept(inputs: Tensor, kept: float) -> Tensor:
    """Return a factor for each row: 0, or with probability *kept* its inverse, so that what is expected is the same.

    Rows are drawn one by one, not whole batches as in the paper: of our large batches few make an epoch.
    """
    return torch.empty(inputs.shape[0], 1, dtype=inputs.dtype, device=inputs.device).bernoulli_(kept) / kept


class Dense(nn.Module):
    """Each layer sees the outputs of all before it."""

    def __init__(self, options: DenseOptions, inputs: Layout, outputs: Layout) -> None:
        super().__init__()
        if options.head_sees not in ("all", "last"):
            raise BadOption(f"network.head_sees must be all or last, not {options.head_sees!r}")
        affine = _affine(options.symmetric, options.batch_norm)
        seen = [hidden_layout(inputs.classes, options.width, symmetric=options.symmetric, place="network.width")]
        growth = hidden_layout(inputs.classes, options.growth, symmetric=options.symmetric, place="network.growth")
        self.head_sees_all = options.head_sees == "all"
        self.first = nn.Sequential(Dropout(options.input_dropout), affine(inputs, seen[0]))
        self.layers = nn.ModuleList()
        for _ in range(options.layers):
            before = joined(seen)
            steps = *_normal(options.batch_norm, before.width), nn.ReLU(), Dropout(options.dropout)
            self.layers.append(nn.Sequential(*steps, affine(before, growth)))
            seen.append(growth)
        self.output = affine(joined(seen) if self.head_sees_all else seen[-1], outputs)

    def forward(self, inputs: Tensor) -> Tensor:
        seen = [self.first(inputs)]
        for layer in self.layers:
            seen.append(layer(torch.cat(seen, dim=1)))
        logits: Tensor = self.output(torch.cat(seen, dim=1) if self.head_sees_all else seen[-1])
        return logits


def _affine(symmetric: bool, batch_norm: bool) -> MakeAffine:
    if symmetric and batch_norm:
        raise BadOption("network.batch_norm does not go with network.symmetric: it would treat images differently")
    return Tied if symmetric else plain


def _normal(wanted: bool, width: int) -> list[nn.Module]:
    return [nn.BatchNorm1d(width)] if wanted else []
