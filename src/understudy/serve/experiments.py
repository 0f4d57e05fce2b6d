"""Experiments that ship, as a page offers them, and the few settings of them that a page may change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from understudy.config import load_toml, overridden
from understudy.errors import BadOption, UnknownName
from understudy.lab.experiments import Listed, list_experiments, shipped
from understudy.lab.settings import About, flattened, has_records
from understudy.report.comparing import setting_of
from understudy.serve.lab_answers import ExperimentRow, Knob


class Range(NamedTuple):
    """What a page may make of a setting: whole numbers that keep a training within hours on a small machine."""

    about: str
    least: int
    most: int


SEEDS = Range("all chance comes from it", 0, 1_000_000)
HARMLESS = {
    "watch.regular": Range("games of the teacher that are watched", 10, 5_000),
    "watch.custom": Range("games of the teacher from unequal starts", 0, 5_000),
    "watch.random": Range("games of the teacher from random starts", 0, 5_000),
    "watch.seed": SEEDS,
    "training.epochs": Range("how often a student sees all that it learns from", 1, 200),
    "training.games": Range("games that a pupil learns from", 200, 1_000_000),
    "training.cycles": Range("how often a network sees its sample", 1, 500),
    "training.seed": SEEDS,
    "trainer.generations": Range("generations of an evolution", 0, 200),
    "trainer.population": Range("networks in a generation", 4, 64),
    "trainer.seed": SEEDS,
    "examples.boards": Range("boards that are solved to learn from", 100, 300_000),
    "judging.games": Range("games that judge a student", 0, 10_000),
}
"""Settings that a page may change; with trust all may be changed."""
KNOBS = {
    "imitation": ("watch.regular", "watch.random", "watch.custom", "training.epochs", "training.seed"),
    "values": ("watch.regular", "examples.boards", "training.epochs", "training.seed"),
    "online": ("training.games", "training.seed"),
    "evolution": ("trainer.generations", "trainer.population", "trainer.seed"),
    "offline": ("training.cycles",),
    "labels": ("training.epochs",),
}
"""Those that an experiment of a kind reads, in the order in which they are offered."""


def check_changes(changes: Mapping[str, Any], *, trust: bool) -> tuple[str, ...]:
    """Return changes as `--set` takes them; those that a page may not make are refused."""
    for key, value in changes.items():
        if trust and isinstance(value, str | int | float | bool):
            continue
        if key not in HARMLESS:
            raise UnknownName("setting that a page may change", key, HARMLESS)
        least, most = HARMLESS[key].least, HARMLESS[key].most
        if type(value) is not int or not least <= value <= most:
            raise BadOption(f"{key} must be a whole number from {least} to {most}, not {value!r}")
    return flattened(changes)


@lru_cache(maxsize=1)
def _read_all() -> dict[str, dict[str, Any]]:
    return {name: load_toml(path) for name, path in shipped().items()}


def list_offers() -> list[ExperimentRow]:
    """Return all experiments that ship, with what may be changed of each."""
    return [_describe(listed, _read_all()[listed.name]) for listed in list_experiments()]


def _describe(listed: Listed, settings: Mapping[str, Any]) -> ExperimentRow:
    about = settings.get("experiment", {})
    kind = str(about.get("kind", About.kind))
    short = overridden(settings, flattened(settings["quick"])) if listed.quick else settings
    knobs = [_make_knob(key, short, settings) for key in KNOBS.get(kind, ()) if _reads(key, settings)]
    description = " ".join(str(about.get("description", "")).split())
    return ExperimentRow(
        name=listed.name, title=listed.title, study=listed.study, kind=kind, game=listed.game,
        size=str(about.get("size", "")), description=description, quick=listed.quick,
        quick_minutes=listed.quick_minutes, minutes=listed.minutes, data=listed.data, ready=listed.ready, knobs=knobs,
    )  # fmt: skip


def _reads(key: str, settings: Mapping[str, Any]) -> bool:
    """Tell whether an experiment reads a setting: one that watches nobody has no games of a teacher, but boards."""
    if key == "examples.boards":
        return not has_records(settings)
    return not key.startswith("watch.") or "watch" in settings


def _make_knob(key: str, short: Mapping[str, Any], whole: Mapping[str, Any]) -> Knob:
    bounds = HARMLESS[key]
    value, usual = (_read_number(setting_of(settings, key)) for settings in (short, whole))
    return Knob(key=key, about=bounds.about, value=value, whole=usual, least=bounds.least, most=bounds.most)


def _read_number(value: Any) -> int | None:
    return value if type(value) is int else None
