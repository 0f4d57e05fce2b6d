"""What tests in a browser share: a server of their own, Chromium, and pages that must not complain."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LONG, ROOT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
"""Containers have neither user namespaces nor a graphics card nor much shared memory."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "console(text, ...): what a page of this test may say in its console")


class Server:
    """A server in a process of its own, asked as a script would ask it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "understudy", "serve", "--no-browser", "--port", "0"]
        command += ["--runs", str(folder / "runs"), "--games", str(folder / "games.sqlite")]
        paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
        self.log = (folder / "log").open("w+")
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip().rstrip("/")
        assert self.address.startswith("http://"), self.read_log()

    def read_log(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=LONG) as answer:
            return json.load(answer)

    def begin(self, game: str, **wanted: Any) -> str:
        """Begin a game and return its name; two people play unless *players* says otherwise."""
        if "players" not in wanted:
            colours = next(kind["colours"] for kind in self.ask("/api/games")["games"] if kind["name"] == game)
            wanted["players"] = dict.fromkeys(colours, "human")
        return str(self.ask("/api/play", {"game": game, **wanted})["id"])

    def state(self, name: str, since: int | None = None) -> Any:
        return self.ask(f"/api/play/{name}" + ("" if since is None else f"?wait=20&since={since}"))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(LONG)
        for file in (self.process.stdout, self.log):
            if file is not None:
                file.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("uvicorn")
    served = Server(tmp_path_factory.mktemp("served"))
    yield served
    served.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no tests in a browser")
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: no tests in a browser")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


Open = Callable[..., Any]
"""Opens a page at a part of the address; keywords go to the browser's context."""


@pytest.fixture
def open_page(chromium: Any, server: Server, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Return what opens a page; at the end no page may have said anything in its console but what is `expected`."""
    expected: list[str] = [text for mark in request.node.iter_markers("console") for text in mark.args]
    messages: list[str] = []
    contexts: list[Any] = []

    def open_at(route: str = "#/", **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce", **options})
        context.set_default_timeout(LONG * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: messages.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: messages.append(f"error: {error}"))
        page.goto(f"{server.address}/{route}")
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert [text for text in messages if not any(part in text for part in expected)] == []


def find_cell(page: Any, cell: str) -> Any:
    """Return a cell of the board by its name, whatever stands on it."""
    return page.locator(f'.game .cell[aria-label^="{cell},"]')


def click_move(page: Any, move: dict[str, Any]) -> None:
    """Make a move as a person does: its cells one after another, then what else it needs."""
    for cell in move["cells"]:
        find_cell(page, cell).click()
    if move["option"] == "pass":
        page.get_by_role("button", name="Pass", exact=True).click()
    elif move["option"]:
        page.get_by_role("dialog").get_by_role("button", name=move["option"]).click()


def wait_for_plies(page: Any, plies: int) -> None:
    """Wait until the list of moves has so many."""
    page.locator(f'.plies button[data-ply="{plies}"]').wait_for()
