"""The judge of perfect play: what it asks, and what it says of players whose choices are known."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import BadOption
from understudy.games import CompiledGame, find_game, rules
from understudy.games.batches import size, stacked, unstacked
from understudy.games.konane.batches import every_position
from understudy.judges.value_kept import exam_positions, grade_positions, value_kept
from understudy.players import make_player
from understudy.protocols import Choice

SMALL = find_game("konane", (4, 4))
MEASURES = [
    "value_kept",
    "value_kept.won",
    "value_kept.critical",
    "value_kept.first",
    "value_kept.second",
    "value_kept.critical.first",
    "value_kept.critical.second",
]


class Told:
    """A player that does what a function says."""

    name = "told"

    def __init__(self, game: CompiledGame, say: Any) -> None:
        self.game, self.say, self.asked = game, say, 0

    def choose(self, positions: Sequence[Any], histories: Any = None) -> list[Choice]:
        self.asked += len(positions)
        return [self.say(position, self.game.moves(position)) for position in positions]


@cache
def wins(position: Any) -> bool:
    return any(not wins(rules.play(position, move)) for move in SMALL.moves(position))


def test_every_position_of_4x4_is_asked() -> None:
    positions = unstacked(exam_positions(SMALL))
    assert len(positions) == 3858 - 406 + 1 + 4
    assert all(SMALL.moves(position) for position in positions)
    assert len({(position.mine, position.theirs, position.ply % 2) for position in positions}) == len(positions)
    fresh, seen = {SMALL.start()}, set()
    while fresh:
        seen |= {(position.mine, position.theirs, position.ply % 2) for position in fresh if SMALL.moves(position)}
        fresh = {rules.play(position, move) for position in fresh for move in SMALL.moves(position)}
    assert {(position.mine, position.theirs, position.ply % 2) for position in positions} == seen


def test_a_known_player_gets_what_plain_counting_says() -> None:
    exam = grade_positions(SMALL, exam_positions(SMALL))
    verdict = value_kept(Told(SMALL, lambda position, moves: Choice(moves[-1])), exam)
    assert list(verdict) == MEASURES
    rows = []
    for position in unstacked(exam.positions):
        values = [not wins(rules.play(position, move)) for move in SMALL.moves(position)]
        critical = any(values) and not all(values)
        rows.append((values[-1] or not any(values), any(values), critical, position.ply % 2 == 0))
    kept, won, critical, first = np.array(rows).T
    chosen = [kept | True, won, critical, first, ~first, critical & first, critical & ~first]
    for name, mask in zip(MEASURES, chosen, strict=True):
        assert verdict[name].sample == mask.sum() > 100
        assert verdict[name].value == pytest.approx(kept[mask].mean())
        assert verdict[name].low < verdict[name].value < verdict[name].high


def test_random_play_keeps_what_chance_keeps() -> None:
    """The expected share of random choices, counted move by move, lies well within what a judge finds."""
    exam = grade_positions(SMALL, exam_positions(SMALL))
    verdict = value_kept(make_player("random", SMALL, seed=1), exam)
    shares, critical = [], []
    for position in unstacked(exam.positions):
        values = [not wins(rules.play(position, move)) for move in SMALL.moves(position)]
        shares.append(np.mean(values) if any(values) else 1.0)
        critical.append(any(values) and not all(values))
    for name, expected in (
        ("value_kept", np.mean(shares)),
        ("value_kept.critical", np.mean(np.array(shares)[critical])),
    ):
        measure = verdict[name]
        assert abs(measure.value - expected) < 1.5 * (measure.high - measure.low)
        assert 0.4 < expected < 0.9


def test_perfect_play_keeps_everything() -> None:
    for board, limit in ((SMALL, None), (find_game("konane", (5, 5)), 400), (find_game("konane", (4, 6)), 400)):
        exam = grade_positions(board, exam_positions(board, limit=limit, seed=2))
        verdict = value_kept(make_player("perfect", board), exam)
        assert {measure.value for measure in verdict.values()} == {1.0}
        assert verdict["value_kept"].sample == (limit or 3457)


def test_failing_and_illegal_choices_keep_nothing() -> None:
    exam = grade_positions(SMALL, exam_positions(SMALL, limit=200))
    for say in (
        lambda position, moves: Choice(moves[0], fault="crash"),
        lambda position, moves: Choice(-1),
        lambda position, moves: Choice(next(code for code in range(5000) if code not in moves)),
    ):
        verdict = value_kept(Told(SMALL, say), exam)
        assert {measure.value for measure in verdict.values()} == {0.0}


def test_larger_boards_are_sampled_from_random_games() -> None:
    board = find_game("konane", (6, 6))
    batch = exam_positions(board, limit=600, seed=7)
    positions = unstacked(batch)
    assert len(positions) == 600
    assert all(board.moves(position) for position in positions)
    classes = {
        min((int(image.mine | image.theirs), image.ply % 2) for image, _ in board.symmetries(position, 0))
        for position in positions
    }
    assert len(classes) == 600
    plies = np.bincount(batch.ply)
    assert plies[0] <= 1 and plies[1] <= 2 and plies[6:20].min() > 5
    for position in positions[:50]:
        again = board.read(board.write(position))  # refuses what cannot occur
        assert (again.mine, again.theirs) == (position.mine, position.theirs)
    assert all((a == b).all() for a, b in zip(batch, exam_positions(board, limit=600, seed=7), strict=True))
    assert not all((a == b).all() for a, b in zip(batch, exam_positions(board, limit=600, seed=8), strict=True))


def test_a_board_gives_what_it_has() -> None:
    board = find_game("konane", (3, 6))
    assert 100 < size(exam_positions(board, limit=5000)) < size(every_position(board))
    assert size(exam_positions(SMALL, limit=100)) == 100
    assert size(exam_positions(SMALL, limit=10**6)) == 3457


def test_chunks_change_nothing_and_progress_is_told() -> None:
    positions = stacked([position for position, _ in random_line(SMALL, 99, 3)])
    heard: list[int] = []
    exams = [grade_positions(SMALL, positions, chunk=chunk, progress=heard.append) for chunk in (3, 100)]
    assert all((a == b).all() for a, b in zip(exams[0].truths, exams[1].truths, strict=True))
    player = Told(SMALL, lambda position, moves: Choice(moves[0]))
    verdicts = [value_kept(player, exam, chunk=chunk, progress=heard.append) for exam in exams for chunk in (2, 99)]
    assert all(verdict == verdicts[0] for verdict in verdicts)
    assert sum(heard) == 6 * size(positions)


def test_boards_too_large_are_refused() -> None:
    with pytest.raises(BadOption, match="at most 36 cells, not on 8x8"):
        exam_positions(find_game("konane"))
