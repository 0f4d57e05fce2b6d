"""The lab: experiments end to end. A kind of experiment is its options, its steps and the sections of its report.

What learns stays with the driver; the backend is where games are played. Only the kind that is asked for is imported,
so that a study without PyTorch never waits for it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy import __version__
from understudy.errors import BadOption, UnderstudyError, understood
from understudy.lab.run import (
    LOCAL,
    Budget,
    Kind,
    Progress,
    Run,
    Show,
    Step,
    check_run,
    keep_quiet,
    opened,
    play_command,
    spelled_as_before,
)
from understudy.lab.settings import Experiment, has_records
from understudy.protocols import Backend

if TYPE_CHECKING:
    from understudy.records.store import Records
    from understudy.report.overview import Identity
    from understudy.report.sources import Run as Reported

KINDS = {
    "imitation": "understudy.lab.kinds.imitation",
    "evaluators": "understudy.lab.kinds.evaluators",
    "online": "understudy.lab.kinds.online",
    "values": "understudy.lab.kinds.values",
    "evolution": "understudy.lab.kinds.evolution",
    "offline": "understudy.lab.kinds.offline",
    "labels": "understudy.lab.kinds.labels",
    "series": "understudy.lab.kinds.series",
}
"""Where each kind of experiment says what it does (`KIND`)."""

RECORDED = {"values": "understudy.lab.kinds.valued"}
"""The same of kinds that do something else where an experiment has records."""

COST = "cost.json"
UNPAID = ("judge", "report")
"""Steps that no budget pays for: how well a student is judged must not depend on what is left."""
NOTING = 10.0
"""Seconds between two times of writing down what a step costs: a kill loses no more than that."""


def find_lab(kind: str, *, recorded: bool = False) -> Kind:
    """Return what is done in experiments of a kind, with records or without."""
    lab: Kind = import_module((RECORDED if recorded else {}).get(kind) or KINDS[kind]).KIND
    return lab


def lab_of(experiment: Experiment) -> Kind:
    """Return what is done in an experiment."""
    return find_lab(experiment.about.kind, recorded=has_records(experiment.settings))


def run(experiment: Experiment, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> Path:
    """Do all of an experiment; return its report."""
    with _at_work(experiment, folder, show, backend) as (at_work, lab):
        for step in lab.steps:
            _do(step, at_work)
        _do(Step("report", _write_report), at_work)
        return folder / "report.html"


def watch(experiment: Experiment, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> Records:
    """Watch the teacher of an experiment and keep what it chose; return the records."""
    if lab_of(experiment).steps[0].name != "watch":
        note = f"one of the kind {experiment.about.kind!r} keeps no records"
        raise BadOption(f"experiment {experiment.name!r} has no teacher to watch: {note}")
    from understudy.records.store import load  # whoever keeps no records need not wait for Parquet

    with _at_work(experiment, folder, show, backend) as (at_work, lab):
        _do(lab.steps[0], at_work)
        return load(folder / "records.parquet")


def train(experiment: Experiment, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> None:
    """Do an experiment up to where its students have learned."""
    names = [step.name for step in lab_of(experiment).steps]
    if "learn" not in names:
        raise BadOption(f"nobody learns in experiment {experiment.name!r}: `understudy run` does all of it")
    with _at_work(experiment, folder, show, backend) as (at_work, lab):
        for step in lab.steps[: names.index("learn") + 1]:
            _do(step, at_work)


def judge(experiment: Experiment, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> None:
    """Let the judges of an experiment grade students that have learned."""
    with _at_work(experiment, folder, show, backend) as (at_work, lab):
        for step in lab.steps:
            if step.name == "judge":
                _do(step, at_work)


def check(experiment: Experiment, folder: Path) -> None:
    """Raise if an experiment could not be run in a folder; nothing there changes."""
    check_run(Run(spelled_as_before(experiment, folder), folder), lab_of(experiment))


@contextlib.contextmanager
def _at_work(experiment: Experiment, folder: Path, show: Show, backend: Backend) -> Iterator[tuple[Run[Any], Kind]]:
    """Have the folder of an experiment to oneself, with all that is done in it."""
    lab = lab_of(experiment)
    at_work = Run(spelled_as_before(experiment, folder), folder, show, backend)
    with opened(at_work, lab):
        yield at_work, lab


def _do(step: Step, at_work: Run[Any]) -> None:
    """Do a step, and write down what it costs; one that is stopped has cost something, too."""
    meter, minutes = Meter(at_work, step.name), at_work.experiment.about.core_minutes
    budget = None if minutes is None else Budget(60 * minutes, meter.count_paid)
    try:
        step.do(replace(at_work, show=meter.show, budget=budget))
    finally:
        meter.note()


class Meter:
    """What a step of a run costs, added to what it cost before it was stopped: seconds by the clock and of cores.

    Seconds of other processes count once these have ended; those of workers on other machines never do.
    """

    def __init__(self, at_work: Run[Any], step: str) -> None:
        self.run, self.step, self.lock = at_work, step, threading.Lock()
        with understood(f"the file {str(at_work.folder / COST)!r}"):
            steps = at_work.load(COST).get("steps", {})
            before = steps.get(step, {})
            paid = [cost for name, cost in steps.items() if name not in (step, *UNPAID)]
            self.earlier = sum(float(cost["cpu_seconds"]) for cost in paid)
            self.before = float(before.get("wall_seconds", 0.0)), float(before.get("cpu_seconds", 0.0))
        self.began, self.noted = (time.perf_counter(), _cpu_seconds()), time.perf_counter()

    def count_paid(self) -> float:
        """Return the seconds of cores that this step and those before it took, as far as a budget pays for them."""
        return self.earlier + self.before[1] + _cpu_seconds() - self.began[1]

    def show(self, progress: Progress) -> None:
        """Pass on how far the step is; students that learn side by side all tell it."""
        self.run.show(progress)
        if time.perf_counter() - self.noted > NOTING:
            self.note()

    def note(self) -> None:
        """Write what the step has cost so far."""
        with self.lock:
            spent = time.perf_counter() - self.began[0], _cpu_seconds() - self.began[1]
            wall, cpu = (round(old + new, 2) for old, new in zip(self.before, spent, strict=True))
            steps = self.run.load(COST).get("steps", {}) | {self.step: {"wall_seconds": wall, "cpu_seconds": cpu}}
            made_by = {"understudy": __version__, "commit": find_commit(), "cores": os.cpu_count()}
            self.run.save(COST, {**made_by, "steps": steps})
            self.noted = time.perf_counter()


@cache
def find_commit() -> str | None:
    """Return the commit of the checkout that this code is in; None where it is installed in another way."""
    checkout = Path(__file__).parents[3]
    if not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--abbrev=12"]
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip() or None
    return None


def _cpu_seconds() -> float:
    """Return the time that cores have spent on this process and on those it started that have ended."""
    return sum(os.times()[:4])


def _write_report(at_work: Run[Any]) -> None:
    report(at_work.experiment, at_work.folder)


def report(experiment: Experiment, folder: Path) -> Path:
    """Write the report of whatever the run folder holds."""
    from understudy.report import build_report

    lab = lab_of(experiment)
    return build_report(
        folder, paper=experiment.paper if lab.paper else None, closing=closing_lines(experiment, folder)
    )


def closing_lines(experiment: Experiment, folder: Path) -> list[str]:
    """Return the lines at the end of a report, which play against its students."""
    lab = lab_of(experiment)
    if lab.closing is not None:
        return list(lab.closing(Run(experiment, folder)))
    return [play_command(experiment.about, lab.rival or f"student:{folder}")]


def report_all(folder: Path, output: Path) -> dict[str, dict[str, Any]]:
    """Write one page over all runs in a folder; return the result of each finished run by the name of its folder."""
    from understudy.report import build_overview

    return build_overview(folder, output, _identify)


def _identify(run: Reported) -> Identity:
    """Return the name of a run's experiment, which its folder may not bear, and the first seed of its options."""
    from understudy.lab.experiments import list_experiments, load_experiment
    from understudy.report.overview import Identity

    about = run.experiment.get("experiment", {})
    names = [entry.name for entry in list_experiments() if entry.title and entry.title == about.get("title")]
    name = run.folder.name if run.folder.name in names or not names else names[0]
    try:
        return Identity(name, bool(names), next(_seeds(load_experiment(run.folder / "experiment.toml")), None))
    except UnderstudyError:
        return Identity(name, bool(names), None)


def _seeds(options: Any) -> Iterator[int]:
    """Yield the seeds of options, of those within them, and of the first student's."""
    fields = list(vars(options).values()) if is_dataclass(options) else []
    parts = [part for field in fields for part in (field.values() if isinstance(field, Mapping) else [field])]
    lessons = [field[0] for field in fields if isinstance(field, tuple) and field and is_dataclass(field[0])]
    seed = getattr(options, "seed", None)
    if isinstance(seed, int):
        yield seed
    for part in (*parts, *lessons):
        if is_dataclass(part):
            yield from _seeds(part)


def summary(experiment: Experiment, folder: Path) -> list[str]:
    """Return the few lines that a person looks for first."""
    return lab_of(experiment).summary(Run(experiment, folder))
