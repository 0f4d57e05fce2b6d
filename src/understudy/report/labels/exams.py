"""The sections on exams: test suites, what wrong moves in them cost, and games on a ladder of engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from understudy.judges.measures import expected_shares, rating_text
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, decimal, measured, number
from understudy.report.labels.nearness import Pairs, PublishedLabels, targets_of
from understudy.report.plots import Line, draw_intervals, draw_pairs
from understudy.report.sources import Run

EDGE = 8.0
"""Pawns beyond which a picture does not tell worths apart."""

RATED_WITH = 1.0
"""Seconds a move from which on nothing is said about rungs that think too little."""

LIMITS = {"time": "{:g} s", "depth": "depth {}", "nodes": "{} nodes"}
"""How a rung's engine is kept from thinking for ever."""

BASELINES = {"chance": "a random mover", "material": "most material in one ply"}
"""Who stands below the students of a suite, having learned nothing; their numbers are means."""

Facts = Mapping[str, Any]
"""What suites.json tells of one student in one suite."""


def suite_sections(run: Run) -> list[Section]:
    """Return a section for each suite that somebody answered."""
    paper, band = run.beside(PublishedLabels), targets_of(run).draw_band
    return [_section(suite, answers, paper, band) for suite, answers in run.suites.items() if answers]


def _section(suite: str, answers: Mapping[str, Facts], paper: PublishedLabels | None, band: float) -> Section:
    first = next(iter(answers))
    facts = answers[first]
    blocks: list[Block] = [_students(answers, band)]
    if facts.get("cost"):
        blocks.append(_pictures(first, facts, paper, band))
    if paper is not None:
        blocks += paper.suite_tables(answers)
    blocks.append(_positions(first, facts))
    return Section(f"Test suite {suite}", tuple(blocks))


def _students(answers: Mapping[str, Facts], band: float) -> Table:
    """Return what each student found and what its moves cost, the cheapest first."""
    graded, first = any(facts.get("points") for facts in answers.values()), next(iter(answers.values()))
    rows = [
        (
            Cell(name),
            *(_found_moves(facts, measure) for measure in ("best_moves", "avoided")),
            *([Cell(_points(facts))] if graded else []),
            *(Cell(pawns(_cost(facts).get(key))) for key in ("mean_delta", "median_delta")),
            Cell(_thousandths(_cost(facts).get("mean_expected_loss"))),
            *(Cell(number(_cost(facts).get(key, ""))) for key in ("losing_moves", "wins_thrown_away")),
        )
        for name, facts in by_cost(answers).items()
    ]
    rows += [_unlearned(who, first, graded, len(rows[0])) for who in BASELINES if who in first.get("baselines", {})]
    columns = ["student", "best moves found", "bad ones avoided", *(["points"] if graded else [])]
    columns += ["mean delta", "median", "points lost", "losing", "wins let go"]
    return Table(cells(*columns), tuple(rows), _caption(first, band), dense=True)


def _unlearned(who: str, facts: Facts, graded: bool, width: int) -> tuple[Cell, ...]:
    """Return what somebody gets of a suite who has learned nothing, as a row below the students."""
    got = facts["baselines"][who]
    found = [
        f"{got[name]:.1f} of {facts['measures'][name]['sample']}" if facts["measures"][name]["sample"] else ""
        for name in ("best_moves", "avoided")
    ]
    told = [BASELINES[who], *found, *([f"{got['points']:.1f}"] if graded else [])]
    return cells(*told, *[""] * (width - len(told)))


def by_cost(answers: Mapping[str, Facts]) -> dict[str, Facts]:
    """Return answers with the cheapest moves first."""
    return dict(sorted(answers.items(), key=lambda item: _cost(item[1]).get("mean_delta") or 0.0))


def _caption(facts: Facts, band: float) -> str:
    cost = _cost(facts)
    text = f"{len(facts['positions'])} positions; cheapest moves first. Intervals of 95 % are of single answers."
    if not cost:
        return f"{text} No engine said what the moves cost."
    text += (
        " Delta: what the position is worth after the test's move less what it is worth after the student's, in "
        f"pawns, by {facts['engine']}, a mate being 20. Points lost: the same as a share of a game."
    )
    if band:
        text += (
            f" Losing: moves into a position worse than -{band} where the test's move keeps it better; wins let go: "
            f"moves into one not better than {band} where the test's move leads to one."
        )
    own = cost.get("against_engine")
    return text + (f" In {own} positions the test names no best move, and the engine's stands in." if own else "")


