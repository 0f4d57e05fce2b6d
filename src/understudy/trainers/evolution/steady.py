"""Our genetic algorithm: one child at a time, and nobody good is lost (what chapter V of Miller 2010 finds at fault).

Each child comes of two parents by crossover of hidden units and a normal mutation whose width it inherits and changes;
it meets former champions and named players from varied openings, and takes the place of the worst if it scored
better. Parents and champions are tried again and again, so that luck does not stay. There are no generations to wait
for: `lag` children are always under way, each made of what was told before the child `lag` places earlier, whatever
the number of workers. What the record calls a generation is as many births as the population has members.

Chromosomes are rows that nobody changes: members give way to others, and are not overwritten. So a child under way is
kept as who its parents are and by which chance it was bred, which is a few numbers however many children there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.backends.shared import Shared
from understudy.trainers.evolution.arena import Meeting, Stage, Trial
from understudy.trainers.evolution.breeding import CROSSOVERS, Alleles, perturbed
from understudy.trainers.evolution.evolver import Hall, TrainerOptions, points
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


class _Met(NamedTuple):
    """Whom of the hall some trials meet."""

    rows: tuple[Alleles, ...]
    shared: Shared[Alleles] | None
    """The same as they are sent: [opponents, alleles]."""


class _Asked(NamedTuple):
    """A trial under way: of a member, or of a child (-1)."""

    member: int
    alleles: Alleles
    width: float
    """By which the child was moved from its parents."""
    number: int
    met: _Met
    parents: tuple[Alleles, ...]
    """Whom it was bred from; a member, and a child of whose parents nothing is known, stand here themselves."""
    inherited: float
    """The width of its first parent."""


class _Breeders(NamedTuple):
    """Those from whom parents are chosen."""

    turn: int
    """Since which `lag` births."""
    rows: list[Alleles]
    widths: NDArray[np.float64]
    fitness: NDArray[np.float64]


def _choose_parents(fitness: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    """Return the best of three, twice."""
    return [max(rng.integers(len(fitness), size=3).tolist(), key=lambda place: fitness[place]) for _ in range(2)]


def _meeting(rows: Sequence[Alleles]) -> _Met:
    return _Met(tuple(rows), Shared(np.stack(rows)) if len(rows) else None)


class Steady:
    """A population in which the worst give way to better children."""

    def __init__(self, stage: Stage, options: TrainerOptions, ancestor: Alleles | None = None) -> None:
        self.stage, self.options, plan = stage, options, stage.plan()
        rng, count = np.random.default_rng([options.seed, 0x57D]), options.population
        self.units, self.scale = plan.units(), scales_of(stage, scaled=options.scaled)
        first = rng.normal(size=(count, plan.length)) * self.scale
        if ancestor is not None:
            first = ancestor + options.width * first
            first[0] = ancestor
        self.rows: list[Alleles] = list(first)
        self.widths = np.full(count, options.width)
        self.points, self.matches = np.zeros(count), np.zeros(count)
        self.hall = Hall(self.rows[:1])
        self.generation, self.games, self.asked, self.tried = 0, 0, 0, 0
        self._scores: list[float] = []
        self._kept = 0
        self._begin(())

    def _begin(self, again: Iterable[_Asked]) -> None:
        """Have nothing under way, and these trials to ask for before any other."""
        self._waiting: deque[_Asked] = deque()
        self._again = deque(again)
        self._busy = np.zeros(len(self.rows) + 1, np.int64)
        """How many trials of each member are under way; at the end, of children."""
        self._met: tuple[tuple[int, int], _Met] | None = None
        self._breeders: _Breeders | None = None

    @property
    def population(self) -> Alleles:
        """The chromosomes alive: [individuals, alleles]."""
        return np.array(self.rows)

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
        self._busy[asked.member] += 1
        return self._trial(asked)

    def _next(self) -> _Asked:
        rng = self._chance(self.asked)
        self.asked += 1
        untried = (self.matches == 0) & (self._busy[:-1] == 0)
        if untried.any() or rng.random() < AGAIN:
            member = int(np.argmax(untried)) if untried.any() else self._doubtful()
            row = self.rows[member]
            return _Asked(member, row, 0.0, self.asked, self._famous(), (row,), 0.0)
        breeders = self._choose_breeders()
        one, other = _choose_parents(breeders.fitness, rng)
        parents, inherited = (breeders.rows[one], breeders.rows[other]), float(breeders.widths[one])
        return _Asked(-1, *self._bear(parents, inherited, rng), self.asked, self._famous(), parents, inherited)

    def _chance(self, asked: int) -> np.random.Generator:
        return np.random.default_rng([self.options.seed, 0x5EA, asked])

    def _famous(self) -> _Met:
        """Return whom the trial just numbered meets; those tried one after the other meet the same: luck is shared."""
        block = self._block(self.asked)
        if self._met is None or self._met[0] != (block, self.generation):
            rng = np.random.default_rng([self.options.seed, 0xB10, block])
            self._met = (block, self.generation), _meeting(self.hall.drawn(self.options.famous, rng))
        return self._met[1]

    def _block(self, number: int) -> int:
        return number // len(self.rows)

    def _doubtful(self) -> int:
        """Return the member of the better half that was tried least, of equals the best."""
        fitness, half = self.fitness(), max(len(self.rows) // 2, 1)
        worst = np.partition(fitness, -half)[-half]  # of the better half; not by sorting, for there may be thousands
        better = fitness > worst
        better[np.flatnonzero(fitness == worst)[: half - int(better.sum())]] = True
        free = better & (self._busy[:-1] == 0)
        if not free.any():
            return int(np.argmax(fitness))
        least = np.flatnonzero(free & (self.matches == self.matches[free].min()))
        return int(least[np.argmax(fitness[least])])

    def _choose_breeders(self) -> _Breeders:
        """Return the members of now; where more children are under way than there are members, those of a while ago.

        There parents change as generations do, every `lag` births: else a file would hold thousands of them who are
        no members any more, but whose children are under way.
        """
        turn = self.asked // self.options.lag
        if self.options.lag <= len(self.rows):
            return _Breeders(turn, self.rows, self.widths, self.fitness())
        if self._breeders is None or self._breeders.turn != turn:
            self._breeders = _Breeders(turn, list(self.rows), self.widths.copy(), self.fitness())
        return self._breeders

    def _bear(self, parents: tuple[Alleles, ...], inherited: float, rng: np.random.Generator) -> tuple[Alleles, float]:
        """Return a child and its width."""
        alleles, other = parents
        if rng.random() < CROSSED:
            alleles = CROSSOVERS[self.options.crossover](alleles, other, self.units, rng)
        width = float(np.clip(inherited * np.exp(rng.normal(0, 0.3)), NARROWEST, WIDEST))
        return perturbed(alleles, width, self.scale, rng, self.units, UNITS), width

    def _bear_again(self, parents: tuple[Alleles, ...], inherited: float, number: int) -> tuple[Alleles, float]:
        """Return the child that was asked for as *number*, with the same chance as then."""
        rng = self._chance(number - 1)
        rng.random()  # by which it was decided that there should be a child
        _choose_parents(self.matches, rng)
        return self._bear(parents, inherited, rng)

    def _trial(self, asked: _Asked) -> Trial:
        options = self.options
        return Trial(
            stage=self.stage, alleles=asked.alleles, opponents=options.opponents, famous=asked.met.shared,
            opening_plies=options.opening_plies, opening_seed=(options.seed, 0xB10, self._block(asked.number)),
            seed=(options.seed, 0xA11, asked.number),
        )  # fmt: skip

    def tell(self, result: tuple[Meeting, ...]) -> Mapping[str, Any] | None:
        """Take the matches of the oldest trial not told; return notes where this ends a generation."""
        asked, won = self._waiting.popleft(), sum(points(meeting) for meeting in result)
        self._busy[asked.member] -= 1
        self.games += 2 * len(result)
        if asked.member >= 0:
            if np.array_equal(self.rows[asked.member], asked.alleles):
                self.points[asked.member] += won
                self.matches[asked.member] += len(result)
        else:
            self._scores.append(won / len(result))
            self._judge(asked, won, len(result))
        self.tried += 1
        return self._ended() if self.tried % len(self.rows) == 0 else None

    def _judge(self, child: _Asked, won: float, matches: int) -> None:
        """Let a child take the place of the worst if it is thought to be better."""
        fitness = self.fitness()
        worst = int(np.argmin(fitness))
        if (won + DOUBT / 2) / (matches + DOUBT) > fitness[worst]:
            self.rows[worst], self.widths[worst] = child.alleles, child.width
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
        return self.rows[int(np.argmax(self.fitness()))]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a later process needs, trials under way included: they are begun again.

        Of these it tells by numbers who takes part: members, those of the hall, others who are neither any more.
        """
        waiting = [*self._waiting, *self._again]
        rows = [*self.rows, *self.hall.rows]
        places: dict[int, int] = {id(row): place for place, row in reversed(list(enumerate(rows)))}

        def place_of(row: Alleles) -> int:
            if id(row) not in places:
                places[id(row)] = len(rows)
                rows.append(row)
            return places[id(row)]

        parents = [[place_of(row) for row in asked.parents] + [-1] * (2 - len(asked.parents)) for asked in waiting]
        met = [[place_of(row) for row in asked.met.rows] for asked in waiting]
        numbers = [(asked.member, asked.number) for asked in waiting]
        bred = self._breeders if self.options.lag > len(self.rows) else None
        breeders = [place_of(row) for row in bred.rows] if bred else []
        known = len(self.rows) + len(self.hall.rows)
        return {
            "population": self.population, "widths": self.widths.copy(), "hall": self.hall.members,
            "others": np.array(rows[known:]).reshape(-1, len(self.scale)),
            "breeders": np.array(breeders, np.int32), "breeders_turn": np.array([bred.turn if bred else -1]),
            "breeders_widths": bred.widths if bred else np.zeros(0),
            "breeders_fitness": bred.fitness if bred else np.zeros(0),
            "points": self.points.copy(), "matches": self.matches.copy(),
            "counts": np.array([self.generation, self.games, self.asked, self.tried]),
            "waiting_numbers": np.array(numbers, np.int64).reshape(-1, 2),
            "waiting_parents": np.array(parents, np.int32).reshape(-1, 2),
            "waiting_met": np.array(met, np.int32).reshape(len(waiting), self.options.famous),
            "waiting_widths": np.array([(asked.width, asked.inherited) for asked in waiting]).reshape(-1, 2),
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where `arrays` were taken."""
        one_of_a_kind = {row.tobytes(): row for row in (*arrays["hall"], *arrays["population"])}
        self.rows, famous = ([one_of_a_kind[row.tobytes()] for row in arrays[name]] for name in ("population", "hall"))
        self.hall = Hall(famous)
        self.widths, self.points, self.matches = (arrays[name] for name in ("widths", "points", "matches"))
        self.generation, self.games, self.asked, self.tried = (int(count) for count in arrays["counts"])
        if "waiting" in arrays:
            self._begin(self._read_old(arrays))
            return
        rows = [*self.rows, *self.hall.rows, *arrays["others"]]
        self._begin(self._read(arrays, rows))
        self._busy[[asked.member for asked in self._again]] += 0  # whoever is no member is noticed here
        if len(arrays["breeders"]):
            members = [rows[place] for place in arrays["breeders"].tolist()]
            widths, fitness = arrays["breeders_widths"], arrays["breeders_fitness"]
            self._breeders = _Breeders(int(arrays["breeders_turn"][0]), members, widths, fitness)

    def _read(self, arrays: Mapping[str, NDArray[Any]], rows: Sequence[Alleles]) -> Iterator[_Asked]:
        """Yield the trials that were under way."""
        meetings: dict[tuple[int, ...], _Met] = {}
        names = ("waiting_numbers", "waiting_parents", "waiting_met", "waiting_widths")
        for (member, number), couple, places, (width, inherited) in zip(
            *(arrays[name].tolist() for name in names), strict=True
        ):
            parents = tuple(rows[place] for place in couple if place >= 0)
            met = meetings.setdefault(tuple(places), _meeting([rows[place] for place in places]))
            alleles = parents[0]
            if len(parents) == 2:
                alleles, width = self._bear_again(parents, inherited, number)
            yield _Asked(member, alleles, width, number, met, parents, inherited)

    def _read_old(self, arrays: Mapping[str, NDArray[Any]]) -> Iterator[_Asked]:
        """Yield the trials that were under way in a file of before, which has all of them with all opponents."""
        names = ("waiting", "waiting_widths", "waiting_numbers", "waiting_famous")
        for alleles, width, (member, number), famous in zip(*(arrays[name] for name in names), strict=True):
            yield _Asked(int(member), alleles, float(width), int(number), _meeting(famous), (alleles,), float(width))
