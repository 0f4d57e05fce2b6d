"""Learning, runs and studies in a real browser: a training is started, seen, paused, gone on with and played."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import LONG, wait_until
from tests.serve.conftest import DESKTOP, PHONE, Open, Server
from tests.tiny import tiny
from understudy import lab

EXPERIMENT = "konane_4x4_perfect"
"""The smallest experiment from nothing whose boards change from epoch to epoch."""


def check_axe(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def wait_for_state(page: Any, state: str) -> None:
    page.locator(f".badge.{state}").first.wait_for()


def start(page: Any, *, epochs: int, boards: int, name: str) -> None:
    """Fill the form in and start."""
    page.get_by_label("Experiment").select_option(EXPERIMENT)
    page.get_by_label("epochs").fill(str(epochs))
    page.get_by_label("boards").fill(str(boards))
    page.get_by_text("name of the folder").click()
    page.get_by_label("runs/").fill(name)
    page.get_by_role("button", name="Start").click()


@pytest.fixture(scope="module")
def runs(server: Server) -> Path:
    """The server's folder of runs, with two finished ones."""
    folder = Path(server.process.args[server.process.args.index("--runs") + 1])  # type: ignore[arg-type, union-attr, index]
    for name, seed in (("first", 1), ("second", 2)):
        lab.run(tiny("evolution", judging__matches=2, judging__baselines=[], trainer__seed=seed), folder / name)
    lab.train(tiny("imitation", watch__regular=10), folder / "watched")
    (folder / "broken").mkdir()
    (folder / "broken" / "experiment.toml").write_text("x = [")
    return folder


def test_a_training_is_started_watched_paused_gone_on_with_and_played(open_page: Open, server: Server) -> None:
    page = open_page("#/learn")
    start(page, epochs=60, boards=200, name="mine")
    page.wait_for_url("**/#/learn/mine")
    page.locator(".scene").nth(5).wait_for()
    slider = page.locator(".glimpses input[type=range]")
    wait_until(lambda: int(slider.get_attribute("max")) > 2)
    first = page.locator(".moment").inner_text()
    slider.focus()
    page.keyboard.press("Home")
    assert page.locator(".moment").inner_text() == "before the first epoch" != first
    page.keyboard.press("End")
    page.get_by_role("button", name="Pause").click()
    wait_for_state(page, "paused")
    assert server.ask("/api/runs/mine")["state"] == "paused"
    check_axe(page)
    page.get_by_role("button", name="Go on").click()
    wait_for_state(page, "done")
    assert page.locator(".moment").inner_text() == "epoch 60"
    page.get_by_role("button", name="Play against it").click()
    page.wait_for_url(re.compile(r"#/play/[\w-]+"))
    page.locator(".game .cell").first.wait_for()
    state = server.ask(f"/api/play/{page.url.rpartition('/')[2]}")
    assert state["players"]["white"] == "student:runs/mine"


@pytest.mark.console("409")
def test_the_form_says_what_is_wrong(open_page: Open, runs: Path) -> None:
    page = open_page("#/learn")
    page.get_by_label("Experiment").select_option(EXPERIMENT)
    check_axe(page)
    start(page, epochs=3, boards=200, name="first")
    sentence = page.get_by_role("alert").filter(has_text="there is a run 'first' already")
    sentence.wait_for()
    assert "#/learn" in page.url and page.url.endswith("#/learn")


def test_all_runs(open_page: Open, runs: Path) -> None:
    page = open_page("#/runs")
    page.get_by_role("link", name="first", exact=False).first.wait_for()
    assert page.locator(".run-list li").count() >= 4
    page.get_by_text("is not TOML").wait_for()
    check_axe(page)
    page.locator('.run-list a[href="#/runs/first"]').click()
    page.locator(".chart").first.wait_for()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_run_with_another_laid_over_it(open_page: Open, runs: Path, size: Any, scheme: str) -> None:
    page = open_page("#/runs/first", viewport=size, color_scheme=scheme)
    page.locator(".chart").first.wait_for()
    before = page.locator(".chart").first.locator(".legend li").count()
    page.get_by_label("laid over it").select_option("second")
    wait_until(lambda: page.locator(".chart").first.locator(".legend li").count() == 2 * before)
    page.locator(".drawing").first.focus()
    page.keyboard.press("ArrowRight")
    reading = page.locator(".reading").first.inner_text()
    assert reading.startswith("generations 0\n") and "first: " in reading and "second: " in reading
    page.get_by_role("button", name="As a table").first.click()
    assert page.locator(".chart").first.locator("tbody tr").count() >= 3
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    check_axe(page)


