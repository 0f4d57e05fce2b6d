"""`make quick` finds the tests of what has changed, nearest first, wherever files lie."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import quick

TREE = {
    "src/understudy/__init__.py": "",
    "src/understudy/rules.py": "",
    "src/understudy/search.py": "def think():\n    from understudy import rules\n",
    "src/understudy/labs/__init__.py": 'LABS = {"online": "understudy.labs.online"}',
    "src/understudy/labs/online.py": "from .. import search\nfrom .tables import printed\n",
    "src/understudy/labs/tables.py": "",
    "src/understudy/games/__init__.py": "",
    "src/understudy/games/compiled.py": 'NOTATIONS = {"chess": "chess_text"}',
    "src/understudy/games/chess_text.py": "",
    "tests/conftest.py": "",
    "tests/test_rules.py": "from understudy.rules import moves\n",
    "tests/test_search.py": "import understudy.search\n",
    "tests/deep/helper.py": "import understudy.search\n",
    "tests/deep/test_helped.py": "from helper import anything\n",
    "tests/test_labs.py": "from understudy.labs import find_lab\n",
    "tests/test_code.py": 'CODE = "import sys; from understudy.games.compiled import x"',
    "tests/test_files.py": '"""Knows of understudy."""\nFILES = ROOT / "experiments"\n',
    "tests/deep/test_match.py": "",
    "experiments/quick.toml": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("src/understudy/rules.py", "test_rules test_search test_helped test_labs"),
        ("src/understudy/search.py", "test_search test_helped test_labs"),
        ("src/understudy/labs/tables.py", "test_labs"),
        ("src/understudy/games/chess_text.py", "test_code"),
        ("src/understudy/games/__init__.py", "test_code"),
        ("tests/deep/helper.py", "test_helped"),
        ("tests/test_search.py", "test_search"),
        ("src/understudy/gone.py", "test_match"),
        ("experiments/quick.toml", "test_files"),
        ("tests/conftest.py", "test_match"),
        ("", "test_match"),
    ],
)
def test_the_nearest_tests_come_first(tree: Path, changed: str, tests: str) -> None:
    found = quick.choose_tests(tree, [Path(changed)] if changed else [])
    assert [file.stem for file in found] == tests.split()


def test_a_module_that_is_gone_is_missed_by_its_importers(tree: Path) -> None:
    (tree / "src/understudy/rules.py").unlink()
    found = quick.choose_tests(tree, [Path("src/understudy/rules.py")])
    assert [file.stem for file in found][:2] == ["test_rules", "test_search"]


@pytest.mark.skipif(shutil.which("git") is None, reason="no git on this machine")
def test_whatever_differs_from_the_main_line_has_changed(tree: Path) -> None:
    def git(*words: str) -> None:
        nobody = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
        subprocess.run(["git", *nobody, *words], cwd=tree, check=True, capture_output=True)

    assert quick.changed_files(tree) == []
    git("init", "--initial-branch=main")
    git("add", ".")
    git("commit", "--message", "all")
    assert quick.changed_files(tree) == []
    git("switch", "--create", "branch")
    (tree / "src/understudy/rules.py").write_text("x = 1")
    git("commit", "--all", "--message", "one")
    (tree / "tests/test_new.py").write_text("")
    (tree / "tests/test_labs.py").unlink()
    names = [file.as_posix() for file in quick.changed_files(tree)]
    assert names == ["src/understudy/rules.py", "tests/test_labs.py", "tests/test_new.py"]


def test_what_time_does_not_allow_is_told(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"test_{name}.py").write_text("def test_one(): pass\n\ndef test_two(): pass\n")
    code = """
import sys
from pathlib import Path
from tests import quick
quick.MOST_FILES = 1
raise SystemExit(quick.run_tests([Path("test_a.py"), Path("test_b.py")], seconds=float(sys.argv[1])))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def last_line(seconds: str) -> str:
        told = subprocess.run([sys.executable, "-c", code, seconds], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, check=True)  # fmt: skip
        return told.stdout.splitlines()[-1]

    assert last_line("600") == "quick: left for `make test`: test_b.py"
    assert last_line("0") == "quick: left for `make test`: test_a.py (2 tests), test_b.py"


def test_every_file_of_the_core_is_there() -> None:
    assert [file.name for file in quick.core_tests(quick.python_files(quick.ROOT))] == list(quick.CORE)
