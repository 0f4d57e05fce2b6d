"""The section on the ladder: games against an engine of known strengths, and the rating that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from understudy.games.chess.judges.ladder import scores
from understudy.games.chess.judges.tables import rating_text
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, measured, number
from understudy.report.plots import Line, draw_intervals

RATED_WITH = 1.0
"""Seconds a move from which on nothing is said about rungs that think too little."""

THEIRS = (
    " The thesis says about 2000, from 30 games against people on a server, results not listed; the two scales have "
    "nothing in common but the name."
)

LIMITS = {"time": "{:g} s", "depth": "depth {}", "nodes": "{} nodes"}
"""How a rung's engine is kept from thinking for ever."""


def ladder_section(ladder: Mapping[str, Any], *, beside: bool) -> Section | None:
    """Tell the rating and the score at each rung that was played against; *beside* adds what the thesis says."""
    rungs = [rung for rung in ladder.get("rungs", ()) if rung["games"]]
    if not rungs:
        return None
    blocks: list[Block] = [Text(f"{rating_text(ladder)}."), Text(_doubts(ladder) + (THEIRS if beside else ""))]
    return Section("Ladder", (*blocks, _table(ladder, rungs), _picture(ladder, rungs)))


def _doubts(ladder: Mapping[str, Any]) -> str:
    told = "The interval is of chance in the games alone; the rungs' ratings are taken as the engine names them."
    if ladder["limits"].get("time", 0.0) < RATED_WITH:
        told += " They hold for longer games: rungs that think less are weaker than named, and the rating flatters."
    return told


def _table(ladder: Mapping[str, Any], rungs: list[Mapping[str, Any]]) -> Table:
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


def _picture(ladder: Mapping[str, Any], rungs: list[Mapping[str, Any]]) -> Plots:
    points = [(float(rung["elo"]), rung["share"], rung["low"], rung["high"]) for rung in rungs]
    curve = None
    note = "Points taken at each rung, with 95 % intervals."
    if ladder.get("elo") is not None:
        across = np.linspace(rungs[0]["elo"], rungs[-1]["elo"], 50)
        curve = Line(across.tolist(), scores(ladder["elo"], across).tolist(), 1, quiet=True)
        note += " Dashed: what the rating promises."
    drawing = draw_intervals(points, across="Elo of the rung", curve=curve)
    return Plots((Plot(drawing, "points against rungs"),), note)
