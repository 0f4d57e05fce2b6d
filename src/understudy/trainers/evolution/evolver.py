"""Evolution as ask, play, tell: what every evolving trainer offers, its options, and how chromosomes beget others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.players.choosers import make_chooser
from understudy.trainers.evolution.arena import FORMATS, Alleles, Meeting, Task


def replaced(parent: Alleles, rate: float, rng: np.random.Generator) -> Alleles:
    """Return a mutant: each allele gives way to a fresh one, uniform in [-1, 1], with probability *rate* (L-17)."""
    fresh = rng.uniform(-1, 1, parent.shape)
    return np.where(rng.random(parent.shape) < rate, fresh, parent)


def perturbed(
    parent: Alleles, width: float, scale: Alleles, rng: np.random.Generator, units: NDArray[np.int64], share: float
) -> Alleles:
    """Return a mutant: the alleles of some hidden units, each taken with probability *share*, move a little.

    The step is normal, *width* times the *scale* of each allele.
    """
    chosen = rng.random(units.max() + 2) < share  # the last place is that of the output's bias, unit -1
    if not chosen.any():
        chosen[rng.integers(len(chosen))] = True
    return parent + np.where(chosen[units], rng.normal(0, width, parent.shape) * scale, 0.0)


def single_point(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return the left part of *one* and the right part of *other*."""
    point = int(rng.integers(1, len(one)))
    return np.concatenate([one[:point], other[point:]])


