"""Judges of students on small batches: against plain counting, on edges, and for players without networks."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conftest import random_line
from understudy.backends import Local
from understudy.errors import BadOption, UnknownName
from understudy.games import find_game
from understudy.games.batches import NO_MOVE, size, stacked, taken, unstacked
from understudy.games.morris.batches import moves_of, parts_of
from understudy.games.morris.legality import PARTS
from understudy.judges.students import JUDGES, judge_parts, judge_player, strict
from understudy.players import make_player
from understudy.protocols import Choice

GAME = find_game("morris")
ORDERS = list(permutations(range(3)))


class Wild:
    """A cascade without weights: scores drawn from a hash of the position and of what is given."""

    name, game = "wild", GAME

    def __init__(self, order: tuple[int, int, int]) -> None:
        self.order, self.asked = order, 0

    def score_parts(self, batch: Any, given: NDArray[np.int64] | None = None) -> tuple[Any, Any]:
        self.asked += size(batch)
        scores = np.empty((size(batch), 3, 25), np.float32)
        parts = np.empty((size(batch), 3), np.int64)
        for row, position in enumerate(unstacked(batch)):
            seed = [int(position.mine), int(position.theirs), position.hand]
            for place, part in enumerate(self.order):
                logits = np.random.default_rng([*seed, place]).normal(0, 3, 25)
                legal = {int(GAME.parts(move)[part]) for move in GAME.moves(position)}
                logits[list(legal)] += 3
                scores[row, place] = logits - np.log(np.exp(logits).sum())
                parts[row, part] = scores[row, place].argmax()
                if given is not None and place < 2 and given[row, place] >= 0:
                    parts[row, part] = given[row, place]
                seed.append(int(parts[row, part]))
        return scores, parts


def rows(count: int = 300) -> tuple[Any, NDArray[np.int32]]:
    line = [pair for seed in range(8) for pair in random_line(GAME, 90, seed)]
    line = line[:: len(line) // count][:count]
    moves = np.array([move for _, move in line], np.int32)
    moves[::7] = NO_MOVE
    return stacked([position for position, _ in line]), moves


def legal(position: Any) -> list[tuple[int, ...]]:
    return [GAME.parts(move) for move in GAME.moves(position)]


@pytest.mark.parametrize("order", ORDERS)
def test_verdicts_equal_plain_counting(order: tuple[int, int, int]) -> None:
    batch, moves = rows()
    scorer = Wild(order)
    verdict = judge_parts(scorer, batch, moves)
    scores, parts = scorer.score_parts(batch)
    positions, moved_rows = unstacked(batch), moves != NO_MOVE
    truth = parts_of(moves)
    right = (parts == truth)[moved_rows]
    assert verdict["accuracy.whole"].value == pytest.approx(right.all(axis=1).mean())
    assert verdict["accuracy.whole"].sample == moved_rows.sum()
    answers = scorer.score_parts(batch, truth[:, list(order[:2])])[0].argmax(axis=2)
    for i, part in enumerate(PARTS):
        assert verdict[f"accuracy.{part}"].value == pytest.approx(right[:, i].mean())
        hits = answers[moved_rows, order.index(i)] == truth[moved_rows, i]
        assert verdict[f"accuracy.given.{part}"].value == pytest.approx(hits.mean())
    moved = [tuple(row) in legal(position) for position, row in zip(positions, parts.tolist(), strict=True)]
    assert verdict["legality.whole"].value == pytest.approx(np.mean(moved))
    assert verdict["legality.whole"].sample == len(positions)
    assert 0 < sum(moved) < len(moved)
    for place, part in enumerate(order):
        masses, last, by_truth = slow_precisions(positions, scores, parts, order, place)
        assert verdict[f"legality.illegal_mass.{PARTS[part]}"].value == pytest.approx(np.mean(masses), rel=1e-5)
        assert verdict[f"reliability.{PARTS[part]}.1.00"].sample == len(last)
        assert verdict[f"reliability.{PARTS[part]}.1.00"].value == pytest.approx(np.mean(last))
        assert verdict[f"reliability.by_truth.{PARTS[part]}.1.00"].sample == len(by_truth)
        assert verdict[f"reliability.by_truth.{PARTS[part]}.1.00"].value == pytest.approx(np.mean(by_truth))


def slow_precisions(
    positions: list[Any], scores: Any, parts: Any, order: tuple[int, ...], place: int
) -> tuple[list[float], list[float], list[float]]:
    """Return illegal masses, and precisions at full recall by the student's own choice and by the rules."""
    masses, own, by_truth = [], [], []
    for position, score, row in zip(positions, scores[:, place], parts.tolist(), strict=True):
        earlier = [row[i] for i in order[:place]]
        open_classes = {move[order[place]] for move in legal(position) if [move[i] for i in order[:place]] == earlier}
        if not open_classes:
            continue
        masses.append(1 - float(np.exp(score[sorted(open_classes)]).sum()))
        ranking = np.argsort(-score, kind="stable").tolist()
        precision = len(open_classes) / (1 + max(ranking.index(kind) for kind in open_classes))
        own += [precision] * (row[order[place]] != 0)
        by_truth += [precision] * (open_classes != {0})
    return masses, own, by_truth


def test_chunks_change_nothing_and_progress_is_told() -> None:
    batch, moves = rows()
    heard: list[int] = []
    whole, parts = (
        judge_parts(Wild((0, 1, 2)), batch, moves, chunk=chunk, progress=heard.append) for chunk in (999, 64)
    )
    assert sum(heard) == 2 * size(batch)
    assert list(whole) == list(parts)
    for name, measure in whole.items():
        assert measure == pytest.approx(parts[name]), name


