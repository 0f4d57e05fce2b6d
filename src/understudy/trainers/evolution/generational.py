"""Trainers that go generation by generation: the genetic algorithm of Miller (2010), and an evolution strategy.

As in the thesis (L-15 to L-24): each parent has two mutants and one crossover child; each group of four holds one old
chromosome, two mutants and one crossover child, drawn at random; the winner of its knock-out is in the next
generation. All chance of a generation comes from the seed and its number, so a run that was stopped goes on from the
last generation as if it had not stopped.

The strategy is separable CMA-ES from the library `cmaes`, with a hall of fame to play against. Every generation draws
children around a mean; all of them meet the same opponents from the same openings, so that luck cancels out of their
ranks, and the mean moves to where the better ones are. The mean is the champion: an average of many children is better
than the luckiest of them. Where it has a number of matches to share out, those who lately took more points from the
children get more of them, in proportion.
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
from understudy.trainers.evolution.breeding import Alleles, Brood, Parents, cross_places, mutation_chance
from understudy.trainers.evolution.evolver import Hall, TrainerOptions, points
from understudy.trainers.evolution.scales import scales_of

FAME = 5
"""The mean enters the hall after every so many generations."""
LATELY = 0.2
"""What the last generation counts in how hard opponents are: some five are remembered, since one has few matches."""
EASIEST = 0.05
"""Nobody counts as easier, lest one who was beaten for long is never met more than once again."""


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
        self.scale = scales_of(stage, scaled=options.scaled)
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
        self._shares: list[NDArray[np.float64]] = []
        groups = len(self.options.opponents) + bool(self.options.famous)
        self._hardness = np.full(groups, 0.5)
        self._begin()

    def _begin(self) -> None:
        """Draw the children of this generation and their opponents."""
        options, rng = self.options, np.random.default_rng([self.options.seed, 0x5A9, self.generation])
        self._children = [self._search.ask() for _ in range(options.population)]
        self.population: Alleles = np.stack(self._children) * self.scale
        named, famous = len(options.opponents), options.famous
        counts = np.ones(named, np.int64)
        if options.matches:
            counts = share_out(self._hardness, options.matches)
            famous = int(counts[named:].sum())
        met = [*self.hall.drawn(max(famous - 1, 0), rng), self.champion()][:famous]
        often = zip(options.opponents, counts, strict=False)
        self._opponents = tuple(one for one, count in often for _ in range(count))
        self._famous = Shared(np.stack(met)) if met else None
        self._groups = np.append(np.repeat(np.arange(named), counts[:named]), np.full(famous, named))
        self._asked, self._scores, self._ties, self._plies = 0, [], [], []  # type: ignore[var-annotated]
        self._won = np.zeros(len(self._groups))

    def ask(self) -> Trial | None:
        """Return the trial of the next child; None while those asked for must be told first."""
        if self._asked == len(self.population):
            return None
        self._asked += 1
        key = (self.options.seed, self.generation)
        return Trial(
            stage=self.stage, alleles=self.population[self._asked - 1], opponents=self._opponents,
            famous=self._famous,
            opening_plies=self.options.opening_plies, opening_seed=(*key, 1), seed=(*key, 2, self._asked),
        )  # fmt: skip

    def tell(self, result: tuple[Meeting, ...]) -> Mapping[str, Any] | None:
        """Take the matches of the oldest child not told; return notes where this ends the generation."""
        won = [points(meeting) for meeting in result]
        self._scores.append(float(np.mean(won)))
        self._won += won
        self._ties += [game == 0 for meeting in result for game in (meeting.opened, meeting.answered)]
        self._plies += [plies for meeting in result for plies in (meeting.opened_plies, meeting.answered_plies)]
        if len(self._scores) < len(self.population):
            return None
        noted = self._noted()
        self._advance(self._scores, self._group_shares())
        return noted

    def _group_shares(self) -> NDArray[np.float64]:
        """Return the share of points that the children won against each opponent, and against the famous."""
        met = np.bincount(self._groups, minlength=len(self._hardness))
        return np.bincount(self._groups, self._won, len(self._hardness)) / met / len(self.population)

    def _advance(self, scores: list[float], shares: NDArray[np.float64]) -> None:
        self._history.append(scores)
        self._shares.append(shares)
        self._hardness = (1 - LATELY) * self._hardness + LATELY * (1 - shares)
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
            **({"points": self._named_shares()} if self.options.matches else {}),
        }

    def _named_shares(self) -> dict[str, float]:
        names = [*self.options.opponents, *(["the famous"] if self.options.famous else [])]
        return dict(zip(names, self._group_shares().round(4).tolist(), strict=True))

    def champion(self) -> Alleles:
        """Return the mean."""
        champion: Alleles = self._search.mean * self.scale
        return champion

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the scores of all children so far: the rest follows from them and the seed."""
        scores = np.array(self._history).reshape(-1, self.options.population)
        shares = np.array(self._shares).reshape(-1, len(self._hardness))
        return {
            "scores": scores,
            "counts": np.array([self.games]),
            **({"shares": shares} if self.options.matches else {}),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go through all generations again without playing them."""
        self._reset()
        # Where matches are not shared out nothing hangs on who took the points, and earlier runs did not keep it.
        shares = arrays["shares"] if self.options.matches else np.zeros((len(arrays["scores"]), len(self._hardness)))
        for scores, share in zip(arrays["scores"], shares, strict=True):
            self._advance(scores.tolist(), share)
        self.games = int(arrays["counts"][0])


def share_out(hardness: NDArray[np.float64], matches: int) -> NDArray[np.int64]:
    """Return how many of the *matches* each opponent has: one, and of the others in proportion to how hard it is.

    What is left by rounding down goes to the largest remainders, to the first of equal ones.
    """
    weights = np.maximum(hardness, EASIEST)
    wanted = (matches - len(weights)) * weights / weights.sum()
    counts = np.floor(wanted).astype(np.int64)
    counts[np.argsort(counts - wanted, kind="stable")[: matches - len(weights) - counts.sum()]] += 1
    shared: NDArray[np.int64] = counts + 1
    return shared
