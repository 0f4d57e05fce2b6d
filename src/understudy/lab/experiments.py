"""Experiments: files of TOML as frozen dataclasses, and those that ship, by name.

`experiment.kind` decides what a file may say and which lab runs it; unknown sections and keys are errors. The
experiments of the studies ship with the package and are named, not pathed: `understudy run konane_4x4`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from understudy.config import load_toml, overridden
from understudy.errors import BadOption, UnknownName
from understudy.fetch.sources import STUDIES, locate
from understudy.files import DATA
from understudy.lab.cells import SERIES, expand_cells, games_of
from understudy.lab.settings import Experiment, check_unset, flattened, has_records, insisted, noted

KINDS = {
    "imitation": "understudy.lab.options.imitation",
    "evaluators": "understudy.lab.kinds.evaluators",
    "online": "understudy.lab.options.online",
    "values": "understudy.lab.options.values",
    "evolution": "understudy.lab.options.evolution",
    "offline": "understudy.lab.options.offline",
    "labels": "understudy.lab.options.labels",
    SERIES: "understudy.lab.options.series",
}
"""The options of each kind of experiment; only what is needed is imported, so not every study waits for PyTorch."""

RECORDED = {"values": "understudy.lab.options.valued"}
"""The same of kinds that have other options where an experiment has records."""


BUDGETED = ("imitation", "online", "values", "evolution")
"""Kinds whose students learn until `experiment.core_minutes` are used up."""


class Listed(NamedTuple):
    """An experiment that ships, as a list shows it."""

    name: str
    study: str
    game: str
    title: str
    minutes: float | None
    """What the whole of it took, measured on two cores; None if nobody has measured it."""
    quick_minutes: float | None
    """And what its short form took."""
    data: list[str]
    """Files that it needs and does not make itself."""
    ready: bool
    """Whether they are there."""
    quick: bool
    """Whether it has a short form."""


def shipped() -> dict[str, Path]:
    """Return the experiments that ship, by name, those of one study together."""
    return {path.stem: path for path in sorted(STUDIES.glob("*/experiments/*.toml"))}


def list_experiments() -> Iterator[Listed]:
    """Yield the experiments that ship."""
    for name, path in shipped().items():
        settings = load_toml(path)
        about, files = settings.get("experiment", {}), list(files_of(settings))
        yield Listed(
            name=name,
            study=path.parents[1].name,
            game=games_of(settings),
            title=about.get("title", ""),
            minutes=about.get("minutes"),
            quick_minutes=about.get("quick_minutes"),
            data=[file.removeprefix(DATA) for file in files],
            ready=all(locate(file, Path()).exists() for file in files),
            quick="quick" in settings,
        )


def files_of(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that an experiment names: what is learned from, who is corrected, and positions to judge by."""
    if settings.get("experiment", {}).get("kind") == SERIES:
        yield from dict.fromkeys(file for cell in expand_cells(settings).values() for file in files_of(cell))
        return
    for section in ("records", "positions"):
        yield from settings.get(section, {}).get("files", ())
    apprentice = settings.get("watch", {}).get("apprentice", "").partition(",")[0].removeprefix("student:")
    if "/" in apprentice:  # the folder of a run; students that ship have plain names
        yield apprentice
    states = settings.get("judging", {}).get("states", "")
    if states and states != "generate":
        yield states


def find_experiment(text: str) -> Path:
    """Return the file that *text* names: the path of a file, or else an experiment that ships."""
    path, named = Path(text), shipped()
    if path.is_file() or path.suffix == ".toml" or text not in named:
        if not path.is_file() and path.suffix != ".toml":
            raise UnknownName("experiment or file", text, named)
        return path
    return named[text]


def load_experiment(path: Path, changes: tuple[str, ...] = (), *, quick: bool = False) -> Experiment:
    """Return the experiment of a TOML file with some keys changed; *quick* takes its short form.

    The *changes* are the user's: they win over all that the file says, in its variations and its quick form, too.
    """
    written = load_toml(path)
    check_unset(written, changes)
    settings = insisted(written, changes)
    if quick and not isinstance(settings.get("quick"), dict):
        raise BadOption(f"experiment {str(path)!r} has no quick form: there is no [quick] section in it")
    if quick:
        settings = insisted(overridden(settings, flattened(settings["quick"])), changes)
    settings = noted(written, settings, changes, quick=quick)
    # What ships lies where nobody keeps files: there names are relative to where one works.
    folder = Path() if STUDIES in path.resolve().parents else path.parent
    return make_experiment(path.stem + ("_quick" if quick else ""), settings, folder=folder)


def make_experiment(name: str, settings: Mapping[str, Any], *, folder: Path) -> Experiment:
    """Return the experiment that *settings* describe; every key is checked here, before anything runs."""
    about = settings.get("experiment", {})
    kind = about.get("kind", "imitation") if isinstance(about, Mapping) else "imitation"
    if kind not in KINDS:
        raise UnknownName("kind of experiment", str(kind), KINDS)
    if "core_minutes" in about and kind not in BUDGETED:
        raise BadOption(f"experiment.core_minutes: experiments of the kind {kind!r} never read it")
    place = (RECORDED if has_records(settings) else {}).get(kind) or KINDS[kind]
    experiment: Experiment = import_module(place).make_experiment(name, settings, folder=folder)
    return experiment
