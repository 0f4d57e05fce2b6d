"""Run folders, as all labs treat them: opened for one experiment, ending with a student to play against."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from understudy.config import load_toml, write_toml
from understudy.errors import BadOption
from understudy.files import make_folder, save_file, save_text
from understudy.lab.settings import About
from understudy.players.names import PLAIN, plain_name, split_options

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


FORMER = {
    "online": re.compile(r'(?<=")searcher(?::[\w=,]+)?(?=(?: as first| as second)?")'),
    "offline": re.compile(r'(?<=^opponent = ")searcher(?::[\w=,]+)?(?=")', re.MULTILINE),
}
"""Names in run folders of these kinds that meant plain minimax when they did not say so."""


def rename_players(folder: Path) -> str:
    """Let the names in a run folder say plain minimax where they always meant it; return what was done, if anything."""
    about = load_toml(folder / "experiment.toml").get("experiment", {})
    kind = str(about.get("kind")) if isinstance(about, Mapping) else ""
    if kind not in FORMER:
        return ""
    files = [folder / name for name in ("experiment.toml", "snapshots.json", "games.json")]
    done = [_rename_in(path, FORMER[kind]) for path in files if path.exists()]
    return f"searchers now say {PLAIN.removeprefix(',')}" if any(done) else ""


def _rename_in(path: Path, former: re.Pattern[str]) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    renamed = former.sub(_renamed, text)
    if renamed != text:
        save_text(path, renamed)
    return renamed != text


def _renamed(found: re.Match[str]) -> str:
    _, options = split_options(found[0])
    plain = options.get("method") == "minimax" and options.get("ties") == "random"
    return found[0] if plain else plain_name(found[0])


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
