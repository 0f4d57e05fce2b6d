"""What students know after watching so many games: curves by teacher, by design, by kind of mistake; and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
    number,
    percent,
    worded,
)
from understudy.report.findings import Finding
from understudy.report.plots import Curve, draw_growth
from understudy.report.sources import Run

Board = Mapping[str, Any]
"""The curves of one board, as `lab/grading/growth.py` keeps them."""
Line = Mapping[str, Any]
"""One of its curves: teacher, design, whether the rules are told, points."""

ACROSS = "games watched"
KINDS = 7
"""Kinds of mistakes that have a curve of their own; the others, of which there are few, are one more."""
AGAINST = "games against "
MASS = "legality.illegal_mass."


def growth_sections(run: Run) -> list[Section]:
    """Return how to read the curves, then a section for each board."""
    return [_reading_section(), *(_board_section(board, run.graded["levels"]) for board in run.graded["boards"])]


def _reading_section() -> Section:
    text = (
        "A point of a curve is the mean of students that differ in their seeds alone, and its band reaches from the "
        "least of them to the most. All are graded by the same exam: games of the teacher that nobody watched, without "
        "those positions that a student learned from, or from images of them. A choice is a student's first: nobody "
        "corrects it. Shares of mistakes are shares of all choices, so a mistake that can rarely be made, such as a "
        "wrong castling, is rare from the beginning."
    )
    return Section("How to read the curves", (Text(text),))


def _board_section(board: Board, levels: Sequence[float]) -> Section:
    base = find_base(board)
    blocks: list[Block] = [Plots(tuple(_plots(board, base)), _describe(base))]
    blocks += [_first_rules_table(board, base, levels), _meanings(board), _largest_table(board)]
    return Section(str(board["title"]), tuple(blocks))


def _meanings(board: Board) -> Folded:
    rows = tuple(cells(worded(kind), meaning) for kind, meaning in board["mistakes"].items())
    return Folded("What the mistakes are", (Table(cells("mistake", "what is wrong"), rows, words=True),))


def find_base(board: Board) -> Line:
    """Return the curve that others are compared with: not told the rules, of most points and then of most seeds."""
    lines = [line for line in board["curves"] if not line["told"]] or list(board["curves"])
    return max(lines, key=lambda line: (len(line["points"]), line["points"][-1]["seeds"]))


def _describe(base: Line) -> str:
    games = base["points"]
    return (
        f"From {number(games[0]['games'])} to {number(games[-1]['games'])} games of the teacher '{base['teacher']}' "
        f"({base['player']}); where nothing else is said the design is '{base['design']}', the network "
        f"of the kind '{base['network']}', and nobody tells the rules."
    )


def _plots(board: Board, base: Line) -> Iterator[Plot]:
    """Yield illegal choices and right ones by teacher, then by design, kinds of mistakes, and games."""
    floor = _find_floor(board)
    teachers = {str(line["teacher"]): line for line in board["curves"] if _is_beside(line, base)}
    designs = {name_design(line, base): line for line in board["curves"] if line["teacher"] == base["teacher"]}
    yield _draw("Illegal first choices, by teacher", teachers, "exam", "legality.whole", floor)
    yield _draw("Choices that are the teacher's, by teacher", teachers, "exam", "accuracy.whole")
    if len(designs) > 1:
        yield _draw(f"Illegal first choices, by design (teacher: {base['teacher']})", designs, "exam",
                    "legality.whole", floor)  # fmt: skip
        yield _draw(f"Choices that are the teacher's, by design (teacher: {base['teacher']})", designs, "exam",
                    "accuracy.whole")  # fmt: skip
    yield _draw_mistakes(board, base, floor)
    parts = [name for name in base["points"][-1]["exam"] if name.startswith(MASS)]
    if parts:
        curves = [_curve(name.removeprefix(MASS), base["points"], "exam", name, at) for at, name in enumerate(parts)]
        title = f"Probability on what is illegal, by part of the move (teacher: {base['teacher']})"
        yield Plot(draw_growth(curves, across=ACROSS, floor=floor), title)
    strange = {name: line for name, line in teachers.items() if "states" in line["points"][-1]}
    if strange:
        yield _draw("Illegal first choices in positions of random play", strange, "states", "legality.whole", floor)
    yield from _draw_games(base, teachers, {line["player"]: line["teacher"] for line in board["curves"]})


def _is_beside(line: Line, base: Line) -> bool:
    return all(line[key] == base[key] for key in ("design", "network", "told"))


def name_design(line: Line, base: Line) -> str:
    """Return what tells the students of one curve from those of another with the same teacher."""
    network = "" if line["network"] == base["network"] else f", {line['network']}"
    return f"{line['design']}{network}{', told' if line['told'] else ''}"


def _find_floor(board: Board) -> float:
    """Return a share below which an exam finds nothing: a power of ten, less than one choice of the largest."""
    most, floor = max(point["sample"] for line in board["curves"] for point in line["points"]), 0.1
    while floor * most > 1:
        floor /= 10
    return floor


def _draw(title: str, lines: Mapping[str, Line], section: str, measure: str, floor: float | None = None) -> Plot:
    curves = [
        _curve(name, line["points"], section, measure, place, missing=floor is not None)
        for place, (name, line) in enumerate(lines.items())
    ]
    return Plot(draw_growth(curves, across=ACROSS, floor=floor), title)


def _curve(
    name: str, points: Sequence[Mapping[str, Any]], section: str, measure: str, colour: int, *, missing: bool = False
) -> Curve:
    """Return a measure over the games watched; what it is *missing* of all where that is asked for."""
    known = [point for point in points if measure in point.get(section, {})]
    triples = [point[section][measure] for point in known]
    if missing:
        triples = [(1 - mean, 1 - most, 1 - least) for mean, least, most in triples]
    means, lows, highs = zip(*triples, strict=True)
    return Curve(name, [point["games"] for point in known], means, lows, highs, colour)


def _draw_mistakes(board: Board, base: Line, floor: float) -> Plot:
    """Draw the commonest kinds of mistakes, and what is left as one curve."""
    shares = {kind: max(_share(point, kind) for point in base["points"]) for kind in board["mistakes"]}
    ranked = sorted((kind for kind in shares if shares[kind] > 0), key=lambda kind: -shares[kind])
    own = ranked if len(ranked) <= KINDS + 1 else ranked[:KINDS]
    curves = [
        _curve(worded(kind), base["points"], "exam", f"mistakes.{kind}", place)
        for place, kind in enumerate(sorted(own, key=list(shares).index))
    ]
    if others := [kind for kind in ranked if kind not in own]:
        sums = [sum(_share(point, kind) for kind in others) for point in base["points"]]
        curves.append(Curve("others", [point["games"] for point in base["points"]], sums, sums, sums, len(curves)))
    drawing = draw_growth(curves or [_nothing(base)], across=ACROSS, floor=floor)
    return Plot(drawing, f"Illegal first choices by kind of mistake (teacher: {base['teacher']})")


def _nothing(base: Line) -> Curve:
    zeros = [0.0] * len(base["points"])
    return Curve("any", [point["games"] for point in base["points"]], zeros, zeros, zeros, 0)


def _share(point: Mapping[str, Any], kind: str) -> float:
    return float(point["exam"].get(f"mistakes.{kind}", [0.0])[0])


def _draw_games(base: Line, teachers: Mapping[str, Line], called: Mapping[str, str]) -> Iterator[Plot]:
    """Yield, of games against each opponent, how many are finished legally and how many points are won."""
    for section in (section for section in base["points"][-1] if section.startswith(AGAINST)):
        whom = _name_opponent(section, called)
        yield _draw(f"Games {whom} without an illegal choice", teachers, section, "strict.finished_legally")
        yield _draw(f"Points {whom}; an illegal choice loses", teachers, section, "strict.points")


def _name_opponent(section: str, called: Mapping[str, str]) -> str:
    """Return against whom games were, by what it is called as a teacher where it is one."""
    whom = section.removeprefix(AGAINST)
    return f"against {whom if called.get(whom, whom) == whom else f'the {called[whom]} teacher'}"


def _first_rules_table(board: Board, base: Line, levels: Sequence[float]) -> Table:
    """Tell after how many games each kind of mistake is rare, those first that are rare first."""
    by_chance = board["baselines"].get(base["teacher"], {}).get("any parts by chance", {})
    last = base["points"][-1]["games"]
    rows = []
    for kind in board["mistakes"]:
        reached = [find_reached(base["points"], kind, level) for level in levels]
        shares = [_share(point, kind) for point in (base["points"][0], base["points"][-1])]
        order = [last * 10 if games is None else games for games in reached]
        if any(_share(point, kind) for point in base["points"]):
            numbers = (_write_reached(games, last) for games in reached)
            chance = by_chance.get(f"mistakes.{kind}")
            row = (Cell(worded(kind)), *cells("" if chance is None else percent(chance, 2),
                   *(percent(share, 3) for share in shares), *numbers))  # fmt: skip
            rows.append(((*order, shares[-1]), row))
    heads = (f"rarer than {100 * level:g} % from" for level in levels)
    first, last_head = (f"after {number(base['points'][at]['games'])}" for at in (0, -1))
    columns = cells("mistake", "parts by chance", first, last_head, *heads)
    caption = f"Which rules come first: kinds of mistakes of the teacher '{base['teacher']}', in shares of all choices."
    return Table(columns, tuple(row for _, row in sorted(rows, key=lambda pair: pair[0])), caption)


def find_reached(points: Sequence[Mapping[str, Any]], kind: str, level: float) -> int | None:
    """Return the games from which on a mistake stays rarer than *level*, as far as anybody watched; None: never."""
    reached: int | None = None
    for point in reversed(points):
        if _share(point, kind) >= level:
            break
        reached = int(point["games"])
    return reached


def _write_reached(games: int | None, last: int) -> str:
    return f"more than {number(last)}" if games is None else f"{number(games)} games"


def _largest_table(board: Board) -> Table:
    """Tell of each curve its last point, and what those score who learned nothing."""
    opponents = [section for section in board["curves"][0]["points"][-1] if section.startswith(AGAINST)]
    rows: list[tuple[Cell, ...]] = []
    for teacher in dict.fromkeys(line["teacher"] for line in board["curves"]):
        lines = [line for line in board["curves"] if line["teacher"] == teacher]
        rows.append((Cell(f"Teacher: {teacher}", lines[0]["player"]),))
        rows += [_largest_row(line, find_base(board), opponents) for line in lines]
        rows += [_baseline_row(name, row, opponents) for name, row in board["baselines"].get(teacher, {}).items()]
    heads = ("games", "positions", "legal", "as the teacher", "legal in random play")
    called = {line["player"]: line["teacher"] for line in board["curves"]}
    whom = [_name_opponent(section, called) for section in opponents]
    met = (word for who in whom for word in (f"points {who}", f"legal games {who}"))
    caption = "The most games watched; mean, and least to most over seeds. Below: those who learned nothing."
    return Table(cells("student", *heads, *met), tuple(rows), caption, dense=True)


def _largest_row(line: Line, base: Line, opponents: Sequence[str]) -> tuple[Cell, ...]:
    point = line["points"][-1]
    games = [
        _ranged(point.get(section, {}).get(measure), 1)
        for section in opponents
        for measure in ("strict.points", "strict.finished_legally")
    ]
    seeds = f"{point['seeds']} seed{'s' if point['seeds'] > 1 else ''}"
    return (
        Cell(name_design(line, base), seeds), *cells(number(point["games"]), number(point["positions"])),
        _ranged(point["exam"]["legality.whole"], 2), _ranged(point["exam"]["accuracy.whole"], 1),
        _ranged(point.get("states", {}).get("legality.whole"), 2), *games,
    )  # fmt: skip


def _ranged(triple: Sequence[float] | None, decimals: int) -> Cell:
    if triple is None:
        return Cell("")
    mean, least, most = triple
    aside = f"({100 * least:.{decimals}f} to {100 * most:.{decimals}f})" if least < most else ""
    return Cell(percent(mean, decimals), aside)


def _baseline_row(name: str, row: Mapping[str, float], opponents: Sequence[str]) -> tuple[Cell, ...]:
    shares = percent(row["legality.whole"], 2), percent(row["accuracy.whole"], 1)
    return Cell(name, "baseline"), *cells("", "", *shares, "", *[""] * (2 * len(opponents)))


def growth_findings(run: Run) -> Iterable[Finding]:
    """Yield of every board what the students of its longest curve know at its end."""
    measures = {"legality.whole": ("legal choices in games that nobody watched", 2),
                "accuracy.whole": ("moves chosen as the teacher did in games that nobody watched", 1)}  # fmt: skip
    for measure, (words, decimals) in measures.items():
        for board in run.graded["boards"]:
            base = find_base(board)
            point = base["points"][-1]
            low, high = point["bounds"][measure]
            what = f"{board['title']}, {number(point['games'])} games of the {base['teacher']} teacher"
            # A candidate is nobody's rival: students of different games are not the best of each other.
            yield Finding(what, words, point["exam"][measure][0], low, high, point["sample"],
                          decimals=decimals, role="candidate")  # fmt: skip


def growth_results(run: Run) -> dict[str, Any]:
    """Return the curves, measure by measure, for the results of the run."""
    return {
        "boards": [
            {
                "board": board["title"],
                "curves": [_write_curve(line, board) for line in board["curves"]],
                "baselines": {
                    teacher: {name: {measure: row[measure] for measure in WRITTEN} for name, row in rows.items()}
                    for teacher, rows in board["baselines"].items()
                },
            }
            for board in run.graded["boards"]
        ]
    }


WRITTEN = ("legality.whole", "accuracy.whole")
"""Measures of the exam whose range over seeds is written, too."""


def _write_curve(line: Line, board: Board) -> dict[str, Any]:
    """Return a curve as columns: a number for each point."""
    points = line["points"]
    column: dict[str, Any] = {key: line[key] for key in ("teacher", "player", "design", "network", "told")}
    column |= {key: [point[key] for point in points] for key in ("games", "positions", "seeds", "sample")}
    for measure in WRITTEN:
        for place, how in enumerate(("mean", "least", "most")):
            column[f"{measure}.{how}"] = [round(point["exam"][measure][place], 5) for point in points]
    kinds = (kind for kind in board["mistakes"] if any(_share(point, kind) for point in points))
    column["mistakes"] = {kind: [round(_share(point, kind), 5) for point in points] for kind in kinds}
    for section in (key for key in points[-1] if key == "states" or key.startswith(AGAINST)):
        for measure in ("legality.whole", "strict.points", "strict.finished_legally"):
            if measure in points[-1][section]:
                column[f"{section}, {measure}"] = [point[section][measure][0] for point in points]
    return column
