"""Thoughts, games and tables as HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.conftest import VARIANTS, random_line, variant_name
from understudy.games import CompiledGame, find_game
from understudy.games.drawing import CELL, locate_cells
from understudy.match import Opening, Played, Terms, play_games, random_openings
from understudy.pictures import picture_game, picture_position, picture_table, picture_thought
from understudy.pictures.forms import LOST, VERDICTS, call_value
from understudy.pictures.traces import Trace, trace_move
from understudy.players import make_player, think
from understudy.protocols import Choice
from understudy.thoughts import Line, Thought, Weighed

THINKERS = [
    ("morris", None, "random"), ("morris", None, "student:morris"), ("morris", None, "hybrid:morris"),
    ("morris", None, "searcher:depth=2"), ("morris", None, "stochastic:depth=2"), ("konane", (4, 4), "perfect"),
    ("konane", (6, 6), "student:konane_6"), ("lines_of_action", None, "searcher:depth=2"),
    ("chess", None, "searcher:depth=2"), ("chess", None, "student:chess"),
]  # fmt: skip
VOID = {"input"}
HOSTILE = "<script>alert('&\"')</script>"


class Tree(HTMLParser):
    """Checks that tags are closed in order, and remembers all of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def count(self, name: str) -> int:
        return sum(name in (attributes.get("class") or "").split() for _, attributes in self.tags)


def check(html: str, *, scripts: int = 0) -> Tree:
    """Check that a fragment stands alone and can be put on any page."""
    tree = Tree(html)
    assert sum(tag == "script" for tag, _ in tree.tags) == scripts
    assert set(re.findall(r"https?://[^\"\s]*", html)) <= {"http://www.w3.org/2000/svg"} and "url(" not in html
    for _, attributes in tree.tags:
        assert not {"id", "src", "href"} & set(attributes)
        assert all(name.startswith("us-") for name in (attributes.get("class") or "").split())
    for style in re.findall(r"<style>(.*?)</style>", html, flags=re.DOTALL):
        for selector in re.findall(r"([^{};]+)\{", re.sub(r"@[^{]+\{", "", style)):
            assert all(one.strip().startswith(".us-") for one in selector.split(",")), selector
    return tree


def boards(html: str) -> list[ElementTree.Element]:
    drawings = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)]
    return [svg for svg in drawings if "us-board" in svg.get("class", "")]


def elements(svg: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in svg.iter() if name in element.get("class", "").split()]


@cache
def ponder(name: str, size: tuple[int, int] | None, player: str) -> Thought:
    game = find_game(name, size)
    return think(make_player(player, game), game, random_line(game, 4, 2)[-1][0])


@pytest.fixture
def student() -> Thought:
    return ponder("morris", None, "student:morris")


@pytest.fixture
def searcher() -> Thought:
    return ponder("morris", None, "searcher:depth=2")


def film(html: str) -> dict[str, Any]:
    (data,) = [attributes["data-film"] for _, attributes in Tree(html).tags if "data-film" in attributes]
    assert data is not None
    described: dict[str, Any] = json.loads(data)
    return described


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_positions_are_pictures(variant: Any) -> None:
    game = find_game(*variant)
    position = random_line(game, 9, 1)[-1][0]
    svg = ElementTree.fromstring(picture_position(game, position, marked=(0, 2)))
    assert svg[0].text == f"{game.name}: {game.write(position)}"
    assert svg[1].text == f"{game.colours[position.ply % 2]} to move"
    assert len(elements(svg, "us-mark")) == 2


@pytest.mark.parametrize("thinker", THINKERS, ids=lambda thinker: f"{thinker[0]}-{thinker[2]}")
def test_every_kind_of_thought_is_a_picture(thinker: tuple[str, tuple[int, int] | None, str]) -> None:
    thought = ponder(*thinker)
    html = picture_thought(thought)
    tree = check(html)
    assert thought._repr_html_() == html
    assert thought.player in html and f"</span> {thought.write(thought.choice.move)}</p>" in html
    assert len(boards(html)) == len(thought.parts) + (thought.kind != "probability" or not thought.parts)
    assert tree.count("us-chosen") == any(weighed.number is not None for weighed in thought.moves)
    assert tree.count("us-rank") == len(thought.lines)


def test_parts_are_boards_in_deciding_order(student: Thought) -> None:
    game, drawings = student.game, boards(picture_thought(student))
    spots = locate_cells(game.board)
    assert [svg[0].text for svg in drawings] == [f"{part.part}: {part.choice}" for part in student.parts]
    for part, svg in zip(student.parts, drawings, strict=True):
        warm = elements(svg, "us-heat")
        assert bool(warm) == (part.choice != "none")  # a cell, or next to nothing on all cells
        if not warm:
            continue
        warmest = max(warm, key=lambda one: float(one.get("fill-opacity", 0)))
        likely = max(game.board.cells, key=lambda name: part.cells[name])
        x, y = spots[game.board.cells.index(likely)]
        assert abs(float(warmest.get("x", 0)) + CELL / 2 - x) < 3 and abs(float(warmest.get("y", 0)) + CELL / 2 - y) < 3


