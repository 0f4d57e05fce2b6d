"""What a player thinks, as drawings that lie over a board which a page draws itself: heat, numbers and arrows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.games.drawing import Arrow, draw_overlay
from understudy.pictures.thoughts import READABLE, STRENGTHS, find_best, find_forbidden
from understudy.pictures.traces import draw_move, find_paths
from understudy.protocols import Move
from understudy.thoughts import Line, Thought

LATER = (0.6, 0.35, 0.2)
"""How strong the arrows of a line's later moves are; more moves would cover the board."""


def overlay_thought(thought: Thought) -> dict[str, Any]:
    """Return all drawings of a thought: its parts, its best moves, its lines, and numbers on destinations."""
    return {
        "parts": [_overlay_part(thought, place) for place in range(len(thought.parts))],
        "moves": _overlay(thought, arrows=_draw_best(thought)),
        "lines": [_overlay(thought, arrows=_draw_line(thought, line)) for line in thought.lines],
        "values": _overlay_values(thought) if thought.kind == "value" else {},
        "changed": describe_change(thought.course, thought),
    }


def describe_change(course: Sequence[Line], thought: Thought) -> str:
    """Return at which depth a search came to hold best what it holds best in the end; nothing if it always did."""
    firsts = [line.moves[0] for line in course if line.moves]
    changes = [
        line.depth for line, before in zip(course[1:], course, strict=False) if line.moves[:1] != before.moves[:1]
    ]
    if not changes or len(firsts) < 2:
        return ""
    return f"changed its mind at depth {changes[-1]}, from {thought.write(firsts[firsts.index(firsts[-1]) - 1])}"


def _overlay(thought: Thought, **layers: Any) -> str:
    return draw_overlay(thought.game.board, thought.game.stones(thought.position), **layers)


def _overlay_part(thought: Thought, place: int) -> str:
    """Return how likely each cell is for one part, those that no legal move has hatched."""
    part = thought.parts[place]
    heat = {cell: part.cells.get(name, 0.0) for cell, name in enumerate(thought.game.board.cells)}
    labels = {cell: f"{100 * share:.0f}" for cell, share in heat.items() if share >= READABLE}
    return _overlay(thought, heat=heat, forbidden=find_forbidden(thought, place), labels=labels)


def _draw_best(thought: Thought) -> list[Arrow]:
    best, arrows = find_best(thought), []
    for rank, move in enumerate(best):
        text = str(rank + 1) if len(best) > 1 else ""
        arrows += draw_move(thought.game, thought.position, move, STRENGTHS[rank], text)
    return arrows


def _draw_line(thought: Thought, line: Line) -> list[Arrow]:
    """Return arrows for the first moves of a line, each weaker than the one before."""
    position, arrows = thought.position, []
    for number, (move, strength) in enumerate(zip(line.moves, (1.0, *LATER), strict=False), 1):
        arrows += draw_move(thought.game, position, move, strength, str(number))
        position = thought.game.play(position, move)
    return arrows


def _overlay_values(thought: Thought) -> dict[str, str]:
    """Return the values on the cells where moves end: the best move to each cell, and those from each cell."""
    cells, paths = thought.game.board.cells, find_paths(thought.game, thought.position)
    ends: dict[str, dict[int, float]] = {"": {}}
    for move, value in _value_moves(thought).items():
        path = paths[move].cells
        if not path:
            continue
        # A stone that is taken is pointed at last; what counts as the end of a move is where a stone arrives.
        target = path[min(1, len(path) - 1)]
        for start in ("", *([cells[path[0]]] if len(path) > 1 else [])):
            at = ends.setdefault(start, {})
            at[target] = max(value, at.get(target, value))
    return {start: _overlay(thought, values=at, labels=_write_values(at)) for start, at in ends.items()}


def _value_moves(thought: Thought) -> dict[Move, float]:
    return {one.move: one.number for one in thought.moves if one.legal and one.number is not None}


def _write_values(values: Mapping[int, float]) -> dict[int, str]:
    return {cell: "0.0" if abs(value) < 0.05 else f"{value:+.1f}" for cell, value in values.items()}
