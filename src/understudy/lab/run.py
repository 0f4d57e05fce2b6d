"""A run: one experiment at work in one folder, done in steps, each of which goes on where it was stopped.

The folder belongs to one experiment and to one process at a time. All that would be refused is refused when it is
opened, before a byte of it changes. What is there already is not made again.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from understudy.backends import Local
from understudy.config import load_toml, read_threads, write_toml
from understudy.errors import BadOption, FileError, UnderstudyError, understood
from understudy.files import find_reason, load_table, make_folder, save_file, save_json, save_text
from understudy.games import CompiledGame
from understudy.lab.settings import About, Experiment, same_board
from understudy.locks import locked
from understudy.players import close, make_player
from understudy.players.names import PLAIN, plain_name, split_options
from understudy.protocols import Backend
from understudy.records.watch import check_watch
from understudy.sums import read_line, seal_text

E = TypeVar("E", bound=Experiment)
Options = TypeVar("Options")

PROGRESS = "progress.jsonl"
"""The journal of trainings, a line for each epoch."""
PICKED = "picked.json"
"""Who was chosen by games that grade nobody."""
LEAST = 0.001
"""Seconds that a training is given where nothing is left of a budget: every network learns from one batch at least."""
LOCAL = Local()
"""The cores of this machine."""


class Progress(NamedTuple):
    """What a run is doing."""

    task: str
    done: float
    """From 0 to 1."""
    note: str = ""


Show = Callable[[Progress], None]


def keep_quiet(progress: Progress) -> None:
    """Show nothing of a run's progress."""


class Timed(Protocol):
    """A training that knows how long it has taken, on the wall or by cores."""

    seconds: float
    by_cores: bool


class Budget(NamedTuple):
    """Seconds of one core that watching and learning may take."""

    seconds: float
    spent: Callable[[], float]
    """How many of them are spent, in the steps before and in this one."""


@dataclass(frozen=True)
class Run(Generic[E]):
    """An experiment, the folder that keeps what comes of it, who hears of progress, and where games are played."""

    experiment: E
    folder: Path
    show: Show = keep_quiet
    backend: Backend = LOCAL
    budget: Budget | None = None
    """What its steps may cost; None: whatever they do."""

    def used_up(self, share: float = 1.0) -> bool:
        """Tell whether this share of the budget is spent; what has none never is."""
        return self.budget is not None and self.budget.spent() >= share * self.budget.seconds

    def allot(self, learning: Timed, options: Options, *, among: int) -> Options:
        """Return the options of a training with its part of what is left of the budget, told by the time of cores.

        The rest is shared evenly *among* so many trainings, this one and those after it.
        """
        if self.budget is None:
            return options
        learning.by_cores = True
        left = max(self.budget.seconds - self.budget.spent(), LEAST) / among
        return replace(options, minutes=(learning.seconds + left) / 60)  # type: ignore[type-var]

    def tell(self, task: str, done: float, note: str = "") -> None:
        """Let whoever watches know how far a task is."""
        self.show(Progress(task, done, note))

    def load(self, name: str) -> dict[str, Any]:
        """Return what a JSON file of the folder holds; nothing if there is none."""
        path = self.folder / name
        return load_table(path) if path.exists() else {}

    def save(self, name: str, table: Any) -> None:
        """Write a JSON file of the folder, whole or not at all, with its sum."""
        save_json(self.folder / name, table, sealed=True)

    def log(self, entry: Mapping[str, Any], name: str = PROGRESS) -> None:
        """Add a line to a journal of the folder: before what is noted is kept, so that it is never left out."""
        append_line(self.folder / name, entry)

    def forget_lines(self, unwanted: Callable[[Mapping[str, Any]], bool], name: str = PROGRESS) -> None:
        """Drop lines of a journal: what they note was not kept, and is done and noted again."""
        drop_lines(self.folder / name, unwanted)

    def forget_epochs(self, student: str, network: str, epoch: int) -> None:
        """Drop what was noted of a training after the epoch that its checkpoint has."""
        self.forget_lines(
            lambda line: (line["student"], line["network"]) == (student, network) and line["epoch"] >= epoch
        )

    def keep_student(self, name: str, *, suffix: str = "onnx", by_games: bool = False) -> None:
        """Make a student the one that the run is known for; note it if it was chosen *by_games* that grade nobody."""
        if by_games:
            self.save(PICKED, self.load(PICKED) | {"kept": name})
        chosen = self.folder / f"student_{name}.{suffix}"
        save_file(self.folder / f"student.{suffix}", lambda partial: shutil.copyfile(chosen, partial))


