"""A whole-move network that sees the board as planes: convolutions, the same weights on every cell.

What is learned of a piece on one cell is known on all, so that such a network learns how pieces move from far fewer
positions than one whose every cell has weights of its own; it takes longer for each. A head that follows a part which
names a cell is shown what the trunk made of that cell: added everywhere, and multiplied with what each cell became.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.errors import BadOption
from understudy.games.layout import Encoder, Layout
from understudy.networks.dropout import Dropout
from understudy.networks.students import StudentOptions, Unit

SIDE = 3
"""Cells along the side of a window."""


@dataclass(frozen=True, kw_only=True)
class PlanesOptions:
    """Residual blocks of two convolutions, all of so many channels."""

    channels: int = 32
    blocks: int = 3
    dropout: float = 0.0
    input_dropout: float = 0.0


def find_grid(game: str, encoder: Encoder) -> tuple[int, int]:
    """Return rows and columns of the board that an encoder's columns are about, or raise where it has none."""
    classes = encoder.layout.classes
    if not classes.columns:
        raise BadOption(
            f"network.kind: 'planes' needs a board of rows and columns and inputs about its cells, which {game} "
            f"seen as {encoder.name!r} does not have"
        )
    return (classes.count - 1) // classes.columns, classes.columns


def make_planes(options: PlanesOptions, encoder: Encoder, sizes: Sequence[int], student: StudentOptions) -> Planes:
    """Return a network for the whole move; it has heads of its own, whatever `student.head_blocks` says."""
    return Planes(options, encoder, sizes, find_grid("a game", encoder))


class PlanesBlock(nn.Module):
    """What two convolutions add to the planes (pre-activation); it starts by adding nothing."""

    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        last = _convolution(channels, channels)
        nn.init.zeros_(last.weight)
        self.steps = nn.Sequential(
            nn.ReLU(), Dropout(dropout), _convolution(channels, channels), nn.ReLU(), Dropout(dropout), last
        )

    def forward(self, planes: Tensor) -> Tensor:
        added: Tensor = planes + self.steps(planes)
        return added


class Planes(Unit):
    """One network for the whole move: a trunk of planes, and a head for each place of the order."""

    name = "whole"

    def __init__(self, options: PlanesOptions, encoder: Encoder, sizes: Sequence[int], grid: tuple[int, int]) -> None:
        super().__init__()
        channels, cells = options.channels, grid[0] * grid[1]
        self.grid, self.sizes, self.places = grid, tuple(sizes), tuple(range(len(sizes)))
        about, facts = _columns(encoder.layout)
        self.register_buffer("about", torch.from_numpy(about), persistent=False)
        self.register_buffer("facts", torch.from_numpy(facts), persistent=False)
        self.drop = Dropout(options.input_dropout)
        self.first = _convolution(len(about), channels)
        self.general = nn.Linear(max(len(facts), 1), channels)
        self.ground = nn.Parameter(torch.zeros(channels, *grid))
        self.trunk = nn.Sequential(*(PlanesBlock(channels, options.dropout) for _ in range(options.blocks)))
        of_cells = [size == cells for size in sizes]
        self.heads = nn.ModuleList(
            (CellHead if of_cells[place] else ClassHead)(options, sizes[: place + 1], of_cells[:place], grid)
            for place in self.places
        )

    def hidden(self, inputs: Tensor) -> Tensor:
        shown = self.drop(inputs)
        about, facts = self.get_buffer("about"), self.get_buffer("facts")
        board = shown[:, about.flatten()].unflatten(1, (len(about), *self.grid))
        board = board.contiguous(memory_format=torch.channels_last)
        general = self.general(shown[:, facts] if len(facts) else torch.ones_like(shown[:, :1]))
        planes: Tensor = self.trunk(self.first(board) + general[:, :, None, None] + self.ground)
        return planes

    def logits(self, place: int, hidden: Tensor, before: Sequence[Tensor]) -> Tensor:
        logits: Tensor = self.heads[place](hidden, before[:place])
        return logits


