"""Sections as Markdown, and as one HTML file that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import singledispatch
from html import escape
from itertools import count
from pathlib import Path

from understudy.report.blocks import Block, Cell, Commands, Plot, Plots, Section, Table, Text
from understudy.report.plots import COLOURS, OWN

MARKED = '<td class="marked">'

STYLE = Path(__file__).with_name("style.css")

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
<nav>{contents}</nav>
</header>
{sections}
</main>
</body>
</html>
"""


def write_markdown(title: str, sections: Sequence[Section]) -> str:
    """Return a report as Markdown; drawings are in the HTML."""
    pieces = [f"# {title}"]
    for section in sections:
        pieces.append(f"## {section.title}")
        pieces += [text for block in section.blocks if (text := _markdown(block))]
    return "\n\n".join(pieces) + "\n"


def write_html(title: str, sections: Sequence[Section]) -> str:
    """Return a report as one HTML file."""
    links = " ".join(f'<a href="#{_anchor(section)}">{escape(section.title)}</a>' for section in sections)
    body = "\n".join(_section(section) for section in sections)
    numbers = count(1)
    body = re.sub("<svg.*?</svg>", lambda svg: svg[0].replace(OWN, f"plot{next(numbers)}-"), body, flags=re.DOTALL)
    style = STYLE.read_text(encoding="utf-8")
    return PAGE.format(title=escape(title), style=style, contents=links, sections=body)


@singledispatch
def _markdown(block: Block) -> str:
    raise TypeError(block)


@_markdown.register
def _(block: Text) -> str:
    return block.text


@_markdown.register
def _(block: Commands) -> str:
    return "\n".join(("```", *block.lines, "```"))


@_markdown.register
def _(block: Plots) -> str:
    return ""


@_markdown.register
def _(block: Table) -> str:
    side = "---" if block.words else "---:"
    rules = "| " + " | ".join(["---"] + [side] * (len(block.columns) - 1)) + " |"
    lines = [_bar(block.columns), rules, *map(_bar, block.rows)]
    return "\n".join(([f"{block.caption}\n"] if block.caption else []) + lines)


def _bar(row: Sequence[Cell]) -> str:
    texts = (f"{cell.text} {cell.aside}".strip().replace("|", "\\|").replace("\n", " ") for cell in row)
    return "| " + " | ".join(texts) + " |"


@singledispatch
def _html(block: Block) -> str:
    raise TypeError(block)


@_html.register
def _(block: Text) -> str:
    return f"<p>{escape(block.text)}</p>"


@_html.register
def _(block: Commands) -> str:
    return f"<pre><code>{escape(chr(10).join(block.lines))}</code></pre>"


@_html.register
def _(block: Plots) -> str:
    note = f'<p class="note">{escape(block.note)}</p>' if block.note else ""
    return f'{note}<div class="plots">{"".join(map(_figure, block.plots))}</div>'


@_html.register
def _(block: Table) -> str:
    kind = ' class="words"' if block.words else ' class="dense"' if block.dense else ""
    caption = f"<caption>{escape(block.caption)}</caption>" if block.caption else ""
    head = "".join(f'<th scope="col">{_cell(cell)}</th>' for cell in block.columns)
    rows = "".join(_tr(row) for row in block.rows)
    table = f"<table{kind}>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _tr(row: Sequence[Cell]) -> str:
    cells = "".join(f"{MARKED if cell.marked else '<td>'}{_cell(cell)}</td>" for cell in row[1:])
    return f'<tr><th scope="row">{_cell(row[0])}</th>{cells}</tr>\n'


def _cell(cell: Cell) -> str:
    return escape(cell.text) + (f' <span class="aside">{escape(cell.aside)}</span>' if cell.aside else "")


def _figure(plot: Plot) -> str:
    keys = "".join(
        f'<span class="key line-{place % COLOURS + 1}">{escape(key)}</span>' for place, key in _numbered(plot.keys)
    )
    drawing = plot.svg.replace("<svg ", f'<svg aria-label="{escape(plot.caption)}" ', 1)
    return f"<figure><figcaption>{escape(plot.caption)}{keys}</figcaption>{drawing}</figure>"


def _numbered(keys: Sequence[str]) -> Iterator[tuple[int, str]]:
    return enumerate(keys) if len(keys) > 1 else iter(())


def _section(section: Section) -> str:
    blocks = "\n".join(_html(block) for block in section.blocks)
    return f'<section id="{_anchor(section)}">\n<h2>{escape(section.title)}</h2>\n{blocks}\n</section>'


def _anchor(section: Section) -> str:
    return re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-") or "section"
