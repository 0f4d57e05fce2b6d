"""Where games start besides the start: unequal material, the papers' random positions, positions of random play.

Starts are for Nine Men's Morris, whose papers ask for them; `reachable` serves every game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import BadOption
from understudy.games import CompiledGame, rules
from understudy.games.batches import joined, stacked, taken
from understudy.games.morris.notation import BIT, CELLS, STONES, SYMMETRIES, Morris, permuted
from understudy.games.morris.random_games import ONE_IN, wander
from understudy.records.orbits import orbit_names

ADVANTAGES = (
    ("b6 b4 b2", "d7 d1", 6),
    ("d7 d6 d5 f4", "b4 d2", 5),
    ("a4 b4 c4 d6 d2", "e4 g4 d1", 4),
    ("b4 d6 f4 d2", "a7 g1 c3", 3),
    ("b2 d2 f2 b4 d6 f4", "a1 c5 e3 g7", 2),
    ("b4 d6 f4 d2 b6 f2 d7 g4 a4", "a1 d1 g1 c3 e3 c5", 0),
    ("a7 d7 g7 b6 f6 b4 d2", "a1 d1 g4 c4 e4 c3", 0),
    ("a4 d6 b4 f4 d2 c5", "a7 d7 g7 c4 d1", 0),
    ("b4 d6 f4 d2 e5 c3 a7", "a1 g7 d3 e4", 0),
    ("b6 d6 f6 b2 d1", "g7 g1 c4 d3", 0),
    ("b4 d6 f4 d2 b2 f6 d1", "a7 g1 c3", 0),
    ("d6 b4 f4 d2 b6", "a1 g7 d3", 0),
    ("a7 d7 b6 f2", "c3 g1 e4", 0),
    ("d6 d5 b2", "a1 g1 c4", 0),
)
"""Stones of the better side, of the worse, and how many each has in hand: placing, sliding, flying."""

MOST_MOVED = 2
"""So many stones of an unequal start may stand elsewhere than in the table."""
GAMES = 2000
PLIES = 200
PATIENCE = 20
"""So many rounds of random play may find nothing new before we give up."""


def custom_starts(game: CompiledGame, count: int, rng: np.random.Generator) -> list[Morris]:
    """Return positions with an advantage for one side, who may be either, varied by symmetry and by moved stones."""
    _check(game, "unequal")
    return _starts(game, count, lambda: _unequal(rng))


def random_starts(game: CompiledGame, count: int, rng: np.random.Generator) -> list[Morris]:
    """Return random positions: White to move, 3 to 9 stones each with those in hand, equal hands (M-24)."""
    _check(game, "random")
    return _starts(game, count, lambda: _random(rng))


def reachable(
    game: CompiledGame, count: int, rng: np.random.Generator, *, without: NDArray[np.uint64] | None = None
) -> Any:
    """Return a batch of unfinished positions of random play, distinct up to symmetry; none is in the orbits given."""
    seen = np.zeros(0, np.uint64) if without is None else without
    parts: list[Any] = []
    found = idle = 0
    while found < count:
        some, names = _unseen(game, _played(game, count - found, rng), seen)
        seen, found = np.concatenate([seen, names]), found + len(names)
        parts += [some] * bool(len(names))
        idle = 0 if len(names) else idle + 1
        if idle == PATIENCE:
            raise BadOption(f"random play of {game.name} finds only {found} of {count} different positions")
    return taken(joined(parts), slice(0, count)) if parts else taken(stacked([game.start()]), slice(0, 0))


def _check(game: CompiledGame, kind: str) -> None:
    if game.name != "morris":
        raise BadOption(f"{kind} starts are made for morris only, not for {game.name}; set their number to 0")


def _starts(game: CompiledGame, count: int, draw: Any) -> list[Morris]:
    found: list[Morris] = []
    while len(found) < count:
        position = draw()
        if game.moves(position):
            found.append(position)
    return found


def _unequal(rng: np.random.Generator) -> Morris:
    better, worse, hand = ADVANTAGES[rng.integers(len(ADVANTAGES))]
    stones = [_number(name) for name in f"{better} {worse}".split()]
    for _ in range(rng.integers(MOST_MOVED + 1)):
        empty = [cell for cell in range(24) if cell not in stones]
        stones[rng.integers(len(stones))] = empty[rng.integers(len(empty))]
    strong = len(better.split())
    mine, theirs = stones[:strong], stones[strong:]
    position = _position(mine, theirs, hand) if rng.integers(2) else _position(theirs, mine, hand)
    return permuted(position, SYMMETRIES[rng.integers(len(SYMMETRIES))])


def _random(rng: np.random.Generator) -> Morris:
    owned, their_owned = rng.integers(3, STONES + 1, 2)
    hand = int(rng.integers(min(owned, their_owned) + 1))
    cells = rng.permutation(24)[: owned + their_owned - 2 * hand].tolist()
    return _position(cells[: owned - hand], cells[owned - hand :], hand)


def _position(mine: list[int], theirs: list[int], hand: int) -> Morris:
    mask, their_mask = (np.uint64(sum(1 << cell for cell in side)) for side in (mine, theirs))
    return Morris(mask, their_mask, hand, hand, 2 * (STONES - hand))


def _number(name: str) -> int:
    return BIT[CELLS.index(name) + 1] - 1


def _unseen(game: CompiledGame, batch: Any, seen: NDArray[np.uint64]) -> tuple[Any, NDArray[np.uint64]]:
    """Return the positions of *batch* that are new up to symmetry, in order, and the names of their orbits."""
    names = orbit_names(game, batch)
    _, first = np.unique(names, return_index=True)
    first = np.sort(first)
    new = first[~np.isin(names[first], seen)]
    return taken(batch, new), names[new]


def _played(game: CompiledGame, wanted: int, rng: np.random.Generator) -> Any:
    """Return positions of some random games: more than are wanted if that is cheap."""
    if game.name == "morris":
        return wander(min(GAMES, wanted // 4 + 10), plies=PLIES, rng=rng)
    return stacked([position for _ in range(min(100, wanted // 10 + 10)) for position in _walk(game, rng)])


def _walk(game: CompiledGame, rng: np.random.Generator) -> list[Any]:
    """Return some positions of one random game."""
    position = game.start()
    found: list[Any] = []
    for _ in range(PLIES):
        moves = game.moves(position)
        if not moves or game.drawn(position):
            break
        if not found or rng.integers(ONE_IN) == 0:
            found.append(position)
        position = rules.play(position, moves[rng.integers(len(moves))])
    return found
