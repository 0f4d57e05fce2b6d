"""The evolving trainers: one table."""

from __future__ import annotations

from typing import Any

from understudy.trainers.arena import Alleles, Stage
from understudy.trainers.evolution import Evolver, TrainerOptions
from understudy.trainers.genetic import Genetic
from understudy.trainers.steady import Steady
from understudy.trainers.strategies import Strategy

EVOLVERS: dict[str, Any] = {"thesis": Genetic, "steady": Steady, "strategy": Strategy}


def make_evolver(stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> Evolver:
    """Return the trainer that *options* choose, at its first generation; an *ancestor* is where it starts from."""
    evolver: Evolver = EVOLVERS[options.kind](stage, options, ancestor)
    return evolver