def test_only_what_differs_from_the_teacher_is_asked_twice() -> None:
    batch, moves = rows(60)
    scorer = Wild((0, 1, 2))
    judge_parts(scorer, batch, moves, judges=["legality"])
    assert scorer.asked == size(batch)
    own = moves_of(scorer.score_parts(batch)[1])
    scorer.asked = 0
    verdict = judge_parts(scorer, batch, own, judges=["accuracy"])
    assert scorer.asked == size(batch)
    assert {measure.value for measure in verdict.values() if measure.sample} == {1.0}
    assert not any(name.startswith(("legality", "reliability")) for name in verdict)


def test_without_moves_or_rows_the_measures_are_empty() -> None:
    batch, _ = rows(20)
    nothing = judge_parts(Wild((0, 1, 2)), batch)
    assert nothing["accuracy.whole"].value is None
    assert nothing["legality.whole"].sample == 20
    empty = judge_parts(Wild((0, 1, 2)), taken(batch, slice(0, 0)))
    assert set(empty) == set(nothing)
    assert all(measure.value is None and measure.sample == 0 for measure in empty.values())


def test_bad_requests_are_refused() -> None:
    batch, moves = rows(20)
    with pytest.raises(UnknownName, match="did you mean 'accuracy'"):
        judge_parts(Wild((0, 1, 2)), batch, moves, judges=["acuracy"])
    with pytest.raises(BadOption, match="20 positions cannot be judged by 19 moves"):
        judge_parts(Wild((0, 1, 2)), batch, moves[1:])
    with pytest.raises(BadOption, match="positions of morris cannot be judged by the rules of konane"):
        judge_player(make_player("random", GAME), find_game("konane"), batch, moves)


def test_a_player_without_networks_is_judged_by_its_moves() -> None:
    batch, moves = rows(200)
    verdict = judge_player(make_player("random", GAME, seed=1), GAME, batch, moves, chunk=33)
    assert verdict["legality.whole"] == (1.0, pytest.approx(0.981, abs=1e-3), 1.0, 200)
    assert 0 < (verdict["accuracy.whole"].value or 0) < 0.3
    assert not any(name.startswith(("reliability", "legality.illegal_mass", "accuracy.given")) for name in verdict)


def test_a_player_that_tells_its_scores_is_judged_by_their_ranking() -> None:
    batch, moves = rows(40)
    player = make_player("searcher:depth=1,method=minimax", GAME)
    verdict = judge_player(player, GAME, batch, moves, judges=["reliability"])
    assert all(name.startswith("reliability.") for name in verdict)
    assert {measure.value for name, measure in verdict.items() if "authors" not in name} == {1.0}
    assert verdict["reliability.to.0.04"].sample == 40
    assert verdict["reliability.remove.1.00"].sample < 40


class Broken:
    """A player that fails in every second position, and else ranks an illegal TO above its legal move."""

    name = "broken"

    def choose(self, positions: Any, histories: Any = None) -> list[Choice]:
        return [self._choose(position, place) for place, position in enumerate(positions)]

    def _choose(self, position: Any, place: int) -> Choice:
        if place % 2:
            return Choice(NO_MOVE, fault="engine crash")
        move = GAME.moves(position)[0]
        taken_cell = next(cell for cell in range(24) if int(position.mine | position.theirs) >> cell & 1)
        return Choice(move, scores={move: 0.0, (taken_cell + 1) * 625: 1.0})


def test_failures_are_illegal_and_unscored() -> None:
    batch, moves = rows(60)
    some = np.flatnonzero(np.bitwise_count(batch.mine | batch.theirs) > 0)[:40]
    verdict = judge_player(Broken(), GAME, taken(batch, some), moves[some])
    assert verdict["legality.whole"].value == 0.5
    assert verdict["reliability.to.0.04"].sample == 20
    assert verdict["reliability.to.0.04"].value == 0.5


def test_finished_games_are_left_out_for_players() -> None:
    batch = stacked([GAME.start(), GAME.read("MEOOOOOOOEOOOOOOOOOOOEOO" + "0013")])
    assert judge_player(make_player("random", GAME), GAME, batch)["legality.whole"].sample == 1


def test_strict_games() -> None:
    verdict = strict(GAME, "searcher:depth=2", "random", games=8, seed=3, backend=Local(1))
    assert verdict["strict.finished_legally"].value == 1.0
    assert verdict["strict.won"].value == 1.0
    assert verdict["strict.points"].sample == 8


def test_an_illegal_choice_counts_against_the_one_who_made_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for earlier, part in enumerate(("TO", "FROM", "REMOVE")):
        shapes = [(90 + 25 * earlier, 200), (200,), (200, 300), (300,), (300, 200), (200,), (200, 25), (25,)]
        np.savez(tmp_path / f"TFR_{part}.npz", *(rng.normal(0, 0.1, shape) for shape in shapes))
    wild = f"nnmm:{tmp_path / 'TFR'}"
    verdict = strict(GAME, wild, "random", games=6, seed=3, backend=Local(1))
    assert [measure.value for measure in verdict.values()] == [0.0, 0.0, 0.0]
    verdict = strict(GAME, "random", wild, games=6, seed=3, backend=Local(1))
    assert [measure.value for measure in verdict.values()] == [1.0, 1.0, 1.0]
    checked = strict(GAME, f"{wild},check=legal", "random", games=6, seed=3, backend=Local(1))
    assert checked["strict.finished_legally"].value == 1.0


def test_all_judges_are_run_by_default() -> None:
    assert set(JUDGES) == {"accuracy", "legality", "mistakes", "reliability"}
