"""The measures that a reader looks for first, from each file of a run folder that has some.

A file serves several kinds of experiment: games are played by students that learn online, from perfect play or by
evolution. So the files say what a headline holds, in the order of `GATHERERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from understudy.judges.duels import read_score
from understudy.judges.measures import Z95
from understudy.judges.robins import Robin, read_published
from understudy.judges.scores import count_matches, spreads
from understudy.report.contests import average_of, contest_of
from understudy.report.evolution.monitors import EPOCH, Monitor, monitors_of
from understudy.report.evolution.published import STUDENT, PublishedEvolution
from understudy.report.findings import Finding, compare, find, find_column, find_won
from understudy.report.labels.nearness import PublishedLabels, by_dataset, measure_of, targets_of
from understudy.report.pupils import SIDES, PublishedErrors
from understudy.report.series import series_findings
from understudy.report.sources import Run
from understudy.report.worths import find_worths

HELD_OUT, STATES, AGAINST = "test", "states", "games against "
"""How sections of verdicts begin: on rows that nobody learned from, on positions without a choice, on games."""
ALL_ROWS, PART = "all rows", "one part"
"""And those of papers that ask on rows learned from, too, or of one network of a cascade alone."""

VERDICTS: tuple[tuple[str, str, str, int], ...] = (
    (HELD_OUT, "accuracy.whole", "moves chosen as the teacher did ({section})", 1),
    (ALL_ROWS, "accuracy.whole", "moves chosen as the teacher did (all rows, those learned from included)", 1),
    (PART, "accuracy.part", "{section}: as the teacher chose", 1),
    ("exam", "accuracy.whole", "moves chosen as the teacher did in games that nobody watched", 1),
    ("exam", "legality.whole", "legal choices in games that nobody watched", 2),
    (STATES, "legality.whole", "legal choices in positions that nobody played", 2),
    (HELD_OUT, "legality.whole", "legal choices ({section})", 2),
    (AGAINST, "strict.won", "games won against {opponent}", 1),
    (AGAINST, "strict.finished_legally", "games against {opponent} that ended without an illegal move", 1),
    ("value kept", "value_kept", "positions whose value is kept", 1),
    ("value kept", "value_kept.critical", "the same where a move can lose it", 1),
)
"""Beginning of a section, measure, what it is called in a headline, and decimals that mean something."""

BEST = 3
"""Evaluation functions of each depth that a headline names."""

OPPONENTS = 2
"""Against so many a headline tells what students win, unless a paper tells more."""


def gather_findings(run: Run) -> list[Finding]:
    """Return the measures of a run's headline, those of one measure together."""
    findings = [finding for gather in GATHERERS for finding in gather(run)]
    measures = list(dict.fromkeys(finding.measure for finding in findings))
    return sorted(findings, key=lambda finding: measures.index(finding.measure))


def _of_verdicts(run: Run) -> Iterator[Finding]:
    """Yield what judges said of positions and of games by strict rules."""
    for begins, measure, words, decimals in VERDICTS:
        if (begins, measure) == (HELD_OUT, "legality.whole") and STATES in run.verdicts:
            continue
        for section, players in run.verdicts.items():
            for name, verdict in players.items() if section.startswith(begins) else ():
                role = "teacher" if _is_teacher(section, name) else "baseline" if _is_baseline(name) else "student"
                printed = find_column(_columns(run, section), name).get(measure)
                called = words.format(section=section, opponent=section.removeprefix(AGAINST))
                for finding in find(name, called, verdict.get(measure), role=role):
                    yield compare(run, finding._replace(decimals=decimals), printed)


def _is_teacher(section: str, name: str) -> bool:
    """Tell whether a row is the teacher's: `teacher` and who it is, or where perfect play judges, `teacher` alone."""
    return name.startswith("teacher" if section == "value kept" else "teacher ")


def _is_baseline(name: str) -> bool:
    """Tell whether a row is of somebody who has not learned, beside whom students are seen."""
    return name == "random" or name.startswith("baseline ")


