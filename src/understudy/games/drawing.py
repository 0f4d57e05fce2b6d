"""Any position as text or SVG, from the game's board and what stands on its cells."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from understudy.protocols import Board

MARKS = {"": ".", "white": "O", "black": "X"}
"""How stones look in text; a chess piece is its own letter."""

CELL = 48
INK, PAPER, LIGHT, DARK = "#3b3227", "#f4ecd8", "#f0d9b5", "#b58863"
FILLS = {"white": "#fffdf7", "black": "#2b2622"}


def draw_text(board: Board, stones: Sequence[str]) -> str:
    """Return the position as lines of text with the names of rows and columns at the edge."""
    columns, rows = _extent(board)
    wide, high = (4, 2) if board.lines else (2, 1)
    canvas = [[" "] * (columns * wide + 1) for _ in range(rows * high + 1)]
    for a, b in board.lines:
        _rule(canvas, _spot(board.places[a], wide, high), _spot(board.places[b], wide, high))
    for place, stone in zip(board.places, stones, strict=True):
        x, y = _spot(place, wide, high)
        canvas[y][x] = MARKS.get(stone, stone)
    label = {y * high: str(y + 1) for y in range(rows + 1)}
    margin = max(map(len, label.values()))
    lines = [f"{label.get(y, ''):>{margin}} {''.join(canvas[y])}".rstrip() for y in range(len(canvas) - 1, -1, -1)]
    footer = "".join(f"{_letter(x):<{wide}}" for x in range(columns + 1))
    return "\n".join([*lines, f"{'':>{margin}} {footer}".rstrip()])


def draw_svg(board: Board, stones: Sequence[str], *, title: str = "", marked: Sequence[int] = ()) -> str:
    """Return the position as an SVG picture; *marked* cells get a ring, such as those of the last move."""
    columns, rows = _extent(board)
    width, height = (columns + 2) * CELL, (rows + 2) * CELL
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" role="img"><title>{escape(title)}</title>',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    parts += _lines(board, rows) if board.lines else _squares(board, rows)
    parts += _labels(columns, rows)
    for cell, (place, stone) in enumerate(zip(board.places, stones, strict=True)):
        x, y = _centre(place, rows)
        if stone:
            parts.append(_stone(stone, x, y))
        if cell in marked:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="21" fill="none" stroke="#c0392b" stroke-width="3"/>')
    return "\n".join([*parts, "</svg>\n"])


def _extent(board: Board) -> tuple[int, int]:
    return int(max(x for x, _ in board.places)), int(max(y for _, y in board.places))


def _letter(column: int) -> str:
    return chr(ord("a") + column) if column < 26 else f"a{chr(ord('a') + column - 26)}"


def _spot(place: tuple[float, float], wide: int, high: int) -> tuple[int, int]:
    return round(place[0] * wide), round(place[1] * high)


def _rule(canvas: list[list[str]], a: tuple[int, int], b: tuple[int, int]) -> None:
    """Draw a line along a row or a column, without its ends."""
    (ax, ay), (bx, by) = sorted((a, b))
    for x in range(ax + 1, bx):
        canvas[ay][x] = "-"
    for y in range(min(ay, by) + 1, max(ay, by)):
        canvas[y][ax] = "|"


def _centre(place: tuple[float, float], rows: int) -> tuple[float, float]:
    return (place[0] + 1) * CELL, (rows - place[1] + 1) * CELL


def _lines(board: Board, rows: int) -> list[str]:
    ends = [(*_centre(board.places[a], rows), *_centre(board.places[b], rows)) for a, b in board.lines]
    lines = [f'<path d="M{ax:g} {ay:g}L{bx:g} {by:g}" stroke="{INK}" stroke-width="2"/>' for ax, ay, bx, by in ends]
    dots = [_centre(place, rows) for place in board.places]
    return lines + [f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{INK}"/>' for x, y in dots]


def _squares(board: Board, rows: int) -> list[str]:
    half = CELL / 2
    shades = [(_centre(place, rows), DARK if (place[0] + place[1]) % 2 == 0 else LIGHT) for place in board.places]
    return [
        f'<rect x="{x - half:g}" y="{y - half:g}" width="{CELL}" height="{CELL}" fill="{shade}"/>'
        for (x, y), shade in shades
    ]


def _labels(columns: int, rows: int) -> list[str]:
    style = f'font-size="12" text-anchor="middle" fill="{INK}"'
    below = [
        f'<text x="{(x + 1) * CELL}" y="{(rows + 2) * CELL - 6}" {style}>{_letter(x)}</text>'
        for x in range(columns + 1)
    ]
    beside = [f'<text x="10" y="{(rows - y + 1) * CELL + 4}" {style}>{y + 1}</text>' for y in range(rows + 1)]
    return below + beside


def _stone(stone: str, x: float, y: float) -> str:
    if stone in FILLS:
        return f'<circle cx="{x:g}" cy="{y:g}" r="17" fill="{FILLS[stone]}" stroke="{INK}" stroke-width="1.5"/>'
    import chess.svg  # the drawings of chess pieces; no other game needs them

    shape = chess.svg.PIECES[stone]
    return f'<g transform="translate({x - 22.5:g} {y - 22.5:g})">{shape}</g>'
