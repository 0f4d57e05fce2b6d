"""Selection: who persists, the arithmetic of survival, and appendix D of the thesis by counting."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from understudy.report.evolution.selection import (
    Persistence,
    eliminations,
    knockout,
    persistence,
    prints,
    round_robin,
    survival,
)


def test_rows_are_told_apart_exactly() -> None:
    weights = np.array([[0.5, -1.0], [0.5, -1.0], [0.5, np.nextafter(-1.0, 0.0)], [0.0, -0.0], [-0.0, 0.0]])
    found = prints(weights)
    assert found[0] == found[1] != found[2]
    assert found[3] == found[4]
    assert prints(weights[:, ::-1])[0] != found[0]


def test_persistence_by_hand() -> None:
    a, b, c, d = (bytes([number]) for number in range(4))
    found = persistence([[a, b], [a, c], [b, c], [c, d]])
    # of a b a c b c: a and c, c go on to the next; b of the first comes back later
    assert found == Persistence(6, 3, 4, 3, 4, 4)


def test_nobody_persists_where_all_are_new() -> None:
    rng = np.random.default_rng(1)
    found = persistence(prints(rng.uniform(-1, 1, (5, 8))) for _ in range(6))
    assert found == Persistence(25, 0, 0, 1, 6, 30)
    assert persistence([]) == Persistence(0, 0, 0, 0, 0, 0)


def test_twins_in_an_epoch_both_count() -> None:
    assert persistence([[b"a", b"a"], [b"a"]]) == Persistence(2, 2, 2, 2, 2, 1)


def test_survival_as_the_thesis_reckons() -> None:
    assert round(survival(0.6, 4), 2) == 0.13
    assert round(survival(0.9, 20), 2) == 0.12


def test_appendix_d_counted() -> None:
    found = eliminations()
    assert found == (32, 16, 8, 8)
    assert found.outcomes == 64
    assert found.most == Fraction(1, 4)  # the thesis, which gives every circle to another
    assert found.by_lot == Fraction(5, 24)


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
    assert knockout(beats) == kept
    assert round_robin(beats) == first
