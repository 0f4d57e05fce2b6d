"""Machines with addresses of their own on this one: network namespaces, joined by a bridge in one more.

It needs Linux, root and iproute2. Whatever was made is gone afterwards, whatever happened meanwhile.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.conftest import LONG, ROOT
from tests.faults.test_ray import MARK, processes

NETWORK = "10.99.47"
"""Whose addresses the machines have; nobody else sees them."""
MACHINES = "machines-"
"""How the marks of their processes begin; the number of the test's own process follows."""
TRIES = 3


def find_obstacle() -> str | None:
    """Return why there can be no machines; None if there can."""
    if not sys.platform.startswith("linux"):
        return "network namespaces are of Linux"
    if shutil.which("ip") is None:
        return "there is no program 'ip' (Debian's iproute2)"
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    probe = f"us{os.getpid()}p"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode == 0:
        ran = subprocess.run(["ip", "netns", "exec", probe, "true"], capture_output=True, text=True, check=False)
        subprocess.run(["ip", "netns", "del", probe], check=False)
        made = ran
    return None if made.returncode == 0 else f"this machine refuses network namespaces: {made.stderr.strip()}"


class Machines:
    """A few machines on one wire."""

    def __init__(self, count: int, folder: Path) -> None:
        owner = os.getpid()
        self.folder, self.mark = folder, f"{MACHINES}{owner}"
        self.switch = f"us{owner}s"
        self.names = [f"us{owner}m{place}" for place in range(count)]
        self.addresses = [f"{NETWORK}.{place + 1}" for place in range(count)]

    def build(self) -> None:
        """Make the machines and the wire."""
        _ip("netns", "add", self.switch)
        _ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
        _ip("-n", self.switch, "link", "set", "bridge", "up")
        for place, (name, address) in enumerate(zip(self.names, self.addresses, strict=True)):
            _ip("netns", "add", name)
            _ip("-n", self.switch, "link", "add", f"port{place}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("-n", self.switch, "link", "set", f"port{place}", "master", "bridge", "up")
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                _ip("-n", name, "link", "set", device, "up")

    def start(self, place: int, command: Sequence[str], **settings: str) -> subprocess.Popen[str]:
        """Start a program on a machine; what it writes to standard output can be read."""
        paths = os.pathsep.join((str(ROOT), str(ROOT / "src")))
        environment = os.environ | {MARK: self.mark, "PYTHONPATH": paths} | settings
        with self.log(place).open("a") as log:
            return subprocess.Popen(
                ["ip", "netns", "exec", self.names[place], *command], env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True,
            )  # fmt: skip

    def run(self, place: int, command: Sequence[str], **settings: str) -> None:
        """Run a program to its end, again if it fails: a busy machine is late for what programs expect of it."""
        for _ in range(TRIES):
            with self.start(place, command, **settings) as started:
                started.communicate(timeout=LONG)
            if started.returncode == 0:
                return
        raise AssertionError(self.log(place).read_text())

    def log(self, place: int) -> Path:
        """Return the file of what the programs of a machine say."""
        return self.folder / f"machine{place}.log"

    def cut_off(self, place: int) -> None:
        """Pull the plug of a machine: nothing reaches it any more, and nobody hears why."""
        _ip("-n", self.switch, "link", "set", f"port{place}", "down")

    def tear_down(self) -> None:
        """End all programs, and unmake the machines."""
        _tear_down(self.mark, [*self.names, self.switch])


def sweep() -> None:
    """Take away what is left of tests that were killed."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name = re.fullmatch(r"us(\d+)[smp]\d*", line.partition(" ")[0])
        if name is not None and not Path("/proc", name[1]).exists():
            _tear_down(f"{MACHINES}{name[1]}", [name[0]])


def _tear_down(mark: str, names: Sequence[str]) -> None:
    while left := processes(mark):
        for process in left:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    for name in names:
        subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


@contextmanager
def machines(count: int, folder: Path) -> Iterator[Machines]:
    """Give *count* machines, and take them away."""
    sweep()
    made = Machines(count, folder)
    try:
        made.build()
        yield made
    finally:
        made.tear_down()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)
