"""Any position as text or SVG, from the game's board and what stands on its cells.

A drawing refers to nothing outside itself and gives nothing in it an id, so that one page can hold many of them; it
follows the reader's choice of light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from understudy.protocols import Board

MARKS = {"": ".", "white": "O", "black": "X"}
"""How stones look in text; a chess piece is its own letter."""
PAINTS = {"white": "\x1b[1;38;5;172m", "black": "\x1b[1;38;5;33m"}
"""Orange and blue of the terminal's 256: of middling light, so seen on white and on black, and by the colour-blind."""
FAINT, PLAIN = "\x1b[2m", "\x1b[0m"

CELL = 48
BOX = 45
"""The side of the square that holds a stone: what python-chess draws its pieces in."""
HEATS = ((0.0, 0.0), (0.005, 0.1), (0.1, 0.38), (0.5, 0.75), (1.0, 0.95))
"""How opaque heat is at some shares: steep at first, since eyes must tell 1 % from none, but not 90 % from 91."""
INVISIBLE = 0.0002
"""Heat up to this share could not be seen and is left out."""

STYLE = """
.us-board{max-width:100%;height:auto;font-family:system-ui,sans-serif;-webkit-user-select:none;user-select:none}
.us-paper{fill:#f6efe0}.us-line{stroke:#6b5c48;stroke-width:2;stroke-linecap:round}.us-dot{fill:#6b5c48}
.us-light{fill:#f0dcb8}.us-dark{fill:#bd916b}.us-edge{fill:none;stroke:#8a6a4c;stroke-width:1.5}
.us-name{font-size:12px;text-anchor:middle;fill:#75664f}
.us-white{fill:#fffdf7;stroke:#4a4036;stroke-width:1.5}.us-black{fill:#2b2622;stroke:#120f0d;stroke-width:1.5}
.us-rim{fill:none;stroke:#8a7f70;stroke-width:1;opacity:.45}
.us-mark{fill:#ffd84d;fill-opacity:.5;stroke:#a86a00;stroke-width:2.5}
.us-heat,.us-more{fill:#2f6fde}.us-less{fill:#d9822b}.us-hatch{fill:none;stroke:#4a4036;stroke-width:1;opacity:.38}
.us-arrow{fill:#1557b8}.us-drop{fill:none;stroke:#1557b8}
.us-badge{fill:#1557b8;stroke:#fff;stroke-width:1}.us-badge-text{font-size:11px;font-weight:700;text-anchor:middle;fill:#fff}
.us-number{font-size:11px;font-weight:600;text-anchor:middle;fill:#2b2622;stroke:#fffdf7;stroke-width:3;paint-order:stroke}
.us-on-black{fill:#fff;stroke:none}.us-on-white{stroke:none}
.us-quiet .us-paper,.us-quiet .us-light{fill:#f7f5f1}.us-quiet .us-dark{fill:#e6e1d9}
.us-quiet .us-edge{stroke:#b5aca0}.us-quiet .us-line{stroke:#a89d8e}.us-quiet .us-dot{fill:#a89d8e}
@media (prefers-color-scheme:dark){
.us-paper{fill:#2a2621}.us-lined .us-paper{fill:#54473a}.us-line{stroke:#a8977e}.us-dot{fill:#a8977e}
.us-name{fill:#bcae98}.us-light{fill:#c4a882}.us-dark{fill:#8c6848}.us-edge{stroke:#5c4733}
.us-white{fill:#f3ecdd;stroke:#1a1714}.us-black{fill:#14110f;stroke:#000}
.us-mark{fill:#ffc93d;fill-opacity:.4;stroke:#ffd978}
.us-heat,.us-more{fill:#5c9dff}.us-less{fill:#e8a04d}.us-hatch{stroke:#fff;opacity:.28}
.us-arrow{fill:#1f6be0}.us-drop{stroke:#4a8cff}.us-badge{fill:#1f6be0}
.us-number{fill:#fff;stroke:#2a2621}.us-on-black{stroke:none}.us-on-white{fill:#1c1916;stroke:none}
.us-quiet .us-paper,.us-quiet .us-light{fill:#57524b}.us-quiet .us-dark{fill:#4b4640}.us-quiet .us-name{fill:#d6cfc4}
.us-quiet .us-edge{stroke:#3d3933}.us-quiet .us-line{stroke:#8f877b}.us-quiet .us-dot{fill:#8f877b}
}
"""
"""Every drawing's colours; all classes begin with `us-` because drawings inside a page share its styles."""


