"""Measure what docs/measurements.toml lists: `python examples/measure.py [NAME...] [--list] [--data FOLDER]`.

Each measurement is one command that prints JSON. What came out is kept in docs/results/measured/NAME.json with the
command, its cost, the version and the machine; `python examples/make_results.py` then writes it into the docs. What
needs data, a program or a package that is missing is skipped with a sentence; a command that fails is told at the end.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import resource
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from understudy import __version__
from understudy.files import data_folder

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "measurements.toml"
KEPT = ROOT / "docs" / "results" / "measured"
MOST_ENTRIES = 30
"""Of a list in what came out: the games of a match are left out, the positions of a suite are kept."""
BEYOND_PATH = os.pathsep.join(("/usr/games", "/usr/local/bin", "/opt/homebrew/bin"))
"""Where systems put programs without putting the folder on PATH; Understudy looks there too."""
PROGRAMS = {"understudy": [sys.executable, "-m", "understudy"], "python": [sys.executable]}
"""What the first word of a command stands for: this very Python, whatever else is installed."""


class MeasuringError(Exception):
    """A measurement that cannot be made, in a sentence."""


def main() -> None:
    """Measure what is named, or everything; exit with 2 for bad input and with 1 if a command failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="which; all if none is named")
    parser.add_argument("--list", action="store_true", help="only tell what there is")
    parser.add_argument("--data", type=Path, default=data_folder(), metavar="FOLDER", help="what DATA in a command is")
    options = parser.parse_args()
    table = load_table(TABLE)
    if unknown := [name for name in options.names if name not in table]:
        parser.error(f"no measurement is called {unknown[0]!r}; there are: {', '.join(table)}")
    chosen = {name: table[name] for name in options.names or table}
    if options.list:
        print("\n".join(f"{name:<24} {entry['command']}" for name, entry in chosen.items()))
        return
    outcomes = [measure_one(name, entry, options.data) for name, entry in chosen.items()]
    sys.exit(0 if all(outcomes) else 1)


def load_table(path: Path) -> dict[str, Any]:
    """Return the measurements, every figure with the paths of its shape written out."""
    listed = tomllib.loads(path.read_text(encoding="utf-8"))
    for entry in listed["measurement"].values():
        for figure in entry["figures"].values():
            shape = listed["shapes"].get(figure.get("shape"), {})
            own = {role: figure[role] for role in ("value", "low", "high", "games", "different") if role in figure}
            figure["paths"] = {role: [*figure.get("at", []), *path] for role, path in (shape | own).items()}
    return dict(listed["measurement"])


def measure_one(name: str, entry: dict[str, Any], data: Path) -> bool:
    """Measure one and keep it; say what happens. Return whether nothing failed."""
    if missing := find_missing(entry.get("needs", []), data):
        print(f"{name}: skipped, it needs {missing}", flush=True)
        return True
    print(f"{name}: {entry['command']}", flush=True)
    try:
        kept = run_command(entry, data)
    except MeasuringError as error:
        print(f"{name}: failed, {error}", file=sys.stderr, flush=True)
        return False
    KEPT.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"name": name, **kept}, indent=1, ensure_ascii=False) + "\n"
    (KEPT / f"{name}.json").write_text(text, encoding="utf-8")
    figures = {key: figure.get("value") for key, figure in kept["figures"].items()}
    print(f"{name}: {figures} in {kept['cost']['wall_seconds']:.0f} s", flush=True)
    return True


def find_missing(needs: list[str], data: Path) -> str | None:
    """Return the first thing that a measurement needs and this machine lacks, in words."""
    for need in needs:
        kind, _, what = need.partition(" ")
        if kind == "data" and not (data / what).exists():
            return f"the data {what!r}, which are not in {str(data)!r} (another folder: --data)"
        if kind == "program" and find_program(what) is None:
            return f"the program {what!r}, which is not installed"
        if kind == "package" and importlib.util.find_spec(what) is None:
            return f"the package {what!r}, which is not installed"
    return None