def two_point(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return *one* with a stretch in the middle from *other*."""
    first, last = np.sort(rng.choice(np.arange(1, len(one)), 2, replace=False))
    return np.concatenate([one[:first], other[first:last], one[last:]])


def uniform(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return each allele from either parent."""
    return np.where(rng.random(one.shape) < 0.5, one, other)


def by_units(one: Alleles, other: Alleles, units: NDArray[np.int64], rng: np.random.Generator) -> Alleles:
    """Return each hidden unit, with all its weights, from either parent: what works together stays together (E-19)."""
    return np.where((rng.random(units.max() + 2) < 0.5)[units], one, other)


CROSSOVERS: dict[str, Callable[[Alleles, Alleles, NDArray[np.int64], np.random.Generator], Alleles]] = {
    "single": single_point,
    "two": two_point,
    "uniform": uniform,
    "units": by_units,
}
"""Crossovers by name."""


KINDS = ("thesis", "steady", "strategy")


@dataclass(frozen=True, kw_only=True)
class TrainerOptions:
    """The `[trainer]` section of an experiment of the kind `evolution`."""

    kind: str = "thesis"
    """`thesis`: Miller's genetic algorithm; `steady`: ours, one child at a time; `strategy`: separable CMA-ES."""
    generations: int = 300
    minutes: float | None = None
    """Stop after the generation in which this much time is used up, measuring left out."""
    population: int = 62
    seed: int = 0
    repeats: int = 1
    """How many students evolve so, with this seed and those that follow it."""
    ancestor: str = ""
    """A student that ships, a run folder or a file: evolution starts at its champion, whose network may be smaller."""
    depth: int = 3
    """Plies that networks look ahead while they evolve."""
    limit: int = 100
    """A game is a tie after so many plies."""
    ties: str = "first"
    """Which of equally good moves a network takes: the `first`, as the thesis, or by `random` choice (E-17)."""
    aware: bool = True
    """Whether the rules tell a network's search that a game is over; else the network must find out itself."""
    epoch: int = 10
    """All chromosomes are kept, and measured, after every so many generations."""
    crossover: str = "single"
    """`single`, `two` (points), `uniform`, or `units`: whole hidden units."""

    mutants: int = 2
    """Of each parent, in the thesis's algorithm."""
    rate: float = 0.15
    """The share of alleles that its mutation replaces."""
    format: str = "knockout"
    """How four contenders find their winner: `knockout` or `round_robin`."""
    last_resort: str = "older"
    """Who wins a match that nothing else decides: the `older` one, or by `random` choice."""

    width: float = 0.5
    """How far the first mutations reach, in parts of what is usual for a weight."""
    scaled: bool = False
    """Whether weights of inputs that vary much in random games move less far, so that all inputs are heard alike."""
    opponents: tuple[str, ...] = ("stochastic:depth=2",)
    """Players by name that every child meets."""
    famous: int = 3
    """How many of the hall of fame every child meets."""
    matches: int = 0
    """Matches of two games of every child of the strategy, more of them against those who are hard to beat; 0: one
    against each opponent and each of the famous."""
    opening_plies: int = 4
    """Random plies before the games of a trial."""
    lag: int = 8
    """How many children of the steady trainer are under way at once."""


class Evolver(Protocol):
    """A trainer that asks for games and is told how they ended."""

    generation: int
    games: int
    population: Alleles
    """The chromosomes alive: [individuals, alleles]."""

    def ask(self) -> Task | None:
        """Return the next task; None while something asked for must be told first."""
        ...

    def tell(self, result: Any) -> Mapping[str, Any] | None:
        """Take the result of the oldest task not told; return notes on the generation where this ends one."""
        ...

    def champion(self) -> Alleles:
        """Return the chromosome to play with."""
        ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a later process needs to go on."""
        ...

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from where `arrays` were taken."""
        ...


def points(meeting: Meeting) -> float:
    """Return the share of a match that its first player won: each game is 1, a tie 0.5."""
    return 0.5 + (meeting.opened + meeting.answered) / 4


def usual_weights(fan_in: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how large each allele should be for units that neither sleep nor saturate (E-17)."""
    return 1.0 / np.sqrt(fan_in)


def check_trainer(game: CompiledGame, options: TrainerOptions) -> None:
    """Raise unless the options make sense."""
    for name, value, choices in (
        ("kind", options.kind, KINDS),
        ("crossover", options.crossover, tuple(CROSSOVERS)),
        ("format", options.format, FORMATS),
        ("last_resort", options.last_resort, ("older", "random")),
        ("ties", options.ties, ("first", "random")),
    ):
        if value not in choices:
            raise UnknownName(f"trainer.{name}", value, choices)
    for name, low, high in (
        ("generations", 0, 10**7), ("minutes", 0, 10**6), ("population", 4, 10**5), ("seed", 0, 2**31), ("depth", 1, 6),
        ("limit", 2, 2_000),
        ("epoch", 1, 10**6), ("mutants", 1, 20), ("rate", 0, 1), ("width", 1e-6, 100), ("famous", 0, 64),
        ("opening_plies", 0, 20), ("lag", 1, 10_000), ("repeats", 1, 1_000), ("matches", 0, 10_000),
    ):  # fmt: skip
        check_range(f"trainer.{name}", getattr(options, name), low, high)
    if options.kind != "thesis" and not options.famous and not options.opponents:
        raise BadOption("trainer: a child needs somebody to play; name trainer.opponents or raise trainer.famous")
    if options.kind != "thesis" and options.opening_plies >= options.limit:
        raise BadOption(f"trainer.opening_plies must be below trainer.limit = {options.limit}, or nobody would choose")
    _check_matches(options)
    if options.scaled and options.kind == "thesis":
        raise BadOption("trainer.scaled: the thesis's algorithm replaces alleles, it takes no steps")
    for opponent in options.opponents:
        make_chooser(opponent, game)


def _check_matches(options: TrainerOptions) -> None:
    """Raise unless matches can be shared out, at least one for everybody."""
    groups = len(options.opponents) + bool(options.famous)
    if options.matches and options.kind != "strategy":
        raise BadOption(f"trainer.matches: only the strategy shares matches out, not the kind {options.kind!r}")
    if 0 < options.matches < groups:
        raise BadOption(
            f"trainer.matches = {options.matches} must be 0, or at least {groups}: one for each opponent, and one for "
            "the famous"
        )


CHUNK = 100
"""Games of a task."""


@dataclass(frozen=True, kw_only=True)
class SchoolOptions:
    """The `[school]` section of an evolution experiment."""

    rounds: int = 0
    """Rounds of games and lessons before evolution starts; 0: no school."""
    teacher: str = "searcher:depth=2,evaluator=aloa"
    """Whose games the first round learns from."""
    games: int = 3000
    """Games of a round; the first has twice as many."""
    memory: int = 8
    """Rounds whose games are learned from."""
    passes: int = 2
    """How often a round goes through them."""
    depth: int = 2
    """Plies that the player looks ahead."""
    opening_plies: int = 8
    chance: int = 30
    """Of a thousand moves so many are random."""
    batch: int = 1024
    rate: float = 0.002
    seed: int = 0


def check_school(game: CompiledGame, options: SchoolOptions) -> None:
    """Raise unless the options make sense."""
    for name, low, high in (
        ("rounds", 0, 10_000), ("games", CHUNK, 10**7), ("memory", 1, 1_000), ("passes", 1, 1_000), ("depth", 1, 6),
        ("opening_plies", 2, 40), ("chance", 0, 1000), ("batch", 16, 10**6), ("rate", 1e-7, 1), ("seed", 0, 2**31),
    ):  # fmt: skip
        check_range(f"school.{name}", getattr(options, name), low, high)
    if options.rounds:
        make_chooser(options.teacher, game)


MOST = 200
"""So many are kept; when there are more, every second of the older half goes."""
LATEST = 10


class Hall:
    """Former champions, the oldest first."""

    def __init__(self, members: Alleles) -> None:
        self.members = members

    def add(self, champion: Alleles) -> None:
        """Take in a champion."""
        self.members = np.vstack([self.members, champion])
        if len(self.members) > MOST:
            old = np.arange(MOST // 2)
            self.members = np.delete(self.members, old[1::2], axis=0)

    def drawn(self, count: int, rng: np.random.Generator) -> list[Alleles]:
        """Return *count* members: every second from the latest few, the others from all."""
        size = len(self.members)
        latest = range(max(0, size - LATEST), size)
        places = [int(rng.choice(latest)) if turn % 2 == 0 else int(rng.integers(size)) for turn in range(count)]
        return [self.members[place] for place in places]