def _cost(facts: Facts) -> Mapping[str, Any]:
    return facts.get("cost") or {}


def _found_moves(facts: Facts, measure: str) -> Cell:
    one = facts["measures"].get(measure)
    if not one or not one.get("sample"):
        return Cell("")
    return Cell(f"{round(one['value'] * one['sample'])} of {one['sample']}", measured(one, decimals=0).aside)


def _points(facts: Facts) -> str:
    points = facts.get("points")
    return f"{points['earned']:g} of {points['most']:g}" if points else ""


def pawns(value: float | None) -> str:
    """Return a number of pawns, empty where there is none."""
    return "" if value is None else decimal(value, 2)


def _thousandths(value: float | None) -> str:
    return "" if value is None else decimal(value, 3)


def _pictures(first: str, facts: Facts, paper: PublishedLabels | None, band: float) -> Plots:
    """Return what the moves of the first student and of a paper's students are worth, position by position."""
    ours = [(row["pawns_against"], row["pawns"]) if "delta" in row else None for row in facts["positions"]]
    theirs = paper.suite_pictures(facts) if paper is not None else {}
    plots = tuple(_picture(who, pairs, band) for who, pairs in {first: ours, **theirs}.items())
    draws = f" in the band, within {band} pawns, positions count as draws;" if band else ""
    note = (
        f"What each position is worth for the mover after the test's move and after the move played;{draws} beyond "
        f"{EDGE:g} pawns points stand at the edge."
    )
    return Plots(plots, f"{note} {paper.suite_note}" if paper is not None and theirs else note)


def _picture(who: str, pairs: Pairs, band: float) -> Plot:
    drawing = draw_pairs(pairs, across="position", band=band, edge=EDGE)
    return Plot(drawing, who, ("the test's move", "the move played"))


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
    return Cell(row["against"], aside), *(Cell(pawns(row[key])) for key in ("pawns_against", "pawns", "delta"))


def ladder_section(ladder: Mapping[str, Any], paper: PublishedLabels | None) -> Section | None:
    """Tell the rating and the score at each rung that was played against, and what a *paper* says of its own."""
    rungs = [rung for rung in ladder.get("rungs", ()) if rung["games"]]
    if not rungs:
        return None
    theirs = f" {paper.rating_note}" if paper is not None else ""
    blocks: list[Block] = [Text(f"{rating_text(ladder)}."), Text(_doubts(ladder) + theirs)]
    return Section("Ladder", (*blocks, _rungs(ladder, rungs), _rung_picture(ladder, rungs)))


def _doubts(ladder: Mapping[str, Any]) -> str:
    text = (
        "The interval is of chance in the games alone; the rungs' ratings are taken as the engine names them, "
        "and as games placed those below its weakest."
    )
    if ladder["limits"].get("time", 0.0) < RATED_WITH:
        text += " They hold for longer games: rungs that think less are weaker than named, and the rating flatters."
    return text


def _rungs(ladder: Mapping[str, Any], rungs: list[Mapping[str, Any]]) -> Table:
    rows = [
        (
            Cell(str(rung["elo"])),
            *(Cell(number(rung[key])) for key in ("games", "wins", "draws", "losses")),
            measured({"value": rung["share"], "low": rung["low"], "high": rung["high"]}),
        )
        for rung in rungs
    ]
    limits = ", ".join(LIMITS[name].format(value) for name, value in ladder["limits"].items())
    stopped = " Stopped before its end." if ladder.get("stopped") else ""
    games, engine = number(ladder["games"]), ladder["engine"]
    caption = f"{games} games against {engine} ({limits} a move), with 95 % intervals.{stopped}"
    return Table(cells("Elo of the rung", "games", "won", "drawn", "lost", "points"), tuple(rows), caption)


def _rung_picture(ladder: Mapping[str, Any], rungs: list[Mapping[str, Any]]) -> Plots:
    points = [(float(rung["elo"]), rung["share"], rung["low"], rung["high"]) for rung in rungs]
    curve = None
    note = "Points taken at each rung, with 95 % intervals."
    if ladder.get("elo") is not None:
        across = np.linspace(rungs[0]["elo"], rungs[-1]["elo"], 50)
        curve = Line(across.tolist(), expected_shares(ladder["elo"], across).tolist(), 1, quiet=True)
        note += " Dashed: what the rating promises."
    drawing = draw_intervals(points, across="Elo of the rung", curve=curve)
    return Plots((Plot(drawing, "points against rungs"),), note)
