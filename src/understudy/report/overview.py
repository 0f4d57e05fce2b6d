"""All runs of a folder on one page, and the result of each as JSON: what came out, by which command, at which cost."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from os.path import relpath
from pathlib import Path
from typing import Any, NamedTuple

from understudy.errors import UnderstudyError, understood
from understudy.report.blocks import SPACE, Cell, Section, Table, cells
from understudy.report.comparing import USUAL, about_of, changed_in, is_short
from understudy.report.findings import Finding
from understudy.report.gathering import gather_findings
from understudy.report.headline import headline_section, write_cost
from understudy.report.learned import learned_results
from understudy.report.particulars import particular_results
from understudy.report.series import series_results
from understudy.report.sources import Run, load_run, plain

REPORT = "report.html"

HYPHEN = "\N{NON-BREAKING HYPHEN}"
"""Keeps a date in one line."""


class Told(NamedTuple):
    """A run and the measures of its headline, or why it cannot be read."""

    folder: Path
    run: Run | None
    findings: Sequence[Finding] = ()
    fault: str = ""


class Identity(NamedTuple):
    """What only the lab knows of a run."""

    experiment: str
    """Its name."""
    shipped: bool
    seed: int | None
    """The first that its options come to."""


Identify = Callable[[Run], Identity]


def survey_runs(folder: Path) -> list[Told]:
    """Return the runs that lie in a folder, by name; nothing in them is changed."""
    places = sorted(path.parent for path in folder.glob("*/experiment.toml"))
    return [_tell(place) for place in places]


def _tell(place: Path) -> Told:
    try:
        with understood(f"a file of run folder {str(place)!r}"):
            run = load_run(place, {})
            return Told(place, run, gather_findings(run))
    except UnderstudyError as error:
        return Told(place, None, fault=str(error))


def overview_sections(surveyed: Sequence[Told], output: Path, title_of: Callable[[Run], str]) -> list[Section]:
    """Return a table of all runs, then the headline of each that has one, with links from where the page will lie."""
    rows = [_row(told, output, title_of) for told in surveyed]
    table = Table(cells("run", "title", "study", "game", "took", "date"), tuple(rows), words=True)
    heads = [_headline(told) for told in surveyed]
    return [Section("All runs", (table,)), *(section for section in heads if section is not None)]


def _row(told: Told, output: Path, title_of: Callable[[Run], str]) -> tuple[Cell, ...]:
    page = told.folder / REPORT
    link = Path(relpath(page, output.parent)).as_posix() if page.exists() else ""
    name = Cell(told.folder.name, link=link)
    if told.run is None:
        return name, Cell(told.fault, marked=True), *cells("", "", "", "")
    about = about_of(told.run.experiment)
    game = f"{about.get('game', USUAL['game'])} {about.get('size', '')}".strip().replace("_", " ")
    took, date = write_cost(told.run.cost).replace(" ", SPACE), date_of(told.folder).replace("-", HYPHEN)
    return name, *cells(title_of(told.run), str(about.get("study", "")), game, took, date)


def date_of(folder: Path) -> str:
    """Return the day on which a run last found something out; its reports may be written anew at any time."""
    files = [path for path in folder.glob("*.json*") if not path.name.startswith("report.")]
    last = max((path.stat().st_mtime for path in files), default=0.0)
    return datetime.fromtimestamp(last, UTC).date().isoformat() if last else ""


def _headline(told: Told) -> Section | None:
    section = headline_section(told.run, told.findings) if told.run is not None and told.findings else None
    return section._replace(title=told.folder.name) if section is not None else None


def results_of(surveyed: Iterable[Told], identify: Identify) -> dict[str, dict[str, Any]]:
    """Return the result of every finished run, by the name of its folder."""
    return {
        told.folder.name: write_result(told.run, told.findings, identify(told.run))
        for told in surveyed
        if told.run is not None and told.findings and (told.folder / "report.json").exists()
    }


def write_result(run: Run, findings: Sequence[Finding], identity: Identity) -> dict[str, Any]:
    """Return what came out of a run, and all that it takes to do it again."""
    about = about_of(run.experiment)
    result = {
        "experiment": identity.experiment, "study": about.get("study") or None,
        "kind": about.get("kind", USUAL["kind"]), "game": about.get("game", USUAL["game"]),
        "size": about.get("size") or None, "title": about.get("title", ""), "quick": is_short(run.experiment),
        "changed": changed_in(run.experiment), "command": command_of(run, identity), "seed": identity.seed,
        "cost": run.cost, "version": run.cost.get("understudy"), "commit": run.cost.get("commit"),
        "headline": [finding.to_json() for finding in findings], **series_results(run),
        **learned_results(run), **particular_results(run),
    }  # fmt: skip
    plained: dict[str, Any] = plain(result)
    return plained


def command_of(run: Run, identity: Identity) -> str:
    """Return the line that does the same again; an experiment that does not ship is a file of its name."""
    file = identity.experiment if identity.shipped else f"{identity.experiment}.toml"
    words = ["understudy", "run", file, *(["--quick"] if is_short(run.experiment) else [])]
    for key, value in changed_in(run.experiment).items():
        words += ["--set", f"{key}={_write(value)}"]
    return shlex.join(words)


def _write(value: Any) -> str:
    """Return a setting as `--set` takes it: TOML, with nothing where the key was unset."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_quote, value))}]"
    return str(value)


def _quote(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else _write(value)
