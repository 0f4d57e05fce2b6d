"""A small program that waits for its driver to end, and ends what is left of the driver's Ray node.

Ray's main processes notice by themselves that their driver was killed, within three seconds. Two of its agents report
the death first, to a server that has died too, and may wait a minute for its answer. This program ends them. It imports
nothing but the standard library, since it is started for every node, as `python ray_end.py RAYLET`: the process whose
descendants they are. It notes them at once, for when their parent is gone nothing tells whose they were.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

GRACE = 4.0
"""Seconds in which the processes of a node may end in their own way."""
PAUSE = 0.2
PARENT, BORN = 1, 19
"""Which fields of /proc/NUMBER/stat, after the name, are a process's parent and the moment of its start."""


def list_processes() -> dict[int, tuple[int, int]]:
    """Return the parent and the moment of birth of every process: a number may be given again, to a younger one."""
    processes = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        processes[int(place.name)] = int(fields[PARENT]), int(fields[BORN])
    return processes


def list_family(ancestor: int) -> dict[int, int]:
    """Return the births of a process and of all that descend from it."""
    processes = list_processes()
    family, fresh = set[int](), {ancestor} & processes.keys()
    while fresh:
        family |= fresh
        fresh = {number for number, (parent, _) in processes.items() if parent in fresh} - family
    return {number: processes[number][1] for number in family}


def list_left(family: dict[int, int]) -> list[int]:
    """Return who of a family still lives."""
    now = list_processes()
    return [number for number, born in family.items() if number in now and now[number][1] == born]


def main() -> None:
    """Note who belongs to the node, wait for the end of standard input, which the driver holds open, and end them."""
    family = list_family(int(sys.argv[1]))
    sys.stdin.buffer.read()
    deadline = time.monotonic() + GRACE
    while (left := list_left(family)) and time.monotonic() < deadline:
        time.sleep(PAUSE)
    for number in left:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    main()
