"""What evaluators played against each other, as a report sees it: our tables, the published ones, how they agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from understudy.judges.duels import Score, read_score
from understudy.judges.robins import (
    Agreement,
    Published,
    Robin,
    Twins,
    compare,
    distance,
    effective_games,
    gathered,
    read_published,
    spearman,
)
from understudy.report.sources import Run

RANDOM = "random"
"""Whom the functions meet alone."""


class PublishedEvaluators(NamedTuple):
    """What a paper says of evaluation functions; its tables stand in `[paper]`."""

    alone: Callable[[Mapping[int, Mapping[str, float]]], str]
    """Makes of our shares against random play, by depth and name, what it says of its own and what is so here."""
    unknown: str
    """What it does not tell of its program, for differences that chance does not explain."""


class Contest(NamedTuple):
    """What evaluators played against random play and one another, depth by depth, beside what was published."""

    alone: Mapping[int, Mapping[str, Score]]
    """Against random play."""
    robins: Mapping[int, Robin]
    published: Published
    seem: float
    """Games a pair that the published tables seem to have, by how players that play alike differ; nan if unknown."""
    agreements: Mapping[int, Agreement]
    twins: Twins
    """Functions that play alike."""
    words: Mapping[str, str]
    """What functions are called besides their letters."""
    paper: PublishedEvaluators | None = None
    """What its source says, where the experiment repeats it."""


def contest_of(run: Run) -> Contest | None:
    """Return what a run folder holds of evaluators, or None where there are none."""
    if not run.cells:
        return None
    depths = {int(depth): rows for depth, rows in sorted(run.cells.items())}
    alone = {depth: _alone(rows) for depth, rows in depths.items()}
    robins = {depth: robin for depth, rows in depths.items() if (robin := _robin(rows)) is not None}
    published = read_published(run.published)
    twins = tuple(run.game.twins) if run.game is not None else ()
    seem = effective_games(published.robins.values(), twins)
    agreements = {}
    for depth, robin in robins.items():
        if (both := _shared(robin, published.robins.get(depth))) is not None:
            agreements[depth] = compare(*both, seem=seem, twins=twins)
    alone = {depth: rows for depth, rows in alone.items() if rows}
    paper = run.beside(PublishedEvaluators)
    return Contest(alone, robins, published, seem, agreements, twins, _words(run), paper)


def _words(run: Run) -> dict[str, str]:
    """Return the long name of every evaluator of the run's game that has a letter, too."""
    evaluators = run.game.evaluators if run.game is not None else {}
    return {
        letter: name.replace("_", " ")
        for letter, one in evaluators.items()
        if len(letter) == 1
        for name in [next((long for long, other in evaluators.items() if other is one and len(long) > 1), "")]
    }


def _shared(ours: Robin, theirs: Robin | None) -> tuple[Robin, Robin] | None:
    """Return two tables of the players of both, or None where there are hardly any."""
    shared = [name for name in ours.names if theirs is not None and name in theirs.names]
    return None if theirs is None or len(shared) < 3 else (ours.among(shared), theirs.among(shared))


def crossed(contest: Contest, published: int) -> dict[int, tuple[float, float]]:
    """Return the rank correlation and the distance of a published depth with every depth of ours."""
    others = {}
    for depth, robin in contest.robins.items():
        if (both := _shared(robin, contest.published.robins[published])) is not None:
            others[depth] = spearman(both[0].averages, both[1].averages), distance(*both)
    return others


def _alone(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Score]:
    return {name: read_score(row[RANDOM]) for name, row in sorted(rows.items()) if RANDOM in row}


def _robin(rows: Mapping[str, Mapping[str, Any]]) -> Robin | None:
    rivals = {one: {other: counts for other, counts in row.items() if other != RANDOM} for one, row in rows.items()}
    rivals = {one: row for one, row in rivals.items() if row}
    return gathered(rivals) if rivals else None


def overall(robins: Mapping[int, Robin]) -> dict[str, float]:
    """Return each player's average over all depths at which it has played."""
    every: dict[str, list[float]] = {}
    for robin in robins.values():
        for name, average in zip(robin.names, robin.averages.tolist(), strict=True):
            every.setdefault(name, []).append(average)
    return {name: sum(averages) / len(averages) for name, averages in sorted(every.items())}


def average_of(robin: Robin | None, name: str) -> float | None:
    """Return a player's average, or None where it has not played."""
    if robin is None or name not in robin.names:
        return None
    return float(robin.averages[robin.names.index(name)])
