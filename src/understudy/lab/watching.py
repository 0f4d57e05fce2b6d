"""Records of an experiment in its run folder: a teacher is watched, or files are read; what is there stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np

from understudy.fetch.sources import check_file
from understudy.games import CompiledGame
from understudy.games.batches import unstacked
from understudy.lab.options.imitation import RecordsOptions
from understudy.lab.run import Run
from understudy.lab.settings import Experiment
from understudy.players import close, make_player
from understudy.records import people
from understudy.records.analysis import analyse, analysis_json
from understudy.records.packed import PACKED_FROM, may_pack
from understudy.records.store import Records, joined, load, load_any, number_sources, save
from understudy.records.watch import Watch, watch

RECORDS = "records.parquet"
CHUNK = 4096
"""Positions that a student is asked about at once: what a network handles well."""


class Recorded(Experiment, Protocol):
    """An experiment whose students learn from records."""

    @property
    def watch(self) -> Watch | None: ...
    @property
    def records(self) -> RecordsOptions: ...
    @property
    def folder(self) -> Path: ...


def keep_records(run: Run[Any], check: Callable[[Records], None] = lambda records: None) -> Records:
    """Return the records of an experiment, watched or imported, kept in the run folder; *check* may refuse them."""
    experiment, path = run.experiment, run.folder / RECORDS
    if experiment.watch is not None:
        records = _watch(run, experiment.watch)
        check(records)
    elif path.exists():
        records = load(path)
    else:
        records = _import(run)
        check(records)
        save(records, path, packed=may_pack(experiment.game) and len(records) >= PACKED_FROM)
    if not (run.folder / "analysis.json").exists():
        names, places = number_sources(records)
        sources = dict(zip(names, np.bincount(places).tolist(), strict=True))
        corrections = {} if experiment.watch is None else count_corrections(experiment.game, experiment.watch, records)
        sides = {} if records.sides is None else {"sides": count_sides(records)}
        run.save("analysis.json", analysis_json(analyse(records)) | {"sources": sources} | sides | corrections)
    return records


def _watch(run: Run[Any], plan: Watch) -> Records:
    played = 0
    total = max(plan.games, 1)

    def note(games: int) -> None:
        nonlocal played
        played += games
        run.tell("watching the teacher", played / total, f"{played} of {total} games")

    def is_enough() -> bool:
        return run.used_up(run.experiment.about.watch_share)

    return watch(run.experiment.game, plan, run.folder, backend=run.backend, progress=note, enough=is_enough)


def count_corrections(game: CompiledGame, plan: Watch, records: Records) -> dict[str, Any]:
    """Return in how many positions a student would not move as its teacher said; nothing where no student played.

    The student is asked again: records hold what the teacher said, not what the student played.
    """
    if not plan.apprentice or not len(records):
        return {}
    student, changed = make_player(plan.apprentice, game), 0
    for first in range(0, len(records), CHUNK):
        some = records.taken(slice(first, first + CHUNK))
        own = np.array([choice.move for choice in student.choose(unstacked(some.positions))])
        changed += int((own != some.moves).sum())
    close(student)
    return {"corrections": {"corrected": changed, "as_the_student": len(records) - changed}}


def _import(run: Run[Any]) -> Records:
    experiment: Recorded = run.experiment
    options, game = experiment.records, experiment.game
    paths = [check_file(name, experiment.folder, needed_by=f"experiment {experiment.name!r}") for name in options.files]
    if options.hold_out is not None:
        return _import_parted(run, paths)
    read: list[Records] = []
    for path in paths:
        left = None if options.limit is None else options.limit - sum(len(records) for records in read)
        if left is None or left > 0:
            read.append(load_any(path, game, on_error=options.on_error, limit=left)[0])
    return joined(read)


def _import_parted(run: Run[Any], paths: list[Path]) -> Records:
    """Return records of games whose players and years are held out, each with its side."""
    options, kind = run.experiment.records, run.experiment.game.kind
    run.tell("reading games", 0.0)
    records, games = kind.load("text_files").FORMAT.load_parted(paths, options.hold_out, options.on_error)
    needed = {people.TRAIN: "learn from", people.VALIDATION: "choose by", people.TEST: "grade"}
    people.check_sides(games, options.hold_out, needed)
    run.save("sides.json", {"games": games, "positions": count_sides(records)})
    return cast(Records, records)


def count_sides(records: Records) -> dict[str, int]:
    """Return how many positions are on which side, of records whose players and years are held out."""
    assert records.sides is not None
    rows = np.bincount(records.sides, minlength=len(people.SIDES)).tolist()
    return dict(zip(people.SIDES, rows, strict=True))
