"""Matches between players of known strength: what an interval or a test should say of them is known beforehand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SHARES = np.arange(5) / 4
"""Of the points of a pair, for its five outcomes."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(41)
"""Openings: their favour is normal, and so many of it give the mean over all to six digits."""


class Model(NamedTuple):
    """How games end: logistic in strength, as Elo's, with draws, from openings that favour the side that begins."""

    name: str
    drawing: float
    """How far apart two sides must be for either to win, in units of the logistic: 0 is never drawn."""
    favour: float = 0.0
    """Of the mean opening, for the side that begins, in the same units."""
    spread: float = 0.0
    """The standard deviation of it."""


MODELS = (
    Model("draws rare", 0.1),
    Model("draws rare, openings biased", 0.1, 0.5, 1.0),
    Model("draws frequent", 1.0),
    Model("draws frequent, openings biased", 1.0, 0.5, 1.0),
)
"""Even players draw 5 % of games where draws are rare, and 46 % where they are frequent."""

ALIKE = Model("nearly every pair 1 : 1", 0.1, 4.0, 1.0)
"""Whoever begins nearly always wins: rare pairs decide, and a short match may see none of them."""


def outcomes(model: Model, share: float) -> NDArray[np.float64]:
    """Return the probabilities of the five outcomes of a pair of a player who takes *share* of the points."""
    low, high = -20.0, 20.0
    for _ in range(60):  # halvings: all digits
        middle = (low + high) / 2
        low, high = (middle, high) if _outcomes(model, middle) @ SHARES < share else (low, middle)
    return _outcomes(model, low)


def _outcomes(model: Model, strength: float) -> NDArray[np.float64]:
    total = np.zeros(5)
    for node, weight in zip(NODES, WEIGHTS / WEIGHTS.sum(), strict=True):
        favour = model.favour + model.spread * node
        total += weight * np.convolve(*(_game(strength + ahead, model.drawing) for ahead in (favour, -favour)))
    return total


def _game(ahead: float, drawing: float) -> NDArray[np.float64]:
    """Return the probabilities of a loss, a draw and a win."""
    won, lost = (1 / (1 + np.exp(drawing - side)) for side in (ahead, -ahead))
    return np.array([lost, 1 - won - lost, won])
