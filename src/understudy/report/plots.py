"""Drawings as SVG that belongs inside a page: colours and letters are the page's, so they follow light and dark.

Matplotlib knows no style sheets, so it draws in colours that stand for names, and these are exchanged afterwards.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from understudy.report.blocks import SPACE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Formatter, Locator

WIDTH, HEIGHT = 360, 216
"""In points; small, so that letters stay readable where a page is narrow."""

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
    """Points joined by a line; quiet lines are thin and dashed."""

    xs: Sequence[float]
    ys: Sequence[float]
    colour: int
    quiet: bool = False


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
        return {"linewidth": 1.0, "linestyle": (0, (2, 2)), "zorder": 3, **alone}
    return {"linewidth": min(1.8, max(0.7, DENSE / len(line.xs))), "solid_capstyle": "round", **alone}


def _place_ticks(count: int, *, steps: Sequence[float], integer: bool = False) -> Locator:
    """Return where at most so many ticks stand; whoever draws nothing need not have matplotlib."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(count, steps=steps, integer=integer)


def _write_ticks(write: Callable[[float, int | None], str]) -> Formatter:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(write)


def _drawn(draw: Callable[[Axes], None]) -> str:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "understudy", "font.size": 9.5}):
        figure = Figure(figsize=(WIDTH / 72, HEIGHT / 72), layout="constrained")
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
