"""Evolution as ask, play, tell: what every evolving trainer offers, and the options that choose and set one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from understudy.config import check_range
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame
from understudy.players.choosers import make_chooser
from understudy.trainers.arena import FORMATS, Alleles, Meeting, Task
from understudy.trainers.breeding import CROSSOVERS

KINDS = ("thesis", "steady", "strategy")


@dataclass(frozen=True, kw_only=True)
class TrainerOptions:
    """The `[trainer]` section of an experiment of the kind `evolution`."""

    kind: str = "thesis"
    """`thesis`: Miller's genetic algorithm; `steady`: ours, one child at a time; `strategy`: separable CMA-ES."""
    generations: int = 300
    population: int = 62
    seed: int = 0
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
    opponents: tuple[str, ...] = ("stochastic:depth=2",)
    """Players by name that every child meets."""
    famous: int = 3
    """How many of the hall of fame every child meets."""
    opening_plies: int = 4
    """Random plies before the games of a trial."""
    lag: int = 8
    """How many children of the steady trainer are under way at once."""


class Evolver(Protocol):
    """A trainer that asks for games and is told how they ended."""

    generation: int
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
    for name, value, known in (
        ("kind", options.kind, KINDS),
        ("crossover", options.crossover, tuple(CROSSOVERS)),
        ("format", options.format, FORMATS),
        ("last_resort", options.last_resort, ("older", "random")),
        ("ties", options.ties, ("first", "random")),
    ):
        if value not in known:
            raise UnknownName(f"trainer.{name}", value, known)
    for name, low, high in (
        ("generations", 0, 10**7), ("population", 4, 10**5), ("seed", 0, 2**31), ("depth", 1, 6), ("limit", 2, 2_000),
        ("epoch", 1, 10**6), ("mutants", 1, 20), ("rate", 0, 1), ("width", 1e-6, 100), ("famous", 0, 64),
        ("opening_plies", 0, 20), ("lag", 1, 10_000),
    ):  # fmt: skip
        check_range(f"trainer.{name}", getattr(options, name), low, high)
    if options.kind != "thesis" and not options.famous and not options.opponents:
        raise BadOption("trainer: a child needs somebody to play; name trainer.opponents or raise trainer.famous")
    if options.kind != "thesis" and options.opening_plies >= options.limit:
        raise BadOption(f"trainer.opening_plies must be below trainer.limit = {options.limit}, or nobody would choose")
    for opponent in options.opponents:
        make_chooser(opponent, game)
