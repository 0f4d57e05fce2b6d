"""A run folder as a report: `report.html` for people, `report.md` for repositories, `report.json` for programs.

The HTML is one file that needs nothing else. Whatever a run folder lacks is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.errors import FileError
from understudy.files import save_text
from understudy.report.blocks import Section
from understudy.report.comparing import about_of, is_short
from understudy.report.evaluators import evaluator_sections
from understudy.report.evolution import Evolution, evolution_data, evolution_of, evolution_sections
from understudy.report.labels import label_data, label_sections
from understudy.report.pages import write_html, write_markdown
from understudy.report.pupils import curves_section, errors_sections, games_section, snapshots_section
from understudy.report.sections import data_section, done_section, learning_section, play_section
from understudy.report.sources import Run, load_run, plain
from understudy.report.verdicts import gaming_section, reliability_section, verdict_sections

__all__ = ["build_report"]

Paper = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Published fractions by section of verdicts, title of a column and measure."""


def build_report(folder: Path, *, paper: Paper | None = None, closing: Sequence[str] = ()) -> Path:
    """Write the three reports of the run in *folder* and return the path of the HTML one.

    *paper* holds numbers to stand beside ours: {section of verdicts: {column title: {measure: fraction}}}; *closing*
    the command lines that play against the result.
    """
    run = load_run(Path(folder), paper or {})
    evolution = evolution_of(run)
    sections = report_sections(run, evolution, closing)
    if not sections:
        raise FileError(f"run folder {str(folder)!r}: nothing to report, it has no experiment, progress or verdicts")
    title = _title(run)
    save_text(run.folder / "report.md", write_markdown(title, sections))
    data = run.data() | (evolution_data(evolution) if evolution is not None else {}) | label_data(run)
    save_text(run.folder / "report.json", json.dumps(plain(data), indent=1, ensure_ascii=False) + "\n")
    page = run.folder / "report.html"
    save_text(page, write_html(title, sections))
    return page


def _title(run: Run) -> str:
    """Return what the experiment calls itself, at the top of its file or in `[experiment]`; else the folder's name.

    A short form says so: it must not pass for the experiment.
    """
    tables = [run.experiment, about_of(run.experiment)]
    named = [str(table[key]) for table in tables for key in ("title", "name") if table.get(key)]
    title = named[0] if named else run.folder.resolve().name
    return f"{title} (quick run)" if is_short(run.experiment) else title


def report_sections(run: Run, evolution: Evolution | None, closing: Sequence[str]) -> list[Section]:
    """Return the sections that the run has something to say in, in the order of reading."""
    sections: list[Any] = [
        done_section(run),
        data_section(run),
        *label_sections(run),
        learning_section(run) if not run.labels else None,
        curves_section(run),
        snapshots_section(run),
        *errors_sections(run),
        games_section(run) if evolution is None else None,
        *verdict_sections(run),
        reliability_section(run),
        gaming_section(run),
        *evaluator_sections(run),
        *(evolution_sections(evolution) if evolution is not None else []),
    ]
    shown = [section for section in sections if section is not None]
    return [*shown, play_section(closing)] if shown and closing else shown
