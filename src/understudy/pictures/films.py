"""A game as a small film in HTML: one board that a short script sets to any ply, its moves, and the players' opinions.

Without the script a reader sees the last board, all moves, the opinions and the result.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from understudy.games.drawing import BOX, draw_svg, locate_cells, shape_mark, shape_stone
from understudy.match import Played
from understudy.pictures.forms import make_card, read_part
from understudy.pictures.traces import find_changes
from understudy.protocols import Game

CODES = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A letter for each kind of stone: a film then holds a board in as many letters as it has cells."""
WIDTH, HEIGHT, MARGIN = 640.0, 150.0, 10.0
"""Of the graph of opinions; the margin keeps the ends of its lines and their dots inside."""


class Frame(NamedTuple):
    """A board of a film."""

    stones: tuple[str, ...]
    marked: tuple[int, ...]
    """The cells that the move before it changed."""
    move: str
    """That move as text; empty before the first."""
    mover: int
    """Who made it: 0 has the even plies."""


def picture_game(game: Game, played: Played, *, title: str = "") -> str:
    """Return a finished game as a film in a fragment of HTML."""
    frames = list_frames(game, played)
    last = frames[-1]
    name = title or f"a game of {game.name.replace('_', ' ')}"
    board = draw_svg(game.board, last.stones, title=name, description=_result(game, played), marked=last.marked)
    data = escape(json.dumps(_script(game, frames), separators=(",", ":")))
    film = f'<div class="us-film" role="group" aria-label="{escape(name)}" tabindex="0" data-film="{data}">'
    stage = f'<div class="us-stage">{board}{CONTROLS}</div>'
    return make_card(
        "game",
        f'<p class="us-choice">{escape(name)}</p>\n<p class="us-says">{escape(_result(game, played))}</p>',
        f'{film}\n<div class="us-side">{stage}\n{_moves(game, played, frames)}</div>',
        f"{_opinions(game, played, frames)}</div>",
        f"<script>\n{read_part('film.js')}</script>",
    )


CONTROLS = """
<div class="us-controls" hidden>
<button type="button" data-go="first" aria-label="first board">⇤</button>
<button type="button" data-go="previous" aria-label="previous board">←</button>
<button type="button" data-go="play" aria-label="play">play</button>
<button type="button" data-go="next" aria-label="next board">→</button>
<button type="button" data-go="last" aria-label="last board">⇥</button>
<input type="range" min="0" value="0" aria-label="ply"><output></output>
</div>"""


def list_frames(game: Game, played: Played) -> list[Frame]:
    """Return the boards of a game from its start to its end."""
    position: Any = game.start() if played.start is None else played.start
    frames = [Frame(game.stones(position), (), "", 1 - position.ply % 2)]
    for move in played.moves:
        text, mover = game.write_move(position, move), position.ply % 2
        position = game.play(position, move)
        stones = game.stones(position)
        frames.append(Frame(stones, find_changes(frames[-1].stones, stones), text, mover))
    return frames


def _result(game: Game, played: Played) -> str:
    winner = game.colours[0 if played.result > 0 else 1]
    result = "A draw" if played.result == 0 else f"{winner.capitalize()} wins"
    plies = f"{len(played.moves)} {'ply' if len(played.moves) == 1 else 'plies'}"
    return f"{result} after {plies}: {played.reason}."


def _script(game: Game, frames: Sequence[Frame]) -> dict[str, Any]:
    """Return what the script needs: where cells are, how stones look, and each board as letters."""
    kinds = sorted({"", *(stone for frame in frames for stone in frame.stones)})
    code = dict(zip(kinds, CODES, strict=False))
    corners = [(x - BOX / 2, y - BOX / 2) for x, y in locate_cells(game.board)]
    return {
        "corners": corners, "shapes": {code[kind]: shape_stone(kind) for kind in kinds}, "mark": shape_mark(game.board),
        "frames": [["".join(code[stone] for stone in frame.stones), frame.marked] for frame in frames],
        "texts": [_say(game, ply, frame) for ply, frame in enumerate(frames)],
    }  # fmt: skip


def _say(game: Game, ply: int, frame: Frame) -> str:
    return f"{ply}. {game.colours[frame.mover]} {frame.move}" if ply else "start"


def _moves(game: Game, played: Played, frames: Sequence[Frame]) -> str:
    given = '<span class="us-aside">given</span>'
    items = "".join(
        f'<li value="{ply}" data-ply="{ply}"><span class="us-man us-man-{escape(game.colours[frame.mover])}"></span>'
        f"{escape(frame.move)} {given if ply <= played.opening else ''}</li>\n"
        for ply, frame in enumerate(frames)
        if ply
    )
    return f'<ol class="us-plies">{items}</ol>'


def _opinions(game: Game, played: Played, frames: Sequence[Frame]) -> str:
    """Return the graph of what each side expected, as the side of the even plies sees it."""
    if all(value is None for value in played.values):
        return ""
    # A mover speaks for its own side: turned round for the odd plies, agreement of both players is two equal lines.
    points = [
        (ply, frame.mover, value if frame.mover == 0 else -value)
        for ply, (frame, value) in enumerate(zip(frames[1:], played.values, strict=False), 1)
        if value is not None
    ]
    sides = [side for side in (0, 1) if any(mover == side for _, mover, _ in points)]
    curves = [
        _curve([(ply, value) for ply, mover, value in points if mover == side], len(frames), side) for side in sides
    ]
    keys = [f'<span class="us-key us-key-{side}">{escape(game.colours[side])} thinks</span>' for side in sides]
    first, second = map(escape, game.colours)
    scale = f"Who will win: {first} at the top, {second} at the bottom"
    return (
        f'<figure class="us-opinions"><figcaption>{scale} {"".join(keys)}</figcaption>'
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" data-margin="{MARGIN:g}"><title>{scale}</title>'
        f'<path class="us-axis" d="M0 {MARGIN:g}H{WIDTH:g}M0 {HEIGHT - MARGIN:g}H{WIDTH:g}"/>'
        f'<path class="us-zero" d="M0 {HEIGHT / 2:g}H{WIDTH:g}"/>{"".join(curves)}<path class="us-cursor" d=""/>'
        "</svg></figure>"
    )


def _curve(points: Sequence[tuple[int, float]], count: int, side: int) -> str:
    """Return one side's opinions as a line that breaks where it gave none, and as dots."""
    wide, high = (WIDTH - 2 * MARGIN) / max(count - 1, 1), HEIGHT / 2 - MARGIN
    spots = [(ply, MARGIN + wide * ply, HEIGHT / 2 - high * max(-1.0, min(1.0, value))) for ply, value in points]
    path = ""
    for place, (ply, x, y) in enumerate(spots):
        joined = place > 0 and ply - spots[place - 1][0] == 2  # the side's own moves are two plies apart
        path += f"{'L' if joined else 'M'}{x:.1f} {y:.1f}"
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>' for _, x, y in spots)
    return f'<g class="us-curve us-curve-{side}"><path d="{path}"/>{dots}</g>'