def test_what_no_legal_move_has_is_hatched_and_has_the_illegal_share(student: Thought) -> None:
    game = student.game
    spots = [(x - 20, y - 12) for x, y in locate_cells(game.board)]
    for part, svg in zip(student.parts, boards(picture_thought(student)), strict=True):
        starts = [path.get("d", "").split("L")[0][1:].split() for path in elements(svg, "us-hatch")]
        hatched = [game.board.cells[spots.index((float(x), float(y)))] for x, y in starts]
        share = sum(part.cells[cell] for cell in hatched)
        nothing = part.cells["none"]
        assert share == pytest.approx(part.illegal, abs=1e-6) or share + nothing == pytest.approx(
            part.illegal, abs=1e-6
        )
        assert part.choice not in hatched


def test_an_illegal_choice_is_marked_and_kept_apart(student: Thought) -> None:
    move = student.choice.move
    others = tuple(weighed for weighed in student.moves if weighed.move != move)
    bad = replace(student, moves=(*others, Weighed(move, 0.25, legal=False), Weighed(1, 0.0001, legal=False)))
    html = picture_thought(bad)
    tree = check(html)
    assert "the rules forbid it" in html and "the rules forbid it" not in picture_thought(student)
    section = html.split("Moves that the rules forbid")[1]
    assert "25.0 %" in section and section.count("<li") == 1 and tree.count("us-chosen") == 1
    assert bad.illegal is not None and bad.illegal > (student.illegal or 0.0) + 0.01
    assert f"{100 * bad.illegal:.1f} % of its mind is on moves that the rules forbid." in html


def test_values_stand_on_one_scale_from_lost_to_won(searcher: Thought) -> None:
    moves = tuple(weighed.move for weighed in searcher.moves if weighed.legal)[:3]
    values = [Weighed(move, number) for move, number in zip(moves, (1.0, 0.0, -0.5), strict=True)]
    html = picture_thought(replace(searcher, moves=tuple(values), lines=()))
    check(html)
    fills = re.findall(r'us-fill us-(more|less)" style="([^"]*)"', html)
    assert fills == [
        ("more", "left:50.0%;width:50.0%"), ("more", "left:50.0%;width:0.0%"), ("less", "left:25.0%;width:25.0%"),
    ]  # fmt: skip
    assert all(f"<i>{end}</i>" in html for end in ("loses", "even", "wins"))


def test_the_best_moves_are_arrows_by_rank(searcher: Thought) -> None:
    (svg,) = boards(picture_thought(searcher))
    ranks = {text.text for text in elements(svg, "us-badge-text")}
    assert {rank.rstrip("×") for rank in ranks if rank} == {"1", "2", "3"}
    texts = [searcher.write(line.moves[0]) for line in searcher.lines]
    assert (svg[1].text or "").split(", ") == texts[:3]


def test_a_search_tells_its_course_and_a_network_what_it_rests_on(searcher: Thought) -> None:
    first = searcher.choice.move
    course = tuple(Line((first,), value, depth) for depth, value in ((1, 0.5), (2, -0.25)))
    inputs = {"<mobility>": 0.5, "safety": -1.0}
    lines = (Line((first,), 1.0, 3, 3),)
    html = picture_thought(replace(searcher, course=course, inputs=inputs, nodes=1234567, lines=lines))
    check(html)
    assert "-0.25</td>" in html and "1\u202f234\u202f567 nodes" in html and "wins in 3 plies" in html
    bars = html.split(">Inputs<")[1]
    assert bars.index("safety") < bars.index("&lt;mobility&gt;")  # the weightiest first
    assert re.findall(r"left:[^\"]*", bars) == ["left:0.0%;width:50.0%", "left:50.0%;width:25.0%"]


def test_a_player_that_only_chooses_has_one_arrow(searcher: Thought) -> None:
    silent = replace(searcher, kind="order", moves=(), lines=(), course=(), value=None, note=HOSTILE)
    html = picture_thought(replace(silent, choice=Choice(searcher.choice.move)))
    check(html)
    (svg,) = boards(html)
    assert len(elements(svg, "us-arrow")) + len(elements(svg, "us-drop")) == 1 and "its move" in html
    ordered = replace(silent, moves=tuple(Weighed(one.move, 3.5) for one in searcher.moves))
    assert Tree(picture_thought(ordered)).count("us-bar") == 0  # a scale of its own has no ends


def test_names_cannot_break_out(student: Thought) -> None:
    html = picture_thought(replace(student, player=HOSTILE, note=HOSTILE))
    check(html)
    played = Played((), 0, 0, HOSTILE)
    check(picture_game(find_game("morris"), played, title=HOSTILE), scripts=1)
    check(picture_table([HOSTILE], [[HOSTILE]], caption=HOSTILE))


def test_words_for_every_expected_result() -> None:
    words = [call_value(value) for value in (1.0, 0.6, 0.2, 0.0, -0.2, -0.6, -1.0)]
    assert words == [name for _, name in VERDICTS] + [LOST]


