"""The sections on a series whose students learn labels, told by seeds: what they reached, and a paper's order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, decimal, number, percent
from understudy.report.findings import Finding
from understudy.report.labels.orders import REFUTED
from understudy.report.plots import COLOURS, Band, Line, draw_lines
from understudy.report.sources import Run

Student = Mapping[str, Any]
HOW = (
    "Each student is the mean over seeds, which decide its first weights, the order of positions and dropout; in "
    "brackets the least and the most of them. Passes: how often each position was learned from. Last tenth: what the "
    "last tenth of the training added to the best so far on validation positions, and of how many seeds the curve has "
    "flattened, has not, or does not let anybody tell."
)


def label_seeds_sections(run: Run) -> list[Section]:
    """Return a section for each data set, and one on a paper's order; none where no cell learns labels."""
    students: Mapping[str, Student] = run.graded.get("labels", {})
    sections: list[Section] = []
    for dataset in dict.fromkeys(one["dataset"] for one in students.values()):
        group = {name: one for name, one in students.items() if one["dataset"] == dataset}
        blocks: list[Block] = [] if sections else [Text(HOW)]
        blocks += [_reached(group, run.graded["yardsticks"].get(dataset, {})), *_curves(group), *_sizes(group)]
        sections.append(Section(f"Data set {dataset}, over seeds", tuple(blocks)))
    pairs = run.graded.get("pairs", [])
    return [*sections, *([Section("A paper's order, over seeds", (_order(pairs, students),))] if pairs else [])]


def _reached(group: Mapping[str, Student], yardsticks: Mapping[str, Any]) -> Table:
    share = is_share(next(iter(group.values())))
    rows: list[tuple[Cell, ...]] = [
        (
            Cell(name.replace("_", " "), f"{one['seeds']} seed{'s' if one['seeds'] > 1 else ''}"),
            Cell(number(one["learned_from"])),
            *(ranged(one[key], is_share(one)) for key in ("test", "validation")),
            Cell(decimal(one["off"][0], 2)),
            *(Cell(number(round(one[key][0], 2))) for key in ("passes", "minutes")),
            _gain(one),
        )
        for name, one in sorted(group.items(), key=lambda item: _rank(item[1]))
    ]
    for who, reached in yardsticks.items():
        test = ranged([reached["test"]] * 3, share)
        rows.append(
            (Cell(who, "baseline"), Cell(""), test, Cell(""), Cell(decimal(reached["off"], 2)), *cells("", "", ""))
        )
    columns = cells("student", "positions", "test", "validation", "off, pawns", "passes", "minutes", "last tenth")
    return Table(columns, tuple(rows), "Classes that are right." if share else "Mean squared error.", dense=True)


def is_share(student: Student) -> bool:
    """Tell whether a student learned classes, not a number."""
    return bool(student["measure"] == "accuracy")


def _rank(student: Student) -> float:
    mean = float(student["test"][0])
    return -mean if is_share(student) else mean


def ranged(spread: Sequence[float], share: bool) -> Cell:
    """Return a mean, and from where to where it goes."""

    def write(value: float) -> str:
        return percent(value, 2) if share else decimal(value, 4)

    mean, least, most = spread
    aside = f"({write(least).removesuffix(' %')} to {write(most).removesuffix(' %')})" if least < most else ""
    return Cell(write(mean), aside)


def _gain(student: Student) -> Cell:
    if not student["gained"]:
        return Cell("")
    gained = student["gained"][0]
    told = f"{100 * gained:+.2f}" if is_share(student) else f"{-gained:+.5f}"
    return Cell(told, ", ".join(f"{count} {verdict}" for verdict, count in student["flat"].items()))


