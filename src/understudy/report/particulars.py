"""What the result of a run keeps beyond its headline: ours of every number that a paper prints, and what it stands on.

Pages that set a paper beside ours, table by table, read it (`examples/paper_tables.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import hypot
from typing import Any

from understudy.judges.duels import Score
from understudy.judges.measures import share
from understudy.judges.robins import Robin
from understudy.report.comparing import setting_of
from understudy.report.contests import average_depths, contest_of
from understudy.report.evolution import evolution_data, evolution_of
from understudy.report.gathering import averaged
from understudy.report.labels.nearness import measure_of
from understudy.report.sections import gather_trainings
from understudy.report.sources import Run
from understudy.report.verdicts import STABLE

LEARNING = "learning"
"""Where `[paper]` tells how networks learned."""


def particular_results(run: Run) -> dict[str, Any]:
    """Return what there is, by kind; nothing of what a run does not have."""
    evolution = evolution_of(run)
    kept: dict[str, Any] = {
        "beside": list(_beside(run)),
        "contest": _contest(run),
        "evolution": evolution_data(evolution) if evolution is not None else {},
        "labels": {name: _nearness(facts) for name, facts in run.labels.get("students", {}).items()},
        "gaming": {name: dict(measures) for name, measures in run.gaming.get("measures", {}).items()},
    }
    if evolution is not None and evolution.paper is not None:
        kept["evolution"].pop(evolution.paper.key, None)  # a paper's own numbers are no result
    return {name: value for name, value in kept.items() if value}


def _beside(run: Run) -> Iterator[dict[str, Any]]:
    """Yield by section and player every measure that a paper prints of anybody in that section."""
    printed = run.experiment.get("paper")
    for section, columns in printed.items() if isinstance(printed, Mapping) else ():
        if not isinstance(columns, Mapping) or not all(isinstance(one, Mapping) for one in columns.values()):
            continue
        wanted = {measure for column in columns.values() for measure in column}
        for who, measures in _ours(run, section).items():
            for measure in sorted(wanted & set(measures)):
                yield {"section": section, "who": who, "measure": measure, **measures[measure]}


def _ours(run: Run, section: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the measures of all players in a section of `[paper]`."""
    if section == LEARNING:
        rows = setting_of(run.experiment, "training.validation_rows")
        return {f"{one.student} {one.network}": _training(one, rows) for one in gather_trainings(run)}
    if section == STABLE and section not in run.verdicts:
        return dict(run.gaming.get("measures", {}))
    return dict(run.verdicts.get(section, {}))


def _training(training: Any, rows: Any) -> dict[str, Any]:
    """Return what a training reached, with an interval where it is known of how many rows."""
    best = training.best
    reached = best.get("validation_accuracy")
    measured = share(reached * rows, rows)._asdict() if reached is not None and rows else {"value": reached}
    return {
        "validation_accuracy": measured,
        "epochs": {"value": len(training.lines)},
        "best_epoch": {"value": best["epoch"] + 1},
        "seconds": {"value": training.seconds},
    }


def _contest(run: Run) -> dict[str, Any]:
    """Return what evaluators won: against random play, on average, and how these averages agree with published ones."""
    contest = contest_of(run)
    if contest is None:
        return {}
    return {
        "alone": {str(depth): {name: _won(one) for name, one in row.items()} for depth, row in contest.alone.items()},
        "means": _means(contest.robins),
        "averages": {str(depth): _averages(robin) for depth, robin in contest.robins.items()},
        "agreements": {str(depth): one._asdict() for depth, one in contest.agreements.items()},
    }


def _averages(robin: Robin) -> dict[str, Any]:
    known = robin.different
    return {
        name: averaged(robin, row) | ({} if known is None else {"different": int(known[row].sum())})
        for row, name in enumerate(robin.names)
    }


def _means(robins: Mapping[int, Robin]) -> dict[str, Any]:
    """Return each player's average over all depths, which are as many samples."""
    halves: dict[str, list[float]] = {}
    for robin in robins.values():
        for row, name in enumerate(robin.names):
            one = averaged(robin, row)
            halves.setdefault(name, []).append((one["high"] - one["low"]) / 2)
    means = average_depths(robins)
    spans = {name: hypot(*some) / len(some) for name, some in halves.items()}
    return {
        name: {"value": mean, "low": mean - spans[name], "high": mean + spans[name]} for name, mean in means.items()
    }


def _won(score: Score) -> dict[str, Any]:
    return {**score.won()._asdict(), "different": score.different, "trusted": score.trusted}


def _nearness(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return how near a student of labels came, and what it cost; its other measures stay in the run's files."""
    told = {key: facts[key] for key in ("dataset", "split", "seconds", "epochs", "parameters") if key in facts}
    return told | {side: facts[side][measure_of(facts[side])] for side in ("test", "validation")}
