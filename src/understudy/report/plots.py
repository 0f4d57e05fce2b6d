"""Drawings as SVG that belongs inside a page: colours and letters are the page's, so they follow light and dark.

Matplotlib knows no style sheets, so it draws in colours that stand for names, and these are exchanged afterwards.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from understudy.report.blocks import SPACE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Formatter, Locator

WIDTH, HEIGHT = 360, 216
"""In points; small, so that letters stay readable where a page is narrow."""

ROW, MARGIN = 13, 40
"""Points that a named line takes, and what is below all of them."""

STEPS = [1, 2, 5, 10]
"""Between the numbers beside an axis."""

DENSE = 180
"""Points that fill a picture with a line one point wide; lines of many are drawn thinner."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Beside its colour a line has a marker: colours alone are not for everybody, and nobody tells eight apart."""

MARKED_FROM = 3
"""As many lines need markers; two are told apart by their colours."""

MARKS = 7
"""Markers on a line, about; more would hide it."""

COLOURS = 8
"""As many as `style.css` has for lines; more lines begin with the first again."""
_LINES = [f"#a0{place:02x}01" for place in range(COLOURS)]
_MUTED, _RULE = "#a0ff01", "#a0ff02"
_NAMES = {_MUTED: "var(--muted)", _RULE: "var(--rule)"} | {
    colour: f"var(--line-{place + 1})" for place, colour in enumerate(_LINES)
}
"""What stands in the page for colours that nothing else uses: a page is light or dark, and only its style knows."""


OWN = "plot-"
"""Begins every name inside a drawing; a page that holds several puts a number into it."""


class Line(NamedTuple):
    """Points joined by a line; quiet lines are thin and dashed, or dotted."""

    xs: Sequence[float]
    ys: Sequence[float]
    colour: int
    quiet: bool = False
    dotted: bool = False
    """Of a quiet line: what somebody else measured, beside a dashed one of ours."""


class Band(NamedTuple):
    """What lies between two lines, lightly filled."""

    xs: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    colour: int


def draw_lines(
    lines: Sequence[Line],
    *,
    across: str,
    bands: Sequence[Band] = (),
    decimals: int = 0,
    low: float | None = None,
    high: float | None = None,
    shares: bool = True,
) -> str:
    """Return lines over numbers, from *low* to *high* if told; upwards are *shares* as percentages, or numbers."""
    whole = all(float(x).is_integer() for line in lines for x in line.xs)

    def draw(axes: Axes) -> None:
        for band in bands:
            colour = _LINES[band.colour % COLOURS]
            axes.fill_between(band.xs, band.lows, band.highs, color=colour, alpha=0.15, linewidth=0)
        for line in lines:
            axes.plot(line.xs, line.ys, color=_LINES[line.colour % COLOURS], **_marks(line, lines) | _pen(line))
        axes.set_xlabel(across)
        axes.set_ylim(low, high)
        axes.xaxis.set_major_locator(_place_ticks(6, steps=STEPS, integer=whole))
        axes.xaxis.set_major_formatter(_write_ticks(lambda x, _: _write_number(x)))
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(
            _write_ticks(lambda y, _: f"{100 * y:.{decimals}f} %" if shares else _write_number(y))
        )

    return _drawn(draw)


