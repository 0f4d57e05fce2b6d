"""Sections as Markdown, and as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import singledispatch
from html import escape
from itertools import count
from pathlib import Path
from urllib.parse import quote

from understudy.games.drawing import STYLE as BOARD_STYLE
from understudy.report.blocks import Block, Cell, Commands, Folded, Plot, Plots, Section, Table, Text
from understudy.report.plots import COLOURS, MARKED_FROM, OWN

MARKED, GOOD = '<td class="marked">', '<td class="good">'

STYLE = Path(__file__).with_name("style.css")

GLYPHS = "●■▲◆▼✚✖★"
"""The markers of lines as letters, in the order of `plots.MARKERS`."""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
{facts}<nav>{contents}</nav>
</header>
{sections}
</main>
</body>
</html>
"""


def write_markdown(title: str, sections: Sequence[Section], facts: Sequence[str] = ()) -> str:
    """Return a report as Markdown; drawings are in the HTML."""
    pieces = [f"# {_plain(title)}", *([" · ".join(map(_plain, facts))] if facts else [])]
    for section in sections:
        pieces.append(f"## {_plain(section.title)}")
        pieces += [text for block in section.blocks if (text := _markdown(block))]
    return "\n\n".join(pieces) + "\n"


def write_html(title: str, sections: Sequence[Section], facts: Sequence[str] = ()) -> str:
    """Return a report as one HTML file, with *facts* in a line below its title."""
    links = " ".join(f'<a href="#{_anchor(section)}">{escape(section.title)}</a>' for section in sections)
    body = "\n".join(_section(section) for section in sections)
    numbers = count(1)
    body = re.sub("<svg.*?</svg>", lambda svg: svg[0].replace(OWN, f"plot{next(numbers)}-"), body, flags=re.DOTALL)
    style = STYLE.read_text(encoding="utf-8") + (BOARD_STYLE if "us-board" in body else "")
    line = "".join(f"<span>{escape(fact)}</span>" for fact in facts)
    above = f'<p class="facts">{line}</p>\n' if facts else ""
    return PAGE.format(title=escape(title), style=style, facts=above, contents=links, sections=body)


_MARKS = re.compile(
    r"\\|`|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # first what makes marks of others, or hides them; code, HTML, its entities
    r"|(?<=\])[(\[:]"  # links and what they refer to
    r"|\*(?!\s)|(?<!\s)\*|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~"  # emphasis, which is none inside words with `_`
)
"""What Markdown would take for more than text."""
_IN_LINKS = re.compile(f"{_MARKS.pattern}|[][]")
"""The same, where brackets end a link."""
_BEGINNINGS = re.compile(r"(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|--|==|\d+(?=[.)](?:\s|$)))")
"""The same, where a line begins: headings, quotations, lists, rules."""


def _plain(text: str, marks: re.Pattern[str] = _MARKS) -> str:
    """Return text as one line of Markdown that shows it as it is: names are whatever somebody called something."""
    return re.sub(r"\s*[\r\n]\s*", " ", marks.sub(r"\\\g<0>", text)).strip()


def _line(text: str) -> str:
    """Return the same where it begins a line."""
    plain = _plain(text)
    begun = _BEGINNINGS.match(plain)
    if begun is None:
        return plain
    number = begun[0] if begun[0].isdigit() else ""  # of whom the point after it is what counts
    return f"{number}\\{plain[len(number) :]}"


def _address(link: str) -> str:
    """Return the address of a file: its name may begin like a protocol, or have what ends an address."""
    return quote(link, safe="/")


@singledispatch
def _markdown(block: Block) -> str:
    raise TypeError(block)


@_markdown.register
def _(block: Text) -> str:
    return _line(block.text)


@_markdown.register
def _(block: Commands) -> str:
    return "\n".join(("```", *(" ".join(line.split("\n")).replace("```", "") for line in block.lines), "```"))


@_markdown.register
def _(block: Plots) -> str:
    captions = "\n".join(f"- {_plain(plot.caption)}" for plot in block.plots)
    return "\n\n".join(filter(None, (_line(block.note), captions))) if block.boards else ""


@_markdown.register
def _(block: Folded) -> str:
    inside = "\n\n".join(text for one in block.blocks if (text := _markdown(one)))
    return f"<details><summary>{escape(' '.join(block.title.split()))}</summary>\n\n{inside}\n\n</details>"


