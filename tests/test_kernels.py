"""Compiled code is never stale, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from understudy import kernels

PACKAGE = Path(kernels.__file__).parent


PROGRAM = """
from understudy import kernels
from understudy.games import find_game
from understudy.players import make_player
compiled = 0
def count():
    global compiled
    compiled += 1
kernels.ANNOUNCE = count
game = find_game({game!r}, {size!r})
make_player("searcher:depth=2", game).choose([game.start()])
print(compiled)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package, whose kernels are kept in a folder of its own."""
    copy = tmp_path / "one" / "understudy"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "students"))
    return copy


def run_in(checkout: Path, code: str, cache: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout.parent), "XDG_CACHE_HOME": str(cache)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return run.stdout.strip()


def append(path: Path, text: str = "\n# edited\n") -> None:
    path.write_text(path.read_text() + text)


def test_only_what_an_edit_touches_is_compiled_again(checkout: Path, tmp_path: Path) -> None:
    search = PROGRAM.format(game="konane", size=(4, 4))

    def compiled(place: Path = checkout) -> int:
        return int(run_in(place, search, tmp_path / "cache"))

    assert compiled() > 10
    assert compiled() == 0
    append(checkout / "trainers" / "evolution" / "generational.py")
    append(checkout / "players" / "searcher.py")
    assert compiled() == 0
    append(checkout / "search" / "leaves.py")
    assert compiled() > 0
    moved = tmp_path / "two" / "understudy"
    shutil.copytree(checkout, moved)
    assert compiled(moved) == 0


EDITED = """
from understudy.games import find_game
from understudy.players import make_player
from understudy.games import rules
import numpy as np
game = find_game("konane", (4, 4))
print(rules.perft(game.start(), 1, np.zeros((2, 512), np.int32)))
"""


def test_an_edit_of_the_rules_is_seen_by_a_cached_search(checkout: Path, tmp_path: Path) -> None:
    def count() -> str:
        return run_in(checkout, EDITED, tmp_path / "cache")

    assert count() == "4"
    source = checkout / "games" / "konane" / "rules.py"
    text = source.read_text()
    marker = "def count(position: Konane) -> int:\n"
    assert text.count(marker) == 1
    place = text.index('"""', text.index('"""', text.index(marker)) + 3) + 3
    source.write_text(text[:place] + "\n    return 7\n" + text[place:])
    assert count() == "7"


def test_an_unwritable_home_does_not_stop_the_program(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    environment = {**os.environ, "XDG_CACHE_HOME": str(blocked), "TMPDIR": str(tmp_path)}
    code = "from understudy import kernels; print(kernels.CACHE)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert run.stdout.startswith(str(tmp_path))


def test_old_caches_are_pruned(tmp_path: Path) -> None:
    recent, old, other = tmp_path / ("a" * 16), tmp_path / ("0" * 16), tmp_path / "my papers"
    for folder in (recent, old, other):
        folder.mkdir()
        os.utime(folder, (0, 0))
    os.utime(recent)
    kernels._prune(tmp_path)
    assert recent.exists() and other.exists()
    assert not old.exists()


def test_signatures_share_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that compile at once write whole files of their own, never one that both add to."""
    monkeypatch.setattr(kernels, "CACHE", tmp_path)

    @kernels.kernel
    def double(number: Any) -> Any:
        return number + number

    assert double(2) == 4 and double(2.5) == 5.0
    indices = sorted(path.name for path in tmp_path.rglob("*.nbi"))
    assert len(indices) == 2 and len(set(indices)) == 2
    assert len(list(tmp_path.rglob("*.1.nbc"))) == 2 and not list(tmp_path.rglob("*.2.nbc"))