class Arrow(NamedTuple):
    """Where a stone goes, or what happens on one cell."""

    origin: int | None
    """None draws a ring around *to*, as for a stone that is put there."""
    to: int
    strength: float = 1.0
    """From 0, thin and pale, to 1."""
    text: str = ""


def draw_text(board: Board, stones: Sequence[str], *, marked: Collection[int] = (), colour: bool = False) -> str:
    """Return the position as lines of text with the names of rows and columns at the edge; *marked* in brackets."""
    columns, rows = _extent(board)
    wide, high = (4, 2) if board.lines else (2, 1)
    spots = [(round(x * wide) + 1, round(y * high)) for x, y in board.places]  # a bracket may stand before column a
    canvas = [[" "] * (columns * wide + 3) for _ in range(rows * high + 1)]
    for a, b in board.lines:
        _rule(canvas, spots[a], spots[b])
    for x, y in (spots[cell] for cell in marked):
        canvas[y][x - 1] = "|" if canvas[y][x - 1] == "]" else "["
        canvas[y][x + 1] = "|" if canvas[y][x + 1] == "[" else "]"
    for (x, y), stone in zip(spots, stones, strict=True):
        canvas[y][x] = MARKS.get(stone, stone)
    if colour:
        _paint(canvas, dict(zip(spots, stones, strict=True)))
    names = {y * high: str(y + 1) for y in range(rows + 1)}
    margin = max(map(len, names.values()))
    lines = [f"{names.get(y, ''):>{margin}}{''.join(canvas[y])}".rstrip() for y in range(len(canvas) - 1, -1, -1)]
    footer = "".join(f"{_letter(x):<{wide}}" for x in range(columns + 1))
    return "\n".join([*lines, f"{'':>{margin}} {footer}".rstrip()])


def draw_svg(
    board: Board,
    stones: Sequence[str],
    *,
    title: str = "",
    description: str = "",
    marked: Collection[int] = (),
    heat: Mapping[int, float] | None = None,
    forbidden: Collection[int] = (),
    arrows: Sequence[tuple[int | None, int, float, str]] = (),
    labels: Mapping[int, str] | None = None,
) -> str:
    """Return the position as an SVG picture.

    *marked* cells stand out, such as those of the last move; *heat* fills cells by a share from 0 to 1; *forbidden*
    cells are hatched; *arrows* are `Arrow`s or such tuples, the strongest on top; *labels* are short texts on cells.
    """
    spots = locate_cells(board)
    parts = [*_head(board, title, description, quiet=heat is not None), *draw_ground(board)]
    parts += [_group("marks", [_moved(shape_mark(board), *spots[cell]) for cell in sorted(marked)])]
    parts += _below(board, heat or {}, forbidden)
    parts += [_group("stones", [_moved(shape_stone(stone), *spot) for spot, stone in zip(spots, stones, strict=True)])]
    parts += _above(board, stones, arrows, labels or {})
    return "\n".join([part for part in parts if part] + ["</svg>\n"])


