"""Studies as a page tells them: the story from a file of the study, numbers from papers and from results of runs.

A study's folder may hold a `story.toml`; one without it is not told. Results are JSON that finished runs leave, in
docs/results of a checkout and beside the studies where the package is installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from understudy.config import load_toml
from understudy.errors import UnderstudyError
from understudy.fetch.sources import STUDIES
from understudy.files import load_json
from understudy.lab.experiments import Listed, list_experiments, shipped
from understudy.papers import STUDIES as PAPERS
from understudy.papers import find_paper
from understudy.report.naming import shorten
from understudy.serve.hall import Absent
from understudy.serve.lab_answers import (
    Figure,
    FigurePosition,
    Study,
    StudyCommand,
    StudyLine,
    StudyRow,
    StudyTable,
)
from understudy.serve.printed import list_printed

STORY = "story.toml"
RESULTS = (STUDIES / "results", STUDIES.parents[2] / "docs" / "results")
"""Where results lie: in an installed package, and in a checkout."""
AGAINST = " against "
ROWS = 16
"""Rows of a table: a page shows the headline, a report shows all."""


def list_studies() -> list[StudyRow]:
    """Return the studies that tell their story."""
    stories = {name: STUDIES / name / STORY for name in PAPERS}
    return [StudyRow(**_read_head(name, load_toml(path))) for name, path in stories.items() if path.is_file()]


def _read_head(name: str, story: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("title", "authors", "year", "question")
    return {"name": name, "game": find_paper(name).game, **{key: story[key] for key in keys}}


def tell_study(name: str) -> Study:
    """Return all that a page shows of a study."""
    if name not in PAPERS or not (STUDIES / name / STORY).is_file():
        raise Absent(f"there is no study {name!r}; there are: {', '.join(row.name for row in list_studies())}")
    story = load_toml(STUDIES / name / STORY)
    listed = {one.name: one for one in list_experiments() if one.study == name}
    figure = _read_figure(story["figure"]) if "figure" in story else None
    return Study(
        **_read_head(name, story), reference=story["reference"], story=story["story"], figure=figure,
        tables=list(_list_tables(name, _order(listed, story["commands"]))), differences=story["differences"],
        commands=[_write_command(one, listed) for one in story["commands"]],
    )  # fmt: skip


def _read_figure(table: Mapping[str, Any]) -> Figure:
    positions = [FigurePosition(name=one["name"], position=one["position"]) for one in table["positions"]]
    return Figure(game=table["game"], size=table.get("size"), player=table["player"], rival=table.get("rival"),
                  about=table["about"], positions=positions)  # fmt: skip


def _order(listed: Mapping[str, Listed], commands: Sequence[Mapping[str, Any]]) -> dict[str, Listed]:
    """Return experiments in the order in which a story names them, then the others."""
    return {name: listed[name] for name in dict.fromkeys([*(one["experiment"] for one in commands), *listed])}


def _list_tables(name: str, listed: Mapping[str, Listed]) -> Iterator[StudyTable]:
    """Yield ours beside theirs: experiments of which a finished run is kept, then those of which only theirs is."""
    results = {experiment: result for experiment in listed if (result := find_result(experiment)) is not None}
    for experiment, result in results.items():
        yield _shorten_names(_show_result(listed[experiment], result))
    told: list[list[StudyLine]] = []
    for experiment in listed:
        rows = list_printed(name, load_toml(shipped()[experiment]))
        if experiment not in results and rows and rows not in told:  # several experiments repeat one table
            told.append(list(map(copy, rows)))
            note = "No finished run of it is kept with this version: the command makes ours."
            command, title = f"understudy run {experiment}", listed[experiment].title
            yield _shorten_names(StudyTable(title=title, note=note, command=command, rows=rows[:ROWS]))


def _shorten_names(table: StudyTable) -> StudyTable:
    """Return a table in which the names of players are as short as tells them apart, with a note on what they lack."""
    opponents = [row.measure.rpartition(AGAINST)[2].partition(" ")[0] for row in table.rows]
    names, note = shorten([*(row.who for row in table.rows), *opponents])
    for row, opponent in zip(table.rows, opponents, strict=True):
        row.who = names[row.who]
        row.measure = row.measure.replace(f"{AGAINST}{opponent}", f"{AGAINST}{names[opponent]}")
    table.note = f"{table.note} {note}".strip()
    return table


def find_result(experiment: str) -> dict[str, Any] | None:
    """Return the result of a finished run of an experiment; None where none is kept, or it cannot be read."""
    for folder in RESULTS:
        path: Path = folder / f"{experiment}.json"
        try:
            result = load_json(path) if path.is_file() else None
        except UnderstudyError:
            continue
        if isinstance(result, dict) and isinstance(result.get("headline"), list):
            return result
    return None


def _show_result(listed: Listed, result: Mapping[str, Any]) -> StudyTable:
    rows = [_read_row(row) for row in result["headline"]]
    ranked = [row for row in rows if row.paper is not None] + [row for row in rows if row.paper is None]
    left_out = f" {len(ranked) - ROWS} more rows are in the report." if len(ranked) > ROWS else ""
    note = f"As version {result.get('version')} measured it, with 95 % intervals.{left_out}"
    return StudyTable(title=listed.title, note=note, command=str(result.get("command", "")), rows=ranked[:ROWS])


def _read_row(row: Mapping[str, Any]) -> StudyLine:
    return StudyLine(
        who=str(row["what"]), measure=str(row["measure"]), ours=row.get("value"), low=row.get("low"),
        high=row.get("high"), sample=row.get("sample"), paper=row.get("paper"), verdict=str(row.get("verdict", "")),
        share=bool(row.get("share")),
    )  # fmt: skip


def _write_command(table: Mapping[str, Any], listed: Mapping[str, Listed]) -> StudyCommand:
    experiment, quick = listed[table["experiment"]], bool(table.get("quick"))
    minutes = experiment.quick_minutes if quick else experiment.minutes
    needs = "" if experiment.ready else f"; needs {_shorten(experiment.data)}"
    return StudyCommand(command=f"understudy run {experiment.name}{' --quick' if quick else ''}",
                        about=table["about"], cost=f"{_write_cost(minutes)}{needs}")  # fmt: skip


def _shorten(data: Sequence[str]) -> str:
    return data[0] if len(data) == 1 else f"{data[0]} and {len(data) - 1} more"


def _write_cost(minutes: float | None) -> str:
    """Return what an experiment took, on two cores, as people read it."""
    if minutes is None:
        return "time not measured"
    if minutes < 2:
        return f"{60 * minutes:.0f} seconds"
    return f"{minutes:.0f} minutes" if minutes <= 120 else f"{minutes / 60:.0f} hours"
