"""Measures: intervals, adding up, and the way through JSON."""

from __future__ import annotations

import json

import numpy as np

from understudy.judges.measures import (
    Measure,
    Tally,
    add,
    counted,
    mean,
    measured,
    share,
    summed,
    wilson,
    write_verdict,
)


def test_a_share_has_wilsons_interval() -> None:
    assert share(30, 100) == Measure(0.3, *wilson(0.3, 100), 100)
    assert share(0, 0) == Measure(None, 0.0, 1.0, 0)


def test_a_mean_has_an_interval_that_covers_it() -> None:
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(400):
        measure = mean(summed(rng.beta(2, 5, 200)))
        inside += measure.low <= 2 / 7 <= measure.high
    assert 365 <= inside <= 395
    assert mean(summed(np.array([]))) == Measure(None, 0.0, 1.0, 0)
    assert mean(summed(np.array([0.4]))) == Measure(0.4, 0.0, 1.0, 1)


def test_chunks_add_up() -> None:
    rng = np.random.default_rng(5)
    numbers, flags = rng.random(1000), rng.random(1000) < 0.3
    tally: Tally = {}
    for first in range(0, 1000, 300):
        part = slice(first, first + 300)
        add(tally, {"mean": summed(numbers[part]), "share": counted(flags[part])})
    verdict = measured(tally)
    assert np.allclose(verdict["mean"], mean(summed(numbers)))
    assert verdict["share"] == share(int(flags.sum()), 1000)


def test_a_verdict_goes_through_json() -> None:
    verdict = {"accuracy.whole": share(3, 7), "accuracy.phase1": share(0, 0)}
    data = json.loads(json.dumps(write_verdict(verdict)))
    assert data["accuracy.phase1"] == {"value": None, "low": 0.0, "high": 1.0, "sample": 0}
    assert data["accuracy.whole"] == verdict["accuracy.whole"]._asdict()
