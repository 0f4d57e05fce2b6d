"""Compiled code is never stale, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from understudy import kernels

PACKAGE = Path(kernels.__file__).parent


def test_the_cache_is_named_after_every_kernel_source(tmp_path: Path) -> None:
    copy = tmp_path / "understudy"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = kernels.fingerprint(copy)
    assert before == kernels.fingerprint(PACKAGE)
    for name in ("games/morris.py", "search/negascout.py", "search/evaluators/noise.py", "kernels.py"):
        source = copy / name
        source.write_text(source.read_text() + "\n# edited\n")
        after = kernels.fingerprint(copy)
        assert after != before
        before = after
    (copy / "cli.py").write_text("")
    assert kernels.fingerprint(copy) == before


EDITED = """
from understudy.games import find_game
from understudy.players import make_player
from understudy.games import rules
import numpy as np
game = find_game("konane", (4, 4))
print(rules.perft(game.start(), 1, np.zeros((2, 512), np.int32)))
"""


def test_an_edit_of_the_rules_is_seen_by_a_cached_search(tmp_path: Path) -> None:
    copy = tmp_path / "understudy"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def count() -> str:
        run = subprocess.run(
            [sys.executable, "-c", EDITED], capture_output=True, text=True, env=environment, check=True
        )
        return run.stdout.strip()

    assert count() == "4"
    source = copy / "games" / "konane.py"
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
    current, recent, old = (tmp_path / name for name in ("current", "recent", "old"))
    for folder in (current, recent, old):
        folder.mkdir()
    os.utime(old, (0, 0))
    kernels._prune(current)
    assert current.exists()
    assert recent.exists()
    assert not old.exists()
