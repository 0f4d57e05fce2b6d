"""The sections on what judges found: accuracy, legality and the like, reliability, the gaming test.

A measure's name begins with its group: `accuracy.to`, `legality.whole`, `reliability.to.0.04`, `gaming.points`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from understudy.report.acquainted import tell_acquainted
from understudy.report.blocks import (
    Block,
    Cell,
    Folded,
    Plot,
    Plots,
    Section,
    Table,
    Text,
    cells,
    headed,
    measured,
    percent,
    ranged,
    titled,
    worded,
)
from understudy.report.plots import Line, draw_lines
from understudy.report.sources import Run

FIRST = ("accuracy", "legality", "mistakes", "strict", "analysis")
"""Groups in the order of reading; others follow as they come."""

ELSEWHERE = ("reliability", "gaming")
"""Groups that have sections of their own."""

FINE = ("legality", "mistakes", "reliability", "analysis")
"""Groups near 100 % or 0, or counted from all there is, where a second decimal means something."""

RECALL = re.compile(r"reliability\.(?P<part>.+?)[._](?:recall[._]?|at[._]?)?(?P<recall>\d+(?:\.\d+)?)")
"""A point of a curve by the name of its measure, which may say `recall` or `at` before the number."""

STABLE = "against the stable"
"""Where numbers of a paper stand beside the totals of a gaming test."""

LONG = 20
"""Rows of a table of which not all are shown at once."""

SHOWN = (0.04, 0.52, 0.8, 1.0)
"""Recalls in the table of reliability, as in the literature."""

Columns: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Measures by name, of players and then of papers."""

Curves: TypeAlias = Mapping[str, tuple[list[float], list[float]]]
"""Recalls and precisions of each part."""


def verdict_sections(run: Run) -> list[Section]:
    """Return a section for each group of measures, with a table for each section of the verdicts."""
    groups = dict.fromkeys(
        group_of(measure) for players in run.verdicts.values() for measures in players.values() for measure in measures
    )
    order = [*(group for group in FIRST if group in groups), *(group for group in groups if group not in FIRST)]
    return [
        Section(titled(group), tuple(tables))
        for group in order
        if group not in ELSEWHERE and (tables := list(_tables(run, group)))
    ]


def group_of(measure: str) -> str:
    """Return the first word of a measure's name."""
    return measure.partition(".")[0]


def columns_of(run: Run, section: str) -> Columns:
    """Return what is known in a section: our players first, then the papers."""
    papers = {
        title: {name: {"value": value} for name, value in measures.items()}
        for title, measures in run.paper.get(section, {}).items()
    }
    return {**run.verdicts.get(section, {}), **papers}


def _tables(run: Run, group: str) -> Iterable[Block]:
    for section in run.verdicts:
        table = measure_table(columns_of(run, section), group, caption=headed(section))
        if table is not None:
            yield from _fold_details(table)


def _fold_details(table: Table) -> Iterable[Block]:
    """Yield a table; of a long one the rows that go into detail (`authors, to`) open when they are asked for."""
    if len(table.rows) <= LONG:
        yield table
        return
    details = [row for row in table.rows if ", " in row[0].text]
    if first := tuple(row for row in table.rows if row not in details):
        yield table._replace(rows=first)
    if details:
        yield Folded(f"{table.caption}: {len(details)} more measures", (table._replace(rows=tuple(details)),))


def measure_table(columns: Columns, group: str, *, caption: str) -> Table | None:
    """Return the measures of a group as rows, or None where nobody has any."""
    own = {
        title: {name: one for name, one in measures.items() if group_of(name) == group}
        for title, measures in columns.items()
    }
    own = {title: measures for title, measures in own.items() if measures}
    names = list(dict.fromkeys(name for measures in own.values() for name in measures))
    if not names:
        return None
    heads = [Cell(title, ranged([m["sample"] for m in own[title].values() if m.get("sample")])) for title in own]
    rows = [(Cell(_row_name(name)), *_row(name, list(own.values()), group)) for name in names]
    return Table((Cell(""), *heads), tuple(rows), caption)


def _row_name(name: str) -> str:
    return worded(name.partition(".")[2] or name)


def _row(name: str, columns: Sequence[Mapping[str, Any]], group: str) -> list[Cell]:
    values = [one["value"] for measures in columns if (one := measures.get(name)) and one.get("value") is not None]
    share = all(0 <= value <= 1 for value in values) and not all(isinstance(value, int) for value in values)
    return [measured(measures.get(name), decimals=2 if group in FINE else 1, share=share) for measures in columns]


def reliability_section(run: Run) -> Section | None:
    """Draw precision against recall for every player and part, and tell some points."""
    blocks: list[Block] = []
    for section in run.verdicts:
        papers = tuple(title for title in run.paper.get(section, {}) if title not in run.verdicts[section])
        blocks += _reliability(columns_of(run, section), papers, headed(section))
    text = "How many of the choices that a network ranks highest are legal, as more of the legal ones are asked for."
    return Section("Reliability", (Text(text), *blocks)) if blocks else None


