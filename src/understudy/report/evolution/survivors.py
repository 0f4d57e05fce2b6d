"""The section on selection: who persists from epoch to epoch, the chances in knock-outs, and a round robin instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from understudy.errors import FileError
from understudy.judges.measures import share
from understudy.judges.selection import Persistence, eliminations, persistence, prints, survival
from understudy.report.blocks import Cell, Section, Table, Text, cells, measured, number, percent
from understudy.report.evolution.course import told_generations
from understudy.report.sources import Run
from understudy.studies.miller import paper as thesis
from understudy.tensors import load_arrays

NAME = re.compile(r"(?P<student>.+)_(?P<generation>[0-9]{5,})\.safetensors")


def epoch_files(folder: Path) -> dict[str, dict[int, Path]]:
    """Return the files of all individuals of epochs, by student and generation, ascending."""
    found: dict[str, dict[int, Path]] = {}
    for path in sorted(folder.glob("*.safetensors")) if folder.is_dir() else ():
        if match := NAME.fullmatch(path.name):
            found.setdefault(match["student"], {})[int(match["generation"])] = path
    return {student: dict(sorted(paths.items())) for student, paths in found.items()}


def load_prints(path: Path) -> tuple[bytes, ...]:
    """Return the fingerprints of all individuals in a file of an epoch."""
    arrays, _ = load_arrays(path, "individuals")
    if "weights" not in arrays or arrays["weights"].ndim != 2:
        raise FileError(f"file {str(path)!r} does not hold the weights of individuals, a row each")
    return prints(arrays["weights"])


def persisting(run: Run) -> dict[str, Persistence]:
    """Return who persists among each student's epochs, where there are two."""
    files = epoch_files(run.folder / "epochs")
    ordered = dict.fromkeys([*(student for student in told_generations(run) if student in files), *files])
    return {
        student: persistence(load_prints(path) for path in files[student].values())
        for student in ordered
        if len(files[student]) > 1
    }


def selection_section(run: Run, persists: Mapping[str, Persistence]) -> Section | None:
    """Tell who persists, and beside the thesis what arithmetic says of its knock-outs."""
    if not persists:
        return None
    reckoned = (_survival(), *_robin()) if run.beside(thesis.STUDY) else ()
    return Section("Selection", (_persistence(run, persists), *reckoned))


def _persistence(run: Run, persists: Mapping[str, Persistence]) -> Table:
    expected = _expected(run)
    rows = [_row(student, one, expected.get(student, "–")) for student, one in persists.items()]
    if run.beside(thesis.STUDY):
        again, individuals = thesis.PERSISTING
        twice = 2 * (Cell(str(again), percent(0.0)),)
        rows.append((*cells(thesis.SOURCE, "1000", number(individuals)), *twice, *cells("1", "–")))
    columns = cells(
        "student", "epochs", "individuals", "in the next epoch", "in any later one", "longest stay", "expected"
    )
    caption = (
        "Individuals found again, weight for weight; those of the last epoch are not counted. Longest stay: in epochs. "
        "Expected in the next epoch: if all old ones were alike, from how many of the survivors are old."
    )
    return Table(columns, tuple(rows), caption, dense=True)


def _row(student: str, one: Persistence, expected: str) -> tuple[Cell, ...]:
    found = [Cell(number(again), _share(again, one.individuals)) for again in (one.following, one.later)]
    return *cells(student, number(one.epochs), number(one.individuals)), *found, *cells(number(one.longest), expected)


def _share(hits: int, sample: int) -> str:
    cell = measured(share(hits, sample)._asdict(), decimals=2)
    return f"{cell.text} {cell.aside}"


def _expected(run: Run) -> dict[str, str]:
    """Return the chance that an individual outlives an epoch, from how many of the survivors are old ones."""
    files = epoch_files(run.folder / "epochs")
    found = {}
    for student, lines in told_generations(run).items():
        births = (line.get("births") for line in lines)
        old = [one["old"] for one in births if isinstance(one, Mapping) and isinstance(one.get("old"), int | float)]
        steps = [after - before for before, after in pairwise(files.get(student, ()))]
        if old and steps:
            found[student] = _small(mean(old) ** median(steps))
    return found


def _small(chance: float) -> str:
    return percent(chance, 2) if chance >= 0.0001 else f"{chance:.1e}"


def _survival() -> Table:
    rows = [
        cells(f"beats {percent(beaten, 0)} of the others", f"{matches} matches: {what}",
              _small(survival(beaten, matches)), told)
        for beaten, matches, told, what in (*thesis.ARGUMENTS, (0.5, 20, "–", "an epoch of ten generations"))
    ]  # fmt: skip
    caption = "The chance to survive knock-outs, each of which takes two matches won."
    return Table(cells("individual", "must win", "chance", thesis.SOURCE), tuple(rows), caption)


def _robin() -> tuple[Text, Table]:
    """Return appendix D: all 64 outcomes of four players, counted."""
    found = eliminations()
    parts = [(number(count), percent(count / found.outcomes)) for count in found]
    rows = (
        cells("the winner of the knock-out wins all three", *parts[0], "50.0 %"),
        cells("it is first by the match between equals", *parts[1], "25.0 %"),
        cells("another is first by that match", *parts[2], percent(thesis.ROBIN)),
        cells("three beat each other in a circle", *parts[3], ""),
    )
    text = (
        f"A round robin of four names another winner than the knock-out in {percent(float(found.by_lot))} of outcomes "
        f"if circles are decided by lot, and only on tie-break; in {percent(found.another / found.outcomes)} to "
        f"{percent(float(found.most))} as they are decided otherwise. The thesis counts every circle as another winner."
    )
    columns = cells("round robin of four (appendix D)", "outcomes", "share", thesis.SOURCE)
    return Text(text), Table(columns, rows, "All outcomes of six matches between four equal players.")
