"""The sections on a series: what its grader found, then its cells, each with a way to its own report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from understudy.report.blocks import Cell, Section, Table, cells, lasting
from understudy.report.findings import Finding
from understudy.report.series.growth import growth_findings, growth_results, growth_sections
from understudy.report.series.label_seeds import label_seeds_findings, label_seeds_results, label_seeds_sections
from understudy.report.series.robin import robin_findings, robin_results, robin_sections
from understudy.report.series.seeds import seeds_findings, seeds_results, seeds_sections
from understudy.report.series.truth import truth_findings, truth_results, truth_sections
from understudy.report.sources import Run


class Shown(NamedTuple):
    """How a report shows what a grader found, from `run.graded`."""

    sections: Callable[[Run], Sequence[Section]]
    findings: Callable[[Run], Iterable[Finding]]
    """What of it a headline holds."""
    results: Callable[[Run], dict[str, Any]] = lambda run: {}
    """What of it the results of a run keep besides."""


GRADED = {
    "growth": Shown(growth_sections, growth_findings, growth_results),
    "robin": Shown(robin_sections, robin_findings, robin_results),
    "seeds": Shown(
        lambda run: [*seeds_sections(run), *label_seeds_sections(run)],
        lambda run: [*seeds_findings(run), *label_seeds_findings(run)],
        lambda run: seeds_results(run) | label_seeds_results(run),
    ),
    "truth": Shown(truth_sections, truth_findings, truth_results),
}
"""By the name of the grader."""


def series_sections(run: Run) -> list[Section]:
    """Return the sections of a series; none for any other run."""
    shown = GRADED.get(str(run.graded.get("grade")))
    graded = list(shown.sections(run)) if shown is not None else []
    return [*graded, *([cells_section(run)] if run.series else [])]


def series_findings(run: Run) -> Iterable[Finding]:
    """Return what the grader of a series found, as a headline holds it."""
    shown = GRADED.get(str(run.graded.get("grade")))
    return shown.findings(run) if shown is not None else ()


def series_results(run: Run) -> dict[str, Any]:
    """Return what the results of a series keep besides its headline; nothing of any other run."""
    shown = GRADED.get(str(run.graded.get("grade")))
    kept = shown.results(run) if shown is not None else {}
    return {"graded": kept} if kept else {}


def cells_section(run: Run) -> Section:
    """List the cells that are finished."""
    rows = tuple(_row(name, facts) for name, facts in run.series.items())
    table = Table(cells("cell", "kind", "game", "of cores"), rows, "Each has a report of its own.", words=True)
    return Section("Cells", (table,))


def _row(name: str, facts: Mapping[str, Any]) -> tuple[Cell, ...]:
    game = f"{facts.get('game', '')} {facts.get('size', '')}".strip().replace("_", " ")
    spent = sum(float(step.get("cpu_seconds", 0.0)) for step in facts.get("steps", {}).values())
    return Cell(name, link=f"cells/{name}/report.html"), *cells(str(facts.get("kind", "")), game, lasting(spent))