def test_a_generation_is_played(open_page: Open, server: Server, runs: Path) -> None:
    page = open_page("#/runs/first")
    item = page.locator(".students li").filter(has_text="steady")
    item.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    assert item.locator("output").inner_text() == "generation 0"
    item.get_by_role("button", name="Play").click()
    page.wait_for_url(re.compile(r"#/play/[\w-]+"))
    page.locator(".game .cell").first.wait_for()
    state = server.ask(f"/api/play/{page.url.rpartition('/')[2]}")
    assert state["players"]["white"] == "student:runs/first,order=steady,generation=0"


def test_illegal_choices_are_red_and_said_in_words(open_page: Open, runs: Path) -> None:
    page = open_page("#/runs/watched")
    page.locator(".scene").nth(5).wait_for()
    page.locator(".glimpses input[type=range]").focus()
    page.keyboard.press("Home")
    assert page.locator(".scene.wrong").count() >= 4
    assert page.get_by_text("the rules forbid it").count() == page.locator(".scene.wrong").count()
    assert page.locator(".us-wrong .us-hatch").count() > 0
    page.get_by_role("button", name="Show all in turn").click()
    page.get_by_role("button", name="Show all in turn").wait_for(timeout=LONG * 1000)  # it ended by itself
    assert page.locator(".moment").inner_text().startswith("network remove, epoch 2")
    check_axe(page)


def test_an_unfinished_student_is_played(open_page: Open, server: Server, runs: Path) -> None:
    for path in runs.glob("watched/student*"):
        path.unlink()
    page = open_page("#/runs/watched")
    page.get_by_role("button", name="Play it now").click()
    page.wait_for_url(re.compile(r"#/play/[\w-]+"))
    page.locator(".game .cell").first.wait_for()
    state = server.ask(f"/api/play/{page.url.rpartition('/')[2]}")
    assert state["players"]["black"] == "student:runs/watched,order=unfinished,check=legal"


def test_all_studies(open_page: Open) -> None:
    page = open_page("#/studies")
    page.locator(".studies-list li").nth(3).wait_for()
    check_axe(page)


def read_cells(page: Any) -> list[str]:
    """Return what is said of every cell of the figure."""
    labels: list[str] = page.locator(".figure .cell").evaluate_all(
        "cells => cells.map((cell) => cell.getAttribute('aria-label'))"
    )
    return labels


@pytest.mark.parametrize("name", ["galassi", "thompson", "miller", "sabatelli"])
def test_a_study_has_a_figure_to_touch(open_page: Open, server: Server, name: str) -> None:
    page = open_page(f"#/studies/{name}")
    chooses = page.locator(".figure-thoughts").get_by_text(" chooses ")
    chooses.first.wait_for()
    first, before = read_cells(page), page.locator(".figure-thoughts").inner_text()
    figure = server.ask(f"/api/studies/{name}")["figure"]
    where = "&".join(f"{key}={figure[key]}" for key in ("game", "size") if figure[key])
    legal = server.ask(f"/api/place?{where}")["legal"][0]
    for cell in legal["cells"]:
        page.locator(f'.figure .cell[aria-label^="{cell},"]').click()
    wait_until(lambda: page.locator(".figure-thoughts").inner_text() not in (before, ""))
    chooses.first.wait_for()
    check_axe(page)
    page.get_by_role("button", name="Back to the beginning").click()
    # The board, not the thoughts: a thinker that is indifferent may choose something else when asked again.
    wait_until(lambda: read_cells(page) == first)


def test_a_study_on_a_phone(open_page: Open) -> None:
    page = open_page("#/studies/thompson", viewport=PHONE, color_scheme="dark")
    page.locator(".figure-thoughts").get_by_text(" chooses ").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    check_axe(page)


@pytest.mark.console("404")
def test_what_there_is_not(open_page: Open) -> None:
    page = open_page("#/runs/nowhere")
    page.get_by_text("there is no run 'nowhere'").wait_for()
    page = open_page("#/studies/nobody")
    page.get_by_text("there is no study 'nobody'").wait_for()
