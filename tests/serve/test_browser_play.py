"""The board in a real browser: every game to its end, by click, key and touch; what people do around a game."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import expect

from tests.conftest import LONG
from tests.serve.conftest import PHONE, Open, Server, click_move, find_cell, wait_for_plies

expect.set_options(timeout=LONG * 1000)

FOOLS_MATE = [("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")]
PAWN_ENDING = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
TWO_JUMPS = "....../....../....../....../....../BW.W.. B"
BLOCKED = "...../...../.WWW./.B.B./..WW. B"
"""Lines of Action: Black cannot move and must pass."""


def follow(server: Server, name: str, ply: int) -> Any:
    """Return the state once it has a person's move to make after *ply*, or is over."""
    state = server.state(name)
    while not state["over"] and (state["ply"] <= ply or not state["legal"]):
        state = server.state(name, state["version"])
    return state


@pytest.mark.parametrize(("game", "size"), [("morris", None), ("konane", "6x6"), ("lines_of_action", "5x5")])
def test_a_game_is_played_to_its_end_by_clicks(server: Server, open_page: Open, game: str, size: str | None) -> None:
    sized = {"size": size} if size else {}
    first, second = server.ask(f"/api/games/{game}")["colours"]
    name = server.begin(game, **sized, players={first: "human", second: "random"}, seed=3)
    page = open_page(f"#/play/{name}")
    state = server.state(name)
    while not state["over"]:
        asking = {"game": game, **sized, "position": state["position"], "turn": state["turn"]}
        best = server.ask("/api/think", {**asking, "player": "searcher:depth=2"})["choice"]
        click_move(page, next(move for move in state["legal"] if move["move"] == best))
        state = follow(server, name, state["ply"])
        if not state["over"]:
            wait_for_plies(page, state["ply"])
    expect(page.locator(".status")).to_contain_text(f"The game is over: {state['ending']}")
    expect(page.locator(".plies button")).to_have_count(state["ply"])
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


def test_chess_ends_in_mate_by_clicks(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}")
    for ply, (start, to) in enumerate(FOOLS_MATE, 1):
        find_cell(page, start).click()
        find_cell(page, to).click()
        wait_for_plies(page, ply)
    expect(page.locator(".status")).to_contain_text("The game is over: black wins")


def test_chess_ends_in_mate_by_keys(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}")
    find_cell(page, "a1").focus()
    at = "a1"
    for ply, cells in enumerate(FOOLS_MATE, 1):
        for number, to in enumerate(cells):
            walk(page, at, to)
            page.keyboard.press("Enter" if number else " ")
            at = to
        wait_for_plies(page, ply)
    expect(page.locator(".status")).to_contain_text("The game is over: black wins")


def walk(page: Any, start: str, to: str) -> None:
    """Walk from cell to cell by arrow keys."""
    columns, rows = ord(to[0]) - ord(start[0]), int(to[1]) - int(start[1])
    for key, count in (("ArrowRight", columns), ("ArrowLeft", -columns), ("ArrowUp", rows), ("ArrowDown", -rows)):
        for _ in range(count):
            page.keyboard.press(key)
    expect(find_cell(page, to)).to_be_focused()


def test_escape_takes_a_choice_back(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}")
    find_cell(page, "e2").click()
    expect(find_cell(page, "e2")).to_have_attribute("aria-label", "e2, white pawn, chosen")
    expect(find_cell(page, "e4")).to_have_attribute("aria-label", "e4, empty, can go here")
    page.keyboard.press("Escape")
    expect(find_cell(page, "e2")).to_have_attribute("aria-label", "e2, white pawn, can move")
    expect(find_cell(page, "e4")).to_have_attribute("aria-label", "e4, empty")


NEAR_ENDS: dict[str, dict[str, str]] = {
    "morris": {"position": "MMOOOOOOOOOOOOEMOOEOOOEO0033"},
    "konane": {"size": "4x4"},
    "lines_of_action": {"size": "4x4"},
    "chess": {"position": "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"},
}
"""From where each game is soon over: a mill leaves Black two stones, the queen mates, small boards are short."""


def press_enter(cell: Any) -> None:
    cell.focus()
    cell.press("Enter")


def tap(cell: Any) -> None:
    cell.tap()