def test_moves_leave_traces() -> None:
    chess = find_game("chess")
    cells = chess.board.cells.index

    def trace(fen: str, text: str) -> Trace:
        position = chess.read(fen)
        return trace_move(chess, position, chess.read_move(position, text))

    castling = trace("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O")
    assert set(castling.steps) == {(cells("e1"), cells("g1")), (cells("h1"), cells("f1"))} and not castling.taken
    passant = trace("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "exd6")
    assert passant == Trace(((cells("e5"), cells("d6")),), (cells("d5"),))
    promotion = trace("4k3/8/8/8/8/8/p7/4K3 b - - 0 1", "a1=Q+")
    assert promotion == Trace(((cells("a2"), cells("a1")),), ())
    morris = find_game("morris")
    assert trace_move(morris, morris.start(), morris.moves(morris.start())[0]).steps[0][0] is None
    konane = find_game("konane")
    removal = trace_move(konane, konane.start(), konane.moves(konane.start())[0])
    assert not removal.steps and len(removal.taken) == 1


def play(game: CompiledGame, names: tuple[str, str], *, limit: int = 40) -> Played:
    first, second = (make_player(name, game, seed=seed) for seed, name in enumerate(names))
    opening = random_openings(game, 2, plies=2, rng=np.random.default_rng(1))[1]
    return play_games(game, (first, second), [(opening, False)], Terms(ply_limit=limit))[0]


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_a_film_has_a_frame_for_each_position(variant: Any) -> None:
    game = find_game(*variant)
    played = play(game, ("random", "random"))
    html = picture_game(game, played, title="random v random")
    check(html, scripts=1)
    data, position = film(html), game.start()
    assert len(data["frames"]) == len(data["texts"]) == len(played.moves) + 1
    for move, (codes, _) in zip((*played.moves, None), data["frames"], strict=True):
        stones = game.stones(position)
        assert [bool(data["shapes"][code]) for code in codes] == [bool(stone) for stone in stones]
        assert len({*zip(codes, stones, strict=True)}) == len(set(codes)) == len(set(stones))
        position = position if move is None else game.play(position, move)
    (svg,) = boards(html)
    (group,) = elements(svg, "us-stones")
    assert len(group) == sum(bool(stone) for stone in game.stones(position))  # the last board, without any script
    assert html.count("<li ") == len(played.moves) and html.count(">given<") == 2


def test_a_film_marks_the_last_move() -> None:
    game = find_game("konane", (4, 4))
    played = play(game, ("random", "random"))
    frames, position = film(picture_game(game, played))["frames"], game.start()
    assert frames[0][1] == []
    for move, (_, marked) in zip(played.moves, frames[1:], strict=True):
        after = game.play(position, move)
        pairs = zip(game.stones(position), game.stones(after), strict=True)
        assert marked == [cell for cell, (old, new) in enumerate(pairs) if old != new]
        position = after


def test_opinions_are_seen_by_one_side() -> None:
    game = find_game("morris")
    moves = tuple(move for _, move in random_line(game, 5, 1))[:5]
    values = (0.5, -0.5, None, -1.0, 0.5)
    html = picture_game(game, Played(moves, 0, 1, "no move", None, values))
    check(html, scripts=1)
    heights = [float(y) for y in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)" r="2.2"', html)]
    first, second = heights[:2], heights[2:]  # plies 1 and 5 of the first player, 2 and 4 of the second
    assert first == [42.5, 42.5] and second == [42.5, 10.0]
    assert "White wins after 5 plies: no move." in html
    assert "us-curve-1" not in picture_game(game, Played(moves, 0, 0, "repetition", None, (0.5,))).split("</style>")[-1]
    assert "us-opinions" not in re.sub(
        r"<(style|script)>.*?</\1>", "", picture_game(game, Played(moves, 0, 0, "x")), flags=re.DOTALL
    )


def test_a_game_that_starts_elsewhere_names_its_movers() -> None:
    game = find_game("morris")
    start = random_line(game, 3, 1)[-1][0]
    start = start if start.ply % 2 else game.play(start, game.moves(start)[0])
    played = play_games(game, (make_player("random", game),) * 2, [(Opening(start=start), False)], Terms(ply_limit=3))[
        0
    ]
    data = film(picture_game(game, played))
    assert [text.split()[1] for text in data["texts"][1:]] == ["black", "white", "black"]


def test_long_films_stay_small() -> None:
    game = find_game("chess")
    played = play(game, ("random", "random"), limit=200)
    assert len(played.moves) == 200
    assert len(picture_game(game, played).encode()) < 150_000


def test_tables_set_numbers_to_the_right() -> None:
    rows = [["student", 12, 0.123456, "50 %", "good"], ["-", 3, None, "±2", "<b>"]]
    html = picture_table(["who", "games", "share", "points", "words"], rows, caption="a & b")
    check(html)
    heads = re.findall(r'<th scope="col"([^>]*)>', html)
    assert [bool(head) for head in heads] == [False, True, True, True, False]
    assert "0.1235" in html and "&lt;b&gt;" in html and "<caption>a &amp; b</caption>" in html
    check(picture_table(["nothing"], []))
