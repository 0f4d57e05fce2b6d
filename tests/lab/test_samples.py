"""Samples for reports: some right, some wrong, some illegal, the same whenever they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.judges.value_kept import exam_positions, graded
from understudy.lab.samples import EACH, draw_kept, draw_samples
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
    exam = graded(game, exam_positions(game, limit=300))
    drawn = draw_kept(make_player("random", game, seed=3), game, exam)
    assert [sample["kind"] for sample in drawn] == ["kept"] * EACH + ["lost"] * EACH
    for sample in drawn:
        position = game.read(sample["position"])
        legal = [game.write_move(position, move) for move in game.moves(position)]
        assert sample["choice"] in legal and set(sample["wins"]) < set(legal)
        assert (sample["choice"] in sample["wins"]) == (sample["kind"] == "kept")
        pale = [arrow for arrow in sample["arrows"] if arrow[2] < 1]
        assert bool(pale) == (sample["kind"] == "lost")
