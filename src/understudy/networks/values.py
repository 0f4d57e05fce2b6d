"""Networks that value a board, in PyTorch: plain layers of rectified units, one output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.config import check_range


@dataclass(frozen=True, kw_only=True)
class ValueOptions:
    """The `[network]` section of a values experiment."""

    hidden: tuple[int, ...] = (256, 128)
    """Units of each hidden layer."""
    dropout: float = 0.0


class ValueNetwork(nn.Module):
    """From inputs [boards, inputs] to logits [boards]: how sure it is that a board is won."""

    def __init__(self, inputs: int, options: ValueOptions) -> None:
        super().__init__()
        check_range("network.dropout", options.dropout, 0, 0.95)
        for units in options.hidden:
            check_range("network.hidden", units, 1, 100_000)
        sizes = [inputs, *options.hidden, 1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.dropout = nn.Dropout(options.dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the logits."""
        units = inputs
        for layer in self.layers[:-1]:
            units = self.dropout(torch.relu(layer(units)))
        logits: Tensor = self.layers[-1](units)[:, 0]
        return logits

    def plain_layers(self) -> Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Return the weights [inputs, outputs] and biases of each layer."""
        return [
            (layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy())  # type: ignore[operator]
            for layer in self.layers
        ]
