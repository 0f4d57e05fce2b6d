"""Precision at points of recall: the papers' worked example, a slow second implementation, compiled and interpreted."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tests.conftest import run_interpreted
from understudy.judges.parts import POINTS, RECALLS, sum_precisions


def mask(classes: set[int]) -> int:
    return sum(1 << kind for kind in classes)


def test_the_worked_example_of_the_paper() -> None:
    ranking = [1, 7, 9, 0, 4, 5, 12]
    scores = np.full((1, 25), -1000.0, np.float32)
    scores[0, ranking] = -np.arange(len(ranking))
    sums, squares = sum_precisions(scores, np.array([mask({1, 5, 7, 9, 12})]), [[True]])[0]
    assert sums[[4, 9, 14, 19, 24]].tolist() == [1, 1, 1, 4 / 6, 5 / 7]
    assert sums[[0, 14, 15]].tolist() == [1, 1, 4 / 6]
    assert squares[24] == (5 / 7) ** 2
    assert RECALLS[0] == "0.04" and RECALLS[12] == "0.52" and RECALLS[24] == "1.00"


def random_case(rows: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 12, (rows, 25)).astype(np.float32)
    return scores, rng.integers(1, 1 << 25, rows).astype(np.uint32), rng.random(rows) < 0.7


def test_of_equal_scores_the_lowest_class_comes_first() -> None:
    for first, best in ((0, 1.0), (7, 1 / 8), (24, 1 / 25)):
        sums, _ = sum_precisions(np.full((1, 25), -np.inf), np.array([mask({first})]), [[True]])[0]
        assert np.allclose(sums, best)


def test_precisions_equal_those_of_a_second_implementation() -> None:
    scores, masks, kept = random_case(400, 2)
    expected = np.zeros(POINTS)
    for row in np.flatnonzero(kept):
        order = np.argsort(-scores[row], kind="stable")
        ranks = [place + 1 for place, kind in enumerate(order) if masks[row] >> kind & 1]
        for k in range(1, POINTS + 1):
            j = next(j for j in range(1, len(ranks) + 1) if j * POINTS >= k * len(ranks))
            expected[k - 1] += j / ranks[j - 1]
    both = sum_precisions(scores, masks, [kept, ~kept])
    assert np.allclose(both[0, 0], expected) and not np.allclose(both[1, 0], expected)


def digest() -> str:
    scores, masks, kept = random_case(60, 3)
    return hashlib.sha256(sum_precisions(scores, masks, [kept, ~kept]).tobytes()).hexdigest()


def test_kernels_answer_alike_compiled_and_interpreted() -> None:
    assert run_interpreted("test_reliability_morris", "digest()") == digest()