class Made(NamedTuple):
    """What a run folder holds already, and the settings that it was made with."""

    what: str
    before: Any
    """The fingerprint of those settings."""
    now: Any
    """And of the settings now."""
    how: str = "was trained"


class Step(NamedTuple):
    """A part of a run; `watch`, `learn` and `judge` have commands or calls of their own."""

    name: str
    do: Callable[[Run[Any]], None]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What is done in experiments of one kind."""

    steps: tuple[Step, ...]
    summary: Callable[[Run[Any]], list[str]]
    """The few lines that a person looks for first."""
    made: Callable[[Run[Any]], Iterable[Made]] = lambda run: ()
    """What a folder holds already that must have been made with the settings of now."""
    identity: Callable[[Mapping[str, Any]], Any] = same_board
    """From the settings of an experiment to what must not change in a run folder."""
    holds: str = ""
    """What a folder of another experiment would mix up, such as "records of "."""
    folders: tuple[str, ...] = ()
    """Folders that are there as soon as the run is opened."""
    opponents: Callable[[Any], Iterable[str]] = lambda experiment: ()
    """From an experiment to whom its students will play; a kind whose options make them already names nobody."""
    paper: bool = False
    """Whether `[paper]` speaks of verdicts, by their sections."""
    rival: str = ""
    """Whom the report invites to play against, if not the run's student."""
    check: Callable[[Run[Any]], None] = lambda run: None
    """Refuses what would else be refused later, such as players that, once made, cannot do what is asked of them."""
    closing: Callable[[Run[Any]], Iterable[str]] | None = None
    """The lines that play against the run's students, if it has not just one."""


@contextlib.contextmanager
def opened(run: Run[Any], kind: Kind) -> Iterator[None]:
    """Have the run folder to oneself: made, or of the same experiment, with nothing in it made by other settings."""
    with contextlib.ExitStack() as lock:
        if there := run.folder.is_dir():  # whoever comes second hears of it before anything else
            lock.enter_context(locked(run.folder))
        check_run(run, kind)
        make_folder(run.folder)
        if not there:
            lock.enter_context(locked(run.folder))
        save_text(run.folder / "experiment.toml", write_toml(run.experiment.settings))
        if note := rename_players(run.folder):
            run.tell("old names", 1.0, note)
        for name in kind.folders:
            make_folder(run.folder / name)
        yield


def check_run(run: Run[Any], kind: Kind) -> None:
    """Raise if a run folder cannot be opened for an experiment; nothing in it changes."""
    read_threads()  # asked for again when networks learn, which may be hours later
    path = run.folder / "experiment.toml"
    with understood(f"a file of run folder {str(run.folder)!r}"):
        if path.exists() and kind.identity(load_toml(path)) != kind.identity(run.experiment.settings):
            raise BadOption(
                f"run folder {str(run.folder)!r} holds {kind.holds}another experiment than {run.experiment.name!r} is "
                "now; name another with --run, or delete it"
            )
        check_made(kind.made(run))
    if opponents := list(kind.opponents(run.experiment)):  # a series has none, and no game either
        check_opponents(opponents, run.experiment.game)
    if (plan := getattr(run.experiment, "watch", None)) is not None:
        check_watch(run.experiment.game, plan)
    kind.check(run)


