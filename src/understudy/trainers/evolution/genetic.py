"""The genetic algorithm of Miller (2010): generations of children, and tournaments of four that one survives.

As in the thesis (L-15 to L-24): each parent has two mutants and one crossover child; each group of four holds one old
chromosome, two mutants and one crossover child, drawn at random; the winner of its knock-out is in the next
generation. All chance of a generation comes from the seed and its number, so a run that was stopped goes on from the
last generation as if it had not stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.trainers.evolution.arena import RULES, Alleles, Final, Finished, Stage
from understudy.trainers.evolution.evolver import CROSSOVERS, TrainerOptions, replaced


class Genetic:
    """A population that breeds and fights generation by generation."""

    def __init__(self, stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> None:
        self.stage, self.options = stage, options
        self.generation, self.games = 0, 0
        length = stage.plan().length
        self.population: Alleles = self._rng(0).uniform(-1, 1, (options.population, length))
        if ancestor is not None:
            self.population[0] = ancestor
        self._begin()

    def _begin(self) -> None:
        """Have nothing asked and nothing told in this generation."""
        self._tasks: list[Final] | None = None
        self._asked = 0
        self._told: list[Finished] = []

    def _rng(self, generation: int) -> np.random.Generator:
        return np.random.default_rng([self.options.seed, 0x6E7, generation])

    def ask(self) -> Final | None:
        """Return the next tournament of this generation; None while those asked for must be told first."""
        if self._tasks is None:
            self._tasks = self._bred()
        if self._asked == len(self._tasks):
            return None
        self._asked += 1
        return self._tasks[self._asked - 1]

    def tell(self, result: Finished) -> Mapping[str, Any] | None:
        """Take the result of the oldest tournament not told; return what to note where it ends the generation."""
        self._told.append(result)
        tasks = self._tasks or []
        if len(self._told) < len(tasks):
            return None
        noted = self._noted()
        self.population = np.stack([task.alleles[told.winner] for task, told in zip(tasks, self._told, strict=True)])
        self.generation += 1
        self._begin()
        return noted

    def _bred(self) -> list[Final]:
        """Return the tournaments of this generation."""
        options, rng = self.options, self._rng(self.generation + 1)
        old, count = self.population, len(self.population)
        mutants = [replaced(parent, options.rate, rng) for parent in old for _ in range(options.mutants)]
        cross, units = CROSSOVERS[options.crossover], self.stage.plan().units()
        partners = [(place + int(rng.integers(1, count))) % count for place in range(count)]
        crossed = [cross(old[place], old[partner], units, rng) for place, partner in enumerate(partners)]
        orders = [rng.permutation(len(born)) for born in (old, mutants, crossed)]
        tasks = []
        for group in range(count):
            own = orders[1][options.mutants * group : options.mutants * (group + 1)]
            members = [old[orders[0][group]], *(mutants[place] for place in own), crossed[orders[2][group]]]
            tasks.append(Final(
                stage=self.stage, alleles=np.stack(members), format=options.format,
                coin=options.last_resort == "random", seed=(options.seed, self.generation, group),
            ))  # fmt: skip
        return tasks

    def _noted(self) -> dict[str, Any]:
        """Return what the generation was like."""
        matches = np.array([match for told in self._told for match in told.matches])
        results, plies = matches[:, [4, 6]], matches[:, [5, 7]]
        rules = Counter(matches[:, 3].tolist())
        births = ["old", *["mutant"] * self.options.mutants, "crossover"]
        born = Counter(births[told.winner] for told in self._told)
        self.games += results.size
        return {
            "games": self.games,
            "matches": len(matches),
            "decided_by": {name: rules.get(rule + 1, 0) for rule, name in enumerate(RULES)},
            "plies": float(plies.mean()),
            "ties": float((results == 0).mean()),
            "births": {name: born[name] / len(self._told) for name in dict.fromkeys(births)},
        }

    def champion(self) -> Alleles:
        """Return the first survivor: the thesis's algorithm does not say which of them is best."""
        first: Alleles = self.population[0]
        return first

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a later process needs to go on from the last generation."""
        return {"population": self.population, "counts": np.array([self.generation, self.games])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where `arrays` were taken."""
        self.population = arrays["population"]
        self.generation, self.games = (int(count) for count in arrays["counts"])
        self._begin()
