"""The sections on evaluators and their lines in a terminal: games against random play, and round robins."""

from __future__ import annotations

import math
from collections.abc import Sequence

from understudy.judges.robins import Agreement, Robin, find_differing, mid_ranks
from understudy.report.blocks import (
    Block,
    Cell,
    Plot,
    Plots,
    Section,
    Table,
    Text,
    cells,
    decimal,
    lasting,
    measured,
    number,
)
from understudy.report.contests import (
    Contest,
    average_depths,
    average_of,
    contest_of,
    cross_depths,
    in_percent,
    name_best,
    verdict_texts,
)
from understudy.report.plots import Line, draw_names
from understudy.report.sources import Run

FAR, SOME = "†", "°"
"""Marks of a pair that differs from the published one even if that has as few games as it seems, or only if not."""


def evaluator_sections(run: Run) -> list[Section]:
    """Return what a run of evaluators has to tell; nothing where a run is none."""
    contest = contest_of(run)
    if contest is None:
        return []
    sections = []
    if contest.alone:
        sections.append(Section("Against random play", tuple(_alone(contest))))
    if contest.robins:
        sections.append(Section("Round robin", (*map(Text, verdict_texts(contest)), *_robins(contest, run))))
        sections.append(Section("Pair by pair", tuple(_pairs(contest))))
    return sections


def _named(contest: Contest, letter: str) -> Cell:
    """Return a letter and what it counts."""
    return Cell(letter, contest.words.get(letter, ""))


def _alone(contest: Contest) -> list[Block]:
    names = tuple(dict.fromkeys(name for scores in contest.alone.values() for name in scores))
    lines = [
        Line([names.index(name) for name in scores], [score.won().value or 0.0 for score in scores.values()], place)
        for place, scores in enumerate(contest.alone.values())
    ]
    depths = tuple(f"depth {depth}" for depth in contest.alone)
    rows = tuple(
        (_named(contest, name), *(measured(scores[name].won()._asdict()) if name in scores else Cell("")
                         for scores in contest.alone.values()))
        for name in names
    )  # fmt: skip
    samples = sorted({score.games for scores in contest.alone.values() for score in scores.values()})
    games = " or ".join(map(number, samples))
    known = [score.different for scores in contest.alone.values() for score in scores.values()]
    caption = (
        f"Won of {games} games against random play, each side begun half of them, {_count_different(known)}, with 95 % "
        "intervals from the different pairs."
    )
    plot = Plot(draw_names(names, lines), "Won against random play, by evaluation function", depths)
    texts = [Text(contest.paper.alone(_shares(contest)))] if contest.paper is not None else []
    return [*texts, Plots((plot,)), Table((Cell(""), *cells(*depths)), rows, caption)]


def _shares(contest: Contest) -> dict[int, dict[str, float]]:
    """Return what was won against random play, by depth and name."""
    return {depth: {name: score.won().value or 0.0 for name, score in scores.items()}
            for depth, scores in contest.alone.items()}  # fmt: skip


def _robins(contest: Contest, run: Run) -> list[Block]:
    blocks: list[Block] = []
    if contest.agreements:
        blocks += [_agreements(contest), *_crossed(contest)]
    blocks.append(_averages(contest))
    note = "Averages; dashed: published." if contest.published.robins else "Averages."
    blocks.append(Plots(tuple(_curve(contest, depth) for depth in contest.robins), note))
    if run.times:
        rows = tuple(cells(task, lasting(float(seconds))) for task, seconds in run.times.items())
        blocks.append(Table(cells("", "time"), rows, "What it took, on the clock."))
    return blocks


def _agreements(contest: Contest) -> Table:
    columns = cells("", *(f"depth {depth}" for depth in contest.agreements))
    every = list(contest.agreements.values())
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


def _crossed(contest: Contest) -> list[Block]:
    """Return how the published tables agree with those of other depths, where there are some."""
    if len(contest.robins) < 2:
        return []
    rows = tuple(
        (
            Cell(f"published, depth {depth}"),
            *(_crossing(*cross_depths(contest, depth).get(other, ())) for other in contest.robins),
        )
        for depth in contest.agreements
    )
    columns = cells("", *(f"ours, depth {depth}" for depth in contest.robins))
    caption = "The same across depths: Spearman's correlation, and the root mean square of the differences in points."
    return [Table(columns, tuple(rows), caption)]


def _crossing(spearman: float = math.nan, difference: float = math.nan) -> Cell:
    return Cell(f"{spearman:.3f}", f"({100 * difference:.1f})") if math.isfinite(spearman) else Cell("")


def _three(value: float) -> str:
    return decimal(value, 3)


def _averages(contest: Contest) -> Table:
    """Return the averages of every depth, with ranks, those over all depths, and the published ones if there are."""
    averages, theirs = average_depths(contest.robins), contest.published.robins
    names = tuple(averages)
    columns, places = [Cell("")], []
    for depth, robin in contest.robins.items():
        columns += [Cell(f"depth {depth}", "ours"), Cell("", "published")] if theirs else [Cell(f"depth {depth}")]
        places += [_ranked(names, robin), *([_ranked(names, theirs.get(depth))] if theirs else [])]
    columns += [Cell("all", "ours"), Cell("", "published")] if theirs else [Cell("all")]
    published = average_depths({depth: theirs[depth] for depth in contest.agreements})
    tables = (averages, published) if theirs else (averages,)
    places += [_with_ranks([table.get(name, math.nan) for name in names]) for table in tables]
    rows = tuple((_named(contest, name), *(column[i] for column in places)) for i, name in enumerate(names))
    caption = "Average of a function's shares against all others, in per cent, and its rank."
    return Table(tuple(columns), rows, caption, dense=True)