def _columns(run: Run, section: str) -> Mapping[str, Any]:
    """Return the columns of a paper in a section of verdicts, whether they may be shown or not."""
    columns = run.paper.get(section) or _printed(run).get(section)
    return columns if isinstance(columns, Mapping) else {}


def _printed(run: Run) -> Mapping[str, Any]:
    """Return what the experiment's `[paper]` section says, whether it may be shown or not."""
    printed = run.experiment.get("paper")
    return printed if isinstance(printed, Mapping) else {}


def _of_games(run: Run) -> Iterator[Finding]:
    """Yield what students and their teachers win, by the first set of weights that played."""
    paper = _printed(run)
    opponents = list(dict.fromkeys(who for sets in run.games.values() for met in sets.values() for who in met))
    told = [who for who in opponents if any(_is_of(row, who) for row in paper.values())]
    learned = [name for name, sets in run.games.items() if "teacher" not in sets]
    others = [who for who in opponents if who not in learned] or opponents
    for opponent in dict.fromkeys([*told, *others[:OPPONENTS]]):
        for name, sets in run.games.items():
            which, met = next(iter(sets.items()))
            if opponent in met and name != opponent:
                role = which if which in ("teacher", "baseline") else "student"
                yield from _won(run, name, opponent, met[opponent], paper.get(name), role)


def _is_of(row: Any, opponent: str) -> bool:
    return isinstance(row, Mapping) and any(str(key).partition(" as ")[0] == opponent for key in row)


def _won(run: Run, name: str, opponent: str, counts: Any, printed: Any, role: str) -> Iterator[Finding]:
    """Yield the share of games won; as one side, too, where a paper prints that."""
    row = printed if isinstance(printed, Mapping) else {}
    score = read_score(counts)
    words = f"games won against {opponent}"
    for finding in find_won(name, words, score, score.won(), role=role):
        yield compare(run, finding, row.get(opponent))
    for side, called in enumerate(SIDES):
        if (there := row.get(f"{opponent} as {called}")) is not None:
            won = find_won(name, f"{words}, moving {called}", score.of_side(side), score.won_as(side), role=role)
            yield from (compare(run, finding, there) for finding in won)


def _of_errors(run: Run) -> Iterator[Finding]:
    """Yield how wrong networks are that were fitted to tables: the largest table of each."""
    paper = run.repeated(PublishedErrors)
    for name, entries in run.errors.items():
        last = entries[-1]
        error: dict[str, Any] = {"share": False, "fewer": True, "decimals": 4}
        yield from find(name, "mean squared error, positions held out", last["held_out"], **error)
        mean = {"value": last["mean_alone"]}
        yield from find(f"{name}: always the mean", "mean squared error, positions held out", mean,
                        role="baseline", **error)  # fmt: skip
        for finding in find(name, "mean squared error, positions learned from", {"value": last["learned"]}, **error):
            yield compare(run, finding, paper.level if paper is not None else None)


def _of_labels(run: Run) -> Iterator[Finding]:
    """Yield how near students come to an engine's labels, beside those who do not learn."""
    paper, titles = run.repeated(PublishedLabels), targets_of(run).titles
    yardsticks = run.labels.get("data", {}).get("yardsticks", {})
    for dataset, students in by_dataset(run.labels.get("students", {})).items():
        verdicts = {name: facts["test"] for name, facts in students.items()} | dict(yardsticks.get(dataset, {}))
        for name, verdict in verdicts.items():
            measure = measure_of(verdict)
            classes = measure == "accuracy"
            words = f"{'right classes' if classes else 'mean squared error'} ({titles.get(dataset, dataset)})"
            role = "student" if name in students else "baseline"
            for finding in find(name, words, verdict.get(measure), role=role, share=classes, fewer=not classes,
                                decimals=1 if classes else 4):  # fmt: skip
                yield _with_nearness(run, finding, paper, students.get(name))


