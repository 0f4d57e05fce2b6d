"""What evaluators played against each other, as a report sees it, and in words where published tables agree with ours.

A contest holds our tables, the published ones and how they agree; the words say who is best, where both agree, and
where not and why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from understudy.judges.duels import Score, read_score
from understudy.judges.robins import (
    Agreement,
    Published,
    Robin,
    Twins,
    compare,
    distance,
    effective_games,
    gather_robin,
    mid_ranks,
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


def cross_depths(contest: Contest, published: int) -> dict[int, tuple[float, float]]:
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
    return gather_robin(rivals) if rivals else None


def average_depths(robins: Mapping[int, Robin]) -> dict[str, float]:
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


WANTED = 0.8
"""An agreement of rankings that needs no excuse."""
MOVED = 3
"""Places apart from which on a function is named as ranked elsewhere: neighbours change places by chance."""
BEST = 5
"""Of the published functions: where these are as good as equal, so is the choice of a teacher."""
NEARER = 0.05
"""By so much must another depth agree better to be worth a sentence."""
FLATTER = 0.9
"""A slope of published pairs on ours below which their tables are called flatter."""
EXCESS = 1.3
"""Times the noise from which on a difference is not taken for chance."""


def in_percent(share: float | None) -> str:
    """Return a share in per cent, without the sign; a dash where there is none."""
    return "–" if share is None else f"{100 * share:.1f}"


def name_best(contest: Contest) -> list[str]:
    """Return who would be chosen as the teacher, as one sentence if there is a round robin."""
    averages = average_depths(contest.robins)
    if len(averages) < 2:
        return []
    first, second = sorted(averages, key=lambda name: -averages[name])[:2]
    alike = ", which plays alike" if (min(first, second), max(first, second)) in contest.twins else ""
    best = f"Over all depths {first} is best with {in_percent(averages[first])} %"
    return [f"{best}, then {second} with {in_percent(averages[second])} %{alike}."]


def verdict_texts(contest: Contest) -> list[str]:
    """Return paragraphs that say where the published tables agree with ours, where not, and the likely why."""
    if not contest.agreements:
        return name_best(contest)
    low = [_on_low(contest, depth, one) for depth, one in contest.agreements.items() if one.spearman < WANTED]
    texts = [_on_ranks(contest), *low, _on_choice(contest), _on_pairs(contest), _on_twins(contest), _on_rest(contest)]
    return [" ".join(lines) for lines in texts if lines]


def _on_ranks(contest: Contest) -> list[str]:
    plain = [f"{one.spearman:.3f} at depth {depth}" for depth, one in contest.agreements.items()]
    once = [f"{one.distinct:.3f}" for one in contest.agreements.values()]
    lines = [f"Rankings: Spearman's correlation of the averages with the published ones is {_listed(plain)}."]
    if twins := _twins(contest):
        lines.append(f"With {twins} taken together, since they play alike, it is {_listed(once)}.")
    return lines


def _on_low(contest: Contest, depth: int, one: Agreement) -> list[str]:
    """Tell what pulls an agreement below what was wanted: who is ranked elsewhere, and how near they all are."""
    ours, theirs = contest.robins[depth], contest.published.robins[depth]
    theirs = theirs.among([name for name in ours.names if name in theirs.names])
    ours = ours.among(theirs.names)
    ranks, their_ranks = mid_ranks(ours.averages), mid_ranks(theirs.averages)
    moved = [
        f"{name} (here rank {ranks[i]:g}, published {their_ranks[i]:g})"
        for i, name in enumerate(ours.names)
        if abs(ranks[i] - their_ranks[i]) >= MOVED
    ]
    lines = [f"Depth {depth} is below {WANTED}: three places or more apart are {_listed(moved) or 'none'}."]
    return [*lines, *_on_noise(contest, theirs, one), *_on_depths(contest, depth, one)]


def _on_noise(contest: Contest, theirs: Robin, one: Agreement) -> list[str]:
    """Tell how much of a low agreement the chance of the published games explains."""
    lines = []
    best = np.sort(theirs.averages)[::-1][:BEST]
    # An average of even games: the deviation of one game is a half, and all games against all others count.
    noise = 0.5 / np.sqrt(contest.seem * (len(theirs.names) - 1)) if contest.seem > 0 else float("nan")
    if best[0] - best[-1] < 2 * noise:
        lines.append(
            f"The five best published ones lie within {100 * (best[0] - best[-1]):.1f} points, and chance moves each "
            f"of those averages by about {100 * noise:.1f}: their order says little."
        )
    if np.isfinite(one.ceiling):
        share = "Chance is not all of it" if one.ceiling > one.high else "Chance may be all of it"
        lines.append(
            f"{share}: another tournament as noisy as the published one would reach {one.ceiling:.2f} with it."
        )
    return lines


def _on_depths(contest: Contest, depth: int, one: Agreement) -> list[str]:
    """Tell where the published ranking of a depth is more like ours of another."""
    others = cross_depths(contest, depth)
    nearest = max(others, key=lambda other: others[other][0])
    if others[nearest][0] <= one.spearman + NEARER:
        return []
    near = f"{others[nearest][0]:.3f}, {100 * others[nearest][1]:.1f} points"
    return [f"The published ranking is nearer to ours of depth {nearest} ({near}) than of its own depth."]


def _on_choice(contest: Contest) -> list[str]:
    printed = {name: row[-1] for name, row in contest.published.averages.items() if row}
    if not printed:
        return name_best(contest)
    best = max(printed, key=lambda name: printed[name])
    return [*name_best(contest), f"The published best is {best} with {printed[best]:.1f} %."]


def _on_pairs(contest: Contest) -> list[str]:
    every = list(contest.agreements.values())
    close, near, pairs = (sum(getattr(one, field) for one in every) for field in ("close", "near", "pairs"))
    far = [f"{100 * one.difference:.1f}" for one in every]
    slopes = [f"{one.slope:.2f}" for one in every]
    return [
        f"Pairs: {close} of {pairs} agree, in that the 95 % intervals of both meet, and {near} if the published games "
        f"are as few as they seem (below).",
        f"The root of the mean square of the differences is {_listed(far)} points.",
        f"For each point that one of our pairs is away from even, the published one is {_listed(slopes)} points away"
        f"{': the published tables are flatter' if max(one.slope for one in every) < FLATTER else ''}.",
    ]


def _on_twins(contest: Contest) -> list[str]:
    own = effective_games(contest.robins.values(), contest.twins)
    games = max(int(robin.games.max()) for robin in contest.robins.values())
    twins = _twins(contest)
    lines = [f"Noise: {twins} differ by a factor alone and must score alike."] if twins else []
    if own > 0:
        lines.append(f"In our tables they differ as {own:.0f} games a pair would make them ({games} were played).")
    if contest.seem > 0:
        printed = f"though {contest.published.games} are told"
        lines.append(f"In the published ones they differ as {contest.seem:.0f} games would, {printed}.")
    cells = np.concatenate([100 * robin.shares.ravel() for robin in contest.published.robins.values()])
    cells = cells[~np.isnan(cells)]
    if len(cells) and np.allclose(cells, cells.round()):
        lines.append(f"All {len(cells)} published numbers are whole per cents, which is what 100 games give.")
    return lines


def _on_rest(contest: Contest) -> list[str]:
    """Tell what chance does not explain."""
    if not contest.seem > 0:
        return []
    seen = np.sqrt(np.mean([one.difference**2 for one in contest.agreements.values()]))
    games = max(int(robin.games.max()) for robin in contest.robins.values())
    shares = np.concatenate([robin.shares[~np.isnan(robin.shares)] for robin in contest.robins.values()])
    noise = np.sqrt(np.mean(shares * (1 - shares)) * (1 / contest.seem + 1 / games))
    lines = [f"The rest: chance explains about {100 * noise:.1f} of the {100 * seen:.1f} points of difference."]
    if seen > EXCESS * noise:
        unknown = f" {contest.paper.unknown}" if contest.paper is not None else ""
        lines.append(f"What is left is a difference between the programs.{unknown}")
    return lines


def _twins(contest: Contest) -> str:
    """Return which functions of the round robin play alike, in words."""
    names = {name for robin in contest.robins.values() for name in robin.names}
    return ", and ".join(f"{one} and {other}" for one, other in contest.twins if {one, other} <= names)


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
