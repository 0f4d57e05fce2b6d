"""Every command that the README shows works as shown, long ones made shorter; every link leads somewhere."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

TINY_MORRIS = (
    "--set watch.regular=4 --set watch.custom=0 --set watch.random=8 --set watch.teacher=searcher:nodes=50 "
    "--set training.epochs=1 --set network.width=25 --set network.hidden=25 "
    "--set judging.states_count=50 --set judging.games=2"
)
SHORTER = {
    "understudy serve": ("--no-browser --port 0 --games games.sqlite", ""),
    "understudy play morris": ("", "quit\n\n"),
    "understudy think chess student:chess": ("", ""),
    "understudy think chess student:chess_imitator": ("", ""),
    "understudy match konane student:konane_8 searcher:depth=2 --games 100": ("--games 2", ""),
    "understudy uci student:chess,time=1": ("", "uci\nisready\nquit\n"),
    "understudy experiments": ("", ""),
    "understudy run konane_4x4 --quick": (
        "--set training.games=100 --set training.repeats=1 --set judging.games=4 --set judging.snapshot_games=4",
        "",
    ),
    "understudy run morris_quick --set network.blocks=3 --run runs/deeper": (TINY_MORRIS, ""),
    "understudy fetch nnmm": ("--list", ""),
    "understudy report --all": ("", ""),
}
"""For each command of the README what is added to make it shorter (later options win), and what is typed."""


AFTER = {"understudy report --all": "understudy run konane_4x4 --quick"}
"""What must have been done before, by whichever process of tests a command falls to."""
ENDLESS = ("understudy serve",)
"""Commands that go on until they are stopped."""


def shortened(command: str) -> list[str]:
    """Return the words of a command of the README, made shorter."""
    return [sys.executable, "-m", *shlex.split(command), *shlex.split(SHORTER[command][0])]


def check_page(words: list[str], workplace: Path) -> None:
    """Let the page be served, and open it at the address that is printed first."""
    pytest.importorskip("uvicorn")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=workplace) as server:
        assert server.stdout is not None
        try:
            with urllib.request.urlopen(server.stdout.readline().strip()) as page:
                assert b"Understudy" in page.read()
        finally:
            server.terminate()


def commands() -> list[str]:
    """Return the commands of the README without their comments."""
    blocks = re.findall(r"```\n(.*?)```", README, re.DOTALL)
    lines = [line.split(" #")[0].rstrip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("understudy ")]


def test_all_commands_of_the_readme_are_tried() -> None:
    assert commands() == list(SHORTER)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workplace")


@pytest.mark.parametrize("command", list(SHORTER))
def test_commands_of_the_readme_work(command: str, workplace: Path) -> None:
    if command in ENDLESS:
        check_page(shortened(command), workplace)
        return
    if command in AFTER and not (workplace / "runs").exists():
        subprocess.run(shortened(AFTER[command]), capture_output=True, cwd=workplace, check=True)
    typed = SHORTER[command][1]
    run = subprocess.run(shortened(command), input=typed, capture_output=True, text=True, cwd=workplace, check=False)
    assert run.returncode == 0 and "Traceback" not in run.stderr, run.stderr


def test_the_python_of_the_readme_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0].replace("games=20", "games=2")
    shorter = 'changes=["training.games=100", "training.repeats=1", "judging.games=4", "judging.snapshot_games=4"]'
    names: dict[str, object] = {}
    exec(code.replace("quick=True", f"quick=True, {shorter}"), names)
    assert (tmp_path / "runs" / "konane_4x4_quick" / "report.html").is_file() and "run" in names


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    assert len(README.splitlines()) <= 120
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "CONTRIBUTING.md"]
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not link.startswith("http") and not (page.parent / link).exists()
    ]
    assert missing == []
