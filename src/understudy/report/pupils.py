"""The sections on students that learn values: while they play (curves, snapshots, games), or from tables (errors)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from understudy.judges.duels import read_score
from understudy.report.blocks import (
    Block,
    Cell,
    Plot,
    Plots,
    Section,
    Table,
    Text,
    cells,
    decimal,
    measured,
    number,
    percent,
)
from understudy.report.naming import shorten
from understudy.report.plots import Band, Line, draw_lines
from understudy.report.sources import Run

SIDES = ("first", "second")
"""In the order of the two halves of a stored score."""

CURVES = 5
"""Sizes of sample in one picture: more lines, each of them twice, cannot be told apart."""


class PublishedPupils(NamedTuple):
    """What a paper says of students that learned while they played; their shares stand in `[paper]`."""

    best_hundreds: str
    """What it did with the best hundred games of a training."""


class PublishedErrors(NamedTuple):
    """What a paper says of networks fitted to tables of positions."""

    level: float
    """The mean squared error below which they were, on the positions that they had learned from."""
    board: str


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
    return Section("Learning", (Plots(plots, note), _best_hundreds(curves, run.beside(PublishedPupils))))


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    return [sum(column) / len(column) for column in zip(*rows, strict=True)]


def _each(take: Any, rows: Sequence[Sequence[float]]) -> list[float]:
    return [take(column) for column in zip(*rows, strict=True)]


def _best_hundreds(curves: Mapping[str, Any], paper: PublishedPupils | None) -> Table:
    rows = []
    for name, curve in curves.items():
        best = sorted(curve["best"], key=lambda one: one["won"])
        mean = {"value": sum(one["won"] for one in best) / len(best)}
        mean |= {"low": best[0]["won"], "high": best[-1]["won"]} if len(best) > 1 else {}
        where = ", ".join(number(one["game"]) for one in curve["best"][:3]) + (", …" if len(best) > 3 else "")
        rows.append((Cell(name), Cell(number(len(best))), measured(mean), Cell(where)))
    source = f", {paper.best_hundreds}" if paper is not None else ""
    caption = f"The best hundred games{source}: mean, least and most. Such a maximum flatters: see the games below."
    return Table(cells("student", "trainings", "won", "after game"), tuple(rows), caption)


def snapshots_section(run: Run) -> Section | None:
    """Draw what the snapshots of each student won, a picture for each opponent."""
    if not any(run.snapshots.values()):
        return None
    opponents = list(next(entries for entries in run.snapshots.values() if entries)[0]["won"])
    names, shared = shorten(opponents)
    plots = [_snapshot_plot(run, opponent, names[opponent]) for opponent in opponents]
    note = f"What the weights of every few thousand games win against each opponent, without learning. {shared}".strip()
    if field := list(next(entries for entries in run.snapshots.values() if entries)[0].get("field", ())):
        plots.append(_plot_shares(run, f"{', '.join(field)} in the mean, one ply each", share_of_field))
    return Section("Snapshots", (Plots(tuple(plots), note),))


def _snapshot_plot(run: Run, opponent: str, called: str) -> Plot:
    return _plot_shares(run, called, lambda entry: float(entry["won"][opponent]))


def _plot_shares(run: Run, called: str, share: Callable[[Mapping[str, Any]], float]) -> Plot:
    lines = []
    for place, entries in enumerate(run.snapshots.values()):
        shares = mean_shares(entries, share)
        lines.append(Line([float(games) for games in shares], list(shares.values()), place))
    return Plot(draw_lines(lines, across="games"), f"against {called}", tuple(run.snapshots))


def share_of_field(entry: Mapping[str, Any]) -> float:
    """Return what a snapshot won against all evaluators of the field together."""
    return fmean(entry["field"].values())


def mean_shares(entries: Sequence[Mapping[str, Any]], share: Callable[[Mapping[str, Any]], float]) -> dict[int, float]:
    """Return by the number of games what the snapshots of all trainings won in the mean."""
    won: dict[int, list[float]] = defaultdict(list)
    for entry in entries:
        won[entry["games"]].append(share(entry))
    return {games: fmean(won[games]) for games in sorted(won)}


def games_section(run: Run) -> Section | None:
    """Tell whom each student beats, how often, and what the source says."""
    if not run.games:
        return None
    opponents = list(next(iter(next(iter(run.games.values())).values())))
    paper, (names, shared) = run.published, shorten([*run.games, *opponents])
    rows = [(Cell(f"{names[name]}, {which}"), *row) for name, sets in run.games.items()
            for which, row in _game_rows(name, sets, opponents, paper)]  # fmt: skip
    caption = (
        "Games won, with 95 % intervals from the different pairs of games, and how many games differ. Chosen: the best "
        f"snapshot by other games than these. {shared}"
    ).strip()
    columns = cells("student", *(names[opponent] for opponent in opponents))
    blocks: list[Block] = [Table(columns, tuple(rows), caption), _sides(run, opponents, names)]
    if paper:
        blocks.insert(0, Text("Rows of the source stand below ours; what it does not say is left empty."))
    return Section("Games", (*_picked(run, names), *blocks))


def _picked(run: Run, names: Mapping[str, str]) -> list[Block]:
    """Tell which row of all is to be named where one is: the one that other games picked."""
    student, which, among = (run.picked.get(key) for key in ("student", "set", "among"))
    if not isinstance(student, str) or not isinstance(among, int) or among < 2:
        return []
    text = (
        f"Of {among} sets of weights {names.get(student, student)}, {which}, was picked, by "
        f"{number(run.picked['games'])} games against each opponent that is chosen by. Those games grade nobody; its "
        "row below comes from others."
    )
    return [Text(text)]


def _game_rows(
    name: str, sets: Mapping[str, Any], opponents: Sequence[str], paper: Mapping[str, Any]
) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    for which, scores in sets.items():
        yield which, tuple(_won(scores[opponent]) for opponent in opponents)
    printed = paper.get(name, {})
    if any(opponent in printed for opponent in opponents):
        yield "source", cells(*(percent(printed[one]) if one in printed else "" for one in opponents))


def _sides(run: Run, opponents: Sequence[str], names: Mapping[str, str]) -> Table:
    """Return what was won as the first and as the second player."""
    rows = []
    for name, sets in run.games.items():
        which = next(iter(sets))
        shares = [_won(sets[which][opponent], side) for opponent in opponents for side in (0, 1)]
        rows.append((Cell(f"{names[name]}, {which}"), *shares))
        printed = run.published.get(name, {})
        theirs = [printed.get(f"{opponent} as {side}") for opponent in opponents for side in SIDES]
        if any(theirs):
            rows.append((Cell(f"{names[name]}, source"), *cells(*(percent(one) if one else "" for one in theirs))))
    columns = [f"{names[opponent]}, as {side}" for opponent in opponents for side in SIDES]
    return Table(cells("student", *columns), tuple(rows), "The same by side: Black moves first.")


def _won(counts: Any, side: int | None = None) -> Cell:
    """Return the share of games won with its interval, as both sides or as one; and of both how many games differ."""
    score = read_score(counts)
    if side is not None:
        return measured(score.won_as(side)._asdict())
    cell = measured(score.won()._asdict())
    known = (
        "repetitions unknown"
        if score.different is None
        else f"{number(score.different)} of {number(score.games)} differ"
    )
    return cell._replace(aside=f"{cell.aside} {known}{'' if score.trusted else ': too few to trust'}".strip())


def errors_sections(run: Run) -> list[Section]:
    """Return the sections on learning and on what was learned from; none where nothing was fitted."""
    return [_fitting(run.errors, run.beside(PublishedErrors)), _samples(run.errors)] if run.errors else []


def _fitting(errors: Mapping[str, Any], paper: PublishedErrors | None) -> Section:
    note = (
        "Mean squared error over cycles, for tables of so many games. Solid: positions held out; dashed: positions "
        "learned from."
    )
    if paper is not None:
        note += f" The last line is the source's {paper.level}, which it reached on the positions learned from."
    plots = tuple(_curves(name, entries, paper) for name, entries in errors.items())
    rows = tuple(row for name, entries in errors.items() for row in _rows(name, entries))
    columns = cells("student, games", "learned from", "held out", "mean alone", "explained", "met 5 times or more",
                    "mean alone", "game going on", "mean alone")  # fmt: skip
    caption = (
        "Mean squared errors at the end; values are from 0 to 1. Mean alone: the error on positions held out of always "
        "saying the mean of those learned from; explained: the share of it that the network does away with. The last "
        "columns are of positions held out: those met often, and those in which the game goes on. Intervals of 95 % "
        "take positions as independent, which those of one game are not."
    )
    caption += f" Source, {paper.board}: below {paper.level}, learned from." if paper is not None else ""
    return Section("Errors", (Plots(plots, note), Table(columns, rows, caption)))


def _curves(name: str, entries: Sequence[Mapping[str, Any]], paper: PublishedErrors | None) -> Plot:
    shown = _spread(entries)
    lines = []
    for colour, entry in enumerate(shown):
        xs = [float(cycle + 1) for cycle in entry["cycles"]]
        lines += [Line(xs, entry["held_out_curve"], colour), Line(xs, entry["learned_curve"], colour, quiet=True)]
    if paper is not None:
        ends = [1.0, float(max(len(entry["cycles"]) for entry in shown))]
        lines.append(Line(ends, [paper.level, paper.level], len(shown), quiet=True))
    top = 1.15 * max(sorted(line.ys)[9 * len(line.ys) // 10] for line in lines)
    drawing = draw_lines(lines, across="cycles", decimals=3, low=0.0, high=top, shares=False)
    keys = [f"{number(entry['games'])} games" for entry in shown]
    return Plot(drawing, name, (*keys, *(["source"] if paper is not None else [])))


def _spread(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return a few of the entries, the first and the last among them."""
    last = len(entries) - 1
    places = {round(last * place / (CURVES - 1)) for place in range(CURVES)}
    return [entries[place] for place in sorted(places)]