def _reliability(columns: Columns, papers: Sequence[str], section: str) -> list[Block]:
    curves = {title: curve for title, measures in columns.items() if (curve := curves_of(measures))}
    plain = {
        title: {name: one for name, one in measures.items() if not RECALL.fullmatch(name)}
        for title, measures in columns.items()
    }
    blocks: list[Block] = []
    for variant in dict.fromkeys(part.rpartition(".")[0] for parts in curves.values() for part in parts):
        blocks += _variant(curves, papers, variant, f"{section}, {worded(variant)}" if variant else section)
    table = measure_table(plain, "reliability", caption=section)
    return blocks if table is None else [*blocks, table]


def _variant(curves: Mapping[str, Curves], papers: Sequence[str], variant: str, caption: str) -> list[Block]:
    """Return pictures and a table of the curves counted in one way, such as `authors` in `authors.to`.

    What a paper published of one of our students is drawn with it; what is of nobody here has a picture of its own.
    """
    chosen = {
        title: {part.rpartition(".")[2]: points for part, points in parts.items() if part.rpartition(".")[0] == variant}
        for title, parts in curves.items()
    }
    chosen = {title: parts for title, parts in chosen.items() if parts}
    low = min(y for parts in chosen.values() for _, ys in parts.values() for y in ys)
    floor = max(0.0, low - 0.1 * (1 - low))
    told = [paper for paper in papers if paper in chosen]
    beside = {title: paper for title in chosen if title not in papers and (paper := _find_paper(title, told))}
    plots = tuple(
        _reliability_plot(title, parts, floor, chosen[beside[title]] if title in beside else {})
        for title, parts in chosen.items()
        if title not in beside.values()
    )
    dotted = " Dotted: published." if beside else ""
    return [Plots(plots, f"{caption}: precision against recall.{dotted}"), _points(chosen, caption)]


def _find_paper(student: str, papers: Sequence[str]) -> str:
    """Return the column of a paper whose title has a student's name in it as a word; nothing unless it is one."""
    fitting = [title for title in papers if student in re.findall(r"\w+", title)]
    return fitting[0] if len(fitting) == 1 else ""


def curves_of(measures: Mapping[str, Mapping[str, Any]]) -> Curves:
    """Return recalls and precisions of each part; recalls may be named as shares, per cent, or 1 to 25."""
    parts: dict[str, dict[float, float]] = {}
    for name, one in measures.items():
        match = RECALL.fullmatch(name)
        if match and one.get("value") is not None:
            parts.setdefault(match["part"], {})[float(match["recall"])] = float(one["value"])
    return {
        part: ([recall / max(points) for recall in sorted(points)], [points[recall] for recall in sorted(points)])
        for part, points in parts.items()
    }


def _reliability_plot(title: str, parts: Curves, floor: float, published: Curves) -> Plot:
    lines = [Line(*points, colour) for colour, points in enumerate(parts.values())]
    colours = {part: colour for colour, part in enumerate(parts)}
    lines += [Line(*points, colours[part], True, True) for part, points in published.items() if part in colours]
    top = 1.0 + 0.02 * (1 - floor)
    decimals = 0 if floor < 0.94 else 1 if floor < 0.994 else 2
    drawing = draw_lines(lines, across="recall", decimals=decimals, low=floor, high=top)
    return Plot(drawing, title, tuple(map(worded, parts)))


def _points(curves: Mapping[str, Curves], caption: str) -> Table:
    """Return the precision of every part at a few recalls, the nearest that are known."""
    rows = [
        cells(f"{title} {worded(part)}", *(percent(_nearest(points, recall), 2) for recall in SHOWN))
        for title, parts in curves.items()
        for part, points in parts.items()
    ]
    return Table(cells("precision at recall", *(f"{recall:.2f}" for recall in SHOWN)), tuple(rows), caption)


def _nearest(points: tuple[list[float], list[float]], recall: float) -> float:
    return min(zip(*points, strict=True), key=lambda point: abs(point[0] - recall))[1]


def gaming_section(run: Run) -> Section | None:
    """Tell the gaming test: totals with intervals, then every meeting."""
    blocks: list[Block] = []
    sections = {headed(section): columns_of(run, section) for section in run.verdicts}
    if not any(_tables(run, "gaming")) and (measures := run.gaming.get("measures")):
        sections = {headed(STABLE): {**measures, **columns_of(run, STABLE)}}
    tables = [measure_table(columns, "gaming", caption=caption) for caption, columns in sections.items()]
    blocks += [table for table in tables if table is not None]
    columns, rows = run.gaming.get("columns"), run.gaming.get("rows")
    if columns and rows:
        every = tuple(cells(*map(str, row)) for row in rows)
        letters = "W won, D drawn, L lost, with the reason; or wins-draws-losses."
        blocks.append(Table(cells("opponent", *map(str, columns[1:])), every, letters, words=True))
    if blocks and (printed := run.beside(PrintedGames)):
        blocks.append(_show_printed(printed))
    known = [Text(sentence) for sentence in tell_acquainted(run)]
    return Section("Gaming test", (*known, *blocks)) if blocks else None


class PrintedGames(NamedTuple):
    """The games of a paper's gaming test as it printed them: against opponents of its own, so beside ours, not with."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """A name, then a result with its reason under each column; the last rows are totals."""


def _show_printed(printed: PrintedGames) -> Table:
    return Table(cells(*printed.columns), tuple(cells(*row) for row in printed.rows), printed.caption, words=True)
