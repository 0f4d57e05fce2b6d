"""Evolution as ask, play, tell: what every evolving trainer offers, its options, and who is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.players.choosers import make_chooser
from understudy.trainers.evolution.arena import FORMATS, Meeting, Task
from understudy.trainers.evolution.breeding import CROSSOVERS, Alleles

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
    late_rate: float | None = None
    """The same from the generation `late_from` on: the rate changed in mid-run; if not said, it stays."""
    late_from: int = 100
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

    @property
    def population(self) -> Alleles:
        """The chromosomes alive: [individuals, alleles]."""
        ...

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
    check_range("trainer.late_rate", options.late_rate or 0, 0, 1)
    check_range("trainer.late_from", options.late_from, 1, 10**7)
    if options.late_rate is not None and options.kind != "thesis":
        raise BadOption(f"trainer.late_rate: the kind {options.kind!r} has no rate that could change")
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

    def __init__(self, members: Iterable[Alleles]) -> None:
        self.rows: list[Alleles] = list(members)
        """One by one; nobody changes them."""

    @property
    def members(self) -> Alleles:
        """All of them: [members, alleles]."""
        return np.array(self.rows)

    def add(self, champion: Alleles) -> None:
        """Take in a champion."""
        self.rows.append(champion)
        if len(self.rows) > MOST:
            del self.rows[1 : MOST // 2 : 2]

    def drawn(self, count: int, rng: np.random.Generator) -> list[Alleles]:
        """Return *count* members: every second from the latest few, the others from all."""
        size = len(self.rows)
        latest = range(max(0, size - LATEST), size)
        places = [int(rng.choice(latest)) if turn % 2 == 0 else int(rng.integers(size)) for turn in range(count)]
        return [self.rows[place] for place in places]
