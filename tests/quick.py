"""`make quick`: the tests of what has changed, those nearest to the change first, for a minute or so.

A test file is as near to a change as there are imports between them, in functions too; a string that names a module
counts as an import, for tables of modules and for code that tests give to other processes. Where files lie and how
they are called plays no part. If nothing has changed, a core of the tests runs. What time did not allow is told.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SECONDS = 75.0
"""After so many seconds no further test begins."""
MOST_FILES = 30
"""More test files than this are not even collected: to import them takes its time."""

CORE = ("test_contract.py", "test_negascout.py", "test_match.py", "test_cli.py", "test_experiments.py")
"""The contract of games, searches against minimax, matches, the command line, the files of experiments."""
SHARED = "conftest.py"
"""What every test file shares without importing it; when it has changed, the core runs too."""

NAMES = re.compile(r"\b(?:understudy|tests|benchmarks)(?:\.\w+)+")
MAINS = ("origin/HEAD", "origin/main", "main", "@{upstream}")
"""What the main line may be called; what has changed has done so since we left it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests that what has changed calls for."""
    parser = argparse.ArgumentParser(prog="python -m tests.quick", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="when to begin no further test")
    parser.add_argument("--list", action="store_true", help="only tell which test files, nearest first")
    options = parser.parse_args(arguments)
    changed = changed_files(ROOT)
    near = choose_tests(ROOT, changed)
    print(f"quick: {told_changes(changed)}; {len(near)} test files reach that", flush=True)
    if options.list:
        print(*near, sep="\n")
        return 0
    return run_tests(near, seconds=options.seconds)


def told_changes(changed: Sequence[Path]) -> str:
    """Return in words what has changed."""
    few = ", ".join(map(str, changed[:3]))
    if len(changed) <= 3:
        return f"changed: {few}" if changed else "nothing has changed, so the core"
    return f"changed: {few} and {len(changed) - 3} more"


# What has changed.


def changed_files(root: Path) -> list[Path]:
    """Return what differs from where this branch left the main line: committed, not committed, new or gone."""
    base = next((found[0] for main in MAINS if (found := _git(root, "merge-base", "HEAD", main))), "HEAD")
    names = {*_git(root, "diff", "--name-only", base), *_git(root, "ls-files", "--others", "--exclude-standard")}
    return [Path(name) for name in sorted(names)]


def _git(root: Path, *words: str) -> list[str]:
    """Return the lines that git prints, none if it cannot do this or is not there."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.splitlines()


# Which tests reach it.


def choose_tests(root: Path, changed: Iterable[Path]) -> list[Path]:
    """Return the test files that reach something changed, nearest first; the core if there are none."""
    changed = list(changed)
    files = python_files(root)
    wanted = {file: read_imports(root, file) for file in files}
    steps = distances(wanted, [*files, *changed], _sources(root, files, changed))
    tests = [file for file in files if is_test(file) and file in steps]
    near = sorted(tests, key=lambda file: (steps[file], len(wanted[file]), file))
    core = [] if near and not any(file.name == SHARED for file in changed) else core_tests(files)
    return [*(file for file in core if file not in near), *near]


def python_files(root: Path) -> list[Path]:
    """Return all modules and tests, by their paths below *root*."""
    folders = ("src", "tests", "benchmarks")
    return sorted(path.relative_to(root) for folder in folders for path in (root / folder).rglob("*.py"))


def is_test(file: Path) -> bool:
    """Tell whether pytest collects a file."""
    return file.parts[0] == "tests" and file.name.startswith("test_")


def core_tests(files: Iterable[Path]) -> list[Path]:
    """Return the files of the core, wherever they are."""
    places = {file.name: file for file in files if is_test(file)}
    return [places[name] for name in CORE if name in places]


def _sources(root: Path, files: Iterable[Path], changed: Iterable[Path]) -> dict[Path, int]:
    """Return where to begin: what has changed, and whoever names a file that is no Python and has changed."""
    found: dict[Path, int] = {}
    others = [file for file in changed if file.suffix != ".py"]
    for file in files if others else ():
        text = (root / file).read_text(encoding="utf-8")
        if any(_mentions(text, other) for other in others):
            found[file] = 1
    return found | {file: 0 for file in changed if file.suffix == ".py"}


def _mentions(text: str, file: Path) -> bool:
    """Tell whether a text names a file, or the folder that it is in."""
    folder = f'"{file.parent.name}"'
    return file.name in text or (file.parent.name != "" and folder in text)


def distances(wanted: Mapping[Path, set[str]], files: Iterable[Path], begin: Mapping[Path, int]) -> dict[Path, int]:
    """Return for each file that reaches one of *begin* the number of imports between them, the fewest there are."""
    places = {name: file for file in files for name in module_names(file)}
    importers: dict[Path, set[Path]] = defaultdict(set)
    for file, names in wanted.items():
        for name in names:
            if (place := find_module(name, places)) is not None:
                importers[place].add(file)
    steps, near = dict(begin), sorted(begin, key=begin.__getitem__)
    for file in near:  # grows while it is walked through, so that what is nearer comes first
        for importer in importers[file] - steps.keys():
            steps[importer] = steps[file] + 1
            near.append(importer)
    return steps


def module_names(file: Path) -> list[str]:
    """Return how a file can be imported: tests also without the folders they are in."""
    if file.suffix != ".py":
        return []
    parts = file.with_suffix("").parts
    whole = ".".join(parts[1:] if parts[0] == "src" else parts).removesuffix(".__init__")
    return [whole, parts[-1]] if parts[0] == "tests" else [whole]


def find_module(name: str, places: Mapping[str, Path]) -> Path | None:
    """Return the file of the module that *name* begins with: what follows is something in it."""
    while name and name not in places:
        name = name.rpartition(".")[0]
    return places.get(name)


def read_imports(root: Path, file: Path) -> set[str]:
    """Return the names that a file imports, and its own package, which is imported before it."""
    package = _package(file)
    names = {package} if file.name != "__init__.py" else {package.rpartition(".")[0]}
    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names.update(_imported(node, package))
    return names - {""}


def _package(file: Path) -> str:
    return module_names(file.parent / "__init__.py")[0] if file.parts[0] == "src" else ""


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = ".".join(package.split(".")[: len(package.split(".")) + 1 - node.level]) if node.level else ""
        module = ".".join(part for part in (base, node.module) if part)
        yield from (f"{module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from NAMES.findall(node.value)
        if package and node.value.isidentifier():
            yield f"{package}.{node.value}"  # a table may name the modules beside it


# How long.


@dataclass
class Budget:
    """A plugin of pytest that lets no test begin after its time."""

    seconds: float
    began: float = field(default_factory=time.monotonic)
    left_out: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Say that a test is done with, if there is no time for it."""
        if time.monotonic() - self.began < self.seconds:
            return None
        self.left_out[item.nodeid.partition("::")[0]] += 1
        return True


def run_tests(files: Sequence[Path], *, seconds: float) -> int:
    """Run tests, as many as time allows, and tell what was left out."""
    budget = Budget(seconds)
    status = pytest.main(["-q", "-p", "no:cacheprovider", *map(str, files[:MOST_FILES])], plugins=[budget])
    late = [f"{name} ({count} tests)" for name, count in budget.left_out.items()]
    if left := [*late, *map(str, files[MOST_FILES:])]:
        print(f"quick: left for `make test`: {', '.join(left)}")
    return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)


if __name__ == "__main__":
    raise SystemExit(main())
