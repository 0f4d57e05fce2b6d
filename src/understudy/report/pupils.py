"""The sections on students that learned while they played: their curves, their snapshots, and whom they beat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.judges.duels import read_score
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, measured, number, percent
from understudy.report.plots import Band, Line, draw_lines
from understudy.report.sources import Run

SIDES = ("first", "second")


def curves_section(run: Run) -> Section | None:
    """Draw how many of the last hundred games each student won while it learned."""
    curves = {name: curve for name, curve in run.curves.items() if curve["games"]}
    if not curves:
        return None
    names = tuple(curves)
    lines = [Line(curve["games"], _mean(curve["won"]), place) for place, curve in enumerate(curves.values())]
    bands = [
        Band(curve["games"], _each(min, curve["won"]), _each(max, curve["won"]), place)
        for place, curve in enumerate(curves.values())
        if len(curve["won"]) > 1
    ]
    raw = [Line(curve["games"], curve["raw"], place) for place, curve in enumerate(curves.values())]
    note = "Bands hold all repeats, lines are their means." if bands else ""
    plots = (
        Plot(draw_lines(lines, across="games", bands=bands), "Won of the last hundred games, smoothed", names),
        Plot(draw_lines(raw, across="games"), "The same of one training, not smoothed", names),
    )
    return Section("Learning", (Plots(plots, note), _best_hundreds(curves, kept=run.beside("thompson"))))


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(column) for column in zip(*rows, strict=True)]


def _each(take: Any, rows: Sequence[Sequence[float]]) -> list[float]:
    return [take(column) for column in zip(*rows, strict=True)]


def _best_hundreds(curves: Mapping[str, Any], *, kept: bool) -> Table:
    rows = []
    for name, curve in curves.items():
        best = sorted(curve["best"], key=lambda one: one["won"])
        spread = "" if len(best) == 1 else f"({percent(best[0]['won'], 0)} to {percent(best[-1]['won'], 0)})"
        mean = sum(one["won"] for one in best) / len(best)
        where = ", ".join(number(one["game"]) for one in curve["best"][:3]) + (", …" if len(best) > 3 else "")
        rows.append((Cell(name), Cell(number(len(best))), Cell(percent(mean, 0), spread), Cell(where)))
    source = ", whose weights the source kept" if kept else ""
    caption = f"The best hundred games{source}. Such a maximum flatters: see the games below."
    return Table(cells("student", "trainings", "won", "after game"), tuple(rows), caption)


def snapshots_section(run: Run) -> Section | None:
    """Draw what the snapshots of each student won, a picture for each opponent."""
    if not any(run.snapshots.values()):
        return None
    opponents = list(next(entries for entries in run.snapshots.values() if entries)[0]["won"])
    plots = [_snapshot_plot(run, opponent) for opponent in opponents]
    note = "What the weights of every few thousand games win against each opponent, without learning."
    return Section("Snapshots", (Plots(tuple(plots), note),))


def _snapshot_plot(run: Run, opponent: str) -> Plot:
    lines = []
    for place, entries in enumerate(run.snapshots.values()):
        found: dict[int, list[float]] = defaultdict(list)
        for entry in entries:
            found[entry["games"]].append(entry["won"][opponent])
        shares = [sum(found[games]) / len(found[games]) for games in sorted(found)]
        lines.append(Line([float(games) for games in sorted(found)], shares, place))
    return Plot(draw_lines(lines, across="games"), f"against {opponent}", tuple(run.snapshots))


def games_section(run: Run) -> Section | None:
    """Tell whom each student beats, how often, and what the source says."""
    if not run.games:
        return None
    opponents = list(next(iter(next(iter(run.games.values())).values())))
    paper = run.published
    rows = [row for name, sets in run.games.items() for row in _game_rows(name, sets, opponents, paper)]
    caption = "Games won, with 95 % intervals. Chosen: the best snapshot by other games than these."
    blocks: list[Block] = [Table(cells("student", *opponents), tuple(rows), caption), _sides(run, opponents)]
    if paper:
        blocks.insert(0, Text("Rows of the source stand below ours; what it does not say is left empty."))
    return Section("Games", tuple(blocks))


def _game_rows(
    name: str, sets: Mapping[str, Any], opponents: Sequence[str], paper: Mapping[str, Any]
) -> Iterator[tuple[Cell, ...]]:
    for which, scores in sets.items():
        yield Cell(f"{name}, {which}"), *(_won(scores[opponent]) for opponent in opponents)
    told = paper.get(name, {})
    if any(opponent in told for opponent in opponents):
        shares = [percent(told[opponent], 0) if opponent in told else "" for opponent in opponents]
        yield Cell(f"{name}, source"), *cells(*shares)


def _sides(run: Run, opponents: Sequence[str]) -> Table:
    """Return what was won as the first and as the second player."""
    rows = []
    for name, sets in run.games.items():
        which = next(iter(sets))
        shares = [_won(sets[which][opponent], side) for opponent in opponents for side in (0, 1)]
        rows.append((Cell(f"{name}, {which}"), *shares))
        told = run.published.get(name, {})
        known = [told.get(f"{opponent} as {side}") for opponent in opponents for side in SIDES]
        if any(known):
            rows.append((Cell(f"{name}, source"), *cells(*(percent(one, 0) if one else "" for one in known))))
    columns = [f"{opponent}, as {side}" for opponent in opponents for side in SIDES]
    return Table(cells("student", *columns), tuple(rows), "The same by side: Black moves first.")


def _won(counts: Any, side: int | None = None) -> Cell:
    """Return the share of games won with its interval, as both sides or as one."""
    score = read_score(counts)
    return measured((score.won() if side is None else score.won_as(side))._asdict())
