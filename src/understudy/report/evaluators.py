"""The sections on evaluators: their games against random play, and their round robins beside published ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.games.konane.evaluators import EVALUATORS
from understudy.judges.robins import Robin, differing, mid_ranks
from understudy.report.agreement import verdict_texts
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, Text, cells, lasting, measured, number
from understudy.report.plots import Line, draw_names
from understudy.report.sources import Run
from understudy.report.studies import Study, average_of, crossed, overall, study_of

FAR, SOME = "†", "°"
"""Marks of a pair that differs from the published one even if that has as few games as it seems, or only if not."""


def evaluator_sections(run: Run) -> list[Section]:
    """Return what a study of evaluators found; nothing where a run is none."""
    study = study_of(run)
    if study is None:
        return []
    found = []
    if study.alone:
        found.append(Section("Against random play", tuple(_alone(study))))
    if study.robins:
        found.append(Section("Round robin", (*map(Text, verdict_texts(study)), *_robins(study, run))))
        found.append(Section("Pair by pair", tuple(_pairs(study))))
    return found


def _named(letter: str) -> Cell:
    """Return a letter and what it counts."""
    same = [name for name, tally in EVALUATORS.items() if tally == EVALUATORS.get(letter) and len(name) > 1]
    return Cell(letter, same[0].replace("_", " ") if same else "")


def _alone(study: Study) -> list[Block]:
    names = tuple(dict.fromkeys(name for scores in study.alone.values() for name in scores))
    lines = [
        Line([names.index(name) for name in scores], [score.won().value or 0.0 for score in scores.values()], place)
        for place, scores in enumerate(study.alone.values())
    ]
    depths = tuple(f"depth {depth}" for depth in study.alone)
    rows = tuple(
        (_named(name), *(measured(scores[name].won()._asdict()) if name in scores else Cell("")
                         for scores in study.alone.values()))
        for name in names
    )  # fmt: skip
    samples = sorted({score.games for scores in study.alone.values() for score in scores.values()})
    games = " or ".join(map(number, samples))
    caption = f"Won of {games} games against random play, each side begun half of them, with 95 % intervals."
    plot = Plot(draw_names(names, lines), "Won against random play, by evaluation function", depths)
    told = _alone_told(study) if study.repeats else []
    return [*map(Text, told), Plots((plot,)), Table((Cell(""), *cells(*depths)), rows, caption)]


def _alone_told(study: Study) -> list[str]:
    """Tell what the source says of its figure 4, which has no numbers, and what is so here."""
    shares = {depth: {name: score.won().value or 0.0 for name, score in scores.items()}
              for depth, scores in study.alone.items()}  # fmt: skip
    stones = [share for rows in shares.values() for name, share in rows.items() if name in "abcdef"]
    others = [share for rows in shares.values() for name, share in rows.items() if name not in "abcdef"]
    told = ["The source draws this figure without numbers."]
    if stones and others:
        told.append(
            f"It says that counts of stones (a to f) are hardly better than random and all others better: "
            f"here a to f win {_range(stones)}, the others {_range(others)}."
        )
    steps = [
        deeper[name] > shallower[name]
        for shallower, deeper in zip(list(shares.values())[:-1], list(shares.values())[1:], strict=True)
        for name in deeper
        if name in shallower
    ]
    if steps:
        told.append(
            f"It also finds that looking further does not always help against random play: "
            f"here the next depth wins more in {sum(steps)} of {len(steps)} cases."
        )
    return [" ".join(told)]


def _range(shares: Sequence[float]) -> str:
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %"


def _robins(study: Study, run: Run) -> list[Block]:
    blocks: list[Block] = []
    if study.agreements:
        blocks += [_agreements(study), *_crossed(study)]
    blocks.append(_averages(study))
    note = "Averages; dashed: published." if study.published.robins else "Averages."
    blocks.append(Plots(tuple(_curve(study, depth) for depth in study.robins), note))
    if run.times:
        rows = tuple(cells(task, lasting(float(seconds))) for task, seconds in run.times.items())
        blocks.append(Table(cells("", "time"), rows, "What it took, on the clock."))
    return blocks


def _agreements(study: Study) -> Table:
    columns = cells("", *(f"depth {depth}" for depth in study.agreements))
    every = list(study.agreements.values())
    rows = (
        cells("Spearman's rank correlation of the averages", *(f"{one.spearman:.3f}" for one in every)),
        cells("its 95 % interval by our games", *(f"{one.low:.2f} to {one.high:.2f}" for one in every)),
        cells("the same, players that play alike taken together", *(f"{one.distinct:.3f}" for one in every)),
        cells("the published ranking with another draw of its own", *(_three(one.ceiling) for one in every)),
        cells("root mean square of the differences, points", *(f"{100 * one.difference:.1f}" for one in every)),
        cells("points from even, published for each of ours", *(f"{one.slope:.2f}" for one in every)),
        cells("pairs that agree", *(f"{one.close} of {one.pairs}" for one in every)),
        cells("pairs that agree if the published games are few", *(f"{one.near} of {one.pairs}" for one in every)),
    )
    return Table(columns, rows, "How the published tables agree with ours.")


def _crossed(study: Study) -> list[Block]:
    """Return how the published tables agree with those of other depths, where there are some."""
    if len(study.robins) < 2:
        return []
    rows = tuple(
        (
            Cell(f"published, depth {depth}"),
            *(_crossing(*crossed(study, depth).get(other, ())) for other in study.robins),
        )
        for depth in study.agreements
    )
    columns = cells("", *(f"ours, depth {depth}" for depth in study.robins))
    caption = "The same across depths: Spearman's correlation, and the root mean square of the differences in points."
    return [Table(columns, tuple(rows), caption)]


def _crossing(spearman: float = math.nan, difference: float = math.nan) -> Cell:
    return Cell(f"{spearman:.3f}", f"({100 * difference:.1f})") if math.isfinite(spearman) else Cell("")


def _three(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "–"


def _averages(study: Study) -> Table:
    """Return the averages of every depth, with ranks, those over all depths, and the published ones if there are."""
    averages, theirs = overall(study.robins), study.published.robins
    names = tuple(averages)
    columns, places = [Cell("")], []
    for depth, robin in study.robins.items():
        columns += [Cell(f"depth {depth}", "ours"), Cell("", "published")] if theirs else [Cell(f"depth {depth}")]
        places += [_ranked(names, robin), *([_ranked(names, theirs.get(depth))] if theirs else [])]
    columns += [Cell("all", "ours"), Cell("", "published")] if theirs else [Cell("all")]
    published = overall({depth: theirs[depth] for depth in study.agreements})
    tables = (averages, published) if theirs else (averages,)
    places += [_with_ranks([table.get(name, math.nan) for name in names]) for table in tables]
    rows = tuple((_named(name), *(column[i] for column in places)) for i, name in enumerate(names))
    caption = "Average of a function's shares against all others, in per cent, and its rank."
    return Table(tuple(columns), rows, caption, dense=True)


def _ranked(names: Sequence[str], robin: Robin | None) -> list[Cell]:
    known = [average_of(robin, name) for name in names]
    return _with_ranks([math.nan if average is None else average for average in known])


def _with_ranks(shares: Sequence[float]) -> list[Cell]:
    ranks = mid_ranks(shares)
    pairs = zip(shares, ranks.tolist(), strict=True)
    return [Cell(f"{100 * share:.1f}", f"{rank:g}") if math.isfinite(share) else Cell("") for share, rank in pairs]


def _curve(study: Study, depth: int) -> Plot:
    robin, theirs = study.robins[depth], study.published.robins.get(depth)
    lines = [Line(range(len(robin.names)), robin.averages.tolist(), 0)]
    if theirs is not None:
        known = [i for i, name in enumerate(robin.names) if name in theirs.names]
        lines.append(Line(known, [average_of(theirs, robin.names[i]) or 0.0 for i in known], 1, quiet=True))
    return Plot(draw_names(robin.names, lines), f"Depth {depth}", ("ours", "published")[: len(lines)])


def _pairs(study: Study) -> list[Block]:
    told = "What the row's function wins against the column's, in per cent"
    told += (
        "."
        if not study.published.robins
        else (
            f", and what is published. {SOME} marks pairs whose 95 % intervals do not meet, {FAR} those that would not "
            f"meet even if the published games were as few as they seem."
        )
    )
    return [Text(told), *(_pair_table(study, depth) for depth in study.robins)]


def _pair_table(study: Study, depth: int) -> Table:
    robin, theirs = study.robins[depth], study.published.robins.get(depth)
    rows = []
    for i, name in enumerate(robin.names):
        shares = [_pair(study, robin, theirs, i, j) for j in range(len(robin.names))]
        rows.append((Cell(name), *shares, _average(robin, theirs, name)))
    games = sorted(set(robin.games[robin.games > 0].tolist()))
    caption = f"Depth {depth}, {' or '.join(map(number, games))} games a pair."
    return Table(cells("", *robin.names, "average"), tuple(rows), caption, dense=True)


def _pair(study: Study, robin: Robin, theirs: Robin | None, i: int, j: int) -> Cell:
    share = robin.shares[i, j]
    if not math.isfinite(share):
        return Cell("–")
    names = (robin.names[i], robin.names[j])
    if theirs is None or not set(names) <= set(theirs.names):
        return Cell(f"{100 * share:.1f}")
    ours, published = robin.among(names), theirs.among(names)
    far = study.seem > 0 and bool(differing(ours, published, games=study.seem)[0, 1])
    mark = FAR if far else SOME if differing(ours, published)[0, 1] else ""
    return Cell(f"{100 * share:.1f}{mark}", f"{100 * published.shares[0, 1]:.0f}", marked=far)


def _average(robin: Robin, theirs: Robin | None, name: str) -> Cell:
    ours, published = average_of(robin, name), average_of(theirs, name)
    return Cell(f"{100 * (ours or 0.0):.1f}", "" if published is None else f"{100 * published:.1f}")