@pytest.mark.parametrize("point", [press_enter, tap])
@pytest.mark.parametrize("game", NEAR_ENDS)
def test_every_game_is_played_to_its_end(
    server: Server, open_page: Open, game: str, point: Callable[[Any], None]
) -> None:
    where = NEAR_ENDS[game]
    name = server.begin(game, **where)
    page = open_page(f"#/play/{name}", viewport=PHONE, has_touch=True, is_mobile=True)
    state = server.state(name)
    while not state["over"]:
        asking = {"game": game, "size": state["size"], "position": state["position"], "turn": state["turn"]}
        best = server.ask("/api/think", {**asking, "player": "searcher:depth=3"})["choice"]
        for cell in next(move for move in state["legal"] if move["move"] == best)["cells"]:
            point(find_cell(page, cell))
        state = follow(server, name, state["ply"])
        wait_for_plies(page, state["ply"])
    expect(page.locator(".status")).to_contain_text(f"The game is over: {state['ending']}")


def test_a_stone_may_jump_twice_and_each_landing_is_shown(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('konane', size='6x6', position=TWO_JUMPS)}")
    find_cell(page, "a1").click()
    for landing in ("c1", "e1"):
        expect(find_cell(page, landing)).to_have_attribute("aria-label", f"{landing}, empty, can go here")
    find_cell(page, "e1").click()
    wait_for_plies(page, 1)
    for jumped in ("b1", "d1"):
        expect(find_cell(page, jumped)).to_have_attribute("aria-label", re.compile("empty"))


def test_arrows_lead_to_the_nearest_cell_on_any_board(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('morris')}")
    find_cell(page, "a7").focus()
    for key, cell in (("Right", "d7"), ("Down", "d6"), ("Down", "d5"), ("Down", "d3"), ("Left", "c3"), ("Up", "c4")):
        page.keyboard.press(f"Arrow{key}")
        expect(find_cell(page, cell)).to_be_focused()
    page.get_by_role("button", name="Flip").click()
    find_cell(page, "a7").focus()
    page.keyboard.press("ArrowLeft")
    expect(find_cell(page, "d7")).to_be_focused()


def test_a_move_that_could_go_on_ends_where_a_person_says(open_page: Open) -> None:
    """No game here has such moves; one of another package may."""
    page = open_page()
    made = page.evaluate("""async () => {
        const { Chooser } = await import("/static/js/chooser.js");
        const paths = [["a"], ["a", "b"], ["a", "b", "c"]];
        const legal = paths.map((cells) => ({ move: cells.join("-"), cells, option: "" }));
        const choose = (...cells) => {
            const chooser = new Chooser(legal);
            return cells.map((cell) => chooser.choose(cell)).at(-1).map(({ move }) => move);
        };
        return [choose("a", "b"), choose("a", "b", "b"), choose("a", "b", "c"), choose("a", "a"), choose("c")];
    }""")
    assert made == [[], ["a-b"], ["a-b-c"], ["a"], []]


def test_stones_are_dragged(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}")
    drag(page, "e2", "e4")
    wait_for_plies(page, 1)
    drag(page, "e7", "a3")  # no move: the pawn goes home
    expect(find_cell(page, "e7")).to_have_attribute("aria-label", "e7, black pawn, can move")
    drag(page, "e7", "e5")
    wait_for_plies(page, 2)


def drag(page: Any, start: str, to: str) -> None:
    ends = [find_cell(page, cell).bounding_box() for cell in (start, to)]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in ends]
    page.mouse.move(*middles[0])
    page.mouse.down()
    page.mouse.move(*middles[1], steps=4)
    page.mouse.up()


def test_a_mill_lets_a_person_choose_a_stone_to_take(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('morris')}")
    for ply, cell in enumerate(("a7", "d2", "d7", "f2"), 1):
        find_cell(page, cell).click()
        wait_for_plies(page, ply)
    find_cell(page, "g7").click()
    expect(page.locator(".status")).to_contain_text("Choose a stone to take.")
    find_cell(page, "a1").click()  # a slip: nothing stands there
    expect(page.locator(".status")).to_contain_text("Choose a stone to take.")
    find_cell(page, "f2").click()
    wait_for_plies(page, 5)
    expect(find_cell(page, "f2")).to_have_attribute("aria-label", "f2, empty, last move, can go here")
    expect(find_cell(page, "g7")).to_have_attribute("aria-label", "g7, white stone, last move")


