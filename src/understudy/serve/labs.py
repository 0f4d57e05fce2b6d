"""Experiments that a page starts: each a program of its own in an ordinary run folder, one at work at a time.

A run that is paused has ended; going on starts it again, and the run folder goes on where it was, as always. All of
them end with the server: they hold the other end of a pipe, which closes however the server goes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from understudy.config import write_toml
from understudy.errors import BadOption, UnderstudyError, UnknownName, understood
from understudy.files import load_json, make_folder, save_json, save_text
from understudy.lab.experiments import list_experiments, load_experiment, shipped
from understudy.serve.experiments import check_changes
from understudy.serve.players import RUN_NAME, RUNS
from understudy.serve.runs import LOG, PAGE, PROGRESS, STARTED, UNFINISHED, Job, find_run, find_state
from understudy.serve.sittings import Conflict

WAITING = 10
"""Runs that may wait for their turn."""
PATIENCES = ((signal.SIGINT, 15.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
"""How a run is asked to end, and how many seconds it has before it is asked less politely."""
ROOM = 8_192
"""Bytes at the end of what a run printed in which its last sentence is looked for."""
PREFIX = "understudy: "
"""What the command line puts before a sentence that says why it ends."""

Changed = Callable[[str], None]
"""Hears the name of a run whose state has changed, in any thread."""


class Labs:
    """Starts, pauses and goes on with runs."""

    def __init__(self, runs: Path, *, trust: bool = False, changed: Changed = lambda name: None) -> None:
        self.runs, self.trust, self.changed = runs, trust, changed
        self.lock = threading.RLock()
        self.waiting: list[str] = []
        self.working: dict[str, tuple[subprocess.Popen[bytes], threading.Thread]] = {}
        self.ending: set[str] = set()
        self.errors: dict[str, str] = {}
        self.exporting = threading.Lock()
        self.closed = False

    def jobs(self) -> dict[str, Job]:
        """Return what is known of the runs that this server started."""
        with self.lock:
            errors = {name: Job("stopped", error) for name, error in self.errors.items()}
            waiting = {name: Job("waiting") for name in self.waiting}
            return errors | waiting | {name: Job("running") for name in self.working}

    def start(self, experiment: str, *, quick: bool, changes: Mapping[str, Any], name: str | None) -> str:
        """Begin a run of an experiment that ships, or let it wait for its turn; return the name of its folder."""
        if experiment not in shipped():
            raise UnknownName("experiment", experiment, shipped())
        listed = next(one for one in list_experiments() if one.name == experiment)
        if not listed.ready:
            raise BadOption(f"experiment {experiment!r} needs data that are not here: {', '.join(listed.data)}")
        told = check_changes(changes, trust=self.trust)
        settings = load_experiment(shipped()[experiment], told, quick=quick).settings
        with self.lock:
            self._check_room()
            folder = self._make_folder(name, experiment + ("_quick" if quick else ""))
            begun = {"experiment": experiment, "quick": quick, "changes": list(told)}
            save_json(folder / PAGE / STARTED, begun, sealed=True)
            save_text(folder / "experiment.toml", write_toml(settings))
            self._enqueue(folder.name)
        return folder.name

    def _check_room(self) -> None:
        if self.closed:
            raise Conflict("the server is going down")
        if len(self.waiting) >= WAITING:
            raise Conflict(f"{WAITING} runs wait already; let one of them end first")

    def _make_folder(self, name: str | None, usual: str) -> Path:
        """Return a new run folder: of the name that was asked for, or of the first that is free."""
        if name is not None and not RUN_NAME.fullmatch(name):
            raise BadOption(
                f"run {name!r}: a name has letters, digits, '_', '-' and '.', and begins with one of the first"
            )
        if name is not None and (self.runs / name).exists():
            raise Conflict(f"there is a run {name!r} already; choose another name")
        free = name or next(
            one
            for one in (usual, *(f"{usual}_{number}" for number in range(2, 10_000)))
            if not (self.runs / one).exists()
        )
        make_folder(self.runs / free / PAGE)
        return self.runs / free

    def go(self, name: str) -> None:
        """Go on with a run that was paused, or that came to a bad end."""
        folder = find_run(self.runs, name)
        with self.lock:
            self._check_room()
            if not (folder / PAGE / STARTED).is_file():
                raise Conflict(f"run {name!r} was not begun from a page; go on with it in a terminal")
            if find_state(folder, self.jobs().get(name)) not in ("paused", "stopped"):
                raise Conflict(f"run {name!r} is not paused")
            self._enqueue(name)

    def _enqueue(self, name: str) -> None:
        self.errors.pop(name, None)
        self.waiting.append(name)
        self._begin_next()
        self.changed(name)

    def _begin_next(self) -> None:
        if self.working or not self.waiting or self.closed:
            return None
        name = self.waiting.pop(0)
        try:
            process = self._launch(name)
        except (OSError, UnderstudyError) as error:
            self.errors[name] = f"it could not be started: {error}"
            return self._begin_next()
        attending = threading.Thread(target=self._attend, args=(name, process), daemon=True)
        self.working[name] = process, attending
        attending.start()
        return None

    def _launch(self, name: str) -> subprocess.Popen[bytes]:
        folder = self.runs / name
        started = load_json(folder / PAGE / STARTED)
        with understood(f"the file {str(folder / PAGE / STARTED)!r}"):
            changes = [word for change in started["changes"] for word in ("--set", str(change))]
            quick = ["--quick"] if started["quick"] else []
            command = [sys.executable, "-m", "understudy", "run", str(started["experiment"]), *quick, *changes]
        environment = {**os.environ, "UNDERSTUDY_PROGRESS": str((folder / PAGE / PROGRESS).absolute())}
        with (folder / PAGE / LOG).open("wb") as log:
            return subprocess.Popen(
                [*command, "--run", str(folder)], stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT,
                env=environment, start_new_session=True,
            )  # fmt: skip

    def _attend(self, name: str, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of a run, then let the next one begin."""
        code = process.wait()
        with self.lock:
            del self.working[name]
            if process.stdin is not None:
                process.stdin.close()
            if code and name not in self.ending:
                self.errors[name] = read_last_sentence(self.runs / name / PAGE / LOG) or f"it ended with code {code}"
            self.ending.discard(name)
            self._begin_next()
        self.changed(name)

    def pause(self, name: str) -> None:
        """Let a run end where it is; what it has done stays."""
        find_run(self.runs, name)
        with self.lock:
            if name in self.waiting:
                self.waiting.remove(name)
                return self.changed(name)
            if name not in self.working:
                raise Conflict(f"run {name!r} is not at work here")
            process, attending = self.working[name]
            self.ending.add(name)  # whoever attends it then knows that it was meant to end
        _stop(process)
        return attending.join()

    def close(self) -> None:
        """Let all runs end, those that wait not begin."""
        with self.lock:
            self.closed, self.waiting = True, []
            working = list(self.working)
        for name in working:
            with contextlib.suppress(UnderstudyError):
                self.pause(name)

    def export(self, name: str) -> tuple[str, str]:
        """Write the student of a run as it is now; return it as a player, and what it is called."""
        folder = find_run(self.runs, name)
        command = [sys.executable, "-m", "understudy.lab.exporting", str(folder)]
        if not self.exporting.acquire(blocking=False):  # each takes a core for some seconds
            raise Conflict("another student is being written at this moment; ask again in a few seconds")
        try:
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        finally:
            self.exporting.release()
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["the program that writes it failed"]
            raise Conflict(f"run {name!r} has no student to play yet: {lines[-1]}")
        student, epoch = done.stdout.split()
        return f"student:{RUNS}{name},order={UNFINISHED},check=legal", f"{student} of {name} after epoch {epoch}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a program and all that it started, politely at first."""
    for number, seconds in PATIENCES:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return


def read_last_sentence(path: Path) -> str:
    """Return the last line that a run printed, which says why it ended."""
    try:
        text = path.read_bytes()[-ROOM:].decode("utf-8", errors="replace")
    except OSError:
        return ""
    lines: Sequence[str] = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix(PREFIX) if lines else ""
