"""What the pages on adding things tell to write works as written: files are made of the pages, and run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "howto"
FILE = re.compile(r"(?ms)^```\w+\n(# (?P<name>\w+\.\w+)\n.*?)^```$")
ENTRIES = re.compile(r'(?m)^\[project\.entry-points\."(?P<group>[\w.]+)"\]\n(?P<name>\w+) = "(?P<place>[\w:.]+)"$')
METADATA = "Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n"


def make_files(page: str, folder: Path) -> str:
    """Write the files that a page shows into *folder*, and return its text."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    for match in FILE.finditer(text):
        (folder / match["name"]).write_text(match[1], encoding="utf-8")
    return text


def run(*words: str, folder: Path) -> str:
    paths = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("page", "script", "printed"),
    [
        ("judge", "half_right.py", "half_right.some_part"),
        ("input", "crowd.py", "lines_of_action_imitated_quick, in runs/crowd"),
        ("network", "gated.py", "gated, in runs/gated"),
    ],
)
def test_scripts_work(page: str, script: str, printed: str, tmp_path: Path) -> None:
    make_files(page, tmp_path)
    assert printed in run(script, folder=tmp_path)


def test_the_player_is_found_and_plays(tmp_path: Path) -> None:
    text = make_files("player", tmp_path)
    entry = ENTRIES.search(text)
    assert entry is not None
    installed = tmp_path / "mine-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(METADATA)
    (installed / "entry_points.txt").write_text(f"[{entry['group']}]\n{entry['name']} = {entry['place']}\n")
    commands = re.findall(r"(?m)^understudy (.*)$", text)
    printed = [run("-m", "understudy", *shlex.split(command), folder=tmp_path) for command in commands]
    assert "narrow chooses f4-d4" in printed[0]
    assert "narrow:noise=0.1 - random:" in printed[1]
