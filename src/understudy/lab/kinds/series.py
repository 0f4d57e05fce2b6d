"""A series end to end: its cells one after another, each an ordinary run in a folder of its own, then their grades.

`series.json` says which cells are finished, and by which settings; `graded.json` what the grader found. Cells lie in
`cells/NAME`: each is opened, resumed and reported as if it had been run alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from understudy import lab
from understudy.backends import Local
from understudy.errors import BadOption, UnderstudyError
from understudy.fetch.sources import check_file
from understudy.lab.experiments import files_of
from understudy.lab.options.series import Cell, Experiment, find_grader
from understudy.lab.run import Kind, Progress, Run, Step
from understudy.lab.settings import fingerprint_of
from understudy.lab.side_by_side import Errand, run_side_by_side
from understudy.records.watch import KINDS

FINISHED, GRADED = "series.json", "graded.json"
SHOWN = 8
"""Cells that the end of a report invites to play against."""


def cell_folder(run: Run[Any], name: str) -> Path:
    """Return where a cell lies."""
    return run.folder / "cells" / name


def run_cells(run: Run[Experiment]) -> None:
    """Run every cell that is not finished, those first that watch few games."""
    cells = {cell.name: cell for cell in sorted(run.experiment.cells, key=_expense)}
    left = [name for name, cell in cells.items() if not is_finished(run, cell)]
    done = len(cells) - len(left)

    def show(name: str, progress: Progress) -> None:
        # All cells are one task: hundreds of bars would fill a screen.
        note = f"{done + 1} of {len(cells)}, {name}: {progress.task} {progress.note or f'{progress.done:.0%}'}"
        run.tell("cells", done / len(cells), note)

    for name in _run_all(run, [cells[name] for name in left], show):
        _note_finished(run, cells[name])
        done += 1
        run.tell("cells", done / len(cells), f"{done} of {len(cells)}, {name}: finished")


def _run_all(run: Run[Experiment], cells: Sequence[Cell], show: Callable[[str, Progress], None]) -> Iterator[str]:
    """Yield the name of each cell when it is finished: one after another, or several side by side on this machine."""
    workers = run.experiment.series.workers if isinstance(run.backend, Local) else 1
    if workers > 1:
        base = str(run.experiment.folder)
        errands = [
            Errand(cell.name, cell.experiment.settings, base, str(cell_folder(run, cell.name))) for cell in cells
        ]
        yield from run_side_by_side(errands, workers=workers, show=show)
        return
    for cell in cells:
        lab.run(cell.experiment, cell_folder(run, cell.name), show=partial(show, cell.name), backend=run.backend)
        yield cell.name


def _expense(cell: Cell) -> int:
    """Return how many games a cell watches: what little is known of its cost beforehand."""
    watched = cell.experiment.settings.get("watch", {})
    return sum(int(watched.get(kind, 0)) for kind in KINDS)


def is_finished(run: Run[Experiment], cell: Cell) -> bool:
    """Tell whether a cell was run to its end with the settings of now."""
    finished = run.load(FINISHED).get(cell.name, {}).get("settings")
    return finished == _stamp(cell) and (cell_folder(run, cell.name) / "report.html").exists()


def _stamp(cell: Cell) -> str:
    return fingerprint_of(cell.experiment.settings)


def _note_finished(run: Run[Experiment], cell: Cell) -> None:
    """Write down that a cell is finished, and what the report tells of it."""
    about, cost = cell.experiment.about, Run(cell.experiment, cell_folder(run, cell.name)).load(lab.COST)
    facts = {
        "settings": _stamp(cell), "kind": about.kind, "game": about.game, "size": about.size, "title": about.title,
        "steps": cost.get("steps", {}),
    }  # fmt: skip
    run.save(FINISHED, run.load(FINISHED) | {cell.name: facts})


def grade_cells(run: Run[Experiment]) -> None:
    """Let the grader of a series read its cells; what it found before stays where nothing has changed since."""
    series, finished = run.experiment.series, run.load(FINISHED)
    if not series.grade:
        return
    stamps = {cell.name: finished[cell.name]["settings"] for cell in run.experiment.cells}
    stamp = fingerprint_of(series.grade, run.experiment.settings.get("grading", {}), stamps)
    if run.load(GRADED).get("stamp") != stamp:
        run.save(GRADED, {"grade": series.grade, "stamp": stamp, **find_grader(series.grade).grade(run)})


def _check(run: Run[Experiment]) -> None:
    """Raise if a cell could not be run, or all of them graded, before the first of them begins."""
    series = run.experiment.series
    if series.grade and hasattr(grader := find_grader(series.grade), "check_ready") and not run.load(GRADED):
        grader.check_ready(run.experiment)
    for cell in run.experiment.cells:
        if not is_finished(run, cell):
            try:
                _check_cell(run, cell)
            except UnderstudyError as error:
                raise BadOption(f"cell {cell.name!r}: {error}") from None


def _check_cell(run: Run[Experiment], cell: Cell) -> None:
    experiment: Any = cell.experiment
    lab.check(experiment, cell_folder(run, cell.name))
    for file in files_of(experiment.settings):
        if "/" not in file or not (Path(file) / "experiment.toml").exists():  # a run folder holds students
            check_file(file, getattr(experiment, "folder", Path()), needed_by=f"experiment {cell.name!r}")


def summary(run: Run[Experiment]) -> list[str]:
    """Return the few lines a person looks for first: those of each cell, by its name."""
    return [
        f"{cell.name}: {line}"
        for cell in run.experiment.cells
        for line in lab.summary(cell.experiment, cell_folder(run, cell.name))[:1]
    ]


def _identity(settings: Mapping[str, Any]) -> Any:
    """Return what must not change in a run folder; cells may be added, each looks after itself."""
    about = settings.get("experiment", {})
    return about.get("kind"), about.get("title", ""), bool(about.get("quick"))


def _closing(run: Run[Experiment]) -> Iterator[str]:
    """Yield the lines that play against the first cells' students."""
    for cell in run.experiment.cells[:SHOWN]:
        yield from lab.closing_lines(cell.experiment, cell_folder(run, cell.name))


KIND = Kind(
    steps=(Step("cells", run_cells), Step("grade", grade_cells)),
    summary=summary,
    identity=_identity,
    holds="cells of ",
    folders=("cells",),
    check=_check,
    closing=_closing,
)
