"""The sections on how an evolution was cut and repeated: its stages, which champion was kept, several seeds as one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from understudy.judges.duels import read_score
from understudy.judges.scores import Matches
from understudy.report.blocks import Block, Cell, Plot, Plots, Section, Table, cells, measured, number
from understudy.report.evolution.course import generations_of, is_drawable
from understudy.report.plots import Band, Line, draw_lines
from understudy.report.sources import Run


def stages_section(run: Run) -> Section | None:
    """Tell which generations belong to which stage of each student, and what each cost."""
    rows = [row for student, lines in generations_of(run).items() for row in _stage_rows(student, lines)]
    if not rows:
        return None
    caption = "Each stage begins with the champion of the one before, its network made wider without saying otherwise."
    return Section("Stages", (Table(cells("student", "stage", "generations", "games"), tuple(rows), caption),))


def _stage_rows(student: str, lines: Sequence[Mapping[str, object]]) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each stage of a student, in their order."""
    before = 0.0
    for stage in dict.fromkeys(str(line["stage"]) for line in lines if "stage" in line):
        own = [line for line in lines if line.get("stage") == stage]
        numbers = [int(str(line["generation"])) for line in own]
        games = max((float(str(line["games"])) for line in own if is_drawable(line.get("games"))), default=before)
        span = f"{number(min(numbers))} to {number(max(numbers))}"
        yield Cell(student), Cell(stage), Cell(span), Cell(number(games - before))
        before = games


def kept_section(run: Run) -> Section | None:
    """Tell what the champions that were tried won, in every round, and who was left."""
    rows = [row for student, tried in run.keeping.items() for row in _kept_rows(student, tried)]
    if not rows:
        return None
    caption = (
        "Champions of epochs were tried in openings that grade nobody; after each round, which had twice as many "
        "matches as the one before, those with more points in all rounds so far went on. The last one is kept."
    )
    return Section("Which champion is kept", (Table(cells("student", "round", "tried", "first", "points"),
                                                    tuple(rows), caption),))  # fmt: skip


def _kept_rows(student: str, tried: Mapping[int, Sequence[Matches]]) -> Iterator[tuple[Cell, ...]]:
    """Yield for each round how many champions were tried, which of them is first, and its points so far."""
    for turn in range(max(map(len, tried.values()), default=0)):
        sums = {name: _count_points(rounds[: turn + 1]) for name, rounds in tried.items() if len(rounds) > turn}
        first = max(sums, key=lambda name: (sums[name], name))
        share = _share(tried[first][: turn + 1])
        yield (Cell(student), Cell(number(turn + 1)), Cell(number(len(sums))), Cell(f"generation {number(first)}"),
               measured({"value": share}))  # fmt: skip


def _count_points(rounds: Sequence[Matches]) -> float:
    """Return the points of some rounds, a tied game being half of one."""
    return sum(float((1 + matches.results).sum()) / 2 for matches in rounds)


def seeds_section(run: Run) -> Section | None:
    """Tell students that differ in their seed alone as one: means with the least and the most."""
    families = families_of(run)
    if not families:
        return None
    blocks: list[Block] = list(_draw_families(run, families))
    rows = [row for family, students in families.items() for row in _family_rows(run, family, students)]
    if rows:
        caption = (
            "Points of the champions of all seeds: mean, least and most. No interval of one seed holds this spread."
        )
        blocks.append(Table(cells("student", "against", "seeds", "points"), tuple(rows), caption))
    return Section("Over seeds", tuple(blocks)) if blocks else None


def _family_rows(run: Run, family: str, students: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each opponent that all repeats met: nobody meets himself, so they are none."""
    met = [_met(run, name) for name in students]
    for opponent in dict.fromkeys(one for won in met for one in won):
        shares = [won[opponent] for won in met if opponent in won]
        if len(shares) == len(students):
            spread = measured({"value": fmean(shares), "low": min(shares), "high": max(shares)})
            yield Cell(family), Cell(opponent), Cell(number(len(shares))), spread


def families_of(run: Run) -> dict[str, list[str]]:
    """Return the repeats of each variation that was evolved more than once."""
    varied = run.experiment.get("variations")
    wanted = list(varied) if isinstance(varied, Mapping) and varied else ["student"]
    students = dict.fromkeys([*generations_of(run), *run.games])
    families = {
        name: [one for one in students if one.rpartition("_")[0] == name and one.rpartition("_")[2].isdigit()]
        for name in wanted
        if name not in students
    }
    return {name: repeats for name, repeats in families.items() if len(repeats) > 1}


def _met(run: Run, student: str) -> dict[str, float]:
    """Return the share of points that a champion won against each opponent."""
    every: Mapping[str, Any] = next(iter(run.games.get(student, {}).values()), {})
    points = {opponent: read_score(counts).points().value for opponent, counts in every.items()}
    return {opponent: share for opponent, share in points.items() if share is not None}


def _draw_families(run: Run, families: Mapping[str, Sequence[str]]) -> Iterator[Plots]:
    """Draw what the repeats of each family won by generation, as a band, against everybody who measured them."""
    opponents = dict.fromkeys(one for students in families.values() for name in students
                              for one in run.monitor.get(name, ()))  # fmt: skip
    curves = {
        f"Points of individuals against {opponent}": {
            family: [_monitored(run, name, opponent) for name in students] for family, students in families.items()
        }
        for opponent in opponents
    }
    curves["Points of champions when they were first tried"] = {
        family: [_first_tried(run, name) for name in students] for family, students in families.items()
    }
    plots = [plot for caption, drawn in curves.items() if (plot := _draw_bands(caption, drawn)) is not None]
    if plots:
        yield Plots(tuple(plots), "Lines are means over seeds, bands hold all of them.")


def _draw_bands(caption: str, families: Mapping[str, Sequence[Mapping[int, float]]]) -> Plot | None:
    """Draw the means and bounds of several curves of each family, over the generations that all of them have."""
    lines, bands = [], []
    for colour, curves in enumerate(families.values()):
        xs = sorted(set.intersection(*map(set, curves)))
        columns = [[curve[x] for curve in curves] for x in xs]
        if xs:
            lines.append(Line([float(x) for x in xs], list(map(fmean, columns)), colour))
            bands.append(Band(lines[-1].xs, list(map(min, columns)), list(map(max, columns)), colour))
    if not lines:
        return None
    return Plot(draw_lines(lines, across="generation", bands=bands), caption, tuple(families))


def _monitored(run: Run, student: str, opponent: str) -> dict[int, float]:
    """Return the share of points of all individuals measured, by generation."""
    played = run.monitor.get(student, {}).get(opponent, {})
    return {generation: _share([matches]) for generation, matches in played.items() if matches.played}


def _first_tried(run: Run, student: str) -> dict[int, float]:
    """Return the share of points of each champion in the first round, which all of them played, by generation."""
    tried = run.keeping.get(student, {})
    return {generation: _share(rounds[:1]) for generation, rounds in tried.items() if rounds and rounds[0].played}


def _share(rounds: Sequence[Matches]) -> float:
    return _count_points(rounds) / (2 * sum(matches.played for matches in rounds))
