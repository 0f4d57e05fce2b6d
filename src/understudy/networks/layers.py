"""Layers that networks are made of: plain ones, and ones whose weights are tied by the symmetries of the board.

Two weights of a tied layer are one number wherever a symmetry carries one onto the other. The layer then commutes with
every symmetry, exactly: what is learned in one corner is known in all, one image of a position teaches all sixteen,
and a student answers alike in all of them. Hidden units stand at cells too: a width of 400 is 16 channels for each of
the 25 classes. After training such a layer is written out as a plain matrix, so that playing costs nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.errors import BadOption
from understudy.games.layout import Layout, uniform
from understudy.games.morris.batches import class_images
from understudy.games.morris.legality import CLASSES

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
        relation, relations = related()
        places = relation.diagonal()
        kinds = sorted(set(places.tolist()))
        self.weight = nn.Parameter(torch.empty(relations, outputs.depth, inputs.depth))
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
        matrix = self.weight[self.relation].permute(0, 2, 1, 3).reshape(CLASSES * outputs, CLASSES * inputs)
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


@cache
def related() -> tuple[NDArray[np.int64], int]:
    """Return the relation of every pair of classes [25, 25], equal where a symmetry maps the pairs, and how many."""
    relation = np.full((CLASSES, CLASSES), -1)
    count = 0
    for first in range(CLASSES):
        for second in range(CLASSES):
            if relation[first, second] < 0:
                for moved in class_images():
                    relation[moved[first], moved[second]] = count
                count += 1
    return relation, count


def hidden_layout(width: int, *, symmetric: bool, place: str) -> Layout:
    """Return the layout of *width* hidden units; *place* names the option for errors."""
    if not symmetric:
        return Layout(np.zeros(width, np.int64), np.arange(width))
    if width % CLASSES:
        raise BadOption(f"{place} must be a multiple of {CLASSES} in a symmetric network, not {width}")
    return uniform(width // CLASSES)


def _selection(layout: Layout) -> Tensor | None:
    """Return which columns of the uniform layout a layout uses; None if it is the uniform one."""
    places = layout.classes * layout.depth + layout.channels
    return None if np.array_equal(places, np.arange(CLASSES * layout.depth)) else torch.tensor(places)
