"""Take the pictures of the page that the docs show: `python examples/make_screenshots.py`.

It serves the page, plays a few moves, trains a small student, and needs Playwright and Chromium.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
DESKTOP, PHONE = (1280, 900), (390, 844)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SMALL = {"watch.regular": 400, "watch.custom": 60, "watch.random": 600, "training.epochs": 12}
"""A training of a minute: enough for choices to change."""
PATIENCE = 600.0


def main() -> None:
    """Take all pictures."""
    with _served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        morris, chess = _play(address, "morris", ["d2", "b2", "d6"]), _play(address, "chess", ["e4", "Nf3"])
        _take(browser, address, "page_play", f"#/play/{morris}", _show_thought)
        _take(browser, address, "page_phone", f"#/play/{chess}", _show_thought, size=PHONE, dark=True)
        _take(browser, address, "page_learn", f"#/runs/{_learn(address)}", _go_back)
        _take(browser, address, "page_study", "#/studies/galassi", dark=True)
        browser.close()


@contextmanager
def _served() -> Iterator[str]:
    """Give the address of a server of our own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "understudy", "serve", "--no-browser", "--port", "0"]
        command += ["--runs", f"{folder}/runs", "--games", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip().rstrip("/")
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()


def _ask(address: str, path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.load(answer)


def _play(address: str, game: str, moves: list[str]) -> str:
    """Return a game against the student that ships, after a few moves; one that is illegal by then is another's."""
    state = _ask(address, "/api/play", {"game": game})
    for move in moves:
        legal = [one["move"] for one in state["legal"]]
        body = {"move": move if move in legal else legal[0], "ply": state["ply"]}
        state = _ask(address, f"/api/play/{state['id']}/move", body)
        while not state["legal"] and not state["over"]:
            state = _ask(address, f"/api/play/{state['id']}?wait=20&since={state['version']}")
    return str(state["id"])


def _learn(address: str) -> str:
    """Train a small student; return the name of its run."""
    run = _ask(address, "/api/runs", {"experiment": "morris_quick", "quick": False, "changes": SMALL, "name": "small"})
    began = time.monotonic()
    while run["state"] not in ("done", "stopped") and time.monotonic() - began < PATIENCE:
        time.sleep(2)
        run = _ask(address, f"/api/runs/{run['name']}")
    return str(run["name"])


def _take(
    browser: Browser,
    address: str,
    name: str,
    route: str,
    do: Callable[[Page], None] = lambda page: None,
    *,
    size: tuple[int, int] = DESKTOP,
    dark: bool = False,
) -> None:
    """Take one picture, once the page stands still."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{address}/{route}")
    page.wait_for_load_state("networkidle")
    do(page)
    page.wait_for_timeout(1_500)
    page.screenshot(path=str(PICTURES / f"{name}.png"))
    context.close()


def _show_thought(page: Page) -> None:
    page.get_by_role("button", name="Show it now").click()
    page.get_by_text("chooses").first.wait_for()
    page.evaluate("window.scrollTo(0, 0)")


def _go_back(page: Page) -> None:
    """Show what a student chose before it had learned."""
    slider = page.get_by_role("slider").first
    slider.press("Home")
    slider.press("ArrowRight")
    page.evaluate("document.querySelectorAll('h2')[0].scrollIntoView()")


if __name__ == "__main__":
    main()
