"""The section on players that do not learn, and tests whether those that evolved score otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from understudy.judges.scores import BLACK, WHITE, Matches, records, score, spreads
from understudy.report.blocks import Block, Plot, Plots, Section, Table, Text
from understudy.report.evolution.monitors import Monitor
from understudy.report.evolution.published import STUDENT, PublishedEvolution, PublishedMatches
from understudy.report.evolution.tallies import Spreads, family_of, is_compared, record_table, spread_table, test_table
from understudy.report.plots import Line, draw_lines

Baselines = Mapping[tuple[str, str], Matches]


INDIVIDUALS = 62
"""Matches that are taken as an epoch, as many as the population of the usual experiment has individuals."""


def baselines_section(
    baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], paper: PublishedEvolution | None
) -> Section | None:
    """Tell how fixed players fare against each other, and whether those that evolved score otherwise."""
    played = {pair: matches for pair, matches in baselines.items() if matches.played}
    if not played:
        return None
    blocks: list[Block] = []
    for pair, matches in played.items():
        printed = {paper.source: there} if paper is not None and (there := paper.between(*pair)) is not None else {}
        blocks += _meeting(*pair, matches, printed)
    plots = [_groups(*item) for item in played.items() if _is_grouped(*item)]
    if plots:
        figure = f" ({paper.baselines_figure})" if paper is not None else ""
        note = f"The highest scores of each {INDIVIDUALS} matches, as if they were an epoch{figure}."
        blocks.append(Plots(tuple(plots), note))
    return Section("Players that do not learn", (*blocks, *_tests(played, monitors, paper)))


def _meeting(one: str, other: str, matches: Matches, printed: Mapping[str, PublishedMatches]) -> list[Block]:
    named = "".join(f" {source}: {there.tables}, {there.name}." for source, there in printed.items())
    caption = f"Scores of {one} against {other}.{named}"
    scores = {"ours": spreads(matches)} | {name: there.spreads for name, there in printed.items()}
    counts = {"ours": records(matches)} | {name: there.records for name, there in printed.items()}
    table = record_table(counts, f"Games and matches won, lost and tied by {one}.")
    notes = [
        Text(f"{source}, {there.name}: {'; '.join(there.notes)}.") for source, there in printed.items() if there.notes
    ]
    return [*notes, spread_table(scores, caption), *([table] if table is not None else [])]


def _is_grouped(pair: tuple[str, str], matches: Matches) -> bool:
    """Tell whether the best of many matches say something, since single ones are hardly won, and there are enough."""
    return tuple(map(family_of, pair)) == ("stochastic", "searcher") and matches.played >= 3 * INDIVIDUALS


def _groups(pair: tuple[str, str], matches: Matches) -> Plot:
    """Draw the best of each so many matches, as if they were epochs."""
    games, size = score(*matches), INDIVIDUALS
    most = [games[start : start + size] for start in range(0, len(games) - size + 1, size)]
    xs = [float(place) for place in range(1, len(most) + 1)]
    lines = [
        Line(xs, [float(part[:, WHITE].max()) for part in most], 0),
        Line(xs, [float(part[:, BLACK].max()) for part in most], 1),
        Line(xs, [part.sum(axis=1).max() / 2 for part in most], 2),
    ]
    drawing = draw_lines(lines, across=f"group of {size} matches", shares=False)
    return Plot(drawing, f"{pair[0]} v {pair[1]}", ("White", "Black", "match, halved"))


def _tests(
    baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], paper: PublishedEvolution | None
) -> list[Table]:
    """Compare what evolved with fixed players against the same opponent, and ours with what a paper prints."""
    opponents = dict.fromkeys([*monitors, *(other for _, other in baselines)])
    compared = {
        opponent: [
            *_pairs(opponent, monitors.get(opponent, ()), baselines),
            *(_printed_pairs(opponent, monitors.get(opponent, ()), baselines, paper) if paper is not None else ()),
        ]
        for opponent in opponents
    }
    caption = "of the means of scores, with the probability of such a difference if there were none."
    return [
        table
        for opponent, pairs in compared.items()
        if (table := test_table(pairs, f"Against {opponent}: Welch's test {caption}")) is not None
    ]


def _pairs(opponent: str, monitors: Sequence[Monitor], baselines: Baselines) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield who of ours is compared with whom in matches against *opponent*."""
    for monitor in monitors:
        ours = spreads(monitor.epochs.merged)
        for (one, other), matches in baselines.items():
            if other == opponent and is_compared(one, opponent):
                yield f"{monitor.student} less {one}", ours, spreads(matches)


def _printed_pairs(
    opponent: str, monitors: Sequence[Monitor], baselines: Baselines, paper: PublishedEvolution
) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield what is compared with what a paper prints of matches against *opponent*."""
    students, source = paper.between(STUDENT, opponent), paper.source
    if students is not None:
        for monitor in (one for one in monitors if one.late):
            yield f"{monitor.student} less {source}", spreads(monitor.epochs.merged), students.spreads
    for one, matches in ((one, matches) for (one, other), matches in baselines.items() if other == opponent):
        there = paper.straight(one, opponent)
        if there is not None and there.spreads:
            yield f"{one} less {source}", spreads(matches), there.spreads
            if students is not None and is_compared(one, opponent):
                yield f"{source}, {paper.student} less {there.player}", students.spreads, there.spreads
