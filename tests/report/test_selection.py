"""Selection: who persists, the arithmetic of survival, and appendix D of the thesis by counting."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from understudy.report.evolution.selection import (
    Persistence,
    _compare_formats,
    count_eliminations,
    count_persisting,
    decide_knockout,
    decide_round_robin,
    fingerprint_rows,
    reckon_survival,
)
from understudy.report.sources import Run


def test_rows_are_told_apart_exactly() -> None:
    weights = np.array([[0.5, -1.0], [0.5, -1.0], [0.5, np.nextafter(-1.0, 0.0)], [0.0, -0.0], [-0.0, 0.0]])
    prints = fingerprint_rows(weights)
    assert prints[0] == prints[1] != prints[2]
    assert prints[3] == prints[4]
    assert fingerprint_rows(weights[:, ::-1])[0] != prints[0]


def test_persistence_by_hand() -> None:
    a, b, c, d = (bytes([number]) for number in range(4))
    counts = count_persisting([[a, b], [a, c], [b, c], [c, d]])
    # of a b a c b c: a and c, c go on to the next; b of the first comes back later
    assert counts == Persistence(6, 3, 4, 3, 4, 4)


def test_nobody_persists_where_all_are_new() -> None:
    rng = np.random.default_rng(1)
    counts = count_persisting(fingerprint_rows(rng.uniform(-1, 1, (5, 8))) for _ in range(6))
    assert counts == Persistence(25, 0, 0, 1, 6, 30)
    assert count_persisting([]) == Persistence(0, 0, 0, 0, 0, 0)


def test_twins_in_an_epoch_both_count() -> None:
    assert count_persisting([[b"a", b"a"], [b"a"]]) == Persistence(2, 2, 2, 2, 2, 1)


def test_survival_as_the_thesis_reckons() -> None:
    assert round(reckon_survival(0.6, 4), 2) == 0.13
    assert round(reckon_survival(0.9, 20), 2) == 0.12


def test_appendix_d_counted() -> None:
    counts = count_eliminations()
    assert counts == (32, 16, 8, 8)
    assert counts.outcomes == 64
    assert counts.most == Fraction(1, 4)  # the thesis, which gives every circle to another
    assert counts.by_lot == Fraction(5, 24)


@pytest.mark.parametrize(
    ("beaten", "kept", "first"),
    [
        # who beats whom; player 0 wins the knock-out 0-1, 2-3, 0-2
        (((0, 1), (2, 3), (0, 2), (0, 3), (1, 2), (1, 3)), 0, (0, False)),
        (((0, 1), (2, 3), (0, 2), (3, 0), (3, 1), (1, 2)), 0, (3, True)),
        (((0, 1), (2, 3), (0, 2), (3, 0), (3, 1), (2, 1)), 0, (None, True)),
        (((0, 1), (2, 3), (0, 2), (3, 0), (1, 3), (1, 2)), 0, (0, True)),
    ],
)
def test_tournaments_by_hand(beaten: tuple[tuple[int, int], ...], kept: int, first: tuple[int | None, bool]) -> None:
    beats = dict.fromkeys(beaten, True) | {(other, one): False for one, other in beaten}
    assert decide_knockout(beats) == kept
    assert decide_round_robin(beats) == first


def test_round_robins_of_a_run_are_compared_with_knockouts() -> None:
    lines = [{"student": "robin", "generation": one, "robin": {"played": 10, "another": one}} for one in (1, 2)]
    lines += [{"student": "knockout", "generation": 1}]
    (text,) = _compare_formats(Run(folder=Path(), generations=tuple(lines)))
    assert "robin: of 20 round robins a knock-out by the same matches would have kept another winner in 3" in text.text
    assert "15.0" in text.text and _compare_formats(Run(folder=Path())) == []
