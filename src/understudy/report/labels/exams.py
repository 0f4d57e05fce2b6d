"""The sections on test suites: who finds how many moves and what the others cost, table 8.1 and figures 8.1 to 8.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from understudy.games.chess.datasets import DRAW_BAND
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, cells, measured, number
from understudy.report.plots import draw_pairs
from understudy.studies.sabatelli import paper as sabatelli

EDGE = 8.0
"""Pawns beyond which a picture does not tell worths apart."""

Facts = Mapping[str, Any]
"""What suites.json tells of one student in one suite."""


def suite_sections(suites: Mapping[str, Any]) -> list[Section]:
    """Return a section for each suite that somebody answered."""
    return [_section(suite, answers) for suite, answers in suites.items() if answers]


def _section(suite: str, answers: Mapping[str, Facts]) -> Section:
    first = next(iter(answers))
    facts = answers[first]
    blocks: list[Block] = [_students(answers)]
    if facts.get("cost"):
        blocks.append(_pictures(first, facts))
    if facts.get("thesis"):
        blocks += [_means(answers), _table_81(first, facts["thesis"])]
    blocks.append(_positions(first, facts))
    return Section(f"Test suite {suite}", tuple(blocks))


def _students(answers: Mapping[str, Facts]) -> Table:
    """Return what each student found and what its moves cost, the cheapest first."""
    graded = any(facts.get("points") for facts in answers.values())
    rows = [
        (
            Cell(name),
            *(_found(facts, measure) for measure in ("best_moves", "avoided")),
            *([Cell(_points(facts))] if graded else []),
            *(Cell(_pawns(_cost(facts).get(key))) for key in ("mean_delta", "median_delta")),
            Cell(_thousandths(_cost(facts).get("mean_expected_loss"))),
            *(Cell(number(_cost(facts).get(key, ""))) for key in ("losing_moves", "wins_thrown_away")),
        )
        for name, facts in _ordered(answers).items()
    ]
    columns = ["student", "best moves found", "bad ones avoided", *(["points"] if graded else [])]
    columns += ["mean delta", "median", "points lost", "losing", "wins let go"]
    return Table(cells(*columns), tuple(rows), _caption(next(iter(answers.values()))), dense=True)


def _ordered(answers: Mapping[str, Facts]) -> dict[str, Facts]:
    return dict(sorted(answers.items(), key=lambda item: _cost(item[1]).get("mean_delta") or 0.0))


def _caption(facts: Facts) -> str:
    cost = _cost(facts)
    told = f"{len(facts['positions'])} positions; cheapest moves first. Intervals of 95 % are of single answers."
    if not cost:
        return f"{told} No engine said what the moves cost."
    told += (
        " Delta: what the position is worth after the test's move less what it is worth after the student's, in "
        f"pawns, by {facts['engine']}, a mate being 20. Points lost: the same as a share of a game. Losing: moves into "
        f"a position worse than -{DRAW_BAND} where the test's move keeps it better; wins let go: moves into one not "
        f"better than {DRAW_BAND} where the test's move leads to one."
    )
    own = cost.get("against_engine")
    return told + (f" In {own} positions the test names no best move, and the engine's stands in." if own else "")


def _cost(facts: Facts) -> Mapping[str, Any]:
    return facts.get("cost") or {}


def _found(facts: Facts, measure: str) -> Cell:
    found = facts["measures"].get(measure)
    if not found or not found.get("sample"):
        return Cell("")
    return Cell(f"{round(found['value'] * found['sample'])} of {found['sample']}", measured(found, decimals=0).aside)


def _points(facts: Facts) -> str:
    points = facts.get("points")
    return f"{points['earned']:g} of {points['most']:g}" if points else ""


def _pawns(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _thousandths(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _pictures(first: str, facts: Facts) -> Plots:
    """Return figure 8.1 for the first student, and anew for the thesis's two networks where their moves are legal."""
    pairs = [(row["pawns_against"], row["pawns"]) if "delta" in row else None for row in facts["positions"]]
    plots = [_picture(first, pairs)]
    rows = (facts.get("thesis") or {}).get("rows", ())
    for who in ("mlp", "cnn") if rows else ():
        costs = [row[f"{who}_cost"] for row in rows]
        pairs = [(cost["pawns"] + cost["delta"], cost["pawns"]) if cost else None for cost in costs]
        plots.append(_picture(f"{sabatelli.SOURCE}'s {who.upper()}", pairs))
    note = (
        "What each position is worth for the mover after the test's move and after the move played; in the band, "
        f"within {DRAW_BAND} pawns, positions count as draws; beyond {EDGE:g} pawns points stand at the edge."
    )
    if rows:
        note += (
            " The thesis's networks as in its figures 8.1 and 8.2, but judged by our engine and row by row of its "
            "table; moves that cannot be played are left out."
        )
    return Plots(tuple(plots), note)