def test_a_pawn_becomes_what_a_person_chooses(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', position=PAWN_ENDING)}")
    find_cell(page, "a7").click()
    find_cell(page, "a8").click()
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    expect(find_cell(page, "a7")).to_have_attribute("aria-label", "a7, white pawn, can move")
    click_move(page, {"cells": ["a7", "a8"], "option": "knight"})
    wait_for_plies(page, 1)
    expect(find_cell(page, "a8")).to_have_attribute("aria-label", "a8, white knight, last move")


def test_who_cannot_move_passes(server: Server, open_page: Open) -> None:
    name = server.begin("lines_of_action", size="5x5", position=BLOCKED)
    page = open_page(f"#/play/{name}")
    page.get_by_role("button", name="Pass", exact=True).click()
    wait_for_plies(page, 1)
    expect(page.get_by_role("button", name="Pass", exact=True)).to_be_hidden()


def test_a_new_game_is_begun_with_the_form(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("radio", name="Konane").check()
    size = page.get_by_label("Size")
    size.fill("4x4")
    size.press("Tab")
    expect(page.locator(".begin .board .us-white")).to_have_count(8)
    page.get_by_role("radio", name="white").check()
    page.get_by_label("Opponent").select_option("searcher")
    page.get_by_text("options", exact=True).click()
    page.get_by_label("depth", exact=True).fill("2")
    page.get_by_label("Clock").select_option("3+2")
    page.get_by_role("button", name="Play", exact=True).click()
    wait_for_plies(page, 1)
    expect(page.locator(".seat").first).to_contain_text("searcher:depth=2 (black)")
    expect(page.get_by_role("timer", name="white's clock")).to_contain_text(":")
    page.goto(page.url.split("#")[0])
    expect(page.get_by_role("heading", name="Your games")).to_be_visible()
    page.get_by_role("button", name="forget this game").click()
    expect(page.locator(".games-list li")).to_have_count(0)


def test_moves_are_taken_back_and_looked_at(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess')}")
    for ply, cells in enumerate((("e2", "e4"), ("e7", "e5")), 1):
        click_move(page, {"cells": cells, "option": ""})
        wait_for_plies(page, ply)
    page.locator(".plies button", has_text="e4").click()
    expect(find_cell(page, "e5")).to_have_attribute("aria-label", "e5, empty")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".looking")).to_contain_text("This is the start.")
    page.keyboard.press("End")
    expect(page.locator(".looking")).to_be_hidden()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".plies button")).to_have_count(1)
    page.locator(".plies button").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play from here").click()
    expect(page.locator(".plies")).to_contain_text("None yet.")


def test_resigning_is_asked_for_and_a_rematch_swaps_colours(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', players={'white': 'human', 'black': 'random'})}")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(page.locator(".status")).to_contain_text("It is your move.")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.locator(".status")).to_contain_text("The game is over: black wins")
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator(".seat").last).to_contain_text("You (black)")
    wait_for_plies(page, 1)


def test_a_board_is_flipped_and_sides_are_swapped(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', players={'white': 'human', 'black': 'random'})}")
    low = find_cell(page, "a1").bounding_box()
    page.get_by_role("button", name="Flip").click()
    high = find_cell(page, "a1").bounding_box()
    assert high["y"] < low["y"]
    assert high["x"] > low["x"]
    expect(page.locator(".seat").first).to_contain_text("You (white)")
    page.get_by_role("button", name="Swap sides").click()
    expect(page.locator(".seat").first).to_contain_text("random (white)")
    wait_for_plies(page, 1)


def test_a_hint_shows_a_move(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('konane', size='4x4', players={'black': 'human', 'white': 'random'})}")
    page.get_by_label("Show it").select_option("always")
    page.locator(".weighed").wait_for()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".status")).to_contain_text("student:konane_4 would play")
    expect(page.locator(".above .us-drop").first).to_be_visible()
    state = server.state(page.url.rsplit("/", 1)[1])
    click_move(page, state["legal"][0])
    wait_for_plies(page, 2)
    expect(page.locator(".status")).not_to_contain_text("would play")


