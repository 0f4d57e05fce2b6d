"""What a perfect teacher leaves behind: boards of random games, each with who wins it, proven by the solver.

A board is a position after a move; it is worth 1 if who moved wins with best play, else 0, or a little more if many
replies would throw the win away: where everything is lost, that is what there is to hope for. Boards on which students
are examined later can be left out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import FileError
from understudy.games import CompiledGame
from understudy.games.batches import joined, size, taken, unknown
from understudy.solve import FEW_CELLS, Decider, shared_decider
from understudy.tensors import load_arrays, save_arrays

CHUNK = 5_000
"""Boards that are solved at once, between two signs of progress."""
EARLY, FEW = 3, 0.1
"""Boards of the first plies, a third of the cells, and which share of them is solved."""
ROUNDS = 20
"""After so many times the wanted number of random games a board has no more positions to give."""


class Solved(NamedTuple):
    """Boards after a move, seen by the side to move next, and what each is worth to who moved, 0 to 1."""

    boards: Any
    """A batch."""
    values: NDArray[np.float32]


def solve_boards(
    game: CompiledGame,
    wanted: int,
    *,
    seed: int,
    without: NDArray[np.uint64],
    hope: float = 0.0,
    progress: Callable[[float], None] = lambda share: None,
) -> Solved:
    """Return *wanted* boards, or all that random games have, no two of them images, except those named in *without*.

    A lost board is worth *hope* times the share of replies that do not win.
    """
    rng = np.random.default_rng([seed, 0xB0A2D])
    boards = _sampled(game, wanted, rng, without)
    order = np.argsort(-boards.ply, kind="stable")  # late boards are cheap, and help to prove early ones
    values = np.zeros(size(boards), np.float32)
    for row in range(0, size(boards), CHUNK):
        part = order[row : row + CHUNK]
        values[part] = _worth(shared_decider(game), taken(boards, part), hope)
        progress(min(1.0, (row + CHUNK) / size(boards)))
    return Solved(boards, values)


def _worth(solver: Decider, boards: Any, hope: float) -> NDArray[np.float32]:
    """Return what boards are worth to who moved."""
    won = ~solver.solve(boards)
    values = won.astype(np.float32)
    if hope:
        replies = solver.solve_moves(taken(boards, ~won))  # whoever has lost a board leaves a reply
        values[~won] = hope * (1 - replies.winning / replies.counts)
    return values


def _sampled(game: CompiledGame, wanted: int, rng: np.random.Generator, without: NDArray[np.uint64]) -> Any:
    """Return the boards after every move of one position of each random game, in random order; all of a small board."""
    if len(game.board.cells) <= FEW_CELLS:
        whole = game.batches.successors(game.batches.every_position(game)).after
        return taken(whole, unknown(game.batches.class_names(game.start(), whole), without))
    boards: list[Any] = []
    for _ in range(ROUNDS):
        games = game.batches.wander(*game.size, max(wanted // 4, 1000), rng=rng)
        more = _thinned(game.batches.successors(games).after, rng)
        whole = joined([*boards, more])
        boards = [taken(whole, unknown(game.batches.class_names(game.start(), whole), without))]
        if size(boards[0]) >= wanted:
            break
    return taken(boards[0], rng.permutation(size(boards[0]))[:wanted])


def _thinned(boards: Any, rng: np.random.Generator) -> Any:
    """Return the late boards, and of the early ones a few: they cost a thousand times as much to solve."""
    early = boards.ply <= boards.rows * boards.columns // EARLY
    return taken(boards, ~early | (rng.random(size(boards)) < FEW))


def imaged(game: CompiledGame, solved: Solved) -> Solved:
    """Return every board in all its images."""
    turned = game.batches.images(game.start(), solved.boards)
    return Solved(turned, np.tile(solved.values, size(turned) // max(len(solved.values), 1)))


def some(solved: Solved, rows: Any) -> Solved:
    """Return some of the boards."""
    return Solved(taken(solved.boards, rows), solved.values[rows])


def save_solved(solved: Solved, path: Path) -> None:
    """Write boards and what they are worth, whole or not at all."""
    save_arrays(path, {**solved.boards._asdict(), "values": solved.values}, {})


def load_solved(path: Path, game: CompiledGame) -> Solved:
    """Return what `save_solved` wrote."""
    arrays, _ = load_arrays(path, "solved boards")
    kind = type(game.start())
    missing = {*kind._fields, "values"} - set(arrays)
    if missing:
        raise FileError(f"{str(path)!r} does not hold solved boards: {min(missing)} is missing; delete the file")
    return Solved(kind._make(arrays[name] for name in kind._fields), arrays["values"])
