"""What all experiment files share: `[experiment]`, variations, and a quick form.

Each `[variations.NAME]` names a student: the experiment with some keys changed. `[quick]` holds the changes that make
an experiment run in minutes. `[paper]` holds published numbers to stand beside ours,
which they do where `[experiment] study` names the paper.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from understudy.config import build, check_range, holder_of, overridden, read_change, unset
from understudy.errors import BadOption, UnknownName
from understudy.fetch.sources import locate
from understudy.games import CompiledGame, find_game
from understudy.games.kind import read_rules, read_size
from understudy.lab.cells import SERIES
from understudy.papers import STUDIES

ABOUT_SECTIONS = ("experiment", "variations", "quick")
"""What a file of any kind with students may hold."""

YARDSTICKS = ("teacher q = searcher:evaluator=q,depth=1,ties=random", "random")
"""Who is compared with perfect play beside students, unless a file says otherwise: boards that are solved are Konane's,
and q is the teacher that Thompson (2005) found best there."""

PARTED = ("network", "training")
"""Sections in which a table may change keys for one part of a move."""

T = TypeVar("T")
Judging = TypeVar("Judging")
Lesson = TypeVar("Lesson")


@dataclass(frozen=True, kw_only=True)
class About:
    """The `[experiment]` section."""

    kind: str = "imitation"
    title: str = ""
    game: str = "morris"
    """Of a series the games of its cells, which nobody need say."""
    size: str = ""
    """Such as 6 or 4x6; the game's own if not said."""
    rules: tuple[str, ...] = ()
    """Switches of the game, such as repetition=course."""
    description: str = ""
    study: str = ""
    """The paper that the experiment repeats, such as miller; its numbers then stand beside ours."""
    minutes: float | None = None
    """What the whole of it took, measured on two cores; a list of experiments shows it."""
    quick_minutes: float | None = None
    """And what its short form took."""
    quick: bool = False
    """Whether this is the short form, written down by `--quick`."""
    changed: tuple[str, ...] = ()
    """Which settings are not those of the file, written down by `--set`."""
    core_minutes: float | None = None
    """Minutes of one core that watching and learning may take in all; what is not done by then is left undone."""
    watch_share: float = 0.5
    """The share of them that watching may take."""

    def __post_init__(self) -> None:
        for name in ("minutes", "quick_minutes"):
            check_range(f"experiment.{name}", getattr(self, name), 0, 10**9)
        check_range("experiment.core_minutes", self.core_minutes, 0.001, 100_000)
        check_range("experiment.watch_share", self.watch_share, 0, 1)
        if self.study and self.study not in STUDIES:
            raise UnknownName("experiment.study", self.study, STUDIES)


class Experiment(Protocol):
    """What an experiment of any kind says."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> About: ...
    @property
    def game(self) -> CompiledGame: ...
    @property
    def paper(self) -> Mapping[str, Any]: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...


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
    learning: Sequence[str],
    more: Sequence[str] = (),
    judging: type[Judging],
    lesson: Callable[[str, Mapping[str, Any]], Lesson],
    usual: Mapping[str, Any] | None = None,
) -> Study[Judging, Lesson]:
    """Return the experiment that *settings* describe; *lesson* makes a student's way to learn out of its variation.

    What `[judging]` does not say is *usual*, or else the default. A file may hold the sections about *learning*, which
    variations may change, `[judging]`, and those that are *more*.
    """
    check_sections(settings, (*ABOUT_SECTIONS, *learning, "judging", *more))
    return Study(
        name=name,
        about=built(About, settings, "experiment"),
        judging=built(judging, settings, "judging", usual=usual),
        lessons=tuple(lesson(*varied) for varied in variations(settings, learning)),
        paper=settings.get("paper", {}),
        settings=settings,
    )


def built(
    options: type[T],
    settings: Mapping[str, Any],
    section: str,
    *,
    usual: Mapping[str, Any] | None = None,
    read: Collection[str] | None = None,
) -> T:
    """Return a section of an experiment as its dataclass; what it does not say is *usual*, or else the default.

    Where several kinds share a dataclass, *read* names the options that this kind reads; to say others is an error.
    """
    table = settings.get(section, {})
    made = build(options, {**(usual or {}), **table}, place=f"[{section}]")
    idle = [key for key in table if read is not None and key not in read]
    if idle:
        kind = settings["experiment"]["kind"]
        raise BadOption(f"{section}.{idle[0]} = {table[idle[0]]!r}: experiments of the kind {kind!r} never read it")
    return made


def board_of(about: About) -> CompiledGame:
    """Return the game on the board of an experiment."""
    size = read_size(about.size, "experiment.size") if about.size else None
    return find_game(about.game, size, read_rules(about.rules, "experiment.rules"))


def has_records(settings: Mapping[str, Any]) -> bool:
    """Tell whether an experiment keeps records: it watches a teacher, or names files."""
    return "watch" in settings or "records" in settings


def same_board(settings: Mapping[str, Any]) -> Any:
    """Return an experiment's kind, game and board, however the size is written; its budget and switches, if any."""
    about = settings.get("experiment", {})
    kind, game, size = (str(about.get(key, getattr(About, key))) for key in ("kind", "game", "size"))
    if kind == SERIES:  # its cells have boards
        return (kind,)
    budget = [about["core_minutes"]] if "core_minutes" in about else []
    rules = [tuple(about["rules"])] if about.get("rules") else []
    return kind, game, read_size(size, "experiment.size") if size else find_game(game).size, *budget, *rules


