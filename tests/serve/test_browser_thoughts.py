"""What players think, in a real browser: every kind of player, hidden and shown, on the board and beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.conftest import LONG
from tests.serve.conftest import Open, Server, click_move, find_cell, wait_for_plies

expect.set_options(timeout=LONG * 1000)

STUDENT = "student:morris,check=legal,best=3"


def show_always(page: Any) -> Any:
    """Show thoughts at all times and return the panel."""
    page.get_by_label("Show it").select_option("always")
    return page.get_by_role("region", name="What it thinks")


def test_a_student_tells_part_by_part_after_the_person_has_moved(server: Server, open_page: Open) -> None:
    name = server.begin("morris", players={"white": "human", "black": STUDENT}, seed=1)
    page = open_page(f"#/play/{name}")
    panel = page.get_by_role("region", name="What it thinks")
    expect(panel).to_contain_text("Hidden while it is your move")
    expect(page.locator(".below rect")).to_have_count(0)
    panel.get_by_role("button", name="Show it now").click()
    expect(panel).to_contain_text("of its mind is on moves that the rules forbid")
    expect(page.locator(".below .us-heat").first).to_be_attached()
    find_cell(page, "d2").click()
    wait_for_plies(page, 2)
    expect(panel).to_contain_text("Hidden while it is your move")  # cleared with the position that it was about
    expect(page.locator(".below rect")).to_have_count(0)
    panel.get_by_role("button", name="What it thought before").click()
    expect(panel.get_by_role("button", name="2. to")).to_have_attribute("aria-pressed", "true")
    panel.get_by_role("button", name="1. from").click()
    expect(page.locator(".below .us-hatch").first).to_be_attached()


def test_another_cell_changes_the_parts_that_follow(server: Server, open_page: Open) -> None:
    position = server.ask("/api/think", {"game": "morris", "player": STUDENT, "moves": ["a7", "d2", "d7", "f2"]})[
        "position"
    ]
    page = open_page(f"#/play/{server.begin('morris', position=position)}")
    panel = show_always(page)
    panel.get_by_label("Who thinks").select_option(STUDENT)
    panel.get_by_role("button", name="2. to").click()
    panel.locator(".cells-list button", has_text="b6").or_(panel.locator(".cells-list button").nth(1)).first.click()
    expect(panel).to_contain_text("Given: to")
    expect(panel.get_by_role("button", name="3. remove")).to_have_attribute("aria-pressed", "true")
    panel.get_by_role("button", name="Its own choice again").click()
    expect(panel).not_to_contain_text("Given:")


def test_a_cell_is_tried_on_the_board_itself(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('morris', players={'white': 'human', 'black': STUDENT}, seed=1)}")
    find_cell(page, "d2").click()
    wait_for_plies(page, 2)
    page.get_by_role("button", name="What it thought before").click()
    panel = page.get_by_role("region", name="What it thinks")
    expect(panel.get_by_role("button", name="2. to")).to_have_attribute("aria-pressed", "true")
    find_cell(page, "a1").click()
    expect(panel).to_contain_text("Given: to a1")


def test_a_value_student_puts_numbers_on_destinations(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', players={'white': 'human', 'black': 'student:chess'})}")
    panel = show_always(page)
    expect(panel.locator(".scale")).to_contain_text("losesevenwins")
    expect(panel).to_contain_text("It expects")
    expect(page.locator(".above .us-number")).to_have_count(16)  # each cell where a move may end
    find_cell(page, "e2").click()
    expect(page.locator(".above .us-number")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator(".above .us-number")).to_have_count(16)
    panel.get_by_role("button", name="arrows").click()
    expect(page.locator(".above .us-arrow").first).to_be_attached()
    panel.get_by_role("button", name="nothing").click()
    expect(page.locator(".above .us-arrow")).to_have_count(0)


def test_an_evolved_student_tells_what_it_sees(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('lines_of_action')}")
    panel = show_always(page)
    panel.get_by_label("Who thinks").select_option("student:lines_of_action")
    expect(panel.locator(".inputs")).to_contain_text("threats")
    expect(panel.locator(".inputs")).to_contain_text("mobility")


def test_a_search_tells_while_it_thinks_and_shows_lines(server: Server, open_page: Open) -> None:
    players = {"white": "human", "black": "searcher:time=4"}
    page = open_page(f"#/play/{server.begin('chess', players=players)}")
    panel = page.get_by_role("region", name="What it thinks")
    click_move(page, {"cells": ["e2", "e4"], "option": ""})
    expect(panel).to_contain_text("holds best")
    expect(panel).to_contain_text("nodes")
    wait_for_plies(page, 2)
    page.keyboard.press("Tab")
    panel.get_by_role("button", name="What it thought before").click()
    panel.get_by_label("Who thinks").select_option("searcher")
    expect(panel).to_contain_text("4 plies deep")
    line = panel.locator(".lines li").first
    line.focus()
    expect(page.locator(".above .us-badge").first).to_be_attached()


def test_truth_stands_beside_the_opinion_where_it_is_known(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('konane', size='4x4')}")
    panel = show_always(page)
    expect(panel).to_contain_text("Two people play. Choose who thinks.")
    panel.get_by_label("Who thinks").select_option("searcher")
    expect(panel.get_by_role("columnheader", name="in truth")).to_be_visible()
    expect(panel.locator(".weighed td:last-child").first).to_have_text("loses")  # black loses on 4x4


def test_two_thinkers_differ(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', players={'white': 'human', 'black': 'student:chess'})}")
    panel = show_always(page)
    panel.get_by_label("Beside it").select_option("searcher")
    expect(panel.locator(".pair > div")).to_have_count(2)
    expect(panel).to_contain_text("another choice")
    expect(panel.locator(".differs").first).to_be_visible()


@pytest.mark.console("ERR_FAILED")
def test_generations_are_chosen_by_a_slider(server: Server, open_page: Open) -> None:
    student = {
        "player": "student:runs/tiny",
        "title": "evolved here",
        "place": "runs/tiny",
        "about": "",
        "generations": [0, 30, 300],
    }
    page = open_page("#/watch")
    page.route("**/api/players*", lambda route: route.fulfill(json={"players": [], "students": [student]}))
    asked: list[Any] = []
    page.route("**/api/play", lambda route: (asked.append(json.loads(route.request.post_data)), route.abort()))
    page.get_by_role("radio", name="Lines of Action").check()
    expect(page.locator(".player label").first).to_have_text("black")  # who begins in this game
    page.get_by_label("black", exact=True).select_option("student:runs/tiny")
    page.get_by_label("how far evolved").first.press("ArrowLeft")
    expect(page.locator("output").first).to_have_text("generation 30")
    page.get_by_role("button", name="Watch", exact=True).click()
    expect(page.get_by_role("alert").last).to_contain_text("does not answer")
    assert asked[0]["players"]["black"] == "student:runs/tiny,generation=30"
