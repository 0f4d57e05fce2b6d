"""What a report is made of, before it is Markdown or HTML, and how its numbers are written."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias


class Text(NamedTuple):
    """A paragraph."""

    text: str


class Commands(NamedTuple):
    """Lines to be typed."""

    lines: tuple[str, ...]


class Cell(NamedTuple):
    """What stands in a table, with what is said more quietly beside it."""

    text: str
    aside: str = ""
    marked: bool = False
    """Whether it catches the eye."""
    good: bool = False
    """Whether it does as good news."""
    link: str = ""
    """The address of a file that it leads to."""


class Table(NamedTuple):
    """Rows under titles; the first column names them, and a row of one cell is a heading over those below it."""

    columns: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    words: bool = False
    """Whether the cells are words, which stand to the left, and not numbers."""
    dense: bool = False
    """Whether there are many short columns: they stand close together, asides below."""
    headline: bool = False
    """Whether it is the one that a reader looks for first."""


class Plot(NamedTuple):
    """A drawing, what it shows, and the names of its lines in the order of their colours."""

    svg: str
    caption: str
    keys: tuple[str, ...] = ()


class Plots(NamedTuple):
    """Drawings side by side."""

    plots: tuple[Plot, ...]
    note: str = ""
    boards: bool = False
    """Whether they are boards, which need less room than curves."""


class Folded(NamedTuple):
    """What only some readers look for: it opens when its title is clicked."""

    title: str
    blocks: tuple[Block, ...]


Block: TypeAlias = Text | Commands | Table | Plots | Folded
"""What a chapter is made of; `pages.py` writes each of them in both formats."""


class Section(NamedTuple):
    """A chapter of a report."""

    title: str
    blocks: tuple[Block, ...]


SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Between the thousands of a number."""


def cells(*texts: str) -> tuple[Cell, ...]:
    """Return plain cells."""
    return tuple(Cell(text) for text in texts)


def worded(name: str) -> str:
    """Return a key of a file as words: `move.phase_1` becomes `move, phase 1`."""
    return name.replace("_", " ").replace(".", ", ")


def titled(name: str) -> str:
    """Return a key of a file as a heading."""
    return headed(worded(name))


def headed(words: str) -> str:
    """Return *words* as a heading begins; they may name players, so nothing else changes."""
    return words[:1].upper() + words[1:]


def is_number(value: Any) -> bool:
    """Tell whether a value from a file is a number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(value: Any) -> str:
    """Return a number for people: thousands apart, no more digits than mean something."""
    if not is_number(value):
        return str(value)
    if not math.isfinite(value):
        return "–"
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}".replace(",", SPACE if abs(value) >= 10_000 else "")
    if abs(value) >= 1000:
        return number(round(value))
    return f"{value:.4g}" if abs(value) >= 0.001 else f"{value:.2e}"


def decimal(value: float | None, digits: int) -> str:
    """Return a number with so many digits behind the point, as errors and scores are written."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def percent(share: float, decimals: int = 1) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{decimals}f} %"


def measured(measure: Mapping[str, Any] | None, *, decimals: int = 1, share: bool = True) -> Cell:
    """Return a measure with its interval: `37.6 % (36.7 to 38.6)`."""
    value = (measure or {}).get("value")
    if measure is None or value is None or not math.isfinite(value):
        return Cell("–" if measure is not None else "")
    low, high = measure.get("low"), measure.get("high")
    bounded = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    if not share:
        return Cell(number(value), f"({number(low)} to {number(high)})" if bounded else "")
    aside = f"({100 * low:.{decimals}f} to {100 * high:.{decimals}f})" if low is not None and high is not None else ""
    return Cell(percent(value, decimals), aside if bounded else "")


def lasting(seconds: float) -> str:
    """Return a time as people say it."""
    if seconds < 120:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def ranged(samples: Sequence[float]) -> str:
    """Return how many examples stand behind a column: one number, or the least and the most."""
    sizes = sorted({int(sample) for sample in samples})
    if not sizes:
        return ""
    return f"n = {number(sizes[0])}" + (f" to {number(sizes[-1])}" if len(sizes) > 1 else "")
