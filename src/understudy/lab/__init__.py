"""The lab: experiments end to end. A kind of experiment is its options, its steps and the sections of its report.

What learns stays with the driver; the backend is where games are played. Only the kind that is asked for is imported,
so that a study without PyTorch never waits for it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.errors import BadOption
from understudy.lab.run import LOCAL, Kind, Run, Show, keep_quiet, opened, play_command
from understudy.protocols import Backend

KINDS = {
    "imitation": "understudy.lab.kinds.imitation",
    "evaluators": "understudy.lab.kinds.evaluators",
    "online": "understudy.lab.kinds.online",
    "values": "understudy.lab.kinds.values",
    "evolution": "understudy.lab.kinds.evolution",
    "offline": "understudy.lab.kinds.offline",
    "labels": "understudy.lab.kinds.labels",
}
"""Where each kind of experiment says what it does (`KIND`)."""


def find_lab(kind: str) -> Kind:
    """Return what is done in experiments of a kind."""
    lab: Kind = import_module(KINDS[kind]).KIND
    return lab


def run(experiment: Any, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> Path:
    """Do all of an experiment; return its report."""
    at_work = Run(experiment, folder, show, backend)
    lab = find_lab(experiment.about.kind)
    with opened(at_work, lab):
        for step in lab.steps:
            step.do(at_work)
        return report(experiment, folder)


def watch(experiment: Any, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> Any:
    """Watch the teacher of an experiment and keep what it chose; return the records."""
    lab = find_lab(experiment.about.kind)
    if lab.steps[0].name != "watch":
        note = f"one of the kind {experiment.about.kind!r} keeps no records"
        raise BadOption(f"experiment {experiment.name!r} has no teacher to watch: {note}")
    at_work = Run(experiment, folder, show, backend)
    with opened(at_work, lab):
        return lab.steps[0].do(at_work)


def train(experiment: Any, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> None:
    """Do an experiment up to where its students have learned."""
    lab = find_lab(experiment.about.kind)
    names = [step.name for step in lab.steps]
    if "learn" not in names:
        raise BadOption(f"nobody learns in experiment {experiment.name!r}: `understudy run` does all of it")
    at_work = Run(experiment, folder, show, backend)
    with opened(at_work, lab):
        for step in lab.steps[: names.index("learn") + 1]:
            step.do(at_work)


def judge(experiment: Any, folder: Path, *, show: Show = keep_quiet, backend: Backend = LOCAL) -> None:
    """Let the judges of an experiment grade students that have learned."""
    lab = find_lab(experiment.about.kind)
    at_work = Run(experiment, folder, show, backend)
    with opened(at_work, lab):
        for step in lab.steps:
            if step.name == "judge":
                step.do(at_work)


def report(experiment: Any, folder: Path) -> Path:
    """Write the report of whatever the run folder holds."""
    from understudy.report import build_report

    lab = find_lab(experiment.about.kind)
    paper, rival = experiment.paper if lab.paper else None, lab.rival or f"student:{folder}"
    return build_report(folder, paper=paper, closing=[play_command(experiment.about, rival)])


def summary(experiment: Any, folder: Path) -> list[str]:
    """Return the few lines that a person looks for first."""
    return find_lab(experiment.about.kind).summary(Run(experiment, folder))