def _rows(name: str, entries: Sequence[Mapping[str, Any]]) -> list[tuple[Cell, ...]]:
    return [
        (
            Cell(f"{name}, {number(entry['games'])}"),
            Cell(_written(entry["learned"])),
            _measured(entry["held_out"]),
            Cell(_written(entry["mean_alone"])),
            Cell(percent(1 - entry["held_out"]["value"] / entry["mean_alone"]) if entry["mean_alone"] else "–"),
            _measured(entry["often"]),
            Cell(_written(entry["often_mean_alone"])),
            _measured(entry["going_on"]),
            Cell(_written(entry["going_on_mean_alone"])),
        )
        for entry in entries
    ]


def _measured(measure: Mapping[str, Any]) -> Cell:
    if not measure["sample"]:
        return Cell("–")
    aside = f"({_written(measure['low'])} to {_written(measure['high'])})" if measure["sample"] > 1 else ""
    return Cell(_written(measure["value"]), aside)


def _written(error: float | None) -> str:
    return decimal(error, 4)


def _samples(errors: Mapping[str, Any]) -> Section:
    """Tell how large the tables are and who won the games behind them."""
    rows = [
        (
            Cell(f"{name}, {number(entry['games'])}"),
            *cells(number(entry["positions"]), percent(entry["once"] / entry["positions"]), *_shares(entry["results"])),
        )
        for name, entries in errors.items()
        for entry in entries
    ]
    text = (
        "Positions are counted once, whoever was to move; lost, drawn and won are of who sampled, against its opponent."
    )
    table = Table(cells("student, games", "positions", "met once", "lost", "drawn", "won"), tuple(rows))
    return Section("Tables", (Text(text), table))


def _shares(results: Sequence[Sequence[int]]) -> list[str]:
    counts = [sum(column) for column in zip(*results, strict=True)]
    return [percent(count / max(sum(counts), 1)) for count in counts]
