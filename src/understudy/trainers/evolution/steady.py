"""Our genetic algorithm: one child at a time, and nobody good is lost (what chapter V of Miller 2010 finds at fault).

Each child comes of two parents by crossover of hidden units and a normal mutation whose width it inherits and changes;
it meets former champions and named players from varied openings, and takes the place of the worst if it scored
better. Parents and champions are tried again and again, so that luck does not stay. There are no generations to wait
for: `lag` children are always under way, each made of what was told before the child `lag` places earlier, whatever
the number of workers. What the record calls a generation is as many births as the population has members.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.trainers.evolution.arena import Alleles, Meeting, Stage, Trial
from understudy.trainers.evolution.evolver import CROSSOVERS, Hall, TrainerOptions, perturbed, points
from understudy.trainers.evolution.scales import scales_of

AGAIN = 0.35
"""The share of trials given to members tried before."""
FADING = 0.6
"""What earlier trials count once the hall has a new member: there are new opponents to be good against."""
DOUBT = 2.0
"""Matches that everybody is thought to have half won, so that one lucky match makes no champion."""
NARROWEST, WIDEST = 0.01, 3.0
CROSSED = 0.5
"""The share of children with two parents."""
UNITS = 0.5
"""The share of hidden units that a mutation touches."""


class _Asked(NamedTuple):
    """A trial under way: of a member, or of a child (-1) with these alleles and this width."""

    member: int
    alleles: Alleles
    width: float
    number: int
    famous: Alleles
    """Whom of the hall it meets: [opponents, alleles]."""


class Steady:
    """A population in which the worst give way to better children."""

    def __init__(self, stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> None:
        self.stage, self.options, plan = stage, options, stage.plan()
        rng, count = np.random.default_rng([options.seed, 0x57D]), options.population
        self.units, self.scale = plan.units(), scales_of(stage, scaled=options.scaled)
        self.population: Alleles = rng.normal(size=(count, plan.length)) * self.scale
        if ancestor is not None:
            self.population = ancestor + options.width * self.population
            self.population[0] = ancestor
        self.widths = np.full(count, options.width)
        self.points, self.matches = np.zeros(count), np.zeros(count)
        self.hall = Hall(self.population[:1])
        self.generation, self.games, self.asked, self.tried = 0, 0, 0, 0
        self._waiting: deque[_Asked] = deque()
        self._again: deque[_Asked] = deque()
        self._scores: list[float] = []
        self._kept = 0

    def fitness(self) -> NDArray[np.float64]:
        """Return the share of points that each member is thought to win."""
        fitness: NDArray[np.float64] = (self.points + DOUBT / 2) / (self.matches + DOUBT)
        return fitness

    def ask(self) -> Trial | None:
        """Return the trial of a new child, or another of a member; None while `lag` of them are under way."""
        if len(self._waiting) >= self.options.lag:
            return None
        asked = self._again.popleft() if self._again else self._next()
        self._waiting.append(asked)
        return self._trial(asked)

    def _next(self) -> _Asked:
        rng = np.random.default_rng([self.options.seed, 0x5EA, self.asked])
        self.asked += 1
        busy = {asked.member for asked in self._waiting}
        untried = [int(member) for member in np.flatnonzero(self.matches == 0) if int(member) not in busy]
        if untried or rng.random() < AGAIN:
            member = untried[0] if untried else self._doubtful(busy)
            # A copy: by the time it is told, another may have taken the member's place.
            return _Asked(member, self.population[member].copy(), 0.0, self.asked, self._famous())
        return _Asked(-1, *self._child(rng), self.asked, self._famous())

    def _famous(self) -> Alleles:
        """Return whom the trial just numbered meets; those tried one after the other meet the same: luck is shared."""
        rng = np.random.default_rng([self.options.seed, 0xB10, self._block(self.asked)])
        return np.array(self.hall.drawn(self.options.famous, rng)).reshape(-1, self.population.shape[1])

    def _block(self, number: int) -> int:
        return number // len(self.population)

    def _doubtful(self, busy: set[int]) -> int:
        """Return the member of the better half that was tried least."""
        better = np.argsort(-self.fitness(), kind="stable")[: max(len(self.population) // 2, 1)]
        free = [int(member) for member in better if int(member) not in busy] or [int(better[0])]
        return min(free, key=lambda member: self.matches[member])

    def _child(self, rng: np.random.Generator) -> tuple[Alleles, float]:
        fitness = self.fitness()
        one, other = (max(rng.integers(len(fitness), size=3), key=lambda place: fitness[place]) for _ in range(2))
        alleles = self.population[one]
        if rng.random() < CROSSED:
            alleles = CROSSOVERS[self.options.crossover](alleles, self.population[other], self.units, rng)
        width = float(np.clip(self.widths[one] * np.exp(rng.normal(0, 0.3)), NARROWEST, WIDEST))
        return perturbed(alleles, width, self.scale, rng, self.units, UNITS), width

    def _trial(self, asked: _Asked) -> Trial:
        options = self.options
        return Trial(
            stage=self.stage, alleles=asked.alleles, opponents=(*options.opponents, *asked.famous),
            opening_plies=options.opening_plies, opening_seed=(options.seed, 0xB10, self._block(asked.number)),
            seed=(options.seed, 0xA11, asked.number),
        )  # fmt: skip

    def tell(self, result: tuple[Meeting, ...]) -> Mapping[str, Any] | None:
        """Take the matches of the oldest trial not told; return notes where this ends a generation."""
        asked, won = self._waiting.popleft(), sum(points(meeting) for meeting in result)
        self.games += 2 * len(result)
        if asked.member >= 0:
            if np.array_equal(self.population[asked.member], asked.alleles):
                self.points[asked.member] += won
                self.matches[asked.member] += len(result)
        else:
            self._scores.append(won / len(result))
            self._judge(asked, won, len(result))
        self.tried += 1
        return self._ended() if self.tried % len(self.population) == 0 else None

    def _judge(self, child: _Asked, won: float, matches: int) -> None:
        """Let a child take the place of the worst if it is thought to be better."""
        fitness = self.fitness()
        worst = int(np.argmin(fitness))
        if (won + DOUBT / 2) / (matches + DOUBT) > fitness[worst]:
            self.population[worst], self.widths[worst] = child.alleles, child.width
            self.points[worst], self.matches[worst] = won, matches
            self._kept += 1

    def _ended(self) -> dict[str, Any]:
        self.generation += 1
        self.hall.add(self.champion())
        fitness, scores = self.fitness(), self._scores or [0.0]
        noted = {
            "games": self.games,
            "matches": self.tried,
            "fitness": {
                "best": float(fitness.max()),
                "mean": float(fitness.mean()),
                "children": float(np.mean(scores)),
            },
            "births": {"kept": self._kept / max(len(self._scores), 1)},
            "sigma": float(np.median(self.widths)),
        }
        self.points, self.matches = self.points * FADING, self.matches * FADING
        self._scores, self._kept = [], 0
        return noted

    def champion(self) -> Alleles:
        """Return the member that is thought to be best, those tried little being thought ordinary."""
        champion: Alleles = self.population[int(np.argmax(self.fitness()))].copy()
        return champion

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a later process needs, children under way included: they are tried again."""
        waiting, length = [*self._waiting, *self._again], self.population.shape[1]
        famous = np.array([asked.famous for asked in waiting]).reshape(len(waiting), self.options.famous, length)
        return {
            "population": self.population.copy(), "widths": self.widths.copy(), "hall": self.hall.members,
            "points": self.points.copy(), "matches": self.matches.copy(),
            "counts": np.array([self.generation, self.games, self.asked, self.tried]),
            "waiting": np.stack([asked.alleles for asked in waiting]) if waiting else self.population[:0],
            "waiting_famous": famous,
            "waiting_widths": np.array([asked.width for asked in waiting], np.float64),
            "waiting_numbers": np.array([(asked.member, asked.number) for asked in waiting], np.int64).reshape(-1, 2),
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where `arrays` were taken."""
        self.population, self.widths, self.hall = arrays["population"], arrays["widths"], Hall(arrays["hall"])
        self.points, self.matches = arrays["points"], arrays["matches"]
        self.generation, self.games, self.asked, self.tried = (int(count) for count in arrays["counts"])
        names = ("waiting", "waiting_widths", "waiting_numbers", "waiting_famous")
        self._waiting = deque()
        self._again = deque(
            _Asked(int(member), alleles, float(width), int(number), famous)
            for alleles, width, (member, number), famous in zip(*(arrays[name] for name in names), strict=True)
        )