def find_program(name: str) -> str | None:
    """Return where a program is."""
    return shutil.which(name) or shutil.which(name, path=BEYOND_PATH)


def run_command(entry: dict[str, Any], data: Path) -> dict[str, Any]:
    """Run a command and return what is kept of it."""
    first, *rest = shlex.split(entry["command"])
    words = [*PROGRAMS[first], *(word.replace("DATA/", f"{data}/") for word in rest)]
    facts = describe_state(entry)  # before, lest somebody commits while it runs
    began, used = time.perf_counter(), count_cpu_seconds()
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    cost = {"wall_seconds": time.perf_counter() - began, "cpu_seconds": count_cpu_seconds() - used}
    if ran.returncode != 0:
        raise MeasuringError(f"exit code {ran.returncode}: {(ran.stderr.strip() or 'no word').splitlines()[-1]}")
    output = json.loads(ran.stdout.replace(str(data), "DATA"))  # players are called by where their files lie
    figures = {key: pick_figure(output, figure["paths"]) for key, figure in entry["figures"].items()}
    rounded = {name: round(seconds, 1) for name, seconds in cost.items()}
    return facts | {"cost": rounded, "figures": figures, "output": shorten(output, str(data))}


def count_cpu_seconds() -> float:
    """Return what all processes started from here, and theirs, have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def pick_figure(output: Any, paths: dict[str, list[str | int]]) -> dict[str, float | None]:
    """Return the numbers at the end of paths; of a list its length."""
    figure: dict[str, float | None] = {}
    for role, path in paths.items():
        found = output
        for step in path:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                raise MeasuringError(f"what came out has nothing at {path}") from None
        figure[role] = len(found) if isinstance(found, list) else found
    return figure


def shorten(value: Any, data: str) -> Any:
    """Return what came out without its long lists and without the place of data on this machine."""
    if isinstance(value, dict):
        return {key.replace(data, "DATA"): shorten(part, data) for key, part in value.items()}
    if isinstance(value, list):
        return [shorten(part, data) for part in value] if len(value) <= MOST_ENTRIES else f"{len(value)} left out"
    return value.replace(data, "DATA") if isinstance(value, str) else value


def describe_state(entry: dict[str, Any]) -> dict[str, Any]:
    """Return which command, code and machine a measurement belongs to."""
    words = shlex.split(entry["command"])
    seed = int(words[words.index("--seed") + 1]) if "--seed" in words else None
    if seed is None and words[0] == "understudy":
        seed = 0  # what every command takes if nothing is said
    programs = [need.partition(" ")[2] for need in entry.get("needs", []) if need.startswith("program ")]
    return {
        "command": entry["command"],
        "seed": seed,
        "day": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "version": __version__,
        "commit": ask_git("rev-parse", "--short=12", "HEAD"),
        "changed": bool(ask_git("status", "--porcelain", "--", "src", "benchmarks")),
        "machine": describe_machine(),
        "programs": {name: name_version(name) for name in programs},
    }


def describe_machine() -> dict[str, Any]:
    """Return what a measurement ran on, and how many processes wanted its cores just before: speeds need idle ones."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None  # Windows does not tell
    names = {"processor": name_processor(), "python": platform.python_version()}
    return {"cores": os.cpu_count(), **names, "load": load}


def ask_git(*words: str) -> str:
    """Return what Git says; nothing where there is no Git."""
    ran = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return ran.stdout.strip()


def name_processor() -> str:
    """Return the name of the processor; the architecture where the system does not tell it."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def name_version(program: str) -> str:
    """Return the first line that an engine says of itself."""
    place = find_program(program)
    if place is None:
        return "not installed"
    return subprocess.run([place], input="quit\n", capture_output=True, text=True, check=False).stdout.split("\n")[0]


if __name__ == "__main__":
    main()
