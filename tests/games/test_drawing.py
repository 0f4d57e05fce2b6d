"""Boards as text and as SVG."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.conftest import VARIANTS, random_line, variant_name
from understudy.games import CompiledGame, find_game
from understudy.games.drawing import BOX, CELL, PLAIN, draw_svg, draw_text, locate_cells

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=VARIANTS, ids=variant_name)
def game(request: pytest.FixtureRequest) -> CompiledGame:
    return find_game(*request.param)


def draw(game: CompiledGame, **how: Any) -> ElementTree.Element:
    position = random_line(game, 12, 3)[-1][0]
    return ElementTree.fromstring(draw_svg(game.board, game.stones(position), **how))


def find_class(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in svg.iter() if name in element.get("class", "").split()]


def middle(rectangle: ElementTree.Element) -> tuple[float, float]:
    x, y, width, height = (float(rectangle.get(key, "nan")) for key in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def bounds(path: ElementTree.Element) -> tuple[float, float, float, float]:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
    return min(numbers[::2]), max(numbers[::2]), min(numbers[1::2]), max(numbers[1::2])


def test_cells_are_where_their_names_say(game: CompiledGame) -> None:
    svg = draw(game)
    names = {text.text: (float(text.get("x", 0)), float(text.get("y", 0))) for text in find_class(svg, "us-name")}
    for cell, (x, y) in zip(game.board.cells, locate_cells(game.board), strict=True):
        letter, digits = re.fullmatch(r"(a?[a-z])(\d+)", cell).groups()  # type: ignore[union-attr]
        assert names[letter][0] == x and abs(names[digits][1] - y) < CELL / 4


def test_a_drawing_stands_alone(game: CompiledGame) -> None:
    svg = draw_svg(
        game.board, game.stones(game.start()), title="<b>", description="a & b", marked=[1], heat={0: 0.5},
        forbidden=[2], arrows=[(0, 3, 1.0, "<i>"), (None, 2, 0.5, "")], labels={1: "&"},
    )  # fmt: skip
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[0].text == "<b>"
    assert root[1].tag == f"{SVG}desc" and root[1].text == "a & b"
    assert svg.count("http") == 1 and "url(" not in svg and "<script" not in svg
    assert not [element for element in root.iter() if element.get("id") or element.get("href")]
    classes = {name for element in root.iter() for name in element.get("class", "").split()}
    assert all(name.startswith("us-") for name in classes)
    rules = next(element.text or "" for element in root.iter(f"{SVG}style"))
    assert "prefers-color-scheme:dark" in rules and classes - set(re.findall(r"\.(us-[\w-]+)", rules)) <= {
        "us-marks", "us-stones", "us-p",
    }  # fmt: skip


def test_stones_and_marks_stand_on_their_cells(game: CompiledGame) -> None:
    position = random_line(game, 12, 3)[-1][0]
    spots, stones = locate_cells(game.board), game.stones(position)
    svg = ElementTree.fromstring(draw_svg(game.board, stones, marked=[0, 3]))
    for name, cells in (("us-stones", [cell for cell, stone in enumerate(stones) if stone]), ("us-marks", [0, 3])):
        (group,) = find_class(svg, name)
        assert [shape.get("transform") for shape in group] == [
            f"translate({spots[cell][0] - BOX / 2:g} {spots[cell][1] - BOX / 2:g})" for cell in cells
        ]


def test_heat_and_hatches_are_on_their_cells(game: CompiledGame) -> None:
    spots = locate_cells(game.board)
    svg = draw(game, heat={0: 0.9, 2: 0.01, 3: 0.0}, forbidden=[5, 1])
    warm = find_class(svg, "us-heat")
    assert [middle(one) for one in warm] == [spots[0], spots[2]]  # nothing is drawn where there is no heat
    for path, cell in zip(find_class(svg, "us-hatch"), (1, 5), strict=True):
        left, right, top, bottom = bounds(path)
        x, y = spots[cell]
        assert x - CELL / 2 < left < x < right < x + CELL / 2 and y - CELL / 2 < top < y < bottom < y + CELL / 2


def test_more_heat_is_never_paler() -> None:
    game = find_game("konane")
    shares = [0.0001, 0.004, 0.006, 0.05, 0.2, 0.49, 0.51, 0.9, 1.0, 1.7]
    svg = draw(game, heat=dict(enumerate(shares)))
    shades = [float(one.get("fill-opacity", "nan")) for one in find_class(svg, "us-heat")]
    assert shades == sorted(shades) and len(set(shades[1:-1])) == len(shades) - 2 and shades[-1] <= 1


def test_arrows_lead_from_cell_to_cell(game: CompiledGame) -> None:
    spots = locate_cells(game.board)
    svg = draw(game, arrows=[(0, 3, 1.0, "1"), (5, 1, 0.2, ""), (None, 4, 0.5, "2")])
    weak, strong = find_class(svg, "us-arrow")
    assert float(weak.get("opacity", "nan")) < float(strong.get("opacity", "nan"))
    for path, (origin, to) in ((strong, (0, 3)), (weak, (5, 1))):
        tip = [float(number) for number in path.get("d", "").split("L")[3].split()]
        assert max(abs(tip[0] - spots[to][0]), abs(tip[1] - spots[to][1])) <= 2.1
        left, right, top, bottom = bounds(path)
        assert left - CELL / 4 <= spots[origin][0] <= right + CELL / 4
        assert top - CELL / 4 <= spots[origin][1] <= bottom + CELL / 4
    (ring,) = find_class(svg, "us-drop")
    assert (float(ring.get("cx", 0)), float(ring.get("cy", 0))) == spots[4]
    assert sorted(text.text or "" for text in find_class(svg, "us-badge-text")) == ["1", "2"]


def test_labels_can_be_read_on_every_stone() -> None:
    game = find_game("konane", (4, 4))
    stones = game.stones(game.start())
    svg = ElementTree.fromstring(draw_svg(game.board, ["", *stones[1:]], labels={0: "0", 1: "1", 2: "2"}))
    kinds = [text.get("class", "").removeprefix("us-number").strip() for text in find_class(svg, "us-number")]
    assert kinds == ["", f"us-on-{stones[1]}", f"us-on-{stones[2]}"]


def test_marks_and_colours_leave_the_text_aligned(game: CompiledGame) -> None:
    position = random_line(game, 12, 3)[-1][0]
    stones = game.stones(position)
    plain = draw_text(game.board, stones).splitlines()
    marked = draw_text(game.board, stones, marked=[0, 1, len(stones) - 1]).splitlines()
    coloured = draw_text(game.board, stones, marked=[0, 1, len(stones) - 1], colour=True)
    assert PLAIN in coloured and re.sub("\x1b\\[[0-9;]*m", "", coloured).splitlines() == marked
    stripped = [re.sub(r"[][|-]", " ", line).rstrip() for line in marked]
    assert stripped == [re.sub(r"[|-]", " ", line).rstrip() for line in plain]
    assert "".join(marked).count("[") + "".join(marked).count("]") in (4, 6)


def test_neighbours_share_a_bracket() -> None:
    game = find_game("konane", (4, 4))
    rows = draw_text(game.board, game.stones(game.start()), marked=[1, 0, 15]).splitlines()
    assert rows == ["4 O X O[X]", "3 X O X O", "2 O X O X", "1[X|O]X O", "  a b c d"]
