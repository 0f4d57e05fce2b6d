"""A study of evaluators as a report sees it: its tables, the published ones, and how they agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.judges.duels import Score, read_score
from understudy.judges.published import Published, read_published
from understudy.judges.robins import Agreement, Robin, compare, distance, effective_games, gathered, spearman
from understudy.report.sources import Run

RANDOM = "random"
TWINS = (("e", "f"), ("k", "l"), ("q", "r"))
"""Functions that differ by a factor alone: it changes no order of moves, so they are the same player."""


class Study(NamedTuple):
    """What a run of evaluators holds, depth by depth, beside what was published."""

    alone: Mapping[int, Mapping[str, Score]]
    """Against random play."""
    robins: Mapping[int, Robin]
    published: Published
    seem: float
    """Games a pair that the published tables seem to have, by how players that play alike differ; nan if unknown."""
    agreements: Mapping[int, Agreement]
    repeats: bool = False
    """Whether the experiment repeats the published one, so that what its source says may be said of it."""


def study_of(run: Run) -> Study | None:
    """Return the study in a run folder, or None where there is none."""
    if not run.cells:
        return None
    depths = {int(depth): rows for depth, rows in sorted(run.cells.items())}
    alone = {depth: _alone(rows) for depth, rows in depths.items()}
    robins = {depth: robin for depth, rows in depths.items() if (robin := _robin(rows)) is not None}
    published = read_published(run.published)
    seem = effective_games(published.robins.values(), TWINS)
    agreements = {}
    for depth, robin in robins.items():
        if (both := _shared(robin, published.robins.get(depth))) is not None:
            agreements[depth] = compare(*both, seem=seem, twins=TWINS)
    told = {depth: rows for depth, rows in alone.items() if rows}
    return Study(told, robins, published, seem, agreements, run.beside("thompson"))


def _shared(ours: Robin, theirs: Robin | None) -> tuple[Robin, Robin] | None:
    """Return two tables of the players of both, or None where there are hardly any."""
    shared = [name for name in ours.names if theirs is not None and name in theirs.names]
    return None if theirs is None or len(shared) < 3 else (ours.among(shared), theirs.among(shared))


def crossed(study: Study, published: int) -> dict[int, tuple[float, float]]:
    """Return the rank correlation and the distance of a published depth with every depth of ours."""
    found = {}
    for depth, robin in study.robins.items():
        if (both := _shared(robin, study.published.robins[published])) is not None:
            found[depth] = spearman(both[0].averages, both[1].averages), distance(*both)
    return found


def _alone(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, Score]:
    return {name: read_score(row[RANDOM]) for name, row in sorted(rows.items()) if RANDOM in row}


def _robin(rows: Mapping[str, Mapping[str, Any]]) -> Robin | None:
    rivals = {one: {other: counts for other, counts in row.items() if other != RANDOM} for one, row in rows.items()}
    rivals = {one: row for one, row in rivals.items() if row}
    return gathered(rivals) if rivals else None


def overall(robins: Mapping[int, Robin]) -> dict[str, float]:
    """Return each player's average over all depths at which it has played."""
    known: dict[str, list[float]] = {}
    for robin in robins.values():
        for name, average in zip(robin.names, robin.averages.tolist(), strict=True):
            known.setdefault(name, []).append(average)
    return {name: sum(averages) / len(averages) for name, averages in sorted(known.items())}


def average_of(robin: Robin | None, name: str) -> float | None:
    """Return a player's average, or None where it has not played."""
    if robin is None or name not in robin.names:
        return None
    return float(robin.averages[robin.names.index(name)])