@_markdown.register
def _(block: Table) -> str:
    side = "---" if block.words else "---:"
    rules = "| " + " | ".join(["---"] + [side] * (len(block.columns) - 1)) + " |"
    rows = [_bar(row) if len(row) > 1 else _heading(row[0], len(block.columns)) for row in block.rows]
    lines = [_bar(block.columns), rules, *rows]
    return "\n".join(([f"{_line(block.caption)}\n"] if block.caption else []) + lines)


def _heading(cell: Cell, width: int) -> str:
    """Return a row that is a heading as one that Markdown can hold."""
    return _barred([f"**{_plain(cell.text)}** {_plain(cell.aside)}", *[""] * (width - 1)])


def _bar(row: Sequence[Cell]) -> str:
    return _barred([f"{_linked(cell)} {_plain(cell.aside)}" for cell in row])


def _barred(texts: Sequence[str]) -> str:
    return "| " + " | ".join(text.strip().replace("|", "\\|") for text in texts) + " |"


def _linked(cell: Cell) -> str:
    return f"[{_plain(cell.text, _IN_LINKS)}]({_address(cell.link)})" if cell.link else _plain(cell.text)


@singledispatch
def _html(block: Block) -> str:
    raise TypeError(block)


@_html.register
def _(block: Text) -> str:
    # The sign of a percentage must not begin a line.
    return f"<p>{escape(block.text).replace(' %', chr(0xA0) + '%')}</p>"


@_html.register
def _(block: Commands) -> str:
    return f"<pre><code>{escape(chr(10).join(block.lines))}</code></pre>"


@_html.register
def _(block: Plots) -> str:
    note = f'<p class="note">{escape(block.note)}</p>' if block.note else ""
    kind = "boards" if block.boards else "plots"
    return f'{note}<div class="{kind}">{"".join(map(_figure, block.plots))}</div>'


@_html.register
def _(block: Folded) -> str:
    inside = "\n".join(map(_html, block.blocks))
    return f"<details><summary>{escape(block.title)}</summary>\n{inside}\n</details>"


@_html.register
def _(block: Table) -> str:
    kinds = {"words": block.words, "dense": block.dense, "headline": block.headline}
    kind = next((f' class="{name}"' for name, holds in kinds.items() if holds), "")
    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    head = "".join(f'<th scope="col">{_cell(cell)}</th>' for cell in block.columns)
    rows = "".join(_tr(row, len(block.columns)) for row in block.rows)
    table = f"<table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _tr(row: Sequence[Cell], width: int) -> str:
    if len(row) == 1:
        return f'<tr class="group"><th scope="rowgroup" colspan="{width}"><span>{_cell(row[0])}</span></th></tr>\n'
    cells = "".join(f"{MARKED if cell.marked else GOOD if cell.good else '<td>'}{_cell(cell)}</td>" for cell in row[1:])
    return f'<tr><th scope="row">{_cell(row[0])}</th>{cells}</tr>\n'


def _cell(cell: Cell) -> str:
    text = f'<a href="{escape(_address(cell.link))}">{escape(cell.text)}</a>' if cell.link else escape(cell.text)
    return text + (f' <span class="aside">{escape(cell.aside)}</span>' if cell.aside else "")


def _figure(plot: Plot) -> str:
    keys = " ".join(_key(place, key, len(plot.keys)) for place, key in _numbered(plot.keys))
    legend = f'<span class="keys">{keys}</span>' if keys else ""
    drawing = plot.svg.replace("<svg ", f'<svg aria-label="{escape(plot.caption)}" ', 1)
    return f"<figure><figcaption>{escape(plot.caption)}{legend}</figcaption>{drawing}</figure>"


def _numbered(keys: Sequence[str]) -> Iterator[tuple[int, str]]:
    return enumerate(keys) if len(keys) > 1 else iter(())


def _key(place: int, key: str, count: int) -> str:
    """Return the name of a line with its colour, and with its marker where lines have them."""
    glyph = f"<i>{GLYPHS[place % len(GLYPHS)]}</i>" if count >= MARKED_FROM else ""
    return f'<span class="key line-{place % COLOURS + 1}">{glyph}{escape(key)}</span>'


def _section(section: Section) -> str:
    blocks = "\n".join(_html(block) for block in section.blocks)
    return f'<section id="{_anchor(section)}">\n<h2>{escape(section.title)}</h2>\n{blocks}\n</section>'


def _anchor(section: Section) -> str:
    return re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-") or "section"