def _with_nearness(
    run: Run, finding: Finding, paper: PublishedLabels | None, facts: Mapping[str, Any] | None
) -> Finding:
    """Return a finding with what a paper prints of the same student, which it may itself warn to compare."""
    there = paper.belongs(finding.what, facts) if paper is not None and facts is not None else None
    if paper is None or there is None:
        return finding
    compared = compare(run, finding, there.test)
    unlike = f"not comparable because {paper.unlike}"
    return compared._replace(verdict=unlike) if compared.paper is not None and paper.unlike else compared


def _of_evaluators(run: Run) -> Iterator[Finding]:
    """Yield the best evaluation functions of each depth, and how far their order is the published one."""
    contest = contest_of(run)
    if contest is None:
        return
    printed = read_published(_printed(run)).robins
    for depth, one in contest.agreements.items():
        rank = {"value": one.spearman, "low": one.low, "high": one.high, "sample": one.pairs}
        yield from find(f"depth {depth}", "rank correlation with the published order", rank, share=False, decimals=3)
    for depth, robin in contest.robins.items():
        averages = dict(zip(robin.names, robin.averages.tolist(), strict=True))
        words = f"average of the round robin, depth {depth}"
        for name in sorted(averages, key=lambda one: -averages[one])[:BEST]:
            row = robin.names.index(name)
            different = None if robin.different is None else int(robin.different[row].sum())
            average = find(name, words, averaged(robin, row), role="candidate", different=different, games=True)
            yield from (compare(run, finding, average_of(printed.get(depth), name)) for finding in average)
    for depth, scores in contest.alone.items() if not contest.robins else ():
        for name, score in sorted(scores.items(), key=lambda one: -(one[1].won().value or 0.0))[:BEST]:
            yield from find_won(name, f"games won against random play, depth {depth}", score, score.won(),
                                role="candidate")  # fmt: skip


def averaged(robin: Robin, row: int) -> dict[str, Any]:
    """Return a player's mean share, all opponents counting alike, with the interval that chance leaves it."""
    met = robin.games[row] > 0
    shares, games, sure = (table[row][met] for table in (robin.shares, robin.games, robin.independent))
    half = Z95 * float(np.sqrt((shares * (1 - shares) / np.maximum(sure, 1.0)).sum())) / max(len(games), 1)
    mean = float(robin.averages[row])
    return {"value": mean, "low": max(mean - half, 0.0), "high": min(mean + half, 1.0), "sample": int(games.sum())}


def _of_evolution(run: Run) -> Iterator[Finding]:
    """Yield what populations score against whom they are measured by, and what players win that do not learn."""
    paper = run.repeated(PublishedEvolution)
    for opponent, monitors in monitors_of(run).items():
        there = paper.between(STUDENT, opponent) if paper is not None else None
        printed = there.spreads["combined"].mean if there is not None and there.spreads else None
        yield from (_scored(run, monitor, printed) for monitor in monitors)
    for (one, other), matches in run.baselines.items():
        score = count_matches(matches)
        yield from find_won(one, f"games won against {other}", score, score.won(), role="baseline")


def _scored(run: Run, monitor: Monitor, printed: float | None) -> Finding:
    """Return the mean score of a population; without interval, because its generations are kin to each other."""
    spread = spreads(monitor.epochs.merged)["combined"]
    words = f"mean score of a match against {monitor.opponent}"
    finding = Finding(monitor.student, words, spread.mean, sample=spread.sample, share=False)
    if printed is not None and run.comparison.study and not monitor.late:
        return finding._replace(verdict=f"not comparable because generation {EPOCH} was not reached")
    return compare(run, finding, printed)


def _of_series(run: Run) -> Iterator[Finding]:
    """Yield what the grader of a series says of its cells."""
    yield from series_findings(run)


GATHERERS: Sequence[Callable[[Run], Iterator[Finding]]] = (
    _of_verdicts, _of_labels, _of_errors, find_worths, _of_evaluators, _of_games, _of_evolution, _of_series,
)  # fmt: skip
