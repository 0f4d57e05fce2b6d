"""The evolving trainers: one table."""

from __future__ import annotations

from typing import Any

from understudy.trainers.evolution.arena import Alleles, Stage
from understudy.trainers.evolution.evolver import Evolver, TrainerOptions
from understudy.trainers.evolution.generational import Genetic, Strategy
from understudy.trainers.evolution.steady import Steady

EVOLVERS: dict[str, Any] = {"thesis": Genetic, "steady": Steady, "strategy": Strategy}


def make_evolver(stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> Evolver:
    """Return the trainer that *options* choose, at its first generation; an *ancestor* is where it starts from."""
    evolver: Evolver = EVOLVERS[options.kind](stage, options, ancestor)
    return evolver
