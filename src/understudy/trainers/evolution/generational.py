"""Trainers that go generation by generation: the genetic algorithm of Miller (2010), and an evolution strategy.

As in the thesis (L-15 to L-24): each parent has two mutants and one crossover child; each group of four holds one old
chromosome, two mutants and one crossover child, drawn at random; the winner of its knock-out is in the next
generation. All chance of a generation comes from the seed and its number, so a run that was stopped goes on from the
last generation as if it had not stopped.

The strategy is separable CMA-ES from the library `cmaes`, with a hall of fame to play against. Every generation draws
children around a mean; all of them meet the same opponents from the same openings, so that luck cancels out of their
ranks, and the mean moves to where the better ones are. The mean is the champion: an average of many children is better
than the luckiest of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from cmaes import SepCMA
from numpy.typing import NDArray

from understudy.backends.shared import Shared
from understudy.trainers.evolution.arena import RULES, Final, Finished, Meeting, Stage, Trial, compare_formats
from understudy.trainers.evolution.breeding import Alleles, Brood, Parents, cross_places, mutation_chance, usual_weights
from understudy.trainers.evolution.evolver import Hall, TrainerOptions, points

FAME = 5
"""The mean enters the hall after every so many generations."""


class Genetic:
    """A population that breeds and fights generation by generation."""

    def __init__(self, stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> None:
        self.stage, self.options = stage, options
        self.generation, self.games = 0, 0
        length = stage.plan().length
        self.population: Alleles = np.random.default_rng(self._seed(0)).uniform(-1, 1, (options.population, length))
        if ancestor is not None:
            self.population[0] = ancestor
        self._begin()

    def _begin(self) -> None:
        """Have nothing asked and nothing told in this generation."""
        self._tasks: list[Final] | None = None
        self._asked = 0
        self._results: list[Finished] = []

    def _seed(self, generation: int) -> tuple[int, ...]:
        return self.options.seed, 0x6E7, generation

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
        self._results.append(result)
        tasks = self._tasks or []
        if len(self._results) < len(tasks):
            return None
        noted = self._noted()
        winners = np.empty_like(self.population)  # filled one by one: a large population is not held twice
        for place, (task, played) in enumerate(zip(tasks, self._results, strict=True)):
            winners[place] = task.alleles[played.winner]
        self.population = winners
        self.generation += 1
        self._begin()
        return noted

    def _bred(self) -> list[Final]:
        """Return the tournaments of this generation."""
        options, old, units = self.options, self.population, self.stage.plan().units()
        count, mutants = len(old), len(old) * options.mutants
        parents = Parents(old, self._seed(self.generation + 1), options.mutants, self._rate())
        rng = mutation_chance(parents.seed, mutants, old.shape[1])  # what comes after all mutations
        partners = [(place + int(rng.integers(1, count))) % count for place in range(count)]
        crossed = [cross_places(options.crossover, units, rng) for _ in range(count)]
        olds, order, children = (rng.permutation(born).tolist() for born in (count, mutants, count))
        shared, tasks = Shared(parents), []
        for group, (member, child) in enumerate(zip(olds, children, strict=True)):
            own = order[options.mutants * group : options.mutants * (group + 1)]
            couple = child, partners[child]
            brood = Brood(parents=shared, old=member, mutants=tuple(own), couple=couple, places=crossed[child])
            tasks.append(Final(
                stage=self.stage, alleles=brood, format=options.format,
                coin=options.last_resort == "random", seed=(options.seed, self.generation, group),
            ))  # fmt: skip
        return tasks

    def _rate(self) -> float:
        """Return the share of alleles that a mutation replaces in this generation."""
        options = self.options
        early = options.late_rate is None or self.generation < options.late_from
        return options.rate if early else options.late_rate  # type: ignore[return-value]

    def _noted(self) -> dict[str, Any]:
        """Return what the generation was like."""
        matches = np.array([match for result in self._results for match in result.matches])
        results, plies = matches[:, [4, 6]], matches[:, [5, 7]]
        rules = Counter(matches[:, 3].tolist())
        births = ["old", *["mutant"] * self.options.mutants, "crossover"]
        born = Counter(births[result.winner] for result in self._results)
        self.games += results.size
        return {
            "games": self.games,
            "matches": len(matches),
            "decided_by": {name: rules.get(rule + 1, 0) for rule, name in enumerate(RULES)},
            "plies": float(plies.mean()),
            "ties": float((results == 0).mean()),
            "births": {name: born[name] / len(self._results) for name in dict.fromkeys(births)},
            **({"robin": compare_formats(self._results)} if self.options.format == "round_robin" else {}),
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


class Strategy:
    """A cloud of chromosomes that moves."""

    def __init__(self, stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> None:
        self.stage, self.options = stage, options
        plan = stage.plan()
        self.scale = usual_weights(plan.fan_in())
        self._first = np.random.default_rng([options.seed, 0x57A]).normal(size=plan.length)
        if ancestor is not None:
            self._first = ancestor / self.scale
        self._reset()

    def _reset(self) -> None:
        self.generation, self.games = 0, 0
        self._search = SepCMA(
            mean=self._first.copy(),
            sigma=self.options.width,
            population_size=self.options.population,
            seed=self.options.seed,
        )
        self.hall = Hall((self._first * self.scale)[None])
        self._history: list[list[float]] = []
        self._begin()

    def _begin(self) -> None:
        """Draw the children of this generation and their opponents."""
        options, rng = self.options, np.random.default_rng([self.options.seed, 0x5A9, self.generation])
        self._children = [self._search.ask() for _ in range(options.population)]
        self.population: Alleles = np.stack(self._children) * self.scale
        famous = [*self.hall.drawn(max(options.famous - 1, 0), rng), self.champion()][: options.famous]
        self._famous = Shared(np.stack(famous)) if famous else None
        self._asked, self._scores, self._ties, self._plies = 0, [], [], []  # type: ignore[var-annotated]

    def ask(self) -> Trial | None:
        """Return the trial of the next child; None while those asked for must be told first."""
        if self._asked == len(self.population):
            return None
        self._asked += 1
        key = (self.options.seed, self.generation)
        return Trial(
            stage=self.stage, alleles=self.population[self._asked - 1], opponents=self.options.opponents,
            famous=self._famous,
            opening_plies=self.options.opening_plies, opening_seed=(*key, 1), seed=(*key, 2, self._asked),
        )  # fmt: skip

    def tell(self, result: tuple[Meeting, ...]) -> Mapping[str, Any] | None:
        """Take the matches of the oldest child not told; return notes where this ends the generation."""
        self._scores.append(float(np.mean([points(meeting) for meeting in result])))
        self._ties += [game == 0 for meeting in result for game in (meeting.opened, meeting.answered)]
        self._plies += [plies for meeting in result for plies in (meeting.opened_plies, meeting.answered_plies)]
        if len(self._scores) < len(self.population):
            return None
        noted = self._noted()
        self._advance(self._scores)
        return noted

    def _advance(self, scores: list[float]) -> None:
        self._history.append(scores)
        self._search.tell([(child, -score) for child, score in zip(self._children, scores, strict=True)])
        self.generation += 1
        if self.generation % FAME == 0:
            self.hall.add(self.champion())
        self._begin()

    def _noted(self) -> dict[str, Any]:
        self.games += len(self._plies)
        return {
            "games": self.games,
            "matches": len(self._plies) // 2,
            "plies": float(np.mean(self._plies)),
            "ties": float(np.mean(self._ties)),
            "fitness": {"best": max(self._scores), "mean": float(np.mean(self._scores))},
            "sigma": float(self._search._sigma),
        }

    def champion(self) -> Alleles:
        """Return the mean."""
        champion: Alleles = self._search.mean * self.scale
        return champion

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scores of all children so far: the rest follows from them and the seed."""
        scores = np.array(self._history).reshape(-1, self.options.population)
        return {"scores": scores, "counts": np.array([self.games])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go through all generations again without playing them."""
        self._reset()
        for scores in arrays["scores"]:
            self._advance(scores.tolist())
        self.games = int(arrays["counts"][0])