def draw_ground(board: Board) -> list[str]:
    """Return an empty board: paper, names of rows and columns, squares or lines."""
    width, height = measure_board(board)
    columns, rows = _extent(board)
    names = [(_letter(x), (x + 1) * CELL, height - 7) for x in range(columns + 1)]
    names += [(str(y + 1), 11, (rows - y + 1) * CELL + 4) for y in range(rows + 1)]
    return [
        f'<rect width="{width}" height="{height}" rx="8" class="us-paper"/>',
        *(f'<text x="{x}" y="{y}" class="us-name">{name}</text>' for name, x, y in names),
        *(_lines if board.lines else _squares)(board),
    ]


def draw_overlay(
    board: Board,
    stones: Sequence[str],
    *,
    heat: Mapping[int, float] | None = None,
    forbidden: Collection[int] = (),
    arrows: Sequence[tuple[int | None, int, float, str]] = (),
    labels: Mapping[int, str] | None = None,
    values: Mapping[int, float] | None = None,
) -> str:
    """Return what lies over a board that somebody else draws: a group for below its stones, and one for above.

    *values* fill cells from lost (-1) to won (1); the others are those of `draw_svg`.
    """
    spots = locate_cells(board)
    tints = [_tint(*spots[cell], value) for cell, value in (values or {}).items()]
    below = [*tints, *_below(board, heat or {}, forbidden)]
    return _group("under", below) + _group("over", _above(board, stones, arrows, labels or {}))


def _below(board: Board, heat: Mapping[int, float], forbidden: Collection[int]) -> list[str]:
    spots = locate_cells(board)
    warm = [_heat(*spots[cell], share) for cell, share in heat.items() if share > INVISIBLE]
    return warm + [_hatch(*spots[cell]) for cell in sorted(forbidden)]


def _above(
    board: Board,
    stones: Sequence[str],
    arrows: Sequence[tuple[int | None, int, float, str]],
    labels: Mapping[int, str],
) -> list[str]:
    spots = locate_cells(board)
    ranked = sorted((Arrow(*arrow) for arrow in arrows), key=lambda arrow: -arrow.strength)
    drawn = [_arrow(spots, arrow) for arrow in reversed(ranked)] + _badges(spots, ranked)
    return drawn + [_label(*spots[cell], text, stones[cell]) for cell, text in labels.items()]


def measure_board(board: Board) -> tuple[int, int]:
    """Return the width and the height of a drawing."""
    columns, rows = _extent(board)
    return (columns + 2) * CELL, (rows + 2) * CELL


def locate_cells(board: Board) -> list[tuple[float, float]]:
    """Return the middle of each cell in a drawing."""
    rows = _extent(board)[1]
    return [((x + 1) * CELL, (rows - y + 1) * CELL) for x, y in board.places]


@cache
def shape_stone(stone: str) -> str:
    """Return the drawing of a stone in a square with the side `BOX`."""
    if stone in ("", "white", "black"):
        return stone and f'<circle cx="22.5" cy="22.5" r="17" class="us-{stone}"/>{RIM}'
    import chess.svg  # the drawings of chess pieces; no other game needs them

    shape = re.sub(r'^<g id="[^"]*" class="[^"]*"', '<g class="us-p"', chess.svg.PIECES[stone])
    return re.sub(r'style="([^"]*)"', _write_attributes, shape)


def _write_attributes(style: re.Match[str]) -> str:
    """Return a style as attributes of its own: pages with a strict content policy take no styles within elements."""
    settings = (setting.partition(":") for setting in style[1].split(";") if setting.strip())
    return " ".join(f'{name.strip()}="{value.strip()}"' for name, _, value in settings)


RIM = '<circle cx="22.5" cy="22.5" r="12.5" class="us-rim"/>'


def shape_mark(board: Board) -> str:
    """Return the drawing of a mark under a stone, in a square with the side `BOX`."""
    if board.lines:
        return '<circle cx="22.5" cy="22.5" r="22" class="us-mark"/>'
    return '<rect x="0" y="0" width="45" height="45" rx="3" class="us-mark"/>'


def _extent(board: Board) -> tuple[int, int]:
    return int(max(x for x, _ in board.places)), int(max(y for _, y in board.places))


