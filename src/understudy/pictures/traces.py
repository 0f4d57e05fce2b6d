"""Which cells a move touches, from what stands on the board before and after it: no game has to say so itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from understudy.games.drawing import Arrow
from understudy.protocols import Game, Move, Path, Position


class Trace(NamedTuple):
    """What a move does to the stones."""

    steps: tuple[tuple[int | None, int], ...]
    """Where each stone comes from and goes to; from None is put on the board."""
    taken: tuple[int, ...]
    """Cells whose stones leave the board."""


def trace_move(game: Game, position: Position, move: Move) -> Trace:
    """Return what a legal move does to the stones."""
    return trace_stones(game.stones(position), game.stones(game.play(position, move)))


def find_paths(game: Game, position: Position) -> dict[Move, Path]:
    """Return the cells that a person points at for each legal move: as the game says, else by what the move changes."""
    paths = {move: game.path(position, move) for move in game.moves(position)}
    traces = {move: trace_move(game, position, move) for move, path in paths.items() if path is None}
    steps = {move: _find_steps(trace) for move, trace in traces.items()}
    several = {cells for cells, times in Counter(steps.values()).items() if times > 1}
    found = {move: cells + traces[move].taken if cells in several else cells for move, cells in steps.items()}
    again = Counter(found.values())
    named = {move: Path(cells, game.write_move(position, move) if not cells or again[cells] > 1 else "")
             for move, cells in found.items()}  # fmt: skip
    return {move: path or named[move] for move, path in paths.items()}


def _find_steps(trace: Trace) -> tuple[int, ...]:
    """Return where the first stone that moves stands and goes; where none does, the stones that leave the board."""
    if not trace.steps:
        return trace.taken
    origin, to = trace.steps[0]
    return (to,) if origin is None else (origin, to)


def draw_move(game: Game, position: Position, move: Move, strength: float, text: str = "") -> list[Arrow]:
    """Return the arrows of a legal move, and a ring for each stone that it takes without jumping over it."""
    if move not in game.moves(position):
        return []
    trace = trace_move(game, position, move)
    arrows = [Arrow(origin, to, strength, text) for origin, to in trace.steps]
    # A stone that is jumped or replaced lies under the arrow; others need a ring of their own.
    rings = trace.taken if game.board.lines or not any(origin is not None for origin, _ in trace.steps) else ()
    return arrows + [Arrow(None, cell, strength, f"{text}×") for cell in rings]


def find_changes(before: Sequence[str], after: Sequence[str]) -> tuple[int, ...]:
    """Return the cells on which something else stands than before."""
    return tuple(cell for cell, (old, new) in enumerate(zip(before, after, strict=True)) if old != new)


def trace_stones(before: Sequence[str], after: Sequence[str]) -> Trace:
    """Return which stones went where between two boards."""
    changed = find_changes(before, after)
    left = [cell for cell in changed if not after[cell]]
    steps: list[tuple[int | None, int]] = []
    for to in (cell for cell in changed if after[cell]):
        origin = _find_origin(before, after[to], left)
        steps.append((origin, to))
        left = [cell for cell in left if cell != origin]
    return Trace(tuple(steps), tuple(left))


def _find_origin(before: Sequence[str], stone: str, left: Sequence[int]) -> int | None:
    """Return the cell that a stone left: the same stone stood there, or one of its colour that was promoted."""
    same = [cell for cell in left if before[cell] == stone]
    # Colours are written small, so that letters of chess pieces tell their colour by their case.
    kin = [cell for cell in left if len(stone) == len(before[cell]) == 1 and before[cell].isupper() == stone.isupper()]
    return next(iter(same or kin), None)
