"""Networks that look at a board of rows as it is: what a cell makes of another depends on where that lies from it.

A block first spreads each channel over the board: from every cell to every other, by a weight for each step that leads
from one to the other (two up, one left), the same wherever the step begins. Then the channels of each cell are mixed
by two small layers. Rules of movement hold wherever a piece stands, so what is seen in one corner is known in all.
Elsewhere this is called a separable convolution; its window is as large as two boards, because lines are as long as the
board and what matters in Lines of Action are all the stones of a line.

Inside, numbers lie as [channels, positions, cells]: both steps are then products of matrices without copies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.errors import BadOption
from understudy.games.layout import Classes, Layout

SPREAD = 0.1
"""The deviation of a weight by which a channel is spread at first: some ten stones add up without growing."""
PLACED = 0.1
"""And of what a channel is at each cell before anything stands there."""


@dataclass(frozen=True, kw_only=True)
class ConvolutionOptions:
    """Channels of each cell, and blocks that spread and mix them."""

    channels: int = 32
    hidden: int = 48
    """Units of each cell between the two layers of a block."""
    blocks: int = 3


class Convolution(nn.Module):
    """From what a network sees, through blocks, to what it says."""

    def __init__(self, options: ConvolutionOptions, inputs: Layout, outputs: Layout) -> None:
        super().__init__()
        blocks = (Spreading(options, inputs.classes) for _ in range(options.blocks))
        self.steps = nn.Sequential(Entry(options, inputs), *blocks, Exit(options, outputs))

    def forward(self, inputs: Tensor) -> Tensor:
        logits: Tensor = self.steps(inputs)
        return logits


class Entry(nn.Module):
    """From columns [positions, columns] to channels at cells; columns about no cell reach all of them."""

    def __init__(self, options: ConvolutionOptions, inputs: Layout, *, placed: bool = True) -> None:
        super().__init__()
        cells = count_cells(inputs.classes)
        planes, others = _find_planes(inputs, cells), np.flatnonzero(inputs.about == 0)
        self.cells, self.columns, self.others = cells, torch.tensor(planes.ravel()), torch.tensor(others)
        self.weight = nn.Parameter(torch.randn(options.channels, len(planes)))
        self.facts = nn.Parameter(torch.zeros(options.channels, len(others)))
        self.places = nn.Parameter(torch.randn(options.channels, 1, cells) * PLACED) if placed else None

    def forward(self, inputs: Tensor) -> Tensor:
        rows = inputs.shape[0]  # not its length, a plain number, which ONNX would take for the only one there is
        count, planes = self.weight.shape
        shown = inputs[:, self.columns].view(rows, planes, self.cells).transpose(0, 1)
        channels = (self.weight @ shown.reshape(planes, rows * self.cells)).view(count, rows, self.cells)
        if len(self.others):
            channels = channels + (self.facts @ inputs[:, self.others].T)[:, :, None]
        return channels if self.places is None else channels + self.places


class Spreading(nn.Module):
    """A block: what it adds to its input."""

    def __init__(self, options: ConvolutionOptions, classes: Classes) -> None:
        super().__init__()
        steps, channels, hidden = number_steps(classes), options.channels, options.hidden
        self.steps = torch.tensor(steps)
        self.spread = nn.Parameter(torch.randn(channels, int(steps.max()) + 1) * SPREAD)
        self.inner = nn.Parameter(torch.randn(hidden, channels) * math.sqrt(2 / channels))
        self.bias = nn.Parameter(torch.zeros(hidden, 1, len(steps)))
        self.outer = nn.Parameter(torch.zeros(channels, hidden))  # a block begins by adding nothing

    def forward(self, channels: Tensor) -> Tensor:
        count, rows, cells = channels.shape
        seen = torch.bmm(channels, self.spread[:, self.steps])
        units = torch.relu((self.inner @ seen.view(count, rows * cells)).view(-1, rows, cells) + self.bias)
        added: Tensor = channels + (self.outer @ units.view(-1, rows * cells)).view(count, rows, cells)
        return added


class Exit(nn.Module):
    """From channels at cells to scores: of each cell by its own channels, of what is no cell by the largest of all."""

    def __init__(self, options: ConvolutionOptions, outputs: Layout) -> None:
        super().__init__()
        cells = count_cells(outputs.classes)
        others = int((outputs.about == 0).sum())
        self.at_cells = outputs.width > others
        assert np.array_equal(outputs.about[others:], np.arange(1, outputs.width - others + 1)), "none, then the cells"
        self.weight = nn.Parameter(torch.zeros(1, options.channels)) if self.at_cells else None
        self.facts = nn.Parameter(torch.zeros(others, options.channels)) if others else None
        self.bias = nn.Parameter(torch.zeros(others + (cells if self.at_cells else 0)))

    def forward(self, channels: Tensor) -> Tensor:
        count, rows, cells = channels.shape
        scores = [] if self.facts is None else [(self.facts @ channels.amax(dim=2)).T]
        if self.weight is not None:
            scores.append((self.weight @ channels.reshape(count, rows * cells)).view(rows, cells))
        return torch.cat(scores, dim=1) + self.bias


def count_cells(classes: Classes) -> int:
    """Return how many cells a board of rows has."""
    if not classes.columns:
        raise BadOption("network.kind: a 'convolution' needs inputs that are about the cells of a board of rows")
    return classes.count - 1


def number_steps(classes: Classes) -> NDArray[np.int64]:
    """Return the number of the step that leads from each cell to each [cells, cells]."""
    row, column = np.divmod(np.arange(count_cells(classes)), classes.columns)
    up, right = row[None] - row[:, None], column[None] - column[:, None]
    return np.asarray((up - up.min()) * (right.max() - right.min() + 1) + right - right.min())


def _find_planes(inputs: Layout, cells: int) -> NDArray[np.int64]:
    """Return the column of each cell in each channel that is about cells [channels, cells]."""
    about_cells = np.flatnonzero(inputs.about > 0)
    channels, places = np.unique(inputs.channels[about_cells], return_inverse=True)
    planes = np.full((len(channels), cells), -1)
    planes[places, inputs.about[about_cells] - 1] = about_cells
    assert (planes >= 0).all(), "a channel is about all cells or none"
    return planes
