"""The page's scripts: their types by TypeScript, and that nothing comes from outside."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import LONG, ROOT

STATIC = ROOT / "src" / "understudy" / "serve" / "static"
TYPES = "TypeScript is not installed: npm install --prefix .node typescript"


def find_tsc() -> str | None:
    own = ROOT / ".node" / "node_modules" / ".bin" / "tsc"
    return str(own) if own.exists() else shutil.which("tsc")


def list_files(*suffixes: str) -> list[Path]:
    return sorted(path for path in STATIC.rglob("*") if path.suffix in suffixes)


@pytest.mark.skipif(find_tsc() is None, reason=TYPES)
def test_types() -> None:
    command = [str(find_tsc()), "--noEmit", "-p", str(STATIC / "jsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)
    assert done.returncode == 0, done.stdout


def test_nothing_comes_from_outside() -> None:
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    for path in list_files(".html", ".css", ".js", ".svg"):
        addresses = set(re.findall(r"https?://[^\s\"'`)<]+", path.read_text(encoding="utf-8")))
        assert addresses <= namespaces, path


def test_the_page_has_no_script_or_style_inside() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "<style" not in page and not re.search(r"\sstyle=|\son[a-z]+=", page)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


def test_text_of_people_never_becomes_markup() -> None:
    ways = r"\.(?:innerHTML|outerHTML)\s*[+=]|insertAdjacentHTML|document\.write|\beval\("
    for path in list_files(".js"):
        assert not re.search(ways, path.read_text(encoding="utf-8")), path


def test_the_first_load_is_small() -> None:
    assert sum(path.stat().st_size for path in list_files(".html", ".css", ".js", ".svg")) < 250_000
