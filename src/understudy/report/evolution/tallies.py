"""Tables of scores, records and tests: ours, and below them what a paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from understudy.judges.scores import VIEWS, Record
from understudy.judges.statistics import Spread, Welch, welch
from understudy.report.blocks import Cell, Table, cells, measured, number

TITLES = {"overall": "all games", "white": "as White", "black": "as Black", "combined": "matches"}

Spreads: TypeAlias = Mapping[str, Spread]
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
    return Cell(hundredths(one.mean), "" if math.isnan(low) else f"({low:.2f} to {high:.2f})")


def hundredths(value: float) -> str:
    """Return a score with two decimals; more would be chance."""
    return f"{value:.2f}" if math.isfinite(value) else "–"


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
    columns = cells("record", "won", "lost", "tied", "won of decided", "points of all")
    return Table(columns, tuple(rows), caption) if rows else None


def _record(one: Record) -> tuple[Cell, ...]:
    shares = (one.winning(), one.points())
    return *cells(*map(number, one)), *(measured(measure._asdict(), decimals=2) for measure in shares)


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