def _letter(column: int) -> str:
    return chr(ord("a") + column) if column < 26 else f"a{chr(ord('a') + column - 26)}"


def _rule(canvas: list[list[str]], a: tuple[int, int], b: tuple[int, int]) -> None:
    """Draw a line along a row or a column, without its ends."""
    (ax, ay), (bx, by) = sorted((a, b))
    for x in range(ax + 1, bx):
        canvas[ay][x] = "-"
    for y in range(min(ay, by) + 1, max(ay, by)):
        canvas[y][ax] = "|"


def _paint(canvas: list[list[str]], stones: Mapping[tuple[int, int], str]) -> None:
    """Give the letters of a board in text their colours."""
    for y, row in enumerate(canvas):
        for x, letter in enumerate(row):
            stone = stones.get((x, y), "")
            if stone:
                row[x] = f"{PAINTS[_side(stone)]}{letter}{PLAIN}"
            elif letter in ("-", "|", "."):
                row[x] = f"{FAINT}{letter}{PLAIN}"


def _side(stone: str) -> str:
    return stone if stone in PAINTS else "white" if stone.isupper() else "black"


def _head(board: Board, title: str, description: str, *, quiet: bool) -> list[str]:
    width, height = measure_board(board)
    kind = "us-board" + " us-lined" * bool(board.lines) + " us-quiet" * quiet
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'class="{kind}" role="img"><title>{escape(title)}</title>',
        f"<desc>{escape(description)}</desc>" if description else "",
        f"<style>{STYLE}</style>",
    ]


def _lines(board: Board) -> list[str]:
    spots = locate_cells(board)
    ends = [(*spots[a], *spots[b]) for a, b in board.lines]
    lines = [f'<path d="M{ax:g} {ay:g}L{bx:g} {by:g}" class="us-line"/>' for ax, ay, bx, by in ends]
    return lines + [f'<circle cx="{x:g}" cy="{y:g}" r="4.5" class="us-dot"/>' for x, y in spots]


def _squares(board: Board) -> list[str]:
    columns, rows = _extent(board)
    half = CELL / 2
    shades = ["dark" if (x + y) % 2 == 0 else "light" for x, y in board.places]
    squares = [
        f'<rect x="{x - half:g}" y="{y - half:g}" width="{CELL}" height="{CELL}" class="us-{shade}"/>'
        for (x, y), shade in zip(locate_cells(board), shades, strict=True)
    ]
    size = f'width="{(columns + 1) * CELL}" height="{(rows + 1) * CELL}"'
    return [*squares, f'<rect x="{half:g}" y="{half:g}" {size} class="us-edge"/>']


def _group(name: str, shapes: list[str]) -> str:
    return f'<g class="us-{name}">{"".join(shapes)}</g>'


def _moved(shape: str, x: float, y: float) -> str:
    return shape and f'<g transform="translate({x - BOX / 2:g} {y - BOX / 2:g})">{shape}</g>'


def _heat(x: float, y: float, share: float) -> str:
    place = f'x="{x - 22:g}" y="{y - 22:g}" width="44" height="44" rx="7"'
    return f'<rect {place} class="us-heat" fill-opacity="{_opacity(min(share, 1.0)):.2f}"/>'


def _tint(x: float, y: float, value: float) -> str:
    """Return the colour of a cell on the scale from lost to won; nothing is pale, both ends are strong."""
    side = "more" if value >= 0 else "less"
    place = f'x="{x - 22:g}" y="{y - 22:g}" width="44" height="44" rx="7"'
    return f'<rect {place} class="us-{side}" fill-opacity="{0.15 + 0.7 * min(abs(value), 1.0):.2f}"/>'


def _opacity(share: float) -> float:
    """Return how opaque the heat of a share is, between the stops of `HEATS`."""
    for (a, low), (b, high) in pairwise(HEATS):
        if share <= b:
            return low + (high - low) * (share - a) / (b - a)
    return HEATS[-1][1]


