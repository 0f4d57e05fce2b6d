"""Run folders as a page shows them: all of them in a list, one with its curves, its glimpses and its students.

A run may be at work, killed while it wrote, or changed by hand: whatever cannot be read is told in one sentence, and
the rest is shown. Names come from strangers: nothing outside the folder of runs is ever opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from understudy.config import load_toml
from understudy.errors import UnderstudyError
from understudy.files import load_json
from understudy.games import CompiledGame, find_game
from understudy.games.kind import read_size
from understudy.lab.cells import SERIES
from understudy.lab.settings import About
from understudy.locks import is_locked
from understudy.players.generations import list_generations
from understudy.players.student_files import SUFFIXES
from understudy.report.comparing import about_of
from understudy.serve.curves import draw_curves, read_lines
from understudy.serve.frames import show_glimpses
from understudy.serve.hall import Absent
from understudy.serve.lab_answers import RunPlayer, RunRow, RunView, SeenStudent, Task
from understudy.serve.players import RUNS, is_run

PAGE = "page"
"""The folder within a run in which a page keeps how it was started, its progress and what it printed."""
STARTED, PROGRESS, LOG = "started.json", "progress.json", "log.txt"
UNFINISHED = "unfinished"
"""What a student is called that was written while it still learned."""
MOST = 500
"""Runs that are listed, the newest first."""
SMALL = 40
"""Points of a small picture."""
LONGEST = 200_000
"""Letters of an experiment that are shown."""


@dataclass(frozen=True)
class Job:
    """What a server knows of a run that it started itself."""

    state: str
    error: str | None = None


@dataclass(frozen=True)
class Folder:
    """A run folder, read as far as it can be."""

    path: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None

    @property
    def about(self) -> Mapping[str, Any]:
        """The `[experiment]` section, with defaults."""
        usual = {"kind": About.kind, "game": About.game, "title": "", "size": ""}
        said = {key: value for key, value in about_of(self.settings).items() if isinstance(value, str)}
        return usual | said

    @property
    def game(self) -> CompiledGame:
        """The game on the experiment's board."""
        size = self.about["size"]
        return find_game(self.about["game"], read_size(size, "experiment.size") if size else None)


def find_run(runs: Path, name: str) -> Path:
    """Return the folder of a run; whatever is no direct child of the folder of runs is refused."""
    if not is_run(runs, name):
        raise Absent(f"there is no run {name!r} in {str(runs)!r}")
    return runs / name


def list_runs(runs: Path, jobs: Mapping[str, Job] | None = None) -> list[RunRow]:
    """Return all runs of a folder, the newest first."""
    rows = [_make_row(_open(path), (jobs or {}).get(path.name)) for path in _list_folders(runs)]
    return sorted(rows, key=lambda row: row.updated, reverse=True)[:MOST]


def _list_folders(runs: Path) -> Iterator[Path]:
    """Yield what looks like a run: a folder that says what its experiment is."""
    for path in sorted(runs.iterdir()) if runs.is_dir() else ():
        if is_run(runs, path.name) and (path / "experiment.toml").exists():
            yield path


def describe_run(runs: Path, name: str, job: Job | None = None) -> RunView:
    """Return all that a page shows of a run."""
    folder = _open(find_run(runs, name))
    row = _make_row(folder, job)
    curves = draw_curves(folder.path, folder.settings)
    fields = {key: getattr(row, key) for key in row.__struct_fields__}
    return RunView(
        **fields, tasks=_list_tasks(folder), toml=_read_toml(folder.path), curves=curves,
        glimpses=_show_glimpses(folder), players=_list_players(folder), can=_list_requests(folder, row.state),
        command=_write_command(folder),
    )  # fmt: skip


def _open(path: Path) -> Folder:
    try:
        settings = load_toml(path / "experiment.toml")
        folder = Folder(path, settings)
        if folder.about["kind"] != SERIES:  # which has several games, and tells of its cells in its report
            folder.game  # noqa: B018 (a game or a board that there is not is told now)
        return folder
    except UnderstudyError as error:
        return Folder(path, error=str(error))


def _make_row(folder: Folder, job: Job | None) -> RunRow:
    about, tasks = folder.about, _list_tasks(folder)
    state = find_state(folder.path, job)
    doing = next((task for task in reversed(tasks) if task.done < 1.0), tasks[-1] if tasks else None)
    players, updated = _list_players(folder), _find_updated(folder.path)
    return RunRow(
        name=folder.path.name, title=about["title"] or folder.path.name, kind=about["kind"], game=about["game"],
        size=about["size"], state=state, done=1.0 if state == "done" else doing.done if doing else 0.0,
        note=f"{doing.task}: {doing.note}".strip(" :") if doing and state != "done" else "",
        updated=updated, student=players[0].player if players else None,
        report=(folder.path / "report.html").is_file(), error=folder.error or (job.error if job else None),
        curve=_draw_small(folder.path, updated),
    )  # fmt: skip


def find_state(path: Path, job: Job | None) -> str:
    """Return whether a run is running, waiting, paused, done or stopped, whoever started it."""
    if job is not None and job.state in ("running", "waiting"):
        return job.state
    if job is None and is_locked(path):
        return "running"
    if (path / "report.html").is_file() and not (job and job.error):
        return "done"
    return "paused" if (path / PAGE / STARTED).is_file() and not (job and job.error) else "stopped"


