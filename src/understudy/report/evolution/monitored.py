"""The sections on a population against a fixed opponent, with all epochs together: tables 4 to 7 of the thesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from understudy.judges.scores import Matches, records, spreads
from understudy.report.blocks import Block, Section, Table, Text, number
from understudy.report.evolution.monitor_plots import comparison_plots, pictures
from understudy.report.evolution.monitor_tables import (
    around_table,
    feats_table,
    first_table,
    smoothed_tables,
    trends_table,
    trends_told,
)
from understudy.report.evolution.monitors import Monitor, best_match, since
from understudy.report.evolution.tallies import record_table, spread_table
from understudy.studies.miller import paper as thesis

EARLY = (
    f"{thesis.SOURCE} is not set beside it: its numbers are of epochs, from generation {thesis.EPOCH} on, which was "
    "not reached here."
)


def monitored_section(
    opponent: str, monitors: Sequence[Monitor], baselines: Mapping[tuple[str, str], Matches], *, beside: bool
) -> Section:
    """Tell what populations reached against *opponent*, beside fixed players and, if it may be said, the thesis."""
    kind = thesis.family(opponent)
    there = thesis.printed(thesis.STUDENT, opponent) if beside else None
    source = there if any(monitor.late for monitor in monitors) else None
    fixed = {
        one: matches
        for (one, other), matches in baselines.items()
        if other == opponent and matches.played and (thesis.family(one), kind) in thesis.COMPARED
    }
    around = [around_table(monitors, source), *smoothed_tables(monitors, source)] if kind == "searcher" else []
    blocks: list[Block | None] = [
        Text(" ".join(_summary(monitors, source))),
        Text(EARLY) if there is not None and source is None else None,
        comparison_plots(monitors, source),
        first_table(monitors),
        pictures(monitors, kind, figures=source is not None),
        trends_told(monitors),
        trends_table(monitors, source),
        feats_table(monitors, source),
        *around,
        *_merged(monitors, fixed, source),
    ]
    return Section(f"Against {opponent}", tuple(block for block in blocks if block is not None))


def _summary(monitors: Sequence[Monitor], source: thesis.Printed | None) -> list[str]:
    lines = []
    for monitor in monitors:
        counted = records(monitor.epochs.merged)
        generation, place, black, white = best_match(monitor.epochs)
        lines.append(
            f"{monitor.student} won {number(counted['overall'].won)} of {number(counted['overall'].played)} games and "
            f"{number(counted['combined'].won)} of {number(counted['combined'].played)} matches; its best match, of "
            f"row {place} of generation {generation}, scored {black} + {white} = {black + white} (Black, White)."
        )
    if source is not None and source.notes:
        lines.append(f"{thesis.SOURCE} ({source.name}): {'; '.join(source.notes)}.")
    return lines


def _merged(monitors: Sequence[Monitor], fixed: Mapping[str, Matches], source: thesis.Printed | None) -> list[Block]:
    """Return scores and records of all epochs together, fixed players beside them: tables 4, or 5, 6 and 7."""
    opponent = monitors[0].opponent
    ours = {**{monitor.student: monitor.epochs.merged for monitor in monitors}, **fixed}
    known = {f"{thesis.SOURCE}, pLoGANN": source} if source is not None else {}
    for one in fixed if source is not None else ():
        if (there := thesis.printed(one, opponent)) is not None and there.spreads:
            known[f"{thesis.SOURCE}, {there.name.partition(' v ')[0]}"] = there
    named = f" {thesis.SOURCE}: {' and '.join(there.tables for there in known.values())}." if known else ""
    caption = f"Scores against {opponent}, {since(monitors)} together.{named}"
    blocks: list[Block | None] = [
        spread_table({name: spreads(one) for name, one in ours.items()}
                     | {name: there.spreads for name, there in known.items()}, caption),
        record_table({name: records(one) for name, one in ours.items()}
                     | {name: there.records for name, there in known.items()},
                     f"Games and matches against {opponent}: decided are those won or lost; points count ties half."),
    ]  # fmt: skip
    if thesis.family(opponent) == "stochastic":
        blocks.append(_other_side(monitors, source))
    return [block for block in blocks if block is not None]


def _other_side(monitors: Sequence[Monitor], source: thesis.Printed | None) -> Table:
    """Return the opponent's half of table 5, each column under the colour that it really had."""
    ours = {f"v {monitor.student}": spreads(monitor.epochs.merged.turned()) for monitor in monitors}
    if source is None:
        return spread_table(ours, "The opponent's scores in the same games, by its own colours.")
    caption = (
        "The opponent's scores in the same games (table 5), by its own colours; the thesis heads these two columns "
        "with those of pLoGANN."
    )
    return spread_table({**ours, f"{thesis.SOURCE}, random heuristic": thesis.OPPONENT.spreads}, caption)
