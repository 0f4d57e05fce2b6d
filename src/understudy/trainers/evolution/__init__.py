"""The evolving trainers: one table."""

from __future__ import annotations

from collections.abc import Callable

from understudy.trainers.evolution.arena import Stage
from understudy.trainers.evolution.breeding import Alleles
from understudy.trainers.evolution.evolver import Evolver, TrainerOptions
from understudy.trainers.evolution.generational import Genetic, Strategy
from understudy.trainers.evolution.steady import Steady

EVOLVERS: dict[str, Callable[[Stage, TrainerOptions, Alleles | None], Evolver]] = {
    "thesis": Genetic,
    "steady": Steady,
    "strategy": Strategy,
}


def make_evolver(stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> Evolver:
    """Return the trainer that *options* choose, at its first generation; an *ancestor* is where it starts from."""
    return EVOLVERS[options.kind](stage, options, ancestor)
