"""A network of standings with random weights: it plays as nobody would, but costs what a learned one does."""

from __future__ import annotations

from typing import Any

import numpy as np

from understudy.games.chess.evaluators import FIELDS, Standing, lay_out, standing


def random_standing(hidden: int, *, rng: np.random.Generator, stages: tuple[int, ...] = ()) -> Standing:
    """Return a network with random weights."""
    layout: Any = np.zeros(1, lay_out(hidden, len(stages) + 1))[0]
    weights = {name: rng.normal(size=layout[name].shape, scale=0.1).astype(np.float32) for name in FIELDS[:-1]}
    weights["output"] = weights["output"][..., None]
    return standing(weights | {"stages": np.array(stages, np.int32)}, factor=100.0)