class Curve(NamedTuple):
    """A line with its name, and the band around it."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    colour: int


LETTER, LINE = 4.5, 0.07
"""What a letter takes of the width of a picture, in points, and a line of letters of the height of its axes."""


def draw_named(curves: Sequence[Curve], *, across: str) -> str:
    """Return shares over numbers that grow evenly; the name of each curve stands to its right, its band around it."""
    least, most = (choose(x for curve in curves for x in curve.xs) for choose in (min, max))
    bottom, high = min(min(curve.lows) for curve in curves), max(max(curve.highs) for curve in curves)
    bottom, high = max(0.0, bottom - 0.03), min(1.0, high + 0.03)
    span = max(most - least, 1.0)
    beside, room = most + 0.04 * span, LETTER * max(len(curve.name) for curve in curves) + 14
    whole = all(float(x).is_integer() for curve in curves for x in curve.xs)

    def draw(axes: Axes) -> None:
        heights = [bottom + y for y in _spread([curve.ys[-1] - bottom for curve in curves], None, high - bottom)]
        for curve, height in zip(curves, heights, strict=True):
            colour = _LINES[curve.colour % COLOURS]
            axes.fill_between(curve.xs, curve.lows, curve.highs, color=colour, alpha=0.12, linewidth=0)
            axes.plot(curve.xs, curve.ys, color=colour, linewidth=1.6)
            axes.plot([most, beside], [curve.ys[-1], height], color=colour, linewidth=0.7, linestyle=(0, (1, 2)))
            axes.text(beside + 0.01 * span, height, curve.name, color=colour, va="center", fontsize=9)
        axes.set_xlim(least - 0.02 * span, beside + span * room / (WIDTH - 60 - room))
        axes.set_ylim(bottom, high)
        axes.set_xlabel(across)
        axes.xaxis.set_major_locator(_place_ticks(4, steps=STEPS, integer=whole))
        axes.xaxis.set_major_formatter(_write_ticks(lambda x, _: _write_number(x) if x <= most else ""))
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: f"{100 * y:.0f} %"))

    return _drawn(draw)


def draw_growth(curves: Sequence[Curve], *, across: str, floor: float | None = None) -> str:
    """Return shares over numbers that grow by factors; the name of each curve stands to its right.

    With a *floor* shares are drawn by factors, too, and what lies below it, such as none at all, is drawn there.
    """
    least, most = (choose(x for curve in curves for x in curve.xs) for choose in (min, max))
    room = LETTER * max(len(curve.name) for curve in curves) + 14
    bottom, span = floor or 0.0, max(most / least, 2.0)
    top = max(y for curve in curves for y in curve.highs)
    high = 1.0 if floor is not None else min(1.0, max(0.1, 1.1 * top))
    beside = most * span**0.04

    def draw(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_yscale("linear" if floor is None else "log")
        heights = _spread([max(curve.ys[-1], bottom) for curve in curves], floor, high)
        for curve, height in zip(curves, heights, strict=True):
            colour, ys, lows, highs = (
                _LINES[curve.colour % COLOURS],
                *([max(y, bottom) for y in numbers] for numbers in (curve.ys, curve.lows, curve.highs)),
            )
            axes.fill_between(curve.xs, lows, highs, color=colour, alpha=0.15, linewidth=0)
            axes.plot(curve.xs, ys, color=colour, linewidth=1.8, marker="o", markersize=3.2)
            axes.plot([curve.xs[-1], beside], [ys[-1], height], color=colour, linewidth=0.7, linestyle=(0, (1, 2)))
            axes.text(beside * span**0.01, height, curve.name, color=colour, va="center", fontsize=9)
        axes.set_ylim(bottom * 0.8, high * (1.02 if floor is None else 1.3))
        # The names take what letters need of the width; the rest is for the curves, whose numbers grow by factors.
        axes.set_xlim(least * 0.85, beside * span ** (room / (WIDTH - 60 - room)))
        _mark_growth(axes, sorted({x for curve in curves for x in curve.xs}), floor)
        axes.set_xlabel(across)

    return _drawn(draw)


def _mark_growth(axes: Axes, xs: Sequence[float], floor: float | None) -> None:
    """Write the numbers beside the axes of a picture of growth."""
    from matplotlib.ticker import NullFormatter, NullLocator

    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(xs, [f"{x / 1000:g}k" if x >= 1000 else f"{x:g}" for x in xs])
    if floor is None:
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: f"{100 * y:.0f} %"))
        return
    shares = [1.0]
    while shares[-1] > floor * 1.01:
        shares.append(shares[-1] / 10)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_yticks(shares, [*(f"{100 * share:.4g} %" for share in shares[:-1]), "none"])


def _spread(heights: Sequence[float], floor: float | None, high: float) -> list[float]:
    """Return heights moved apart so far that names written at them do not touch, in the order that they have."""
    lowest = math.log(floor) if floor is not None else 0.0
    span = (math.log(high) - lowest) if floor is not None else high
    places = [((math.log(y) if floor is not None else y) - lowest) / span for y in heights]
    order = sorted(range(len(places)), key=lambda place: places[place])
    moved: list[float] = []
    for place in order:
        moved.append(max(places[place], moved[-1] + LINE) if moved else max(places[place], 0.0))
    for at in reversed(range(len(moved))):  # what was pushed out above goes down again, and pushes those below it
        moved[at] = min(moved[at], 1.0 if at == len(moved) - 1 else moved[at + 1] - LINE)
    raised = dict(zip(order, moved, strict=True))
    apart = [lowest + span * raised[place] for place in range(len(heights))]
    return [math.exp(y) for y in apart] if floor is not None else apart


def draw_names(names: Sequence[str], lines: Sequence[Line]) -> str:
    """Return lines over names, a point for each, with shares as percentages upwards."""
    dots: dict[str, Any] = {"marker": "o", "markersize": 3}

    def draw(axes: Axes) -> None:
        for line in lines:
            marks = _marks(line, lines) | {"markevery": 1}
            axes.plot(line.xs, line.ys, color=_LINES[line.colour % COLOURS], **dots | marks | _pen(line))
        axes.set_xticks(range(len(names)), list(names))
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: f"{100 * y:.0f} %"))

    return _drawn(draw)


def draw_bars(names: Sequence[str], heights: Sequence[float]) -> str:
    """Return bars, as shares of their sum."""
    total = sum(heights) or 1.0

    def draw(axes: Axes) -> None:
        axes.bar(range(len(names)), [height / total for height in heights], color=_LINES[0], width=0.72)
        step = max(1, round(len(names) / 9))
        axes.set_xticks(range(0, len(names), step), list(names)[::step])
        axes.yaxis.set_major_locator(_place_ticks(4, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: f"{100 * y:.3g} %"))

    return _drawn(draw)


def draw_pairs(pairs: Sequence[tuple[float, float] | None], *, across: str, band: float, edge: float) -> str:
    """Return two points for each place and what lies between them, none where there are none, and a band around 0.

    What lies beyond *edge* is drawn there; all such pictures have one scale.
    """
    places = [place for place, pair in enumerate(pairs, 1) if pair is not None]
    firsts, seconds = ([max(-edge, min(edge, pair[side])) for pair in pairs if pair is not None] for side in (0, 1))

    def draw(axes: Axes) -> None:
        axes.axhspan(-band, band, color=_RULE, alpha=0.5, linewidth=0)
        axes.vlines(places, firsts, seconds, color=_MUTED, linewidth=0.8)
        for colour, heights in enumerate((firsts, seconds)):
            axes.scatter(places, heights, s=16, color=_LINES[colour], zorder=3 - colour / 2, linewidths=0)
        axes.set_xlabel(across)
        axes.set_xlim(0.2, len(pairs) + 0.8)
        axes.set_ylim(-1.05 * edge, 1.05 * edge)
        axes.xaxis.set_major_locator(_place_ticks(6, steps=STEPS, integer=True))
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: _write_number(y)))

    return _drawn(draw)


def draw_intervals(points: Sequence[tuple[float, float, float, float]], *, across: str, curve: Line | None) -> str:
    """Return shares with their intervals (where, share, low, high) over numbers, and a quiet curve beside them."""

    def draw(axes: Axes) -> None:
        for x, share, low, high in points:
            axes.plot([x, x], [low, high], color=_LINES[0], linewidth=1.2, alpha=0.5)
            axes.plot([x], [share], color=_LINES[0], marker="o", markersize=5)
        if curve is not None:
            axes.plot(curve.xs, curve.ys, color=_LINES[curve.colour % COLOURS], **_pen(curve))
        axes.set_xlabel(across)
        axes.set_ylim(-0.03, 1.03)
        axes.xaxis.set_major_locator(_place_ticks(6, steps=STEPS, integer=True))
        axes.xaxis.set_major_formatter(_write_ticks(lambda x, _: f"{x:.0f}"))
        axes.yaxis.set_major_locator(_place_ticks(5, steps=STEPS))
        axes.yaxis.set_major_formatter(_write_ticks(lambda y, _: f"{100 * y:.0f} %"))

    return _drawn(draw)


class Interval(NamedTuple):
    """A number with its interval, by name; quiet ones are hollow and grey."""

    name: str
    value: float
    low: float
    high: float
    quiet: bool = False


def draw_rated(rows: Sequence[Interval], *, across: str) -> str:
    """Return numbers with their intervals, a line for each, the first at the bottom."""

    def draw(axes: Axes) -> None:
        for place, row in enumerate(rows):
            colour = _MUTED if row.quiet else _LINES[0]
            axes.plot([row.low, row.high], [place, place], color=colour, linewidth=1.4, alpha=0.6)
            fill = "none" if row.quiet else colour
            axes.plot([row.value], [place], color=colour, marker="o", markersize=4.5, markerfacecolor=fill)
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.set_ylim(-0.7, len(rows) - 0.3)
        axes.set_xlabel(across)
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", color=_RULE, linewidth=0.7)
        axes.xaxis.set_major_locator(_place_ticks(4, steps=STEPS))
        axes.xaxis.set_major_formatter(_write_ticks(lambda x, _: _write_number(x)))

    return _drawn(draw, height=max(HEIGHT, ROW * len(rows) + MARGIN))


GAP, HEAD = 16, 22
"""Points between drawings, and above each for its name."""


def stand_alone(panels: Mapping[str, str], *, columns: int = 2) -> str:
    """Return drawings, by their names, as one file of its own that follows light and dark."""
    sizes = {name: _size_of(svg) for name, svg in panels.items()}
    width, row = max(one for one, _ in sizes.values()), max(two for _, two in sizes.values()) + HEAD + GAP
    parts = []
    for place, (name, svg) in enumerate(panels.items()):
        x, y = place % columns * (width + GAP), place // columns * row
        own = svg.replace(OWN, f"{OWN}{place}-").replace("<svg ", f'<svg x="{x:.0f}" y="{y + HEAD:.0f}" ', 1)
        own = own.replace("viewBox", 'width="{:.0f}" height="{:.0f}" viewBox'.format(*sizes[name]), 1)
        parts.append(f'<text x="{x + 4:.0f}" y="{y + 14:.0f}" class="name">{escape(name)}</text>{own}')
    whole = width * columns + GAP * (columns - 1), row * -(-len(panels) // columns)
    light, dark = _read_colours()
    style = f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
    style += "text{font-family:sans-serif}.name{font-size:12px;font-weight:bold;fill:var(--muted)}"
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]:.0f} {whole[1]:.0f}">'
    return f"{opening}<style>{style}</style>{''.join(parts)}</svg>\n"


def _read_colours() -> tuple[str, str]:
    """Return the colours of drawings, light and dark: `style.css` names each twice, for the light page first."""
    style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
    colours = re.findall(r"--(?:muted|rule|line-\d): #\w+;", style)
    half = len(colours) // 2
    return "".join(colours[:half]), "".join(colours[half:])


def _size_of(svg: str) -> tuple[float, float]:
    """Return how wide and how high a drawing is."""
    numbers = svg.partition('viewBox="')[2].partition('"')[0].split()
    return float(numbers[2]), float(numbers[3])


def _write_number(number: float) -> str:
    """Return a number beside an axis."""
    return f"{number:,.10g}".replace(",", SPACE)


def _marks(line: Line, lines: Sequence[Line]) -> dict[str, Any]:
    """Return the markers of a line; a quiet one has none where its colour has a line that is not."""
    solid = {other.colour for other in lines if not other.quiet}
    # Of several students some may lack a line; the others keep the markers that the names above the picture have.
    if max(other.colour for other in lines) + 1 < MARKED_FROM or (line.quiet and line.colour in solid):
        return {}
    step = max(1, len(line.xs) // MARKS)
    # Lines begin their markers at different points, so that those that run together do not hide each other's.
    place = {"marker": MARKERS[line.colour % len(MARKERS)], "markevery": (line.colour % step, step)}
    return place | {"markersize": 5.5, "markeredgewidth": 0}


def _pen(line: Line) -> dict[str, Any]:
    marker = MARKERS[line.colour % len(MARKERS)] if not line.quiet else "o"
    alone = {"marker": marker, "markersize": 4, "markevery": 1} if len(line.xs) == 1 else {}
    if line.quiet:
        gaps = (1, 1.4) if line.dotted else (2, 2)
        return {"linewidth": 1.3 if line.dotted else 1.0, "linestyle": (0, gaps), "zorder": 3, **alone}
    return {"linewidth": min(1.8, max(0.7, DENSE / len(line.xs))), "solid_capstyle": "round", **alone}


def _place_ticks(count: int, *, steps: Sequence[float], integer: bool = False) -> Locator:
    """Return where at most so many ticks stand; whoever draws nothing need not have matplotlib."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(count, steps=steps, integer=integer)


