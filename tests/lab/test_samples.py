"""Samples for reports: some right, some wrong, some illegal, the same whenever they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.judges.value_kept import exam_positions, grade_positions
from understudy.lab.opinions import ALSO, Opinion, draw_opinions, draw_rivalry, draw_rows
from understudy.lab.samples import EACH, PALE, draw_kept, draw_samples
from understudy.players import make_player
from understudy.protocols import Choice
from understudy.records.examples import Examples, all_examples
from understudy.records.store import lone_pairs
from understudy.thoughts import PartThought, Thought, Weighed

GAME = find_game("morris")


class Stubborn:
    """A player that always puts a stone on the same cell, and is quite sure of it."""

    game = GAME

    def __init__(self, move: int) -> None:
        self.move = move

    def choose(self, positions: Sequence[Any], histories: Sequence[Sequence[Any]] | None = None) -> list[Choice]:
        return [Choice(self.move) for _ in positions]

    def think(self, position: Any, past: Sequence[Any] = ()) -> Thought:
        legal = self.move in GAME.moves(position)
        cells = dict.fromkeys(GAME.board.cells, 0.0) | {GAME.board.cells[0]: 0.75, GAME.board.cells[1]: 0.25}
        parts = (PartThought(GAME.part_names[0], cells, 0.0, GAME.board.cells[0]),)
        return Thought(player="stubborn", game=GAME, position=position, choice=Choice(self.move), kind="probability",
                       moves=(Weighed(self.move, 0.75, legal=legal),), parts=parts)  # fmt: skip


def examples() -> Examples:
    """Return positions after one and after two plies, with the first or the last of their moves as the teacher's."""
    first = GAME.moves(GAME.start())
    positions = [GAME.play(GAME.start(), move) for move in first[:12]]
    moves = np.array([GAME.moves(position)[-(place % 2)] for place, position in enumerate(positions)], np.int32)
    return all_examples(lone_pairs(GAME, stacked(positions), moves, source="test"), expansion="none")


@pytest.fixture
def drawn() -> list[dict[str, Any]]:
    return draw_samples(Stubborn(GAME.moves(GAME.start())[0]), examples())


def test_there_are_some_of_each_kind(drawn: list[dict[str, Any]]) -> None:
    kinds = [sample["kind"] for sample in drawn]
    assert kinds == ["right"] * EACH + ["wrong"] * EACH + ["illegal"]  # one position has the cell taken
    assert drawn == draw_samples(Stubborn(GAME.moves(GAME.start())[0]), examples())


def test_a_sample_says_what_was_chosen_and_what_the_teacher_chose(drawn: list[dict[str, Any]]) -> None:
    for sample in drawn:
        assert GAME.write(GAME.read(sample["position"])) == sample["position"]
        assert sample["share"] == 0.75 and sample["heat"] == {GAME.board.cells[0]: 0.75, GAME.board.cells[1]: 0.25}
        assert (sample["choice"] == sample["teacher"]) == (sample["kind"] == "right")
    right, wrong, illegal = drawn[0], drawn[EACH], drawn[-1]
    assert [len(sample["arrows"]) for sample in (right, wrong, illegal)] == [1, 2, 1]
    assert illegal["marked"] == [0] and right["marked"] == wrong["marked"] == []


def test_nothing_to_draw_from() -> None:
    assert draw_samples(Stubborn(0), examples().taken(np.zeros(0, np.int64))) == []


def test_positions_of_an_exam_show_wins_that_are_kept_and_given_away() -> None:
    game = find_game("konane", (4, 4))
    exam = grade_positions(game, exam_positions(game, limit=300))
    drawn = draw_kept(make_player("random", game, seed=3), game, exam)
    assert [sample["kind"] for sample in drawn] == ["kept"] * EACH + ["lost"] * EACH
    for sample in drawn:
        position = game.read(sample["position"])
        legal = [game.write_move(position, move) for move in game.moves(position)]
        assert sample["choice"] in legal and set(sample["wins"]) < set(legal)
        assert (sample["choice"] in sample["wins"]) == (sample["kind"] == "kept")
        pale = [arrow for arrow in sample["arrows"] if arrow[2] < 1]
        assert bool(pale) == (sample["kind"] == "lost")


def test_opinions_are_shown_beside_those_of_who_judges() -> None:
    game = find_game("konane", (4, 4))
    searcher: Any = make_player("searcher:depth=2", game)
    first = [game.play(game.start(), move) for move in game.moves(game.start())]
    positions = [game.play(position, move) for position in first for move in game.moves(position)]
    opinions = [Opinion(place % 3 > 0, f"{place}", "0 pawns") for place in range(len(positions))]
    drawn = draw_opinions(searcher, positions, opinions, judge="the engine")
    assert [sample["kind"] for sample in drawn] == ["agrees"] * EACH + ["differs"] * EACH
    assert [sample["ours"] for sample in drawn] == ["1", "2", "0", "3"]
    for sample in drawn:
        position = game.read(sample["position"])
        legal = [game.write_move(position, move) for move in game.moves(position)]
        assert sample["choice"] in legal and {move for move, _ in sample["also"]} < set(legal)
        assert len(sample["also"]) == min(ALSO, len(legal) - 1)


def test_a_rival_is_asked_for_its_move_in_the_same_positions() -> None:
    game = find_game("konane", (6, 6))
    student: Any = make_player("searcher:depth=3", game)
    rng, positions = np.random.default_rng(4), []
    for _ in range(30):
        position = game.start()
        for _ in range(int(rng.integers(4, 12))):
            moves = game.moves(position)
            position = game.play(position, moves[rng.integers(len(moves))])
        positions.append(position)
    drawn = draw_rivalry(student, make_player("searcher:depth=1", game), positions)
    assert [sample["kind"] for sample in drawn] == ["alike"] * EACH + ["apart"] * EACH
    for sample in drawn:
        assert (sample["choice"] == sample["theirs"]) == (sample["kind"] == "alike")
        pale = [arrow for arrow in sample["arrows"] if arrow[2] == PALE]
        assert pale and sample["judge"] == "searcher:depth=1"
    assert draw_rivalry(student, student, []) == []


def test_rows_are_drawn_by_chance_and_always_the_same() -> None:
    rows = draw_rows(1000, 10).tolist()
    assert rows == sorted(set(rows)) == draw_rows(1000, 10).tolist() and len(rows) == 10 and rows[-1] > 500
    assert draw_rows(3, 10).tolist() == [0, 1, 2]
