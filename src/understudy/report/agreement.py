"""A study of evaluators in words: what it found, where published tables agree with it, and where not and why."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.judges.robins import Agreement, effective_games, mid_ranks
from understudy.report.sources import Run
from understudy.report.studies import TWINS, Study, average_of, crossed, overall, study_of

WANTED = 0.8
"""An agreement of rankings that needs no excuse."""


def summary_lines(run: Run) -> list[str]:
    """Return the averages of the round robin beside the published ones, and how well they agree, for a terminal."""
    study = study_of(run)
    if study is None:
        return ["nothing has been played yet"]
    lines = []
    if study.alone:
        lines += ["", "won against random play", _line("", [f"depth {depth}" for depth in study.alone])]
        names = dict.fromkeys(name for scores in study.alone.values() for name in scores)
        for name in names:
            lines.append(_line(name, [_percent(scores[name].won().value) if name in scores else ""
                                      for scores in study.alone.values()]))  # fmt: skip
    if study.robins:
        whose = ", ours and published" if study.published.robins else ""
        lines += ["", f"average of the round robin{whose}", *_averages(study)]
    return [*lines, "", *(_told(depth, one) for depth, one in study.agreements.items()), *choice(study)]


def _line(head: str, texts: Sequence[str]) -> str:
    return f"{head:3}" + "".join(f"{text:>14}" for text in texts)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def _averages(study: Study) -> list[str]:
    lines = [_line("", [f"depth {depth}" for depth in study.robins])]
    for name in dict.fromkeys(name for robin in study.robins.values() for name in robin.names):
        texts = []
        for depth, robin in study.robins.items():
            ours = average_of(robin, name)
            theirs = average_of(study.published.robins.get(depth), name)
            texts.append(f"{_percent(ours)} {_percent(theirs):>5}" if study.published.robins else _percent(ours))
        lines.append(_line(name, texts))
    return lines


def _told(depth: int, one: Agreement) -> str:
    return (
        f"depth {depth}: Spearman {one.spearman:.3f} ({one.low:.2f} to {one.high:.2f}), {one.distinct:.3f} with equal "
        f"players as one, r.m.s. {100 * one.difference:.1f} points, {one.close} of {one.pairs} pairs agree"
    )


def choice(study: Study) -> list[str]:
    """Return who would be chosen as the teacher, as one sentence if there is a round robin."""
    averages = overall(study.robins)
    if len(averages) < 2:
        return []
    first, second = sorted(averages, key=lambda name: -averages[name])[:2]
    alike = ", which plays alike" if (min(first, second), max(first, second)) in TWINS else ""
    told = f"Over all depths {first} is best with {_percent(averages[first])} %"
    return [f"{told}, then {second} with {_percent(averages[second])} %{alike}."]


def verdict_texts(study: Study) -> list[str]:
    """Return paragraphs that say where the published tables agree with ours, where not, and the likely why."""
    if not study.agreements:
        return choice(study)
    low = [_on_low(study, depth, one) for depth, one in study.agreements.items() if one.spearman < WANTED]
    texts = [_on_ranks(study), *low, _on_choice(study), _on_pairs(study), _on_twins(study), _on_rest(study)]
    return [" ".join(lines) for lines in texts if lines]


def _on_ranks(study: Study) -> list[str]:
    told = [f"{one.spearman:.3f} at depth {depth}" for depth, one in study.agreements.items()]
    once = [f"{one.distinct:.3f}" for one in study.agreements.values()]
    lines = [f"Rankings: Spearman's correlation of the averages with the published ones is {_listed(told)}."]
    if twins := _twins(study):
        lines.append(f"With {twins} taken together, since they play alike, it is {_listed(once)}.")
    return lines


def _on_low(study: Study, depth: int, one: Agreement) -> list[str]:
    """Tell what pulls an agreement below what was wanted: who is ranked elsewhere, and how near they all are."""
    ours, theirs = study.robins[depth], study.published.robins[depth]
    theirs = theirs.among([name for name in ours.names if name in theirs.names])
    ours = ours.among(theirs.names)
    ranks, their_ranks = mid_ranks(ours.averages), mid_ranks(theirs.averages)
    moved = [
        f"{name} (here rank {ranks[i]:g}, published {their_ranks[i]:g})"
        for i, name in enumerate(ours.names)
        if abs(ranks[i] - their_ranks[i]) >= 3
    ]
    lines = [f"Depth {depth} is below {WANTED}: three places or more apart are {_listed(moved) or 'none'}."]
    best = np.sort(theirs.averages)[::-1][:5]
    noise = 0.5 / np.sqrt(study.seem * (len(theirs.names) - 1)) if study.seem > 0 else float("nan")
    if best[0] - best[-1] < 2 * noise:
        lines.append(
            f"The five best published ones lie within {100 * (best[0] - best[-1]):.1f} points, and chance moves each "
            f"of those averages by about {100 * noise:.1f}: their order says little."
        )
    if np.isfinite(one.ceiling):
        told = "Chance is not all of it" if one.ceiling > one.high else "Chance may be all of it"
        lines.append(f"{told}: another tournament as noisy as the published one would reach {one.ceiling:.2f} with it.")
    others = crossed(study, depth)
    nearest = max(others, key=lambda other: others[other][0])
    if others[nearest][0] > one.spearman + 0.05:
        told = f"{others[nearest][0]:.3f}, {100 * others[nearest][1]:.1f} points"
        lines.append(f"The published ranking is nearer to ours of depth {nearest} ({told}) than of its own depth.")
    return lines


def _on_choice(study: Study) -> list[str]:
    printed = {name: row[-1] for name, row in study.published.averages.items() if row}
    if not printed:
        return choice(study)
    best = max(printed, key=lambda name: printed[name])
    return [*choice(study), f"The published best is {best} with {printed[best]:.1f} %."]


def _on_pairs(study: Study) -> list[str]:
    every = list(study.agreements.values())
    close, near, pairs = (sum(getattr(one, field) for one in every) for field in ("close", "near", "pairs"))
    far = [f"{100 * one.difference:.1f}" for one in every]
    slopes = [f"{one.slope:.2f}" for one in every]
    return [
        f"Pairs: {close} of {pairs} agree, in that the 95 % intervals of both meet, and {near} if the published games "
        f"are as few as they seem (below).",
        f"The root of the mean square of the differences is {_listed(far)} points.",
        f"For each point that one of our pairs is away from even, the published one is {_listed(slopes)} points away"
        f"{': the published tables are flatter' if max(one.slope for one in every) < 0.9 else ''}.",
    ]


def _on_twins(study: Study) -> list[str]:
    own = effective_games(study.robins.values(), TWINS)
    games = max(int(robin.games.max()) for robin in study.robins.values())
    twins = _twins(study)
    lines = [f"Noise: {twins} differ by a factor alone and must score alike."] if twins else []
    if own > 0:
        lines.append(f"In our tables they differ as {own:.0f} games a pair would make them ({games} were played).")
    if study.seem > 0:
        told = f"though {study.published.games} are told"
        lines.append(f"In the published ones they differ as {study.seem:.0f} games would, {told}.")
    cells = np.concatenate([100 * robin.shares.ravel() for robin in study.published.robins.values()])
    cells = cells[~np.isnan(cells)]
    if len(cells) and np.allclose(cells, cells.round()):
        lines.append(f"All {len(cells)} published numbers are whole per cents, which is what 100 games give.")
    return lines


def _on_rest(study: Study) -> list[str]:
    """Tell what chance does not explain."""
    if not study.seem > 0:
        return []
    seen = np.sqrt(np.mean([one.difference**2 for one in study.agreements.values()]))
    games = max(int(robin.games.max()) for robin in study.robins.values())
    shares = np.concatenate([robin.shares[~np.isnan(robin.shares)] for robin in study.robins.values()])
    noise = np.sqrt(np.mean(shares * (1 - shares)) * (1 / study.seem + 1 / games))
    lines = [f"The rest: chance explains about {100 * noise:.1f} of the {100 * seen:.1f} points of difference."]
    if seen > 1.3 * noise:
        lines.append(
            "What is left is a difference between the programs. The published one is not printed: what a ratio to 0 is "
            "worth, how it sees the end of a game and how it counts moves in the opening is not told, and no reading "
            "that was tried makes the pairs agree (docs/games/konane.md)."
        )
    return lines


def _twins(study: Study) -> str:
    """Return which functions of the round robin play alike, in words."""
    names = {name for robin in study.robins.values() for name in robin.names}
    return ", and ".join(f"{one} and {other}" for one, other in TWINS if {one, other} <= names)


def _listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""
