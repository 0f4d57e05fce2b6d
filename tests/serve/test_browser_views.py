"""Every view of the page: watching, tournaments, accessibility, phones, light and dark, and how much is loaded."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.conftest import LONG
from tests.serve.conftest import PHONE, Open, Server, find_cell, wait_for_plies

expect.set_options(timeout=LONG * 1000)

SMALL = {"game": "konane", "size": "4x4"}
MOST = 200_000
"""Bytes of the first load."""


def test_a_match_is_watched_stepwise_and_to_its_end(server: Server, open_page: Open) -> None:
    page = open_page("#/watch")
    page.get_by_role("radio", name="Konane").check()
    page.get_by_label("Size").fill("4x4")
    page.get_by_label("Size").press("Tab")
    expect(page.get_by_label("black", exact=True)).to_have_value("student:konane_4")  # the form of the small board
    for colour in ("black", "white"):
        page.get_by_label(colour, exact=True).select_option("random")
    page.get_by_label("Pace").select_option("slow")
    page.get_by_role("button", name="Watch", exact=True).click()
    wait_for_plies(page, 1)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="One move", exact=True).click()
    wait_for_plies(page, 2)
    page.get_by_label("pace").select_option("fast")
    expect(page.locator(".status")).to_contain_text("The game is over")
    page.locator(".plies button").first.click()
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator(".status")).to_contain_text("It is your move.")


def test_the_end_shows_opinions_and_turning_points(server: Server, open_page: Open) -> None:
    players = {"white": "random", "black": "searcher:depth=2"}
    page = open_page(f"#/watch/{server.begin('morris', players=players, pace=0, seed=4)}")
    expect(page.locator(".status")).to_contain_text("The game is over")
    graph = page.get_by_role("region", name="Opinions over the game")
    expect(graph.locator("path.curve-1")).to_have_count(1)
    turnings = graph.locator(".turnings li")
    assert 1 <= turnings.count() <= 3
    turnings.first.get_by_role("button", name="Look").click()
    expect(page.locator(".looking")).to_contain_text("This is the position after")
    turnings.first.get_by_role("button", name="Play from here").click()
    expect(page.get_by_role("button", name="Take back")).to_be_visible()


def test_a_search_looks_over_a_game_whose_players_told_nothing(server: Server, open_page: Open) -> None:
    players = {"white": "random", "black": "random"}
    page = open_page(f"#/watch/{server.begin('morris', players=players, pace=0, seed=2)}")
    graph = page.get_by_role("region", name="Opinions over the game")
    graph.get_by_role("button", name="Let a search look over the game").click()
    expect(graph.locator("path.curve-0")).to_have_count(1)
    plies = page.locator(".plies button[data-ply]").count()
    expect(graph.locator("circle.point-0")).to_have_count(plies)


def test_a_tournament_fills_its_table(open_page: Open) -> None:
    page = open_page("#/tournament")
    page.get_by_role("radio", name="Konane").check()
    page.get_by_label("Size").fill("4x4")
    page.get_by_label("Size").press("Tab")
    expect(page.get_by_label("Player 1", exact=True)).to_have_value("student:konane_4")
    page.get_by_label("Player 1", exact=True).select_option("stochastic")
    page.get_by_role("button", name="Add a player").click()
    for number in (4, 3):
        page.get_by_role("button", name=f"remove player {number}").click()
        expect(page.get_by_label(f"Player {number}", exact=True)).to_have_count(0)
    page.get_by_label("Games for each pair").fill("2")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("main")).to_contain_text("2 of 2 games.")
    expect(page.locator(".cross tbody tr")).to_have_count(2)
    expect(page.locator(".cross")).to_contain_text(" to ")


def list_views(server: Server) -> dict[str, str]:
    """Return every view by name, with the games that it needs, and what shows that it is there."""
    thinking = server.begin("morris", players={"white": "human", "black": "student:morris,check=legal,best=3"})
    watched = server.begin("konane", size="4x4", players={"black": "random", "white": "random"}, pace=0)
    contest = server.ask("/api/tournaments", {**SMALL, "players": ["random", "stochastic:depth=1"], "games": 2})["id"]
    return {
        "#/play": ".begin .board", "#/play/setup?game=chess": ".palette", "#/play/setup": ".palette",
        f"#/play/{thinking}": ".thoughts", f"#/play/{server.begin('chess', clock={'seconds': 600})}": ".clock",
        "#/watch": ".player", f"#/watch/{watched}": ".status:has-text('over')", "#/tournament": ".entrant",
        f"#/tournament/{contest}": ".cross", "#/learn": "main h1", "#/runs": "main h1",
        "#/studies": "main a[href*=studies]",
    }  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(server: Server, open_page: Open, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_page(color_scheme=scheme)
    for route, there in list_views(server).items():
        page.goto(f"{server.address}/{route}")
        page.locator(there).first.wait_for()
        if there == ".thoughts":
            page.get_by_label("Show it").select_option("always")
            page.locator(".weighed").wait_for()
        for details in page.locator("details:not([open]) > summary").all():
            details.click()
        found = axe.run(page)
        assert found.violations_count == 0, f"{route}, {scheme}: {found.generate_report()}"


@pytest.mark.parametrize("size", [PHONE, {"width": 390, "height": 844}, {"width": 768, "height": 1024}])
def test_no_view_scrolls_sideways(server: Server, open_page: Open, size: dict[str, int]) -> None:
    page = open_page(viewport=size, has_touch=True, is_mobile=True)
    for route, there in list_views(server).items():
        page.goto(f"{server.address}/{route}")
        page.locator(there).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], route


def test_targets_are_large_enough_for_fingers(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}", viewport=PHONE, has_touch=True, is_mobile=True)
    find_cell(page, "a1").wait_for()
    for target in page.locator("main button:visible, main .cell, nav a, main select:visible").all():
        box = target.bounding_box()
        assert box["height"] >= 39.5, target.inner_text()  # 40 but for rounding


def test_stones_glide_unless_the_reader_wants_stillness(server: Server, open_page: Open) -> None:
    name = server.begin("chess")
    for motion, seconds in (("no-preference", "0.22s"), ("reduce", "0s")):
        page = open_page(f"#/play/{name}", reduced_motion=motion)
        expect(page.locator(".man").first).to_have_css("transition-duration", seconds)


def test_the_first_load_is_small(open_page: Open) -> None:
    page = open_page()
    page.locator(".begin .board").wait_for()
    page.get_by_label("Opponent").wait_for()
    sizes = page.evaluate("performance.getEntries().map((entry) => entry.decodedBodySize ?? 0)")
    assert 20_000 < sum(sizes) < MOST, sizes


def test_news_is_told_to_people_who_hear_the_page(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('morris', players={'white': 'human', 'black': 'random'})}")
    find_cell(page, "d2").click()
    expect(page.locator("#news")).to_have_text(re.compile(r"black played \w+\. It is your move\."))
    page.keyboard.press("Shift+Tab")
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#view")).to_be_focused()


@pytest.mark.console("ERR_CONNECTION_REFUSED", "WebSocket connection")
def test_a_server_that_is_gone_is_told_and_found_again(server: Server, open_page: Open) -> None:
    page = open_page()
    dropped: list[Any] = []

    def pass_on(socket: Any) -> None:
        socket.connect_to_server()
        dropped.append(socket)

    page.route_web_socket("**/api/live", pass_on)
    name = server.begin("morris")
    page.goto(f"{server.address}/#/play/{name}")
    find_cell(page, "d2").click()
    wait_for_plies(page, 1)
    dropped[0].close()
    server.ask(f"/api/play/{name}/move", {"move": "a1", "ply": 1})
    wait_for_plies(page, 2)  # it came back by itself and heard what it had missed
    expect(page.locator("#connection")).to_be_hidden()
    assert len(dropped) > 1
