"""The options of a school, apart from the school itself: whoever evolves without one does not wait for PyTorch."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.config import check_range
from understudy.games import CompiledGame
from understudy.players.choosers import make_chooser

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