def test_time_runs_out(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', clock={'seconds': 1, 'increment': 0})}")
    for ply, cells in enumerate((("e2", "e4"), ("e7", "e5")), 1):
        if page.locator(".status", has_text="over").count():
            break  # a busy machine: the time was over before it could be spent
        click_move(page, {"cells": cells, "option": ""})
        page.locator(f'.plies button[data-ply="{ply}"], .status:has-text("over")').first.wait_for()
    expect(page.locator(".status")).to_contain_text("The game is over")


def test_a_game_survives_a_reload(server: Server, open_page: Open) -> None:
    page = open_page(f"#/play/{server.begin('chess', players={'white': 'human', 'black': 'random'})}")
    click_move(page, {"cells": ["e2", "e4"], "option": ""})
    wait_for_plies(page, 2)
    page.reload()
    wait_for_plies(page, 2)
    expect(find_cell(page, "e4")).to_have_attribute("aria-label", re.compile("^e4, white pawn"))


def test_two_tabs_follow_one_game(server: Server, open_page: Open) -> None:
    name = server.begin("morris")
    first, second = (open_page(f"#/play/{name}") for _ in range(2))
    find_cell(second, "d2").wait_for()
    find_cell(first, "d2").click()
    wait_for_plies(second, 1)
    find_cell(second, "f4").click()
    wait_for_plies(first, 2)


@pytest.mark.console("409")
def test_a_tab_that_was_too_slow_is_told_gently(server: Server, open_page: Open) -> None:
    name = server.begin("morris")
    page = open_page()
    page.route_web_socket("**/api/live", lambda socket: None)  # hears nothing of the game
    page.goto(f"{server.address}/#/play/{name}")
    find_cell(page, "d2").wait_for()
    server.ask(f"/api/play/{name}/move", {"move": "a1", "ply": 0})
    find_cell(page, "d2").click()
    expect(page.locator(".status")).to_contain_text("The game has gone on in another window")
    expect(find_cell(page, "a1")).to_have_attribute("aria-label", "a1, white stone, last move")
    find_cell(page, "d2").click()
    wait_for_plies(page, 2)


def test_a_position_is_set_up_stone_by_stone(server: Server, open_page: Open) -> None:
    page = open_page("#/play/setup?game=chess")
    page.get_by_role("button", name="Clear the board").click()
    for stone, cells in (("white king", ["e1"]), ("black king", ["e8"]), ("white pawn", ["a2", "b2"])):
        page.get_by_role("button", name=stone).click()
        for cell in cells:
            find_cell(page, cell).click()
    find_cell(page, "b2").click()  # the same stone again takes it away
    page.get_by_role("radio", name="black").check()
    page.get_by_role("button", name="Write the stones as text").click()
    expect(page.get_by_label("The position as text")).to_have_value("4k3/8/8/8/8/8/P7/4K3 b - - 0 1")
    page.get_by_label("Opponent").select_option("human")
    page.get_by_role("button", name="Play from here").click()
    click_move(page, {"cells": ["e8", "e7"], "option": ""})
    wait_for_plies(page, 1)


@pytest.mark.console("400")
def test_a_position_that_cannot_be_is_refused_in_one_sentence(open_page: Open) -> None:
    page = open_page("#/play/setup?game=chess")
    page.get_by_label("The position as text").fill("nonsense")
    page.get_by_role("button", name="Show this position").click()
    expect(page.get_by_role("alert")).to_contain_text("nonsense")
    page.get_by_label("The position as text").fill(PAWN_ENDING)
    page.get_by_role("button", name="Show this position").click()
    expect(find_cell(page, "a7")).to_have_attribute("aria-label", "a7, white pawn")
    page.get_by_role("button", name="Clear the board").click()
    page.get_by_role("button", name="Play from here").click()
    expect(page.get_by_role("alert")).to_contain_text("there are no pieces")


def test_a_record_is_saved_copied_and_opened_again(server: Server, open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"#/play/{server.begin('chess')}", permissions=["clipboard-read", "clipboard-write"])
    click_move(page, {"cells": ["e2", "e4"], "option": ""})
    wait_for_plies(page, 1)
    page.get_by_text("Position and record").click()
    page.get_by_role("button", name="Copy position").click()
    expect(page.locator(".records")).to_contain_text("The position: copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("rnbqkbnr/pppppppp/8/8/4P3")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as PGN").click()
    assert "1. e4" in Path(download.value.path()).read_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as JSON").click()
    file = tmp_path / "game.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["moves"]
    page.get_by_role("button", name="Set up, paste or import").click()
    page.get_by_text("Open a saved game").click()
    page.get_by_label("or from a file").set_input_files(file)
    expect(page.get_by_label("A record")).not_to_have_value("")
    page.get_by_label("Opponent").select_option("human")
    page.get_by_role("button", name="Open this game").click()
    wait_for_plies(page, 1)


@pytest.mark.console("404")
def test_a_game_that_is_gone_is_told(open_page: Open) -> None:
    page = open_page("#/play/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("nowhere")
    page.goto(page.url.split("#")[0] + "#/nonsense")
    expect(page.get_by_role("heading", level=1)).to_contain_text("There is no such page")
