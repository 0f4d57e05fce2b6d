"""Positions, thoughts, games and tables as pictures: SVG and fragments of HTML for notebooks, reports and pages.

A fragment brings its own style, refers to nothing outside itself and follows the reader's choice of light or dark.
"""

from __future__ import annotations

from understudy.games.drawing import draw_svg
from understudy.pictures.films import picture_game
from understudy.pictures.forms import picture_table
from understudy.pictures.thoughts import picture_thought
from understudy.protocols import Game, Position

__all__ = ["picture_game", "picture_position", "picture_table", "picture_thought"]


def picture_position(game: Game, position: Position, *, marked: tuple[int, ...] = ()) -> str:
    """Return a position as an SVG picture; *marked* cells stand out, such as those of the last move."""
    title = f"{game.name}: {game.write(position)}"
    mover = game.colours[position.ply % 2]
    return draw_svg(game.board, game.stones(position), title=title, description=f"{mover} to move", marked=marked)