class Earlier(nn.Module):
    """What a head is told of the parts before its own: of each that names a cell, what the trunk made of that cell."""

    def __init__(self, channels: int, sizes: Sequence[int], of_cells: Sequence[bool]) -> None:
        super().__init__()
        self.sizes, self.of_cells = tuple(sizes), tuple(of_cells)
        self.parts = nn.ModuleList(nn.Linear(size, channels) for size in sizes)
        self.cells = nn.ModuleList(nn.Linear(channels, channels) for there in of_cells if there)

    def forward(self, planes: Tensor, before: Sequence[Tensor]) -> Tensor:
        """Return a number for each channel [positions, channels]."""
        board, there = planes.flatten(2), iter(self.cells)
        hint = torch.zeros_like(board[:, :, 0])
        for place, (part, layer) in enumerate(zip(before, self.parts, strict=True)):
            chosen = nn.functional.one_hot(part, self.sizes[place]).to(board.dtype)
            hint = hint + layer(chosen)
            if self.of_cells[place]:
                hint = hint + next(there)(torch.relu((board * chosen[:, None]).sum(dim=2)))
        return hint


class CellHead(nn.Module):
    """The head of a part whose classes are the cells."""

    def __init__(
        self, options: PlanesOptions, sizes: Sequence[int], of_cells: Sequence[bool], grid: tuple[int, int]
    ) -> None:
        super().__init__()
        channels, cells = options.channels, grid[0] * grid[1]
        self.earlier = Earlier(channels, sizes[:-1], of_cells) if len(sizes) > 1 else None
        self.grounds = nn.ModuleList(nn.Embedding(cells, channels * cells) for there in of_cells if there)
        for ground in self.grounds:
            nn.init.zeros_(ground.get_parameter("weight"))
        self.of_cells, self.shape = tuple(of_cells), (channels, *grid)
        self.worth = nn.Conv2d(channels, 1, 1)
        if self.earlier is not None:
            self.block = PlanesBlock(channels, options.dropout)
            self.fit, self.query = nn.Conv2d(channels, channels, 1), nn.Linear(channels, channels)

    def forward(self, planes: Tensor, before: Sequence[Tensor]) -> Tensor:
        """Return the scores of the cells."""
        if self.earlier is None:
            return self.worth(torch.relu(planes)).flatten(1)  # type: ignore[no-any-return]
        hint, seen = self.earlier(planes, before), planes
        named = (part for part, there in zip(before, self.of_cells, strict=True) if there)
        for part, ground in zip(named, self.grounds, strict=True):
            seen = seen + ground(part).unflatten(1, self.shape)
        after = torch.relu(self.block(seen + hint[:, :, None, None]))
        query = self.query(torch.relu(hint))[:, :, None, None]
        scores = self.worth(after) + (self.fit(after) * query).sum(dim=1, keepdim=True)
        return scores.flatten(1)  # type: ignore[no-any-return]


class ClassHead(nn.Module):
    """The head of a part whose classes are no cells: it sees the mean of the board, and what it is told."""

    def __init__(
        self, options: PlanesOptions, sizes: Sequence[int], of_cells: Sequence[bool], grid: tuple[int, int]
    ) -> None:
        super().__init__()
        self.earlier = Earlier(options.channels, sizes[:-1], of_cells) if len(sizes) > 1 else None
        self.output = nn.Linear(options.channels, sizes[-1])

    def forward(self, planes: Tensor, before: Sequence[Tensor]) -> Tensor:
        """Return the scores of the classes."""
        seen = torch.relu(planes).mean(dim=(2, 3))
        if self.earlier is not None:
            seen = torch.relu(seen + self.earlier(planes, before))
        scores: Tensor = self.output(seen)
        return scores


def _convolution(inputs: int, outputs: int) -> nn.Conv2d:
    """Return a convolution that keeps the board's shape, initialised after He."""
    layer = nn.Conv2d(inputs, outputs, SIDE, padding=SIDE // 2)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
    return layer


def _columns(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which column tells what of which cell [channels, cells], and the columns that are about no cell."""
    cells = layout.classes.count - 1
    on_board = np.flatnonzero(layout.about > 0)
    channels = np.unique(layout.channels[on_board])
    about = np.full((len(channels), cells), -1, np.int64)
    about[np.searchsorted(channels, layout.channels[on_board]), layout.about[on_board] - 1] = on_board
    if (about < 0).any():
        raise BadOption("network.kind: 'planes' needs inputs that tell the same of every cell")
    return about, np.flatnonzero(layout.about == 0)
