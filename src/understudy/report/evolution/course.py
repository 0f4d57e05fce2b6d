"""The sections on the course of evolution: the school before it, what trainers tell of it, its champions in the end."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from understudy.judges.duels import Score, read_score
from understudy.judges.measures import Measure
from understudy.judges.scores import BLACK, VIEWS, WHITE, Matches, Record, records, spreads
from understudy.report.blocks import (
    Block,
    Cell,
    Plot,
    Plots,
    Section,
    Table,
    Text,
    cells,
    headed,
    is_number,
    lasting,
    measured,
    number,
    worded,
)
from understudy.report.evolution.matches import DIFFERENT, averaged, counted, record_text
from understudy.report.evolution.monitors import EPOCH
from understudy.report.evolution.published import STUDENT, PublishedEvolution, PublishedMatches
from understudy.report.plots import Line, draw_lines
from understudy.report.sources import Run

POINTS = 200
"""Of a line; more generations are taken together."""

PLACE = ("student", "generation", "stage", "seconds", "games", "matches")
"""What says where a line stands, and is no measure."""

SHARES = ("births", "ties", "busy", "points")
"""Measures that are shares."""

COUNTS = ("decided_by",)
"""Measures that are counts, told as shares of their sum."""

WORDS = {
    "decided_by": "what decided matches",
    "plies": "mean length of a game, plies",
    "ties": "tied games",
    "points": "points that children won",
    "births": "where survivors come from",
    "sigma": "step of mutation (sigma)",
    "busy": "time that workers were busy",
}
"""What measures are called whose keys do not say it."""

Lines = Sequence[Mapping[str, Any]]
"""Of the journal of generations."""

SCHOOL = (
    "Mean squared error of the last pass of each round, outcomes being -1, 0 and 1. Rounds learn from different games, "
    "so a line that does not fall need not mean that nothing is learned."
)
"""Stands below the picture of school."""


def school_section(run: Run) -> Section | None:
    """Draw how well networks foretold outcomes before they evolved; of a round told twice the last word counts."""
    errors: dict[str, dict[float, float]] = {}
    for line in run.school:
        if is_drawable(line.get("round")) and is_drawable(line.get("error")):
            errors.setdefault(str(line.get("student", "student")), {})[line["round"] + 1] = line["error"]
    if not errors:
        return None
    lines = [
        Line(sorted(rounds), [rounds[number] for number in sorted(rounds)], colour)
        for colour, rounds in enumerate(errors.values())
    ]
    drawing = draw_lines(lines, across="round", shares=False)
    return Section("School", (Plots((Plot(drawing, "Error over rounds", tuple(errors)),), SCHOOL),))


def generations_of(run: Run) -> dict[str, Lines]:
    """Return the lines of each student in order; of a generation that was told twice the last word counts."""
    every: dict[str, dict[int, Mapping[str, Any]]] = defaultdict(dict)
    for line in run.generations:
        if is_drawable(line.get("generation")):
            every[str(line.get("student", "student"))][line["generation"]] = line
    return {student: [lines[generation] for generation in sorted(lines)] for student, lines in every.items()}


def course_section(run: Run) -> Section | None:
    """Tell what evolution cost, and draw what trainers tell of it."""
    students = generations_of(run)
    if not students:
        return None
    blocks: list[Block] = [_cost(students, run.beside(PublishedEvolution))]
    if run.torn:
        blocks.insert(0, Text(f"{run.torn} of the lines in generations.jsonl could not be read and are left out."))
    plots = [*_speed(students), *_single(students), *_several(students)]
    note = f"Longer courses are drawn as means of neighbouring generations, {POINTS} points a line."
    return Section("The course of evolution", (*blocks, *([Plots(tuple(plots), note)] if plots else [])))


def is_drawable(value: Any) -> bool:
    """Tell whether a value from a file is a number to draw."""
    return is_number(value) and math.isfinite(value)


def _cost(students: Mapping[str, Lines], paper: PublishedEvolution | None) -> Table:
    rows = []
    for student, lines in students.items():
        games, seconds = (max((float(line[key]) for line in lines if is_drawable(line.get(key))), default=float("nan"))
                          for key in ("games", "seconds"))  # fmt: skip
        timed = seconds > 0
        rows.append(
            cells(
                student,
                number(max(line["generation"] for line in lines)),
                number(games),
                lasting(seconds) if timed else "–",
                number(round(games / seconds, 1)) if timed else "–",
            )
        )
    caption = "What it cost, on the clock, school included; games are those of selection."
    if paper is not None:
        there = paper.cost
        rows.append(
            cells(paper.source, number(there.generations), number(there.games), there.time, there.games_a_second)
        )
        caption += f" {there.note}"
    return Table(cells("student", "generations", "games", "time", "games a second"), tuple(rows), caption)


def thin_out(xs: Sequence[float], ys: Sequence[float], most: int = POINTS) -> tuple[list[float], list[float]]:
    """Return means of equally many neighbouring points, so that there are at most so many."""
    size = -(-len(xs) // most)
    starts = range(0, len(xs), size) if xs else ()
    across, upwards = ([fmean(numbers[start : start + size]) for start in starts] for numbers in (xs, ys))
    return across, upwards


def _speed(students: Mapping[str, Lines]) -> list[Plot]:
    """Draw games a second, between lines that are not too near each other."""
    drawn = []
    for colour, lines in enumerate(students.values()):
        timed = [line for line in lines if all(is_drawable(line.get(key)) for key in ("games", "seconds"))]
        marks = timed[:: -(-len(timed) // POINTS) or 1]
        rates = [
            (float(after["generation"]), (after["games"] - before["games"]) / (after["seconds"] - before["seconds"]))
            for before, after in pairwise(marks)
            if after["seconds"] > before["seconds"] and after["games"] >= before["games"]
        ]
        if rates:
            drawn.append(Line([x for x, _ in rates], [y for _, y in rates], colour))
    if not drawn:
        return []
    return [Plot(draw_lines(drawn, across="generation", shares=False, low=0.0), "Games a second", tuple(students))]


def _single(students: Mapping[str, Lines]) -> Iterator[Plot]:
    """Draw measures that are one number, all students in one picture."""
    for key in _keys(students, is_drawable):
        lines = [Line(*thin_out(*_series(course, (key,))), colour)
                 for colour, course in enumerate(students.values()) if _series(course, (key,))[0]]  # fmt: skip
        yield _plot(headed(_title(key)), lines, tuple(students), shares=key in SHARES)


def _several(students: Mapping[str, Lines]) -> Iterator[Plot]:
    """Draw measures that are several numbers, a picture for each student."""
    for key in _keys(students, lambda value: isinstance(value, Mapping)):
        for student, course in students.items():
            parts = list(dict.fromkeys(part for line in course for part in _mapping(line, key)))
            parts = [part for part in parts if _series(course, (key, part))[0]]
            if parts:
                lines = [Line(*thin_out(*_series(course, (key, part))), colour) for colour, part in enumerate(parts)]
                caption = headed(_title(key)) if len(students) == 1 else f"{student}: {_title(key)}"
                yield _plot(caption, lines, tuple(map(worded, parts)), shares=key in (*SHARES, *COUNTS))


def _keys(students: Mapping[str, Lines], wanted: Any) -> list[str]:
    every = (key for lines in students.values() for line in lines for key, value in line.items() if wanted(value))
    return [key for key in dict.fromkeys(every) if key not in PLACE]


def _mapping(line: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = line.get(key)
    return value if isinstance(value, Mapping) else {}


def _series(lines: Lines, path: tuple[str, ...]) -> tuple[list[float], list[float]]:
    """Return generations and a measure, or a part of a measure; counts become shares of their sum."""
    xs, ys = [], []
    for line in lines:
        table: Mapping[str, Any] = line if len(path) == 1 else _mapping(line, path[0])
        total = sum(one for one in table.values() if is_drawable(one)) if path[0] in COUNTS else 1.0
        if is_drawable(table.get(path[-1])) and total:
            xs.append(float(line["generation"]))
            ys.append(float(table[path[-1]]) / total)
    return xs, ys


def _title(key: str) -> str:
    return WORDS.get(key) or worded(key)


def _plot(caption: str, lines: Sequence[Line], keys: tuple[str, ...], *, shares: bool) -> Plot:
    low, high = (0.0, max(1.05 * max(max(line.ys) for line in lines), 0.05)) if shares else (None, None)
    return Plot(draw_lines(lines, across="generation", shares=shares, low=low, high=high), caption, keys)


def champions_section(run: Run) -> Section | None:
    """Tell whom the champions beat, opponent by opponent, in single games and in matches of two."""
    games, matches = _games_of(run), _matches_of(run)
    paper = run.beside(PublishedEvolution) if _reached(run) else None
    blocks: list[Block] = []
    for opponent in dict.fromkeys([*games, *matches]):
        there = paper.between(STUDENT, opponent) if paper is not None else None
        printed = {paper.source: there} if paper is not None and there is not None else {}
        if opponent in games:
            blocks.append(_game_table(opponent, games[opponent], printed))
        if opponent in matches:
            blocks.append(_match_table(opponent, matches[opponent], printed))
    return Section("Champions", tuple(blocks)) if blocks else None


def _reached(run: Run) -> bool:
    """Tell whether anybody evolved as far as the first epoch, from which on published numbers are."""
    return any(lines[-1]["generation"] >= EPOCH for lines in generations_of(run).values())


def _games_of(run: Run) -> dict[str, dict[str, Score]]:
    """Return the games by opponent and champion."""
    games: dict[str, dict[str, Score]] = {}
    for student, sets in run.games.items():
        for which, met in sets.items():
            for opponent, counts in met.items():
                name = student if len(sets) == 1 else f"{student}, {which}"
                games.setdefault(opponent, {})[name] = read_score(counts)
    return games


def _matches_of(run: Run) -> dict[str, dict[str, Matches]]:
    """Return the matches by opponent and champion."""
    played: dict[str, dict[str, Matches]] = {}
    for student, opponents in run.matches.items():
        for opponent, matches in opponents.items():
            if matches.played:
                played.setdefault(opponent, {})[student] = matches
    return played


def _game_table(opponent: str, games: Mapping[str, Score], printed: Mapping[str, PublishedMatches]) -> Table:
    rows = [(Cell(name), *_game_cells(score)) for name, score in games.items()]
    for source, there in printed.items():
        if there.records:
            whole, white, black, _ = (there.records[view] for view in VIEWS)
            shares = (whole.victories(), black.victories(), white.victories(), whole.points())
            rows.append((Cell(source), *_shares(whole, shares)))
    caption = f"Games against {opponent}, won of all, with 95 % intervals; points count ties half.{_whose(printed)}"
    columns = cells("champion", "won-lost-tied", "different", "won", "as Black", "as White", "points")
    return Table(columns, tuple(rows), f"{caption} {DIFFERENT}")


def _game_cells(score: Score) -> tuple[Cell, ...]:
    lost, tied, won = (one + other for one, other in zip(score.first, score.second, strict=True))
    measures = (score.won(), score.won_as(BLACK), score.won_as(WHITE), score.points())
    return _shares(Record(won, lost, tied, score.different), measures)


def _shares(whole: Record, measures: Sequence[Measure]) -> tuple[Cell, ...]:
    return Cell(record_text(whole)), counted(whole), *(measured(measure._asdict()) for measure in measures)


def _match_table(opponent: str, matches: Mapping[str, Matches], printed: Mapping[str, PublishedMatches]) -> Table:
    rows = [(Cell(name), *_match_cells(records(one)["combined"]), averaged(spreads(one)["combined"]))
            for name, one in matches.items()]  # fmt: skip
    for source, there in printed.items():
        record = there.records.get("combined")
        counts = _match_cells(record) if record is not None else cells("–", "–", "–")
        rows.append((Cell(source), *counts, averaged(there.spreads["combined"])))
    caption = f"Matches of two games against {opponent}: more wins, else the quicker win, else a tie.{_whose(printed)}"
    return Table(cells("champion", "won-lost-tied", "won of decided", "won", "mean score"), tuple(rows), caption)


def _match_cells(record: Record) -> tuple[Cell, ...]:
    return Cell(record_text(record)), measured(record.winning()._asdict()), measured(record.victories()._asdict())


def _whose(printed: Mapping[str, PublishedMatches]) -> str:
    """Return what else a caption says: published numbers are not those of one champion."""
    return "".join(
        f" {source}: all individuals" + ("." if there.records else f", {'; '.join(there.notes)}.")
        for source, there in printed.items()
    )
