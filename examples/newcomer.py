"""Follow docs/first_hour.md to the letter in an empty folder, and time it: `python examples/newcomer.py [--json]`.

A newcomer has a clone and that page, and nothing else. So the page is read here, not known: each block marked `sh` goes
to a shell, the Python between them into one session, in order. Whoever has installed the package adds --installed: then
blocks that install are left out, and everything runs with this Python.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "first_hour.md"
TYPED = "quit\n\n"
"""What the newcomer types where a command asks: it has seen the board, and leaves without saving."""
INSTALLS = "pip install"


class Block(NamedTuple):
    """A piece of the page to be followed."""

    language: str
    code: str


class Step(NamedTuple):
    """A block that was followed: how long it took, and what it said."""

    first: str
    seconds: float
    said: str


def read_page(text: str) -> list[Block]:
    """Return all blocks that a reader is meant to run."""
    found = re.findall(r"^```(sh|python)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(language, code) for language, code in found]


def follow(blocks: list[Block], folder: Path, shell: dict[str, str]) -> Iterator[Step]:
    """Do what the page says in a folder, block by block; what fails is raised with what it said."""
    for language, group in groupby(blocks, key=lambda block: block.language):
        for block in group if language == "sh" else ():
            step, shell = run_shell(block.code, folder, shell)
            yield step
        if language == "python":
            yield from run_python([block.code for block in group], folder, shell)


def run_shell(code: str, folder: Path, shell: dict[str, str]) -> tuple[Step, dict[str, str]]:
    """Run lines in a shell as an earlier one has left it; return what it leaves, too: an activated environment."""
    kept = folder / ".environment"
    script = f"set -e\n{code}\nenv -0 > '{kept}'"
    began = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=shell, input=TYPED, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise SystemExit(f"this block of {PAGE.name} fails:\n{code}\n{done.stdout}{done.stderr}")
    left = dict(line.split("=", 1) for line in kept.read_text(encoding="utf-8").split("\0") if "=" in line)
    kept.unlink()
    return Step(code.splitlines()[0], seconds, done.stdout), left


def run_python(cells: list[str], folder: Path, shell: dict[str, str]) -> Iterator[Step]:
    """Run cells in one session of the Python that the shell finds."""
    command = ["python", __file__, "--session"]
    done = subprocess.run(
        command, cwd=folder, env=shell, input=json.dumps(cells), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"the Python of {PAGE.name} fails:\n{done.stderr}")
    for line in done.stdout.splitlines():
        yield Step(*json.loads(line))


def run_session() -> None:
    """Run the cells on standard input as a notebook does, and print a line for each: what it shows, and its time."""
    names: dict[str, Any] = {"__name__": "__main__"}
    out, sys.stdout = sys.stdout, sys.stderr  # what cells print is not what is told of them
    for cell in json.load(sys.stdin):
        began = time.perf_counter()
        try:
            shown = run_cell(cell, names)
        except BaseException:  # whatever a cell raises is the newcomer's trouble
            traceback.print_exc()
            raise SystemExit(f"in this cell:\n{cell}") from None
        said = "" if shown is None else repr(shown)
        print(json.dumps([cell.splitlines()[0], time.perf_counter() - began, said]), file=out, flush=True)


def run_cell(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell; return what its last line is worth, if that is an expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PAGE.name, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), PAGE.name, "eval"), names)


def begin(folder: Path, *, installed: bool) -> tuple[Path, dict[str, str]]:
    """Return where the newcomer begins, and the variables there: in a fresh clone nothing is set or compiled yet."""
    if installed:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        return folder, {**os.environ, "PATH": path}
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "clone")], check=True)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "UNDERSTUDY_"))}
    return folder / "clone", {**own, "UNDERSTUDY_KERNELS": str(folder / "kernels")}


def main() -> None:
    """Follow the page and tell how long it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--installed", action="store_true", help="leave out what installs; use this Python")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--session", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.session:
        run_session()
        return
    blocks = read_page(PAGE.read_text(encoding="utf-8"))
    blocks = [block for block in blocks if not (chosen.installed and INSTALLS in block.code)]
    with tempfile.TemporaryDirectory() as folder:
        place, shell = begin(Path(folder), installed=chosen.installed)
        steps = []
        for step in follow(blocks, place, shell):
            steps.append(step)
            print(f"{step.seconds:8.1f} s  {step.first}", file=sys.stderr, flush=True)
    total = sum(step.seconds for step in steps)
    if chosen.json:
        slow = max(steps, key=lambda step: step.seconds)
        told = {"seconds": total, "blocks": len(steps), "installed": chosen.installed, "slowest": slow.first}
        print(json.dumps({**told, "steps": [[step.first, round(step.seconds, 2)] for step in steps]}))
    else:
        print(f"{len(steps)} blocks in {total:.0f} seconds")


if __name__ == "__main__":
    main()
