"""What all experiment files share: `[experiment]`, variations, and a quick form.

Each `[variations.NAME]` names a student: the experiment with some keys changed. `[quick]` holds the changes that make
an experiment run in minutes. `[paper]` holds published numbers to stand beside ours,
which they do where `[experiment] study` names the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from understudy.config import build, overridden
from understudy.errors import BadOption, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.kind import read_size
from understudy.papers import STUDIES

ABOUT_SECTIONS = ("experiment", "variations", "paper", "quick")

T = TypeVar("T")
Judging = TypeVar("Judging")
Lesson = TypeVar("Lesson")


@dataclass(frozen=True, kw_only=True)
class About:
    """The `[experiment]` section."""

    kind: str = "imitation"
    title: str = ""
    game: str = "morris"
    size: str = ""
    """Such as 6 or 4x6; the game's own if not said."""
    description: str = ""
    study: str = ""
    """The paper that the experiment repeats, such as miller; its numbers then stand beside ours."""

    quick: bool = False
    """Whether this is the short form, written down by `--quick`."""
    changed: tuple[str, ...] = ()
    """Which settings are not those of the file, written down by `--set`."""

    def __post_init__(self) -> None:
        if self.study and self.study not in STUDIES:
            raise UnknownName("experiment.study", self.study, STUDIES)


@dataclass(frozen=True, kw_only=True)
class Study(Generic[Judging, Lesson]):
    """A whole experiment file of a kind with students: how they are judged and how each of them learns."""

    name: str
    about: About
    judging: Judging
    lessons: tuple[Lesson, ...]
    paper: Mapping[str, Any] = field(default_factory=dict)
    """Published numbers to stand beside ours."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def game(self) -> CompiledGame:
        """The game on the experiment's board."""
        return board_of(self.about)


def make_study(
    name: str,
    settings: Mapping[str, Any],
    *,
    sections: Sequence[str],
    judging: type[Judging],
    lesson: Callable[[str, Mapping[str, Any]], Lesson],
) -> Study[Judging, Lesson]:
    """Return the experiment that *settings* describe; *lesson* makes a student's way to learn out of its variation."""
    check_sections(settings, sections)
    return Study(
        name=name,
        about=built(About, settings, "experiment"),
        judging=built(judging, settings, "judging"),
        lessons=tuple(lesson(*varied) for varied in variations(settings)),
        paper=settings.get("paper", {}),
        settings=settings,
    )


def built(kind: type[T], settings: Mapping[str, Any], section: str) -> T:
    """Return a section of an experiment as its dataclass; one that is not there has its defaults."""
    return build(kind, settings.get(section, {}), place=f"[{section}]")


def board_of(about: About) -> CompiledGame:
    """Return the game on the board of an experiment."""
    return find_game(about.game, read_size(about.size, "experiment.size") if about.size else None)


def check_sections(settings: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise unless every section is known and is a table."""
    for section, table in settings.items():
        if section not in known:
            raise UnknownName("section of an experiment", section, known)
        if not isinstance(table, dict):
            raise BadOption(f"{section} = {table!r} must be a section: [{section}] with keys below it")


def variations(settings: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and settings of each student; without variations there is one, called student."""
    base = {name: table for name, table in settings.items() if name != "variations"}
    varied = settings.get("variations", {})
    if not varied:
        return [("student", base)]
    for name in varied:
        if not name.isidentifier():
            raise BadOption(f"[variations.{name}]: a name of letters, digits and _ is needed, not {name!r}")
    return [(name, overridden(base, flattened(changes))) for name, changes in varied.items()]


def flattened(changes: Mapping[str, Any]) -> tuple[str, ...]:
    """Return nested changes one by one, as `--set` takes them."""
    return tuple(f"{key}={json.dumps(value)}" for key, value in _flat(changes, ""))


def noted(
    settings: Mapping[str, Any], changed: dict[str, Any], changes: Sequence[str], *, quick: bool
) -> dict[str, Any]:
    """Return changed settings that say themselves that they are the short form, and what else was changed by hand."""
    about = changed.get("experiment", {})
    keys = [change.partition("=")[0].strip() for change in changes]
    other = [key for key in keys if _found(settings, key) != _found(changed, key)]
    if not isinstance(about, dict) or not (quick or other):
        return changed
    told = {"quick": True} if quick else {}
    known = [*about.get("changed", ()), *other]
    return changed | {"experiment": about | told | ({"changed": list(dict.fromkeys(known))} if known else {})}


def _found(settings: Any, path: str) -> Any:
    """Return a setting, None where it is not said; of files their names, since it does not matter where they lie."""
    for key in path.split("."):
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    is_files = path.endswith(".files") and isinstance(settings, list)
    return [Path(str(file)).name for file in settings] if is_files else settings


def _flat(table: Any, path: str) -> list[tuple[str, Any]]:
    if not isinstance(table, Mapping):
        return [(path, table)]
    return [pair for key, value in table.items() for pair in _flat(value, f"{path}.{key}" if path else key)]


def fingerprint_of(*told: Any) -> str:
    """Return a short name for settings, the same wherever they are the same."""
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def unusual(options: Any) -> dict[str, Any]:
    """Return the options that are not at their default; one that is added later then changes no older training."""
    usual = type(options)()
    return {key: value for key, value in asdict(options).items() if value != getattr(usual, key) and key != "repeats"}
