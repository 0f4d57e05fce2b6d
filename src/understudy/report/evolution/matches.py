"""Matches in tables: scores, records and tests, ours and below them what a paper prints; and players that do not learn.

The section on players that do not learn also tests whether those that evolved score otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from understudy.judges.scores import BLACK, VIEWS, WHITE, Matches, Record, records, score, spreads
from understudy.judges.statistics import Spread, Welch, welch
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, decimal, measured, number
from understudy.report.evolution.monitors import Monitor
from understudy.report.evolution.published import STUDENT, PublishedEvolution, PublishedMatches
from understudy.report.plots import Line, draw_lines

TITLES = {"overall": "all games", "white": "as White", "black": "as Black", "combined": "matches"}
"""Of each view, as rows and columns call it."""

Spreads: TypeAlias = Mapping[str, Spread]
"""By view."""
Records: TypeAlias = Mapping[str, Record]
"""By view."""

SURE = 0.0001
"""Probabilities below this are told as such."""

COMPARED = (("stochastic", "searcher"), ("random_network", "stochastic"))
"""Fixed players whose matches are set beside those of students against the same opponent: they show what is reached
without learning, by heuristics or weights taken by chance."""


def family_of(player: str) -> str:
    """Return a player's name without its options."""
    return player.partition(":")[0]


def is_compared(one: str, opponent: str) -> bool:
    """Tell whether a fixed player is one that students are compared with."""
    return (family_of(one), family_of(opponent)) in COMPARED


def spread_table(players: Mapping[str, Spreads], caption: str) -> Table:
    """Return mean, median, maximum and deviation of the scores of some players, view by view."""
    rows = [
        (Cell(f"{TITLES[view]}, {name}"), *_spread(views[view]))
        for view in VIEWS
        for name, views in players.items()
        if view in views
    ]
    return Table(cells("score", "mean", "median", "maximum", "deviation", "sample"), tuple(rows), caption)


def _spread(one: Spread) -> tuple[Cell, ...]:
    return (
        averaged(one),
        Cell(exact(one.median)),
        Cell(exact(one.most)),
        Cell(hundredths(one.deviation)),
        Cell(number(one.sample)),
    )


def averaged(one: Spread) -> Cell:
    """Return a mean with its interval."""
    low, high = one.interval
    return Cell(hundredths(one.mean), "" if math.isnan(low) else f"({decimal(low, 2)} to {decimal(high, 2)})")


def hundredths(value: float) -> str:
    """Return a score with two decimals; more would be chance."""
    return decimal(value, 2)


def exact(value: float) -> str:
    """Return a score that is a whole or half number."""
    return f"{value:g}" if math.isfinite(value) else "–"


def record_table(players: Mapping[str, Records], caption: str) -> Table | None:
    """Return wins, losses and ties of some players, view by view, or None where nobody has any."""
    rows = [
        (Cell(f"{TITLES[view]}, {name}"), *_record(views[view]))
        for view in VIEWS
        for name, views in players.items()
        if view in views
    ]
    columns = cells("record", "won", "lost", "tied", "different", "won of decided", "points of all")
    return Table(columns, tuple(rows), f"{caption} {DIFFERENT}") if rows else None


DIFFERENT = "Different: those that repeat none before them, of which intervals are made; – where nobody knows."
"""Stands below tables of records."""


def _record(one: Record) -> tuple[Cell, ...]:
    shares = (one.winning(), one.points())
    return *cells(*map(number, one[:3])), counted(one), *(measured(measure._asdict(), decimals=2) for measure in shares)


def counted(one: Record) -> Cell:
    """Return how many games or matches differ; a dash where nobody knows."""
    return Cell("–" if one.different is None else number(one.different))


def record_text(one: Record) -> str:
    """Return a record as `won-lost-tied`."""
    return f"{one.won}-{one.lost}-{one.tied}"


def test_table(pairs: Sequence[tuple[str, Spreads, Spreads]], caption: str) -> Table | None:
    """Return the differences of means with the probabilities of Welch's test, a row for each pair of players."""
    rows = [
        (Cell(title), *(_tested(welch(one[view], other[view])) for view in VIEWS))
        for title, one, other in pairs
        if one and other
    ]
    return Table(cells("difference of means", *TITLES.values()), tuple(rows), caption, dense=True) if rows else None


def _tested(test: Welch | None) -> Cell:
    return Cell("–") if test is None else Cell(f"{test.difference:+.2f}", probability(test.p))


def probability(p: float) -> str:
    """Return a probability as tests tell it."""
    return f"p < {SURE}" if p < SURE else f"p = {p:.2g}"


Baselines = Mapping[tuple[str, str], Matches]
"""By the names of both players."""

