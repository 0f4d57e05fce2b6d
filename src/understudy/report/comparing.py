"""Whether a paper's numbers may stand beside those of a run: only if its experiment says so, and is the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from understudy.errors import UnderstudyError
from understudy.games import find_game
from understudy.games.kind import read_size
from understudy.papers import STUDIES, Paper, find_paper

MEASURING = ("experiment", "judging", "paper", "tune")
"""Sections that change how a run is told and measured, not what is."""

CHANCE = ("seed", "repeats", "generations")
"""Settings of another draw, of more draws, and of how long an evolution goes on, which is told beside the paper's."""


USUAL = {"kind": "imitation", "game": "morris"}
"""What an experiment is of where its file does not say."""


class Comparison(NamedTuple):
    """With whom a run may be compared."""

    study: str = ""
    """The paper whose numbers stand beside ours, by its key; empty for none."""
    refusal: str = ""
    """One sentence that says why a paper's numbers do not, where somebody might look for them."""
    reason: str = ""
    """The reason alone, as it follows `because`."""


def comparison_of(experiment: Mapping[str, Any]) -> Comparison:
    """Return with which paper the run of an experiment may be compared."""
    about = about_of(experiment)
    study = str(about.get("study", ""))
    if study not in STUDIES:
        unnamed = "the experiment names no study"
        refusal = f"Published numbers are not set beside ours: {unnamed}."
        return Comparison(refusal=refusal if experiment.get("paper") else "", reason=unnamed)
    paper = find_paper(study)
    if reason := _another(paper, about) or _otherwise(experiment):
        return Comparison(refusal=f"The numbers of {paper.name} are not set beside ours: {reason}.", reason=reason)
    return Comparison(study)


def about_of(experiment: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what an experiment says of itself; nothing where somebody wrote it otherwise."""
    about = experiment.get("experiment")
    return about if isinstance(about, Mapping) else {}


def _otherwise(experiment: Mapping[str, Any]) -> str:
    """Return what keeps a run from being what its experiment's file describes."""
    if is_short(experiment):
        return "this is the short form of the experiment"
    other = [key for key in changed_in(experiment) if not is_harmless(key)]
    are = "is" if len(other) == 1 else "are"
    return f"{' and '.join(other)} {are} not what the experiment's file says" if other else ""


def is_harmless(key: str) -> bool:
    """Tell whether a change of this setting leaves a run comparable."""
    path = key.split(".")
    return path[0] in MEASURING or path[-1] in CHANCE


def is_short(experiment: Mapping[str, Any]) -> bool:
    """Tell whether a run is the short form of its experiment; of before that was written down, by its settings."""
    short = _flat(experiment.get("quick", {}))
    return about_of(experiment).get("quick") is True or (
        bool(short) and all(setting_of(experiment, key) == value for key, value in short.items())
    )


def short_settings(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return what makes the short form short, with the values that are in force."""
    return {key: setting_of(experiment, key) for key in _flat(experiment.get("quick", {}))}


def changed_in(experiment: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that were changed by hand, with the values that are in force."""
    changed = about_of(experiment).get("changed", ())
    return {str(key): setting_of(experiment, str(key)) for key in changed if isinstance(changed, list)}


def setting_of(experiment: Mapping[str, Any], path: str) -> Any:
    """Return a setting by its path, such as `training.games`; None where it is not said."""
    value: Any = experiment
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _flat(table: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(table, Mapping):
        return {path: table}
    return {
        key: value
        for name, part in table.items()
        for key, value in _flat(part, f"{path}.{name}" if path else str(name)).items()
    }


def _another(paper: Paper, about: Mapping[str, Any]) -> str:
    """Return what a run is about if that is not what the paper is about."""
    kind, game = (str(about.get(key, usual)) for key, usual in USUAL.items())
    if kind not in paper.boards:
        return f"they are of the kind {' and '.join(paper.boards)}, and this is of the kind {kind}"
    size = _size(game, str(about.get("size", "")))
    if game == paper.game and size in paper.boards[kind]:
        return ""
    *others, last = map(_written, paper.boards[kind])
    boards = f"{', '.join(others)} or {last}" if others else last
    return f"they are of {paper.game} on {boards}, and this is {game} on {_written(size) if size else 'another board'}"


def _written(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _size(game: str, size: str) -> tuple[int, int] | None:
    """Return the board of a game; None where there is no such game or board."""
    try:
        return find_game(game, read_size(size) if size else None).size
    except UnderstudyError:
        return None