def _write_ticks(write: Callable[[float, int | None], str]) -> Formatter:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(write)


def _drawn(draw: Callable[[Axes], None], *, height: float = HEIGHT) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "understudy", "font.size": 9.5}):
        figure = Figure(figsize=(WIDTH / 72, height / 72), layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        _quieten(axes)
        draw(axes)
        axes.xaxis.label.set_color(_MUTED)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _adopted(out.getvalue())


def _quieten(axes: Axes) -> None:
    """Leave of the frame only what helps to read."""
    axes.patch.set_visible(False)
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_RULE)
    axes.tick_params(length=0, labelcolor=_MUTED, pad=5)
    axes.grid(axis="y", color=_RULE, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.margins(x=0.02)


def _adopted(svg: str) -> str:
    """Return a drawing as part of a page: without header, names of its own, the page's colours and letters."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"<svg[^>]*?(viewBox=\"[^\"]*\")[^>]*>", r'<svg \1 role="img">', svg, count=1)
    svg = re.sub(r"<g id=\"[^\"]*\">", "<g>", svg).replace("xlink:href", "href")
    svg = re.sub(r"font-family: [^;\"]*;?", "", svg)
    svg = re.sub(r" transform=\"rotate\(-0 [^\"]*\"", "", svg)
    svg = re.sub(r"(id=\"|href=\"#|url\(#)", rf"\g<1>{OWN}", svg)
    for colour, name in _NAMES.items():
        svg = svg.replace(colour, name)
    return re.sub(r"\s*\n\s*", " ", svg).strip()
