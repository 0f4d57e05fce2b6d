"""A run folder as a report: `report.html` for people, `report.md` for repositories, `report.json` for programs.

The HTML is one file that needs nothing else. Whatever a run folder lacks is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.errors import FileError, understood
from understudy.files import save_text
from understudy.report.blocks import Section
from understudy.report.boards import samples_section
from understudy.report.comparing import about_of, is_short
from understudy.report.data import data_section
from understudy.report.evaluators import evaluator_sections
from understudy.report.evolution import Evolution, evolution_data, evolution_of, evolution_sections
from understudy.report.findings import Finding
from understudy.report.gathering import gather_findings
from understudy.report.headline import facts_of, headline_section
from understudy.report.labels import label_data, label_sections
from understudy.report.overview import Identify, overview_sections, results_of, survey_runs
from understudy.report.pages import write_html, write_markdown
from understudy.report.pupils import curves_section, errors_sections, games_section, snapshots_section
from understudy.report.sections import done_section, learning_section, play_section
from understudy.report.series import series_sections
from understudy.report.sources import Run, load_run, plain
from understudy.report.trials import trials_section
from understudy.report.verdicts import gaming_section, reliability_section, verdict_sections
from understudy.report.worths import worths_section

__all__ = ["build_overview", "build_report"]

Paper = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Published fractions by section of verdicts, title of a column and measure."""


def build_report(folder: Path, *, paper: Paper | None = None, closing: Sequence[str] = ()) -> Path:
    """Write the three reports of the run in *folder* and return the path of the HTML one.

    *paper* holds numbers to stand beside ours: {section of verdicts: {column title: {measure: fraction}}}; *closing*
    the command lines that play against the result.
    """
    with understood(f"a file of run folder {str(folder)!r}"):
        run = load_run(Path(folder), paper or {})
        evolution = evolution_of(run)
        findings = gather_findings(run)
        sections = report_sections(run, evolution, findings, closing)
        title, facts = title_of(run), facts_of(run)
    if not sections:
        raise FileError(f"run folder {str(folder)!r}: nothing to report, it has no experiment, progress or verdicts")
    save_text(run.folder / "report.md", write_markdown(title, sections, facts))
    data = {"headline": [finding.to_json() for finding in findings]} | run.data()
    data |= (evolution_data(evolution) if evolution is not None else {}) | label_data(run)
    save_text(run.folder / "report.json", json.dumps(plain(data), indent=1, ensure_ascii=False) + "\n")
    page = run.folder / "report.html"
    save_text(page, write_html(title, sections, facts))
    return page


def build_overview(folder: Path, output: Path, identify: Identify) -> dict[str, dict[str, Any]]:
    """Write one page over all runs in *folder* to *output*; return the result of each finished one by its folder."""
    surveyed = survey_runs(folder)
    if not surveyed:
        raise FileError(f"folder {str(folder)!r} holds no runs: there is no experiment.toml one folder below it")
    save_text(output, write_html("Runs", overview_sections(surveyed, output, title_of), [f"{len(surveyed)} runs"]))
    return results_of(surveyed, identify)


def title_of(run: Run) -> str:
    """Return what the experiment calls itself, at the top of its file or in `[experiment]`; else the folder's name.

    A short form says so: it must not pass for the experiment.
    """
    tables = [run.experiment, about_of(run.experiment)]
    named = [str(table[key]) for table in tables for key in ("title", "name") if table.get(key)]
    title = named[0] if named else run.folder.resolve().name
    return f"{title} (quick run)" if is_short(run.experiment) else title


def report_sections(
    run: Run, evolution: Evolution | None, findings: Sequence[Finding], closing: Sequence[str]
) -> list[Section]:
    """Return the sections that the run has something to say in, in the order of reading: options come last."""
    sections: list[Any] = [
        headline_section(run, findings),
        *series_sections(run),
        samples_section(run),
        *label_sections(run),
        learning_section(run) if not run.labels else None,
        curves_section(run),
        snapshots_section(run),
        *errors_sections(run),
        worths_section(run),
        games_section(run) if evolution is None else None,
        *verdict_sections(run),
        reliability_section(run),
        gaming_section(run),
        *evaluator_sections(run),
        *(evolution_sections(evolution) if evolution is not None else []),
        data_section(run),
        trials_section(run),
    ]
    done = done_section(run)
    shown = [section for section in sections if section is not None]
    play = [play_section(closing)] if closing and (shown or done is not None) else []
    return [*shown, *play, *([done] if done is not None else [])]
