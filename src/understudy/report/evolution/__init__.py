"""The sections on evolution: its course, individuals against fixed opponents, fixed players, selection, champions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from understudy.report.blocks import Section
from understudy.report.evolution.course import champions_section, course_section, school_section
from understudy.report.evolution.matches import baselines_section
from understudy.report.evolution.monitored import monitored_section
from understudy.report.evolution.monitors import Monitor, matches_data, monitor_data, monitors_of
from understudy.report.evolution.published import PublishedEvolution
from understudy.report.evolution.selection import Persistence, count_eliminations, find_persisting, selection_section
from understudy.report.evolution.stages import kept_section, seeds_section, stages_section
from understudy.report.sources import Run


@dataclass(frozen=True, kw_only=True)
class Evolution:
    """What a run of evolution holds, with what takes long taken once."""

    run: Run
    monitors: Mapping[str, Sequence[Monitor]]
    """By opponent."""
    persists: Mapping[str, Persistence]
    """By student."""

    @property
    def paper(self) -> PublishedEvolution | None:
        """What may stand beside it."""
        return self.run.beside(PublishedEvolution)


def evolution_of(run: Run) -> Evolution | None:
    """Return the evolution in a run folder, or None where it is a run of another kind."""
    about = run.experiment.get("experiment")
    named = isinstance(about, Mapping) and about.get("kind") == "evolution"
    if not (named or run.generations or run.monitor or run.baselines or run.matches):
        return None
    return Evolution(run=run, monitors=monitors_of(run), persists=find_persisting(run))


def evolution_sections(evolution: Evolution) -> list[Section]:
    """Return the sections that there is something to say in."""
    run, paper = evolution.run, evolution.paper
    sections = [
        school_section(run),
        course_section(run),
        stages_section(run),
        seeds_section(run),
        *(monitored_section(opponent, every, run.baselines, paper) for opponent, every in evolution.monitors.items()),
        baselines_section(run.baselines, evolution.monitors, paper),
        selection_section(run, evolution.persists),
        kept_section(run),
        champions_section(run),
    ]
    return [section for section in sections if section is not None]


def evolution_data(evolution: Evolution) -> dict[str, Any]:
    """Return the statistics as plain data; the single matches stay in the files they came from."""
    run, paper = evolution.run, evolution.paper
    monitor: dict[str, dict[str, Any]] = {}
    for opponent, every in evolution.monitors.items():
        for one in every:
            monitor.setdefault(one.student, {})[opponent] = monitor_data(one)
    data = {
        "monitor": monitor,
        "baselines": {f"{one} v {other}": matches_data(matches) for (one, other), matches in run.baselines.items()},
        "matches": {
            student: {opponent: matches_data(matches) for opponent, matches in opponents.items()}
            for student, opponents in run.matches.items()
        },
        "persistence": {student: one._asdict() for student, one in evolution.persists.items()},
        "eliminations": count_eliminations()._asdict() if evolution.persists and paper is not None else {},
    }
    data |= {paper.key: paper.data()} if paper is not None else {}
    return {name: value for name, value in data.items() if value}