def _ranked(names: Sequence[str], robin: Robin | None) -> list[Cell]:
    averages = [average_of(robin, name) for name in names]
    return _with_ranks([math.nan if average is None else average for average in averages])


def _with_ranks(shares: Sequence[float]) -> list[Cell]:
    ranks = mid_ranks(shares)
    pairs = zip(shares, ranks.tolist(), strict=True)
    return [Cell(f"{100 * share:.1f}", f"{rank:g}") if math.isfinite(share) else Cell("") for share, rank in pairs]


def _curve(contest: Contest, depth: int) -> Plot:
    robin, theirs = contest.robins[depth], contest.published.robins.get(depth)
    lines = [Line(range(len(robin.names)), robin.averages.tolist(), 0)]
    if theirs is not None:
        places = [i for i, name in enumerate(robin.names) if name in theirs.names]
        lines.append(Line(places, [average_of(theirs, robin.names[i]) or 0.0 for i in places], 1, quiet=True))
    return Plot(draw_names(robin.names, lines), f"Depth {depth}", ("ours", "published")[: len(lines)])


def _pairs(contest: Contest) -> list[Block]:
    text = "What the row's function wins against the column's, in per cent"
    text += (
        "."
        if not contest.published.robins
        else (
            f", and what is published. {SOME} marks pairs whose 95 % intervals do not meet, {FAR} those that would not "
            f"meet even if the published games were as few as they seem."
        )
    )
    return [Text(text), *(_pair_table(contest, depth) for depth in contest.robins)]


def _pair_table(contest: Contest, depth: int) -> Table:
    robin, theirs = contest.robins[depth], contest.published.robins.get(depth)
    rows = []
    for i, name in enumerate(robin.names):
        shares = [_pair(contest, robin, theirs, i, j) for j in range(len(robin.names))]
        rows.append((Cell(name), *shares, _average(robin, theirs, name)))
    games = sorted(set(robin.games[robin.games > 0].tolist()))
    known = [None] if robin.different is None else robin.different[robin.games > 0].tolist()
    caption = f"Depth {depth}, {' or '.join(map(number, games))} games a pair, {_count_different(known)}."
    return Table(cells("", *robin.names, "average"), tuple(rows), caption, dense=True)


def _count_different(known: Sequence[int | None]) -> str:
    """Return how many games of each pair differ: the least and the most."""
    counts = [count for count in known if count is not None]
    if len(counts) < len(known) or not counts:
        return "repetitions unknown"
    least, most = number(min(counts)), number(max(counts))
    return f"{least} to {most} of them different" if least != most else f"{most} of them different"


def _pair(contest: Contest, robin: Robin, theirs: Robin | None, i: int, j: int) -> Cell:
    share = robin.shares[i, j]
    if not math.isfinite(share):
        return Cell("–")
    names = (robin.names[i], robin.names[j])
    if theirs is None or not set(names) <= set(theirs.names):
        return Cell(f"{100 * share:.1f}")
    ours, published = robin.among(names), theirs.among(names)
    far = contest.seem > 0 and bool(find_differing(ours, published, games=contest.seem)[0, 1])
    mark = FAR if far else SOME if find_differing(ours, published)[0, 1] else ""
    return Cell(f"{100 * share:.1f}{mark}", f"{100 * published.shares[0, 1]:.0f}", marked=far)


def _average(robin: Robin, theirs: Robin | None, name: str) -> Cell:
    ours, published = average_of(robin, name), average_of(theirs, name)
    return Cell(f"{100 * (ours or 0.0):.1f}", "" if published is None else f"{100 * published:.1f}")


def summary_lines(run: Run) -> list[str]:
    """Return the averages of the round robin beside the published ones, and how well they agree, for a terminal."""
    contest = contest_of(run)
    if contest is None:
        return ["nothing has been played yet"]
    lines = []
    if contest.alone:
        lines += ["", "won against random play", _line("", [f"depth {depth}" for depth in contest.alone])]
        names = dict.fromkeys(name for scores in contest.alone.values() for name in scores)
        for name in names:
            lines.append(_line(name, [in_percent(scores[name].won().value) if name in scores else ""
                                      for scores in contest.alone.values()]))  # fmt: skip
    if contest.robins:
        whose = ", ours and published" if contest.published.robins else ""
        lines += ["", f"average of the round robin{whose}", *_average_lines(contest)]
    return [
        *lines,
        "",
        *(_agreement_line(depth, one) for depth, one in contest.agreements.items()),
        *name_best(contest),
    ]


def _line(head: str, texts: Sequence[str]) -> str:
    return f"{head:3}" + "".join(f"{text:>14}" for text in texts)


def _average_lines(contest: Contest) -> list[str]:
    lines = [_line("", [f"depth {depth}" for depth in contest.robins])]
    for name in dict.fromkeys(name for robin in contest.robins.values() for name in robin.names):
        texts = []
        for depth, robin in contest.robins.items():
            ours = average_of(robin, name)
            theirs = average_of(contest.published.robins.get(depth), name)
            texts.append(
                f"{in_percent(ours)} {in_percent(theirs):>5}" if contest.published.robins else in_percent(ours)
            )
        lines.append(_line(name, texts))
    return lines


def _agreement_line(depth: int, one: Agreement) -> str:
    return (
        f"depth {depth}: Spearman {one.spearman:.3f} ({one.low:.2f} to {one.high:.2f}), {one.distinct:.3f} with equal "
        f"players as one, r.m.s. {100 * one.difference:.1f} points, {one.close} of {one.pairs} pairs agree"
    )