def _curves(group: Mapping[str, Student]) -> Iterator[Plots]:
    """Yield how students came nearer, minute by minute, as many in a picture as there are colours."""
    names = [name for name, one in group.items() if one["curve"]]
    plots = []
    for first in range(0, len(names), COLOURS):
        shown = names[first : first + COLOURS]
        share, lines, bands = is_share(group[shown[0]]), [], []
        for colour, name in enumerate(shown):
            xs, means, lows, highs = ([float(row[place]) for row in group[name]["curve"]] for place in range(4))
            heights = [values if share else [1 - value for value in values] for values in (means, lows, highs)]
            lines.append(Line(xs, heights[0], colour))
            bands.append(Band(xs, heights[1], heights[2], colour))
        drawing = draw_lines(lines, across="minutes of learning", bands=bands, shares=share)
        plots.append(Plot(drawing, "by minutes", tuple(name.replace("_", " ") for name in shown)))
    if plots:
        yield Plots(tuple(plots), "Best so far on validation positions: mean, and least to most over seeds.")


def _sizes(group: Mapping[str, Student]) -> Iterator[Plots]:
    """Yield what students reach by the number of positions, where one of them learned from several."""
    by_student: dict[str, list[Student]] = {}
    for one in group.values():
        by_student.setdefault(one["student"], []).append(one)
    grown = {name: sorted(ones, key=lambda one: one["learned_from"]) for name, ones in by_student.items()}
    grown = {name: ones for name, ones in grown.items() if len(ones) > 1}
    if grown:
        lines, bands = [], []
        for colour, ones in enumerate(grown.values()):
            xs = [one["learned_from"] / 1000 for one in ones]
            means, lows, highs = ([one["test"][place] for one in ones] for place in range(3))
            lines.append(Line(xs, means, colour))
            bands.append(Band(xs, lows, highs, colour))
        share = is_share(next(iter(group.values())))
        drawing = draw_lines(lines, across="thousands of positions", bands=bands, shares=share)
        keys = tuple(name.replace("_", " ") for name in grown)
        yield Plots((Plot(drawing, "test, by positions learned from", keys),), "Mean, and least to most over seeds.")


def _order(pairs: Sequence[Mapping[str, Any]], students: Mapping[str, Student]) -> Table:
    rows = []
    for pair in pairs:
        share = is_share(students[pair["better"]])
        lead, mean, least, most = (_signed(value, share) for value in (pair["lead"], *pair["values"]))
        doubt = f"({pair['doubt']})" if pair["doubt"] else ""
        rows.append((Cell(f"{pair['better']} before {pair['worse']}"), Cell(lead), Cell(mean, f"({least} to {most})"),
                     Cell(pair["verdict"], doubt, pair["verdict"] == REFUTED)))  # fmt: skip
    caption = (
        "Neighbours in the paper's order: how far the first is ahead there and here (below 0: behind), in percentage "
        "points or mean squared error, mean over seeds and least to most. Confirmed or refuted only if every seed says "
        "so on the same positions and the 95 % intervals over seeds do not overlap."
    )
    return Table(cells("the paper has", "there", "here", "ours"), tuple(rows), caption)


def _signed(value: float, share: bool) -> str:
    return f"{100 * value:+.2f}" if share else f"{value:+.5f}"


def label_seeds_findings(run: Run) -> Iterator[Finding]:
    """Yield the mean over seeds of what was reached, with its interval over seeds."""
    for name, one in run.graded.get("labels", {}).items():
        share, (low, high) = is_share(one), one["interval"] or (None, None)
        words = f"{'right classes' if share else 'mean squared error'} (data set {one['dataset']}, mean over seeds)"
        yield Finding(name.replace("_", " "), words, one["test"][0], low, high, one["sample"], share=share,
                      fewer=not share, decimals=1 if share else 4)  # fmt: skip


def label_seeds_results(run: Run) -> dict[str, Any]:
    """Return what the results of a run keep: all but the curves, which are long."""
    students = {
        name: {key: value for key, value in one.items() if key != "curve"}
        for name, one in run.graded.get("labels", {}).items()
    }
    return {"labels": students, **{key: run.graded[key] for key in ("yardsticks", "pairs")}} if students else {}