def _picture(who: str, pairs: Sequence[tuple[float, float] | None]) -> Plot:
    drawing = draw_pairs(pairs, across="position", band=DRAW_BAND, edge=EDGE)
    return Plot(drawing, who, ("the test's move", "the move played"))


def _means(answers: Mapping[str, Facts]) -> Table:
    """Return what table 8.1 comes to: the thesis's networks as stated, as printed and anew, and every student."""
    there = next(iter(answers.values()))["thesis"]
    rows = [
        (
            Cell(f"{sabatelli.SOURCE}'s {who.upper()}"),
            *cells(str(there["best_moves"][who]), str(there["illegal"][who]), _pawns(there["stated_mean"][who])),
            Cell(_pawns(there["printed"][who]["mean_delta"])),
            *_anew(there["recomputed"][who]),
        )
        for who in ("mlp", "cnn")
    ]
    ours = {name: facts["thesis"] for name, facts in _ordered(answers).items() if facts.get("thesis")}
    rows += [
        (Cell(name), Cell(str(found["best_moves"]["ours"])), *cells("", "", ""), *_anew(found["recomputed"]["ours"]))
        for name, found in ours.items()
    ]
    caption = (
        f"Table 8.1 of the thesis, {len(there['rows'])} rows: other best moves than the suite's key in some, one "
        "position twice and one not at all. Stated: the mean delta in its text; column: that of the numbers it prints; "
        "anew: what our engine makes of the moves that can be played, which is what compares with the students."
    )
    columns = ("player", "best moves", "illegal", "stated", "column", "anew: moves", "mean delta", "median", "losing")
    return Table(cells(*columns), tuple(rows), caption, dense=True)


def _anew(costs: Mapping[str, Any] | None) -> tuple[Cell, ...]:
    if not costs:
        return cells("", "", "", "")
    mean, median = (_pawns(costs[key]) for key in ("mean_delta", "median_delta"))
    return cells(number(costs["positions"]), mean, median, number(costs["losing_moves"]))


def _table_81(first: str, thesis: Mapping[str, Any]) -> Table:
    rows = [
        (
            Cell(f"{row['row']}, {row['id']}"),
            Cell(" or ".join(row["best"].split())),
            *(cell for who in ("mlp", "cnn") for cell in _theirs(row, who)),
            Cell(row["ours"] or "–", "", bool(row["ours_best"])),
            Cell(_pawns((row["ours_cost"] or {}).get("delta"))),
        )
        for row in thesis["rows"]
    ]
    columns = cells("row", "best", "MLP", "printed", "anew", "CNN", "printed", "anew", first, "anew")
    caption = (
        "Table 8.1 row by row, deltas in pawns against the thesis's best move. In colour: best moves; in brackets: "
        "moves that cannot be played in that position."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _theirs(row: Mapping[str, Any], who: str) -> tuple[Cell, ...]:
    move = row[who] if row[f"{who}_legal"] else f"({row[who]})"
    anew = (row[f"{who}_cost"] or {}).get("delta")
    return Cell(move, "", bool(row[f"{who}_best"])), Cell(f"{row[f'{who}_delta']:g}"), Cell(_pawns(anew))


def _positions(first: str, facts: Facts) -> Table:
    priced = bool(facts.get("cost"))
    rows = [
        (
            *cells(row["id"], ", ".join([*row["best"], *(f"not {move}" for move in row["avoid"])])),
            Cell(row["move"] or f"({row['fault']})", "", bool(row["solved"])),
            *(_price(row) if priced else ()),
        )
        for row in facts["positions"]
    ]
    prices = ("held against", "worth", "played is worth", "delta")
    columns = ("position", "the key", "played", *(prices if priced else ()))
    caption = f"What {first} plays; in colour what the key asks for. Worths are in pawns, for the mover."
    return Table(cells(*columns), tuple(rows), caption, dense=True)


def _price(row: Mapping[str, Any]) -> tuple[Cell, ...]:
    if "delta" not in row:
        return cells("", "", "", "")
    aside = "(engine's)" if row["source"] == "engine" else ""
    return Cell(row["against"], aside), *(Cell(_pawns(row[key])) for key in ("pawns_against", "pawns", "delta"))