INDIVIDUALS = 62
"""Matches that are taken as an epoch, as many as the population of the usual experiment has individuals."""


def baselines_section(
    baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], paper: PublishedEvolution | None
) -> Section | None:
    """Tell how fixed players fare against each other, and whether those that evolved score otherwise."""
    played = {pair: matches for pair, matches in baselines.items() if matches.played}
    if not played:
        return None
    blocks: list[Block] = []
    for pair, matches in played.items():
        printed = {paper.source: there} if paper is not None and (there := paper.between(*pair)) is not None else {}
        blocks += _meeting(*pair, matches, printed)
    plots = [_groups(*item) for item in played.items() if _is_grouped(*item)]
    if plots:
        figure = f" ({paper.baselines_figure})" if paper is not None else ""
        note = f"The highest scores of each {INDIVIDUALS} matches, as if they were an epoch{figure}."
        blocks.append(Plots(tuple(plots), note))
    return Section("Players that do not learn", (*blocks, *_tests(played, monitors, paper)))


def _meeting(one: str, other: str, matches: Matches, printed: Mapping[str, PublishedMatches]) -> list[Block]:
    named = "".join(f" {source}: {there.tables}, {there.name}." for source, there in printed.items())
    caption = f"Scores of {one} against {other}.{named}"
    scores = {"ours": spreads(matches)} | {name: there.spreads for name, there in printed.items()}
    counts = {"ours": records(matches)} | {name: there.records for name, there in printed.items()}
    table = record_table(counts, f"Games and matches won, lost and tied by {one}.")
    notes = [
        Text(f"{source}, {there.name}: {'; '.join(there.notes)}.") for source, there in printed.items() if there.notes
    ]
    return [*notes, spread_table(scores, caption), *([table] if table is not None else [])]


def _is_grouped(pair: tuple[str, str], matches: Matches) -> bool:
    """Tell whether the best of many matches say something, since single ones are hardly won, and there are enough."""
    return tuple(map(family_of, pair)) == ("stochastic", "searcher") and matches.played >= 3 * INDIVIDUALS


def _groups(pair: tuple[str, str], matches: Matches) -> Plot:
    """Draw the best of each so many matches, as if they were epochs."""
    games, size = score(*matches[:2]), INDIVIDUALS
    most = [games[start : start + size] for start in range(0, len(games) - size + 1, size)]
    xs = [float(place) for place in range(1, len(most) + 1)]
    lines = [
        Line(xs, [float(part[:, WHITE].max()) for part in most], 0),
        Line(xs, [float(part[:, BLACK].max()) for part in most], 1),
        Line(xs, [part.sum(axis=1).max() / 2 for part in most], 2),
    ]
    drawing = draw_lines(lines, across=f"group of {size} matches", shares=False)
    return Plot(drawing, f"{pair[0]} v {pair[1]}", ("White", "Black", "match, halved"))


def _tests(
    baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], paper: PublishedEvolution | None
) -> list[Table]:
    """Compare what evolved with fixed players against the same opponent, and ours with what a paper prints."""
    opponents = dict.fromkeys([*monitors, *(other for _, other in baselines)])
    compared = {
        opponent: [
            *_pairs(opponent, monitors.get(opponent, ()), baselines),
            *(_printed_pairs(opponent, monitors.get(opponent, ()), baselines, paper) if paper is not None else ()),
        ]
        for opponent in opponents
    }
    caption = "of the means of scores, with the probability of such a difference if there were none."
    return [
        table
        for opponent, pairs in compared.items()
        if (table := test_table(pairs, f"Against {opponent}: Welch's test {caption}")) is not None
    ]


def _pairs(opponent: str, monitors: Sequence[Monitor], baselines: Baselines) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield who of ours is compared with whom in matches against *opponent*."""
    for monitor in monitors:
        ours = spreads(monitor.epochs.merged)
        for (one, other), matches in baselines.items():
            if other == opponent and is_compared(one, opponent):
                yield f"{monitor.student} less {one}", ours, spreads(matches)


def _printed_pairs(
    opponent: str, monitors: Sequence[Monitor], baselines: Baselines, paper: PublishedEvolution
) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield what is compared with what a paper prints of matches against *opponent*."""
    students, source = paper.between(STUDENT, opponent), paper.source
    if students is not None:
        for monitor in (one for one in monitors if one.late):
            yield f"{monitor.student} less {source}", spreads(monitor.epochs.merged), students.spreads
    for one, matches in ((one, matches) for (one, other), matches in baselines.items() if other == opponent):
        there = paper.straight(one, opponent)
        if there is not None and there.spreads:
            yield f"{one} less {source}", spreads(matches), there.spreads
            if students is not None and is_compared(one, opponent):
                yield f"{source}, {paper.student} less {there.player}", students.spreads, there.spreads
