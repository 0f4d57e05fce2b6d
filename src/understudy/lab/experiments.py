"""Experiment files as frozen dataclasses: `experiments/NAME.toml`; unknown sections and keys are errors.

`experiment.kind` decides what a file may say and which lab runs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from understudy.config import load_toml, overridden
from understudy.errors import BadOption, UnknownName
from understudy.lab.settings import check_unset, flattened, insisted, noted

KINDS = {
    "imitation": "understudy.lab.options.imitation",
    "evaluators": "understudy.lab.options.evaluators",
    "online": "understudy.lab.options.online",
    "values": "understudy.lab.options.values",
    "evolution": "understudy.lab.options.evolution",
    "offline": "understudy.lab.options.offline",
    "labels": "understudy.lab.options.labels",
}
"""The module of each kind of experiment; only what is needed is imported, so not every study waits for PyTorch."""


def load_experiment(path: Path, changes: tuple[str, ...] = (), *, quick: bool = False) -> Any:
    """Return the experiment of a TOML file with some keys changed; *quick* takes its short form.

    The *changes* are the user's: they win over all that the file says, in its variations and its quick form, too.
    """
    said = load_toml(path)
    check_unset(said, changes)
    settings = insisted(said, changes)
    if quick and not isinstance(settings.get("quick"), dict):
        raise BadOption(f"experiment {str(path)!r} has no quick form: there is no [quick] section in it")
    if quick:
        settings = insisted(overridden(settings, flattened(settings["quick"])), changes)
    settings = noted(said, settings, changes, quick=quick)
    return make_experiment(path.stem + ("_quick" if quick else ""), settings, folder=path.parent)


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Any:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    about = settings.get("experiment", {})
    kind = about.get("kind", "imitation") if isinstance(about, Mapping) else "imitation"
    if kind not in KINDS:
        raise UnknownName("kind of experiment", str(kind), KINDS)
    return import_module(KINDS[kind]).make_experiment(name, settings, folder=folder)
