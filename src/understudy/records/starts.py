"""Where games start besides the start: from positions of kinds that the game draws, or from those of random play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame, rules
from understudy.games.batches import joined, stacked, taken
from understudy.records.examples import orbit_names

GAMES = 2000
"""Of random play at once at most, which bounds the memory that a round takes."""
PLIES = 200
"""Of a random game at most: where nothing ends it, it would go on for ever."""
ONE_IN = 4
"""One in so many positions of a random game is kept: neighbours are too much alike."""
PATIENCE = 20
"""So many rounds of random play may find nothing new before we give up."""

Draw: TypeAlias = Callable[[np.random.Generator], Any]
"""Draws a position."""


def start_kinds(game: CompiledGame) -> Mapping[str, Draw]:
    """Return how a game draws positions to start from, by kind; few games do."""
    kinds: Mapping[str, Draw] = game.kind.load("starts").STARTS if game.kind.starts else {}
    return kinds


def draw_starts(game: CompiledGame, kind: str, count: int, rng: np.random.Generator) -> list[Any]:
    """Return positions of a kind that have a move."""
    if kind not in start_kinds(game):
        raise BadOption(f"{game.name} has no {kind} starts")
    draw = start_kinds(game)[kind]
    starts: list[Any] = []
    while len(starts) < count:
        position = draw(rng)
        if game.moves(position):
            starts.append(position)
    return starts


def reachable(
    game: CompiledGame, count: int, rng: np.random.Generator, *, without: NDArray[np.uint64] | None = None
) -> Any:
    """Return a batch of unfinished positions of random play, distinct up to symmetry; none is in the orbits given."""
    seen = np.zeros(0, np.uint64) if without is None else without
    parts: list[Any] = []
    reached = idle = 0
    while reached < count:
        some, names = _unseen(game, _played(game, count - reached, rng), seen)
        seen, reached = np.concatenate([seen, names]), reached + len(names)
        parts += [some] * bool(len(names))
        idle = 0 if len(names) else idle + 1
        if idle == PATIENCE:
            raise BadOption(f"random play of {game.name} finds only {reached} of {count} different positions")
    return taken(joined(parts), slice(0, count)) if parts else taken(stacked([game.start()]), slice(0, 0))


def _unseen(game: CompiledGame, batch: Any, seen: NDArray[np.uint64]) -> tuple[Any, NDArray[np.uint64]]:
    """Return the positions of *batch* that are new up to symmetry, in order, and the names of their orbits."""
    names = orbit_names(game, batch)
    _, first = np.unique(names, return_index=True)
    first = np.sort(first)
    new = first[~np.isin(names[first], seen)]
    return taken(batch, new), names[new]


def _played(game: CompiledGame, wanted: int, rng: np.random.Generator) -> Any:
    """Return positions of some random games: more than are wanted if that is cheap."""
    if game.kind.starts is not None:
        return game.kind.load("starts").wander(min(GAMES, wanted // 4 + 10), plies=PLIES, one_in=ONE_IN, rng=rng)
    return stacked([position for _ in range(min(100, wanted // 10 + 10)) for position in _walk(game, rng)])


def _walk(game: CompiledGame, rng: np.random.Generator) -> list[Any]:
    """Return some positions of one random game."""
    position = game.start()
    kept: list[Any] = []
    for _ in range(PLIES):
        moves = game.moves(position)
        if not moves or game.drawn(position):
            break
        if not kept or rng.integers(ONE_IN) == 0:
            kept.append(position)
        position = rules.play(position, moves[rng.integers(len(moves))])
    return kept