def _find_updated(path: Path) -> str:
    """Return when something in a run folder was last written."""
    stamps = [path.stat().st_mtime]
    with os.scandir(path) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):  # files that are being written get their names by renaming
                if not entry.is_dir():
                    stamps.append(entry.stat(follow_symlinks=False).st_mtime)
    return datetime.fromtimestamp(max(stamps), UTC).isoformat(timespec="seconds")


def _list_tasks(folder: Folder) -> list[Task]:
    """Return how far each part of a run is: as it tells a page, or as its journal has it."""
    told = _load(folder.path / PAGE / PROGRESS).get("tasks")
    tasks = [task for task in told if isinstance(task, dict)] if isinstance(told, list) else []
    if tasks:
        return [Task(task=str(task.get("task", "")), done=_share(task.get("done")), note=str(task.get("note", "")))
                for task in tasks]  # fmt: skip
    rows = read_lines(folder.path / "progress.jsonl")
    last = {f"{row.get('student')}: learning {row.get('network')}": row for row in rows}
    return [Task(task=name, done=_share(row.get("done")), note=f"epoch {row.get('epoch', 0) + 1}")
            for name, row in last.items() if isinstance(row.get("epoch", 0), int)]  # fmt: skip


def _share(value: Any) -> float:
    return min(max(float(value), 0.0), 1.0) if isinstance(value, int | float) else 0.0


def _load(path: Path) -> dict[str, Any]:
    """Return a table of a file; nothing where there is none that can be read."""
    try:
        table = load_json(path) if path.exists() else {}
    except UnderstudyError:
        return {}
    return table if isinstance(table, dict) else {}


@lru_cache(maxsize=2 * MOST)
def _draw_small(path: Path, updated: str) -> list[list[float]]:
    """Return the longest line of the first chart in few points; drawn again when the folder is *updated*."""
    curves = draw_curves(path, _open(path).settings, most=1)
    lines = [line.points for curve in curves[:1] for line in curve.lines]
    points = max(lines, key=len, default=[])
    step = max(1, len(points) // SMALL)
    return points[::step]


def _read_toml(path: Path) -> str:
    try:
        return (path / "experiment.toml").read_text(encoding="utf-8", errors="replace")[:LONGEST]
    except OSError:
        return ""


def _show_glimpses(folder: Folder) -> list[SeenStudent]:
    try:
        return [] if folder.error else show_glimpses(folder.path, folder.game)
    except UnderstudyError:
        return []


def _list_players(folder: Folder) -> list[RunPlayer]:
    """Return the students of a run that can be played: the one it is known for first."""
    base, kept = f"student:{RUNS}{folder.path.name}", list_generations(folder.path)
    check = ",check=legal" if folder.about["kind"] == "imitation" else ""
    names = _list_student_files(folder.path)
    players = []
    for name in names:
        order = f",order={name}" if name else ""
        own = kept.get(name) or (next(iter(kept.values())) if len(kept) == 1 else [])
        title = {"": "the run's student", UNFINISHED: "its student while it learned"}.get(name, name)
        players.append(RunPlayer(player=f"{base}{order}{check}", title=title, generations=own))
    if not names:  # an evolution under way has champions before it has a student
        players = [RunPlayer(player=f"{base},order={name},generation={own[-1]}", title=name, generations=own)
                   for name, own in kept.items()]  # fmt: skip
    return players


def _list_student_files(path: Path) -> list[str]:
    """Return the names of students that a run has written, the best one's being empty; an unfinished one only alone."""
    stems = sorted({file.stem for suffix in SUFFIXES for file in path.glob(f"student*{suffix}")})
    names = [stem.removeprefix("student").removeprefix("_") for stem in stems if stem == "student" or stem[7:8] == "_"]
    return [name for name in names if name != UNFINISHED or "" not in names]


def _list_requests(folder: Folder, state: str) -> list[str]:
    """Return what may be asked of a run: only one that a page started can be stopped and gone on with by a page."""
    ours = (folder.path / PAGE / STARTED).is_file()
    requests = ["pause"] if ours and state in ("running", "waiting") else []
    requests += ["go"] if ours and state in ("paused", "stopped") else []
    learning = folder.about["kind"] == "imitation" and any(folder.path.glob("checkpoints/*.safetensors"))
    unwritten = not any((folder.path / f"student{suffix}").is_file() for suffix in SUFFIXES)
    return [*requests, *(["student"] if learning and unwritten else [])]


def _write_command(folder: Folder) -> str:
    """Return the line that goes on with a run in a terminal."""
    started = _load(folder.path / PAGE / STARTED)
    if not started.get("experiment"):
        return f"understudy run {folder.path / 'experiment.toml'} --run {folder.path}"
    changes = "".join(f" --set {change}" for change in started.get("changes", ()))
    quick = " --quick" if started.get("quick") else ""
    return f"understudy run {started['experiment']}{quick}{changes} --run {folder.path}"


def find_report(runs: Path, name: str) -> Path:
    """Return the report of a run."""
    path = find_run(runs, name) / "report.html"
    if not path.is_file():
        raise Absent(f"run {name!r} has no report yet: it is written at the end")
    return path