def check_sections(settings: Mapping[str, Any], names: Sequence[str], place: str = "an experiment") -> None:
    """Raise unless every section has one of these names and is a table."""
    for section, table in settings.items():
        if section not in names:
            raise UnknownName(f"section of {place}", section, names)
        if not isinstance(table, dict):
            raise BadOption(f"{section} = {table!r} must be a section: [{section}] with keys below it")


def check_shares(paper: Mapping[str, Any]) -> None:
    """Raise unless `[paper]` tells for each student what it won against whom, as a report shows it beside ours."""
    for student, numbers in paper.items():
        if not isinstance(numbers, Mapping) or not all(isinstance(one, int | float) for one in numbers.values()):
            raise BadOption(f"[paper.{student}] must hold a share of games won for each opponent")


def read_yardsticks(texts: Sequence[str]) -> dict[str, str]:
    """Return the players that stand beside students, by what they are called: `NAME = PLAYER`, or the player alone."""
    parts = [text.partition(" = ") for text in texts]
    return {name.strip(): (player or name).strip() for name, _, player in parts}


def variations(settings: Mapping[str, Any], learning: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and settings of each student; without variations there is one, called student.

    They may differ in sections about *learning* alone: what is judged, and how, is the same for all.
    """
    base = {name: table for name, table in settings.items() if name != "variations"}
    varied = settings.get("variations", {})
    if not varied:
        return [("student", base)]
    for name, changes in varied.items():
        if not name.isidentifier():
            raise BadOption(f"[variations.{name}]: a name of letters, digits and _ is needed, not {name!r}")
        if not isinstance(changes, dict):
            raise BadOption(
                f"variations.{name} = {changes!r} must be a section: [variations.{name}] with keys below it"
            )
        check_sections(changes, learning, f"[variations.{name}]")
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
    other = [key for key in keys if _setting(settings, key) != _setting(changed, key)]
    if not isinstance(about, dict) or not (quick or other):
        return changed
    form = {"quick": True} if quick else {}
    differing = list(dict.fromkeys([*about.get("changed", ()), *other]))
    return changed | {"experiment": about | form | ({"changed": differing} if differing else {})}


def _setting(settings: Any, path: str) -> Any:
    """Return a setting, None where it is not said; of files their names, since it does not matter where they lie."""
    for key in path.split("."):
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    is_files = path.endswith(".files") and isinstance(settings, list)
    return [locate(str(file), Path()).name for file in settings] if is_files else settings


def _flat(table: Any, path: str) -> list[tuple[str, Any]]:
    if not isinstance(table, Mapping):
        return [(path, table)]
    return [pair for key, value in table.items() for pair in _flat(value, f"{path}.{key}" if path else key)]


def insisted(settings: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """Return *settings* with what a user insists on: no variation, part of a move or trial of `[tune]` changes it."""
    result = deepcopy(dict(settings))
    for change in changes:
        for table, path in _places(result, read_change(change)[0]):
            if table is not result:
                unset(table, path)
    return overridden(result, tuple(changes))


def check_unset(settings: Mapping[str, Any], changes: Sequence[str]) -> None:
    """Raise if a change unsets what the file says nowhere, its quick form included: it may be misspelt."""
    for change in changes:
        path, text = read_change(change)
        places = (*_places(settings, path), *_places(settings.get("quick", {}), path))
        if not text and not any(holder_of(*place) for place in places):
            raise BadOption(f"--set {change.strip()}: there is nothing to unset, the experiment does not say it")


def _places(settings: Any, path: Sequence[str]) -> Iterator[tuple[Any, Sequence[str]]]:
    """Yield where a key may be set: in the file itself, its variations and trials; in each, for a part of a move."""
    varied = [settings.get("tune"), *_tables(settings.get("variations"))] if isinstance(settings, dict) else []
    for table in (settings, *varied):
        yield table, path
        if isinstance(table, dict) and path[0] in PARTED and len(path) == 2:
            yield from ((part, path[1:]) for part in _tables(table.get(path[0])))


def _tables(table: Any) -> list[Any]:
    return [value for value in table.values() if isinstance(value, dict)] if isinstance(table, dict) else []


def fingerprint_of(*settings: Any) -> str:
    """Return a short name for settings, the same wherever they are the same.

    Sixteen digits are 64 bits: two of a million trainings share a name with a chance of one in thirty million.
    """
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def unusual(options: Any) -> dict[str, Any]:
    """Return the options that are not at their default; one that is added later then changes no older training."""
    usual = type(options)()
    return {key: value for key, value in asdict(options).items() if value != getattr(usual, key) and key != "repeats"}
