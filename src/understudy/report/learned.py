"""What the result of a run keeps of students that learned while they played: curves, snapshots and all their games.

The headline tells what one set of weights of each wins; tables and pictures of the docs need the others, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from understudy.judges.duels import Score, read_score
from understudy.judges.measures import Measure
from understudy.report.pupils import SIDES, mean_shares, share_of_field
from understudy.report.sources import Run

POINTS = 25
"""Points of a curve that a result keeps: more cannot be told apart in a small picture."""


def learned_results(run: Run) -> dict[str, Any]:
    """Return what is kept by student, teachers among them; nothing of a run in which nobody learned so."""
    if not run.snapshots:
        return {}
    return {"learned": {name: _describe(run, name) for name in run.games}}


def _describe(run: Run, name: str) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "sets": {
            which: {opponent: _won(counts) for opponent, counts in met.items()}
            for which, met in run.games[name].items()
        }
    }
    if tried := run.snapshots.get(name):
        entry["snapshots"] = _snapshots(tried)
        entry["trainings"] = len({one["repeat"] for one in tried})
    if (curve := run.curves.get(name)) and curve["games"]:
        entry["curve"] = _curve(curve)
        entry["best"] = round(fmean(one["won"] for one in curve["best"]), 4)
    return entry


def _won(counts: Any) -> dict[str, Any]:
    """Return the share of games won with its interval, and what it stands on; of each side by itself, too."""
    score = read_score(counts)
    sides = {called: _share(score.of_side(side), score.won_as(side)) for side, called in enumerate(SIDES)}
    return _share(score, score.won()) | sides


def _share(score: Score, won: Measure) -> dict[str, Any]:
    return {
        "value": won.value, "low": round(won.low, 4), "high": round(won.high, 4), "games": score.games,
        "different": score.different, "trusted": score.trusted,
    }  # fmt: skip


def _curve(curve: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many of the last hundred games were won: the mean of all trainings, the least and the most."""
    places = _some(len(curve["games"]))
    columns = [[row[place] for row in curve["won"]] for place in places]
    return {"games": [curve["games"][place] for place in places], **_spread(columns)}


def _snapshots(tried: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what snapshots win against each opponent, in the mean of all trainings, and against the whole field."""
    shares = {
        opponent: mean_shares(tried, lambda entry, opponent=opponent: float(entry["won"][opponent]))  # type: ignore[misc]
        for opponent in tried[0]["won"]
    }
    games = list(next(iter(shares.values())))
    places = _some(len(games))
    kept: dict[str, Any] = {"games": [games[place] for place in places]}
    kept["won"] = {name: _picked(won, kept["games"]) for name, won in shares.items()}
    if tried[0].get("field"):
        kept["field"] = _picked(mean_shares(tried, share_of_field), kept["games"])
        kept["rivals"] = list(tried[0]["field"])
    return kept


def _picked(shares: Mapping[int, float], games: Sequence[int]) -> list[float]:
    return [round(shares[one], 4) for one in games]


def _some(count: int) -> list[int]:
    """Return at most so many places as are kept, evenly chosen, the last among them always."""
    wanted = min(count, POINTS)
    return [round((place + 1) * count / wanted) - 1 for place in range(wanted)]


def _spread(columns: Sequence[Sequence[float]]) -> dict[str, list[float]]:
    return {
        how: [round(take(column), 4) for column in columns]
        for how, take in (("mean", fmean), ("least", min), ("most", max))
    }
