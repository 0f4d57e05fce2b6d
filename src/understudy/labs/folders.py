"""Run folders, as all labs treat them: opened for one experiment, ending with a student to play against."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from understudy.config import load_toml, write_toml
from understudy.errors import BadOption
from understudy.experiments.files import About
from understudy.files import make_folder, save_file, save_text

Identity = Callable[[Mapping[str, Any]], Any]
"""From the settings of an experiment to what must not change in a run folder."""


class Made(NamedTuple):
    """What a run folder holds already, and the settings that it was made with."""

    what: str
    found: Any
    """The fingerprint of those settings."""
    wanted: Any
    """And of the settings now."""
    how: str = "was trained"


def open_folder(
    experiment: Any, folder: Path, *, identity: Identity, made: Iterable[Made] = (), holds: str = ""
) -> None:
    """Make the run folder, or check that it belongs to the same experiment; *holds* says what it would mix up.

    All that would be refused is refused here, before a byte of the folder changes: what was *made* with other settings.
    """
    path = folder / "experiment.toml"
    if path.exists() and identity(load_toml(path)) != identity(experiment.settings):
        raise BadOption(
            f"run folder {str(folder)!r} holds {holds}another experiment than {experiment.name!r} is now; "
            "name another with --run, or delete it"
        )
    check_made(made)
    make_folder(folder)
    save_text(path, write_toml(experiment.settings))


def check_made(made: Iterable[Made]) -> None:
    """Raise if something was made with other settings than now."""
    for one in made:
        if one.found != one.wanted:
            raise BadOption(f"{one.what} {one.how} with other settings than now; name another --run, or delete it")


def same_board(settings: Mapping[str, Any]) -> Any:
    """Return the kind of an experiment, its game and its board."""
    about = settings.get("experiment", {})
    return tuple(about.get(key) for key in ("kind", "game", "size"))


def keep_student(folder: Path, name: str, *, suffix: str = "onnx") -> None:
    """Make the student called *name* the one that the run is known for."""
    chosen = folder / f"student_{name}.{suffix}"
    save_file(folder / f"student.{suffix}", lambda partial: shutil.copyfile(chosen, partial))


def play_command(about: About, player: str) -> str:
    """Return the line that plays against *player* on the board of an experiment."""
    size = f" --size {about.size}" if about.size else ""
    return f"understudy play {about.game}{size} --opponent {player}"
