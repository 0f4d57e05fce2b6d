"""The section on players that do not learn: table 3, figure 20, tables 7 and 8 of the thesis, and tests of means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from understudy.judges.scores import BLACK, WHITE, Matches, records, score, spreads
from understudy.report.blocks import Block, Plot, Plots, Section, Table, Text
from understudy.report.evolution.monitors import Monitor
from understudy.report.evolution.tallies import Spreads, record_table, spread_table, test_table
from understudy.report.plots import Line, draw_lines
from understudy.studies.miller import paper as thesis

Baselines = Mapping[tuple[str, str], Matches]


def fixed_section(baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], *, beside: bool) -> Section | None:
    """Tell how fixed players fare against each other, and whether those that evolved score otherwise.

    *beside* tells whether the thesis's numbers stand beside ours.
    """
    known = {pair: matches for pair, matches in baselines.items() if matches.played}
    if not known:
        return None
    blocks: list[Block] = []
    for (one, other), matches in known.items():
        blocks += _meeting(one, other, matches, thesis.printed(one, other) if beside else None)
    plots = [_groups(*item) for item in known.items() if _grouped(*item)]
    if plots:
        figure = " (figure 20)" if beside else ""
        note = f"The highest scores of each {thesis.INDIVIDUALS} matches, as if they were an epoch{figure}."
        blocks.append(Plots(tuple(plots), note))
    return Section("Players that do not learn", (*blocks, *_tests(known, monitors, beside=beside)))


def _meeting(one: str, other: str, matches: Matches, source: thesis.Printed | None) -> list[Block]:
    printed = {thesis.SOURCE: source} if source is not None else {}
    named = f" {thesis.SOURCE}: {source.tables}, {source.name}." if source is not None else ""
    caption = f"Scores of {one} against {other}.{named}"
    scores = {"ours": spreads(matches)} | {name: there.spreads for name, there in printed.items()}
    counts = {"ours": records(matches)} | {name: there.records for name, there in printed.items()}
    table = record_table(counts, f"Games and matches won, lost and tied by {one}.")
    told = [f"{there.name}: {'; '.join(there.notes)}." for there in printed.values() if there.notes]
    notes = [Text(f"{thesis.SOURCE}, {line}") for line in told]
    return [*notes, spread_table(scores, caption), *([table] if table is not None else [])]


def _grouped(pair: tuple[str, str], matches: Matches) -> bool:
    """Tell whether these are the matches of figure 20, and enough of them."""
    return tuple(map(thesis.family, pair)) == ("stochastic", "searcher") and matches.played >= 3 * thesis.INDIVIDUALS


def _groups(pair: tuple[str, str], matches: Matches) -> Plot:
    """Draw the best of each 62 matches, as if they were epochs."""
    games, size = score(*matches), thesis.INDIVIDUALS
    most = [games[start : start + size] for start in range(0, len(games) - size + 1, size)]
    xs = [float(place) for place in range(1, len(most) + 1)]
    lines = [
        Line(xs, [float(part[:, WHITE].max()) for part in most], 0),
        Line(xs, [float(part[:, BLACK].max()) for part in most], 1),
        Line(xs, [part.sum(axis=1).max() / 2 for part in most], 2),
    ]
    drawing = draw_lines(lines, across=f"group of {size} matches", shares=False)
    return Plot(drawing, f"{pair[0]} v {pair[1]}", ("White", "Black", "match, halved"))


def _tests(baselines: Baselines, monitors: Mapping[str, Sequence[Monitor]], *, beside: bool) -> list[Table]:
    """Compare what evolved with fixed players against the same opponent, and ours with what the thesis prints."""
    opponents = dict.fromkeys([*monitors, *(other for _, other in baselines)])
    known = {
        opponent: [
            *_pairs(opponent, monitors.get(opponent, ()), baselines),
            *(_printed_pairs(opponent, monitors.get(opponent, ()), baselines) if beside else ()),
        ]
        for opponent in opponents
    }
    caption = "of the means of scores, with the probability of such a difference if there were none."
    return [
        table
        for opponent, pairs in known.items()
        if (table := test_table(pairs, f"Against {opponent}: Welch's test {caption}")) is not None
    ]


def _pairs(opponent: str, monitors: Sequence[Monitor], baselines: Baselines) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield who of ours is compared with whom in matches against *opponent*."""
    for monitor in monitors:
        ours = spreads(monitor.epochs.merged)
        for (one, other), matches in baselines.items():
            if other == opponent and _compared(one, opponent):
                yield f"{monitor.student} less {one}", ours, spreads(matches)


def _compared(one: str, opponent: str) -> bool:
    """Tell whether a fixed player is one that students are compared with."""
    return (thesis.family(one), thesis.family(opponent)) in thesis.COMPARED


def _printed_pairs(
    opponent: str, monitors: Sequence[Monitor], baselines: Baselines
) -> Iterator[tuple[str, Spreads, Spreads]]:
    """Yield what is compared with what the thesis prints of matches against *opponent*."""
    source = thesis.printed(thesis.STUDENT, opponent)
    if source is not None:
        for monitor in (one for one in monitors if one.late):
            yield f"{monitor.student} less {thesis.SOURCE}", spreads(monitor.epochs.merged), source.spreads
    for one, matches in ((one, matches) for (one, other), matches in baselines.items() if other == opponent):
        there = thesis.PRINTED.get((thesis.known(one), thesis.known(opponent)))
        if there is not None and there.spreads:
            yield f"{one} less {thesis.SOURCE}", spreads(matches), there.spreads
            if source is not None and _compared(one, opponent):
                rival = there.name.partition(" v ")[0]
                yield f"{thesis.SOURCE}, pLoGANN less {rival}", source.spreads, there.spreads