def spelled_as_before(experiment: E, folder: Path) -> E:
    """Return an experiment with the size of its board written as the run folder has it: fingerprints hold the text."""
    path = folder / "experiment.toml"
    settings = load_toml(path) if path.exists() else {}
    before, now = (table.get("experiment", {}).get("size", "") for table in (settings, experiment.settings))
    if not settings or before == now or same_board(settings) != same_board(experiment.settings):
        return experiment
    section = {key: value for key, value in experiment.settings["experiment"].items() if key != "size"}
    section |= {"size": before} if before else {}
    return replace(  # type: ignore[type-var]
        experiment,
        about=replace(experiment.about, size=before),
        settings={**experiment.settings, "experiment": section},
    )


def check_made(made: Iterable[Made]) -> None:
    """Raise if something was made with other settings than now."""
    for one in made:
        if one.before != one.now:
            raise BadOption(f"{one.what} {one.how} with other settings than now; name another --run, or delete it")


def check_opponents(opponents: Iterable[str], game: CompiledGame, place: str = "judging.opponents") -> None:
    """Raise unless everybody can be made whom students will play: better now than after the training.

    *place* names where they stand, for errors.
    """
    for opponent in opponents:
        try:
            close(make_player(opponent, game))
        except UnderstudyError as error:
            raise BadOption(f"{place}: {opponent!r}: {error}") from None


def append_line(path: Path, entry: Mapping[str, Any]) -> None:
    """Add a line with its sum, and wait until it is on the disk; what a kill or a full disk left of one goes first."""
    line = seal_text(json.dumps(entry)).encode()
    try:
        with open(path, "ab+", buffering=0) as file:
            end = _find_end(file)
            file.truncate(end)
            try:
                while line:  # a full disk takes a part first, and says why not the rest when it is offered again
                    line = line[file.write(line) :]
                os.fsync(file.fileno())
            except OSError:
                file.truncate(end)
                raise
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {find_reason(error)}") from None


def _find_end(file: io.FileIO) -> int:
    """Return where the last whole line of a journal ends."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)  # mostly the last line is whole, and this is all that is read
        file.seek(start)
        if (place := file.read(end - start).rfind(b"\n")) >= 0:
            return start + place + 1
        end = start
    return 0


def drop_lines(path: Path, unwanted: Callable[[Mapping[str, Any]], bool]) -> None:
    """Leave of a journal the lines that are whole and not *unwanted*; one that was changed since is refused."""
    try:
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    except OSError as error:
        raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    kept = [line for line in lines if not _is_unwanted(path, line, unwanted)]
    if len(kept) < len(lines):
        save_file(path, lambda partial: partial.write_bytes(b"".join(kept)))


def _is_unwanted(path: Path, line: bytes, unwanted: Callable[[Mapping[str, Any]], bool]) -> bool:
    entry = read_line(line, path)
    try:
        return entry is None or unwanted(entry)
    except (KeyError, TypeError):
        return True  # a line that was never ours


def play_command(about: About, player: str) -> str:
    """Return the line that plays against *player* on the board of an experiment."""
    size = f" --size {about.size}" if about.size else ""
    return f"understudy play {about.game}{size} --opponent {player}"


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


def rename_at_rest(folder: Path) -> str:
    """Rename the same unless a process is at work in the folder: it has done so when it began, and may be writing."""
    try:
        with locked(folder):
            return rename_players(folder)
    except FileError:  # what cannot be read, or written, is told by whoever reads or writes it next
        return ""


def _rename_in(path: Path, former: re.Pattern[str]) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    renamed = former.sub(_renamed, text)
    if renamed != text:
        save_text(path, seal_text(renamed) if path.suffix == ".json" else renamed)
    return renamed != text


def _renamed(name: re.Match[str]) -> str:
    _, options = split_options(name[0])
    plain = options.get("method") == "minimax" and options.get("ties") == "random"
    return name[0] if plain else plain_name(name[0])
