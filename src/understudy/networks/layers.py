"""Layers that networks are made of: plain ones, and ones whose weights are tied by the symmetries of the board.

Two weights of a tied layer are one number wherever a symmetry carries one onto the other. The layer then commutes with
every symmetry, exactly: what is learned in one corner is known in all, one image of a position teaches all others,
and a student answers alike in all of them. Hidden units stand at cells too: of 25 classes a width of 400 is 16 channels
for each. After training such a layer is written out as a plain matrix, so that playing costs nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

from understudy.errors import BadOption
from understudy.games.layout import Classes, Layout, facts, uniform

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

    def forward(self, inputs: Tensor) -> Tensor:
        return nn.functional.linear(inputs, *self.written_out())

    def written_out(self) -> tuple[Tensor, Tensor]:
        """Return the whole matrix and bias that this layer stands for."""
        _, outputs, inputs = self.weight.shape
        classes = len(self.relation)
        matrix = self.weight[self.relation].permute(0, 2, 1, 3).reshape(classes * outputs, classes * inputs)
        bias = self.bias[self.kinds].flatten()
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
