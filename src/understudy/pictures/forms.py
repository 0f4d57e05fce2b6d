"""What all pictures in HTML are made of: the card with its style, bars, numbers in words, tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

NUMBER = re.compile(r"[-+−±]?[\d.,]+( ?%)?( ?± ?[\d.,]+( ?%)?)?|[-–—?]?")
"""What counts as a number in a table, or as the lack of one."""
VERDICTS = (
    (0.9, "as good as won"),
    (0.5, "much better"),
    (0.15, "somewhat better"),
    (-0.15, "about even"),
    (-0.5, "somewhat worse"),
    (-0.9, "much worse"),
)
"""What an expected result above each of these numbers is called; the steps are wide because searches disagree."""
LOST = "as good as lost"

Entry = str | int | float | None
"""What a cell of a table holds."""


def make_card(kind: str, *pieces: str) -> str:
    """Return pieces of HTML as one fragment with its style."""
    body = "\n".join(piece for piece in pieces if piece)
    return f'<div class="us-card us-{kind}">\n<style>\n{read_part("style.css")}</style>\n{body}\n</div>\n'


@cache
def read_part(name: str) -> str:
    """Return the text of a file that stands beside this module."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def call_value(value: float) -> str:
    """Return an expected result in words."""
    return next((words for least, words in VERDICTS if value >= least), LOST)


def write_share(share: float) -> str:
    """Return a share as people read it, small ones with more digits."""
    return f"{100 * share:.{2 if share < 0.01 else 1}f} %"


def write_seconds(seconds: float) -> str:
    """Return a time as people read it."""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def make_bar(low: float, high: float, *, kind: str = "more", frame: str = "us-bar") -> str:
    """Return a bar that reaches over a scale of one from *low* to *high*, drawn by its kind: more, less, forbidden."""
    low, high = (min(max(end, 0.0), 1.0) for end in (low, high))
    place = f"left:{100 * low:.1f}%;width:{100 * (high - low):.1f}%"
    return f'<span class="{frame}"><span class="us-fill us-{kind}" style="{place}"></span></span>'


def make_tilt(value: float) -> str:
    """Return a bar from the middle of a scale to a value from -1 to 1: to the right if it is positive."""
    ends = sorted((0.5, 0.5 + value / 2))
    return make_bar(ends[0], ends[1], kind="less" if value < 0 else "more", frame="us-bar us-tilt")


def picture_table(headings: Sequence[str], rows: Sequence[Sequence[Entry]], *, caption: str = "") -> str:
    """Return a table as HTML, its columns of numbers set to the right; the first cell of a row is its name."""
    return make_card("tabled", make_table(headings, rows, caption=caption))


def make_table(headings: Sequence[str], rows: Sequence[Sequence[Entry]], *, caption: str = "") -> str:
    """Return a table without card and style, as part of something larger."""
    texts = [[_write(entry) for entry in row] for row in rows]
    sides = [_side([row[place] for row in texts]) for place in range(len(headings))]
    head = "".join(f'<th scope="col"{side}>{escape(text)}</th>' for text, side in zip(headings, sides, strict=True))
    body = "".join(f"<tr>{_row(row, sides)}</tr>\n" for row in texts)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    table = f'<table class="us-table">{above}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>'
    return f'<div class="us-wide">{table}</div>'


def _write(entry: Entry) -> str:
    if entry is None:
        return ""
    return f"{entry:.4g}" if isinstance(entry, float) else str(entry)


def _side(texts: Sequence[str]) -> str:
    return ' class="us-right"' if any(texts) and all(NUMBER.fullmatch(text.strip()) for text in texts) else ""


def _row(texts: Sequence[str], sides: Sequence[str]) -> str:
    name, *others = zip(texts, sides, strict=True)
    cells = "".join(f"<td{side}>{escape(text)}</td>" for text, side in others)
    return f'<th scope="row"{name[1]}>{escape(name[0])}</th>{cells}'
