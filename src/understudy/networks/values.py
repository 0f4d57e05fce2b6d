"""Networks that value a board, in PyTorch: plain layers, one output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from understudy.config import check_range
from understudy.errors import UnknownName

UNITS = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}
"""What hidden units make of their sums."""
SLOPES: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": lambda said: (said > 0).to(said.dtype),
    "sigmoid": lambda said: said * (1 - said),
    "tanh": lambda said: 1 - said * said,
}
"""The derivatives of hidden units, by what they say."""
ONNX = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh"}
"""The operators that do the same."""


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
        self.dropout = nn.Dropout(options.dropout)

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
