"""The section on a search for better settings: its trials, from the SQLite file that Optuna keeps."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from understudy.report.blocks import Cell, Folded, Section, Table, Text, cells, is_number, number, percent
from understudy.report.sources import Run

SHOWN = 10
"""Trials in the table, the best first."""

VALUES = "SELECT number, state, value FROM trials LEFT JOIN trial_values USING (trial_id) ORDER BY number"
SETTINGS = (
    "SELECT number, param_name, param_value, distribution_json FROM trials JOIN trial_params USING (trial_id) "
    "ORDER BY number, param_id"
)


class Trial(NamedTuple):
    """Some settings and the validation accuracy that they led to; None where the trial was stopped."""

    number: int
    state: str
    accuracy: float | None
    settings: dict[str, Any]


def load_trials(path: Path) -> list[Trial]:
    """Return the trials in a file, in order; none where there is no such file, or it holds something else."""
    if not path.is_file():
        return []
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as file:
            values, settings = file.execute(VALUES).fetchall(), file.execute(SETTINGS).fetchall()
    except sqlite3.Error:
        return []
    trials = {place: Trial(place, str(state).lower(), value, {}) for place, state, value in values}
    for place, name, value, distribution in settings:
        trials[place].settings[name] = _read(value, json.loads(distribution))
    return list(trials.values())


def _read(value: float, distribution: Any) -> Any:
    """Return a setting as it was tried: of a list of choices Optuna keeps the place."""
    choices = distribution.get("attributes", {}).get("choices")
    return choices[int(value)] if choices else value


def trials_section(run: Run) -> Section | None:
    """Tell what a search for better settings has tried, and what was best."""
    trials = load_trials(run.folder / "tune.sqlite")
    if not trials:
        return None
    ended = sorted(
        (trial for trial in trials if trial.accuracy is not None), key=lambda trial: -(trial.accuracy or 0.0)
    )
    text = (
        f"{number(len(trials))} trials, of which {number(len(trials) - len(ended))} were given up early or not ended."
    )
    names = list(dict.fromkeys(name for trial in trials for name in trial.settings))
    rows = tuple(
        (
            Cell(f"trial {trial.number}"),
            Cell(percent(trial.accuracy or 0.0)),
            *cells(*(_write(trial, name) for name in names)),
        )
        for trial in ended[:SHOWN]
    )
    if not rows:
        return Section("Tuning", (Text(text),))
    table = Table(
        cells("", "validation accuracy", *names), rows, "Mean of the best validation accuracies of the networks."
    )
    return Section("Tuning", (Text(text), Folded(f"The best {len(rows)} trials", (table,))))


def _write(trial: Trial, name: str) -> str:
    value = trial.settings.get(name, "")
    return number(value) if is_number(value) else str(value)