def _hatch(x: float, y: float) -> str:
    """Return slanting lines over a cell; a pattern would need an id, which the drawings of a page would share."""
    left, top, side = x - 20, y - 20, 40
    strokes = [(left + max(0, d - side), top + min(d, side), left + min(d, side), top + max(0, d - side))
               for d in range(8, 2 * side, 8)]  # fmt: skip
    lines = "".join(f"M{ax:g} {ay:g}L{bx:g} {by:g}" for ax, ay, bx, by in strokes)
    return f'<path d="{lines}" class="us-hatch"/>'


def _arrow(spots: Sequence[tuple[float, float]], arrow: Arrow) -> str:
    """Return an arrow as one outline, since the arrowheads of SVG need ids, too."""
    (bx, by), wide = spots[arrow.to], 2 + 3 * arrow.strength
    style = f'opacity="{0.4 + 0.45 * arrow.strength:.2f}"'
    if arrow.origin is None:
        return f'<circle cx="{bx:g}" cy="{by:g}" r="20" class="us-drop" stroke-width="{wide + 1:g}" {style}/>'
    ax, ay = spots[arrow.origin]
    long = hypot(bx - ax, by - ay) or 1.0
    ux, uy = (bx - ax) / long, (by - ay) / long
    outline = [(8, wide), (long - 20, wide), (long - 20, wide + 7), (long - 2, 0)]
    outline += [(along, -across) for along, across in reversed(outline[:3])]
    corners = [f"{ax + ux * along - uy * across:.1f} {ay + uy * along + ux * across:.1f}" for along, across in outline]
    return f'<path d="M{"L".join(corners)}Z" class="us-arrow" {style}/>'


def _badges(spots: Sequence[tuple[float, float]], arrows: Sequence[Arrow]) -> list[str]:
    """Return the texts of arrows, each at the first place along its arrow where it hides no other."""
    taken: list[tuple[float, float]] = []
    for arrow in (arrow for arrow in arrows if arrow.text):
        places = _badge_places(spots, arrow)
        free = [(x, y) for x, y in places if all(hypot(x - a, y - b) > 18 for a, b in taken)]
        taken.append((free or places)[0])
    texts = [arrow.text for arrow in arrows if arrow.text]
    return [_badge(x, y, text) for (x, y), text in zip(taken, texts, strict=True)]


def _badge_places(spots: Sequence[tuple[float, float]], arrow: Arrow) -> list[tuple[float, float]]:
    bx, by = spots[arrow.to]
    if arrow.origin is None:
        return [(bx + right, by + down) for right, down in ((15, -15), (-15, -15), (15, 15), (-15, 15))]
    ax, ay = spots[arrow.origin]
    long = hypot(bx - ax, by - ay) or 1.0
    aside = 13 / long if long < 2 * CELL else 0.0  # on a short arrow the text would hide the head
    shares = (0.5, 0.65, 0.35, 0.2)
    return [(ax + (bx - ax) * s - (by - ay) * aside, ay + (by - ay) * s + (bx - ax) * aside) for s in shares]


def _badge(x: float, y: float, text: str) -> str:
    wide = 10 + 7 * len(text)
    box = f'<rect x="{x - wide / 2:.1f}" y="{y - 8.5:.1f}" width="{wide}" height="17" rx="8.5" class="us-badge"/>'
    return f'{box}<text x="{x:.1f}" y="{y + 4:.1f}" class="us-badge-text">{escape(text)}</text>'


def _label(x: float, y: float, text: str, stone: str) -> str:
    """Return a text in the middle of a cell or of its stone, in a corner beside a chess piece, which it would hide."""
    on = f" us-on-{stone}" if stone in PAINTS else ""
    right, down = (0, 4) if stone in MARKS else (14, -12)
    return f'<text x="{x + right:g}" y="{y + down:g}" class="us-number{on}">{escape(text)}</text>'
